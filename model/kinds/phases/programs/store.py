"""A cache of solutions: in memory, and on disk for those that took long.

The key is a hash of the exact job model and of the source code of the solver, so that no outdated solution
is used.  A file that cannot be read or written is ignored.  Files hold numbers and strings but
no objects, so that reading a file from somebody else executes no code.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
import threading
import time
from collections import OrderedDict
from contextlib import suppress
from dataclasses import asdict
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Callable, TypeVar

import numpy as np

from slotscope.model.jit import cache_folder
from slotscope.model.kinds.phases.jobs import JobModel

#: Solving time in seconds from which a solution is written to a file.
WORTH_A_FILE = 1.0
#: Most solutions kept in memory.
MOST_IN_MEMORY = 32

_Solution = TypeVar("_Solution")
_memory: OrderedDict[JobModel, Any] = OrderedDict()
_lock = threading.Lock()


def kept(model: JobModel, solve: Callable[[], _Solution], read: Callable[[dict[str, Any]], _Solution]) -> _Solution:
    """The solution of *model*: from memory, from its file, or from *solve*.

    A solution is a dataclass of numbers, strings, arrays and the like; *read* makes one from the plain data
    of its fields, and raises ValueError, TypeError or LookupError if they are not a solution's.
    """
    with _lock:
        if model in _memory:
            _memory.move_to_end(model)
            remembered: _Solution = _memory[model]
            return remembered
    file = _file(model)
    found = _read(file, read)
    if found is None:
        before = time.perf_counter()
        found = solve()
        if time.perf_counter() - before > WORTH_A_FILE:
            _write(file, found)
    with _lock:
        _memory[model] = found
        while len(_memory) > MOST_IN_MEMORY:
            _memory.popitem(last=False)
    return found


def forget() -> None:
    """Empty the cache in memory; files stay."""
    with _lock:
        _memory.clear()


def folder() -> Path:
    """The user's folder of the files."""
    return cache_folder().parent / "plans"


def _file(model: JobModel) -> Path:
    digest = hashlib.blake2b(digest_size=16)
    digest.update(_source().encode())
    digest.update(repr(model).encode())
    return folder() / f"{digest.hexdigest()}.json"


@cache
def _source() -> str:
    """A hash of the solver's source code and of the versions that it runs on."""
    digest = hashlib.blake2b(f"{sys.version} {np.__version__}".encode(), digest_size=16)
    here = Path(__file__).parent
    lattice = here.parent / "lattice.py"
    for path in [*sorted(here.glob("*.py")), lattice]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _read(file: Path, read: Callable[[dict[str, Any]], _Solution]) -> _Solution | None:
    """The solution in a file; None if there is no file, or it is damaged."""
    try:
        return read(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, LookupError, ArithmeticError, RecursionError):
        return None


def _write(file: Path, found: Any) -> None:
    """Write a file atomically: as a whole, or not at all."""
    text = json.dumps(asdict(found), default=_plain)
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=file.parent, delete=False) as draft:
            draft.write(text)
        Path(draft.name).replace(file)


def _plain(value: Any) -> Any:
    """Values that JSON cannot represent, as plain data."""
    return str(value) if isinstance(value, Fraction) else value.tolist()
