"""Memory that was let go of and will be wanted again: it stays with the process, as long as it is not much."""

from __future__ import annotations

import ctypes
import sys
from functools import cache

#: What C libraries call it, and bytes: of what was let go of at the end of the heap more goes back to the system, and
#: larger arrays come from there.
_GIVEN_BACK, _OF_ITS_OWN = (-1, 2**25), (-3, 2**22)


@cache
def keep_freed() -> bool:
    """Let arrays that are made anew for slice after slice come from memory that the process has; whether that can be.

    What goes back to the system comes again page by page, each zeroed: of some MB that takes as long as what is done
    with them.
    """
    choose = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    return choose is not None and all(choose(what, size) == 1 for what, size in (_GIVEN_BACK, _OF_ITS_OWN))
