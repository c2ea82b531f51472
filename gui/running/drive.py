"""Drives a run towards a goal at a pace, one time slice after another."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from time import monotonic

from slotscope.gui.language.words import tr
from slotscope.gui.running.goals import Goal
from slotscope.gui.running.pace import REAL_TIME, Pace
from slotscope.model.comparison.runs import Run
from slotscope.model.questions.breakpoints import Breakpoints
from slotscope.model.reporting.explain import quantity
from slotscope.model.reporting.frame import Speed
from slotscope.model.running.engine import Reason

#: Shortest and longest time slice in seconds, after which the command queue is polled.
SLICE_SECONDS = 0.004
LONG_SLICE_SECONDS = 0.012

#: Seconds over which the displayed speed is averaged.
SPEED_WINDOW = 0.5

#: The longest wait in seconds for an event of a paced run: recorded jobs may be days apart.
LONGEST_WAIT = 5

NOTHING_MORE = "Nothing will happen any more."
COMES_NEXT = "The next event is a {kind}."
GAP = "Nothing happens for {gap}: the {seconds} seconds that this takes at {pace} are cut to {wait}."


@dataclass
class Meter:
    """Measures events per second over the last half second."""

    started: float = field(default_factory=monotonic)
    event: int = 0
    speed: Speed = field(default_factory=Speed)

    def restart(self, event: int) -> None:
        """Restart the measurement at *event*."""
        self.started, self.event, self.speed = monotonic(), event, Speed()

    def read(self, event: int) -> Speed:
        """The speed as of *event*, the run's last one."""
        passed = monotonic() - self.started
        if passed >= SPEED_WINDOW:
            speed = Speed(max(0.0, (event - self.event) / passed))
            self.started, self.event, self.speed = monotonic(), event, speed
        return self.speed


#: Seconds that an event must stay on the screen to be shown in the detail of stepping.
LEGIBLE = 1.0


