"""What ends a run, and how far it is on the way there."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

from slotscope.gui.language.words import tr
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
    """How far it is with what takes long; no text once that is over."""

    text: str = ""
    event: int = 0
    time: float = 0.0
    speed: Speed = field(default_factory=Speed)
    opening: bool = False  #: whether another run is being opened, so that what is seen is no longer what was chosen
