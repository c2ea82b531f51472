"""Returns memory with code of libraries to the system: a start reads twice as much of it as what comes after."""

from __future__ import annotations

import ctypes
import mmap
import re
from contextlib import suppress
from pathlib import Path
from typing import Iterator, NamedTuple

_MAPPING = re.compile(r"([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \d+\s*(.*)")


class _Mapping(NamedTuple):
    """A memory mapping: its range, file, whether it is executable, and how many bytes are resident, and modified.

    A writable one counts as having no file: a page might be written between the check and its release.
    """

    start: int
    end: int
    file: str
    runs: bool
    resident: int
    changed: int


def give_back_libraries(smaps: Path = Path("/proc/self/smaps")) -> int:
    """Release the unmodified pages of libraries; returns how many bytes they took.

    Most of LLVM, 70 MB, runs when a kernel is loaded, and half of the rest while libraries are linked and a window is
    built.  Code that runs again gets its pages from the file, which is in the system's page cache as long as there is
    room.  Mappings of other files are left alone: they may have been replaced in the meantime.  Returns 0 if the system
    does not list mappings.
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
    """The process's memory mappings; none if the list cannot be read."""
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
