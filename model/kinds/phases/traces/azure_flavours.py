"""The Azure trace V1 of 2017 as prepared by Huawei Cloud: virtual machines by flavour.

A line of arrivals is ``<seconds> f,f,|,f``: the flavours of the machines created at that time,
with ``|`` between the batches of different tenants.  The lines of lifetimes have the same form with ``U<bin>``
(the machine ended, after a time in that bin) or ``C<bin>`` (it was still running at the time of
censoring).

Data: Microsoft's AzurePublicDataset V1 (Cortez et al., SOSP 2017), CC-BY 4.0, prepared by Huawei
Cloud.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import groupby, zip_longest
from pathlib import Path
from typing import Iterator, Mapping, NamedTuple, Sequence

from slotscope.model.errors import TraceError
from slotscope.model.kinds.phases.traces.fixed_types import FixedType, FixedTypes
from slotscope.model.scenario.fields import plain
from slotscope.model.traces.azure_files import AzureFiles, azure_files
from slotscope.model.traces.lately import read_lately
from slotscope.model.traces.reading import FieldError, Watch, lines, scaled_decimal, shown, whole_number
from slotscope.model.traces.report import ImportReport, LeftOut

SOURCE = "Azure VM trace V1 (2017), prepared by Huawei Cloud"
MACHINES = "virtual machines"

#: Separates two batches.
BETWEEN = "|"

#: Upper bounds of times in seconds and of a flavour's amounts, and the decimals of the amounts.
LATEST, MOST_AMOUNT, _DIGITS = 10**11, 10**6, 6

_LIFE = re.compile(r"([UC])([0-9]{1,6})")


class Bin(NamedTuple):
    """The shortest and the longest lifetime in a bin, in seconds."""

    shortest: int
    longest: int


class _Seen(NamedTuple):
    """What was observed of each flavour, by its letter."""

    arrivals: Counter[str]
    ends: Counter[str]
    twice_time: Counter[str]  #: twice the seconds, so that the midpoint of a bin is an integer


def read_flavours(paths: Sequence[Path], *, limit: int | None = None) -> FixedTypes:
    """Read one part of the trace.

    A lifetime that ended counts as the midpoint of its bin (or of the bin's part before the
    time of censoring); a censored one as the time until the censoring.

    - *paths*: As for :func:`model.traces.azure_files.azure_files`.
    - *limit*: Use the lines up to the first *limit* machines; None uses all.

    Raises TraceError if a file cannot be used, with one line on where, what was found and what is allowed;
    GivenUpError if the caller's wait was cancelled.
    """
    files = azure_files(paths)
    return _read(files[:4], files.censored, limit)


@read_lately
def _read(paths: Sequence[Path], censored: int, limit: int | None) -> FixedTypes:
    files = AzureFiles(paths[0], paths[1], paths[2], paths[3], censored)
    watch = Watch(paths)
    flavours = _flavours(files.flavours, watch)
    bins = _bins(files.bins, watch)
    seen = _Seen(Counter(), Counter(), Counter())
    batches = left = rows = 0
    start, end = files.censored, files.censored
    for line in _lines(files, watch):
        rows += 1
        some = line.machines.total()
        start = min(start, line.time)
        if left or (limit is not None and seen.arrivals.total() + some > limit):
            end, left = min(end, line.time), left + some
        else:
            batches += line.batches
            _count(files, line, flavours, bins, seen)
    kept = seen.arrivals.total()
    if not kept:
        found = (
            f"more than {limit:,} machines in the first line; allowed is a larger limit"
            if left
            else "no machine; allowed is a trace that has some"
        )
        raise TraceError(f"found {found}", where=str(files.arrivals))
    out = LeftOut(f"after the first {kept:,} machines", left, MACHINES)
    report = ImportReport(SOURCE, tuple(path.name for path in paths), rows, 0, MACHINES)
    types = tuple(_type(name, *amounts, seen) for name, amounts in flavours.items() if seen.arrivals[name])
    return FixedTypes(types, Fraction(end - start), report.then(kept, MACHINES, (out,), _notes(seen, batches)))


def _type(letter: str, cpu: Fraction, memory: Fraction, seen: _Seen) -> FixedType:
    name = f"{plain(cpu)} vCPU {plain(memory)} GiB"
    time = Fraction(seen.twice_time[letter], 2)
    return FixedType(name, (cpu, memory), seen.arrivals[letter], seen.ends[letter], time)


def _notes(seen: _Seen, batches: int) -> tuple[str, ...]:
    running = seen.arrivals.total() - seen.ends.total()
    return (
        f"they came in {batches:,} batches; here each machine comes by itself",
        "a lifetime is the middle of its bin; the bin of the shortest ones has the lifetime 0",
        f"{running:,} machines were still running at the end: a flavour's mean lifetime is the "
        "time for which all its machines were seen to run, over the number of ends that were seen "
        "(maximum likelihood for an exponential distribution with censoring)",
    )


class _ArrivalLine(NamedTuple):
    """A line of arrivals with its lifetimes."""

    number: int  #: the line's number in the file of arrivals
    other: int  #: the line's number in the file of lifetimes
    time: int
    batches: int
    machines: Counter[tuple[str, str]]  #: how many of each flavour and lifetime


def _lines(files: AzureFiles, watch: Watch) -> Iterator[_ArrivalLine]:
    """Read the lines of the two files in parallel."""
    before = -1
    pairs = zip_longest(_rows(files.arrivals, watch), _rows(files.lifetimes, watch))
    for arrivals, lifetimes in pairs:
        if arrivals is None or lifetimes is None:
            shorter = files.lifetimes if lifetimes is None else files.arrivals
            longer = files.arrivals if lifetimes is None else files.lifetimes
            raise TraceError(
                f"the file ends before {longer.name} does; allowed is a line for each line of that", where=str(shorter)
            )
        line = _line(files, arrivals, lifetimes)
        if not before < line.time < files.censored:
            raise TraceError(
                f"row {line.number}: found the time {line.time} s; allowed is one after {before} s "
                f"and before {files.censored} s, the time of censoring",
                where=str(files.arrivals),
            )
        before = line.time
        yield line


_Entries = tuple[int, int, list[str]]  #: a line's number, its time, and its entries


def _line(files: AzureFiles, arrivals: _Entries, lifetimes: _Entries) -> _ArrivalLine:
    number, time, letters = arrivals
    other, same_time, lives = lifetimes
    if time != same_time or len(letters) != len(lives):
        raise TraceError(
            f"row {other}: found {len(lives)} entries for {same_time} s; allowed are "
            f"{len(letters)} for {time} s, as in row {number} of {files.arrivals.name}",
            where=str(files.lifetimes),
        )
    machines = Counter(zip(letters, lives, strict=True))
    for letter, life in machines:
        if (letter == BETWEEN) != (life == BETWEEN):
            raise TraceError(
                f"row {other}: found {shown(life)} for {shown(letter)}; allowed "
                f"is '{BETWEEN}' where the arrivals have it and nowhere else",
                where=str(files.lifetimes),
            )
    del machines[BETWEEN, BETWEEN]
    batches = sum(machine for machine, _ in groupby(letters, lambda letter: letter != BETWEEN))
    return _ArrivalLine(number, other, time, batches, machines)


def _rows(path: Path, watch: Watch) -> Iterator[_Entries]:
    """The entries of each line that is not blank."""
    empty = True
    for number, line in enumerate(lines(path, watch=watch), 1):
        text = line.strip()
        if not text:
            continue
        empty = False
        seconds, _, rest = text.partition(" ")
        try:
            time = whole_number(seconds, "seconds", 0, LATEST)
        except FieldError as error:
            raise error.at(path, number) from None
        entries = [entry.strip() for entry in rest.rstrip(",").split(",")] if rest else []
        if "" in entries:
            raise TraceError(
                f"row {number}: found an empty entry; allowed are entries with commas between them", where=str(path)
            )
        yield number, time, entries
    if empty:
        raise TraceError("found blank lines only; a trace has rows", where=str(path))


def _count(
    files: AzureFiles,
    line: _ArrivalLine,
    flavours: Mapping[str, tuple[Fraction, Fraction]],
    bins: Mapping[int, Bin],
    seen: _Seen,
) -> None:
    """Add the machines of one line to what was observed."""
    follow = files.censored - line.time
    for (letter, life), count in line.machines.items():
        if letter not in flavours:
            raise FieldError("flavour", letter, f"a letter of {files.flavours.name}: {', '.join(flavours)}").at(
                files.arrivals, line.number
            )
        match = _LIFE.fullmatch(life)
        if match is None or int(match[2]) not in bins:
            raise FieldError("lifetime", life, f"U or C and a bin of {files.bins.name}, 0 to {max(bins)}").at(
                files.lifetimes, line.other
            )
        shortest, longest = bins[int(match[2])]
        seen.arrivals[letter] += count
        if match[1] == "C":
            seen.twice_time[letter] += 2 * count * min(max(follow, shortest), longest)
        elif shortest > follow:
            raise FieldError(
                "lifetime", life, f"a bin of at most {follow} s, which is left until the time of censoring"
            ).at(files.lifetimes, line.other)
        else:
            seen.ends[letter] += count
            seen.twice_time[letter] += count * (shortest + min(longest, follow))


def _flavours(path: Path, watch: Watch) -> dict[str, tuple[Fraction, Fraction]]:
    """CPUs and GiB of each flavour, by its letter."""
    found: dict[str, tuple[Fraction, Fraction]] = {}
    for number, (amounts, letter) in _pairs(path, watch, "'vcpu,memGiB letter'"):
        try:
            cpu, _, memory = amounts.partition(",")
            flavour = (_amount(cpu, "vcpu"), _amount(memory, "memGiB"))
            if letter == BETWEEN or letter in found or flavour in found.values():
                raise FieldError("flavour", f"{amounts} {letter}", "each letter and each flavour once")
        except FieldError as error:
            raise error.at(path, number) from None
        found[letter] = flavour
    return found


def _amount(text: str, column: str) -> Fraction:
    return Fraction(scaled_decimal(text, column, _DIGITS, MOST_AMOUNT), 10**_DIGITS)


def _bins(path: Path, watch: Watch) -> dict[int, Bin]:
    """The shortest and longest lifetime of each bin, by its number."""
    members: defaultdict[int, list[int]] = defaultdict(list)
    for number, (seconds, label) in _pairs(path, watch, "'seconds bin'"):
        try:
            members[whole_number(label, "bin", 0, 10**6)].append(whole_number(seconds, "seconds", 0, LATEST))
        except FieldError as error:
            raise error.at(path, number) from None
    return {label: Bin(min(seconds), max(seconds)) for label, seconds in members.items()}


def _pairs(path: Path, watch: Watch, allowed: str) -> Iterator[tuple[int, tuple[str, str]]]:
    """The two words of each line that is not blank, with the line's number."""
    empty = True
    for number, line in enumerate(lines(path, watch=watch), 1):
        words = line.split()
        if len(words) == 2:
            empty = False
            yield number, (words[0], words[1])
        elif words:
            raise TraceError(f"row {number}: found {shown(line)}; allowed is {allowed}", where=str(path))
    if empty:
        raise TraceError("found blank lines only; a list has rows", where=str(path))
