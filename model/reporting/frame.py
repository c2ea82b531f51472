"""One moment of a run as an immutable snapshot: all that panels may know.

A frame is made by the session after each slice of running and after each step, handed to
the panels, and never changes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from slotscope.model.comparison.differences import Standing
from slotscope.model.forks.changes import Choice
from slotscope.model.forks.tree import Fork
from slotscope.model.kinds.spec import Kind
from slotscope.model.measures.monitors import Reading
from slotscope.model.policies.common import PseudocodeLine
from slotscope.model.questions.search import Asked
from slotscope.model.questions.tracks import Followed, Tracked
from slotscope.model.questions.words import Words
from slotscope.model.reporting.explain import Narrator
from slotscope.model.reporting.inspection import Found, Thing
from slotscope.model.reporting.records import Event, Record
from slotscope.model.running.origin import Moment, Origin, opening_line
from slotscope.model.running.recorder import EVENT_COLUMN, TIME_COLUMN, Extent
from slotscope.model.whys.asking import Why
from slotscope.model.whys.passing import PassedOver


@dataclass(frozen=True)
class Speed:
    """How fast the run goes, smoothed for display."""

    events_per_second: float = 0.0


@dataclass(frozen=True)
class RunInfo:
    """What stays the same while one scenario runs under one policy.

    ``numbers`` and ``facts`` are what the kind of system says of the scenario and of the policy.
    """

    kind: Kind
    scenario: Any
    scenario_name: str
    policy_name: str
    policy_title: str
    parameters: Any
    seed: int
    numbers: Any
    facts: Any
    narrator: Narrator
    pseudocode: tuple[PseudocodeLine, ...]
    time_unit: str
    warnings: tuple[str, ...]
    words: Words  #: what questions about the run may name
    offers: frozenset[str]  #: what panels may ask for, see ``gui.panel``
    origin: Origin
    sample: Callable[[Any, NDArray[np.float64]], None]  #: fills one row of samples from a state
    usual_pace: float = 1.0  #: units of time per second at which it begins
    initial_jobs: int = 0  #: how many jobs are numbered before the first arrival

    @property
    def system(self) -> str:
        """The name of the kind of system."""
        return self.kind.name

    @property
    def event_kinds(self) -> Mapping[str, int]:
        """Kinds of event that the run can be asked to stop at: the flags of their rows."""
        return self.kind.vocabulary.event_kinds

    def opening_line(self, event: int, substep: int = 0) -> str:
        """The command that opens a moment of this run alone; empty where none can."""
        return opening_line([self.origin], Moment((event,), substep))


@dataclass(frozen=True)
class Frame:
    """A run at one moment.

    ``records`` are the sub-steps taken of ``event_in_the_making``; both are empty between
    events, and then ``last_records`` are those of the event that was just stepped through.
    """

    info: RunInfo
    state: Any  #: a state of the kind of system, read-only
    event: int
    time: float
    records: tuple[Record, ...]
    event_in_the_making: Event | None
    next_event: Event | None
    last_records: tuple[Record, ...]
    rows: np.ndarray  #: rows of the events up to this one, the newest last
    samples: NDArray[np.float64]  #: [n, width] samples of all history, also after this event
    extent: Extent
    running: bool  #: events pass too fast to look at each of them
    engine: str
    agreement: bool | None  #: did reference and kernel agree on the last event stepped into
    around_warmup: NDArray[np.float64] | None = None  #: [2, width] those at its end, where *samples* lack them
    bounds: Any = None  #: of the kind of system; fills in as they are found in the background
    breakpoints: frozenset[int | str] = frozenset()  #: those that are on, see ``Breakpoint.what``
    speed: Speed = field(default_factory=Speed)
    playing: bool = False  #: the run goes on by itself, at whatever pace
    message: str = ""  #: an error or a note for the status bar
    companions: tuple[Frame, ...] = ()  #: the same moment of the policies that run beside it
    comparison: Standing | None = None  #: how they compare; None for a run of its own
    beside: tuple[Frame, ...] = ()  #: the same moment of all others, whichever policy is first
    histories: Mapping[Thing, Found] = field(default_factory=dict)  #: of the things looked at
    monitors: tuple[Reading, ...] = ()  #: what is known of each invariant
    why: Why | None = None  #: the last answer to why a decision was made
    explaining: bool = False  #: the sub-steps of the event that led here are still to come
    passed_over: tuple[PassedOver, ...] = ()  #: the servers that the last decision shown passes over
    forks: tuple[Fork, ...] = ()  #: all forks of this run
    choices: tuple[Choice, ...] = ()  #: what could be decided of the next event, once asked for of a run that rests
    asked: Asked | None = None  #: what all history is asked, and where that holds
    followed: Followed = field(default_factory=Followed)  #: the expressions that are wanted through all history
    tracked: Tracked | None = None  #: and what is known of them

    @cached_property
    def derived(self) -> Any:
        """What the kind of system reads from the state, such as the group of every server."""
        return self.info.kind.derive(self.state, self.info.numbers, self.info.facts)

    @cached_property
    def until_now(self) -> NDArray[np.float64]:
        """[n, width] the samples up to this moment, the last of them its own: of a long run few others are kept.

        Among them are those from which measures count, so that sums since the warm-up are exact.
        """
        before = self.samples[: int(np.searchsorted(self.samples[:, TIME_COLUMN], self.time, side="left"))]
        if self.around_warmup is None:
            return np.concatenate((before, self.sample))
        events, around = before[:, EVENT_COLUMN], self.around_warmup
        around = around[(around[:, TIME_COLUMN] < self.time) & ~np.isin(around[:, EVENT_COLUMN], events)]
        place = int(np.searchsorted(events, around[0, EVENT_COLUMN])) if len(around) else 0  # they are neighbours
        return np.concatenate((before[:place], around, before[place:], self.sample))

    @cached_property
    def sample(self) -> NDArray[np.float64]:
        """[1, width] that of this moment."""
        now = np.zeros((1, self.samples.shape[1]))
        self.info.sample(self.state, now[0])
        return now

    @property
    def lanes(self) -> tuple[Frame, ...]:
        """The same moment of every policy that runs, in order."""
        return self, *self.companions

    @property
    def runs(self) -> tuple[RunInfo, ...]:
        """This policy, and those that run beside it: what their pictures share follows from all."""
        return self.info, *(frame.info for frame in self.beside)

    @property
    def opening_line(self) -> str:
        """The command that opens this moment, of all policies; empty where none can."""
        return opening_line([part.info.origin for part in self.lanes], self.moment)

    @property
    def moment(self) -> Moment:
        """Which moment it is, of all policies."""
        parts = self.lanes
        inside = next((lane for lane, part in enumerate(parts) if part.records), 0)
        return Moment(tuple(part.event for part in parts), len(parts[inside].records), inside)
