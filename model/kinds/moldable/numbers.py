"""The constant numbers of a system of moldable jobs, taken from a scenario.

What the scenario says stands here as integers and rationals; nothing changes while the system
runs.  Ghanbarian et al. (2025), Sections 2 and 6.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.moldable.programs.classes import ClassesOptimum, class_optimum
from slotscope.model.kinds.moldable.scenario.schema import MoldableScenario
from slotscope.model.kinds.moldable.scenario.workload import ScriptedMoldable

#: Bound on classes times servers: what a state has for each of them fits memory.
MOST_ALLOCATIONS = 4_000_000


@dataclass(frozen=True, eq=False)
class MoldableNumbers:
    """n servers and l classes of moldable jobs."""

    servers: int  #: n
    class_names: tuple[str, ...]  #: [l]
    speedups: tuple[tuple[Fraction, ...], ...]  #: [l] s_1, ..., s_{d_j} of each class; s_0 = 0 is left out
    #: [l] lambda_j, jobs per unit of time and server; 0 where all jobs are scripted
    arrival_rates: tuple[Fraction, ...]
    means: tuple[Fraction, ...]  #: [l] 1/mu_j, the mean inherent size, in units of time
    seed: int  #: of all random streams
    requests_scripted: bool = False  #: whether a script says of every job for how many servers it asks

    @property
    def classes(self) -> int:
        """l."""
        return len(self.class_names)

    @property
    def type_names(self) -> tuple[str, ...]:
        """[l] what the types of jobs are called in rows: the classes."""
        return self.class_names

    @property
    def degrees(self) -> tuple[int, ...]:
        """[l] d_j: on how many servers a job of each class can run at most."""
        return tuple(len(speedup) for speedup in self.speedups)

    @property
    def degree(self) -> int:
        """d, the largest of them."""
        return max(self.degrees)

    @property
    def loads(self) -> tuple[Fraction, ...]:
        """[l] rho_j = lambda_j / mu_j."""
        pairs = zip(self.arrival_rates, self.means, strict=True)
        return tuple(rate * mean for rate, mean in pairs)

    @property
    def load(self) -> Fraction:
        """rho, the sum of rho_j; the paper's lambda where inherent sizes have mean 1."""
        return sum(self.loads, Fraction(0))

    @cached_property
    def rate(self) -> float:
        """Arrivals per unit of time on average: n lambda; 0 where that is not known."""
        return float(self.servers * sum(self.arrival_rates, Fraction(0)))

    @cached_property
    def speedup_table(self) -> NDArray[np.float64]:
        """[l, d + 1] s_i of each class, from s_0 = 0; that of d_j beyond."""
        table = np.zeros((self.classes, self.degree + 1))
        for row, speedup in zip(table, self.speedups, strict=True):
            row[1 : len(speedup) + 1] = [float(factor) for factor in speedup]
            row[len(speedup) + 1 :] = float(speedup[-1])
        return table

    @cached_property
    def optimum(self) -> ClassesOptimum | None:
        """The solution of (P), or of (Q); None if there is none or the load is not known.

        There is none where the load is above 1 (Proposition 1).
        """
        if not all(self.loads) or self.load > 1:
            return None
        service = tuple(1 / mean for mean in self.means)
        return class_optimum(self.arrival_rates, service, self.speedups)

    @cached_property
    def target(self) -> NDArray[np.float64]:
        """[l, d + 1] n y*_ij, the jobs of each class on i servers; nan where it is not known."""
        table = np.full((self.classes, self.degree + 1), np.nan)
        if self.optimum is not None:
            table[...] = 0.0
            for row, found in zip(table, self.optimum.classes, strict=True):
                row[1 : len(found.y) + 1] = [float(self.servers * jobs) for jobs in found.y]
        return table

    @cached_property
    def support(self) -> tuple[tuple[int, ...], ...]:
        """[l] I* of each class, ascending; empty where it is not known."""
        if self.optimum is None:
            return ((),) * self.classes
        return tuple(found.within.support for found in self.optimum.classes)

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """[l] the two widths (i, i + 1) that the state of each class is drawn over.

        They hold I*, and are (0, 1) where jobs can run on one server only.
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
        raise ScenarioError(
            "found a trace that has not been read; give its files with --trace PATH", where="workload.paths"
        )
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
