"""Lower and upper bounds of rho* for any distribution of sizes, as a partition refines.

Psychas & Ghaderi (2019), Theorem 1 and Appendix A.  For every partition X of (0, 1]

    rho*(upper-rounded X)  <=  rho*  <=  rho*(lower-rounded X),

with sizes rounded to the upper or the lower ends of the cells; both bounds are values of (4).  The
partition X^(n) has m = 2^(n+1) cells of equal probability, and a cell of its own for each point of large
probability.  The lower end of the first cell is 0, so that its jobs take no room in the upper
bound; the upper end of the last cell is 1.  For sizes uniform on (0, 1] the bounds are
2m / (m + 1) and 2m / (m - 1) per server.

A partition may also be cut at the ends of the distribution's support (*trimmed*).  The bounds are then
closer, because no job is rounded up to 1 or down to 0: for sizes uniform on (0.01, 0.19] the
lower bound at n = 5 is 9.86 per server instead of 8.77.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import lcm
from typing import Iterator, Protocol, Sequence

from slotscope.model.kinds.queue.programs.packing import MOST_UNITS
from slotscope.model.kinds.queue.programs.supportable import PoolOfServers, pools_of, supportable

#: The default level n of the finest partition, which has 2^6 cells.
MOST_REFINED = 5
#: If the common denominator of the ends of cells is above ``MOST_UNITS``, they are rounded outwards to multiples
#: of 1 / COARSE of the largest server.
COARSE = 5040
#: Probabilities in floating point are compared with this tolerance.
PROBABILITY_TOLERANCE = 1e-12

#: Pairs of the units of a server and the number of such servers.
UnitPools = Sequence[tuple[int, int]]


class IntervalProbabilities(Protocol):
    """The interface that Theorem 1 needs of a distribution of sizes in whole units, one resource."""

    @property
    def smallest(self) -> tuple[int, ...]:
        """The smallest size possible."""

    @property
    def largest(self) -> tuple[int, ...]:
        """The largest size possible."""

    def probability(self, low: int | Fraction, high: int | Fraction, d: int = 0) -> Fraction | float:
        """P(low < R <= high); a Fraction if it is exact."""


@dataclass(frozen=True)
class SizeInterval:
    """A cell: the sizes in (low, high] without those that have cells of their own; or a single such size.

    Sizes are fractions of a largest server.
    """

    low: Fraction
    high: Fraction
    probability: Fraction
    single: bool = False


@dataclass(frozen=True)
class Refinement:
    """The bounds of Theorem 1 for one partition."""

    level: int  #: n
    cells: tuple[SizeInterval, ...]  #: the cells of positive probability, by their upper ends
    #: lower, upper: values of (4) with sizes rounded up, and down; ``upper`` is None if all sizes are rounded down to 0
    lower: Fraction
    upper: Fraction | None
    trimmed: bool = False  #: whether the partition has cuts at the ends of the support
    #: whether the ends of the cells were used exactly; otherwise they were rounded outwards, so that the bounds are
    #: valid but slightly wider
    exact: bool = True


def refinements(
    distribution: IntervalProbabilities,
    pools: UnitPools,
    points: Sequence[tuple[int, Fraction]] = (),
    *,
    first: int = 0,
    last: int = MOST_REFINED,
    trimmed: bool = False,
) -> Iterator[Refinement]:
    """Theorem 1 for X^(first), ..., X^(last).

    - *distribution*: The distribution of sizes, in whole units.
    - *pools*: [P] of a server's units and the number of such servers; the most units stand for 1.
    - *points*: The sizes of positive probability, with their probabilities; empty for a distribution with a density.
    - *trimmed*: Whether the partition is also cut at the ends of the support.

    Raises ValueError if a search is too long.
    """
    for level in range(first, last + 1):
        cells = partition_cells(distribution, max(pools)[0], 2 ** (level + 1), points, trimmed)
        lower, upper = _bounds(cells, pools)
        exact = _exact([cell.low for cell in cells]) and _exact([cell.high for cell in cells])
        yield Refinement(level, cells, lower, upper, trimmed, exact)


def partition_cells(
    distribution: IntervalProbabilities,
    whole: int,
    count: int,
    points: Sequence[tuple[int, Fraction]] = (),
    trimmed: bool = False,
) -> tuple[SizeInterval, ...]:
    """The cells of X^(n), (26), that have a positive probability.

    A point has a cell of its own if its probability is at least 1 / *count*; all other sizes are divided
    into *count* cells of equal probability, as nearly as points allow.

    - *distribution*, *points*, *trimmed*: As for :func:`refinements`.
    - *whole*: Units of a largest server.
    - *count*: m.
    """
    single = {size: share for size, share in points if share * count >= 1}
    rest = _Rest(distribution, single)
    ends = [0, *rest.quantiles(whole, count), whole]
    floor, ceiling = (distribution.smallest[0] - 1, distribution.largest[0]) if trimmed else (0, whole)
    cells = [SizeInterval(Fraction(size, whole), Fraction(size, whole), share, True) for size, share in single.items()]
    for low, high in pairwise(ends):
        share = rest.between(low, high)
        if share > PROBABILITY_TOLERANCE:
            start, stop = Fraction(max(low, floor), whole), Fraction(min(high, ceiling), whole)
            cells.append(SizeInterval(start, stop, Fraction(share)))
    return tuple(sorted(cells, key=lambda cell: (cell.high, cell.low)))


class _Rest:
    """A distribution without some of its points."""

    def __init__(self, distribution: IntervalProbabilities, single: dict[int, Fraction]) -> None:
        self._distribution, self._single = distribution, single

    def between(self, low: int, high: int) -> Fraction | float:
        """P(low < R <= high, R none of the points)."""
        taken = sum((p for x, p in self._single.items() if low < x <= high), Fraction(0))
        found = self._distribution.probability(low, high)
        return found - taken if isinstance(found, Fraction) else found - float(taken)

    def quantiles(self, whole: int, count: int) -> list[int]:
        """The i / *count* quantiles in units of the distribution without its points, i = 1, ..., count - 1."""
        total = self.between(0, whole)
        ends = [0]
        if total > PROBABILITY_TOLERANCE:
            for i in range(1, count):
                low, high = ends[-1], whole
                while low < high:
                    middle = (low + high) // 2
                    if self._reaches(middle, total * i / count):
                        high = middle
                    else:
                        low = middle + 1
                ends.append(low)
        return ends[1:]

    def _reaches(self, units: int, target: Fraction | float) -> bool:
        found = self.between(0, units)
        if isinstance(found, Fraction) and isinstance(target, Fraction):
            return found >= target
        return found >= target - PROBABILITY_TOLERANCE


def _bounds(cells: Sequence[SizeInterval], pools: UnitPools) -> tuple[Fraction, Fraction | None]:
    """rho* with sizes rounded up and down.

    Jobs of size 1 need servers of their own, so that for cells of equal probability one bound follows from
    the other: 1 / lower = 1 / upper + P(last cell) / L, (22).
    """
    upper = _value(cells, pools, upwards=False)
    servers = pools[0][1]
    if upper is not None and len(pools) == 1 and _paired(cells):
        return 1 / (1 / upper + cells[-1].probability / servers), upper
    lower = _value(cells, pools, upwards=True)
    assert lower is not None  # sizes that are rounded up are positive
    return lower, upper


def _paired(cells: Sequence[SizeInterval]) -> bool:
    """Whether the rounded-down sizes are the rounded-up ones without the jobs of size 1."""
    between = [cell for cell in cells if not cell.single]
    if not between or between[-1].high != 1 or between[0].low != 0:
        return False
    joined = all(a.high == b.low for a, b in pairwise(between))
    exact = _exact([cell.high for cell in cells])
    alike = len({cell.probability for cell in between}) == 1
    return joined and exact and alike and cells[-1] is between[-1]


def _value(cells: Sequence[SizeInterval], pools: UnitPools, upwards: bool) -> Fraction | None:
    """The value of (4) with the jobs of each cell rounded; None if no job takes any room."""
    sizes = [(cell.high if upwards else cell.low, cell.probability) for cell in cells]
    together: dict[Fraction, Fraction] = {}
    for size, share in _on_grid(sizes, upwards):
        if size:
            together[size] = together.get(size, Fraction(0)) + share
    if not together:
        return None
    return supportable(_servers(list(together), pools), list(together.values())).value


def _on_grid(sizes: Sequence[tuple[Fraction, Fraction]], upwards: bool) -> Iterator[tuple[Fraction, Fraction]]:
    """The sizes with their probabilities; rounded to multiples of 1 / COARSE if their denominator is too large."""
    exact = _exact([size for size, _ in sizes])
    for size, share in sizes:
        if exact:
            yield size, share
        else:
            parts = -(-size * COARSE // 1) if upwards else size * COARSE // 1
            yield Fraction(parts, COARSE), share


def _servers(sizes: Sequence[Fraction], pools: UnitPools) -> tuple[PoolOfServers, ...]:
    """The pools for *sizes*; capacities are rounded down to multiples of the sizes' grid, as the rest is unusable."""
    whole, grid = max(pools)[0], _common(sizes)
    capacities = [([Fraction(units * grid // whole, grid)], count) for units, count in pools]
    return pools_of([[size] for size in sizes], capacities)


def _exact(sizes: Sequence[Fraction]) -> bool:
    """Whether the table over the units of these sizes is short enough."""
    return _common(sizes) <= MOST_UNITS


def _common(sizes: Sequence[Fraction]) -> int:
    return lcm(*(size.denominator for size in sizes))
