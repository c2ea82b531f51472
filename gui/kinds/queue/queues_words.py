"""What the pictures of queues say in words."""

from __future__ import annotations

from fractions import Fraction

from slotscope.gui.kinds.queue.colours import queue_name, subscript
from slotscope.gui.kinds.queue.wording import interval_words, size_words, told_size
from slotscope.model.kinds.queue.state import NOW
from slotscope.model.reporting.explain import grouped, plural
from slotscope.model.reporting.frame import Frame


def job_words(frame: Frame, record: int) -> str:
    """What is to be known of a job, one thing a line."""
    state, info, facts = frame.state, frame.info, frame.info.facts
    size, room = state.job_size[record].tolist(), state.job_room[record].tolist()
    lines = [f"job {int(state.job_number[record])}", f"size {told_size(info, size)}"]
    if room != size:
        lines.append(f"takes {size_words(info, room)} on a server, rounded up")
    queue = int(state.job_queue[record])
    if facts.layout.queues > 1:
        lines.append(queue_words(frame, queue))
    arrival, now = int(state.job_arrival[record]), int(state.clock[NOW])
    lines.append(f"arrived in slot {grouped(arrival)}")
    server = int(state.job_server[record])
    if server >= 0:
        lines.append(f"in service on server {grouped(server + 1)}")
    else:
        waited = now - arrival
        lines.append(f"waits for {grouped(waited)} {plural(waited, 'slot')}")
    return "\n".join(lines)


def queue_words(frame: Frame, queue: int) -> str:
    """Which sizes wait in a virtual queue."""
    facts, numbers = frame.info.facts, frame.info.numbers
    queues = facts.layout.queues
    if facts.intervals:
        whole = int(numbers.largest[0])
        low, high = facts.intervals[queue]
        interval = Fraction(low, whole), Fraction(high, whole)
        return f"{queue_name(queue, queues)}, sizes in I{subscript(queue)} = {interval_words(interval)} of a server"
    if queues > 1:
        return f"queue of the jobs of size {facts.layout.names[queue]}"
    return "the queue of all jobs"


def lane_words(frame: Frame, queue: int) -> str:
    """One sentence about a lane."""
    length = int(frame.state.queue_length[queue])
    waits = "waits" if length == 1 else "wait"
    return f"{queue_words(frame, queue)}\n{grouped(length)} {plural(length, 'job')} {waits}"
