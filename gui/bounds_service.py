"""Solves a scenario's programs in another process, so that neither run nor window waits."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import Future, ProcessPoolExecutor
from typing import Callable

from model.bounds import Bounds
from model.programs.solving import solve_bounds
from model.systems.reservation.numbers import ReservationNumbers

Receiver = Callable[[Bounds], None]


class BoundsService:
    """One worker process for linear programs; a new request replaces one that waits."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None
        self._waiting: Future[Bounds] | None = None

    def request(self, numbers: ReservationNumbers, receiver: Receiver) -> None:
        """Solve, then call *receiver* (in another thread) with the result."""
        if self._waiting is not None:
            self._waiting.cancel()
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(1, mp_context=context)
        future = self._pool.submit(
            solve_bounds, numbers.space, numbers.rewards, numbers.workload
        )
        self._waiting = future
        future.add_done_callback(lambda done: _deliver(done, receiver))

    def stop(self) -> None:
        """End the process at once."""
        if self._pool is not None:
            processes = list((self._pool._processes or {}).values())
            self._pool.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                process.terminate()
            self._pool = None


def _deliver(done: Future[Bounds], receiver: Receiver) -> None:
    if done.cancelled():
        return
    error = done.exception()
    receiver(Bounds(problem=f"The programs could not be solved: {error}") if error
             else done.result())  # fmt: skip
