"""Keeps freed memory in the process, up to a bound, so that it can be allocated again without page faults."""

from __future__ import annotations

import ctypes
import sys
from functools import cache

#: Options of ``mallopt`` with their values in bytes: M_TRIM_THRESHOLD, above which free memory at the end of the heap
#: goes back to the system, and M_MMAP_THRESHOLD, above which arrays are mapped on their own.
_GIVEN_BACK, _OF_ITS_OWN = (-1, 2**25), (-3, 2**22)


@cache
def keep_freed() -> bool:
    """Let arrays that are allocated slice after slice reuse the process's memory; returns whether that is possible.

    Memory returned to the system comes back page by page, each zeroed: for some MB that takes as long as the work on
    them.
    """
    choose = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    return choose is not None and all(choose(what, size) == 1 for what, size in (_GIVEN_BACK, _OF_ITS_OWN))
