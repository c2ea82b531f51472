"""Descriptions of servers, jobs and classes of moldable jobs, and of what happens to them."""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.moldable.explain import neighbours_told, time_told
from slotscope.model.kinds.moldable.rows import FLAG_SPLIT
from slotscope.model.kinds.moldable.state import ADMITTED, ARRIVED, BLOCKED, PARTIAL, SPLIT
from slotscope.model.reporting.explain import counted, grouped, plural, units
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
    not_there,
    per_cent,
    record_of,
    sections,
    time_fact,
)
from slotscope.model.reporting.records import ARRIVAL, DEPARTURE

CLASS = "class"

#: Most pieces of a job that are listed.
MOST_PIECES = 12


class MoldableInspector(Inspector):
    """See :class:`model.reporting.inspection.Inspector`."""

    things: tuple[str, ...] = (SERVER, JOB, CLASS)

    def describe(self, moment: InspectedMoment, thing: Thing) -> Description:
        """A server with its job, a job with its servers, or a class with its widths."""
        return _DESCRIBING[thing.what](moment, thing.number)

    def may_concern(self, rows: NDArray[Any], thing: Thing, before: Any) -> NDArray[np.bool_]:
        """Rows of the job or class; for a server those of jobs on it, or of jobs in several pieces."""
        if thing.what != SERVER:
            return np.asarray(rows["job" if thing.what == JOB else "type"] == thing.number)
        first, width = rows["server"], rows["width"]
        beside = (first <= thing.number) & (thing.number < first + width)
        come = (rows["kind"] == ARRIVAL) & (beside | (rows["flags"] & FLAG_SPLIT > 0))
        left = (rows["kind"] == DEPARTURE) & np.isin(rows["job"], [before, *rows["job"][come]])
        return np.asarray((width > 0) & (come | left))

    def looks(self, state: Any, thing: Thing) -> int:
        """The job on a server; no sub-step names a job's servers."""
        return _job_on(state, thing.number) if thing.what == SERVER else -1

    def tell(self, passed: Passed, thing: Thing, narrator: Any) -> tuple[str, int]:
        """The sentence of the event; for a server only if its job has changed."""
        concerned = self.may_concern(passed.rows, thing, passed.before)[0]
        if thing.what == SERVER:
            concerned = passed.before != _job_on(passed.state, thing.number)
        if not concerned:
            return "", 0
        return narrator.row(passed.rows[0]), int(passed.rows[0]["flags"])


def _job_on(state: Any, server: int) -> int:
    """The number of the job on a server; -1: the server is free."""
    record = int(state.server_job[server]) if 0 <= server < len(state.server_job) else -1
    return int(state.job_number[record]) if record >= 0 else -1


def _server(moment: InspectedMoment, server: int) -> Description:
    title = f"Server {grouped(server + 1)}"
    info, state = moment.info, moment.state
    if not 0 <= server < info.numbers.servers:
        return Description(title, absent=f"This scenario has servers 1 to {info.numbers.servers}.")
    pool, record = info.facts.pool_of(server), int(state.server_job[server])
    whose = [_pool(info.facts, pool)]
    if record < 0:
        return Description(title, sections(("", [*whose, *_free(moment, server, pool)])))
    runs = Fact("runs", _name(moment, record), thing=Thing(JOB, int(state.job_number[record])))
    return Description(title, sections(("", [*whose, runs]), ("its job", list(_known(moment, record)))))


def _pool(facts: Any, pool: int) -> Fact | None:
    if pool < 0:
        return Fact("pool", "none: it stays idle")
    name = facts.pool_names[pool]
    return Fact("for", "all classes" if name == "common" else f"class {name}") if name else None


def _free(moment: InspectedMoment, server: int, pool: int) -> Iterator[Fact]:
    """That the server is free, and the length of its gap."""
    yield Fact("runs", "nothing: it is free")
    if pool < 0:
        return
    busy = np.flatnonzero(moment.state.server_job >= 0)
    rules = moment.info.facts.rules
    low = max([int(rules.pool_first[pool]), *(busy[busy < server] + 1).tolist()[-1:]])
    high = min([int(rules.pool_end[pool]), *busy[busy > server].tolist()[:1]])
    yield Fact("gap", neighbours_told(low, high - low))


