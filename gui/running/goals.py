"""The goal that ends a run, and the progress towards it."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

from slotscope.gui.language.words import tr
from slotscope.model.reporting.explain import full_time, grouped
from slotscope.model.reporting.frame import Speed
from slotscope.model.running.waiting import share_of


@dataclass
class Goal:
    """What ends a run: an event number, a time, or an event of a kind; by default nothing does."""

    event: int | None = None
    time: float = inf
    kind: str | None = None
    express: bool = False
    replay: bool = False  #: replays up to where the run was: breakpoints are ignored
    substep: int = 0  #: sub-steps to take into the next event after *event*
    note: str = ""  #: the message once the goal is reached

    def told(self, event: int, time: float, start: tuple[int, float]) -> str:
        """The progress message of a run without drawing that began at *start* (event, time)."""
        if self.event is not None:
            share = share_of(event, start[0], self.event)
            doing = tr("Running to event {event}: {share}").format(event=grouped(self.event), share=f"{share:.0%}")
        elif self.time < inf:
            share = share_of(time, start[1], self.time)
            doing = tr("Running to time {time}: {share}").format(time=full_time(self.time), share=f"{share:.0%}")
        elif self.kind is not None:
            doing = tr("Running to the next {kind}").format(kind=self.kind)
        else:
            doing = tr("Running without drawing")
        return tr("{doing} ({key} stops it)").format(doing=doing, key="Esc")


@dataclass(frozen=True)
class GoalProgress:
    """Progress of a long task; an empty text means that it is over."""

    text: str = ""
    event: int = 0
    time: float = 0.0
    speed: Speed = field(default_factory=Speed)
    opening: bool = False  #: whether another run is being opened, so that the frame shown is not of the chosen run
