"""Runs experiments in the background: a thread that coordinates, and worker processes."""

from __future__ import annotations

import threading
import traceback
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from slotscope.gui.experiments.drawing import draw_pictures
from slotscope.model.errors import UserError
from slotscope.model.lab.executor import LocalWorkers
from slotscope.model.lab.plan import NO_OPTIONS, Options, Outcomes, Plan, result_of
from slotscope.model.lab.results import Result, prepare
from slotscope.model.lab.runner import Status, StoppedError, kept_outcomes, run_plan
from slotscope.model.lab.store import Store

#: Least seconds between two pictures, and between two reports of progress.
PICTURE_SECONDS, STATUS_SECONDS = 0.3, 0.1

#: The share of the run's own thread that making pictures may take, so that the run does not fall behind.
_PICTURE_SHARE = 0.2

#: Seconds to wait for the end of a run when the program closes.
PATIENCE = 15.0

#: The same while the run still reads a trace, which cannot be interrupted but leaves nothing behind.
READING_PATIENCE = 1.0


@dataclass(frozen=True)
class Order:
    """An experiment to be run, with its settings.

    ``name`` is the start of its files' names; ``plan`` makes the plan and may raise UserError.
    """

    name: str
    plan: Callable[[], Plan]
    folder: Path
    scale: str = "quick"
    options: Options = NO_OPTIONS
    workers: int = 1


@dataclass(frozen=True)
class Survey:
    """What earlier runs of an experiment have left: ``done`` of ``total`` parts.

    ``result`` is made from these parts; None if not asked for.
    """

    done: int = 0
    total: int = 0
    result: Result | None = None
    error: UserError | None = None


@dataclass(frozen=True)
class End:
    """How a run ended: with files written, stopped, or with an error."""

    files: tuple[Path, ...] = ()
    stopped: bool = False
    error: UserError | None = None


