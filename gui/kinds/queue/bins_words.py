"""The tooltips of servers and their jobs, and the words written on the bins."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from slotscope.gui.kinds.queue.bins_content import reserves_of
from slotscope.gui.kinds.queue.wording import lane_name, share_words, size_words
from slotscope.gui.painting.text import symbol
from slotscope.gui.panels.wording import significant
from slotscope.model.kinds.queue.facts import QueueFacts, records_on
from slotscope.model.kinds.queue.numbers import QueueNumbers
from slotscope.model.kinds.queue.state import NOW, STALLS
from slotscope.model.reporting.explain import grouped, plural
from slotscope.model.reporting.frame import Frame

#: At most this many jobs are listed.
MOST_LISTED = 8


def server_words(frame: Frame, server: int) -> str:
    """The tooltip of a server: pool, use, state, configuration and jobs, line by line."""
    state, info = frame.state, frame.info
    used, capacity = state.used[server].tolist(), info.numbers.capacity[server].tolist()
    free = [whole - some for whole, some in zip(capacity, used, strict=True)]
    pools = info.numbers.pools
    pool = f" ({pools[int(info.numbers.pool_of[server])].name})" if len(pools) > 1 else ""
    lines = [
        f"server {grouped(server + 1)}{pool}: {size_words(info, used)} in use of "
        f"{size_words(info, capacity)}; {size_words(info, free)} free"
    ]
    if state.stalled[server]:
        lines.append("stalled: it takes no job until it is empty")
    lines += _configuration_lines(frame, info.facts, server)
    records = records_on(state, server)
    if not records:
        return "\n".join([*lines, "no job"])
    jobs = f"{grouped(len(records))} {plural(len(records), 'job')}"
    lines.append(f"{jobs}, the earliest placed first:")
    lines += [_job_line(frame, record) for record in records[:MOST_LISTED]]
    if len(records) > MOST_LISTED:
        lines.append(f"and {grouped(len(records) - MOST_LISTED)} more")
    return "\n".join(lines)


def _configuration_lines(frame: Frame, facts: QueueFacts, server: int) -> list[str]:
    if not facts.has_configurations:
        return []
    active = int(frame.state.active[server])
    if active < 0:
        return ["no active configuration yet"]
    weight = grouped(int(frame.derived.weights[active]))
    lines = [f"active configuration {facts.configuration_names[active]}, ⟨k, Q⟩ = {weight}"]
    reserve, owner = reserves_of(frame.state, frame.info.numbers, facts, np.array([server]))
    if owner[0] >= 0:
        name = lane_name(facts, int(owner[0]))
        lines.append(f"{size_words(frame.info, reserve[0].tolist())} reserved for {name}")
    return lines


def _job_line(frame: Frame, record: int) -> str:
    state, info, facts = frame.state, frame.info, frame.info.facts
    size, room = state.job_size[record].tolist(), state.job_room[record].tolist()
    words = f"job {int(state.job_number[record])}: size {size_words(info, size)}"
    if room != size:
        words += f", takes {size_words(info, room)}"
    if facts.layout.queues > 1:
        words += f", {lane_name(facts, int(state.job_queue[record]))}"
    return f"{words}; {service_words(frame, record)}"


def may_stall(frame: Frame) -> bool:
    """Whether this policy may stall servers, or some have been stalled."""
    chosen = getattr(frame.info.parameters, "stall", False)
    return bool(chosen or frame.state.tally[STALLS])


def service_words(frame: Frame, record: int) -> str:
    """The number of slots that a job has been served, and its service time in slots."""
    state = frame.state
    service, departure = float(state.job_service[record]), float(state.job_departure[record])
    if departure == float("inf"):
        return "in service for ever"
    had = int(state.clock[NOW] - (departure - service))
    return f"{grouped(had)} of {grouped(int(service))} {plural(int(service), 'slot')} served"


def block_words(frame: Frame, record: int) -> str:
    """The tooltip of a job on a server, line by line."""
    state, info, facts = frame.state, frame.info, frame.info.facts
    server, queue = int(state.job_server[record]), int(state.job_queue[record])
    share = share_words(info, state.job_size[record].tolist())
    lines = [_job_line(frame, record), f"{share}, on server {grouped(server + 1)}"]
    active = int(state.active[server])
    if active >= 0 and not facts.configurations[active, queue]:
        lines.append("not of the server's active configuration")
    return "\n".join(lines)


def size_on_block(numbers: QueueNumbers, units: int, resource: int, digits: int = 3) -> str:
    """A size in the scenario's unit, as short as possible: 0.342, 0.05, 12."""
    return _brief(units * float(numbers.unit[resource]), digits)


@lru_cache(2048)
def _brief(amount: float, digits: int) -> str:
    """Cached part of :func:`size_on_block`, as each repaint writes the same sizes."""
    if amount >= 0.1**digits * 5:
        amount = round(amount, digits)
    return significant(amount, digits)


def configuration_words(name: str) -> tuple[str, str]:
    """A configuration's name with its symbols in math type, in full and without spaces."""
    full = name.replace("e", symbol("e")) if name.startswith(("e", *"0123456789")) else name
    return full, full.replace(" ", "")


def weight_words(weight: int) -> tuple[str, str]:
    """⟨k, Q⟩ = weight in full, and the weight alone."""
    number = grouped(weight)
    return f"⟨{symbol('k')}, {symbol('Q')}⟩ = {number}", number
