"""What is made piece by piece, made one piece ahead in a thread of its own."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Generator, Iterator, TypeVar

Piece = TypeVar("Piece")


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def ahead(pieces: Iterator[Piece]) -> Generator[Piece, None, None]:
    """The same, in order: while one is looked at, the next is made.

    Pieces must not share what the making of the next one changes.  Nobody is told there how far it is, and nobody stops
    it: what uses the pieces does so.  Once they are not wanted any more, that under way is waited for.
    """
    with ThreadPoolExecutor(1, "ahead") as thread:
        coming = thread.submit(next, pieces, None)
        while (piece := coming.result()) is not None:
            coming = thread.submit(next, pieces, None)
            yield piece
