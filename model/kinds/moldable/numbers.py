"""The constants of a system of moldable jobs, from a scenario; and as arrays, for the physics.

They are exact: integers and rationals.  Ghanbarian et al. (2025), Sections 2 and 6.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.moldable.programs.classes import ClassesOptimum, class_optimum
from slotscope.model.kinds.moldable.scenario.schema import MoldableScenario
from slotscope.model.kinds.moldable.scenario.workload import ScriptedMoldable
from slotscope.model.kinds.moldable.state import BINS
from slotscope.model.scenario.common import trace_not_read
from slotscope.model.scenario.streams import stream_key

#: Largest product of classes and servers, so that the state fits in memory.
MOST_ALLOCATIONS = 4_000_000


@dataclass(frozen=True, eq=False)
class MoldableNumbers:
    """n servers and l classes of moldable jobs."""

    servers: int  #: n
    class_names: tuple[str, ...]  #: [l] the names of the classes
    speedups: tuple[tuple[Fraction, ...], ...]  #: [l] s_1, ..., s_{d_j} of each class, without s_0 = 0
    #: [l] lambda_j, jobs per unit of time and server; 0 if all jobs are scripted
    arrival_rates: tuple[Fraction, ...]
    means: tuple[Fraction, ...]  #: [l] 1/mu_j, the mean inherent size, in units of time
    seed: int  #: of all random streams
    requests_scripted: bool = False  #: whether a script gives the request of every job

    @property
    def classes(self) -> int:
        """l, the number of classes."""
        return len(self.class_names)

    @property
    def type_names(self) -> tuple[str, ...]:
        """[l] the names of the types of jobs in rows: the classes."""
        return self.class_names

    @property
    def degrees(self) -> tuple[int, ...]:
        """[l] d_j: the largest number of servers that a job of each class can run on."""
        return tuple(len(speedup) for speedup in self.speedups)

    @property
    def degree(self) -> int:
        """d, the largest degree."""
        return max(self.degrees)

    @property
    def loads(self) -> tuple[Fraction, ...]:
        """[l] rho_j = lambda_j / mu_j."""
        pairs = zip(self.arrival_rates, self.means, strict=True)
        return tuple(rate * mean for rate, mean in pairs)

    @property
    def load(self) -> Fraction:
        """rho, the sum of rho_j; the paper's lambda if inherent sizes have mean 1."""
        return sum(self.loads, Fraction(0))

    @cached_property
    def rate(self) -> float:
        """n lambda: mean number of arrivals per unit of time; 0 if not known."""
        return float(self.servers * sum(self.arrival_rates, Fraction(0)))

    @cached_property
    def speedup_table(self) -> NDArray[np.float64]:
        """[l, d + 1] s_i of each class, from s_0 = 0; s_{d_j} for i > d_j."""
        table = np.zeros((self.classes, self.degree + 1))
        for row, speedup in zip(table, self.speedups, strict=True):
            row[1 : len(speedup) + 1] = [float(factor) for factor in speedup]
            row[len(speedup) + 1 :] = float(speedup[-1])
        return table

    @cached_property
    def optimum(self) -> ClassesOptimum | None:
        """The solution of (P), or of (Q); None if there is none or the load is not known.

        There is none if the load is above 1 (Proposition 1).
        """
        if not all(self.loads) or self.load > 1:
            return None
        service = tuple(1 / mean for mean in self.means)
        return class_optimum(self.arrival_rates, service, self.speedups)

    @cached_property
    def target(self) -> NDArray[np.float64]:
        """[l, d + 1] n y*_ij, the jobs of each class on i servers; nan if not known."""
        table = np.full((self.classes, self.degree + 1), np.nan)
        if self.optimum is not None:
            table[...] = 0.0
            for row, found in zip(table, self.optimum.classes, strict=True):
                row[1 : len(found.y) + 1] = [float(self.servers * jobs) for jobs in found.y]
        return table

    @cached_property
    def support(self) -> tuple[tuple[int, ...], ...]:
        """[l] I* of each class, ascending; empty if not known."""
        if self.optimum is None:
            return ((),) * self.classes
        return tuple(found.within.support for found in self.optimum.classes)

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """[l] the two widths (i, i + 1) over which the state of each class is drawn.

        They contain I*; they are (0, 1) if jobs can run on one server only.
        """
        pairs = []
        for degree, support in zip(self.degrees, self.support, strict=True):
            first = min(support[0] if support else degree, degree - 1)
            pairs.append((first, first + 1))
        return tuple(pairs)

    def warnings(self) -> tuple[str, ...]:
        """Sentences about what is allowed but may surprise."""
        if self.load > 1:
            return (
                f"workload: found a load of {float(self.load):.4g}, above 1; whatever the "
                "policy does, jobs are blocked",
            )
        return ()


