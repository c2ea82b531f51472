"""One source for a function that runs as plain Python and compiled.

Functions marked :func:`jitable` are written in the subset of Python that Numba compiles.
Called from Python they are plain Python, and nothing imports Numba; called from a
function that went through :func:`compiled` they are compiled and inlined into it.  Neither
may allocate an array (callers pass scratch arrays): without Numba's reference counting the
kernels run eight times faster.  So the physics of
a system is written once for the reference engine and for the kernels, and the window can
paint before Numba (0.7 s to import) is there.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Callable, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])

_marked: list[Callable[..., Any]] = []


def jitable(function: _Function) -> _Function:
    """Mark *function* as callable from compiled functions; it stays plain Python."""
    _marked.append(function)
    return function


@cache
def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The compiled twin of *function*: releases the GIL, kept in a cache on disk.

    The first call of the twin compiles (seconds) or loads from the cache (milliseconds).
    """
    numba = load_numba()
    while _marked:
        numba.extending.register_jitable(forceinline=True, _nrt=False)(_marked.pop())
    twin: Callable[..., Any] = numba.njit(cache=True, nogil=True, error_model="numpy", _nrt=False)(
        function
    )
    return twin


@cache
def load_numba() -> ModuleType:
    """Numba, with its cache in a folder that belongs to exactly this source.

    Numba invalidates a cached function when its own file changes, but not when a function
    or constant that it uses does; a folder named after a hash of the source closes that gap.
    """
    os.environ.setdefault("NUMBA_CACHE_DIR", str(cache_folder()))
    import numba
    import numba.extending

    module: ModuleType = numba
    return module


#: Files whose change must lead to compiling anew, below ``model/``.
_COMPILED_FROM = (
    "jit.py", "records.py", "kernels/**/*.py", "systems/**/*.py", "programs/**/*.py",
)  # fmt: skip


def cache_folder() -> Path:
    """The folder for compiled code of this source, this Python and this user.

    Numba keeps the code of each clone of the repository apart, by its path; so does the folder.
    """
    digest = hashlib.blake2b(f"{sys.version} {Path(__file__).parent}".encode(), digest_size=8)
    for pattern in _COMPILED_FROM:
        for path in sorted(Path(__file__).parent.glob(pattern)):
            digest.update(path.read_bytes())
    root = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    if not os.access(Path(root).parent, os.W_OK):
        root = tempfile.gettempdir()
    return Path(root) / "slotscope" / "compiled" / digest.hexdigest()
