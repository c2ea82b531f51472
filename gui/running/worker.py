"""The thread that owns the run.

The window never touches a session.  It posts commands and receives frames; a new frame is made only after the
previous one was taken, so slow painting does not slow the run.
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

#: Seconds between two polls of what is pending: a frame to be taken, code being compiled.
MOMENT = 0.05

#: Seconds that closing the window waits for the thread to end.
LAST_WAIT = 5.0


class RunWorker(QObject):
    """Runs a session in a thread of its own and publishes frames.

    Signals
    -------
    framed(Frame)
        A new frame; the next one follows only after :meth:`take`.
    leapt()
        The next frame shows a moment that is not adjacent to the last one.
    compared(tuple)
        The policies that run side by side from now on, as (label, RunInfo); empty if one runs alone.
    opened(RunInfo)
        Another scenario or policy is open now.
    refused(str)
        A command was refused, and why; the run is unchanged.
    policy_refused(str)
        What is wrong with a user's policy file; empty once that is over.
    forks_told(ForkOffer), breakpoints_told(BreakpointList)
        The possible changes, or all breakpoints, whenever they change or are asked for.
    permission_wanted(UntrustedPolicyError, command)
        A command needs a policy file that the user has not allowed; post the command again if it may run.
    stood(int, str)
        A lesson's step (its number) has reached its run and moment, or else why it could not.
    posed(int, object)
        The number of a request for a question at the current moment, and an Exercise or why there is none.
    progressed(Progress)
        The progress of a long task; its text is empty once that is over.
    compiling(str)
        The progress of preparing compiled code; empty once the run uses it.
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
        self._stops: SimpleQueue[None] = SimpleQueue()  # one token for each request to stop that has not been met
        self._searches = Searches()
        self._told = 0.0  # monotonic time of the last progress report
        self._rate = FrameRate()
        self._telling = False
        self.opening = False  # whether the current command opens another run
        self._warming = Warming()
        #: Whether panels are being built: meanwhile nothing runs and no compiled code is loaded.
        self.window_grows = False
        self._seen = False  # whether a frame of the current run has been emitted
        self._out: Frame | None = None
        self._offering = False  # whether the next frame lists the possible decisions
        self.outdated: Frame | None = None  #: the frame that was out when :meth:`post_instead` was called
        self._stale = True
        self._after = Afterwards()
        self.replaced: Run | None = None  #: the run that :meth:`go_back` returns to
        self._message = self._gap = ""  # the status line; the last message about a shortened wait
        self._thread = threading.Thread(target=self._live, name="run", daemon=True)

    # Called by the window.

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread; returns when it has ended, or after :data:`LAST_WAIT` if it hangs in compiled code."""
        self._stops.put(None)
        self._commands.put(None)
        stop_what_hangs()
        self._thread.join(LAST_WAIT)
        self._warming.stop()

    def post(self, command: Command) -> None:
        """Queue a command; it is carried out between two time slices, or after a long task."""
        self._commands.put(command)

    def post_instead(self, command: Command) -> None:
        """Stop what takes long and carry out a command instead; a frame follows, the one already out is not drawn."""
        self.outdated = self._out
        self._stops.put(None)
        self._commands.put(RunWorker._stopped)
        self._commands.put(command)

    @property
    def busy(self) -> bool:
        """Whether a long task other than the run is under way."""
        return self._telling and not self.drive.running

    def take(self) -> None:
        """Note that the last frame has been drawn, so that the next one may be made; called in the GUI thread."""
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
                continue  # the command that replaces it is next in the queue
            if self.drive.running and not self.window_grows:
                self._carry_out(RunWorker._slice)
            if not self._carry_out(type(self)._publish):
                self._stale = False  # try again only after the next command
            self._tell_now_and_then()
            self._carry_out(type(self)._follow)
            if self._seen:  # loading must not delay the first frame
                self._carry_out(type(self)._use_what_is_compiled)

    def _next_command(self) -> Command | None:
        """The next command, or None to end; without one a run gets its next slice, and anything else waits.

        The thread must never spin: it would take the GIL from the GUI thread.  A run that has caught up with its pace
        waits until a frame is due.
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
        except Empty:  # no work while a frame is out: painting would wait for the GIL
            return RunWorker._settle if self._taken.is_set() else _nothing

    @property
    def _pending(self) -> bool:
        return self._warming.wanted or (self._stale and self.session is not None) or self._owes

    @property
    def _owes(self) -> bool:
        return self._after.owes(self.session, self.drive.running)

    def _settle(self) -> None:
        """Do postponed work: sub-steps once a frame is taken; digests, logs and searches once no command is waiting."""
        if self._explains or self._owes:
            stop = (lambda: not self._commands.empty()) if self._explains else None
            self._stale |= self._after.settle(self.present, stop)
        elif self._searching:
            self._stale |= self._searches.go_on(self.session)

    @property
    def _explains(self) -> bool:
        return not self.drive.running and self._taken.is_set() and explaining(self.session)

    def _carry_out(self, command: Command) -> bool:
        """Carry out a command; returns False if it failed, which the window is told.

        The thread survives any exception; after an unexpected one the run returns to where it stood.
        """
        session = self.session
        place = None if session is None else (session.timeline.event, session.timeline.substep)
        try:
            with waiting(lambda doing: self._report(doing.said(tr)), self._wishes_to_stop):
                command(self)
        except GivenUpError as error:
            self.tell("" if self.drive.running else line_of(error))  # pausing a run needs no message
            self.drive.running = False
            if session is None:  # no frame will carry the message
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
        """The number of requests to stop; polled during long tasks, where compiled code can also be put to use."""
        if self._seen and (self.window_grows or self._warming.loads):  # both need the GIL: yield it
            sleep(PACED_SECONDS)
        self._use_what_is_compiled()
        return self._stops.qsize()

    def _stopped(self) -> None:
        """Remove one request to stop, now met; the command after this one replaces the stopped task."""
        self._stops.get()

    def _report(self, text: str) -> None:
        """Emit the progress of a long task."""
        line = None if self.session is None else self.session.timeline
        event, time = (0, 0.0) if line is None else (line.event, line.time)
        self._telling = True
        self.progressed.emit(GoalProgress(text, event, time, self.drive.speed(event), self.opening))

    def _tell_now_and_then(self) -> None:
        """Emit progress regularly while nothing is drawn, and an empty one when that is over."""
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
            return  # the stop would interrupt the making of the frame, too
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
        """Run another session or comparison from now on."""
        self._searches.leave(self.session)
        self.session = session
        self.drive.end()
        self._after.begin(session)
        first = lanes_of(session)[0]
        self.breakpoints.watch(first.bench, first.timeline, lanes_watched(session))
        self.breakpoints.restore(first.breakpoints)
        first.breakpoints = ()  # from now on the worker's list holds them
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
        """Run until the goal, or until paused."""
        if goal.kind is not None:
            check_kind(self.present, goal.kind)
        self.drive.begin(self.present, goal)
        self._told = monotonic()
        self.tell("")

    def tell_breakpoints(self, fault: str = "") -> None:
        """Emit all breakpoints, with *fault* if a change was refused, and mark in the tracks where they hold."""
        self.breakpoints_told.emit(self.breakpoints.listed(fault))
        if self.session is not None:
            lanes_of(self.session)[0].tracks.mark(self.breakpoints.marked)

    def pause(self) -> None:
        """Stop the run, and searches in histories if nothing runs."""
        if self._searching:
            self._searches.stop(self.session)
        leave_past(self.session)
        self.rest()

    def rest(self) -> None:
        """Stop the run for another command; searches go on after it."""
        self.drive.running = False
        if self._message == self._gap:
            self._message = ""  # the wait that it was about is over
        self._after.leave(self.session)
        self._stale = True

    def walk(self, step: Callable[[Run], Any], note: str = "") -> None:
        """Pause and take a step; *step* returns a line to show, or False if there is no such event."""
        self.drive.running = False
        self.drive.measure_from(self.present)
        self.tell(note)
        said = step(self.present)
        if said is False or isinstance(said, str):
            self._message = said or tr("There is no earlier event of that kind.")

    def watch(self, wanted: Inspect | Follow | Ask) -> None:
        """Search one run's history of a thing; ask a question or follow an expression in all runs."""
        self._searches.want(self.session, wanted)
        self.tell("" if isinstance(wanted, Ask) else self._message)  # the message was about the previous question

    @property
    def _searching(self) -> bool:
        return not self.drive.running and self._searches.due(self.session)

    def _follow(self) -> None:
        """After each slice of a run, search what was reached and check the monitors; at rest see :meth:`_settle`."""
        if self.drive.running:
            self._searches.follow(self.session, self.drive.rests)
            if said := self.drive.found():
                self.drive.end()
                self.tell(said)

    def cancel(self) -> None:
        """Stop the run, long tasks and hanging policies; may be called from any thread."""
        stop_what_hangs()
        self.post_instead(RunWorker.pause)

    def exchange(self, session: Run, done: str = "", aside: bool = True) -> None:
        """Replace the run; unless *aside* is false, a run that had begun is kept for :meth:`go_back`."""
        replaced = self.session
        if aside and replaced is not None and replaced.timeline.live_end > replaced.timeline.first_event:
            self._put_aside(replaced)
        self.adopt(session)
        if self.replaced is not None:
            opened = f"{done or tr('Opened')} {called(session)}."
            self.tell(" ".join((*session.info.warnings, opened, way_back(self.replaced))))

    def go_back(self) -> None:
        """Swap the run with the one that it replaced. Raises UserError if no run was replaced yet."""
        if self.replaced is None:
            raise UserError("no run was replaced yet; there is none to go back to")
        back = self.replaced
        self._put_aside(self.present)
        self.adopt(back)
        self.tell(f"{tr('Back at')} {called(back)}. {way_back(self.replaced)}")

    def _put_aside(self, run: Run) -> None:
        run.layout = ""  # it will return to the docks as they are then
        self.replaced = run

    def open(self, scenario: str | Scenario, **choices: Any) -> Session:
        """Open a scenario, reporting progress of reading its trace or making its plan."""
        self.begin_opening(scenario if isinstance(scenario, str) else choices.get("source") or scenario.title)
        return Session.open(scenario, kernel=False, **choices)

    def begin_opening(self, named: str) -> None:
        """Report that a scenario or file is being opened, until the current command ends."""
        self.opening = True
        self._report(tr("Opening {scenario}").format(scenario=Path(named).name))

    def refresh(self) -> None:
        """Request a frame although nothing has changed in the run."""
        self._stale = True

    def offer_choices(self) -> None:
        """Request a frame that lists the possible decisions of the next event."""
        self._offering = self._stale = True

    def set_pace(self, pace: Pace) -> None:
        self.drive.set_pace(pace, self.session)
        self._stale = True

    def set_bounds(self, bounds: Any, info: RunInfo) -> None:
        """Take the solved bounds of a run; ignored if another run is open by now."""
        if self.session is not None and self.session.info.origin is info.origin:
            self.bounds = bounds
            self._stale = True

    @property
    def present(self) -> Run:
        """The current run. Raises UserError if none is open."""
        if self.session is None:
            raise UserError("nothing is open yet; open a scenario first")
        return self.session

    def lane(self, number: int) -> Session:
        """The session of one of the policies that run, counted from 0.

        Raises UserError if it does not run any more: panels of a lane may outlive the comparison.
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
        elif self.drive.told_of_gap != self._gap:  # also when another pace or goal has ended the wait
            self._gap = self.drive.told_of_gap
            self.tell(self._gap)
        self._stale |= moments_of(self.present) != before

    def _use_what_is_compiled(self) -> None:
        """Use ready compiled code once the window is complete; before the first frame only during a long task."""
        if self.window_grows or self.session is None or not self._warming.wanted:
            return
        before = self._warming.text
        try:
            if self._warming.ready():
                self.session.use_kernel()
                self._stale = True
        finally:  # also if a policy's kernel cannot be compiled
            if self._warming.text != before:
                self.compiling.emit(self._warming.text)
        ready = before and not self._warming.text and all(lane.compiled for lane in lanes_of(self.session))
        if self._warming.failed or ready:
            self.compiled.emit(not self._warming.failed)


def _nothing(_: RunWorker) -> None:
    pass