def numbers_of(scenario: MoldableScenario) -> MoldableNumbers:
    """The constant numbers of a validated scenario.

    Raises ScenarioError if the scenario's trace has not been read, or the state would not fit memory.
    """
    if scenario.needs_trace:
        raise trace_not_read()
    classes = range(len(scenario.classes))
    numbers = MoldableNumbers(
        servers=scenario.servers.count or 0,
        class_names=tuple(item.name for item in scenario.classes),
        speedups=tuple(scenario.speedup_of(j) for j in classes),
        arrival_rates=tuple(scenario.arrival_rates),
        means=tuple(scenario.mean_of(j) for j in classes),
        seed=scenario.seed,
        requests_scripted=_requests_scripted(scenario),
    )
    if numbers.classes * numbers.servers > MOST_ALLOCATIONS:
        raise ScenarioError(
            f"found {numbers.servers:,} servers and {numbers.classes} classes, allowed: at most "
            f"{MOST_ALLOCATIONS:,} as a product; use fewer servers or classes",
            where="servers.count",
        )
    return numbers


def _requests_scripted(scenario: MoldableScenario) -> bool:
    script = scenario.workload
    return isinstance(script, ScriptedMoldable) and all(job.requested is not None for job in script.arrivals)


#: Distances are integers in units of 1 / DISTANCE_UNIT, so that sums have no rounding errors.
DISTANCE_UNIT = 2**20

#: Standard deviations of a Poisson variable that the bins cover on both sides of the target.
COVERED = 6.0


class MoldableTables(NamedTuple):
    """The arrays that the physics reads: l classes, d the largest degree.  Without y* targets and weights are 0."""

    speedup: NDArray[np.float64]  #: [l, d + 1] s_i
    target: NDArray[np.int64]  #: [l, d + 1] n y*_i in units of 1 / DISTANCE_UNIT
    pair: NDArray[np.int32]  #: [l, 2] the widths i, i + 1 that hold I*; 0: no such width
    pair_target: NDArray[np.float64]  #: [l, 2] n y* of the two
    pair_weight: NDArray[np.float64]  #: [l, 2] s_i if i is in I*, else 0
    least: NDArray[np.int32]  #: [l] i1; 0 if not known
    bin_low: NDArray[np.int64]  #: [l, 2] the number of jobs at the start of the first bin
    bin_shift: NDArray[np.int64]  #: [l] bins are 2^shift jobs wide
    key: NDArray[np.uint64]  #: [1] key of the random words from which requests are drawn


@lru_cache(maxsize=8)  # each batch of a run needs them
def tables_of(numbers: MoldableNumbers) -> MoldableTables:
    """The tables of a system."""
    known = np.nan_to_num(numbers.target)
    pairs = np.array(numbers.pairs, np.int32)
    both = zip(numbers.pairs, numbers.support, strict=True)
    chosen = np.array([[i in support for i in pair] for pair, support in both])
    factors = np.take_along_axis(numbers.speedup_table, pairs, axis=1)
    low, shift = _bins(numbers)
    return MoldableTables(
        speedup=numbers.speedup_table,
        target=np.rint(known * DISTANCE_UNIT).astype(np.int64),
        pair=pairs,
        pair_target=np.take_along_axis(known, pairs, axis=1),
        pair_weight=np.where(chosen, factors, 0.0),
        least=np.array([min(support, default=0) for support in numbers.support], np.int32),
        bin_low=low,
        bin_shift=shift,
        key=np.array([stream_key(numbers.seed, "requests")], np.uint64),
    )


def _bins(numbers: MoldableNumbers) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """``bin_low`` and ``bin_shift``: bins around the target, or over all possible values."""
    low = np.zeros((numbers.classes, 2), np.int64)
    shift = np.zeros(numbers.classes, np.int64)
    for j, pair in enumerate(numbers.pairs):
        most = [numbers.servers // i if i else 0 for i in pair]
        targets = [numbers.target[j, i] for i in pair]
        span = float(max(most) + 1)
        if not np.isnan(targets[0]):
            span = min(span, 2 * COVERED * np.sqrt(max(targets) + 1.0))
        while BINS << int(shift[j]) < span:
            shift[j] += 1
        width = BINS << int(shift[j])
        for place in range(2):
            if not np.isnan(targets[place]):
                low[j, place] = round(targets[place]) - width // 2
            low[j, place] = max(0, min(low[j, place], most[place] + 1 - width))
    return low, shift
