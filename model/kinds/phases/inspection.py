"""Descriptions of servers, jobs and tokens of a system with phases, and of what happens to them.

Virtual jobs and backup servers have numbers of their own.
"""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.phases.rows import FLAG_OF_VIRTUAL, FLAG_RESUMED, FLAG_TICKED
from slotscope.model.kinds.phases.state import FIRST_BACKUP, NEXT_ARRIVAL, NEXT_TOKEN, NEXT_VIRTUAL
from slotscope.model.kinds.phases.words import by_type, server_name, time_shown, why_waiting
from slotscope.model.reporting.explain import counted, grouped, shown, units
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
    sections,
    time_cell,
    time_fact,
    told_together,
    touching,
)
from slotscope.model.reporting.letters import own_letters

TOKEN, VIRTUAL = "token", "virtual job"


class PhasesInspector(Inspector):
    """See :class:`model.reporting.inspection.Inspector`; backup server n has the number FIRST_BACKUP - n."""

    things: tuple[str, ...] = (SERVER, JOB, VIRTUAL, TOKEN)

    def describe(self, moment: InspectedMoment, thing: Thing) -> Description:
        """A server with its jobs and tokens, a job, or a token."""
        if thing.what == SERVER:
            return _backup(moment, thing) if thing.number <= FIRST_BACKUP else _server(moment, thing.number)
        return _token(moment, thing.number) if thing.what == TOKEN else _job(moment, thing)

    def may_concern(self, rows: NDArray[Any], thing: Thing, before: Any) -> NDArray[np.bool_]:
        """Rows that name it; for a server or token also those in which tokens are made or virtual jobs take some."""
        named = _names(rows, thing)
        if thing.what == SERVER and thing.number > FIRST_BACKUP:
            resumed = rows["flags"] & FLAG_RESUMED > 0
            return named | (rows["made"] > 0) | (rows["virtual"] > 0) | resumed
        return named | (rows["virtual"] > 0) if thing.what == TOKEN else named

    def presence(self, state: Any, thing: Thing, initial_jobs: int) -> int:
        """Jobs come and go; a token is gone as soon as a job takes it; servers are always there."""
        number = thing.number
        if thing.what == TOKEN:
            later = -1 if number >= state.number[NEXT_TOKEN] else 1
            return 0 if (state.token_number == number).any() else later
        if thing.what == SERVER:
            return 0
        virtual = thing.what == VIRTUAL
        if ((state.job_number == number) & (state.job_virtual == virtual)).any():
            return 0
        known = state.number[NEXT_VIRTUAL] if virtual else initial_jobs + state.number[NEXT_ARRIVAL]
        return -1 if number >= known else 1

    def tell(self, passed: Passed, thing: Thing, narrator: Any) -> tuple[str, int]:
        """The sentence of the event if its row names the thing, else those of its sub-steps."""
        if _names(passed.rows, thing)[0]:
            return narrator.row(passed.rows[0]), int(passed.rows[0]["flags"])
        mine = naming(passed.records, {thing.what: thing.number})
        return told_together(mine, narrator), 0


def _names(rows: NDArray[Any], thing: Thing) -> NDArray[np.bool_]:
    """[n] whether each row names the thing."""
    number = thing.number
    of_virtual = rows["flags"] & FLAG_OF_VIRTUAL > 0
    if thing.what == SERVER:
        found = rows["server"] == number
        of_pool = (rows["pool"] == thing.pool) | (number > FIRST_BACKUP)
        return np.asarray(found & of_pool)
    if thing.what == TOKEN:
        made = (rows["first_token"] >= 0) & (rows["first_token"] <= number)
        made &= number < rows["first_token"] + rows["made"]
        return np.asarray(made | (rows["token"] == number))
    if thing.what == VIRTUAL:
        came = (rows["first_virtual"] >= 0) & (rows["first_virtual"] <= number)
        came &= number < rows["first_virtual"] + rows["virtual"]
        return np.asarray(came | (of_virtual & (rows["job"] == number)))
    ticked = rows["flags"] & FLAG_TICKED > 0
    return touching(rows, ("job",), number) & ~of_virtual & ~ticked


# Servers.


def _server(moment: InspectedMoment, server: int) -> Description:
    info, state = moment.info, moment.state
    facts, title = info.facts, f"Server {grouped(server + 1)}"
    if not 0 <= server < len(state.jobs_on):
        return Description(title, absent=f"There are servers 1 to {len(state.jobs_on)} so far.")
    parts = [("", _now(moment, server)), ("resources", _room(moment, server))]
    if facts.rules is not None:
        parts.insert(1, ("requests", _requests(moment, server)))
    lines = [_line(moment, int(record)) for record in _records_on(state, server)]
    columns = ("job", "phase", "arrived as", "since")
    return Description(
        title, sections(*((name, list(part)) for name, part in parts)), Table("jobs", columns, tuple(lines))
    )


