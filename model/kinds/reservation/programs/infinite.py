"""The upper bound over time: the reward of the best assignment of an infinite system's jobs.

Psychas & Ghaderi (2022), Section 7.2, "Upper Bound": LP (3.1) on L servers with Y-hat(t), the jobs in
an infinite system that has the same arrivals and rejects no job.  Under no algorithm are there more
jobs of a type than in the infinite system, or a placement outside of (3.1); so the bound holds at each
time.  Per server it is U*[Y-hat(t)/L] of (3.2).

The long-run mean is below U*[rho], because U* is concave and Y-hat(t) fluctuates: 0.973 of
it in the example of Section 7.1 with L = 180.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.reservation.initial import StartingJob
from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.programs.optimum import exact_optimum
from slotscope.model.kinds.reservation.programs.pools import PoolShare, pooled_optimum
from slotscope.model.measures.metrics import BATCHES, Estimate, estimate
from slotscope.model.programs.configurations import Configuration, ConfigurationSpace
from slotscope.model.scenario.workload import Workload

#: A basic variable down to -FEASIBLE counts as feasible, because of rounding errors in the inverse.
FEASIBLE = 1e-9
#: Workloads are rounded to this denominator before they are solved exactly.
WORKLOAD_DENOMINATOR = 10**12
#: The number of workloads that are evaluated together.
CHUNK = 16_384

Workloads = NDArray[np.float64]


class RewardFunction:
    """U* as a function of the workload; it caches the linear pieces that it has solved.

    - *pools*: [P] the feasible configurations of each pool, and its share of the servers; [(K, 1)] if all servers
      are identical.
    - *rewards*: [J] u_j >= 0.
    """

    def __init__(self, pools: Sequence[PoolShare], rewards: Sequence[Fraction]) -> None:
        self._pools = tuple(pools)
        self._rewards = tuple(rewards)
        self._divisible = len(pools) == 1 and is_divisible(pools[0][0])
        self._known: dict[Configuration, None] = {}
        self._pieces: list[_Piece] = []

    @property
    def solved(self) -> int:
        """The number of programs solved so far."""
        return len(self._pieces)

    def __call__(self, workloads: Workloads) -> Workloads:
        """[n] U*[rho] for *workloads* [n, J], each >= 0; exact up to rounding errors (1e-9).

        Raises ValueError if a workload is negative, or a search too long.
        """
        workloads = np.asarray(workloads, float)
        if self._divisible:
            return divisible_optimum(self._pools[0][0], self._rewards, workloads)
        values = np.empty(len(workloads))
        for start in range(0, len(workloads), CHUNK):
            part = slice(start, start + CHUNK)
            values[part] = self._look_up(workloads[part])
        return values

    def _look_up(self, workloads: Workloads) -> Workloads:
        values = np.full(len(workloads), np.nan)
        open_places = np.arange(len(workloads))
        for piece in self._pieces:
            open_places = piece.fill(workloads, values, open_places)
        while len(open_places):
            first = workloads[open_places[0]]
            piece = self._solve(first)
            values[open_places[0]] = piece.at(first)
            open_places = piece.fill(workloads, values, open_places[1:])
        return values

    def _solve(self, workload: NDArray[np.float64]) -> _Piece:
        exact = [Fraction(float(amount)).limit_denominator(WORKLOAD_DENOMINATOR) for amount in workload]
        if len(self._pools) == 1:
            space = self._pools[0][0]
            optimum = exact_optimum(space, self._rewards, exact, known=self._known)
            self._known.update(dict.fromkeys(optimum.generated))
            prices = (*optimum.workload_prices, optimum.server_price)
            piece = _Piece(optimum.basis, prices, [1.0])
        else:
            pooled = pooled_optimum(self._pools, self._rewards, exact)
            prices = (*pooled.workload_prices, *pooled.pool_prices)
            piece = _Piece(pooled.basis, prices, [float(share) for _, share in self._pools])
        self._pieces.append(piece)
        return piece


class _Piece:
    """A linear piece of U*: p rho + q b for all rho for which its basis is feasible.

    *basis* [m][m] are its columns, *prices* [m] the dual prices of its rows, and *shares* the right-hand
    sides of the rows after those of the types.
    """

    def __init__(self, basis: Sequence[Sequence[int]], prices: Sequence[Fraction], shares: Sequence[float]) -> None:
        types = len(prices) - len(shares)
        inverse = np.linalg.inv(np.array(basis, float).T)
        self._inverse = inverse[:, :types]
        self._fixed = inverse[:, types:] @ shares
        self._prices = np.array([float(price) for price in prices[:types]])
        self._constant = float(np.dot([float(price) for price in prices[types:]], shares))

    def at(self, workload: NDArray[np.float64]) -> float:
        """The value of the piece at one workload."""
        return float(workload @ self._prices + self._constant)

    def fill(self, workloads: Workloads, values: Workloads, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Write the values at those *places* at which the basis is feasible; returns the other places."""
        if not len(places):
            return places
        mine = workloads[places]
        amounts = mine @ self._inverse.T + self._fixed
        feasible = (amounts >= -FEASIBLE).all(axis=1)
        values[places[feasible]] = mine[feasible] @ self._prices + self._constant
        return np.asarray(places[~feasible], np.int64)


