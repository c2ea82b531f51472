"""The upper bound over time: what the best assignment of an infinite system's jobs earns.

Psychas & Ghaderi (2022), Section 7.2, "Upper Bound": LP (3.1) with Y-hat(t), the jobs in an
infinite system that meets the same stream and rejects no job, on L servers.  No algorithm
can have more jobs of a type than the infinite system has, nor a placement outside of (3.1);
so the bound holds at each moment.  Per server it is U*[Y-hat(t)/L] of (3.2).

The long-run mean lies below U*[rho], because U* is concave and Y-hat(t) fluctuates: 0.973 of
it in the example of Section 7.1 with L = 180.
"""

from __future__ import annotations

from typing import Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.reservation.initial import StartingJob
from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.programs.reward_function import RewardFunction
from slotscope.model.measures.metrics import BATCHES, Estimate, estimate
from slotscope.model.scenario.workload import Workload

#: Moments at which the bound is evaluated for a time average.
MOMENTS = 20_000

Times = NDArray[np.float64]


def jobs_in_infinite_system(
    workload: Workload, types: int, times: Times, starting: Sequence[StartingJob] = ()
) -> NDArray[np.int64]:
    """[n, J] Y-hat(t), the jobs that would be in service at *times* if none were rejected.

    Parameters
    ----------
    workload:
        The stream; its blocks are read up to the last of *times*, and not kept.
    types:
        J.
    times:
        [n] ascending.  A job counts from its arrival on, and no more from its departure on.
    starting:
        Jobs in service at time 0.

    Raises
    ------
    ValueError
        If *times* do not ascend.
    """
    times = np.asarray(times, float)
    if (np.diff(times) < 0).any():
        raise ValueError("the times of a bound must ascend")
    change = np.zeros((len(times) + 1, types), np.int64)  # the last row: after all times
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
    """[n] the bound at *times*, reward per server and time unit; see :func:`jobs_in_infinite_system`.

    Raises
    ------
    ValueError
        If *times* do not ascend, or a search is too long.
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
    """The time average of the bound over [warmup, until), with an interval by batch means.

    The bound is evaluated at *moments* equally spaced times, each in the middle of its
    piece.  That is no integral, but in the long run its mean is the same, and what the
    batches vary by contains its error.

    Raises
    ------
    ValueError
        If the times are not 0 <= warmup < until, or a search is too long.
    """
    if not 0 <= warmup < until < np.inf:
        raise ValueError(f"found warmup {warmup} and until {until}; 0 <= warmup < until is needed")
    pieces = max(moments // BATCHES, 1) * BATCHES
    times = warmup + (np.arange(pieces) + 0.5) * ((until - warmup) / pieces)
    bound = infinite_bound(numbers, workload, np.asarray(times, np.float64), starting)
    return estimate(bound.reshape(BATCHES, -1).mean(axis=1))
