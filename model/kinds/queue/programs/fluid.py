"""The growth rates of queues under unstable policies: fluid limits.

Psychas & Ghaderi (2019), Section VII.A, calculates two of them.

VII.A.1: VQS uses only configurations of K_RED, so that it is unstable if the arrivals are outside
their region: above 1/75 jobs per slot in the paper's example.  The queue then does not simply grow by
arrivals minus 1/75: VQS serves the configurations of maximum weight, and long queues converge to
a direction g.  From an empty queue, g is the growth of least norm,

    minimize |g|^2  over  g = a - s >= 0,  s at most a convex combination of service vectors,

the well-known fluid limit of MaxWeight under overload; it is verified by s maximizing <s, g>.
In the paper's example at rate 0.014 it is (0.0002, 0.0004), in total 0.0006 jobs per slot and
not 0.014 - 1/75 = 0.00067.  The limit requires that servers become empty now and then, so that they
can follow the weights: with fixed service times a server keeps its configuration until it has
no more jobs for it.

VII.A.2: under Best Fit a server may stay for ever in one configuration, if all service times are
the same and its jobs were placed in different slots.  Then g_j = lambda_j - mu_j k_j.
VQS-BF can be trapped in the same way, but only under active configurations that do not assign the
room of a departed job to other jobs; so it is not listed.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Iterable, Sequence

from slotscope.model.programs.configurations import Configuration, ConfigurationSpace

Point = tuple[Fraction, ...]


def nearest_point(points: Sequence[Point], scale: Sequence[Fraction]) -> Point:
    """The x in the convex hull of *points* with the least sum_j scale_j x_j^2.

    - *points*: [m][d], m at least 1.
    - *scale*: [d] > 0.
    """

    def inner(left: Point, right: Point) -> Fraction:
        return sum((s * a * b for s, a, b in zip(scale, left, right, strict=True)), Fraction(0))

    corral = [min(points, key=lambda point: inner(point, point))]
    weights = [Fraction(1)]
    while True:
        nearest = _combined(corral, weights)
        lowest = min(points, key=lambda point: inner(nearest, point))
        if inner(nearest, lowest) >= inner(nearest, nearest):
            return nearest
        corral.append(lowest)
        weights.append(Fraction(0))
        while True:
            gram = [[inner(p, q) for q in corral] for p in corral]
            target = _affine_nearest(gram)
            if min(target) >= 0:
                weights = target
                break
            weights = _as_far_as_possible(weights, target)
            corral = [p for p, w in zip(corral, weights, strict=True) if w]
            weights = [w for w in weights if w]


def _combined(points: Sequence[Point], weights: Sequence[Fraction]) -> Point:
    columns = zip(*points, strict=True)
    return tuple(sum((w * x for w, x in zip(weights, column, strict=True)), Fraction(0)) for column in columns)


def _as_far_as_possible(weights: Sequence[Fraction], target: Sequence[Fraction]) -> list[Fraction]:
    """The point on the segment from *weights* to *target* at which the first weight becomes 0."""
    step = min(w / (w - t) for w, t in zip(weights, target, strict=True) if t < 0)
    return [w + step * (t - w) for w, t in zip(weights, target, strict=True)]


def _affine_nearest(gram: Sequence[Sequence[Fraction]]) -> list[Fraction]:
    """The weights, with sum 1, of the point nearest to 0 in the affine hull of points with Gram matrix *gram*.

    They solve gram w = m 1 and <1, w> = 1 with a multiplier m.  The points are affinely independent, so
    that the system has one solution.
    """
    size = len(gram)
    one, zero = Fraction(1), Fraction(0)
    rows = [[*row, -one, zero] for row in gram] + [[*([one] * size), zero, one]]
    for column in range(size + 1):
        pivot = next(r for r in range(column, size + 1) if rows[r][column])
        rows[column], rows[pivot] = rows[pivot], rows[column]
        head = rows[column][column]
        rows[column] = [value / head for value in rows[column]]
        for r, row in enumerate(rows):
            if r != column and row[column]:
                factor = row[column]
                rows[r] = [a - factor * b for a, b in zip(row, rows[column], strict=True)]
    return [row[-1] for row in rows[:size]]


Rates = tuple[Fraction, ...]


@dataclass(frozen=True)
class FluidLimit:
    """The long-run behaviour of the queues under a policy."""

    policies: tuple[str, ...]  #: names of the policies to which it applies
    types: tuple[str, ...]  #: what each component of ``arrivals`` and ``growth`` stands for
    arrivals: Rates  #: arrival rate of each type in the whole system, jobs per slot
    growth: Rates  #: growth rate of each type's queue, jobs per slot; all 0 if the limit is not exceeded
    #: the total arrival rate, jobs per slot, up to which the queues do not grow; None for a trap, which is possible but
    #: not certain
    limit: Fraction | None
    configuration: Configuration  #: the configuration in which servers stay, or empty
    condition: str  #: when it holds, as a sentence without a final stop
    source: str  #: the section of the paper

    @property
    def slope(self) -> Fraction:
        """The growth rate of all queues together, jobs per slot."""
        return sum(self.growth, Fraction(0))


def growth_in(configuration: Configuration, arrivals: Rates, service_rate: Fraction, servers: int = 1) -> Rates:
    """The growth rates of the queues while all servers keep one configuration (Section VII.A.2).

    - *configuration*: [J] k, always fully used.
    - *arrivals*: [J] lambda_j, jobs per slot in the whole system.
    - *service_rate*: mu, 1 / the mean slots of service.
    - *servers*: L.

    Returns [J] max(0, lambda_j - mu L k_j), jobs per slot.
    """
    return tuple(
        max(Fraction(0), rate - service_rate * servers * count)
        for rate, count in zip(arrivals, configuration, strict=True)
    )


def max_weight_growth(services: Iterable[Rates], arrivals: Rates, weights: Sequence[Fraction] | None = None) -> Rates:
    """The growth rates of the queues under MaxWeight over *services*, in the fluid limit from empty queues.

    - *services*: [C][J] service vectors, jobs per slot in the whole system, >= 0.
    - *arrivals*: [J] jobs per slot, >= 0.
    - *weights*: [J] > 0: the weight of a waiting job of each queue, relative to the services; 1 if the
      configurations are weighed by what they serve.

    Returns [J] g >= 0; all 0 if a convex combination of the services supports the arrivals.
    """
    places = [j for j, rate in enumerate(arrivals) if rate]
    scale = [Fraction(1) if weights is None else weights[j] for j in places]
    # Services need not be fully used: each vector also stands for those in which some types get none.
    lower = {point for service in services for point in product(*({Fraction(0), service[j]} for j in places))}
    points = [tuple(arrivals[j] - s for j, s in zip(places, point, strict=True)) for point in sorted(lower)]
    found = dict(zip(places, nearest_point(points, scale), strict=True))
    return tuple(found.get(j, Fraction(0)) for j in range(len(arrivals)))


def traps(space: ConfigurationSpace) -> list[Configuration]:
    """Configurations that Best Fit refills job by job, one resource (Section VII.A.2).

    A maximal configuration k such that, whichever of its jobs leaves, the largest job that then
    fits is one of the same size, and nothing fits beside it.
    Raises ValueError if there are several resources, or too many configurations to examine.
    """
    if len(space.capacity) != 1:
        raise ValueError("traps of Best Fit are known for one resource only")
    sizes = [row[0] for row in space.demand]
    found = []
    for row in space.maximal().tolist():
        residual = space.capacity[0] - sum(k * s for k, s in zip(row, sizes, strict=True))
        held = [size for size, count in zip(sizes, row, strict=True) if count]
        if held and all(max(size for size in sizes if size <= residual + left) == left for left in held):
            found.append(tuple(row))
    return found


def stuck_limits(
    space: ConfigurationSpace,
    arrivals: Rates,
    service_rate: Fraction,
    types: Sequence[str],
    servers: int = 1,
    fixed_service: bool = True,
) -> list[FluidLimit]:
    """The traps of Best Fit in which the queue of every type grows; a server in a trap never leaves it.

    - *space*: Feasible configurations of one of L identical servers, one resource.
    - *arrivals*, *service_rate*, *servers*: As for :func:`growth_in`.
    - *types*: [J] what to call the types.
    - *fixed_service*: Whether all service times are equal.  If they vary, several jobs depart together now and
      then, and no configuration lasts: there are then no such limits.

    Raises ValueError as for :func:`traps`.
    """
    if not fixed_service:
        return []
    limits = []
    for configuration in traps(space):
        growth = growth_in(configuration, arrivals, service_rate, servers)
        if all(g > 0 for g, rate in zip(growth, arrivals, strict=True) if rate):
            limits.append(
                FluidLimit(
                    policies=("bf-js", "bf-s"),
                    types=tuple(types),
                    arrivals=arrivals,
                    growth=growth,
                    limit=None,
                    configuration=configuration,
                    condition="while every server stays in this configuration, which it does not "
                    "leave as long as jobs of every type wait and its jobs end in different slots",
                    source="Psychas & Ghaderi (2019), Section VII.A.2",
                )
            )
    return limits


def reduced_limit(
    rho: Fraction,
    contents: Sequence[Configuration],
    arrivals: Rates,
    service_rate: Fraction,
    types: Sequence[str],
    servers: int = 1,
    nominal: Sequence[Configuration] = (),
) -> FluidLimit:
    """The stability limit of VQS, and the growth of its queues above this limit (Section VII.A.1).

    - *rho*: The largest workload that *contents* support, as
      :func:`model.kinds.queue.programs.reduced.real_supportable` finds it.
    - *contents*: [C][V] what each configuration of K_RED holds.
    - *arrivals*, *service_rate*, *servers*: As for :func:`growth_in`, by virtual queue.
    - *types*: [V] what to call the queues.
    - *nominal*: [C][V] the configurations as VQS weighs them; *contents* if they are not given.
    """
    services = [tuple(service_rate * servers * k for k in content) for content in contents]
    weights = _weights(nominal or contents, contents)
    return FluidLimit(
        policies=("vqs",),
        types=tuple(types),
        arrivals=arrivals,
        growth=max_weight_growth(services, arrivals, weights),
        limit=rho * service_rate,
        configuration=(),
        condition="in the long run, from an empty system, with servers that become empty now and "
        "then and so follow the heaviest configurations of K_RED",
        source="Psychas & Ghaderi (2019), Section VII.A.1",
    )


def _weights(nominal: Sequence[Configuration], contents: Sequence[Configuration]) -> list[Fraction]:
    """For each queue, k_j as weighed in (8) divided by the number of jobs that the configuration really holds.

    The smallest such ratio over the configurations that serve the queue: that of those that serve it alone.
    """
    weights = [Fraction(1)] * len(contents[0])
    for k, content in zip(nominal, contents, strict=True):
        for j, (weighed, held) in enumerate(zip(k, content, strict=True)):
            if weighed and sum(map(bool, k)) == 1:
                weights[j] = Fraction(weighed, held)
    return weights
