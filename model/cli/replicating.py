"""Replications of one scenario side by side: threads of this process, each with a kernel that holds no lock.

What a run needs of Python (opening it, the next block of jobs, the measures of a batch) is a fifth of its time and
less, and most of that is NumPy's, which lets go of the lock, too.  So two processors nearly halve the time; no process
is started, plans and compiled code are there once, and each run is the very one that it would be alone.  References
hold the lock, and policies of users answer one thread only: those go one after the other.
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

#: Seconds between two looks at how far the runs are.
PATIENCE = 0.1

#: Takes how much of a run is done, and raises :class:`GivenUpError` where that run is to stop.
Tell = Callable[[float], None]


def threads_for(bench: Bench, replications: int) -> int:
    """How many threads runs like this one may have."""
    unlocked = all(leg.has_kernel and not leg.system.policy.brought for leg in bench.legs)
    return min(replications, os.cpu_count() or 1) if unlocked else 1


def side_by_side(
    opened: Callable[[int], _Opened],
    run: Callable[[_Opened, int, Tell], _Found],
    count: int,
    threads: int,
    progress: Callable[[float, float], None],
) -> list[_Found]:
    """The results of runs 0, 1, ..., in this order: each opened in the calling thread, and carried out in one of many.

    *run* is given what was opened, the number of the run, and whom to tell; one thread is the calling one.
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
    """Wait until at most so many are running, looking now and then; what went wrong in one is raised."""
    running = set(begun)
    while len(running) > most:
        done, running = wait(running, PATIENCE, FIRST_COMPLETED)
        for one in done:
            one.result()
        look()
