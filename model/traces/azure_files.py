"""Finds the files of the Azure trace as prepared by Huawei Cloud, by their names.

Arrivals are in ``<name>.txt``, lifetimes in ``<name>.c<seconds of censoring>.txt``, flavours in
``flav_map.txt`` and bins in ``<version>.interval_map.txt``; each may have ``.gz`` after its name.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Iterable, NamedTuple, Sequence

from slotscope.model.errors import TraceError
from slotscope.model.traces.reading import TABLE_HINT, file_size

_LIFETIMES = re.compile(r"(?P<stem>.+)\.c(?P<seconds>[0-9]{1,11})\.txt(\.gz)?")
_FLAVOURS = re.compile(r"(.+\.)?flav_map\.txt(\.gz)?")
_BINS = re.compile(r"(?P<stem>.*?)\.?interval_map\.txt(\.gz)?")
_BATCHES = re.compile(r"(.+\.)?batch_size_map\.txt(\.gz)?")
_ARRIVALS = re.compile(r"(?P<stem>.+?)(\.txt)?(\.gz)?")


class AzureFiles(NamedTuple):
    """The files of one part of the trace."""

    arrivals: Path
    lifetimes: Path
    flavours: Path
    bins: Path
    censored: int  #: the second at which lifetimes were censored, from the name of their file


def azure_files(paths: Sequence[Path]) -> AzureFiles:
    """The files that *paths* name, completed by files in the folders of those.

    A folder means the files in it; other files in a folder are not read.
    Raises TraceError if a path does not exist, or a file is missing, or several files match one purpose.
    """
    if not paths:
        raise TraceError("no file was given; allowed is the trace's folder, or its list of arrivals")
    folders = [path for path in paths if _is_folder(path)]
    named = [path for path in paths if path not in folders]
    for path in named:
        file_size(path)
    places = dict.fromkeys([*folders, *(path.parent for path in named)])
    beside = [path for place in places for path in _content(place)]
    arrivals, lifetimes = _part(named, beside, paths[0])
    seconds = int(_LIFETIMES.fullmatch(lifetimes.name)["seconds"])  # type: ignore[index]
    flavours = _first(_FLAVOURS, named, beside, "flavours, flav_map.txt", arrivals)
    return AzureFiles(arrivals, lifetimes, flavours, _bins(named, beside, arrivals), seconds)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError as error:
        raise TraceError(f"this cannot be read: {error.strerror or error}", where=str(path)) from None


def _content(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.is_file())
    except OSError as error:
        raise TraceError(f"the folder cannot be read: {error.strerror or error}", where=str(folder)) from None


def _part(named: list[Path], beside: list[Path], first: Path) -> tuple[Path, Path]:
    """The (arrivals, lifetimes) of the part that is named, or of the only part there is."""
    candidates = [*named, *beside]
    lifetimes = {match["stem"]: path for path in reversed(candidates) if (match := _LIFETIMES.fullmatch(path.name))}
    arrivals = {_stem(path): path for path in reversed(candidates) if _may_be_arrivals(path)}
    stems = {_stem(path) for path in named if _may_be_arrivals(path)}
    stems |= {match["stem"] for path in named if (match := _LIFETIMES.fullmatch(path.name))}
    pairs = set(lifetimes) & set(arrivals)
    stems = stems & pairs or stems or pairs  # a licence file that is named as well has no lifetimes
    if len(stems) > 1:
        found = ", ".join(sorted(arrivals[stem].name for stem in stems & set(arrivals)))
        raise TraceError(f"found several lists of arrivals: {found}; allowed is one: give its path", where=str(first))
    stem = next(iter(stems), "")
    if stem not in lifetimes or stem not in arrivals:
        lacking = "lifetimes" if stem in arrivals else "arrivals" if stem else "arrivals with their lifetimes"
        raise TraceError(
            f"found no {lacking}; allowed are two files in one folder, such as "
            "v1.dev.txt with the arrivals and v1.dev.c2100000.txt with the lifetimes" + TABLE_HINT,
            where=str(first),
        )
    return arrivals[stem], lifetimes[stem]


def _may_be_arrivals(path: Path) -> bool:
    others = (_LIFETIMES, _FLAVOURS, _BINS, _BATCHES)
    return not any(pattern.fullmatch(path.name) for pattern in others)


def _stem(path: Path) -> str:
    match = _ARRIVALS.fullmatch(path.name)
    return match["stem"] if match else path.name


def _first(pattern: re.Pattern[str], named: Iterable[Path], beside: Iterable[Path], what: str, arrivals: Path) -> Path:
    for path in (*named, *beside):
        if pattern.fullmatch(path.name):
            return path
    raise TraceError(f"found no list of {what}, beside it; allowed is to give its path as well", where=str(arrivals))


def _bins(named: list[Path], beside: list[Path], arrivals: Path) -> Path:
    """The file of bins: one that is named, that of the same version, or any."""
    version = arrivals.name.split(".")[0]
    own = [path for path in beside if (match := _BINS.fullmatch(path.name)) and match["stem"] == version]
    return _first(_BINS, named, [*own, *beside], "bins, v1.interval_map.txt", arrivals)
