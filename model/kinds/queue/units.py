"""The units of sizes and capacities, chosen so small that all of these are exact integers."""

from __future__ import annotations

from fractions import Fraction
from math import gcd, isqrt, lcm, log
from typing import Iterator, Mapping, Sequence

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.queue.continuous import (
    GridBeta,
    GridExponential,
    GridLogNormal,
    GridNormal,
    GridUniform,
    Interval,
)
from slotscope.model.kinds.queue.scenario import distributions as schema
from slotscope.model.kinds.queue.scenario.arrivals import ScriptedSlots
from slotscope.model.kinds.queue.scenario.schema import QueueScenario
from slotscope.model.kinds.queue.sizes import Atoms, IndependentSizes, MixedSizes, SizeDistribution, Units

#: The largest J for which 1/2^J of the largest server is a whole number of units.
MOST_J = 20

#: The units of the largest server are divisible by this, so that 2/3 and 1/2^J of it are whole.
DIVISOR = 3 * 2**MOST_J

#: The least number of units of the largest server for continuous distributions: with one resource, and with
#: several, where it is smaller so that inner products of two sizes fit into 64 bits.
FINE_GRID, COARSE_GRID = 3 * 2**32, 3 * 2**28

#: Upper bounds on the units of one server, of all servers together, and on inner products of two sizes.
MOST_UNITS, MOST_TOGETHER, MOST_PRODUCT = 2**53, 2**62, 2**63


def units_of(scenario: QueueScenario) -> tuple[tuple[Fraction, ...], int]:
    """[D] the amount of each resource in one unit, and the units of the largest server.

    The latter is the same for all resources, so that shares of different resources can be
    compared and added as integers.

    Raises ScenarioError if amounts have so many digits that units exceed exact arithmetic.
    """
    servers = [scenario.amounts(capacity) for _, _, capacity, _ in scenario.servers.kinds]
    most = [max(column) for column in zip(*servers, strict=True)]
    common, continuous = DIVISOR, False
    for d, capacity in enumerate(most):
        amounts = [server[d] for server in servers]
        points = list(_points(scenario, d))
        continuous = continuous or any(between for _, between in points)
        common = lcm(common, int(capacity / _common_measure(amounts + [x for x, _ in points])))
        _refuse_many(scenario, common, len(most))
    grid = (FINE_GRID if len(most) == 1 else COARSE_GRID) if continuous else 0
    while common < grid:
        common *= 2
    _refuse_many(scenario, common, len(most))
    return tuple(capacity / common for capacity in most), common


def _common_measure(amounts: Sequence[Fraction]) -> Fraction:
    """The largest rational of which all *amounts* are whole multiples."""
    denominator = lcm(*(amount.denominator for amount in amounts))
    return Fraction(gcd(*(int(amount * denominator) for amount in amounts)), denominator)


def _refuse_many(scenario: QueueScenario, units: int, resources: int) -> None:
    most = min(MOST_UNITS, MOST_TOGETHER // scenario.servers.total)
    if resources > 1:
        most = min(most, isqrt((MOST_PRODUCT - 1) // resources))
    if units > most:
        where = "workload.arrivals" if isinstance(scenario.workload, ScriptedSlots) else "jobs.size"
        raise ScenarioError(
            f"sizes and capacities have no common measure above 1/{most} of the largest server: "
            "write them with fewer digits",
            where=where,
        )


def _points(scenario: QueueScenario, d: int) -> Iterator[tuple[Fraction, bool]]:
    """The amounts of resource d that must be whole numbers of units, and whether sizes between them occur."""
    if isinstance(scenario.workload, ScriptedSlots):
        for arrival in scenario.workload.arrivals:
            yield arrival.size[d], False
    name = scenario.resource_names[d]
    for item in scenario.jobs:
        if isinstance(item.size, schema.Independent):
            yield from _points_of(item.size.resources[name], 0)
        else:
            yield from _points_of(item.size, d)


def _points_of(distribution: schema.AnySize, d: int) -> Iterator[tuple[Fraction, bool]]:
    if isinstance(distribution, schema.Discrete | schema.Empirical):
        for size in distribution.values:
            yield size[d], False
    elif isinstance(distribution, schema.Mixture):
        for part in distribution.parts:
            yield from _points_of(part.size, d)
    elif not isinstance(distribution, schema.Independent):
        yield distribution.low, True
        yield distribution.high, True


def scaled(size: Sequence[Fraction], unit: Sequence[Fraction]) -> Units:
    """[D] a size in the scenario's units as whole units."""
    return tuple(int(amount / one) for amount, one in zip(size, unit, strict=True))


def size_distribution(distribution: schema.AnySize, unit: Mapping[str, Fraction]) -> SizeDistribution:
    """The distribution of sizes in units; *unit* has the amount of one unit of each resource, in the servers' order."""
    if isinstance(distribution, schema.Discrete | schema.Empirical):
        units = tuple(unit.values())
        return Atoms([scaled(size, units) for size in distribution.values], distribution.shares)
    if isinstance(distribution, schema.Mixture):
        return MixedSizes(
            [size_distribution(part.size, unit) for part in distribution.parts],
            [part.share for part in distribution.parts],
        )
    if isinstance(distribution, schema.Independent):
        return IndependentSizes(
            [size_distribution(distribution.resources[name], {name: one}) for name, one in unit.items()]
        )
    return _interval(distribution, *unit.values())


ContinuousDistribution = (
    schema.Uniform | schema.Beta | schema.TruncatedNormal | schema.TruncatedExponential | schema.TruncatedLogNormal
)


def _interval(distribution: ContinuousDistribution, unit: Fraction) -> Interval:
    low, high = int(distribution.low / unit), int(distribution.high / unit)
    if isinstance(distribution, schema.Uniform):
        return GridUniform(low, high)
    if isinstance(distribution, schema.Beta):
        return GridBeta(low, high, distribution.a, distribution.b)
    if isinstance(distribution, schema.TruncatedNormal):
        return GridNormal(low, high, distribution.mean / unit, distribution.deviation / unit)
    if isinstance(distribution, schema.TruncatedExponential):
        return GridExponential(low, high, distribution.mean / unit)
    centre, spread = distribution.logarithm
    return GridLogNormal(low, high, centre - log(unit), spread)
