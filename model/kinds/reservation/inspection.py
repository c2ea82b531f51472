"""The inspection of a server or a job of a loss system with slots: its description, and what happens to it."""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.reservation.rows import FLAG_PREEMPTED, FLAG_REASSIGNED
from slotscope.model.kinds.reservation.state import GREEDY_LENGTH
from slotscope.model.reporting.explain import grouped, plural, shown
from slotscope.model.reporting.inspection import (
    JOB,
    SERVER,
    Description,
    Fact,
    InspectedMoment,
    Inspector,
    Passed,
    Table,
    TableLine,
    Thing,
    naming,
    not_there,
    per_cent,
    record_of,
    sections,
    time_cell,
    time_fact,
    told_together,
    touching,
)

#: The fields of rows, and of sub-steps, that name a server or a job.
_ROW_FIELDS = {SERVER: ("server", "source", "first_reassigned"), JOB: ("job", "moved")}
_FIELDS = {SERVER: ("server", "source", "target"), JOB: ("job",)}


class ReservationInspector(Inspector):
    """See :class:`model.reporting.inspection.Inspector`."""

    things: tuple[str, ...] = (SERVER, JOB)

    def describe(self, moment: InspectedMoment, thing: Thing) -> Description:
        """A server with its slots, or a job."""
        return _server(moment, thing.number) if thing.what == SERVER else _job(moment, thing)

    def may_concern(self, rows: NDArray[Any], thing: Thing, before: Any) -> NDArray[np.bool_]:
        """[n] the rows that name the thing, or that concern more servers or jobs than they name."""
        found = touching(rows, _ROW_FIELDS[thing.what], thing.number)
        several = (rows["flags"] & FLAG_PREEMPTED > 0) & (rows["preempted"] > 1)
        if thing.what == SERVER:
            several |= (rows["flags"] & FLAG_REASSIGNED > 0) & (rows["reassigned"] > 1)
        return found | several

    def tell(self, passed: Passed, thing: Thing, narrator: Any) -> tuple[str, int]:
        """The sentence of the event if it names the thing, otherwise the sentences of its sub-steps."""
        if touching(passed.rows, _ROW_FIELDS[thing.what], thing.number)[0]:
            return narrator.row(passed.rows[0]), int(passed.rows[0]["flags"])
        fields = dict.fromkeys(_FIELDS[thing.what], thing.number)
        return told_together(naming(passed.records, fields), narrator), 0


def _server(moment: InspectedMoment, server: int) -> Description:
    title = f"Server {grouped(server + 1)}"
    numbers, state = moment.info.numbers, moment.state
    if not 0 <= server < numbers.servers:
        return Description(title, absent=f"This scenario has servers 1 to {numbers.servers}.")
    jobs, slots = int(state.placement[server].sum()), int(state.configuration[server].sum())
    reserves = moment.info.facts.reserves_slots
    facts = [
        Fact("filled", f"{jobs} of {slots} {plural(slots, 'slot')}") if reserves else Fact("jobs", str(jobs)),
        Fact("jobs k̂", shown(state.placement[server].tolist())),
        *(_configuration(moment, server) if reserves else ()),
        *_room(moment, server),
    ]
    columns = ("slot", "job", "since", "leaves")
    return Description(title, sections(("", facts)), Table("slots", columns, tuple(_slots(moment, server))))


def _configuration(moment: InspectedMoment, server: int) -> Iterator[Fact]:
    state, mine = moment.state, moment.state.configuration[server]
    if not moment.info.facts.has_groups:
        yield Fact("configuration k", shown(mine.tolist()))
        return
    found = int(state.number[GREEDY_LENGTH])
    same = np.flatnonzero((state.greedy_configuration[:found] == mine).all(axis=1))
    which = f"this is k[{same[0] + 1}]" if len(same) else "GPA does not use it now"
    yield Fact("configuration k", f"{shown(mine.tolist())}, {which}")
    derived = moment.derived
    rank, index = int(derived.rank[server]), int(derived.index[server])
    wanted = "" if rank <= moment.info.numbers.ranks else ": not wanted"
    rejects = bool(derived.reject_group[server])
    yield Fact("group", "Reject Group" if rejects else "Accept Group", meaning="reject_group" if rejects else "")
    yield Fact("place", f"index {index}, rank {rank}{wanted}")


def _room(moment: InspectedMoment, server: int) -> Iterator[Fact]:
    """The free amount of each resource, if jobs have demands."""
    numbers = moment.info.numbers
    if not numbers.demand.shape[1]:
        return
    capacity = numbers.capacities[server]
    free = capacity - moment.state.placement[server] @ numbers.demand
    for name, left, whole in zip(numbers.resource_names, free, capacity, strict=True):
        yield Fact(f"free {name}", per_cent(int(left) / int(whole)) if whole else "none")


def _slots(moment: InspectedMoment, server: int) -> Iterator[TableLine]:
    """A line for each job in its slot, then the number of empty slots of the type."""
    state, numbers = moment.state, moment.info.numbers
    for j, name in enumerate(numbers.type_names):
        record = int(state.first_job[server, j])
        while record >= 0:
            job = int(state.job_number[record])
            label = moment.info.narrator.job(job, j).removeprefix(f"{name} ")
            yield TableLine(
                (
                    name,
                    label,
                    time_cell(moment, float(state.job_arrival[record])),
                    time_cell(moment, float(state.job_departure[record])),
                ),
                Thing(JOB, job),
                j,
            )
            record = int(state.job_next[record])
        empty = int(state.configuration[server, j] - state.placement[server, j])
        if empty > 0:
            words = "empty" if empty == 1 else f"{empty} empty"
            yield TableLine((name, words, "", ""), type=j)


def _job(moment: InspectedMoment, thing: Thing) -> Description:
    state, record = moment.state, record_of(moment.state, thing)
    if record < 0:
        title = moment.info.narrator.job(thing.number, 0)
        title = title.removeprefix(f"{moment.info.numbers.type_names[0]} ")
        return not_there(moment, title.capitalize(), thing.number)
    job_type, server = int(state.job_type[record]), int(state.job_server[record])
    arrival = float(state.job_arrival[record])
    departure = float(state.job_departure[record])
    facts = [
        Fact("type", moment.info.numbers.type_names[job_type]),
        Fact("on", f"server {grouped(server + 1)}", thing=Thing(SERVER, server)),
        time_fact(moment, "admitted at", arrival),
        time_fact(moment, "in service for", moment.time - arrival),
        time_fact(moment, "leaves at", departure),
    ]
    return Description(moment.info.narrator.job(thing.number, job_type), sections(("", facts)))
