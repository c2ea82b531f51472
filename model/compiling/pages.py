"""Gives memory back in which LLVM's code stands: what is compiled runs without it."""

from __future__ import annotations

import ctypes
import mmap
import re
from contextlib import suppress
from pathlib import Path
from typing import Iterator, NamedTuple

#: The library that compiles, and links what was compiled before.
LIBRARY = "libllvmlite"

_MAPPING = re.compile(r"([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \d+\s*(.*)")


class _Mapping(NamedTuple):
    """A stretch of memory: where, of which file, bytes of it that are in memory, and that were changed.

    One that can be written to counts as of no file: a page might be written between the look and the letting go.
    """

    start: int
    end: int
    file: str
    resident: int
    changed: int


def give_back_compiler(smaps: Path = Path("/proc/self/smaps")) -> int:
    """Let go of the pages of LLVM that are as they are in its file; bytes that it took.

    Loading a kernel touches half of them, 70 MB.  Whatever runs there again gets them from the file, which the
    system has in memory as long as there is room.  0 where the system does not tell what is mapped.
    """
    advise = getattr(ctypes.CDLL(None), "madvise", None) if hasattr(mmap, "MADV_DONTNEED") else None
    if advise is None:
        return 0
    advise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    given = 0
    for one in _mappings(smaps):
        if LIBRARY in one.file and not one.changed:
            done = advise(one.start, one.end - one.start, mmap.MADV_DONTNEED) == 0
            given += one.resident if done else 0
    return given


def _mappings(smaps: Path) -> Iterator[_Mapping]:
    """What is mapped; nothing where that cannot be read."""
    with suppress(OSError):
        start, end, file, resident = 0, 0, "", 0
        for line in smaps.read_text(encoding="utf-8", errors="replace").splitlines():
            if found := _MAPPING.match(line):
                start, end, file = int(found[1], 16), int(found[2], 16), found[4]
                file = "" if "w" in found[3] else file
            elif line.startswith("Rss:"):
                resident = 1024 * int(line.split()[1])
            elif line.startswith("Anonymous:"):
                yield _Mapping(start, end, file, resident, 1024 * int(line.split()[1]))
