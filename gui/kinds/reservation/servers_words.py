"""Tooltips and captions of servers and columns, and the job in each slot."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Mapping

import numpy as np

from slotscope.gui.intents import Select
from slotscope.gui.kinds.reservation.servers_columns import ConfigurationColumn, StackFigure
from slotscope.gui.kinds.reservation.wording import configuration_words, letter_words
from slotscope.gui.painting.text import symbol
from slotscope.gui.panels.wording import job_words
from slotscope.model.kinds.reservation.state import ReservationState
from slotscope.model.reporting.explain import grouped
from slotscope.model.reporting.frame import Frame
from slotscope.model.reporting.records import Configuration

X_HAT = "X\u0302"


def job_at(state: ReservationState, server: int, job_type: int, slot: int) -> int | None:
    """The number of the job in a slot of *server*, counted from 0; None if the slot is empty.

    A type's slots are filled in the order in which its jobs came to the server.
    """
    filled = int(state.placement[server, job_type])
    if not 0 <= slot < filled:
        return None
    record = int(state.first_job[server, job_type])
    for _ in range(filled - 1 - slot):
        record = int(state.job_next[record])
    return int(state.job_number[record])


def slot_of(state: ReservationState, job: int) -> tuple[int, int, int] | None:
    """Server, job type and slot of a job in service; None if the job is not in the system."""
    records = np.flatnonzero(state.job_number == job)
    if job < 0 or not len(records):
        return None
    record = int(records[0])
    server, job_type = int(state.job_server[record]), int(state.job_type[record])
    newer = 0
    before = int(state.job_previous[record])
    while before >= 0:
        newer += 1
        before = int(state.job_previous[before])
    return server, job_type, int(state.placement[server, job_type]) - 1 - newer


def reward_of(frame: Frame, configuration: Configuration) -> str:
    """U(k), the reward per time unit of a server with all its slots filled."""
    return _reward_of(tuple(frame.info.numbers.rewards), configuration)


@lru_cache(maxsize=256)
def _reward_of(rewards: tuple[Fraction, ...], configuration: Configuration) -> str:
    total = sum((Fraction(k) * u for k, u in zip(configuration, rewards, strict=True)), Fraction(0))
    return grouped(int(total)) if total.denominator == 1 else f"{float(total):.6g}"


def filled_words(frame: Frame, server: int) -> str:
    """How many of a server's slots of each type are filled; without reservation, its jobs."""
    slots = frame.state.configuration[server].tolist()
    jobs = frame.state.placement[server].tolist()
    names = frame.info.numbers.type_names
    if frame.info.facts.reserves_slots:
        parts = [f"{n} of {k} {name}" for n, k, name in zip(jobs, slots, names, strict=True) if k]
        return ", ".join(parts) or "no slots"
    parts = [f"{n} {name}" for n, name in zip(jobs, names, strict=True) if n]
    return ", ".join(parts) or "empty"


def greedy_position(frame: Frame, server: int) -> int:
    """The i for which the server's configuration is k[i] of the last GPA; 0 if there is none."""
    state = frame.state
    found = len(frame.derived.held)
    same = (state.greedy_configuration[:found] == state.configuration[server]).all(axis=1)
    return int(same.argmax()) + 1 if same.any() else 0


def server_words(frame: Frame, server: int) -> str:
    """One sentence about a server."""
    start = f"server {grouped(server + 1)}"
    filled = filled_words(frame, server)
    if not frame.info.facts.reserves_slots:
        return f"{start}: {filled}; {used_words(frame, server)}"
    if not frame.info.facts.has_groups:
        slots = configuration_words(tuple(frame.state.configuration[server].tolist()))
        return f"{start}: configuration {slots}; {filled}"
    classes = frame.derived
    position = greedy_position(frame, server)
    configuration = configuration_words(tuple(frame.state.configuration[server].tolist()))
    name = f"k[{position}] = {configuration}" if position else configuration
    group = "Reject Group" if classes.reject_group[server] else "Accept Group"
    return (
        f"{start}: configuration {name}, index {grouped(int(classes.index[server]))}, "
        f"rank {classes.rank[server]}, {group}; {filled}"
    )


