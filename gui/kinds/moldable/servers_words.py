"""Texts on servers and jobs: header, captions, labels and tooltips."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from slotscope.gui.kinds.moldable.servers_content import PoolSection, pieces_of, shares
from slotscope.gui.kinds.moldable.wording import class_words, time_words
from slotscope.gui.painting.text import symbol
from slotscope.gui.panels.wording import significant
from slotscope.model.kinds.moldable.state import ARRIVED, BLOCKED, BUSY, JOBS
from slotscope.model.reporting.explain import counted, grouped, plural, quantity
from slotscope.model.reporting.frame import Frame, RunInfo
from slotscope.model.reporting.letters import own_letters

#: Most pieces of a job that are listed one by one.
MOST_LISTED = 6
_Q = f"{symbol('q')}₁"


def header(frame: Frame) -> tuple[str, ...]:
    """The servers in use, the jobs, and those blocked so far; the longest wording first."""
    state, servers = frame.state, frame.info.numbers.servers
    busy, jobs = int(state.number[BUSY]), int(state.number[JOBS])
    blocked, arrived = int(state.tally[BLOCKED].sum()), int(state.tally[ARRIVED].sum())
    share = f"{_Q} = {busy / servers:.3f}"
    use = f"{share}: {grouped(busy)} of {counted(servers, 'server')} in use by {counted(jobs, 'job')}"
    lost = f"{grouped(blocked)} of {grouped(arrived)} blocked so far"
    percent = f" ({significant(100 * blocked / arrived, 3)} %)" if arrived else ""
    return (
        f"{use}; {lost}{percent}",
        f"{use}; {lost}",
        f"{share}, {counted(jobs, 'job')}, {grouped(blocked)} blocked",
        share,
    )


def caption_words(frame: Frame, section: PoolSection) -> tuple[str, ...]:
    """The caption of a section, the longest wording first."""
    if section.pool < 0:
        servers = counted(section.size, "server")
        return f"In no pool: {servers}, idle for ever", f"in no pool: {servers}"
    name = frame.info.facts.pool_names[section.pool]
    busy = section.size - int(frame.state.free[section.pool])
    if name == "common":
        start = f"Common to all classes: {counted(section.size, 'server')}"
    else:
        start = f"Reserved for {name}: {counted(section.size, 'server')}"
    return f"{start}, {grouped(busy)} in use", _of_size(frame, section, busy)


def brief_caption(frame: Frame, section: PoolSection) -> str:
    """The shortest caption of a section, for when all servers are in use."""
    return caption_words(frame, section)[-1] if section.pool < 0 else _of_size(frame, section, section.size)


def _of_size(frame: Frame, section: PoolSection, busy: int) -> str:
    return f"{frame.info.facts.pool_names[section.pool]}: {grouped(busy)} of {grouped(section.size)}"


# Jobs.


def job_name(info: RunInfo, number: int) -> str:
    """The name of a job, as scripted, or its number; its class is left out."""
    narrator: Any = info.narrator
    words: str = narrator.job(number)
    return words


def class_letter(info: RunInfo, job_class: int) -> str:
    """The letter of a class; empty if there is only one."""
    names = info.numbers.class_names
    return own_letters(names, 0)[job_class] if len(names) > 1 else ""


#: Number of kinds of lines in a job's block, by priority: i with the number requested, the name, the
#: remaining execution time.
LABELS = 3


def job_labels(frame: Frame, record: int, start: int, most: int = LABELS) -> list[tuple[str, ...]]:
    """At most *most* lines for a job's block, each with the longest wording first.

    Only i may be written as a bare number.  *start* is a server of the piece that they are written on.
    """
    state, info = frame.state, frame.info
    width, asked = int(state.job_width[record]), int(state.job_request[record])
    letter = class_letter(info, int(state.job_class[record]))
    number = f"{letter} {width}" if letter else str(width)
    whole = f"{number} of {asked}" if info.facts.has_asked(asked) else f"{number} {plural(width, 'server')}"
    labels: list[tuple[str, ...]] = [(whole, number, str(width))]
    if most > 1:
        labels.append(_names(frame, record, start))
    if most > 2:
        left = significant(max(0.0, float(state.job_departure[record]) - frame.time), 2)
        labels.append((f"{quantity(left, info.time_unit)} left", f"{left} left"))
    return labels[:most]


def _names(frame: Frame, record: int, start: int) -> tuple[str, ...]:
    """The wordings of a job's name, for the piece at server *start* if it has several."""
    name = job_name(frame.info, int(frame.state.job_number[record]))
    short = re.sub(r"^job (?=\d)", "#", name)
    if frame.state.piece_next[record] < 0:
        return (name, short)
    pieces = pieces_of(frame.state, record)
    piece = 1 + next(place for place, (first, length) in enumerate(pieces) if first <= start < first + length)
    part = f"({piece}/{len(pieces)})"
    return (f"{name}, piece {piece} of {len(pieces)}", f"{name} {part}", f"{short} {part}", name, short)


def job_lines(frame: Frame, record: int) -> list[str]:
    """A job's properties, one per line."""
    state, info = frame.state, frame.info
    width, asked = int(state.job_width[record]), int(state.job_request[record])
    job_class = int(state.job_class[record])
    of_class = class_words(info, job_class)
    name = job_name(info, int(state.job_number[record]))
    arrived, departs = float(state.job_arrival[record]), float(state.job_departure[record])
    factor = float(info.numbers.speedup_table[job_class, width])
    share = float(shares(state, np.array([record]), frame.time)[0])
    got = "got them all" if width == asked else f"got {grouped(width)}{info.facts.all_that_were_free(asked, width)}"
    asks = info.facts.has_asked(asked)
    return [
        f"{name} of class {of_class}" if of_class else name,
        f"asked for {counted(asked, 'server')}, {got}" if asks else f"got {counted(width, 'server')}",
        f"inherent size {time_words(info, (departs - arrived) * factor)}, "
        f"{significant(factor)} times as fast on {counted(width, 'server')}",
        f"arrived at {significant(arrived, 6)}, departs at {significant(departs, 6)}: "
        f"{round(100 * share)} % executed, {time_words(info, max(0.0, departs - frame.time))} left",
        *_piece_lines(frame, record),
    ]


def _piece_lines(frame: Frame, record: int) -> list[str]:
    pieces = pieces_of(frame.state, record)
    if len(pieces) == 1:
        return [f"on {_range(*pieces[0])}"]
    words = [_range(*piece) for piece in pieces[:MOST_LISTED]]
    more = ["..."] if len(pieces) > MOST_LISTED else []
    return [f"in {len(pieces)} pieces, as no gap held it: {'; '.join([*words, *more])}"]


def _range(start: int, length: int) -> str:
    if length == 1:
        return f"server {grouped(start + 1)}"
    return f"servers {grouped(start + 1)} to {grouped(start + length)}"


def server_words(frame: Frame, server: int, section: PoolSection) -> str:
    """The properties of a server without a job."""
    name = f"server {grouped(server + 1)}"
    if section.pool < 0:
        return f"{name}: belongs to no pool and stays idle"
    pool = frame.info.facts.pool_names[section.pool]
    of = f" ({'common' if pool == 'common' else f'reserved for {pool}'})" if pool else ""
    return f"{name}{of}: free"
