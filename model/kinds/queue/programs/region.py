"""The supportable region of two job types: exact polygons and vectors for a picture.

Psychas & Ghaderi (2019), Section III.A and the examples of Section VII.A.  A server in
configuration k serves mu_j k_j jobs of type j per slot, so that arrival vectors (per server) are
supportable inside the convex hull of these service vectors, and by VQS inside the hull of what the
configurations of K_RED hold.  With several pools the polygons are averages over the servers.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Iterable, Mapping, Sequence

from slotscope.model.kinds.queue.programs.supportable import PoolOfServers
from slotscope.model.programs.configurations import Configuration, ConfigurationSpace

#: A point of the region: jobs per slot and server of either type.
Vector = tuple[Fraction, Fraction]
Polygon = tuple[Vector, ...]

#: The most maximal configurations that are drawn.
MOST_DRAWN = 500

_ZERO = Fraction(0)


@dataclass(frozen=True)
class DrawnConfiguration:
    """A maximal configuration of the servers of a pool."""

    pool: int  #: number of the pool
    configuration: Configuration  #: k, of two types
    service: Vector  #: mu k, jobs per slot of either type that a server in this configuration serves
    share: Fraction  #: the share of all servers that have it in the solution of (4); 0 if none


@dataclass(frozen=True)
class Region:
    """The data of the picture for two types; all rates are jobs per slot and server."""

    full: Polygon  #: the corners of the supportable region, from (0, 0) counter-clockwise
    reduced: Polygon  #: the corners of the region of what K_RED holds; empty if it does not apply
    configurations: tuple[DrawnConfiguration, ...]  #: the maximal configurations, largest pool first
    #: (name, service vector) of those of K_RED that hold jobs of these types
    reduced_configurations: tuple[tuple[str, Vector], ...]
    arrivals: Vector  #: the arrival vector
    boundary: Vector  #: where the ray through ``arrivals`` leaves the region: the arrivals at rho*
    reduced_boundary: Vector | None  #: where this ray leaves the reduced region, or None


def hull(points: Iterable[Vector]) -> Polygon:
    """The corners of the convex hull of *points*, counter-clockwise from the lexicographically
    smallest, without points inside an edge."""
    ordered = sorted(set(points))
    if len(ordered) < 3:
        return tuple(ordered)
    lower, upper = _chain(ordered), _chain(ordered[::-1])
    return (*lower[:-1], *upper[:-1])


def _chain(points: Sequence[Vector]) -> list[Vector]:
    """The lower hull of sorted points (Andrew 1979)."""
    chain: list[Vector] = []
    for point in points:
        while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 0:
            chain.pop()
        chain.append(point)
    return chain


def _turn(a: Vector, b: Vector, c: Vector) -> Fraction:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def service_polygon(members: Iterable[Sequence[int]], rates: Vector) -> Polygon:
    """The polygon of the service vectors at most those of convex combinations of *members* [C][2].

    - *members*: Configurations.
    - *rates*: mu of either type.
    """
    points: set[Vector] = {(_ZERO, _ZERO)}
    for k in members:
        x, y = k[0] * rates[0], k[1] * rates[1]
        points |= {(x, y), (x, _ZERO), (_ZERO, y)}
    return hull(points)


def average_polygon(polygons: Sequence[tuple[Polygon, Fraction]]) -> Polygon:
    """The polygon of an average server: the Minkowski sum of polygons times their shares."""
    total: Polygon = ((_ZERO, _ZERO),)
    for polygon, share in polygons:
        scaled = [(x * share, y * share) for x, y in polygon]
        total = hull((x + dx, y + dy) for x, y in total for dx, dy in scaled)
    return total


def full_polygon(pools: Sequence[PoolOfServers], rates: Vector) -> Polygon:
    """The region of all feasible configurations, per server.

    Raises ValueError if a pool has more maximal configurations than can be listed.
    """
    servers = sum(count for _, count in pools)
    return average_polygon(
        [(service_polygon(space.maximal().tolist(), rates), Fraction(count, servers)) for space, count in pools]
    )


def drawn_configurations(
    spaces: Sequence[ConfigurationSpace], rates: Vector, shares: Mapping[tuple[int, Configuration], Fraction]
) -> tuple[DrawnConfiguration, ...]:
    """The maximal configurations of each pool, at most :data:`MOST_DRAWN` together.

    - *spaces*: [P] of two types.
    - *rates*: mu of either type.
    - *shares*: The share of all servers that has a configuration (pool, k) in a solution.
    """
    drawn = [
        DrawnConfiguration(
            pool, (int(a), int(b)), (int(a) * rates[0], int(b) * rates[1]), shares.get((pool, (int(a), int(b))), _ZERO)
        )
        for pool, space in enumerate(spaces)
        for a, b in space.maximal().tolist()
    ]
    # The configurations of the solution come first, so that they are never left out.
    drawn.sort(key=lambda one: one.share == 0)
    return tuple(drawn[:MOST_DRAWN])
