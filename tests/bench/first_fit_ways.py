"""First fit in C with all of the kernel's work, on copies of its arrays: the final state is the same to the bit."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any, Callable

import numpy as np

from slotscope.model.kinds.reservation.rows import EVENT_ROW
from slotscope.model.kinds.reservation.state import FREE, NEXT_ARRIVAL, SPEC, ReservationState
from slotscope.model.running.assembly import Bench
from slotscope.model.systems.state import copied
from slotscope.model.systems.statespec import with_more_records
from tests.bench.contestants import TAPE, events_of
from tests.bench.native import Pointers, library_of
from tests.bench.simpy_loss import Outcome, Problem

SOURCE = "first_fit.c"


def roomy(state: ReservationState) -> ReservationState:
    """A copy of a settled state with twice the job records, so that no run needs more."""
    larger: ReservationState = with_more_records(SPEC, copied(state), FREE)
    return larger


def same_in_c(
    bench: Bench, state: ReservationState, problem: Problem, folder: Path
) -> Callable[[], Callable[[], Outcome]] | None:
    """The kernel's work in C, or None where no compiler is installed."""
    library = library_of(Path(__file__).with_name(SOURCE), folder)
    if library is None:
        return None
    kernel: Any = bench.kernel()

    def prepared() -> Callable[[], Outcome]:
        current = copied(state)
        index = kernel.build(current)[0]
        rejected, tape = np.zeros(len(problem.time), np.uint8), np.zeros(TAPE, EVENT_ROW)
        counts = (*problem.demand.shape, index.room.shape[1], index.room_summary.shape[1])
        first, jobs = int(current.number[NEXT_ARRIVAL]), len(problem.time)
        arrivals = (problem.demand, problem.capacity, problem.time, problem.type, problem.service)
        system = Pointers.of(*current, *index, *arrivals, *counts, first, jobs, bench.system.initial_jobs)
        begun = events_of(current)

        def run() -> Outcome:
            library.run_first_fit(
                ctypes.byref(system),
                ctypes.c_void_p(rejected.ctypes.data),
                ctypes.c_void_p(tape.ctypes.data),
                ctypes.c_int64(len(tape)),
            )
            return Outcome(events_of(current) - begun, np.flatnonzero(rejected).tolist(), current)

        return run

    return prepared
