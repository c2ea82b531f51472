"""The inspection of a server, a job or a virtual queue: its description, and what happens to it in slots."""

from __future__ import annotations

from typing import Any, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.queue.facts import records_on
from slotscope.model.kinds.queue.rows import (
    FLAG_ARRIVED,
    FLAG_DEPARTED,
    FLAG_EVICTED,
    FLAG_PLACED,
    FLAG_RENEWED,
    FLAG_STALLED,
    FLAG_WAITS,
    QUEUE_ROW,
)
from slotscope.model.kinds.queue.sampling import SCALARS, TIME_COLUMN
from slotscope.model.kinds.queue.state import NOW
from slotscope.model.reporting.explain import amount, counted, grouped, plural
from slotscope.model.reporting.inspection import (
    JOB,
    SERVER,
    Description,
    Fact,
    HistoryCurve,
    InspectedMoment,
    Inspector,
    Passed,
    Table,
    TableLine,
    Thing,
    changes,
    naming,
    not_there,
    record_of,
    sections,
    time_cell,
    time_fact,
    told_together,
    touching,
)
from slotscope.model.reporting.records import Evict, Place, Record, Renew, Stall

QUEUE = "queue"

#: The most jobs of a virtual queue that are listed, from the head of the line on.
MOST_LISTED = 50


class QueueInspector(Inspector):
    """See :class:`model.reporting.inspection.Inspector`."""

    things: tuple[str, ...] = (SERVER, JOB, QUEUE)

    def describe(self, moment: InspectedMoment, thing: Thing) -> Description:
        """A server with its jobs, a job with what it waits for, or a queue with its line."""
        return _DESCRIBING[thing.what](moment, thing.number)

    def may_concern(self, rows: NDArray[Any], thing: Thing, before: Any) -> NDArray[np.bool_]:
        """[n] which rows may concern the thing; if several things happened in a slot, its row may concern any thing.

        A row names the first job placed; if none was, the first that arrived; if none did, the first that left.
        """
        done = rows["placed"] + rows["departed"]
        other = (rows["renewed"] > 0) | (rows["stalled"] > 0) | (rows["flags"] & FLAG_EVICTED > 0)
        if thing.what == QUEUE:
            return np.asarray((rows["placed"] > 0) | (rows["arrived"] > 0) | other)
        if thing.what == SERVER:
            named = (done == 1) & ((rows["placed"] > 0) | (rows["arrived"] == 0))
            mine = rows["server"] == thing.number
            return np.asarray(other | ((done > 0) & (mine | ~named)))
        several = (done + rows["arrived"]) > 1
        return np.asarray(several | other | touching(rows, ("job", "kept"), thing.number))

    def looks(self, state: Any, thing: Thing) -> int:
        """The active configuration of a server, to tell whether a renewal has changed it."""
        return _active_on(state, thing)

    def tell(self, passed: Passed, thing: Thing, narrator: Any) -> tuple[str, int]:
        """The sub-steps that name the thing, and why a job that has arrived waits."""
        if thing.what == QUEUE:
            mine = [one for one in changes(passed.records) if _queue_of(passed.state, one) == thing.number]
        else:
            mine = naming(passed.records, {thing.what: thing.number})
            if passed.before == _active_on(passed.state, thing):
                mine = [one for one in mine if not isinstance(one, Renew)]
        told, flags = told_together(mine, narrator), _flags(mine)
        row = passed.rows[0]
        if thing.what == JOB and row["kept"] == thing.number and (why := narrator.why_waits(row)):
            return f"{told}; it waits: {why}", flags | FLAG_WAITS
        return told, flags


def _flags(records: Sequence[Record]) -> int:
    """The event flags of what the sub-steps have done."""
    flags = 0
    for record in records:
        flags |= _FLAG_OF.get(type(record), 0) or _FLAG_OF_KIND.get(record.kind, 0)
    return flags


