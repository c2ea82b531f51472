"""Replications of one scenario side by side, in threads of this process, with kernels that release Python's lock.

The rest of a run (opening it, the next block of jobs, the measures of a batch) takes a fifth of its time or less, and
most of that is spent in NumPy, which releases the lock, too.  So two processors nearly halve the time; no process is
started, plans and compiled code exist once, and each run is exactly what it would be alone.  Reference policies hold
the lock, and user policies can serve only one thread, so runs with these are done one after the other.
"""

from __future__ import annotations

import os
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from threading import Event
from typing import Callable, TypeVar

from slotscope.model.running.assembly import Bench
from slotscope.model.running.waiting import GivenUpError

_Opened = TypeVar("_Opened")
_Found = TypeVar("_Found")

#: Seconds between two progress updates.
PATIENCE = 0.1

#: Receives the share of a run that is done; raises :class:`GivenUpError` if the run is to stop.
Tell = Callable[[float], None]


def threads_for(bench: Bench, replications: int) -> int:
    """The number of threads for replications of such a run."""
    unlocked = all(leg.has_kernel and not leg.system.policy.brought for leg in bench.legs)
    return min(replications, os.cpu_count() or 1) if unlocked else 1


def side_by_side(
    opened: Callable[[int], _Opened],
    run: Callable[[_Opened, int, Tell], _Found],
    count: int,
    threads: int,
    progress: Callable[[float, float], None],
) -> list[_Found]:
    """The results of runs 0, 1, ..., in this order: each is opened in the calling thread and executed in one of many.

    *run* gets what was opened, the number of the run, and a progress function; the calling thread counts as one.
    """
    shares, stopping = [0.0] * count, Event()

    def tell_of(position: int) -> Tell:
        def tell(share: float) -> None:
            if stopping.is_set():
                raise GivenUpError("stopped")
            shares[position] = share
            if threads == 1:
                progress(sum(shares), count)

        return tell

    if threads == 1:
        return [run(opened(position), position, tell_of(position)) for position in range(count)]
    begun: list[Future[_Found]] = []
    with ThreadPoolExecutor(threads) as pool:
        try:
            for position in range(count):
                ready = opened(position)
                _wait(begun, threads - 1, lambda: progress(sum(shares), count))
                begun.append(pool.submit(run, ready, position, tell_of(position)))
            _wait(begun, 0, lambda: progress(sum(shares), count))
        finally:
            stopping.set()
    return [one.result() for one in begun]


def _wait(begun: list[Future[_Found]], most: int, look: Callable[[], None]) -> None:
    """Wait until at most *most* runs are left, calling *look* now and then; re-raises the exception of a run."""
    running = set(begun)
    while len(running) > most:
        done, running = wait(running, PATIENCE, FIRST_COMPLETED)
        for one in done:
            one.result()
        look()
