"""Runs the independent parts of an experiment on several processors.

Results come back in the order of the tasks, and a task knows its own seed, so that nothing
depends on the number of workers.
"""

from __future__ import annotations

import signal
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import Callable, Sequence, TypeVar

Task = TypeVar("Task")
Outcome = TypeVar("Outcome")

#: Called with how many tasks are done, and of how many.
Progress = Callable[[float, float], None]


def run_all(
    function: Callable[[Task], Outcome], tasks: Sequence[Task], workers: int, progress: Progress
) -> list[Outcome]:
    """*function* of each task, in order.

    Parameters
    ----------
    function:
        Importable by name, so that it can be sent to another process.
    workers:
        Processes; 1 stays in this one.
    progress:
        Told after each task.
    """
    progress(0, len(tasks))
    if not tasks:
        return []
    # The first task runs here: it fills the cache of compiled code that the others share.
    first = function(tasks[0])
    progress(1, len(tasks))
    if workers == 1 or len(tasks) == 1:
        others = []
        for task in tasks[1:]:
            others.append(function(task))
            progress(1 + len(others), len(tasks))
        return [first, *others]
    return [first, *_elsewhere(function, tasks[1:], workers, progress)]


def _elsewhere(
    function: Callable[[Task], Outcome], tasks: Sequence[Task], workers: int, progress: Progress
) -> list[Outcome]:
    # Spawned rather than forked: threads of compiled code and of Qt do not survive a fork.
    pool = ProcessPoolExecutor(
        min(workers, len(tasks)), mp_context=get_context("spawn"), initializer=_leave_quietly
    )
    try:
        futures = [pool.submit(function, task) for task in tasks]
        for done, _ in enumerate(as_completed(futures), 1):
            progress(1 + done, 1 + len(tasks))
        return [future.result() for future in futures]
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _leave_quietly() -> None:
    """Ctrl+C ends a worker without a traceback; the first process tells the user."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