_FLAG_OF: dict[type[Record], int] = {Place: FLAG_PLACED, Renew: FLAG_RENEWED, Stall: FLAG_STALLED, Evict: FLAG_EVICTED}
_FLAG_OF_KIND = {"arrival": FLAG_ARRIVED, "departure": FLAG_DEPARTED}


def _active_on(state: Any, thing: Thing) -> int:
    known = thing.what == SERVER and 0 <= thing.number < len(state.active)
    return int(state.active[thing.number]) if known else -1


def _queue_of(state: Any, record: Record) -> int:
    """The virtual queue that an arrival joins or a job is taken from."""
    if record.kind == "arrival":
        return int(record.values["queue"])
    if isinstance(record, Place):
        found = np.flatnonzero(state.job_number == record.job)
        return int(state.job_queue[found[0]]) if len(found) else -1
    return -1


# Servers.


def _server(moment: InspectedMoment, server: int) -> Description:
    title = f"Server {grouped(server + 1)}"
    numbers, state = moment.info.numbers, moment.state
    if not 0 <= server < numbers.servers:
        return Description(title, absent=f"This scenario has servers 1 to {numbers.servers}.")
    pools, jobs = numbers.pools, int(state.jobs_on[server])
    now = [
        Fact("pool", pools[int(numbers.pool_of[server])].name) if len(pools) > 1 else None,
        Fact("jobs", grouped(jobs)),
        *_room(moment, server),
        _stalled(moment, server),
    ]
    lines = tuple(_on_server(moment, server))
    table = Table("jobs", ("job", "size", "since", "leaves"), lines)
    parts = sections(("", now), ("active configuration", list(_active(moment, server))))
    return Description(title, parts, table)


def _room(moment: InspectedMoment, server: int) -> Iterator[Fact]:
    numbers, used = moment.info.numbers, moment.state.used[server]
    several = numbers.resources > 1
    for d, name in enumerate(numbers.resource_names):
        of, unit = f" {name}" if several else "", moment.info.scenario.unit_of(name)
        capacity, taken = int(numbers.capacity[server, d]), int(used[d])
        yield Fact(f"in use{of}", f"{amount(numbers.amount(taken, d))} of {amount(numbers.amount(capacity, d))}", unit)
        yield Fact(f"room left{of}", amount(numbers.amount(capacity - taken, d)), unit)


def _stalled(moment: InspectedMoment, server: int) -> Fact | None:
    if moment.state.stalled[server]:
        return Fact("stalled", "it takes no job until it is empty", meaning="rejection")
    return None


def _active(moment: InspectedMoment, server: int) -> Iterator[Fact]:
    """The active configuration, its present weight, and the terms of the weight."""
    facts, state, derived = moment.info.facts, moment.state, moment.derived
    if not facts.has_configurations:
        return
    active = int(state.active[server])
    if active < 0:
        yield Fact("k", "none yet: it is chosen when the server is first renewed")
        return
    yield Fact("k", facts.configuration_names[active])
    yield Fact("weight ⟨k, Q⟩ now", grouped(int(derived.weights[active])))
    for queue in np.flatnonzero(facts.configurations[active]).tolist():
        count, length = int(facts.configurations[active, queue]), int(state.queue_length[queue])
        yield Fact(
            f"of {facts.layout.names[queue]}",
            f"{counted(count, 'place')} × {grouped(length)} waiting",
            thing=Thing(QUEUE, queue),
        )
    best = derived.heaviest[int(moment.info.numbers.pool_of[server])]
    if best >= 0 and derived.weights[best] > derived.weights[active]:
        yield Fact(
            "largest weight",
            f"{grouped(int(derived.weights[best]))} of {facts.configuration_names[best]}, for a server that is "
            "renewed now",
        )


