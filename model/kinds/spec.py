"""The kinds of system, and what one has to provide to be run, shown, compared and measured.

Everything outside a kind's room knows it only through :class:`Kind` and
:class:`model.systems.base.PolicySystem`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from importlib import import_module
from typing import Any, Callable, Iterator, Mapping, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.rooms import ROOMS
from slotscope.model.measures.metrics import BATCHES, Batches, Estimate
from slotscope.model.measures.monitors import Claim, Monitor, violations
from slotscope.model.questions.fields import Vocabulary
from slotscope.model.reporting.explain import Narrator
from slotscope.model.reporting.inspection import Inspector
from slotscope.model.running.recorder import EVENT_COLUMN, TIME_COLUMN
from slotscope.model.systems.base import PolicySystem
from slotscope.model.systems.statespec import StateSpec
from slotscope.model.whys.decision import Whys

#: Where each kind is: a module that defines ``KIND``.
KINDS: Mapping[str, str] = {name: room.kind for name, room in ROOMS.items()}

#: Numbers, and their integrals where they have any.
Pair = tuple[NDArray[np.float64], NDArray[np.float64] | None]

#: A stretch of time is told from its neighbours by so many samples.
_SAMPLES_OF_STRETCH = 4

#: Stands for "rejected" where the answer to an arrival would stand.
REJECTED = -1

#: Verdicts of a judgement; the last one stands where there can be none.
STABLE, UNSTABLE, UNDECIDED, NO_VERDICT = "stable", "unstable", "undecided", "no verdict"


class Measure(NamedTuple):
    """A measure that a comparison shows, by its name among the batches."""

    name: str
    title: str
    #: "as it is", "per cent" (of a share), "per time" (a count, divided by the time measured), or "a time"
    scale: str = "as it is"

    @property
    def shown_times(self) -> float:
        """What a number of it is multiplied by where *title* stands beside it."""
        return 100.0 if self.scale == "per cent" else 1.0


class Judgement(NamedTuple):
    """What runs say beyond their measures, such as whether a queue grows."""

    verdict: str
    reason: str  #: a clause
    metrics: Mapping[str, Estimate]  #: measures that the judgement corrects


class Kind(ABC):
    """A kind of system: what differs between kinds, and nothing else.

    A subclass gives what is abstract here, and overrides what is not as usual.  Its room's modules have the
    functions that are called here (:meth:`part`).
    """

    name: str  #: the value of a scenario's key ``system``
    #: the NamedTuple of arrays that is a system's state, and what each must be like; ``number[0]`` counts events and
    #: ``clock[0]`` is the time of the last one
    spec: StateSpec
    row: np.dtype[
        Any
    ]  #: one row for each event: at least ``event``, ``time``, ``job``, ``server``, ``flags``, ``kind``
    slotted = False  #: whether time goes in slots, so that every time is a whole number
    jobs_wait = False  #: whether jobs that find no room wait for it
    #: whether a job's decision stands in the row of its arrival (admitted, or not), so that runs can be compared job by
    #: job; rows then have ``type`` too, and the numbers ``type_names``
    compares_decisions = False
    judges = False  #: whether runs are judged, see :meth:`judge`
    #: whether a kernel's rows tell more once their events are run again, with all that is costly to count
    rows_tell_more = False
    makes: type[PolicySystem]  #: a system under one policy's reference
    inspector: Inspector  #: what can be looked at: servers, jobs, ..., as they are now and what happened to them
    measures: tuple[Measure, ...]  #: what a comparison shows of the batches
    headline: str  #: what its curves show, such as "reward rate"; see :meth:`headline_series`
    headline_bound_name = ""  #: the symbol of :meth:`headline_bound`
    example: str  #: the name of a built-in scenario that every policy with a compiled twin can run
    stretches = BATCHES  #: how many stretches of time measures are taken in
    samples_last = False  #: whether the last sample tells what follows it, up to now

    def part(self, place: str) -> Any:
        """A module of the kind's room, such as ``measures``; read where it is first asked for."""
        return import_module(f"{KINDS[self.name].rpartition('.')[0]}.{place}")

    @property
    def kernels(self) -> Mapping[str, tuple[str, str]]:
        """Compiled twins by policy name: (module, class)."""
        policies = ROOMS[self.name].policies
        return {name: spec.kernel for name, spec in policies.items() if spec.kernel}

    @property
    def vocabulary(self) -> Vocabulary:
        """What can be asked of its runs, what happens in their events, and how a log marks it."""
        found: Vocabulary = import_module(ROOMS[self.name].questions).VOCABULARY
        return found

    @property
    def whys(self) -> Whys:
        """Why its policies decide as they do."""
        found: Whys = import_module(ROOMS[self.name].whys).WHYS
        return found

    # Putting a system together.

    def numbers(self, scenario: Any) -> Any:
        """The scenario's constant numbers; has ``servers`` and ``warnings()``.

        Raises ScenarioError if they do not fit each other.
        """
        return self.part("numbers").numbers_of(scenario)

    def workload(self, scenario: Any, numbers: Any, start: float = 0.0, branch: int = 0) -> Any:
        """The workload that a scenario describes.

        *start* is the time before which nothing arrives; *branch* tells the random streams of a
        forked run from those of the run it left (0: the first run).
        Raises ScenarioError if the workload is a trace: its jobs must have been read before.
        """
        return self.part("arrivals").workload_of(scenario, numbers, start, branch)

    def with_trace(self, scenario: Any, paths: tuple[str, ...]) -> tuple[Any, Any, Any]:
        """The scenario with what its trace says, the recorded workload, and a report of reading.

        Raises UserError if the scenario takes no trace, or a file cannot be read.
        """
        found: tuple[Any, Any, Any] = self.part("traces.workload").with_trace(scenario, paths)
        return found

    def system(self, scenario: Any, numbers: Any, workload: Any, policy: Any) -> PolicySystem:
        """A system under one policy's reference, one of :attr:`makes`."""
        return self.makes(scenario, numbers, workload, policy)

    def has_kernel(self, system: Any) -> bool:
        """Whether the policy, with its parameters, has a compiled twin for this system."""
        policy = system.policy
        return bool(policy.brought or (system.scenario.policy.name in self.kernels and policy.compiled))

    # Describing it.

    @abstractmethod
    def narrator(self, system: Any) -> Narrator:
        """What words the records and rows of a run."""

    @abstractmethod
    def facts(self, system: Any) -> Any:
        """What panels of this kind need to know of the policy, the same for the whole run."""

    @abstractmethod
    def offers(self, system: Any) -> frozenset[str]:
        """What panels may ask for, see ``gui.panel``."""

    @abstractmethod
    def derive(self, state: Any, numbers: Any, facts: Any) -> Any:
        """What panels of this kind read from a state; made once for a frame, when asked for."""

    @abstractmethod
    def usual_pace(self, numbers: Any) -> float:
        """Units of time per second at which a run can be followed by eye."""

    # Measuring and checking it.

    def run_batches(
        self, numbers: Any, advance: Callable[[float], Any], warmup: float, until: float
    ) -> dict[str, Batches]:
        """Each measure in equal stretches of [warmup, until).

        *advance(t)* runs to time t and gives the state then.  What happens at the very end of a
        stretch counts for the next one.  Runs on the same jobs can be paired.
        """
        measures = self.part("measures")
        edges = np.linspace(warmup, until, self.stretches + 1)
        totals = [measures.totals(numbers, advance(float(np.nextafter(edge, -np.inf))), float(edge)) for edge in edges]
        return self._batches(numbers, np.array(totals), until - warmup)

    def judge(self, scenario: Any, runs: Sequence[Mapping[str, Batches]], span: float) -> Judgement | None:
        """What the batches of one or several runs, each over *span*, say of a scenario together."""
        return self.part("measures").judge(scenario, runs, span) if self.judges else None

    def batches_so_far(
        self, numbers: Any, samples: Sequence[NDArray[np.float64]], warmup: float, now: float
    ) -> tuple[dict[str, Batches], ...]:
        """Several runs' measures so far in the same stretches of time, from their samples.

        None if there is no stretch of [warmup, now] that all have; fewer of them where samples are far apart, as
        early in a long run that has gone back: what is interpolated tells nothing of how much stretches differ.
        """
        start = max(warmup, *(float(table[0, TIME_COLUMN]) for table in samples))
        if not self.samples_last:
            now = min(now, *(float(table[-1, TIME_COLUMN]) for table in samples))
        if now <= start:
            return ()
        count = min(_told_apart(table, start, now, self.stretches) for table in samples)
        edges = np.linspace(start, now, count + 1)
        totals_at = self.part("measures").totals_at
        return tuple(self._batches(numbers, totals_at(numbers, table, edges), now - start) for table in samples)

    def decisions(self, rows: NDArray[Any], initial_jobs: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The arrivals decided in *rows*, from 0, and the answer to each or :data:`REJECTED`.

        An answer is a number of at least 0 that means what counts in a kind: the server that
        admits a job, or the number of servers that it gets.

        Asked for only where the kind ``compares_decisions``.
        """
        return np.zeros(0, np.int64), np.zeros(0, np.int32)

    def headline_series(self, numbers: Any, samples: NDArray[np.float64]) -> Pair:
        """[n] the headline's value at each of *samples*, and [n] its integral up to there.

        No integral: the value is taken to last until the next sample.
        """
        found: Pair = self.part("measures").headline_series(numbers, samples)
        return found

    def headline_now(self, numbers: Any, state: Any) -> float:
        """The headline's value in a state."""
        found: float = self.part("measures").headline_now(numbers, state)
        return found

    def headline_bound(self, bounds: Any) -> float | None:
        """A level that no policy passes in the long run, once it is known."""
        return None

    @property
    def monitors(self) -> tuple[Monitor, ...]:
        """What must hold of every state, in order of their stages."""
        found: tuple[Monitor, ...] = self.part("invariants").MONITORS
        return found

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What the kind's paper claims of the long run."""
        found: tuple[Claim, ...] = self.part("measures").CLAIMS
        return found

    def violations(self, system: Any, state: Any, overruled: bool = False, before: Any = None) -> list[str]:
        """Every invariant that a state breaks, one sentence each; *overruled*: not what the policy promises."""
        return violations(self.monitors, system, state, overruled, before)

    # Beyond a run.

    def trace_lines(self, system: Any, most: float) -> Iterator[dict[str, Any]]:
        """A run of the reference in the exchange form of ``slotscope trace``, line by line.

        At most *most* events (infinity: all there are).
        """
        found: Iterator[dict[str, Any]] = self.part("trace").lines(system, most)
        return found

    def all_bounds(self, scenario: Any) -> Iterator[Any]:
        """What bounds a scenario's measures, for panels; better answers later.

        Each answer can be pickled.
        """
        found: Iterator[Any] = self.part("programs.bounds").all_bounds(scenario)
        return found

    def no_bounds(self, problem: str = "") -> Any:
        """What panels are shown before the first answer, or instead of it: *problem* says why."""
        return self.part("programs.bounds").BOUNDS(problem=problem)

    def _batches(self, numbers: Any, totals: NDArray[np.float64], span: float) -> dict[str, Batches]:
        found: dict[str, Batches] = self.part("measures").batches_of(
            numbers, np.diff(totals, axis=0), span / (len(totals) - 1)
        )
        return found


def _told_apart(samples: NDArray[np.float64], start: float, now: float, most: int) -> int:
    """How many equal stretches of (start, now] samples tell apart; *most*, where every event is a sample."""
    gaps = np.diff(samples[:, EVENT_COLUMN])
    if (gaps[:-1] if len(gaps) > 1 else gaps).max(initial=1) == 1:  # the last one may be a moment of several events
        return most
    first, last = np.searchsorted(samples[:, TIME_COLUMN], (start, now), side="right")
    return max(1, min(most, int(last - first) // _SAMPLES_OF_STRETCH))


def kind_named(name: str) -> Kind:
    """The kind of system of that name, one of :data:`KINDS`."""
    kind: Kind = import_module(KINDS[name]).KIND
    return kind