class Laboratory(QObject):
    """Runs one experiment at a time, and looks up what earlier runs have left.

    Signals
    -------
    progressed(Status), drawn(Result)
        The running experiment's progress, and its result so far; at most a few per second.
    writing()
        All parts are done; the files are being written.
    ended(End)
        The experiment has ended.
    looked(str, Survey)
        What earlier runs have left of an experiment; the name is that of its order.
    """

    progressed = Signal(object)
    drawn = Signal(object)
    writing = Signal()
    ended = Signal(object)
    looked = Signal(str, object)
    _said = Signal(object, str, object)
    _surveyed = Signal(object, str, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._run: _RunningExperiment | None = None
        self._looking: _Looks | None = None
        self._line = _LineToWindow(self._surveyed.emit)
        self._said.connect(self._take)
        self._surveyed.connect(self._take_survey)

    # The running experiment.

    @property
    def busy(self) -> bool:
        """Whether an experiment runs."""
        return self._run is not None

    def start(self, order: Order) -> None:
        """Run the missing parts of an experiment."""
        assert self._run is None, "one at a time"
        self._run = _RunningExperiment(order, self._said.emit)
        self._run.start()

    def stop(self) -> None:
        """Stop the running experiment; finished parts are kept, and ``ended`` follows soon."""
        run = self._run
        if run is None:
            return
        run.cancelled.set()
        if not run.begun.is_set():  # the run still reads a trace: do not wait for it
            self._take(run, "ended", End(stopped=True))
            run.leave_alone()

    def close(self) -> None:
        """Stop everything; returns when no process is left."""
        run, self._run = self._run, None
        if run is not None:
            run.cancelled.set()
            run.join(PATIENCE if run.begun.is_set() else READING_PATIENCE)
            run.leave_alone()
        self._line.leave_alone()

    def _take(self, run: _RunningExperiment, kind: str, what: object) -> None:
        """Emit what the current run reports; reports of abandoned runs are ignored."""
        if run is not self._run:
            return
        match kind:
            case "progressed":
                self.progressed.emit(what)
            case "drawn":
                self.drawn.emit(what)
            case "writing":
                self.writing.emit()
            case "ended":
                self._run = None
                self.ended.emit(what)

    # What earlier runs have left.

    def look(self, orders: Sequence[Order], in_full: str) -> None:
        """Look up what earlier runs have left of some experiments; make the result of the one named *in_full*."""
        self._looking = _Looks(orders, in_full, self._line, self._looking)
        self._looking.start()

    def forget_looks(self) -> None:
        """Ignore the surveys that were asked for so far."""
        self._line.leave_alone()
        self._line = _LineToWindow(self._surveyed.emit)

    def _take_survey(self, line: _LineToWindow, name: str, found: Survey) -> None:
        if not line.cut:
            self.looked.emit(name, found)


class _LineToWindow:
    """Passes surveys from their threads to the window; once cut, the threads hold no reference to the window."""

    def __init__(self, tell: Callable[[object, str, object], None]) -> None:
        self.cut = False
        self._tell_window = tell
        self._telling = threading.Lock()

    def say(self, name: str, found: Survey) -> None:
        """Pass a survey to the window."""
        with self._telling:
            self._tell_window(self, name, found)

    def leave_alone(self) -> None:
        """Cut the line: further surveys are dropped."""
        with self._telling:
            self._tell_window, self.cut = _ignore, True


class _Looks(threading.Thread):
    """A thread that makes some surveys in turn, after the thread *before* has ended.

    It is never joined by the window, as a survey may read a long trace; and it is not a daemon, as stopping
    one inside compiled code at exit could crash the program.
    """

    def __init__(
        self, orders: Sequence[Order], in_full: str, line: _LineToWindow, before: threading.Thread | None
    ) -> None:
        super().__init__(name="look")
        self._orders, self._in_full, self._line = orders, in_full, line
        self._before = before

    def run(self) -> None:
        """Make the surveys; called in the thread."""
        if self._before is not None:
            self._before.join()
            self._before = None
        for order in self._orders:
            if not self._line.cut:
                self._line.say(order.name, survey(order, order.name == self._in_full))


def survey(order: Order, in_full: bool) -> Survey:
    """Look up the finished parts of an experiment in its folder; *in_full* also makes their result."""
    try:
        plan = order.plan()
        parts = plan.parts(order.scale, order.options)
        outcomes = kept_outcomes(parts, Store.of(order.folder, order.name))
        result = result_of(plan, order.scale, order.options, outcomes) if in_full else None
    except UserError as error:
        return Survey(error=error)
    except OSError as error:
        return Survey(error=_of_the_system(error))
    return Survey(len(outcomes), len(parts), result)


def _of_the_system(error: OSError) -> UserError:
    """An error of the operating system as a UserError, to be shown at the field of the folder."""
    place = f"{error.filename}: " if error.filename else ""
    return UserError(f"{place}{error.strerror or error}", where="--out")


def _ignore(*_: object) -> None:
    """Stands in for the window's callback once a thread is abandoned."""


class _RunningExperiment(threading.Thread):
    """The thread of one running experiment; it reports by calling *tell* from this thread."""

    def __init__(self, order: Order, tell: Callable[[object, str, object], None]) -> None:
        super().__init__(name=f"experiment {order.name}", daemon=True)
        self.cancelled = threading.Event()
        self.begun = threading.Event()  #: set once the parts are known; from then on it stops at once
        self._order = order
        self._tell_window = tell
        self._plan: Plan | None = None
        self._status: Status | None = None
        self._outcomes: Outcomes | None = None  # outcomes that no picture shows yet
        self._next_picture = self._next_status = 0.0

    def run(self) -> None:
        """Run the experiment; called in the thread."""
        try:
            end = self._carried_out()
        except StoppedError:
            end = End(stopped=True)
        except UserError as error:
            end = End(error=error)
        except OSError as error:
            end = End(error=_of_the_system(error))
        except Exception as error:
            traceback.print_exc()
            end = End(error=UserError(f"this should not have happened: {error!r}; what is finished is kept"))
        self._tell_all()
        self._say("ended", end)
        self.leave_alone()

    def leave_alone(self) -> None:
        """Drop further reports, so that this thread holds no reference to the window."""
        self._tell_window = _ignore

    def _say(self, kind: str, what: object = None) -> None:
        self._tell_window(self, kind, what)

    def _carried_out(self) -> End:
        order = self._order
        prepare(order.folder)
        self._plan = order.plan()
        store = Store.of(order.folder, order.name)
        result = run_plan(
            self._plan,
            order.scale,
            order.options,
            LocalWorkers(order.workers),
            store,
            self._progress,
            self._stops,
            self._partial,
        )
        self._outcomes = None
        self._say("drawn", result)
        self._say("writing")
        files = result.write(order.folder)
        files += draw_pictures(result, order.folder, self.cancelled.is_set)
        return End(tuple(files), stopped=self.cancelled.is_set())

    def _progress(self, status: Status) -> None:
        self.begun.set()
        self._status = status

    def _partial(self, _done: int, _total: int, outcomes: Outcomes) -> None:
        self._outcomes = outcomes
        self._tell()

    def _stops(self) -> bool:
        """Whether to stop; called several times a second, which also reports the last of several quick parts."""
        self._tell()
        return self.cancelled.is_set()

    def _tell(self) -> None:
        now = monotonic()
        if self._status is not None and now >= self._next_status:
            self._say("progressed", self._status)
            self._status = None
            self._next_status = now + STATUS_SECONDS
        if self._outcomes is not None and now >= self._next_picture:
            self._draw(self._outcomes)
            took = monotonic() - now
            self._next_picture = now + max(PICTURE_SECONDS, took / _PICTURE_SHARE)

    def _tell_all(self) -> None:
        if self._status is not None:
            self._say("progressed", self._status)
        if self._outcomes is not None:
            self._draw(self._outcomes)

    def _draw(self, outcomes: Outcomes) -> None:
        assert self._plan is not None
        self._outcomes = None
        result = result_of(self._plan, self._order.scale, self._order.options, outcomes)
        self._say("drawn", result)