def _job(moment: InspectedMoment, number: int) -> Description:
    record = record_of(moment.state, Thing(JOB, number))
    if record < 0:
        return not_there(moment, moment.info.narrator.job(number).capitalize(), number)
    title = moment.info.narrator.job(number).capitalize()
    return Description(title, sections(("", list(_known(moment, record)))))


def _name(moment: InspectedMoment, record: int) -> str:
    name: str = moment.info.narrator.job(int(moment.state.job_number[record]))
    return name


def _known(moment: InspectedMoment, record: int) -> Iterator[Fact]:
    info, state = moment.info, moment.state
    job_class, width = int(state.job_class[record]), int(state.job_width[record])
    asked, arrival = int(state.job_request[record]), float(state.job_arrival[record])
    departure = float(state.job_departure[record])
    factor = float(info.numbers.speedup_table[job_class, width])
    yield Fact("class", info.numbers.class_names[job_class], thing=Thing(CLASS, job_class))
    if info.facts.has_asked(asked):
        yield Fact("asked for", counted(asked, "server"))
    yield Fact("got", counted(width, "server") + info.facts.all_that_were_free(asked, width))
    yield from _pieces(state, record)
    yield Fact("speed-up", f"{factor:.4g}", "times one server")
    yield Fact("inherent size", time_told((departure - arrival) * factor), units(info.time_unit))
    yield time_fact(moment, "arrived at", arrival)
    yield time_fact(moment, "departs at", departure)
    lasts = departure - arrival
    done = (moment.time - arrival) / lasts if lasts > 0 else 1.0
    yield Fact("executed", f"{per_cent(min(1.0, done))} of {time_told(lasts)}", units(info.time_unit))


def _pieces(state: Any, record: int) -> Iterator[Fact]:
    """The servers that the job runs on; in several pieces if no gap held it."""
    places, start = [], record
    while start >= 0:
        places.append(start)
        start = int(state.piece_next[start])
    shown = places[:MOST_PIECES]
    for place, start in enumerate(shown):
        label = "on" if len(places) == 1 else f"piece {place + 1} of {len(places)}"
        yield Fact(label, neighbours_told(start, int(state.run_length[start])), thing=Thing(SERVER, start))


def _class(moment: InspectedMoment, job_class: int) -> Description:
    numbers, state = moment.info.numbers, moment.state
    if not 0 <= job_class < numbers.classes:
        return Description(f"Class {job_class + 1}", absent="This scenario has no such class.")
    counts = state.tally[:, job_class]
    arrived, blocked = int(counts[ARRIVED]), int(counts[BLOCKED])
    share = f", {per_cent(blocked / arrived)}" if arrived else ""
    least = int(moment.info.facts.tables.least[job_class])
    below = int(state.below[0, job_class])
    facts = [
        Fact("jobs now", grouped(int(state.jobs[job_class].sum()))),
        Fact("arrived", grouped(arrived)),
        Fact("admitted", grouped(int(counts[ADMITTED]))),
        Fact("blocked", f"{grouped(blocked)}{share}", meaning="rejection" if blocked else ""),
        Fact("got fewer than asked", grouped(int(counts[PARTIAL]))),
        Fact("in pieces", grouped(int(counts[SPLIT]))),
        Fact(f"on fewer than i₁ = {least}", grouped(below), plural(below, "job")) if least else None,
        Fact(
            "free servers for it",
            grouped(sum(int(state.free[pool]) for pool in moment.info.facts.open_pools(job_class))),
        ),
    ]
    table = Table("widths", ("on", "jobs now", "on average", "optimum"), tuple(_widths(moment, job_class)))
    name = numbers.class_names[job_class]
    return Description(f"Class {name}", sections(("", facts)), table)


def _widths(moment: InspectedMoment, job_class: int) -> Iterator[TableLine]:
    numbers, state = moment.info.numbers, moment.state
    for width in range(1, numbers.degrees[job_class] + 1):
        target = float(numbers.target[job_class, width])
        now, mean = int(state.jobs[job_class, width]), moment.derived.mean_jobs[job_class, width]
        if now or mean or target:
            yield TableLine(
                (counted(width, "server"), grouped(now), f"{mean:.4g}", "" if np.isnan(target) else f"{target:.4g}")
            )


_DESCRIBING = {SERVER: _server, JOB: _job, CLASS: _class}
