"""One moment of a run as an immutable snapshot: all that panels may know.

A frame is made by the session after each slice of running and after each step, handed to
the panels, and never changes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from model.bounds import Bounds
from model.comparison.differences import Standing
from model.explain import Narrator
from model.origin import Origin
from model.policies.base import PseudocodeLine
from model.records import Event, Record
from model.systems.reservation.classification import Classification, classify
from model.systems.reservation.numbers import ReservationNumbers
from model.systems.reservation.state import ReservationState
from model.timeline import Extent


@dataclass(frozen=True)
class Speed:
    """How fast the run goes, smoothed for display."""

    events_per_second: float = 0.0
    time_per_second: float = 0.0


@dataclass(frozen=True)
class RunInfo:
    """What stays the same while one scenario runs under one policy."""

    system: str
    scenario: Any
    scenario_name: str
    policy_name: str
    policy_title: str
    parameters: Any
    seed: int
    numbers: ReservationNumbers
    narrator: Narrator
    pseudocode: tuple[PseudocodeLine, ...]
    reserves_slots: bool
    reserved: int  #: ceil(g(L)), 0 without reservation
    time_unit: str
    warnings: tuple[str, ...]
    offers: frozenset[str]  #: what panels may ask for, see ``gui.panel``
    origin: Origin

    @property
    def has_groups(self) -> bool:
        """Whether servers have ranks and groups under this policy."""
        return "groups" in self.offers

    def opening_line(self, event: int) -> str:
        """The command that opens the moment after *event* on any machine."""
        return self.origin.opening_line(event)


@dataclass(frozen=True)
class Frame:
    """A run at one moment.

    ``records`` are the sub-steps taken of ``event_in_the_making``; both are empty between
    events, and then ``last_records`` are those of the event that was just stepped through.
    """

    info: RunInfo
    state: ReservationState
    event: int
    time: float
    records: tuple[Record, ...]
    event_in_the_making: Event | None
    next_event: Event | None
    last_records: tuple[Record, ...]
    rows: np.ndarray  #: rows (EVENT_ROW) of the events up to this one, the newest last
    samples: NDArray[np.float64]  #: [n, width] samples of all history, also after this event
    extent: Extent
    running: bool
    engine: str
    agreement: bool | None  #: did reference and kernel agree on the last event stepped into
    bounds: Bounds = field(
        default_factory=Bounds
    )  #: fills in as the programs are solved in the background
    breakpoints: frozenset[int] = frozenset()
    speed: Speed = field(default_factory=Speed)
    message: str = ""  #: an error or a note for the status bar
    companions: tuple[Frame, ...] = ()  #: the same moment of the policies that run beside it
    comparison: Standing | None = None  #: how they compare; None for a run of its own

    @cached_property
    def classes(self) -> Classification:
        """Index, rank and group of every server."""
        return classify(self.state)

    @property
    def at_live_end(self) -> bool:
        """Whether nothing recorded lies ahead."""
        return self.event >= self.extent.live_end
