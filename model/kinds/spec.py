"""The kinds of system, and what each must provide to be run, shown, compared and measured.

Code outside a kind's package uses the kind only through :class:`Kind` and
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

#: The module of each kind, which defines ``KIND``.
KINDS: Mapping[str, str] = {name: room.kind for name, room in ROOMS.items()}

#: Values, and their integrals if they have any.
Pair = tuple[NDArray[np.float64], NDArray[np.float64] | None]

#: The fewest samples in a stretch by which it can be distinguished from its neighbours.
_SAMPLES_OF_STRETCH = 4

#: The answer to an arrival that is rejected.
REJECTED = -1

#: Verdicts of a judgement; the last one if there can be no verdict.
STABLE, UNSTABLE, UNDECIDED, NO_VERDICT = "stable", "unstable", "undecided", "no verdict"


class Measure(NamedTuple):
    """A measure shown in comparisons, by its name among the batches."""

    name: str
    title: str
    #: "as it is", "per cent" (of a share), "per time" (a count, divided by the time measured), or "a time"
    scale: str = "as it is"

    @property
    def shown_times(self) -> float:
        """The factor of the value when it is shown with *title*."""
        return 100.0 if self.scale == "per cent" else 1.0


class Judgement(NamedTuple):
    """What runs show beyond their measures, such as whether a queue grows."""

    verdict: str
    reason: str  #: the reason, as a clause
    metrics: Mapping[str, Estimate]  #: corrected values of some measures


class Kind(ABC):
    """A kind of system: everything that differs between kinds.

    A subclass implements what is abstract here, and overrides defaults where it differs.  The functions called here
    are in modules of its package (:meth:`part`).
    """

    name: str  #: the value of a scenario's key ``system``
    #: the state, a NamedTuple of arrays, with the constraints of each array; ``number[0]`` counts events and
    #: ``clock[0]`` is the time of the last one
    spec: StateSpec
    #: the dtype of an event's row: at least ``event``, ``time``, ``job``, ``server``, ``flags``, ``kind``
    row: np.dtype[Any]
    slotted = False  #: whether time is slotted, so that every time is a whole number
    jobs_wait = False  #: whether jobs that find no room wait for it
    #: whether the decision about a job is in the row of its arrival (admitted or not), so that runs can be compared job
    #: by job; then rows have the field ``type``, too, and the numbers have ``type_names``
    compares_decisions = False
    judges = False  #: whether runs are judged, see :meth:`judge`
    #: whether re-running an event adds columns to its row that are too costly to compute in a kernel
    rows_tell_more = False
    makes: type[PolicySystem]  #: the class of a system under a policy's reference
    inspector: Inspector  #: describes what can be inspected: servers, jobs, ..., their present state and history
    measures: tuple[Measure, ...]  #: the measures that comparisons show
    headline: str  #: the quantity that comparison curves show, such as "reward rate"; see :meth:`headline_series`
    headline_bound_name = ""  #: the symbol of :meth:`headline_bound`
    example: str  #: the name of a built-in scenario that every policy with a compiled twin can run
    stretches = BATCHES  #: the number of equal stretches of time into which measuring is divided
    samples_last = False  #: whether values after the last sample, up to the present, follow from it

    def part(self, place: str) -> Any:
        """A module of the kind's package, such as ``measures``; imported at its first use."""
        return import_module(f"{KINDS[self.name].rpartition('.')[0]}.{place}")

    @property
    def kernels(self) -> Mapping[str, tuple[str, str]]:
        """The compiled twins by policy name: (module, class)."""
        policies = ROOMS[self.name].policies
        return {name: spec.kernel for name, spec in policies.items() if spec.kernel}

    @property
    def vocabulary(self) -> Vocabulary:
        """What questions about its runs can refer to, the kinds of its events, and how a log marks these."""
        found: Vocabulary = import_module(ROOMS[self.name].questions).VOCABULARY
        return found

    @property
    def whys(self) -> Whys:
        """Explains why its policies decide as they do."""
        found: Whys = import_module(ROOMS[self.name].whys).WHYS
        return found

    # Putting a system together.

    def numbers(self, scenario: Any) -> Any:
        """The scenario's constant numbers, an object with ``servers`` and ``warnings()``.

        Raises ScenarioError if they contradict each other.
        """
        return self.part("numbers").numbers_of(scenario)

    def workload(self, scenario: Any, numbers: Any, start: float = 0.0, branch: int = 0) -> Any:
        """The workload of a scenario.

        *start* is the time before which there are no arrivals; *branch* distinguishes the random streams of
        a forked run from those of the run that it left (0: not forked).
        Raises ScenarioError if the workload is a trace, whose jobs must be read first.
        """
        return self.part("arrivals").workload_of(scenario, numbers, start, branch)

    def with_trace(self, scenario: Any, paths: tuple[str, ...]) -> tuple[Any, Any, Any]:
        """(the scenario completed from its trace, the recorded workload, the report of reading).

        Raises UserError if the scenario uses no trace, or a file cannot be read.
        """
        found: tuple[Any, Any, Any] = self.part("traces.workload").with_trace(scenario, paths)
        return found

    def system(self, scenario: Any, numbers: Any, workload: Any, policy: Any) -> PolicySystem:
        """A system under a policy's reference, an instance of :attr:`makes`."""
        return self.makes(scenario, numbers, workload, policy)

    def has_kernel(self, system: Any) -> bool:
        """Whether the policy, with its parameters, has a compiled twin for this system."""
        policy = system.policy
        return bool(policy.brought or (system.scenario.policy.name in self.kernels and policy.compiled))

    # Describing it.

    @abstractmethod
    def narrator(self, system: Any) -> Narrator:
        """The narrator that words the records and rows of a run."""

    @abstractmethod
    def facts(self, system: Any) -> Any:
        """What panels of this kind need to know of the policy; constant during a run."""

    @abstractmethod
    def offers(self, system: Any) -> frozenset[str]:
        """What panels may request, see ``gui.panel``."""

    @abstractmethod
    def derive(self, state: Any, numbers: Any, facts: Any) -> Any:
        """What panels of this kind derive from a state; computed once per frame, when requested."""

    @abstractmethod
    def usual_pace(self, numbers: Any) -> float:
        """The pace, in units of time per second, at which a run can be followed by eye."""

    # Measuring and checking it.

    def run_batches(
        self, numbers: Any, advance: Callable[[float], Any], warmup: float, until: float
    ) -> dict[str, Batches]:
        """The batches of each measure, in equal stretches of [warmup, until).

        *advance(t)* runs to time t and returns the state then.  Events exactly at the end of a stretch
        count for the next one.  Runs on the same jobs can be paired.
        """
        measures = self.part("measures")
        edges = np.linspace(warmup, until, self.stretches + 1)
        totals = [measures.totals(numbers, advance(float(np.nextafter(edge, -np.inf))), float(edge)) for edge in edges]
        return self._batches(numbers, np.array(totals), until - warmup)

    def judge(self, scenario: Any, runs: Sequence[Mapping[str, Batches]], span: float) -> Judgement | None:
        """The joint judgement of a scenario by the batches of one or several runs, each over *span*."""
        return self.part("measures").judge(scenario, runs, span) if self.judges else None

    def batches_so_far(
        self, numbers: Any, samples: Sequence[NDArray[np.float64]], warmup: float, now: float
    ) -> tuple[dict[str, Batches], ...]:
        """The batches so far of several runs, in the same stretches of time, computed from their samples.

        Empty if no stretch of [warmup, now] is in all runs.  There are fewer stretches if samples are far apart, as
        early in a long run that has gone back, since interpolated values do not show how much stretches differ.
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
        """The numbers of the arrivals decided in *rows*, from 0, and the answer to each, or :data:`REJECTED`.

        An answer is an integer from 0 whose meaning depends on the kind: the server that admits the job, or
        the number of servers that it gets.

        Called only for kinds with ``compares_decisions``.
        """
        return np.zeros(0, np.int64), np.zeros(0, np.int32)

    def headline_series(self, numbers: Any, samples: NDArray[np.float64]) -> Pair:
        """[n] the headline quantity at each of *samples*, and [n] its integral up to there.

        Without an integral, each value holds until the next sample.
        """
        found: Pair = self.part("measures").headline_series(numbers, samples)
        return found

    def headline_now(self, numbers: Any, state: Any) -> float:
        """The headline quantity in a state."""
        found: float = self.part("measures").headline_now(numbers, state)
        return found

    def headline_bound(self, bounds: Any) -> float | None:
        """A bound of the headline quantity that no policy exceeds in the long run; None if unknown."""
        return None

    @property
    def monitors(self) -> tuple[Monitor, ...]:
        """The invariants of the states, in the order of their stages."""
        found: tuple[Monitor, ...] = self.part("invariants").MONITORS
        return found

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claims of the kind's paper about the long run."""
        found: tuple[Claim, ...] = self.part("measures").CLAIMS
        return found

    def violations(self, system: Any, state: Any, overruled: bool = False, before: Any = None) -> list[str]:
        """A sentence for each invariant that a state violates; *overruled*: without those that the policy ensures."""
        return violations(self.monitors, system, state, overruled, before)

    # Beyond a run.

    def trace_lines(self, system: Any, most: float) -> Iterator[dict[str, Any]]:
        """A run of the reference in the exchange format of ``slotscope trace``, line by line.

        It has at most *most* events (infinity: no limit).
        """
        found: Iterator[dict[str, Any]] = self.part("trace").lines(system, most)
        return found

    def all_bounds(self, scenario: Any) -> Iterator[Any]:
        """Bounds of a scenario's measures, for panels; each later result is better.

        Each result can be pickled.
        """
        found: Iterator[Any] = self.part("programs.bounds").all_bounds(scenario)
        return found

    def no_bounds(self, problem: str = "") -> Any:
        """The bounds to show before the first result, or without any; *problem* says why there are none."""
        return self.part("programs.bounds").BOUNDS(problem=problem)

    def _batches(self, numbers: Any, totals: NDArray[np.float64], span: float) -> dict[str, Batches]:
        found: dict[str, Batches] = self.part("measures").batches_of(
            numbers, np.diff(totals, axis=0), span / (len(totals) - 1)
        )
        return found


def _told_apart(samples: NDArray[np.float64], start: float, now: float, most: int) -> int:
    """The number of equal stretches of (start, now] that samples can distinguish; *most* if each event is a sample."""
    gaps = np.diff(samples[:, EVENT_COLUMN])
    if (gaps[:-1] if len(gaps) > 1 else gaps).max(initial=1) == 1:  # the last sample may follow several events
        return most
    first, last = np.searchsorted(samples[:, TIME_COLUMN], (start, now), side="right")
    return max(1, min(most, int(last - first) // _SAMPLES_OF_STRETCH))


def kind_named(name: str) -> Kind:
    """The kind of system with a name, one of :data:`KINDS`."""
    kind: Kind = import_module(KINDS[name]).KIND
    return kind
