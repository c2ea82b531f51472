"""What hovering says of servers and columns, one sentence each, and which job is in a slot."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from slotscope.gui.intents import Select
from slotscope.gui.kinds.reservation.servers_columns import ConfigurationColumn
from slotscope.gui.panels.wording import job_words
from slotscope.gui.theme import type_letter
from slotscope.model.kinds.reservation.state import ReservationState
from slotscope.model.reporting.explain import grouped, shown
from slotscope.model.reporting.frame import Frame
from slotscope.model.reporting.records import Configuration

X_HAT = "X\u0302"


def job_at(state: ReservationState, server: int, job_type: int, slot: int) -> int | None:
    """The number of the job in a slot, counted from 0; None if the slot is empty.

    The slots of a type are filled in the order in which the jobs came to the server.
    """
    filled = int(state.placement[server, job_type])
    if not 0 <= slot < filled:
        return None
    record = int(state.first_job[server, job_type])
    for _ in range(filled - 1 - slot):
        record = int(state.job_next[record])
    return int(state.job_number[record])


def slot_of(state: ReservationState, job: int) -> tuple[int, int, int] | None:
    """Server, job type and slot of a job in service; None if it is not in the system."""
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
    rewards = frame.info.numbers.rewards
    total = sum((Fraction(k) * u for k, u in zip(configuration, rewards, strict=True)), Fraction(0))
    return grouped(int(total)) if total.denominator == 1 else f"{float(total):.6g}"


def configuration_words(configuration: Configuration, room: int = 6) -> str:
    """(12, 3, 8, 0), or where there are many types the nonzero ones as 12 A + 3 B."""
    return shown(configuration) if len(configuration) <= room else letter_words(configuration)


def letter_words(configuration: Configuration, plus: str = "+ ") -> str:
    """A configuration by the letters of its types, such as 12 A + 3 B."""
    parts = [f"{k} {type_letter(j)}" if plus else f"{k}{type_letter(j)}" for j, k in enumerate(configuration) if k]
    return f" {plus}".join(parts) or "0"


def filled_words(frame: Frame, server: int) -> str:
    """How many slots of each type are filled."""
    slots = frame.state.configuration[server].tolist()
    jobs = frame.state.placement[server].tolist()
    names = frame.info.numbers.type_names
    if frame.info.facts.reserves_slots:
        parts = [f"{n} of {k} {name}" for n, k, name in zip(jobs, slots, names, strict=True) if k]
        return ", ".join(parts) or "no slots"
    parts = [f"{n} {name}" for n, name in zip(jobs, names, strict=True) if n]
    return ", ".join(parts) or "empty"


def greedy_position(frame: Frame, server: int) -> int:
    """The i for which a server has the configuration k[i] of the last GPA, or 0."""
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
    """How much of each resource the jobs on a server take."""
    numbers = frame.info.numbers
    if not numbers.resource_names:
        return "its placement is feasible"
    used = (frame.state.placement[server] @ numbers.demand) / numbers.capacity
    shares = zip(used, numbers.resource_names, strict=True)
    parts = [f"{share:.0%} of {name}" for share, name in shares]
    return f"uses {' and '.join(parts)}"


def slot_words(frame: Frame, server: int, job_type: int, slot: int) -> str:
    """What is in a slot."""
    job = job_at(frame.state, server, job_type, slot)
    if job is None:
        return f"this slot for {frame.info.numbers.type_names[job_type]} jobs is empty"
    return f"here: {job_words(frame.info, job_type, job)}"


def pointed_words(frame: Frame, server: int, slot: tuple[int, int] | None) -> str:
    """What pointing at a server, and perhaps at a slot (job type and number) of it, says."""
    words = server_words(frame, server)
    return words if slot is None else f"{words}; {slot_words(frame, server, *slot)}"


def selected(frame: Frame, server: int, slot: tuple[int, int] | None, floating: bool) -> Select:
    """What a click on a server, and perhaps on a slot of it, selects."""
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
