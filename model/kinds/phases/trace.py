"""The events of a run in the exchange format of ``slotscope trace``.

With an instance file each line is a state: ``after`` (the event's index from 0, or "start"),
``result``, ``pools``, ``active``, ``cost_rate`` and ``jobs``.  In other runs a line also has ``event``:
what happened and was chosen, in the form of an instance file, and ``requests``, the types
that servers requested at once, in order.  For policies without normal servers ``servers``, the busy
servers by number, replaces ``pools``.  Servers, pools and backup servers are numbered from 1; see
``resources/help/trace-format.md``.
"""

from __future__ import annotations

from itertools import count
from typing import Any, Iterator, Sequence

import numpy as np

from slotscope.model.kinds.phases.programs.rules import ANY_TOKEN, LIMIT_IN_ALL
from slotscope.model.kinds.phases.scenario.workload import PATCH
from slotscope.model.kinds.phases.state import ACTIVE, COST, FIRST_BACKUP, NEXT_VIRTUAL, PhaseState
from slotscope.model.kinds.phases.system import PhaseSystem
from slotscope.model.reporting.records import ARRIVAL, TICK, Event, Match, Overflow, Place, Record, VirtualArrival

Line = dict[str, Any]

#: The key of the timer's time, for policies without a plan.
OWN_TIMER = "rings at"


def lines(system: PhaseSystem, most: float) -> Iterator[Line]:
    """Run the reference engine: yield a line for the start, and one for each of at most *most* events."""
    state = system.raw_state()
    for _ in system.start(state):
        pass
    yield {"after": "start"} | standing(system, state)
    for place in count():
        state = system.prepared(state)
        event = system.next_event(state)
        if event is None or place >= most:
            return
        happening = Happening(system, state, event)
        for record in system.run(state, event, np.zeros(1, system.row_dtype)):
            happening.note(record)
        line: Line = {"after": place}
        if not system.script:
            line["event"] = happening.told
        yield line | {"result": happening.result()} | standing(system, state)


class Happening:
    """One event as it unfolds, in the form of an instance file."""

    def __init__(self, system: PhaseSystem, state: PhaseState, event: Event) -> None:
        self._system = system
        self._state = state
        self._first_virtual = int(state.number[NEXT_VIRTUAL])
        self._counts: Any = None
        self._placed = ""
        self._virtual: list[dict[str, Any]] = []
        self.told: Line = {"t": event.time} | self._what(event)  #: the event with every choice made in it

    def _what(self, event: Event) -> Line:
        phases = self._system.numbers.model.phases
        if event.kind == ARRIVAL:
            return {"kind": "arrival", "type": phases[event.type], "job": self._system.job_name(event.job)}
        if event.kind == TICK:
            return {"kind": "tick", "server": self._own_number(event.server)} | self._in_pool(
                int(self._system.policy.pool_of[event.server])
            )
        found = {"job": name_of(self._system, self._state, event.record)} | self._in_pool(
            int(self._state.job_pool[event.record])
        )
        if event.type == len(phases):
            return {"kind": "departure"} | found
        return {"kind": "phase", "to": phases[event.type]} | found

    def _in_pool(self, pool: int) -> Line:
        return {"pool": pool + 1} if self._system.policy.pools > 1 else {}

    def _own_number(self, server: int) -> int:
        """A normal server's number within its pool, from 1; without normal servers, the server's number."""
        if not self._system.normal_servers:
            return server + 1
        pool_of = self._system.policy.pool_of
        return server - int(np.searchsorted(pool_of, pool_of[server])) + 1

    def note(self, record: Record) -> None:
        """Take note of a sub-step, right after its effect."""
        phases = self._system.numbers.model.phases
        match record:
            case Match(pool=pool, position=position, values=values):
                self.told |= self._in_pool(pool) | {"token_index": position}
                self._placed = f"server {self._own_number(values['server'])}"
            case Overflow(job=job, pool=pool):
                self.told |= self._in_pool(pool)
                (found,) = np.flatnonzero((self._state.job_number == job) & (self._state.job_virtual == 0))
                backup = FIRST_BACKUP - int(self._state.job_server[found])
                self._placed = f"backup {backup + 1}"
            case Place(server=server):
                self._placed = f"server {server + 1}"
            case VirtualArrival():
                self._arrived_virtually(record)
            case Record(kind="limit", values=values):
                self._counts = self._state.token_count[values["pool"]].copy()
            case Record(kind="tick", values=values):
                self.told["type"] = phases[values["type"]]
            case Record(kind="recovery_tick"):
                self.told["type"] = PATCH
            case Record(kind="reactive", values=values):
                self.told.setdefault("requests", []).append(phases[values["type"]])

    def _arrived_virtually(self, record: VirtualArrival) -> None:
        number = self._first_virtual + len(self._virtual)
        rules = self._system.policy.rules
        in_all = rules is not None and rules.option[LIMIT_IN_ALL] == ANY_TOKEN
        before = int(self._counts[: record.type].sum()) if in_all else 0
        self.told.setdefault("virtual_choices", []).append(before + record.position)
        self._virtual.append(
            {
                "job": self._system.virtual_name(number),
                "server": self._own_number(record.values["server"]),
                "type": self._system.numbers.model.phases[record.type],
            }
        )

    def result(self) -> Line:
        """Where an arrival was placed, and the virtual arrivals."""
        found: Line = {"placed": self._placed} if self._placed else {}
        return found | ({"virtual_arrivals": self._virtual} if self._virtual else {})


