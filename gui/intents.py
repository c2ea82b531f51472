"""What a panel can ask for: plain values, carried out by the main window."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Mapping

from slotscope.model.questions.tracks import Role
from slotscope.model.reporting.frame import RunInfo
from slotscope.model.reporting.inspection import JOB, SERVER, Thing


@dataclass(frozen=True)
class GoTo:
    """Stand after an event, and so many sub-steps into the next."""

    event: int
    substep: int = 0


@dataclass(frozen=True)
class RunUntil:
    """Run on until an event number, a time, or an event of a kind."""

    event: int | None = None
    time: float | None = None
    kind: str | None = None


@dataclass(frozen=True)
class BreakAt:
    """Set or clear a breakpoint: just before an event, or where a monitor is violated (``monitor`` and its name)."""

    what: int | str


@dataclass(frozen=True)
class Select:
    """Point at a server, a job or a line of the algorithm; all panels show it."""

    server: int | None = None
    job: int | None = None
    line: tuple[int, int] | None = None
    floating: bool = False  #: open an inspector of its own
    thing: Thing | None = None  #: what is inspected, where it is none of these

    @classmethod
    def of(cls, thing: Thing, floating: bool = False) -> Select:
        """Point at a thing, which all panels show that know it."""
        server = thing.number if thing.what == SERVER else None
        job = thing.number if thing.what == JOB else None
        return cls(server, job, floating=floating, thing=thing)

    @property
    def inspected(self) -> Thing | None:
        """What an inspector shows: of a job on a server the job; None: nothing."""
        if self.thing is not None:
            return self.thing
        if self.job is not None:
            return Thing(JOB, self.job)
        return None if self.server is None else Thing(SERVER, self.server)


@dataclass(frozen=True)
class Inspect:
    """Search all history for what happened to a thing; further back than was enough so far.

    The run is one of those that the frame shows; nothing happens if others have begun since.
    """

    thing: Thing
    further: bool = False
    run: RunInfo | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Ask:
    """Find where a question holds in all history; nothing is asked any more if it is empty."""

    question: str


@dataclass(frozen=True)
class Follow:
    """Follow an expression through all history: its course over time, or whether it always holds; *over*: no more."""

    text: str
    role: Role = "follow"
    over: bool = False


@dataclass(frozen=True)
class AskWhy:
    """Say why a job is where it is, or why not on a server, in the inspector; *over*: no more."""

    thing: Thing | None = None
    event: int | None = None  #: the event that decided; None: as of where the run stands
    over: bool = False


@dataclass(frozen=True)
class WhatIf:
    """Decide the next event otherwise, beside the run; without a *decision* show what could be, also elsewhere."""

    decision: str = ""
    event: int | None = None  #: after which; None: where the run stands


@dataclass(frozen=True)
class OfferChoices:
    """Have the next frame tell what could be decided of the next event."""


@dataclass(frozen=True)
class ApplyScenario:
    """Run an edited scenario: from the start, or on from the present state.

    With *beside* it meets the same jobs from here on, beside the run that is left.
    """

    data: Mapping[str, Any]
    carry_on: bool
    beside: bool = False
    #: is told, by the thread of the run, why that cannot be
    refused: Callable[[str], object] = field(default=str, compare=False)


@dataclass(frozen=True)
class Differ:
    """Stand just before a job that is not decided alike: the first, next or previous one."""

    which: str
    where: bool = False  #: whether another server counts as another decision


@dataclass(frozen=True)
class Solve:
    """Solve the programs that bound the scenario anew, or stop solving them."""

    wanted: bool


@dataclass(frozen=True)
class Say:
    """A line for the status bar."""

    text: str


Intent = (
    Ask
    | AskWhy
    | Follow
    | GoTo
    | RunUntil
    | BreakAt
    | Select
    | Inspect
    | ApplyScenario
    | OfferChoices
    | WhatIf
    | Differ
    | Solve
    | Say
)
