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

from slotscope.model.kinds.queue.programs.nearest import nearest_point
from slotscope.model.programs.configurations import Configuration, ConfigurationSpace

Rates = tuple[Fraction, ...]


@dataclass(frozen=True)
class FluidLimit:
    """What becomes of the queues of a policy in the long run.

    Attributes
    ----------
    policies:
        Names of the policies that this holds for.
    types:
        What each component of ``arrivals`` and ``growth`` stands for.
    arrivals:
        Jobs per slot that arrive of each type, in the whole system.
    growth:
        By how much their queues grow per slot; all 0 where the limit is not exceeded.
    limit:
        Jobs per slot of all types together up to which the queues do not grow; None where this
        is no limit but a trap, which is possible and not certain.
    configuration:
        The configuration in which servers stay, or empty.
    condition:
        When it holds, as a sentence without a final stop.
    source:
        The section of the paper.
    """

    policies: tuple[str, ...]
    types: tuple[str, ...]
    arrivals: Rates
    growth: Rates
    limit: Fraction | None
    configuration: Configuration
    condition: str
    source: str

    @property
    def slope(self) -> Fraction:
        """Jobs per slot by which all queues together grow."""
        return sum(self.growth, Fraction(0))


def growth_in(configuration: Configuration, arrivals: Rates, service_rate: Fraction, servers: int = 1) -> Rates:
    """How fast queues grow while all servers keep one configuration (Section VII.A.2).

    Parameters
    ----------
    configuration:
        [J] k, full all the time.
    arrivals:
        [J] lambda_j, jobs per slot in the whole system.
    service_rate:
        mu, 1 / the mean slots of service.
    servers:
        L.

    Returns
    -------
    [J] max(0, lambda_j - mu L k_j), jobs per slot.
    """
    return tuple(
        max(Fraction(0), rate - service_rate * servers * count)
        for rate, count in zip(arrivals, configuration, strict=True)
    )


def max_weight_growth(services: Iterable[Rates], arrivals: Rates, weights: Sequence[Fraction] | None = None) -> Rates:
    """How fast queues grow under the heaviest of *services*, in the fluid limit from empty.

    Parameters
    ----------
    services:
        [C][J] service vectors, jobs per slot in the whole system, >= 0.
    arrivals:
        [J] jobs per slot, >= 0.
    weights:
        [J] > 0: what a waiting job of each queue counts for, relative to the services; 1 where
        the configurations are chosen by what they serve.

    Returns
    -------
    [J] g >= 0; all 0 where a mixture of the services, or less, carries the arrivals.
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

    Raises
    ------
    ValueError
        If there are several resources, or too many configurations to look at.
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

    Parameters
    ----------
    space:
        Feasible configurations of one of L like servers, one resource.
    arrivals, service_rate, servers:
        As for :func:`growth_in`.
    types:
        [J] what to call the types.
    fixed_service:
        Whether every job's service takes the same time.  Where it varies, jobs leave together
        now and then, and no configuration lasts: then there is no such limit.

    Raises
    ------
    ValueError
        As for :func:`traps`.
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

    Parameters
    ----------
    rho:
        The largest workload that *contents* carry, as
        :func:`model.kinds.queue.programs.reduced.real_supportable` finds it.
    contents:
        [C][V] what each configuration of K_RED holds.
    arrivals, service_rate, servers:
        As for :func:`growth_in`, by virtual queue.
    types:
        [V] what to call the queues.
    nominal:
        [C][V] the configurations as VQS weighs them; *contents* if they are not given.
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