def _on_server(moment: InspectedMoment, server: int) -> Iterator[TableLine]:
    for record in records_on(moment.state, server):
        placed, leaves = _service(moment, record)
        yield TableLine(
            (_job_name(moment, record), _size(moment, record, "job_size"), placed, leaves),
            Thing(JOB, int(moment.state.job_number[record])),
        )


def _service(moment: InspectedMoment, record: int) -> tuple[str, str]:
    """When a job was placed and when it departs; the former is not known of a job that never departs."""
    departure, service = moment.state.job_departure[record], moment.state.job_service[record]
    if not np.isfinite(departure):
        return "", "never"
    return time_cell(moment, float(departure - service)), time_cell(moment, float(departure))


# Jobs.


def _job(moment: InspectedMoment, number: int) -> Description:
    state, layout = moment.state, moment.info.facts.layout
    record = record_of(state, Thing(JOB, number))
    if record < 0:
        return not_there(moment, f"Job {moment.info.narrator.job_name(number)}", number)
    queue, server = int(state.job_queue[record]), int(state.job_server[record])
    size, room = (_size(moment, record, name) for name in ("job_size", "job_room"))
    what = [
        Fact("size", size),
        Fact("takes", room) if room != size else None,
        Fact("virtual queue", layout.names[queue], thing=Thing(QUEUE, queue)) if layout.queues > 1 else None,
        time_fact(moment, "arrived in slot", float(state.job_arrival[record])),
    ]
    where = _waits(moment, record) if server < 0 else _served(moment, record, server)
    return Description(f"Job {_job_name(moment, record)}", sections(("", [*what, *where])))


def _waits(moment: InspectedMoment, record: int) -> Iterator[Fact]:
    state = moment.state
    queue, arrival = int(state.job_queue[record]), float(state.job_arrival[record])
    yield time_fact(moment, "has waited", moment.time - arrival)._replace(unit="slots")
    ahead = (state.job_queue == queue) & (state.job_server < 0) & (state.job_number >= 0)
    ahead &= state.job_number < state.job_number[record]
    length = int(state.queue_length[queue])
    yield Fact("place in line", f"{grouped(int(ahead.sum()) + 1)} of {grouped(length)}")
    why = moment.info.narrator.why_waits(_as_kept(moment, record))
    yield Fact("still waits", why or moment.info.narrator.passed_over)


def _as_kept(moment: InspectedMoment, record: int) -> np.void:
    """A row as for a slot whose kept job is the waiting job in *record*, at this moment."""
    state, facts = moment.state, moment.info.facts
    free = moment.derived.free[state.stalled == 0, 0]
    serving = -1
    if facts.has_configurations:
        active = state.active[state.active >= 0]
        serving = int((facts.configurations[active, state.job_queue[record]] > 0).sum())
    row = np.zeros(1, QUEUE_ROW)
    row["kept"], row["kept_size"] = state.job_number[record], state.job_room[record, 0]
    row["best_residual"] = free.max() if len(free) else 0
    row["kept_queue"], row["serving"] = state.job_queue[record], serving
    found: np.void = row[0]
    return found


def _served(moment: InspectedMoment, record: int, server: int) -> Iterator[Fact]:
    state = moment.state
    arrival, service = float(state.job_arrival[record]), float(state.job_service[record])
    departure = float(state.job_departure[record])
    yield Fact("on", f"server {grouped(server + 1)}", thing=Thing(SERVER, server))
    if np.isfinite(departure):
        placed = departure - service
        yield time_fact(moment, "placed in slot", placed)
        yield Fact("had waited", grouped(int(placed - arrival)), "slots")
        had = min(service, moment.state.clock[NOW] - placed)
        slots = plural(int(service), "slot")
        yield Fact("served", f"{grouped(int(had))} of {grouped(int(service))}", slots)
    yield time_fact(moment, "leaves in slot", departure)


# Virtual queues.


