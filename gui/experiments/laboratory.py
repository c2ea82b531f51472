"""Carries out experiments beside the window: a thread that waits, and processes that work."""

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

#: Seconds between two pictures, and between two looks at the share that is done.
PICTURE_SECONDS, STATUS_SECONDS = 0.3, 0.1

#: Making a picture may take this part of a run's own thread, so that it never falls behind.
_PICTURE_SHARE = 0.2

#: Seconds that the end of a run is waited for when the window closes.
PATIENCE = 15.0

#: The same while it still reads a trace, which cannot be interrupted and leaves nothing behind.
READING_PATIENCE = 1.0


@dataclass(frozen=True)
class Order:
    """An experiment as it is to be carried out.

    ``name`` names its files; ``plan`` makes it, and may raise a UserError.
    """

    name: str
    plan: Callable[[], Plan]
    folder: Path
    scale: str = "quick"
    options: Options = NO_OPTIONS
    workers: int = 1


@dataclass(frozen=True)
class Survey:
    """What an earlier run has left of an experiment.

    ``result`` is made from it; None where it was not asked for.
    """

    done: int = 0
    total: int = 0
    result: Result | None = None
    error: UserError | None = None


@dataclass(frozen=True)
class End:
    """How a run ended: with files, or stopped, or with an error."""

    files: tuple[Path, ...] = ()
    stopped: bool = False
    error: UserError | None = None


class Laboratory(QObject):
    """One experiment at a time, and looks at what earlier runs have left.

    Signals
    -------
    progressed(Status), drawn(Result)
        How far the running experiment is, and what is known so far; at most some per second.
    writing()
        All parts are carried out; files are written.
    ended(End)
        The experiment does not run any more.
    looked(str, Survey)
        What is left of an experiment, by its order's name.
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
        """Carry out what is missing of an experiment."""
        assert self._run is None, "one at a time"
        self._run = _RunningExperiment(order, self._said.emit)
        self._run.start()

    def stop(self) -> None:
        """Stop the running experiment; what is finished is kept, and ``ended`` comes soon."""
        run = self._run
        if run is None:
            return
        run.cancelled.set()
        if not run.begun.is_set():  # it reads a trace, and nobody needs to wait for that
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
        """Pass on what the present run says; a run that was left alone is not heard."""
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
        """Look at what is left of some experiments; make a result of the one named *in_full*."""
        self._looking = _Looks(orders, in_full, self._line, self._looking)
        self._looking.start()

    def forget_looks(self) -> None:
        """What was asked for so far is of no use any more."""
        self._line.leave_alone()
        self._line = _LineToWindow(self._surveyed.emit)

    def _take_survey(self, line: _LineToWindow, name: str, found: Survey) -> None:
        if not line.cut:
            self.looked.emit(name, found)


class _LineToWindow:
    """From looks to the window, until it is cut; then they hold nothing of the window."""

    def __init__(self, tell: Callable[[object, str, object], None]) -> None:
        self.cut = False
        self._tell_window = tell
        self._telling = threading.Lock()

    def say(self, name: str, found: Survey) -> None:
        """Tell the window what was found."""
        with self._telling:
            self._tell_window(self, name, found)

    def leave_alone(self) -> None:
        """Nobody listens any more."""
        with self._telling:
            self._tell_window, self.cut = _ignore, True


class _Looks(threading.Thread):
    """Some looks, one after the other, once those *before* are done.

    Nobody waits for it, for a look may read a long trace; and it is no daemon, which Python would
    end in the middle of compiled code when the program ends, and the program with it.
    """

    def __init__(
        self, orders: Sequence[Order], in_full: str, line: _LineToWindow, before: threading.Thread | None
    ) -> None:
        super().__init__(name="look")
        self._orders, self._in_full, self._line = orders, in_full, line
        self._before = before

    def run(self) -> None:
        """What the thread does."""
        if self._before is not None:
            self._before.join()
            self._before = None
        for order in self._orders:
            if not self._line.cut:
                self._line.say(order.name, survey(order, order.name == self._in_full))


def survey(order: Order, in_full: bool) -> Survey:
    """What is left of an experiment in its folder; *in_full* with the result that it makes."""
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
    """What the machine refuses, beside the folder where it does."""
    place = f"{error.filename}: " if error.filename else ""
    return UserError(f"{place}{error.strerror or error}", where="--out")


def _ignore(*_: object) -> None:
    """For a run that is not listened to."""


class _RunningExperiment(threading.Thread):
    """One experiment on its way; says what happens through *tell*, from its own thread."""

    def __init__(self, order: Order, tell: Callable[[object, str, object], None]) -> None:
        super().__init__(name=f"experiment {order.name}", daemon=True)
        self.cancelled = threading.Event()
        self.begun = threading.Event()  #: the parts are known; from here on it stops at once
        self._order = order
        self._tell_window = tell
        self._plan: Plan | None = None
        self._status: Status | None = None
        self._outcomes: Outcomes | None = None  # those that no picture shows yet
        self._next_picture = self._next_status = 0.0

    def run(self) -> None:
        """What the thread does."""
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
        """Nobody listens any more, and this thread holds nothing of the window."""
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
        """Asked several times a second: so the last of some quick parts is shown too."""
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