def _records_on(state: Any, server: int) -> NDArray[np.int64]:
    records = np.flatnonzero((state.job_number >= 0) & (state.job_server == server))
    return records[np.lexsort((state.job_arrival[records], state.job_virtual[records]))]


def _now(moment: InspectedMoment, server: int) -> Iterator[Fact]:
    info, state = moment.info, moment.state
    facts = info.facts
    if facts.pools > 1 and facts.normal_servers:
        yield Fact("pool", str(int(facts.pool_of[server]) + 1))
    yield Fact("real jobs K", shown(state.real[server].tolist()))
    if facts.rules is None:
        return
    yield Fact("virtual jobs ζ", shown(state.virtual[server].tolist()))
    place = int(state.observed[server])
    observed = facts.plan.lattice.configurations[place].tolist()
    yield Fact("observed K + ζ", shown(observed))
    since = float(state.observed_since[server])
    yield time_fact(moment, "so since", since)


def _requests(moment: InspectedMoment, server: int) -> Iterator[Fact]:
    """The tokens of a server, its timer, and what it waits for."""
    info, state = moment.info, moment.state
    tokens = int(state.tokens_on[server])
    if tokens:
        held = by_type(info.numbers, state.tokens[server].tolist())
        yield Fact("paused", f"{counted(tokens, 'token')} out: {held}")
        for token, kind, made in _tokens_of(state, server):
            age = time_shown(moment.time - made)
            name = info.numbers.model.phases[kind]
            yield Fact(
                f"token {grouped(token + 1)}", f"{name}, out for {age}", units(info.time_unit), Thing(TOKEN, token)
            )
    elif state.timer_number[server] >= 0:
        pool, place = int(info.facts.pool_of[server]), int(state.observed[server])
        unit = info.time_unit or "unit of time"
        yield Fact("timer", f"rate {time_shown(float(info.facts.rules.rate[pool, place]))}", f"per {unit}")
    why = why_waiting(state, info.numbers, info.facts, server)
    why = why.removeprefix(f"server {server + 1} ")
    if why:
        yield Fact("now", why)


def _tokens_of(state: Any, server: int) -> Iterator[tuple[int, int, float]]:
    """The number, type and time of creation of each token of a server."""
    for pool, kind, place in np.argwhere(state.token_server == server).tolist():
        if place < state.token_count[pool, kind]:
            yield (int(state.token_number[pool, kind, place]), kind, float(state.token_time[pool, kind, place]))


def _room(moment: InspectedMoment, server: int) -> Iterator[Fact]:
    numbers, state = moment.info.numbers, moment.state
    for d, name in enumerate(numbers.model.resources):
        used, whole = int(state.use[server, d]), int(numbers.capacity[d])
        of = f" {name}" if numbers.resources > 1 else ""
        overrun = used > whole
        yield Fact(
            f"in use{of}",
            f"{_amount(numbers, used, d)} of {_amount(numbers, whole, d)}",
            meaning="rejection" if overrun else "",
        )
        left = abs(whole - used)
        yield Fact(
            f"{'above capacity' if overrun else 'room left'}{of}",
            _amount(numbers, left, d),
            meaning="rejection" if overrun else "",
        )
        peak = int(state.peak_use[server, d])
        if peak != used:
            yield Fact(f"may need{of}", _amount(numbers, peak, d))


def _amount(numbers: Any, units: int, d: int) -> str:
    return f"{float(units * numbers.unit[d]):.4g}"


def on_backup(state: Any, thing: Thing) -> int:
    """The record of the job on a backup server; -1: the server is idle."""
    records, place = state.backup_record, FIRST_BACKUP - thing.number
    there = thing.pool < len(records) and 0 <= place < records.shape[1]
    return int(records[thing.pool, place]) if there else -1


def _backup(moment: InspectedMoment, thing: Thing) -> Description:
    pools = moment.info.facts.pools
    title = server_name(thing.number, thing.pool, pools).capitalize()
    record = on_backup(moment.state, thing)
    if record < 0:
        return Description(title, absent="It is idle: no job is on it.")
    table = Table("jobs", ("job", "phase", "arrived as", "since"), (_line(moment, record),))
    return Description(title, sections(("", [Fact("holds", "one job that found no token")])), table)


