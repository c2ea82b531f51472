"""What a panel can ask for: plain values, carried out by the main window."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Mapping

from slotscope.model.questions.tracks import Role
from slotscope.model.reporting.frame import RunInfo
from slotscope.model.reporting.inspection import JOB, SERVER, Thing


@dataclass(frozen=True)
class GoTo:
    """Go to the moment after *event*, and *substep* sub-steps into the next event."""

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
    """Set or clear a breakpoint: before an event (its number), or where a monitor is violated (``monitor NAME``)."""

    what: int | str


@dataclass(frozen=True)
class Select:
    """Select a server, a job or a line of the algorithm; all panels show it as selected."""

    server: int | None = None
    job: int | None = None
    line: tuple[int, int] | None = None
    floating: bool = False  #: open a separate inspector for it
    thing: Thing | None = None  #: what is inspected, if it is none of these

    @classmethod
    def of(cls, thing: Thing, floating: bool = False) -> Select:
        """Select a thing; every panel that knows such things shows it as selected."""
        server = thing.number if thing.what == SERVER else None
        job = thing.number if thing.what == JOB else None
        return cls(server, job, floating=floating, thing=thing)

    @property
    def inspected(self) -> Thing | None:
        """The thing that an inspector shows (the job, if a job on a server is selected); None: nothing."""
        if self.thing is not None:
            return self.thing
        if self.job is not None:
            return Thing(JOB, self.job)
        return None if self.server is None else Thing(SERVER, self.server)


@dataclass(frozen=True)
class Inspect:
    """Search all history for what happened to a thing; *further* looks further back than the last search did.

    Ignored unless *run* is one of the runs in the frame, as when other runs have begun since.
    """

    thing: Thing
    further: bool = False
    run: RunInfo | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Ask:
    """Find where a question holds in all history; an empty question ends the search."""

    question: str


@dataclass(frozen=True)
class Follow:
    """Evaluate an expression over all history: its course over time, or whether it always holds; *over* ends that."""

    text: str
    role: Role = "follow"
    over: bool = False


@dataclass(frozen=True)
class AskWhy:
    """Explain in the inspector why a job is where it is, or why not on a server; *over* removes the explanation."""

    thing: Thing | None = None
    event: int | None = None  #: the event that decided; None: as of the current moment
    over: bool = False


@dataclass(frozen=True)
class WhatIf:
    """Fork the run with another *decision* of the next event, beside the run; without one, list possible decisions."""

    decision: str = ""
    event: int | None = None  #: the fork comes after this event; None: at the current moment


@dataclass(frozen=True)
class OfferChoices:
    """Have the next frame list the possible decisions of the next event."""


@dataclass(frozen=True)
class ApplyScenario:
    """Run an edited scenario: from the start, or with *carry_on* from the present state.

    With *beside* the edited scenario meets the same jobs from here on, and runs beside the present one.
    """

    data: Mapping[str, Any]
    carry_on: bool
    beside: bool = False
    #: called in the run's thread with the reason if the scenario is refused
    refused: Callable[[str], object] = field(default=str, compare=False)


@dataclass(frozen=True)
class Differ:
    """Go to just before a job that the lanes decide differently: the first, next or previous one."""

    which: str
    where: bool = False  #: whether another server counts as another decision


@dataclass(frozen=True)
class Solve:
    """Solve the linear programs that bound the scenario anew, or stop solving them."""

    wanted: bool


@dataclass(frozen=True)
class Say:
    """Show a line in the status bar."""

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