def used_words(frame: Frame, server: int) -> str:
    """The share of each resource that the jobs on a server use."""
    numbers = frame.info.numbers
    if not numbers.resource_names:
        return "its placement is feasible"
    used = (frame.state.placement[server] @ numbers.demand) / numbers.capacity
    shares = zip(used, numbers.resource_names, strict=True)
    parts = [f"{share:.0%} of {name}" for share, name in shares]
    return f"uses {' and '.join(parts)}"


def slot_words(frame: Frame, server: int, job_type: int, slot: int) -> str:
    job = job_at(frame.state, server, job_type, slot)
    if job is None:
        return f"this slot for {frame.info.numbers.type_names[job_type]} jobs is empty"
    return f"here: {job_words(frame.info, job_type, job)}"


def pointed_words(frame: Frame, server: int, slot: tuple[int, int] | None) -> str:
    """The tooltip of a server, and of one of its slots (job type and slot number) if given."""
    words = server_words(frame, server)
    return words if slot is None else f"{words}; {slot_words(frame, server, *slot)}"


def selected(frame: Frame, server: int, slot: tuple[int, int] | None, floating: bool) -> Select:
    """The selection that a click on a server, and on one of its slots if given, makes."""
    job = job_at(frame.state, server, *slot) if slot is not None else None
    return Select(server=server, job=job, floating=floating)


def column_words(frame: Frame, column: ConfigurationColumn) -> str:
    """One sentence about a configuration."""
    name = configuration_words(column.configuration)
    servers = f"{grouped(column.held)} {'server' if column.held == 1 else 'servers'}"
    if column.is_empty:
        return f"{servers} without slots, free to be reassigned"
    reward = f"reward U(k) = {reward_of(frame, column.configuration)} per server"
    if not column.position:
        return f"{name}: {reward}; {servers}; GPA does not want this configuration"
    if column.wanted is None:
        return f"k[{column.position}] = {name}: {reward}; X = {servers}; {X_HAT} is not found yet"
    state = "matched"
    if column.missing:
        state = f"{grouped(column.missing)} still missing"
    elif column.surplus:
        state = f"the {grouped(column.surplus)} most recent are surplus"
    return (
        f"k[{column.position}] = {name}: {reward}; X = {servers}, GPA wants {X_HAT} = {grouped(column.wanted)}; {state}"
    )


HAT = symbol(X_HAT)


@dataclass(frozen=True)
class Caption:
    """The texts above one column, the most important first."""

    name: str  #: k[i]
    position: str  #: i
    configuration: str
    letters: str  #: the configuration in its shortest form
    reward: str
    short_reward: str
    counts: str
    short_counts: str
    settled: bool = True
    filled: tuple[str, ...] = ()  #: [J] filled slots out of all slots, by type


@dataclass(frozen=True)
class Captions:
    """All captions of the columns at one moment."""

    columns: tuple[Caption, ...]
    reach: int  #: I*, the last column below the first bracket
    i_star: tuple[str, ...]  #: in a long and a short form, like the next two
    above: tuple[str, ...]  #: over the columns after I*
    others: tuple[str, ...]  #: over the columns of configurations that GPA does not want


def captions_of(frame: Frame, figure: StackFigure, known: Mapping[Any, Caption] | None = None) -> Captions:
    """The captions of a moment; columns named in *known* keep the captions given there."""
    last = frame.info.numbers.ranks + 1
    i_star = f"{symbol('I')}* = {figure.i_star}"
    at_i_star = figure.columns[figure.i_star - 1] if figure.i_star <= figure.greedy else None
    reason = ": all are matched"
    if frame.records and frame.records[-1].kind != "classify":
        reason = " of the last CRA"
    elif at_i_star is not None and at_i_star.missing:
        reason = ": the first that stays short"
    return Captions(
        tuple(
            known[name] if known and name in known else _caption(frame, column)
            for name, column in zip(figure.names, figure.columns, strict=True)
        ),
        reach=figure.i_star,
        i_star=(f"{i_star}{reason}", i_star),
        above=(f"rank above {symbol('I')}*", f"> {symbol('I')}*", ""),
        others=(f"not wanted: rank {last}", f"rank {last}", ""),
    )


