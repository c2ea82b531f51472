"""Jobs for DRA from Google's tasks: the preprocessing of Psychas & Ghaderi (2022), Section 7.2."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from slotscope.model.errors import TraceError
from slotscope.model.traces.google import GoogleTasks
from slotscope.model.traces.jobs import after_first
from slotscope.model.traces.report import ImportReport
from slotscope.model.traces.task_events import REQUEST_UNIT

#: Microseconds in a second.
MICROSECONDS = 10**6
#: Reward per size of priorities 0, 1 and 2: Psychas & Ghaderi (2022), Section 7.2.
REWARD_FACTOR = {0: 1, 1: 3, 2: 9}


@dataclass(frozen=True)
class RewardedType:
    """A job type of Section 7.2: tasks of equal priority and rounded size."""

    demand: tuple[Fraction, ...]  #: [D] of each resource a power of 1/2, as a part of a server, or 0
    priority: int  #: 0, 1 or 2
    reward: Fraction  #: per unit time, size times 1, 3 or 9
    name: str  #: for people: ``"priority 2, size 1/16"``

    @property
    def size(self) -> Fraction:
        """The largest demand."""
        return max(self.demand)


@dataclass(frozen=True, eq=False)
class DraJobs:
    """The jobs of Section 7.2, in the order of arrival."""

    types: tuple[RewardedType, ...]  #: the types that occur, highest priority first, largest size first within it
    time: npt.NDArray[np.float64]  #: float64 [n], seconds after the first arrival, compressed
    type: npt.NDArray[np.int32]  #: int32 [n], index into *types*
    service: npt.NDArray[np.float64]  #: float64 [n], seconds > 0, compressed
    report: ImportReport  #: the import's report, with what this step left out


def halvings(size: int) -> int:
    """The largest k with size <= 2^-k: rounding *size* up gives 2^-k, exactly.

    *size* is in 1/:data:`REQUEST_UNIT`, from 1 to :data:`REQUEST_UNIT`.  Psychas &
    Ghaderi (2022), Section 7.2: "rounding it up to the closest power of 1/2".
    """
    if not 0 < size <= REQUEST_UNIT:
        raise ValueError(f"size {size} is not in 1 .. {REQUEST_UNIT}")
    # 2^k <= REQUEST_UNIT / size holds just if 2^k is at most the quotient's whole part.
    return int(REQUEST_UNIT // size).bit_length() - 1


def dra_jobs(tasks: GoogleTasks, *, time_scale: Fraction | int = 1, limit: int | None = 1_000_000) -> DraJobs:
    """Jobs for DRA as in Psychas & Ghaderi (2022), Section 7.2.

    A task's size is the larger of its CPU and memory request, rounded up to a power of
    1/2.  Tasks of priorities 0, 1 and 2 become jobs with reward size times 1, 3 and 9; the
    paper gives no factor for other priorities, so those are left out.  A job arrives when
    its task was submitted and is served for as long as the task ran (finish - schedule).

    - *time_scale*: The factor by which time is compressed: *time_scale* seconds of the trace become one second, for
      arrivals and service alike.
    - *limit*: Use the first *limit* jobs (after leaving others out); None uses all.

    Raises TraceError if *time_scale* or *limit* is not positive, or no job remains.
    """
    if time_scale <= 0:
        raise TraceError(f"found {time_scale}; allowed is a number above 0", where="time_scale")
    if limit is not None and limit < 1:
        raise TraceError(f"found {limit}; allowed is 1 or more, or no limit", where="limit")
    jobs = tasks.servable()
    factors = ", ".join(str(priority) for priority in REWARD_FACTOR)
    rewarded = np.isin(jobs.priority, list(REWARD_FACTOR))
    jobs = jobs.keep(rewarded, f"of a priority other than {factors}")
    if limit is not None:
        jobs = jobs.keep(np.arange(len(jobs)) < limit, after_first(limit))
    if not len(jobs):
        raise TraceError(
            f"none of {tasks.report.rows} rows leads to a completed run of priority {factors}; "
            "read more parts of the trace, from the first one on",
            where=", ".join(tasks.report.files[:3]),
        )
    types, type_of = _types(jobs)
    return DraJobs(
        types=types,
        time=seconds(jobs.submit - jobs.submit[0], time_scale),
        type=type_of,
        service=seconds(jobs.runtime, time_scale),
        report=jobs.report.then(len(jobs), "jobs", ()),
    )


def seconds(microseconds: npt.NDArray[np.int64], time_scale: Fraction | int) -> npt.NDArray[np.float64]:
    """float64 [n] seconds, of which *time_scale* of the trace are one."""
    second = Fraction(time_scale) * MICROSECONDS
    scaled = microseconds.astype(np.float64) * second.denominator / second.numerator
    return np.asarray(scaled, dtype=np.float64)


def _types(jobs: GoogleTasks) -> tuple[tuple[RewardedType, ...], npt.NDArray[np.int32]]:
    """The types of *jobs* and the index of each job's type, int32 [n]."""
    sizes, size_of = np.unique(jobs.size, return_inverse=True)
    exponent = np.array([halvings(int(size)) for size in sizes], dtype=np.int64)[size_of]
    keys, type_of = np.unique(np.stack((-jobs.priority.astype(np.int64), exponent)), axis=1, return_inverse=True)
    return tuple(_type(-int(p), int(k)) for p, k in keys.T), type_of.ravel().astype(np.int32)


def _type(priority: int, exponent: int) -> RewardedType:
    size = Fraction(1, 2**exponent)
    name = f"priority {priority}, size {size}"
    return RewardedType((size,), priority, size * REWARD_FACTOR[priority], name)
