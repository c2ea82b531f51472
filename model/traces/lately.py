"""A cache of recently read traces, since runs of other seeds, forks, exercises and lanes play the same jobs again."""

from __future__ import annotations

import stat
from dataclasses import fields, is_dataclass
from functools import lru_cache, wraps
from pathlib import Path
from time import time_ns
from typing import Any, Callable, Sequence, TypeVar, cast

import numpy as np

_Read = TypeVar("_Read", bound=Callable[..., Any])

#: The most results kept for each format, and the most bytes of files of one: whole weeks of a cluster are read anew.
MOST_RECENT, MOST_BYTES = 4, 2**26

#: Nanoseconds since a file's last change before its time is trusted, as times in file systems have a finite resolution.
_SETTLED = 60 * 10**9

#: The size of a file, and its modification time.
_Stamp = tuple[int, int]


def read_lately(read: _Read) -> _Read:
    """Decorates a function that reads a list of paths: a recent result is returned again if no file has changed.

    The result is shared by all callers, so its arrays are made read-only.
    """

    @lru_cache(maxsize=MOST_RECENT)
    def kept(_: tuple[_Stamp, ...], paths: tuple[Path, ...], *asked: Any, **more: Any) -> Any:
        found = read(paths, *asked, **more)
        _fix(found)
        return found

    @wraps(read)
    def reading(paths: Sequence[Path], *asked: Any, **more: Any) -> Any:
        stamps = _stamps(paths)
        return kept(stamps, tuple(paths), *asked, **more) if stamps else read(paths, *asked, **more)

    return cast("_Read", reading)


def _stamps(paths: Sequence[Path]) -> tuple[_Stamp, ...]:
    """The stamps by which a change of files is detected; empty if it might not be, or if the files are too large."""
    try:
        found = [path.stat() for path in paths]
    except (OSError, ValueError):  # ValueError: a path with a NUL character
        return ()  # the error is reported when the files are read
    latest = time_ns() - _SETTLED
    settled = all(stat.S_ISREG(one.st_mode) and one.st_mtime_ns < latest for one in found)
    if not settled or sum(one.st_size for one in found) > MOST_BYTES:
        return ()
    return tuple((one.st_size, one.st_mtime_ns) for one in found)


def _fix(found: Any) -> None:
    """Make all arrays in a result read-only."""
    if isinstance(found, np.ndarray):
        found.setflags(write=False)
    elif isinstance(found, tuple):
        for one in found:
            _fix(one)
    elif is_dataclass(found):
        for field in fields(found):
            _fix(getattr(found, field.name))
