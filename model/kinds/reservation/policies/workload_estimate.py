"""The estimates of the workload for DRA's reference vector Y-hat.

Reference
    Psychas & Ghaderi (2022), (4.1), and Section 9: "if a more accurate estimate of the
    workload is available, we can incorporate that estimate in the vector Y-hat".
Implements
    ``jobs``    Y_j(t), the jobs in the system, as in (4.1).
    ``given``   L rho_j, rounded up; rho_j per server from ``estimate``, or from the scenario.
    ``window``  L rho_j as observed in the last ``window`` units of time: arrivals (admitted or
                not) per unit of time, times the mean service time of the departed jobs.
Symbols
    rho_j  workload of a type per server: its mean number of jobs in an infinite system, divided by L
Deviations
    The paper does not say how to estimate.  The window moves on in BUCKETS steps, so that its
    memory is bounded.  Y_j is used for a type without a departure in the window.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.policies.base import ArrivingJob, Decisions, DepartedJob
from slotscope.model.kinds.reservation.view import ReservationView
from slotscope.model.reporting.records import Remember

WorkloadSource = Literal["jobs", "given", "window"]

#: The number of buckets (steps) that a window is divided into.
BUCKETS = 16

#: What each bucket counts for each type: arrivals, departures, and the total time in service of departed jobs.
ARRIVALS, DEPARTURES, SERVED = range(3)
COUNTED = 3

# Positions in a window's memory; the table of counts starts at TABLE.
BUCKET, SINCE, TABLE = range(3)


class Estimator(Protocol):
    """Estimates the number of jobs of each type for which DRA reserves slots."""

    #: How many numbers the estimator remembers, and whether an arrival or departure changes them.
    memory: int
    learns: bool
    #: Whether DRA's kernel implements the estimator.
    compiled: bool

    def workload(self, view: ReservationView) -> list[int]:
        """[J] the estimated number of jobs, to which DRA adds g(L)."""

    def start(self, view: ReservationView) -> Decisions:
        """Start to observe."""

    def arrival(self, view: ReservationView, job: ArrivingJob) -> Decisions:
        """Record an arrival."""

    def departure(self, view: ReservationView, job: DepartedJob) -> Decisions:
        """Record a departure."""


class PresentJobs:
    """The jobs in the system, Y_j(t) of (4.1)."""

    memory = 0
    learns = False
    compiled = True

    def workload(self, view: ReservationView) -> list[int]:
        """See :class:`Estimator`."""
        jobs: list[int] = view.jobs_in_system.tolist()
        return jobs

    def start(self, view: ReservationView) -> Decisions:
        """Nothing to record."""
        yield from ()

    def arrival(self, view: ReservationView, job: ArrivingJob) -> Decisions:
        """Nothing to record."""
        yield from ()

    def departure(self, view: ReservationView, job: DepartedJob) -> Decisions:
        """Nothing to record."""
        yield from ()


class GivenWorkload(PresentJobs):
    """A given workload: [J] ``jobs`` are the L rho_j, rounded up to whole jobs."""

    def __init__(self, jobs: list[int]) -> None:
        self.jobs = jobs

    def workload(self, view: ReservationView) -> list[int]:
        """See :class:`Estimator`."""
        return list(self.jobs)


class MovingWindow:
    """The workload observed in the last *window* units of time.

    The memory is the number of the present bucket, the time at which observation began, and
    a table [J, COUNTED, BUCKETS] of what was counted in each bucket.
    """

    learns = True
    compiled = False

    def __init__(self, types: int, window: float) -> None:
        self.types = types
        self.window = window
        self.step = window / BUCKETS
        self.memory = TABLE + types * COUNTED * BUCKETS

    def start(self, view: ReservationView) -> Decisions:
        """Start with an empty table at the present time."""
        blank = (0.0,) * (self.memory - TABLE)
        yield Remember(numbers=(float(floor(view.now / self.step)), view.now, *blank))

    def workload(self, view: ReservationView) -> list[int]:
        """See :class:`Estimator`."""
        counted = self._table(view).sum(axis=2)
        # The present bucket is not full yet, so the window starts where the oldest bucket starts.
        oldest = (floor(view.now / self.step) + 1 - BUCKETS) * self.step
        observed = view.now - max(float(view.memory[SINCE]), oldest)
        result = []
        for job_type, present in enumerate(view.jobs_in_system):
            arrivals, departures, served = counted[job_type]
            if departures == 0 or observed <= 0:
                result.append(int(present))
            else:
                result.append(ceil(arrivals / observed * served / departures))
        return result

    def arrival(self, view: ReservationView, job: ArrivingJob) -> Decisions:
        """Count the arrival, admitted or not."""
        yield self._noted(view, job.type, ((ARRIVALS, 1.0),))

    def departure(self, view: ReservationView, job: DepartedJob) -> Decisions:
        """Count the departure and its time in service."""
        yield self._noted(view, job.type, ((DEPARTURES, 1.0), (SERVED, job.served)))

    def _table(self, view: ReservationView) -> NDArray[np.float64]:
        """[J, COUNTED, BUCKETS] the table of counts, after clearing the buckets that are out of the window."""
        table = view.memory[TABLE:].reshape(self.types, COUNTED, BUCKETS).copy()
        present = floor(view.now / self.step)
        passed = min(BUCKETS, present - int(view.memory[BUCKET]))
        for bucket in range(present - passed + 1, present + 1):
            table[:, :, bucket % BUCKETS] = 0.0
        return table

    def _noted(self, view: ReservationView, job_type: int, amounts: tuple[tuple[int, float], ...]) -> Remember:
        table = self._table(view)
        present = floor(view.now / self.step)
        for what, amount in amounts:
            table[job_type, what, present % BUCKETS] += amount
        since = float(view.memory[SINCE])
        return Remember(numbers=(float(present), since, *table.ravel().tolist()))


def estimator(numbers: ReservationNumbers, parameters: Any) -> Estimator:
    """The estimator that the parameters ``workload``, ``estimate`` and ``window`` choose.

    Raises ValueError if a needed estimate is missing, or does not have one number for each type.
    """
    if parameters.workload == "jobs":
        return PresentJobs()
    if parameters.workload == "window":
        return MovingWindow(numbers.types, float(parameters.window))
    given: tuple[Fraction, ...] = parameters.estimate or numbers.workload
    if len(given) != numbers.types:
        raise ValueError(f"estimate: found {len(given)} numbers, allowed: {numbers.types}, one for each job type")
    if not any(given):
        raise ValueError(
            "estimate: found none, and the scenario's workload is not known; "
            "allowed: the workload of each job type per server"
        )
    return GivenWorkload([ceil(load * numbers.servers) for load in given])
