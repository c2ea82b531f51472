"""What is made piece by piece, made ahead and looked at in threads of their own."""

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
    """The same, in order: while one is looked at, the next is made.

    Pieces must not share what the making of the next one changes.  Nobody is told there how far it is, and nobody stops
    it: what uses the pieces does so.  Once they are not wanted any more, that under way is waited for.
    """
    with ThreadPoolExecutor(1, "ahead") as thread:
        coming = thread.submit(next, pieces, None)
        while (piece := coming.result()) is not None:
            coming = thread.submit(next, pieces, None)
            yield piece


def looked_at(
    pieces: Generator[Piece, None, None], look: Callable[[Piece], Found], at_once: int
) -> Generator[Found, None, None]:
    """What *look* finds in each piece, in order: in so many *at once*, while the next ones are made.

    With one at once nothing is done in another thread.
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
