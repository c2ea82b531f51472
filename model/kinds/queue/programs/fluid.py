"""How fast queues grow where a policy is unstable: limits over long times and large queues.

Psychas & Ghaderi (2019), Section VII.A, calculates two of them.

VII.A.1: VQS has configurations from K_RED only, so that stability ends where the arrivals leave
their region, at 1/75 jobs per slot in the paper's example.  Above it the queue does not simply
grow by arrivals minus 1/75: VQS serves the heaviest configurations, and long queues settle on
the direction g in which those are heaviest.  From an empty queue g is the least of all growths,

    minimize |g|^2  over  g = a - s >= 0,  s a mixture of service vectors (or less than that),

the well-known fluid limit of MaxWeight under overload; it is verified by s maximizing <s, g>.
In the paper's example at rate 0.014 it is (0.0002, 0.0004), 0.0006 jobs per slot together, and
not 0.014 - 1/75 = 0.00067.  It holds where servers become empty now and then, so that they
can follow the weights: with fixed service times a server keeps its configuration until it has
no more jobs for it.

VII.A.2: under Best Fit a server may stay for ever in one configuration, if all service times are
the same and its jobs were placed in different slots.  Then g_j = lambda_j - mu_j k_j.
VQS-BF can be caught like that as well, but only under active configurations that do not ask for
other jobs in the room of one that left; so it is not listed.
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
    """From *weights* towards *target* until the first weight is 0."""
    step = min(w / (w - t) for w, t in zip(weights, target, strict=True) if t < 0)
    return [w + step * (t - w) for w, t in zip(weights, target, strict=True)]


def _affine_nearest(gram: Sequence[Sequence[Fraction]]) -> list[Fraction]:
    """Weights that sum to 1 of the point nearest to 0 on the affine hull; *gram* its products.

    With a multiplier m: gram w = m 1 and <1, w> = 1.  The points are affinely independent, so
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
    """What becomes of the queues of a policy in the long run."""

    policies: tuple[str, ...]  #: names of the policies that this holds for
    types: tuple[str, ...]  #: what each component of ``arrivals`` and ``growth`` stands for
    arrivals: Rates  #: jobs per slot that arrive of each type, in the whole system
    growth: Rates  #: by how much their queues grow per slot; all 0 where the limit is not exceeded
    #: jobs per slot of all types together up to which the queues do not grow; None where this is no limit but a trap,
    #: which is possible and not certain
    limit: Fraction | None
    configuration: Configuration  #: the configuration in which servers stay, or empty
    condition: str  #: when it holds, as a sentence without a final stop
    source: str  #: the section of the paper

    @property
    def slope(self) -> Fraction:
        """Jobs per slot by which all queues together grow."""
        return sum(self.growth, Fraction(0))


def growth_in(configuration: Configuration, arrivals: Rates, service_rate: Fraction, servers: int = 1) -> Rates:
    """How fast queues grow while all servers keep one configuration (Section VII.A.2).

    - *configuration*: [J] k, full all the time.
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
    """How fast queues grow under the heaviest of *services*, in the fluid limit from empty.

    - *services*: [C][J] service vectors, jobs per slot in the whole system, >= 0.
    - *arrivals*: [J] jobs per slot, >= 0.
    - *weights*: [J] > 0: what a waiting job of each queue counts for, relative to the services; 1 where the
      configurations are chosen by what they serve.

    Returns [J] g >= 0; all 0 where a mixture of the services, or less, carries the arrivals.
    """
    places = [j for j, rate in enumerate(arrivals) if rate]
    scale = [Fraction(1) if weights is None else weights[j] for j in places]
    # Services may be used in part: with each vector also those in which some types get none.
    lower = {point for service in services for point in product(*({Fraction(0), service[j]} for j in places))}
    points = [tuple(arrivals[j] - s for j, s in zip(places, point, strict=True)) for point in sorted(lower)]
    found = dict(zip(places, nearest_point(points, scale), strict=True))
    return tuple(found.get(j, Fraction(0)) for j in range(len(arrivals)))


def traps(space: ConfigurationSpace) -> list[Configuration]:
    """Configurations that Best Fit refills job by job, one resource (Section VII.A.2).

    A maximal configuration k such that, whichever of its jobs leaves, the largest job that then
    fits is one of the same size, and nothing fits beside it.
    Raises ValueError if there are several resources, or too many configurations to look at.
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
    """The traps of Best Fit in which the queue of every type grows; once in, never out.

    - *space*: Feasible configurations of one of L like servers, one resource.
    - *arrivals*, *service_rate*, *servers*: As for :func:`growth_in`.
    - *types*: [J] what to call the types.
    - *fixed_service*: Whether every job's service takes the same time.  Where it varies, jobs leave together now
      and then, and no configuration lasts: then there is no such limit.

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
    """Where VQS stops being stable, and how its queues grow above that (Section VII.A.1).

    - *rho*: The largest workload that *contents* carry, as
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
    """What a job counts for in (8) per job that the configuration really holds, by queue.

    The smallest such ratio of each queue's configurations: that of those that serve it alone.
    """
    weights = [Fraction(1)] * len(contents[0])
    for k, content in zip(nominal, contents, strict=True):
        for j, (weighed, held) in enumerate(zip(k, content, strict=True)):
            if weighed and sum(map(bool, k)) == 1:
                weights[j] = Fraction(weighed, held)
    return weights