def _caption(frame: Frame, column: ConfigurationColumn | None) -> Caption:
    if column is None:
        return Caption("", "", "none now", "none", "", "", "", "")
    held = grouped(column.held)
    if not column.position:
        words = "no slots" if column.is_empty else configuration_words(column.configuration)
        rewards = ("", "") if column.is_empty else _rewards(frame, column)
        counts = f"{symbol('X')} = {held}"
        letters = "none" if column.is_empty else letter_words(column.configuration, "")
        return Caption("", "", words, letters, *rewards, counts, held, filled=_filled(frame, column))
    wanted = "…" if column.wanted is None else grouped(column.wanted)
    reward, short_reward = _rewards(frame, column)
    return Caption(
        name=f"{symbol('k')}[{column.position}]",
        position=str(column.position),
        configuration=configuration_words(column.configuration),
        letters=letter_words(column.configuration, ""),
        reward=reward,
        short_reward=short_reward,
        counts=f"{symbol('X')} = {held}   {HAT} = {wanted}",
        short_counts=f"{held} / {wanted}",
        settled=column.settled,
        filled=_filled(frame, column),
    )


def caption_lines(caption: Caption, rows: int, split: bool) -> list[tuple[tuple[str, ...], bool]]:
    """The lines above a column: alternative texts, longest first, and whether the line is emphasized.

    With two rows, the reward follows the numbers of servers if it fits; a single row has name and numbers.  A text that
    does not fit becomes an ellipsis, since part of a number would read as another number.
    """
    titles: tuple[str, ...] = (caption.configuration, caption.letters, caption.letters.replace(" ", ""))
    counts, short = caption.counts, caption.short_counts
    if rows == 1:
        names = (f"{caption.name} = {titles[0]}", caption.name) if caption.name else titles[:2]
        tight = short.replace(" ", "")
        briefer: tuple[str, ...] = (f"{titles[1]} {short}", short or titles[1], tight)
        if caption.name:  # numbers alone would pass for those of another column
            briefer = (f"{caption.name} {tight}", f"{caption.position}: {tight}", f"{caption.position}:")
        return [((*(f"{name}   {short}" for name in names), *briefer, ""), True)]
    lines: list[tuple[tuple[str, ...], bool]] = []
    if caption.name and split:
        lines.append(((caption.name, caption.position), True))
    elif caption.name:
        titles = tuple(f"{caption.name} = {title}" for title in titles)
    lines.append(((*titles, "…", ""), True))
    numbers = counts, short, short.replace(" ", ""), *(("…",) if counts else ()), ""
    if rows == 2:
        together = tuple(f"{words}   {caption.reward}" for words in (counts, short))
        return [*lines, ((*together, *numbers), True)]
    return [*lines, ((caption.reward, caption.short_reward, ""), False), (numbers, True)]


def _filled(frame: Frame, column: ConfigurationColumn) -> tuple[str, ...]:
    jobs = frame.state.placement[column.servers].sum(axis=0).tolist()
    return tuple(
        f"{grouped(n)}/{grouped(slots * column.held)}" for n, slots in zip(jobs, column.configuration, strict=True)
    )


def _rewards(frame: Frame, column: ConfigurationColumn) -> tuple[str, str]:
    reward = reward_of(frame, column.configuration)
    return f"{symbol('U')} = {reward}", reward


def labels_above(figure: StackFigure, number: int) -> list[tuple[tuple[str, ...], str]]:
    """The labels above a stack, from the bottom up: alternative texts, longest first, and the colour's role."""
    column = figure.columns[number]
    if column is None:
        return []
    result: list[tuple[tuple[str, ...], str]] = []
    if column.held and figure.reject_group[column.servers[-1]]:
        result.append((("Reject Group", "RG"), "reject_group"))
    if column.missing:
        missing = grouped(column.missing)
        result.append(((f"{missing} missing", missing), "greedy"))
    elif column.position and column.surplus:
        surplus = grouped(column.surplus)
        result.append(((f"{surplus} surplus", surplus), "muted"))
    return result
