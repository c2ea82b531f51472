"""Gives memory back in which code of libraries stands: a start reads twice as much of it as what comes after."""

from __future__ import annotations

import ctypes
import mmap
import re
from contextlib import suppress
from pathlib import Path
from typing import Iterator, NamedTuple

_MAPPING = re.compile(r"([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \d+\s*(.*)")


class _Mapping(NamedTuple):
    """A stretch of memory: where, of which file, whether code in it runs, bytes that are in memory, and were changed.

    One that can be written to counts as of no file: a page might be written between the look and the letting go.
    """

    start: int
    end: int
    file: str
    runs: bool
    resident: int
    changed: int


def give_back_libraries(smaps: Path = Path("/proc/self/smaps")) -> int:
    """Let go of the pages of libraries that are as they are in their files; bytes that they took.

    Most of LLVM runs when a kernel is loaded, 70 MB, and half of the rest while libraries are linked and a window is
    built.  Whatever runs again gets its pages from the file, which the system has in memory as long as there is room.
    Other files stay: they may be let go of by now, and something else stand there.  0 where the system does not tell
    what is mapped.
    """
    advise = getattr(ctypes.CDLL(None), "madvise", None) if hasattr(mmap, "MADV_DONTNEED") else None
    if advise is None:
        return 0
    advise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    given, mapped = 0, list(_mappings(smaps))
    libraries = {one.file for one in mapped if one.runs} - {""}
    for one in mapped:
        if one.file in libraries and one.resident and not one.changed:
            done = advise(one.start, one.end - one.start, mmap.MADV_DONTNEED) == 0
            given += one.resident if done else 0
    return given


def _mappings(smaps: Path) -> Iterator[_Mapping]:
    """What is mapped; nothing where that cannot be read."""
    with suppress(OSError):
        start, end, file, runs, resident = 0, 0, "", False, 0
        for line in smaps.read_text(encoding="utf-8", errors="replace").splitlines():
            if found := _MAPPING.match(line):
                start, end, file = int(found[1], 16), int(found[2], 16), found[4]
                file, runs = "" if "w" in found[3] or not file.startswith("/") else file, "x" in found[3]
            elif line.startswith("Rss:"):
                resident = 1024 * int(line.split()[1])
            elif line.startswith("Anonymous:"):
                yield _Mapping(start, end, file, runs, resident, 1024 * int(line.split()[1]))
