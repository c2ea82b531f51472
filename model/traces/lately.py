"""What was read lately is kept: runs of other seeds, forks, exercises and lanes play the same jobs again."""

from __future__ import annotations

import stat
from dataclasses import fields, is_dataclass
from functools import lru_cache, wraps
from pathlib import Path
from time import time_ns
from typing import Any, Callable, Sequence, TypeVar, cast

import numpy as np

_Read = TypeVar("_Read", bound=Callable[..., Any])

#: What is kept for each format, and for how many bytes of files at most; whole weeks of a cluster are read anew.
MOST_RECENT, MOST_BYTES = 4, 2**26

#: Nanoseconds for which a file must have stood still: file systems tell no times that are closer than some.
_SETTLED = 60 * 10**9

#: Of a file: its size, and when it was written.
_Stamp = tuple[int, int]


def read_lately(read: _Read) -> _Read:
    """*read*, whose first argument are paths: what it has read lately is given once more, unless files have changed.

    All share that, so that its arrays cannot be written.
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
    """By what a change of files is seen; none where it would not be, or where there is too much to keep."""
    try:
        found = [path.stat() for path in paths]
    except (OSError, ValueError):  # no file has a name with a zero in it
        return ()  # whoever reads them says so
    latest = time_ns() - _SETTLED
    settled = all(stat.S_ISREG(one.st_mode) and one.st_mtime_ns < latest for one in found)
    if not settled or sum(one.st_size for one in found) > MOST_BYTES:
        return ()
    return tuple((one.st_size, one.st_mtime_ns) for one in found)


def _fix(found: Any) -> None:
    """Let nobody write the arrays of what was read."""
    if isinstance(found, np.ndarray):
        found.setflags(write=False)
    elif isinstance(found, tuple):
        for one in found:
            _fix(one)
    elif is_dataclass(found):
        for field in fields(found):
            _fix(getattr(found, field.name))
