"""What kinds of system do alike: what they pass on to their modules, and what few of them have."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Callable, Iterator, Mapping, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.rooms import ROOMS
from slotscope.model.kinds.spec import Judgement
from slotscope.model.measures.metrics import BATCHES, Batches
from slotscope.model.measures.monitors import Claim, Monitor, violations
from slotscope.model.questions.fields import Vocabulary
from slotscope.model.running.recorder import TIME_COLUMN
from slotscope.model.whys.decision import Whys

Pair = tuple[NDArray[np.float64], NDArray[np.float64] | None]


class Modules(NamedTuple):
    """Modules of a kind's package, each with the functions that :class:`UsualKind` calls."""

    arrivals: Any  #: workload_of
    measures: Any  #: totals, totals_at, batches_of, headline_series, headline_now, CLAIMS
    invariants: Any  #: MONITORS
    trace: Any  #: lines


class UsualKind:
    """Base of the kinds of system; see :class:`model.kinds.spec.Kind` for what each member is.

    A subclass says what its modules are, and overrides what is not as usual.
    """

    name: str
    modules: Modules
    trace_reader: str  #: the name of the module whose ``with_trace`` reads recorded workloads
    bounds_maker: str  #: the name of the module whose ``all_bounds`` finds bounds
    slotted = False
    compares_decisions = False
    judges = False
    #: Whether a kernel's rows tell more once their events are run again, with all that is costly to count.
    rows_tell_more = False
    headline_bound_name = ""
    #: How many stretches of time measures are taken in.
    stretches = BATCHES
    #: Whether the last sample tells what follows it, up to now.
    samples_last = False

    @property
    def kernels(self) -> Mapping[str, tuple[str, str]]:
        """What the kind's room declares."""
        policies = ROOMS[self.name].policies
        return {name: spec.kernel for name, spec in policies.items() if spec.kernel}

    @property
    def vocabulary(self) -> Vocabulary:
        """What the kind's room declares."""
        found: Vocabulary = import_module(ROOMS[self.name].questions).VOCABULARY
        return found

    def has_kernel(self, system: Any) -> bool:
        """Whether one is declared for the policy, and knows its parameters; or its file brings one along."""
        policy = system.policy
        return bool(policy.brought or (system.scenario.policy.name in self.kernels and policy.compiled))

    def workload(self, scenario: Any, numbers: Any, start: float = 0.0, branch: int = 0) -> Any:
        """What the scenario describes."""
        return self.modules.arrivals.workload_of(scenario, numbers, start, branch)

    def with_trace(
        self,
        scenario: Any,
        paths: tuple[str, ...],
        progress: Callable[[float], None] | None,
        cancelled: Callable[[], bool] | None,
    ) -> tuple[Any, Any, Any]:
        """The importer of the kind's traces."""
        found: tuple[Any, Any, Any] = import_module(self.trace_reader).with_trace(scenario, paths, progress, cancelled)
        return found

    def run_batches(
        self, numbers: Any, advance: Callable[[float], Any], warmup: float, until: float
    ) -> dict[str, Batches]:
        """From the totals at the ends of the stretches."""
        measures = self.modules.measures
        edges = np.linspace(warmup, until, self.stretches + 1)
        totals = [measures.totals(numbers, advance(float(np.nextafter(edge, -np.inf))), float(edge)) for edge in edges]
        return self._batches(numbers, np.array(totals), until - warmup)

    def judge(self, scenario: Any, runs: Sequence[Mapping[str, Batches]], span: float) -> Judgement | None:
        """Nothing beyond the measures."""
        return None

    def batches_so_far(
        self, numbers: Any, samples: Sequence[NDArray[np.float64]], warmup: float, now: float
    ) -> tuple[dict[str, Batches], ...]:
        """From the totals that samples tell."""
        start = max(warmup, *(float(table[0, TIME_COLUMN]) for table in samples))
        if not self.samples_last:
            now = min(now, *(float(table[-1, TIME_COLUMN]) for table in samples))
        if now <= start:
            return ()
        edges = np.linspace(start, now, self.stretches + 1)
        totals_at = self.modules.measures.totals_at
        return tuple(self._batches(numbers, totals_at(numbers, table, edges), now - start) for table in samples)

    def _batches(self, numbers: Any, totals: NDArray[np.float64], span: float) -> dict[str, Batches]:
        found: dict[str, Batches] = self.modules.measures.batches_of(
            numbers, np.diff(totals, axis=0), span / self.stretches
        )
        return found

    def decisions(self, rows: NDArray[Any], initial_jobs: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """None: jobs are not decided singly, or each policy numbers its servers in its own way."""
        return np.zeros(0, np.int64), np.zeros(0, np.int32)

    def headline_series(self, numbers: Any, samples: NDArray[np.float64]) -> Pair:
        """The headline, and its integral."""
        found: Pair = self.modules.measures.headline_series(numbers, samples)
        return found

    def headline_now(self, numbers: Any, state: Any) -> float:
        """The headline of a state."""
        found: float = self.modules.measures.headline_now(numbers, state)
        return found

    def headline_bound(self, bounds: Any) -> float | None:
        """No level that every policy keeps to."""
        return None

    @property
    def monitors(self) -> tuple[Monitor, ...]:
        """The kind's invariants."""
        found: tuple[Monitor, ...] = self.modules.invariants.MONITORS
        return found

    @property
    def whys(self) -> Whys:
        """What the kind's room declares."""
        found: Whys = import_module(ROOMS[self.name].whys).WHYS
        return found

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What the kind's paper claims."""
        found: tuple[Claim, ...] = self.modules.measures.CLAIMS
        return found

    def violations(self, system: Any, state: Any, overruled: bool = False) -> list[str]:
        """What a state breaks of the invariants."""
        return violations(self.monitors, system, state, overruled)

    def trace_lines(self, system: Any, most: float) -> Iterator[dict[str, Any]]:
        """The kind's exchange form."""
        found: Iterator[dict[str, Any]] = self.modules.trace.lines(system, most)
        return found

    def all_bounds(self, scenario: Any) -> Iterator[Any]:
        """The kind's programs."""
        found: Iterator[Any] = import_module(self.bounds_maker).all_bounds(scenario)
        return found