def _queue(moment: InspectedMoment, queue: int) -> Description:
    state, facts = moment.state, moment.info.facts
    if not 0 <= queue < facts.layout.queues:
        return Description(
            f"Queue {queue}",
            absent=f"This policy has {facts.layout.queues} virtual {plural(facts.layout.queues, 'queue')}.",
        )
    name = facts.layout.names[queue]
    title = f"{name[:1].upper()}{name[1:]}"
    in_service = (state.job_server >= 0) & (state.job_queue == queue)
    length = int(state.queue_length[queue])
    now = [
        *_interval(moment, queue),
        Fact("length", counted(length, "job")),
        _head(moment, queue),
        Fact("in service", counted(int(in_service.sum()), "job")),
        *_serving(moment, queue),
    ]
    column, samples = SCALARS + queue, moment.samples
    samples = samples[: np.searchsorted(samples[:, TIME_COLUMN], moment.time, side="right")]
    times = np.r_[samples[:, TIME_COLUMN], moment.time]
    curve = HistoryCurve("length", times, np.r_[samples[:, column], length])
    table = Table("line", ("job", "size", "arrived", "waited"), tuple(_line(moment, queue)))
    return Description(title, sections(("", now)), table, curve)


def _interval(moment: InspectedMoment, queue: int) -> Iterator[Fact]:
    facts, numbers = moment.info.facts, moment.info.numbers
    if facts.intervals:
        low, high = (numbers.fraction(end) for end in facts.intervals[queue])
        yield Fact("sizes", f"({low}, {high}]", f"of {moment.info.numbers.whole}")


def _head(moment: InspectedMoment, queue: int) -> Fact | None:
    record = int(moment.state.first_waiting[queue])
    if record < 0:
        return None
    job = int(moment.state.job_number[record])
    waited = moment.time - float(moment.state.job_arrival[record])
    return Fact(
        "head of line",
        f"job {_job_name(moment, record)}, for {grouped(int(waited))}",
        plural(int(waited), "slot"),
        Thing(JOB, job),
    )


def _serving(moment: InspectedMoment, queue: int) -> Iterator[Fact]:
    """The number of servers whose active configuration serves the queue, and the queue's weight."""
    facts, state = moment.info.facts, moment.state
    if not facts.has_configurations:
        return
    active = state.active[state.active >= 0]
    places = facts.configurations[active, queue]
    servers, count = int((places > 0).sum()), int(places.sum())
    yield Fact("now served by", f"{counted(servers, 'server')}, {counted(count, 'place')}")
    most, length = int(facts.configurations[:, queue].max()), int(state.queue_length[queue])
    yield Fact("adds to ⟨k, Q⟩", f"at most {most} × {grouped(length)} = {grouped(most * length)}")


def _line(moment: InspectedMoment, queue: int) -> Iterator[TableLine]:
    state, record = moment.state, int(moment.state.first_waiting[queue])
    for _ in range(MOST_LISTED):
        if record < 0:
            return
        arrival = float(state.job_arrival[record])
        yield TableLine(
            (
                _job_name(moment, record),
                _size(moment, record, "job_size"),
                time_cell(moment, arrival),
                grouped(int(moment.time - arrival)),
            ),
            Thing(JOB, int(state.job_number[record])),
        )
        record = int(state.job_next[record])


# Words.


def _job_name(moment: InspectedMoment, record: int) -> str:
    return str(moment.info.narrator.job_name(int(moment.state.job_number[record])))


def _size(moment: InspectedMoment, record: int, field: str) -> str:
    """A size in the scenario's units, of each resource."""
    numbers, parts = moment.info.numbers, []
    for d, name in enumerate(numbers.resource_names):
        unit = moment.info.scenario.unit_of(name)
        value = amount(numbers.amount(int(getattr(moment.state, field)[record, d]), d))
        label = name if numbers.resources > 1 else ""
        parts.append(" ".join(filter(None, (value, unit, label))))
    return ", ".join(parts)


_DESCRIBING = {SERVER: _server, JOB: _job, QUEUE: _queue}
