"""The slots of a run in the exchange format of ``slotscope trace``.

In this format servers and virtual queues are numbered from 0, and rationals are text; see
``resources/help/trace-format.md``.
"""

from __future__ import annotations

from itertools import count
from typing import Any, Iterator, Sequence

import numpy as np

from slotscope.model.kinds.queue.facts import records_on, waiting_records
from slotscope.model.kinds.queue.scenario.arrivals import ScriptedSlots
from slotscope.model.kinds.queue.state import QueueState
from slotscope.model.kinds.queue.system import QueueSystem
from slotscope.model.reporting.records import SLOT, Event, Place, Record, Renew

Line = dict[str, Any]


def lines(system: QueueSystem, most: float) -> Iterator[Line]:
    """A run of the reference, one line for each slot from slot 0 on, including slots in which nothing happens.

    At most *most* slots; for a script at most up to the scenario's ``run.until`` if that is given,
    otherwise up to the last slot in which something happens.
    """
    state = system.raw_state()
    last = _slots_of(system)
    for slot in count():
        if slot >= min(most, last):
            return
        event = system.next_event(state)
        if event is None and last == np.inf:
            return
        state, records = _slot(system, state, slot)
        yield line(system, state, slot, records)


def _slots_of(system: QueueSystem) -> float:
    """The number of slots that a script asks for; infinity if it ends by itself."""
    run = system.scenario.run
    asked = isinstance(system.scenario.workload, ScriptedSlots) and "until" in run.model_fields_set
    return int(run.until) if asked else np.inf


def _slot(system: QueueSystem, state: QueueState, slot: int) -> tuple[QueueState, list[Record]]:
    """The state while *slot* is served, and the sub-steps that led to it.

    The slot is run even if nothing can happen in it: empty servers renew their configurations in every
    slot, although an unchanged queue leads to the same configurations.
    """
    state = system.prepared(state)
    row = np.zeros(1, system.row_dtype)
    return state, list(system.run(state, Event(SLOT, float(slot)), row))


def line(system: QueueSystem, state: QueueState, slot: int, records: Sequence[Record]) -> Line:
    """One line: the slot's arrivals and decisions, the jobs waiting and in service, and the departures."""
    policy = system.policy
    found: Line = {
        "t": slot,
        "arrivals": [name(system, record.values["job"]) for record in records if record.kind == "arrival"],
        "place": [[name(system, record.job), record.server] for record in records if isinstance(record, Place)],
        "queue": _jobs(system, state, waiting_records(state)),
        "servers": [_jobs(system, state, records_on(state, server)) for server in range(system.numbers.servers)],
        "used": [_used(system, state, server) for server in range(system.numbers.servers)],
        "depart_end": _leaving(system, state, slot + 1),
    }
    if len(policy.configurations):
        found["renew"] = [
            [record.server, _configuration(system, record.configuration)]
            for record in records
            if isinstance(record, Renew)
        ]
    if policy.intervals:
        found["VQ"] = _virtual_queues(system, state)
    if getattr(policy.parameters, "stall", False):
        found["stalled"] = (state.stalled != 0).tolist()
    return found


def name(system: QueueSystem, job: int) -> int | str:
    """The name of a job, as an integer if it is one, whether given by the script or by its number."""
    text = system.job_name(job)
    return int(text) if text.isdecimal() and text == str(int(text)) else text


def _jobs(system: QueueSystem, state: QueueState, records: Any) -> list[int | str]:
    return [name(system, int(state.job_number[record])) for record in records]


def _used(system: QueueSystem, state: QueueState, server: int) -> Any:
    """The amount in use on a server, in the scenario's unit; a list if there are several resources."""
    amounts = [str(system.numbers.amount(int(units), d)) for d, units in enumerate(state.used[server])]
    return amounts[0] if len(amounts) == 1 else amounts


def _leaving(system: QueueSystem, state: QueueState, slot: int) -> list[list[Any]]:
    """The jobs that depart at the start of *slot*, by server and in order of placement."""
    return [
        [name(system, int(state.job_number[record])), server]
        for server in range(system.numbers.servers)
        for record in records_on(state, server)
        if state.job_departure[record] == slot
    ]


def _configuration(system: QueueSystem, number: int) -> Any:
    """Jobs by virtual queue of partition I, or the list of counts of each size."""
    row = system.policy.configurations[number].tolist()
    if not system.policy.intervals:
        return row
    return {str(queue): count for queue, count in enumerate(row) if count}


def _virtual_queues(system: QueueSystem, state: QueueState) -> dict[str, list[int | str]]:
    """The jobs that wait in each non-empty virtual queue."""
    waiting = waiting_records(state)
    queues = state.job_queue[waiting]
    return {str(queue): _jobs(system, state, waiting[queues == queue]) for queue in np.unique(queues).tolist()}
