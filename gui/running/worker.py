"""The thread that owns the run.

The window never touches a session.  It posts commands and gets frames back; a new frame is
made only after the last one was taken, so a slow drawing slows no run down.
"""

from __future__ import annotations

import threading
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic, sleep
from typing import Any, Callable

from PySide6.QtCore import QObject, Signal

from slotscope.gui.faults import Fault, caught, tell
from slotscope.gui.intents import Ask, Follow, Inspect
from slotscope.gui.language.words import line_of, tr
from slotscope.gui.running.afterwards import Afterwards, explaining, moments_of
from slotscope.gui.running.called import called, way_back
from slotscope.gui.running.drive import SLICE_SECONDS, Drive
from slotscope.gui.running.goals import Goal, GoalProgress
from slotscope.gui.running.pace import NO_LIMIT, PACED_SECONDS, FrameRate, Pace
from slotscope.gui.running.searches import Searches
from slotscope.gui.running.warming import Warming
from slotscope.gui.widgets.fault_words import brief_line
from slotscope.model.api import Session
from slotscope.model.comparison.runs import Run, check_kind, lanes_of, lanes_shown, lanes_watched, leave_past
from slotscope.model.errors import PolicyFileError, PolicyStoppedError, UntrustedPolicyError, UserError
from slotscope.model.policies import stop_what_hangs
from slotscope.model.questions.breakpoints import Breakpoints
from slotscope.model.reporting.frame import Frame, RunInfo
from slotscope.model.running.waiting import PERIOD, GivenUpError, waiting
from slotscope.model.scenario.load import Scenario

Command = Callable[["RunWorker"], None]

#: Seconds between two looks at what is not done yet: a frame to be taken, code to be compiled.
MOMENT = 0.05

#: Seconds that the run has to end before the window closes without it.
LAST_WAIT = 5.0


