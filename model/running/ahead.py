"""Pipelines: items of a generator are produced ahead, and processed, in threads of their own."""

from __future__ import annotations

import os
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from typing import Callable, Generator, TypeVar

Piece = TypeVar("Piece")
Found = TypeVar("Found")


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def ahead(pieces: Generator[Piece, None, None]) -> Generator[Piece, None, None]:
    """The same items in order, produced one ahead in another thread.

    An item must not share data that producing the next one changes.  The thread has no waiter: progress reports and
    cancellation are up to the consumer.  When that stops early, the item in production is waited for.
    """
    with ThreadPoolExecutor(1, "ahead") as thread:
        coming = thread.submit(next, pieces, None)
        while (piece := coming.result()) is not None:
            coming = thread.submit(next, pieces, None)
            yield piece


def looked_at(
    pieces: Generator[Piece, None, None], look: Callable[[Piece], Found], at_once: int
) -> Generator[Found, None, None]:
    """The results of *look* for each item, in order, computed in *at_once* threads while the next items are produced.

    With *at_once* = 1 no other thread is used.
    """
    if at_once == 1:
        yield from map(look, pieces)
        return
    under_way: deque[Future[Found]] = deque()
    with closing(ahead(pieces)) as coming, ThreadPoolExecutor(at_once, "look") as lookers:
        for piece in coming:
            under_way.append(lookers.submit(look, piece))
            if len(under_way) > at_once:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
