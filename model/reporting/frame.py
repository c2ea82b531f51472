"""One moment of a run as an immutable snapshot, which contains all that panels may know.

The session makes a frame after each slice of running and after each step, and passes it to the
panels; it never changes.
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
    """The speed of a run, smoothed for display."""

    events_per_second: float = 0.0


@dataclass(frozen=True)
class RunInfo:
    """What does not change while one scenario runs under one policy.

    ``numbers`` are what the kind of system derives from the scenario, ``facts`` what it derives from the policy.
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
    words: Words  #: the names that questions about the run may use
    offers: frozenset[str]  #: what panels may request, see ``gui.panel``
    origin: Origin
    sample: Callable[[Any, NDArray[np.float64]], None]  #: fills one row of samples from a state
    usual_pace: float = 1.0  #: the initial pace, in units of time per second
    initial_jobs: int = 0  #: the number of jobs numbered before the first arrival

    @property
    def system(self) -> str:
        """The name of the kind of system."""
        return self.kind.name

    @property
    def event_kinds(self) -> Mapping[str, int]:
        """The kinds of event that the run can stop at, with the flags of their rows."""
        return self.kind.vocabulary.event_kinds

    def opening_line(self, event: int, substep: int = 0) -> str:
        """The command that opens this run at a moment; empty if no command can."""
        return opening_line([self.origin], Moment((event,), substep))


@dataclass(frozen=True)
class Frame:
    """A run at one moment.

    ``records`` are the sub-steps taken so far of ``event_in_the_making``, the unfinished event.  Both are empty
    between events; ``last_records`` are then those of the event that was just stepped through.
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
    running: bool  #: whether events pass too fast to look at each of them
    engine: str
    agreement: bool | None  #: whether reference and kernel agreed on the last event that was stepped into
    around_warmup: NDArray[np.float64] | None = None  #: [2, width] samples at the warm-up's end, if *samples* lack them
    bounds: Any = None  #: the kind's bounds; fills up as they are computed in the background
    breakpoints: frozenset[int | str] = frozenset()  #: the active ones, see ``Breakpoint.what``
    speed: Speed = field(default_factory=Speed)
    playing: bool = False  #: whether the run goes on by itself, at any pace
    message: str = ""  #: an error or a note for the status bar
    companions: tuple[Frame, ...] = ()  #: the frames of the policies that run beside it
    comparison: Standing | None = None  #: the comparison of the lanes; None for a single run
    beside: tuple[Frame, ...] = ()  #: the frames of all other lanes; unlike *companions* set in each lane's frame
    histories: Mapping[Thing, Found] = field(default_factory=dict)  #: the histories of the inspected things
    monitors: tuple[Reading, ...] = ()  #: what is known of each invariant
    why: Why | None = None  #: the last answer to a question why a decision was made
    explaining: bool = False  #: whether the sub-steps of the event that led here are still being computed
    passed_over: tuple[PassedOver, ...] = ()  #: the servers that the last decision shown passes over
    forks: tuple[Fork, ...] = ()  #: all forks of this run
    choices: tuple[Choice, ...] = ()  #: the possible decisions of the next event, if requested while the run rests
    asked: Asked | None = None  #: the question asked about all history, and where it holds
    followed: Followed = field(default_factory=Followed)  #: the expressions to track through all history
    tracked: Tracked | None = None  #: their values so far

    @cached_property
    def derived(self) -> Any:
        """What the kind of system derives from the state, such as the group of every server."""
        return self.info.kind.derive(self.state, self.info.numbers, self.info.facts)

    @cached_property
    def until_now(self) -> NDArray[np.float64]:
        """[n, width] the samples up to this moment, ending with its own; those of a long run are thinned out.

        The samples around the end of the warm-up are included, so that sums since then are exact.
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
        """[1, width] the sample of this moment."""
        now = np.zeros((1, self.samples.shape[1]))
        self.info.sample(self.state, now[0])
        return now

    @property
    def lanes(self) -> tuple[Frame, ...]:
        """The frames of all lanes at this moment, in order."""
        return self, *self.companions

    @property
    def runs(self) -> tuple[RunInfo, ...]:
        """This run's description and those of the lanes beside it, for settings that their pictures share."""
        return self.info, *(frame.info for frame in self.beside)

    @property
    def opening_line(self) -> str:
        """The command that opens this moment, of all lanes; empty if no command can."""
        return opening_line([part.info.origin for part in self.lanes], self.moment)

    @property
    def moment(self) -> Moment:
        """The position of this moment in all lanes."""
        parts = self.lanes
        inside = next((lane for lane, part in enumerate(parts) if part.records), 0)
        return Moment(tuple(part.event for part in parts), len(parts[inside].records), inside)
