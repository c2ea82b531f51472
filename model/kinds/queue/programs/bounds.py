"""All bounds on the workload of a scenario with a queue, for the window and the command line.

Psychas & Ghaderi (2019): rho* of (4) for finitely many sizes, Theorem 1's bounds for any
distribution, Lemma 1, the region of K_RED (Proposition 1), and the fluid limits of Section VII.A.
Bounds that hold only for a single resource are left out for systems with several.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Iterator

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.queue.numbers import QueueNumbers, numbers_of
from slotscope.model.kinds.queue.programs.fluid import FluidLimit
from slotscope.model.kinds.queue.programs.instance import Instance, instance_of
from slotscope.model.kinds.queue.programs.region import Region
from slotscope.model.kinds.queue.programs.supportable import SupportableWorkload, supportable
from slotscope.model.kinds.queue.programs.theorem1 import MOST_REFINED, Refinement, refinements
from slotscope.model.kinds.queue.scenario.schema import QueueScenario

#: The refinement whose trimmed partition is solved too.  It is the last one if the next would take much longer:
#: with several pools, or if ends of cells had to be rounded.
TRIMMED_LEVEL = MOST_REFINED - 1


@dataclass(frozen=True)
class QueueBounds:
    """The bounds known so far; each further answer contains those before it."""

    workload: Fraction = Fraction(0)  #: rho of the scenario; 0 if it is unknown
    #: [J][D] the sizes of the types, smallest first, as shares of a largest server; empty if the distribution is
    #: continuous or has too many sizes
    sizes: tuple[tuple[Fraction, ...], ...] = ()
    #: [J] P_j; if classes of jobs differ in service, each type's share of the workload
    probabilities: tuple[Fraction, ...] = ()
    supportable: SupportableWorkload | None = None  #: rho* of (4) over these types
    depth: int = 0  #: J of partition I; 0 if it does not apply
    #: reduced, real: the workload supportable by K_RED with rounded-up sizes, and by the jobs that its configurations
    #: really hold; over the 2J virtual queues
    reduced: SupportableWorkload | None = None
    real: SupportableWorkload | None = None
    mean_bound: Fraction | None = None  #: L / E[R], an upper bound of rho* (Lemma 1)
    theorem1: tuple[Refinement, ...] = ()  #: the bounds for each n so far
    trimmed: Refinement | None = None  #: the bounds of the partition trimmed to the support
    region: Region | None = None  #: the supportable region of two types
    fluid: tuple[FluidLimit, ...] = ()  #: stability limits and growth of policies
    problem: str = ""  #: why something is missing, as a sentence; or empty

    @property
    def lower(self) -> Fraction | None:
        """The best lower bound of rho* so far; rho* itself if it is known."""
        if self.supportable is not None:
            return self.supportable.value
        rows = [*self.theorem1, *([self.trimmed] if self.trimmed else [])]
        found = [row.lower for row in rows] + ([self.reduced.value] if self.reduced else [])
        return max(found, default=None)

    @property
    def upper(self) -> Fraction | None:
        """The best upper bound of rho* so far; rho* itself if it is known."""
        if self.supportable is not None:
            return self.supportable.value
        rows = [*self.theorem1, *([self.trimmed] if self.trimmed else [])]
        found = [row.upper for row in rows if row.upper is not None]
        return min([*found, *([self.mean_bound] if self.mean_bound else [])], default=None)

    @property
    def load(self) -> tuple[Fraction, Fraction] | None:
        """The lower and the upper bound of rho / rho*; they are equal if rho* is known."""
        lower, upper = self.lower, self.upper
        if not self.workload or not lower or not upper:
            return None
        return self.workload / upper, self.workload / lower


#: What :meth:`model.kinds.spec.Kind.no_bounds` makes.
BOUNDS = QueueBounds


def all_bounds(scenario: QueueScenario) -> Iterator[QueueBounds]:
    """The bounds of a scenario's workload, in growing detail; each answer can be pickled.

    First Lemma 1 and K_RED, then rho* for finitely many sizes, otherwise Theorem 1 for n = 0 to 5
    (to 4 if the next takes long).
    Nothing is raised for a scenario that has no bounds: ``problem`` says why.
    """
    try:
        numbers = numbers_of(scenario)
    except ScenarioError as error:
        yield QueueBounds(problem=f"Nothing bounds the workload yet: {error.line}.")
        return
    yield from bounds_of(scenario, numbers)


def bounds_of(scenario: QueueScenario, numbers: QueueNumbers) -> Iterator[QueueBounds]:
    """As :func:`all_bounds`, for a scenario whose numbers are already known."""
    instance = instance_of(scenario, numbers)
    bounds = QueueBounds(
        workload=numbers.workload,
        sizes=instance.sizes,
        probabilities=instance.probabilities,
        mean_bound=instance.mean_bound,
    )
    bounds = _with_reduced(bounds, instance)
    yield bounds
    if instance.sizes:
        bounds = _with_types(bounds, instance)
        yield bounds
        if bounds.supportable is not None:
            return
    if numbers.resources > 1:
        yield replace(
            bounds,
            problem=bounds.problem
            or (f"With {numbers.resources} resources rho* is calculated for few sizes only; L / E[R] bounds it."),
        )
        return
    yield from _refined(bounds, instance)


def _with_reduced(bounds: QueueBounds, instance: Instance) -> QueueBounds:
    """Add the bounds of K_RED, if the servers and J allow it."""
    partition = instance.partition
    if partition is None:
        return bounds
    return replace(bounds, depth=partition.depth, reduced=instance.reduced(), real=instance.real())


def _with_types(bounds: QueueBounds, instance: Instance) -> QueueBounds:
    """Add rho* of (4) for finitely many sizes, the supportable region, and the fluid limits."""
    try:
        found = supportable(instance.pools, instance.probabilities)
        region = instance.region(found, bounds.real)
        fluid = instance.fluid(bounds.real)
    except ValueError as error:
        return replace(bounds, problem=f"The program (4) is too large: {error}.")
    return replace(bounds, supportable=found, region=region, fluid=fluid)


def _refined(bounds: QueueBounds, instance: Instance) -> Iterator[QueueBounds]:
    """Add the bounds of Theorem 1, one partition after the other."""
    try:
        for row in refinements(instance.distribution, instance.unit_pools, instance.points):
            bounds = replace(bounds, theorem1=(*bounds.theorem1, row))
            yield bounds
            if row.level == TRIMMED_LEVEL:
                trimmed = refinements(
                    instance.distribution,
                    instance.unit_pools,
                    instance.points,
                    first=row.level,
                    last=row.level,
                    trimmed=True,
                )
                bounds = replace(bounds, trimmed=next(trimmed))
                yield bounds
                if not row.exact or len(instance.unit_pools) > 1:
                    return
    except ValueError as error:
        yield replace(bounds, problem=f"A finer partition is too large: {error}.")