class Drive:
    """Drives a run until its goal or a breakpoint; used in the run's thread only."""

    def __init__(self, breakpoints: Breakpoints) -> None:
        self._breakpoints = breakpoints
        self.running = False
        self.rests = False  #: whether the run has caught up with its pace and has to wait
        self.goal = Goal()
        self.pace: Pace = REAL_TIME
        self.told_of_gap = ""  #: the message about a wait that is cut short, while that lasts
        self._awaited = -inf  # simulated time of the event waited for
        self._meter = Meter()
        self._clock = (0.0, 0.0)  # the start of the pace's clock: monotonic seconds and simulated time
        self._start = (0, 0.0)  # the event and the time at which the run towards the goal began

    @property
    def stepping(self) -> bool:
        """Whether the run proceeds one sub-step at a time."""
        return self.pace.substeps is not None and not self.goal.express

    def legible(self, run: Run) -> bool:
        """Whether the current state stays long enough to be read: between sub-steps, or until the next event is due."""
        if self.stepping or self.pace.time is None or self.goal.express:
            return self.stepping
        following = run.timeline.next_event
        return following is not None and following.time - run.timeline.time >= LEGIBLE * self.pace.time

    @property
    def unseen(self) -> bool:
        """Whether it runs without drawing frames."""
        return self.running and self.goal.express

    def begin(self, run: Run, goal: Goal) -> None:
        """Start running towards a goal."""
        self.goal, self.running = goal, True
        self._breakpoints.begin()
        if goal.kind is not None:
            run.step()
        line = run.timeline
        self._start = (line.event, line.time)
        self._count_from(run)
        self.measure_from(run)

    def end(self) -> None:
        """Stop, and clear the goal."""
        self.running, self.goal = False, Goal()

    def measure_from(self, run: Run) -> None:
        """Restart the measurement of speed."""
        self._meter.restart(run.timeline.event)

    def set_pace(self, pace: Pace, run: Run | None) -> None:
        """Change the pace, counted from the current moment."""
        self.pace = pace
        if run is not None:
            self._count_from(run)

    def speed(self, event: int) -> Speed:
        """The speed as of *event*, the run's last one."""
        return self._meter.read(event)

    def told(self, event: int, time: float) -> str:
        """The progress message of a run without drawing."""
        return self.goal.told(event, time, self._start)

    def slice(self, run: Run, left: float = 0.0) -> str | None:
        """Run for a few milliseconds, if possible for the *left* seconds until the next frame.

        Returns the message to show if the run has stopped, else None.
        """
        goal = self.goal
        self.rests = False
        if self.stepping and self.pace.substeps is not None:
            return self._beat(run, self.pace.substeps)
        until = goal.time if goal.express else min(goal.time, self._paced_time(run))
        until = until if goal.replay else min(until, self._breakpoints.until())
        stop = () if goal.kind is None else (goal.kind,)
        budget = min(max(SLICE_SECONDS, left), LONG_SLICE_SECONDS)
        return self._reached(run, run.run(events=self._room(run), until=until, stop=stop, budget=budget))

    def _count_from(self, run: Run) -> None:
        self._clock = (monotonic(), run.timeline.time)
        self.told_of_gap, self._awaited = "", -inf

    def _paced_time(self, run: Run) -> float:
        pace, following = self.pace.time, run.timeline.next_event
        if pace is None:
            return inf
        started, time = self._clock
        due = time + (monotonic() - started) * pace
        if following is None:
            return due
        if due - following.time > pace * 0.25:  # the machine cannot keep up: let no lag accumulate
            self._count_from(run)
        if following.time - due > pace * LONGEST_WAIT:
            self._cut_short(following.time, (following.time - due) / pace, run)
            due = following.time - pace * LONGEST_WAIT
            self._clock = (monotonic(), due)
        elif following.time != self._awaited:
            self.told_of_gap = ""
        return due

    def _cut_short(self, following: float, seconds: float, run: Run) -> None:
        """Set, once per event, the message that the wait of *seconds* for the event at *following* is shortened."""
        if following != self._awaited:
            gap = quantity(f"{following - run.timeline.time:,.6g}", run.info.time_unit)
            pace, wait = self.pace.label, LONGEST_WAIT
            self.told_of_gap = tr(GAP).format(gap=gap, seconds=f"{seconds:,.0f}", pace=pace, wait=wait)
            self._awaited = following

    def _beat(self, run: Run, substeps: float) -> str | None:
        if monotonic() - self._clock[0] < 1.0 / substeps:
            self.rests = True
            return None
        run.step_into()
        self._count_from(run)
        if run.timeline.next_event is None:
            return tr(NOTHING_MORE)
        return None if run.timeline.substep else self._breakpoints.asked() or None

    def found(self) -> str:
        """The message if a monitor breakpoint was just violated, which stops the run; else empty."""
        return "" if self.goal.replay else self._breakpoints.violated()

    def _room(self, run: Run) -> int | None:
        """Events left until a breakpoint or the goal; None without either."""
        rooms = [] if self.goal.replay else [self._breakpoints.room()]
        if self.goal.event is not None:
            rooms.append(max(0, self.goal.event - run.timeline.event))
        return min((room for room in rooms if room is not None), default=None)

    def _reached(self, run: Run, reason: Reason) -> str | None:
        goal, event = self.goal, run.timeline.event
        if reason is Reason.FLAG:
            run.step_back()
            return tr(COMES_NEXT).format(kind=goal.kind)
        if reason is Reason.END:
            return tr(NOTHING_MORE)
        if not goal.replay and (stop := self._breakpoints.told()):
            return stop
        if reason is Reason.TIME and goal.time < inf:
            following = run.timeline.next_event
            return "" if following is None or following.time > goal.time else None
        if goal.event is not None and event >= goal.event:
            if goal.substep:
                run.seek(event, goal.substep)
            return goal.note
        self.rests = reason is Reason.TIME
        return None