class RunWorker(QObject):
    """Runs a session in a thread of its own and publishes frames.

    Signals
    -------
    framed(Frame)
        A new frame; the next one comes after :meth:`take` was called.
    leapt()
        The frame that comes is of another moment, and not of the next one.
    compared(tuple)
        The policies that run side by side from here on, as (label, RunInfo); none for one alone.
    opened(RunInfo)
        Another scenario or policy runs now.
    refused(str)
        A command could not be carried out; the run is as it was.
    policy_refused(str)
        What is wrong with a policy of one's own; empty once that is over.
    forks_told(ForkOffer), breakpoints_told(BreakpointList)
        The breakpoints, after one was asked for or taken away.
    permission_wanted(UntrustedPolicyError, command)
        A file that nobody has allowed would run; the command is to be posted again if it may.
    stood(int, str)
        The run, or the moment, of a lesson's step is there; which, as it was counted, and else what is wrong.
    posed(int, object)
        A question at the moment where the run stands, an Exercise, or why there is none; which, as it was counted.
    progressed(Progress)
        How far it is with what takes long; without a text once that is over.
    compiling(str)
        How far it is with compiled code; empty once the run uses it.
    """

    framed = Signal(object)
    leapt = Signal()
    compared = Signal(object)
    opened = Signal(object)
    refused = Signal(str)
    policy_refused = Signal(str)
    breakpoints_told = Signal(object)
    forks_told = Signal(object)
    permission_wanted = Signal(object, object)
    compiled = Signal(bool)
    compiling = Signal(str)
    progressed = Signal(object)
    stood = Signal(int, str)
    posed = Signal(int, object)
    laid_out = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.session: Run | None = None
        self.bounds: Any = None
        self.breakpoints = Breakpoints()
        self.drive = Drive(self.breakpoints)
        self._commands: SimpleQueue[Command | None] = SimpleQueue()
        self._taken = threading.Event()
        self._taken.set()
        self._stops: SimpleQueue[None] = SimpleQueue()  # one for each wish that has not arrived
        self._searches = Searches()
        self._told = 0.0  # when progress was last told
        self._rate = FrameRate()
        self._telling = False
        self.opening = False  # whether the present command opens another run
        self._warming = Warming()
        #: Whether panels are being built: nothing runs meanwhile, and no compiled code is loaded.
        self.window_grows = False
        self._seen = False  # whether a frame of what runs is out
        self._out: Frame | None = None
        self._offering = False  # whether the next frame tells what could be decided
        self.outdated: Frame | None = None  #: the frame that was out when something else was asked for
        self._stale = True
        self._after = Afterwards()
        self.replaced: Run | None = None  #: the run that :meth:`go_back` leads to
        self._message = self._gap = ""  # what is said; what was last said of a wait that is cut short
        self._thread = threading.Thread(target=self._live, name="run", daemon=True)

    # Called by the window.

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread; returns when it has ended, or goes on without end in compiled code."""
        self._stops.put(None)
        self._commands.put(None)
        stop_what_hangs()
        self._thread.join(LAST_WAIT)
        self._warming.stop()

    def post(self, command: Command) -> None:
        """Carry out a command between two slices, or after what takes long."""
        self._commands.put(command)

    def post_instead(self, command: Command) -> None:
        """Carry out a command at once, instead of what takes long; a frame follows, and none that is out is drawn."""
        self.outdated = self._out
        self._stops.put(None)
        self._commands.put(RunWorker._stopped)
        self._commands.put(command)

    @property
    def busy(self) -> bool:
        """Whether something takes long that is not the run."""
        return self._telling and not self.drive.running

    def take(self) -> None:
        """The last frame has been drawn; another may come."""
        self._rate.drawn()
        self._taken.set()
        self._commands.put(_nothing)

    # The thread.

    def _live(self) -> None:
        while True:
            command = self._next_command()
            if command is None:
                return
            self._carry_out(command)
            if command is RunWorker._stopped:
                continue  # what was asked for instead comes next
            if self.drive.running and not self.window_grows:
                self._carry_out(RunWorker._slice)
            if not self._carry_out(type(self)._publish):
                self._stale = False  # the next try is at the next command
            self._tell_now_and_then()
            self._carry_out(type(self)._follow)
            if self._seen:  # loading delays no first picture
                self._carry_out(type(self)._use_what_is_compiled)

    def _next_command(self) -> Command | None:
        """The next command, None to end; without one a run goes on and anything else waits.

        The thread must never spin: it would take Python's lock from the window.  What keeps a pace goes on when
        it is time for a frame.
        """
        try:
            if self.drive.running and (self.drive.rests or self.window_grows):
                left = self._rate.left
                return self._commands.get(timeout=left if left > 0 else PACED_SECONDS)
            if self.drive.running or self._explains:
                return self._commands.get(block=False)
            if self._searching and self._taken.is_set():
                return self._commands.get(timeout=SLICE_SECONDS)
            return self._commands.get(timeout=MOMENT if self._pending else None)
        except Empty:  # else a picture waits for Python's lock
            return RunWorker._settle if self._taken.is_set() else _nothing

    @property
    def _pending(self) -> bool:
        return self._warming.wanted or (self._stale and self.session is not None) or self._owes

    @property
    def _owes(self) -> bool:
        return self._after.owes(self.session, self.drive.running)

    def _settle(self) -> None:
        """Sub-steps, once a picture is out; once nothing is asked for in a moment digests of steps, logs, searches."""
        if self._explains or self._owes:
            stop = (lambda: not self._commands.empty()) if self._explains else None
            self._stale |= self._after.settle(self.present, stop)
        elif self._searching:
            self._stale |= self._searches.go_on(self.session)

    @property
    def _explains(self) -> bool:
        return not self.drive.running and self._taken.is_set() and explaining(self.session)

    def _carry_out(self, command: Command) -> bool:
        """Carry out a command; False where it could not be, which the window is told.

        The thread outlives whatever is raised, and the run goes back to where it stood.
        """
        session = self.session
        place = None if session is None else (session.timeline.event, session.timeline.substep)
        try:
            with waiting(lambda doing: self._report(doing.said(tr)), self._wishes_to_stop):
                command(self)
        except GivenUpError as error:
            self.tell("" if self.drive.running else line_of(error))  # a run that pauses needs no words
            self.drive.running = False
            if session is None:  # no frame comes that could tell it
                self.refused.emit(line_of(error))
        except UserError as error:
            if isinstance(error, UntrustedPolicyError):
                self.permission_wanted.emit(error, command)
            if isinstance(error, PolicyFileError) and not isinstance(error, PolicyStoppedError):
                self.policy_refused.emit(line_of(error))
            self._refuse(brief_line(error))
        except Exception as error:
            tell(error)
            self._refuse(tr("That could not be done: {fault}").format(fault=Fault.of(error).sentence))
            if session is not None and session is self.session and place is not None:
                with caught():
                    session.seek(*place)
        else:
            return True
        finally:
            self.opening = False
        return False

    def _refuse(self, line: str) -> None:
        self.drive.running = False
        self._message, self._stale = line, True
        self.refused.emit(line)

    def _wishes_to_stop(self) -> int:
        """Asked in the middle of what takes long, where another engine can also take over."""
        if self._seen and (self.window_grows or self._warming.loads):  # with Python's lock taken, both take far longer
            sleep(PACED_SECONDS)
        self._use_what_is_compiled()
        return self._stops.qsize()

    def _stopped(self) -> None:
        """What was to stop has stopped; what follows runs."""
        self._stops.get()

    def _report(self, text: str) -> None:
        """Tell how far it is with what takes long."""
        line = None if self.session is None else self.session.timeline
        event, time = (0, 0.0) if line is None else (line.event, line.time)
        self._telling = True
        self.progressed.emit(GoalProgress(text, event, time, self.drive.speed(event), self.opening))

    def _tell_now_and_then(self) -> None:
        """Signs of life while nothing is drawn, and that it is over."""
        if self.drive.unseen and self.session is not None:
            if monotonic() - self._told >= PERIOD:
                self._told = monotonic()
                self._report(self.drive.told(self.session.timeline.event, self.session.timeline.time))
        elif self._telling:
            self._telling = False
            self.progressed.emit(GoalProgress())

    def _publish(self) -> None:
        if self.session is None or not self._stale or self.drive.unseen or not self._taken.is_set():
            return
        if not self._stops.empty() or (self.drive.running and self._rate.left > 0):
            return  # what a frame recalls would be given up, too
        self._rate.count(self.drive.pace != NO_LIMIT)
        line = self.session.timeline
        legible = not self.drive.running or self.drive.legible(self.session)
        if self.drive.running and legible:
            self._after.recall(self.session)
        offering, self._offering = self._offering, False
        frame = self.session.frame(
            running=not legible,
            playing=self.drive.running,
            speed=self.drive.speed(line.event),
            message=self._message,
            bounds=self.bounds,
            breakpoints=self.breakpoints.active,
            hasty=self._after.hasty(self.session, self.drive.running),
            offering=offering,
        )
        if self.drive.running and not self._stops.empty():
            return
        self._taken.clear()
        self._stale, self._seen, self._out = False, True, frame
        self.framed.emit(frame)

    # Commands.

    def adopt(self, session: Run) -> None:
        """Run another session, or several side by side, from here on."""
        self._searches.leave(self.session)
        self.session = session
        self.drive.end()
        self._after.begin(session)
        first = lanes_of(session)[0]
        self.breakpoints.watch(first.bench, first.timeline, lanes_watched(session))
        self.breakpoints.restore(first.breakpoints)
        first.breakpoints = ()  # from here on they are in the list
        self.tell_breakpoints()
        self._searches.begin(session)
        self.bounds = None
        self.tell("")
        self.policy_refused.emit("")
        self.compared.emit(lanes_shown(session))
        self.opened.emit(session.info)
        if session.layout:
            self.laid_out.emit(session.layout)
        self._seen = False
        slow = [leg for lane in lanes_of(session) if not lane.compiled for leg in lane.bench.legs]
        self._warming.want(session.info.kind, [bench for bench in slow if bench.has_kernel])

    def run(self, goal: Goal) -> None:
        """Run on until the goal, or until paused."""
        if goal.kind is not None:
            check_kind(self.present, goal.kind)
        self.drive.begin(self.present, goal)
        self._told = monotonic()
        self.tell("")

    def tell_breakpoints(self, fault: str = "") -> None:
        """Tell the window all breakpoints, and *fault*; the tracks mark where they hold."""
        self.breakpoints_told.emit(self.breakpoints.listed(fault))
        if self.session is not None:
            lanes_of(self.session)[0].tracks.mark(self.breakpoints.marked)

    def pause(self) -> None:
        """Stop running, or searching histories where nothing runs."""
        if self._searching:
            self._searches.stop(self.session)
        leave_past(self.session)
        self.rest()

    def rest(self) -> None:
        """Stop running, for something else that is wanted; searches go on after it."""
        self.drive.running = False
        if self._message == self._gap:
            self._message = ""  # nothing is waited for any more
        self._after.leave(self.session)
        self._stale = True

    def walk(self, step: Callable[[Run], Any], note: str = "") -> None:
        """Pause and take a step, forwards or back, which returns a line to be shown, or False for "there is none"."""
        self.drive.running = False
        self.drive.measure_from(self.present)
        self.tell(note)
        said = step(self.present)
        if said is False or isinstance(said, str):
            self._message = said or tr("There is no earlier event of that kind.")

    def watch(self, wanted: Inspect | Follow | Ask) -> None:
        """Search the history of a thing in one of the runs; ask that of all a question, or follow an expression."""
        self._searches.want(self.session, wanted)
        self.tell("" if isinstance(wanted, Ask) else self._message)  # what was said of the question before is over

    @property
    def _searching(self) -> bool:
        return not self.drive.running and self._searches.due(self.session)

    def _follow(self) -> None:
        """While it runs, search and judge what was reached after each slice; at rest see :meth:`_settle`."""
        if self.drive.running:
            self._searches.follow(self.session, self.drive.rests)
            if said := self.drive.found():
                self.drive.end()
                self.tell(said)

    def cancel(self) -> None:
        """Give up what takes long, what hangs, and the run (may be called from any thread)."""
        stop_what_hangs()
        self.post_instead(RunWorker.pause)

    def exchange(self, session: Run, done: str = "", aside: bool = True) -> None:
        """Run another run instead; one that had begun is put *aside* and can come back, see :meth:`go_back`."""
        replaced = self.session
        if aside and replaced is not None and replaced.timeline.live_end > replaced.timeline.first_event:
            self._put_aside(replaced)
        self.adopt(session)
        if self.replaced is not None:
            opened = f"{done or tr('Opened')} {called(session)}."
            self.tell(" ".join((*session.info.warnings, opened, way_back(self.replaced))))

    def go_back(self) -> None:
        """Go back to the run that was replaced; again, to the one that replaced it."""
        if self.replaced is None:
            raise UserError("no run was replaced yet; there is none to go back to")
        back = self.replaced
        self._put_aside(self.present)
        self.adopt(back)
        self.tell(f"{tr('Back at')} {called(back)}. {way_back(self.replaced)}")

    def _put_aside(self, run: Run) -> None:
        run.layout = ""  # it comes back into the docks as they are then
        self.replaced = run

    def open(self, scenario: str | Scenario, **choices: Any) -> Session:
        """Open a scenario, telling how far the reading of its trace, or its plan, has come."""
        self.begin_opening(scenario if isinstance(scenario, str) else choices.get("source") or scenario.title)
        return Session.open(scenario, kernel=False, **choices)

    def begin_opening(self, named: str) -> None:
        """Tell that a scenario or a file is being opened, until the command is carried out."""
        self.opening = True
        self._report(tr("Opening {scenario}").format(scenario=Path(named).name))

    def refresh(self) -> None:
        """Publish a frame although nothing has happened."""
        self._stale = True

    def offer_choices(self) -> None:
        """Let the next frame tell what could be decided of the next event."""
        self._offering = self._stale = True

    def set_pace(self, pace: Pace) -> None:
        self.drive.set_pace(pace, self.session)
        self._stale = True

    def set_bounds(self, bounds: Any, info: RunInfo) -> None:
        """The programs of a run have been solved; nothing happens if another one runs by now."""
        if self.session is not None and self.session.info.origin is info.origin:
            self.bounds = bounds
            self._stale = True

    @property
    def present(self) -> Run:
        """The run. Raises UserError if nothing is open."""
        if self.session is None:
            raise UserError("nothing is open yet; open a scenario first")
        return self.session

    def lane(self, number: int) -> Session:
        """One of the policies that run, the first is 0.

        Raises UserError if it does not run any more: a comparison ends while its panels are still there.
        """
        lanes = lanes_of(self.present)
        if number >= len(lanes):
            said = tr("policy {number} runs no more, but {run} does; ask again there")
            raise UserError(said.format(number=number + 1, run=called(self.present)))
        return lanes[number]

    def tell(self, text: str) -> None:
        """Show a line in the status bar, with the next frame."""
        self._message = text
        self._stale = True

    # Running.

    def _slice(self) -> None:
        before, self._after.ran = moments_of(self.present), True
        if (said := self.drive.slice(self.present, self._rate.left)) is not None:
            self.drive.end()
            self.tell(said)
        elif self.drive.told_of_gap != self._gap:  # also where another pace or goal has ended it
            self._gap = self.drive.told_of_gap
            self.tell(self._gap)
        self._stale |= moments_of(self.present) != before

    def _use_what_is_compiled(self) -> None:
        """Once the window is complete, so that loading delays no panel; before a first frame only if it takes long."""
        if self.window_grows or self.session is None or not self._warming.wanted:
            return
        before = self._warming.text
        try:
            if self._warming.ready():
                self.session.use_kernel()
                self._stale = True
        finally:  # also where a policy's kernel cannot be compiled
            if self._warming.text != before:
                self.compiling.emit(self._warming.text)
        ready = before and not self._warming.text and all(lane.compiled for lane in lanes_of(self.session))
        if self._warming.failed or ready:
            self.compiled.emit(not self._warming.failed)


def _nothing(_: RunWorker) -> None:
    pass