def _line(moment: InspectedMoment, record: int) -> TableLine:
    state, phases = moment.state, moment.info.numbers.model.phases
    phase = int(state.job_phase[record])
    return TableLine(
        (
            _name(moment, record),
            phases[phase],
            phases[int(state.job_type[record])],
            time_cell(moment, float(state.job_arrival[record])),
        ),
        _thing(state, record),
        phase,
        own_letters(phases)[phase],
    )


# Jobs and tokens.


def _thing(state: Any, record: int) -> Thing:
    what = VIRTUAL if state.job_virtual[record] else JOB
    return Thing(what, int(state.job_number[record]))


def _name(moment: InspectedMoment, record: int) -> str:
    state = moment.state
    name: str = moment.info.narrator.job(int(state.job_number[record]), bool(state.job_virtual[record]))
    return name


def _job(moment: InspectedMoment, thing: Thing) -> Description:
    state, virtual = moment.state, thing.what == VIRTUAL
    title = moment.info.narrator.job(thing.number, virtual).capitalize()
    found = np.flatnonzero((state.job_number == thing.number) & (state.job_virtual == virtual))
    if not len(found) or thing.number < 0:
        if virtual:
            return Description(title, absent="It is not in the system; its history says why.")
        return not_there(moment, title, thing.number)
    return Description(title, sections(("", list(_known(moment, int(found[0]))))))


def _known(moment: InspectedMoment, record: int) -> Iterator[Fact]:
    info, state = moment.info, moment.state
    phases, server = info.numbers.model.phases, int(state.job_server[record])
    pool, arrival = int(state.job_pool[record]), float(state.job_arrival[record])
    yield Fact("arrived as", phases[int(state.job_type[record])])
    yield Fact("phase now", phases[int(state.job_phase[record])])
    yield Fact("on", server_name(server, pool, info.facts.pools), thing=Thing(SERVER, server, pool))
    yield time_fact(moment, "arrived at", arrival)
    yield time_fact(moment, "in the system for", moment.time - arrival)
    yield Fact("changes of phase", grouped(int(state.job_moves[record])))
    following = int(state.job_next[record])
    if following >= 0:
        where = "departs" if following == len(phases) else f"goes into {phases[following]}"
        yield time_fact(moment, f"{where} at", float(state.job_due[record]))
    token = int(state.job_token[record])
    if token >= 0:
        waited = arrival - float(state.job_token_time[record])
        yield Fact(
            "token taken",
            f"token {grouped(token + 1)}, which was out for {time_shown(waited)}",
            units(info.time_unit),
            Thing(TOKEN, token),
        )


def _token(moment: InspectedMoment, token: int) -> Description:
    state = moment.state
    title = f"Token {grouped(token + 1)}"
    for pool, kind, place in np.argwhere(state.token_number == token).tolist():
        facts = list(_waiting(moment, pool, kind, place))
        return Description(title, sections(("", facts)))
    holders = np.flatnonzero((state.job_number >= 0) & (state.job_token == token))
    if len(holders):
        return Description(title, sections(("", list(_taken(moment, int(holders[0]))))))
    if token >= int(state.number[NEXT_TOKEN]):
        return Description(title, absent="It has not been made yet.")
    return Description(title, absent="A job took it that has left; its history says which.")


def _waiting(moment: InspectedMoment, pool: int, kind: int, place: int) -> Iterator[Fact]:
    info, state = moment.info, moment.state
    server = int(state.token_server[pool, kind, place])
    made = float(state.token_time[pool, kind, place])
    name = info.numbers.model.phases[kind]
    yield Fact("waits for", f"a job of type {name}")
    yield Fact("asked for by", f"server {grouped(server + 1)}", thing=Thing(SERVER, server))
    yield time_fact(moment, "made at", made)
    yield time_fact(moment, "out for", moment.time - made)
    count = int(state.token_count[pool, kind])
    yield Fact("by age", f"{grouped(place + 1)} of {grouped(count)} of its type")


def _taken(moment: InspectedMoment, record: int) -> Iterator[Fact]:
    info, state = moment.info, moment.state
    server, pool = int(state.job_server[record]), int(state.job_pool[record])
    made, taken = float(state.job_token_time[record]), float(state.job_arrival[record])
    yield Fact("type", info.numbers.model.phases[int(state.job_type[record])])
    yield Fact("asked for by", server_name(server, pool, info.facts.pools), thing=Thing(SERVER, server, pool))
    yield time_fact(moment, "made at", made)
    yield time_fact(moment, "taken at", taken)
    yield Fact("by", _name(moment, record), thing=_thing(state, record))
