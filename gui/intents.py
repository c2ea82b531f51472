"""What a panel can ask for: plain values, carried out by the main window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping


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
    """Set or clear a breakpoint just before an event."""

    event: int


@dataclass(frozen=True)
class Select:
    """Point at a server, a job or a line of the algorithm; all panels show it."""

    server: int | None = None
    job: int | None = None
    line: tuple[int, int] | None = None
    floating: bool = False  #: open an inspector of its own


@dataclass(frozen=True)
class ApplyScenario:
    """Run an edited scenario: from the start, or on from the present state."""

    data: Mapping[str, Any]
    carry_on: bool


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


Intent = GoTo | RunUntil | BreakAt | Select | ApplyScenario | Differ | Solve | Say
