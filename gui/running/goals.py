"""What ends a run, and how far it is on the way there."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

from slotscope.model.reporting.explain import full_time, grouped
from slotscope.model.reporting.frame import Speed
from slotscope.model.running.waiting import share_of


@dataclass
class Goal:
    """What ends a run: an event number, a time, an event of a kind; nothing by default."""

    event: int | None = None
    time: float = inf
    kind: str | None = None
    express: bool = False
    replay: bool = False  #: back to where the run was: breakpoints do not count
    substep: int = 0  #: then so many sub-steps into the next event
    note: str = ""  #: said when it is reached

    def told(self, event: int, time: float, start: tuple[int, float]) -> str:
        """How far a run without drawing is that began at *start*, an event and a time."""
        if self.event is not None:
            share = share_of(event, start[0], self.event)
            doing = f"Running to event {grouped(self.event)}: {share:.0%}"
        elif self.time < inf:
            doing = f"Running to time {full_time(self.time)}: {share_of(time, start[1], self.time):.0%}"
        elif self.kind is not None:
            doing = f"Running to the next {self.kind}"
        else:
            doing = "Running without drawing"
        return f"{doing} (Esc stops it)"


@dataclass(frozen=True)
class GoalProgress:
    """How far it is with what takes long; no text once that is over."""

    text: str = ""
    event: int = 0
    time: float = 0.0
    speed: Speed = field(default_factory=Speed)