def name_of(system: PhaseSystem, state: PhaseState, record: int) -> str:
    """The name of the job in a record, real or virtual."""
    number = int(state.job_number[record])
    return system.virtual_name(number) if state.job_virtual[record] else system.job_name(number)


def standing(system: PhaseSystem, state: PhaseState) -> Line:
    """The state as a line: pools (or busy servers), active servers, the cost rate and all jobs."""
    found: Line = {"servers": _busy(state)}
    if system.normal_servers:
        found = {"pools": [_pool(system, state, pool) for pool in range(system.policy.pools)]}
    return found | {
        "active": int(state.number[ACTIVE]),
        "cost_rate": float(int(state.number[COST]) * system.numbers.cost_unit),
        "jobs": _jobs(system, state),
    }


def _busy(state: PhaseState) -> dict[str, list[int]]:
    return {str(server + 1): state.real[server].tolist() for server in np.flatnonzero(state.jobs_on).tolist()}


def _pool(system: PhaseSystem, state: PhaseState, pool: int) -> Line:
    phases = system.numbers.model.phases
    first = int(np.searchsorted(system.policy.pool_of, pool))
    servers = int(np.count_nonzero(system.policy.pool_of == pool))
    counts = state.token_count[pool].tolist()
    backups = np.flatnonzero(state.backup_record[pool] >= 0).tolist()
    return {
        "servers": [_server(system, state, first + place) for place in range(servers)],
        "tokens": {
            name: (state.token_server[pool, i, : counts[i]] - first + 1).tolist() for i, name in enumerate(phases)
        },
        "backup": {str(backup + 1): phases[state.job_phase[state.backup_record[pool, backup]]] for backup in backups},
    }


def _server(system: PhaseSystem, state: PhaseState, server: int) -> Line:
    return {
        "real": state.real[server].tolist(),
        "virtual": state.virtual[server].tolist(),
        "observed": system.numbers.lattice.configurations[state.observed[server]].tolist(),
        "tokens": state.tokens[server].tolist(),
        "paused": bool(state.tokens_on[server]),
        "timers": timers_of(system, state, server),
    }


def timers_of(system: PhaseSystem, state: PhaseState, server: int) -> dict[str, float]:
    """The rates of a server's running timers: by type, or that of the patch.

    For a policy without a plan, the time at which the timer rings.
    """
    if state.timer_number[server] < 0:
        return {}
    policy = system.policy
    if policy.rules is None:
        return {OWN_TIMER: float(state.timer_due[server])}
    pool, place = int(policy.pool_of[server]), int(state.observed[server])
    rates = policy.plan.pools[pool].rate[place]
    found = {name: float(rate) for name, rate in zip(system.numbers.model.phases, rates, strict=True) if rate > 0}
    return found or {PATCH: float(policy.rules.rate[pool, place])}


def _jobs(system: PhaseSystem, state: PhaseState) -> dict[str, list[str]]:
    phases = system.numbers.model.phases
    live: Sequence[int] = np.flatnonzero(state.job_number >= 0).tolist()
    return {
        name_of(system, state, record): [_where(system, state, record), phases[state.job_phase[record]]]
        for record in live
    }


def _where(system: PhaseSystem, state: PhaseState, record: int) -> str:
    server, pool = int(state.job_server[record]), int(state.job_pool[record])
    inside = f"pool {pool + 1} " if system.policy.pools > 1 else ""
    if server <= FIRST_BACKUP:
        return f"{inside}backup {FIRST_BACKUP - server + 1}"
    first = int(np.searchsorted(system.policy.pool_of, pool)) if system.normal_servers else 0
    virtual = " (virtual)" if state.job_virtual[record] else ""
    return f"{inside}server {server - first + 1}{virtual}"