def is_divisible(space: ConfigurationSpace) -> bool:
    """Whether there is one resource, and the size of each type that fits divides the capacity."""
    if not space.additive or len(space.capacity) != 1:
        return False
    room = space.capacity[0]
    return all(room % row[0] == 0 for row, fits in zip(space.demand, space.fits, strict=True) if fits)


def divisible_optimum(space: ConfigurationSpace, rewards: Sequence[Fraction], workloads: Workloads) -> Workloads:
    """[n] U*[rho] for *workloads* [n, J] if :func:`is_divisible` holds.

    The types fill the server in decreasing order of reward per unit of size; the last one that
    finds room may be served in part, as in (3.2).
    Raises ValueError if a size does not divide the server.
    """
    if not is_divisible(space):
        raise ValueError("the sizes of the job types do not divide the server")
    room = space.capacity[0]
    fitting = [j for j, fits in enumerate(space.fits) if fits]
    order = sorted(fitting, key=lambda j: rewards[j] / space.demand[j][0], reverse=True)
    values = np.zeros(len(workloads))
    left = np.ones(len(workloads))
    for j in order:
        share = float(Fraction(space.demand[j][0], room))
        taken = np.minimum(workloads[:, j] * share, left)
        left -= taken
        values += taken * float(rewards[j] / Fraction(space.demand[j][0], room))
    return values


#: The number of times at which the bound is evaluated for a time average.
MOMENTS = 20_000

Times = NDArray[np.float64]


def jobs_in_infinite_system(
    workload: Workload, types: int, times: Times, starting: Sequence[StartingJob] = ()
) -> NDArray[np.int64]:
    """[n, J] Y-hat(t), the jobs that would be in service at *times* if none were rejected.

    - *workload*: The arrivals; blocks are read up to the last of *times*, and not kept.
    - *types*: J.
    - *times*: [n] ascending.  A job counts from its arrival (inclusive) to its departure (exclusive).
    - *starting*: Jobs in service at time 0.

    Raises ValueError if *times* do not ascend.
    """
    times = np.asarray(times, float)
    if (np.diff(times) < 0).any():
        raise ValueError("the times of a bound must ascend")
    change = np.zeros((len(times) + 1, types), np.int64)  # the last row: changes after all times
    if starting:
        number = np.array([job.type for job in starting])
        until = np.array([job.service for job in starting])
        _count(change, times, number, np.full(len(starting), -np.inf), until)
    end = times[-1] if len(times) else -np.inf
    block = workload.block_at(0)
    while block is not None and block.time[0] <= end:
        _count(change, times, block.type, block.time, block.time + block.service)
        block = workload.block_at(block.end)
    return np.asarray(change[:-1].cumsum(axis=0))


def _count(change: NDArray[np.int64], times: Times, job_type: NDArray[np.integer], since: Times, until: Times) -> None:
    np.add.at(change, (np.searchsorted(times, since, side="left"), job_type), 1)
    np.add.at(change, (np.searchsorted(times, until, side="left"), job_type), -1)


def infinite_bound(
    numbers: ReservationNumbers, workload: Workload, times: Times, starting: Sequence[StartingJob] = ()
) -> Times:
    """[n] the bound at *times*, reward per server and unit of time; see :func:`jobs_in_infinite_system`.

    Raises ValueError if *times* do not ascend, or a search is too long.
    """
    jobs = jobs_in_infinite_system(workload, numbers.types, times, starting)
    return RewardFunction(numbers.pool_shares, numbers.rewards)(jobs / numbers.servers)


def infinite_average(
    numbers: ReservationNumbers,
    workload: Workload,
    warmup: float,
    until: float,
    starting: Sequence[StartingJob] = (),
    moments: int = MOMENTS,
) -> Estimate:
    """The time average of the bound over [warmup, until), with a confidence interval by batch means.

    The bound is evaluated at *moments* equally spaced times, each in the middle of its
    subinterval.  This is not the exact integral, but has the same mean in the long run, and the
    variance of the batches includes its error.
    Raises ValueError if the times are not 0 <= warmup < until, or a search is too long.
    """
    if not 0 <= warmup < until < np.inf:
        raise ValueError(f"found warmup {warmup} and until {until}; 0 <= warmup < until is needed")
    pieces = max(moments // BATCHES, 1) * BATCHES
    times = warmup + (np.arange(pieces) + 0.5) * ((until - warmup) / pieces)
    bound = infinite_bound(numbers, workload, np.asarray(times, np.float64), starting)
    return estimate(bound.reshape(BATCHES, -1).mean(axis=1))
