"""Unlimited servers of jobs with phases: events, and the check of every decision.

Reference: Hong, Xie & Wang (2023), Sections 2 and 4.2.  An event is the arrival of a job, the move
of a job (real or virtual) to another phase or its departure, or the tick of a normal server's timer.
"""

from __future__ import annotations

from typing import Any, Callable, ClassVar, Iterator

import numpy as np

from slotscope.model.kinds.phases import physics, rows, sampling, timers, tokens, whatif
from slotscope.model.kinds.phases.numbers import PhaseNumbers, tables_of
from slotscope.model.kinds.phases.outcome import PhaseOutcome
from slotscope.model.kinds.phases.policies.base import PhasePolicy
from slotscope.model.kinds.phases.script import PhaseScript, ScriptedChoices
from slotscope.model.kinds.phases.state import (
    FIRST_BACKUP,
    MOVES,
    NEXT_ARRIVAL,
    NEXT_TOKEN,
    NEXT_VIRTUAL,
    NOW,
    PhaseState,
    StateSizes,
    empty_state,
    job_of,
    with_room,
)
from slotscope.model.kinds.phases.takeover import check_continuation, taken_over
from slotscope.model.kinds.phases.view import PhaseJob, PhaseView, RandomChoices
from slotscope.model.reporting.records import (
    ARRIVAL,
    DEPARTURE,
    MOVE,
    TICK,
    Event,
    Match,
    Overflow,
    Place,
    Record,
    Remember,
    Request,
    SetTimer,
    VirtualArrival,
)
from slotscope.model.systems.base import PolicySystem
from slotscope.model.systems.state import by_number


class PhaseSystem(PolicySystem):
    """A system of jobs with phases under one policy."""

    name = "phases"
    row_dtype = rows.PHASE_ROW
    whatif = whatif
    numbers: PhaseNumbers
    policy: PhasePolicy

    def __init__(self, scenario: Any, numbers: PhaseNumbers, workload: Any, policy: PhasePolicy) -> None:
        super().__init__(scenario, numbers, workload, policy)
        self.sample_width = sampling.width(numbers.phases)
        self.tables = tables_of(numbers, policy.observes)
        self.script: PhaseScript | None = None
        if scenario.workload.kind == "scripted":  # jobs move when the script says so
            self.tables = self.tables._replace(out_rate=np.zeros(numbers.phases))
            self.script = PhaseScript(scenario, numbers, self.tables, policy)
            self.initial_jobs, self.names = self.script.initial_jobs, self.script.names
        self._told = by_number(self.tables)
        self._shown: tuple[Any, PhaseView | None] = (None, None)

    @property
    def normal_servers(self) -> int:
        """L, the number of servers with timers and tokens; 0 if servers are unlimited."""
        return len(self.policy.pool_of)

    def raw_state(self) -> PhaseState:
        """The state at time 0: empty, or with the jobs and tokens that a script begins with."""
        configurations = len(self.tables.up) if self.policy.observes else 0
        state = empty_state(
            StateSizes(
                self.numbers.phases,
                self.numbers.resources,
                self.policy.pools,
                self.normal_servers,
                configurations,
                self.policy.memory,
            )
        )
        if self.script:
            return self.script.begun(state)
        return self.prepared(state) if self.may_fail else state  # a user-written policy may request jobs at once

    def start(self, state: PhaseState, taken_over: bool = False) -> Iterator[Record]:
        """Let the policy start timers; in a state *taken over* only servers without jobs and tokens can request any."""
        outcome = PhaseOutcome(Event(TICK, float(state.clock[NOW])))
        outcome.takes_over = taken_over
        view = self._view(state, starting=True)
        yield from self.decided(state, self.policy.start(view), outcome)

    def check_continuation(self, other: PhaseSystem) -> None:
        """See :func:`model.kinds.phases.takeover.check_continuation`."""
        check_continuation(self, other)

    def has_other_jobs(self, other: PhaseSystem, workload: Callable[[Any, Any], Any]) -> bool:
        """Whether the jobs differ: also if they go through the phases differently."""
        paths = ("out_rate", "next_phase")
        same = all(np.array_equal(getattr(self.tables, name), getattr(other.tables, name)) for name in paths)
        return not same or super().has_other_jobs(other, workload)

    def take_over(self, other: PhaseSystem, state: PhaseState) -> PhaseState:
        """See :func:`model.kinds.phases.takeover.taken_over`."""
        self.initial_jobs = other.initial_jobs
        return taken_over(self, other, state)

    def virtual_name(self, number: int) -> str:
        """The name of a virtual job: from the script, or v1, v2, ... in order of arrival."""
        names = self.script.virtual_names if self.script else {}
        return names.get(number, f"v{number + 1}")

    # Events.

    def next_event(self, state: PhaseState) -> Event | None:
        """The next event; of events at the same time first a move, then a tick, then an arrival."""
        if self.script:
            return self.script.next_event(state)
        now = self.quick(state)
        block, place, comes = self.next_arrival(now)
        moves = now.heap_time[0] if now.number[MOVES] else np.inf
        rings = timers.next_timer(now.timer_due, now.timer_tree)
        due = min(comes, moves, rings)
        if due == np.inf:
            return None
        if moves == due:
            return self._move(now, now.heap_record[0], due)
        if rings == due:
            return Event(TICK, due, server=now.timer_tree[1])
        return Event(ARRIVAL, due, block.type.item(place), self.initial_jobs + now.number[NEXT_ARRIVAL])

    def _move(self, now: Any, record: int, due: float) -> Event:
        phase = now.job_next[record]
        kind = DEPARTURE if phase == self.numbers.phases else MOVE
        return Event(kind, due, phase, job_of(now, record), now.job_server[record], record=record)

    def prepared(self, state: PhaseState, event: Event | None = None) -> PhaseState:
        """*state* with room for one more event."""
        return with_room(state, self.policy.most_tokens)

    def sample(self, state: PhaseState, row: np.ndarray) -> None:
        """Fill one row of samples; see :mod:`model.kinds.phases.sampling`."""
        sampling.sample(state, row)

    def run(self, state: PhaseState, event: Event, row: np.ndarray) -> Iterator[Record]:
        """Let *event* happen; yields each sub-step after its effect on *state*.

        ``row`` [1] of :data:`PHASE_ROW` is filled at the end.
        """
        outcome, now = PhaseOutcome(event), self.quick(state)
        physics.go_on(now, event.time)
        if event.kind == ARRIVAL:
            yield from self._arrival(state, event, outcome)
        elif event.kind == TICK:
            yield from self._tick(state, event, outcome)
        else:
            yield from self._job_moves(state, event, outcome)
        outcome.close(self._told.capacity, now, row)

    def _arrival(self, state: PhaseState, event: Event, outcome: PhaseOutcome) -> Iterator[Record]:
        now = self.quick(state)
        now.number[NEXT_ARRIVAL] += 1
        record = outcome.arrived = physics.arrive(now, event.job, event.type)
        outcome.job, outcome.type, outcome.phase = event.job, event.type, event.type
        outcome.flags |= rows.FLAG_ARRIVED
        yield Record("arrival", None, {"job": event.job, "type": event.type})
        decisions = self.policy.arrival(self._view(state), PhaseJob(event.job, event.type))
        yield from self.decided(state, decisions, outcome)
        if now.job_server[record] == -1:
            raise outcome.fault(
                f"it leaves job {self.job_name(event.job)} nowhere; allowed: a server for every job that arrives"
            )

    def _tick(self, state: PhaseState, event: Event, outcome: PhaseOutcome) -> Iterator[Record]:
        timer = int(state.timer_number[event.server])
        timers.stop_timer(state, event.server)
        outcome.server = event.server
        outcome.pool = int(self.policy.pool_of[event.server])
        outcome.had_jobs = bool(state.jobs_on[event.server])
        outcome.flags |= rows.FLAG_TICKED
        view = self._view(state, timer)
        yield from self.decided(state, self.policy.tick(view, event.server), outcome)

    def _job_moves(self, state: PhaseState, event: Event, outcome: PhaseOutcome) -> Iterator[Record]:
        record, now = event.record, self.quick(state)
        outcome.job, outcome.server = now.job_number[record], event.server
        outcome.pool, outcome.type = now.job_pool[record], now.job_phase[record]
        outcome.phase = event.type
        outcome.had_jobs = event.server >= 0 and bool(now.jobs_on[event.server])
        values = {
            "job": outcome.job,
            "virtual": bool(now.job_virtual[record]),
            "server": event.server,
            "pool": outcome.pool,
            "from": outcome.type,
        }
        outcome.flags |= rows.FLAG_OF_VIRTUAL if values["virtual"] else 0
        if event.kind == DEPARTURE:
            acts, phase = self.policy.departure, outcome.type
            physics.leave(now, self._told, record)
            outcome.flags |= rows.FLAG_DEPARTED
            yield Record("departure", None, values)
        else:
            acts, phase = self.policy.move, event.type
            physics.move(now, self._told, record, event.type)
            outcome.flags |= rows.FLAG_MOVED
            yield Record("move", None, values | {"to": event.type})
        if event.server >= 0:
            job = PhaseJob(outcome.job, phase, event.server, bool(values["virtual"]))
            yield from self.decided(state, acts(self._view(state), job), outcome)

    # Decisions.

    def _view(self, state: PhaseState, timer: int = -1, starting: bool = False) -> PhaseView:
        """The view of *state* for the policy: the previous one if the state is the same object and no *timer* rang."""
        if self.script:
            event = None if starting else self.script.event(state)
            return PhaseView(self.numbers, state, ScriptedChoices(self.script, self.tables, state, event))
        known, view = self._shown  # read together: another thread may run another state of the same system
        if known is not state or view is None or timer >= 0:
            view = PhaseView(self.numbers, state, RandomChoices(self.tables, state, timer))
            if timer < 0:
                self._shown = state, view
        return view

    def carry_out(self, state: PhaseState, record: Any, outcome: PhaseOutcome) -> None:
        """Check the decision of one record and carry it out."""
        handler = self.handlers.get(kind := type(record))
        if handler is None:
            outcome.flags |= rows.TOLD.get(record.kind, 0)
            return
        if kind in self.of_arrivals:
            self._check_arrival(state, record.job, outcome)
        handler(self, state, record, outcome)

    def _check_arrival(self, state: PhaseState, job: int, outcome: PhaseOutcome) -> None:
        record, now = outcome.arrived, self.quick(state)
        if record < 0 or now.job_number[record] != job:
            raise outcome.fault(f"it places job {self.job_name(job)}, which does not arrive now")
        if now.job_server[record] != -1:
            raise outcome.fault(f"it places job {self.job_name(job)} twice")

    def _match(self, state: PhaseState, decision: Match, outcome: PhaseOutcome) -> None:
        record, now = outcome.arrived, float(state.clock[0])
        job_type = int(state.job_type[record])
        self._check_token(state, decision.pool, job_type, decision.position, outcome)
        outcome.tokens = int(state.token_count[decision.pool, job_type])
        outcome.pool = decision.pool
        outcome.server = int(state.token_server[decision.pool, job_type, decision.position])
        tokens.match(self.quick(state), self._told, record, decision.pool, decision.position)
        outcome.token = int(state.job_token[record])
        outcome.token_age = now - float(state.job_token_time[record])
        outcome.flags |= rows.FLAG_MATCHED

    def _overflow(self, state: PhaseState, decision: Overflow, outcome: PhaseOutcome) -> None:
        if not self.normal_servers or not 0 <= decision.pool < self.policy.pools:
            raise outcome.fault(
                f"it sends a job to the backup servers of pool {decision.pool + 1}, allowed: pools 1 to "
                f"{self.policy.pools} of a policy with normal servers"
            )
        record = outcome.arrived
        job_type = int(state.job_type[record])
        outcome.tokens, outcome.pool = (int(state.token_count[decision.pool, job_type]), decision.pool)
        backup = physics.put_on_backup(self.quick(state), self._told, record, decision.pool)
        outcome.server = FIRST_BACKUP - backup
        outcome.flags |= rows.FLAG_OVERFLOW

    def _place(self, state: PhaseState, decision: Place, outcome: PhaseOutcome) -> None:
        server = outcome.check_server(decision.server, len(state.jobs_on))
        if self.normal_servers:
            raise outcome.fault(f"it places a job on server {server + 1} without a token")
        now, record = self.quick(state), outcome.arrived
        if now.jobs_on[server] >= self.numbers.model.most_jobs:
            raise outcome.fault(
                f"it places a job on server {server + 1}, which has {now.jobs_on[server]}, the service limit"
            )
        if self.numbers.model.hard:
            need = self.numbers.demand[now.job_type[record]]
            if (state.use[server] + need > self.numbers.capacity).any():
                raise outcome.fault(f"it places a job on server {server + 1}, which has no room")
        outcome.server = server
        outcome.fitting = int(decision.values.get("fitting", -1))
        physics.put(now, self._told, record, server)
        outcome.flags |= rows.FLAG_PLACED

    def _request(self, state: PhaseState, decision: Request, outcome: PhaseOutcome) -> None:
        server = outcome.check_server(decision.server, len(state.jobs_on))
        self._check_asks(server, outcome)
        there = int(state.real[server].sum() + state.virtual[server].sum())
        if outcome.takes_over and (there or state.tokens_on[server]):
            return
        if state.tokens_on[server]:
            raise outcome.fault(f"server {server + 1} asks for jobs while it holds {state.tokens_on[server]} tokens")
        most, asked = self.numbers.model.most_jobs, sum(decision.jobs)
        if not 0 < asked <= most - there or min(decision.jobs) < 0:
            raise outcome.fault(
                f"server {server + 1} asks for {asked} jobs, allowed: 1 to {most - there}, as it has {there} of {most}"
            )
        self._check_room(state, server, decision.jobs, outcome)
        if self.policy.rules is None:  # JRS cancels its timers by decisions of its own, as in the paper
            timers.stop_timer(state, server)
        tokens.begin_request(state)
        if outcome.first_token < 0:
            outcome.first_token = int(state.number[NEXT_TOKEN])
        for job_type, jobs in enumerate(decision.jobs):
            for _ in range(jobs):
                tokens.make_token(state, int(self.policy.pool_of[server]), job_type, server)
        outcome.made += asked
        outcome.flags |= rows.FLAG_REQUESTED

    def _virtual(self, state: PhaseState, decision: VirtualArrival, outcome: PhaseOutcome) -> None:
        self._check_token(state, decision.pool, decision.type, decision.position, outcome)
        if outcome.first_virtual < 0:
            outcome.first_virtual = int(state.number[NEXT_VIRTUAL])
        tokens.arrive_virtually(self.quick(state), self._told, decision.pool, decision.type, decision.position)
        outcome.virtual += 1
        outcome.flags |= rows.FLAG_VIRTUAL

    def _set_timer(self, state: PhaseState, decision: SetTimer, outcome: PhaseOutcome) -> None:
        server = outcome.check_server(decision.server, len(state.jobs_on))
        self._check_asks(server, outcome)
        if decision.rate > 0 and state.tokens_on[server]:
            raise outcome.fault(f"it starts a timer of server {server + 1}, which is paused")
        now = self.quick(state)
        if decision.rate > 0 and self.script:
            timers.number_timer(now, server)
        else:
            timers.start_timer(now, self._told, server, decision.rate)

    def _check_asks(self, server: int, outcome: PhaseOutcome) -> None:
        if not self.normal_servers:
            raise outcome.fault(f"server {server + 1} asks for no jobs, allowed: with servers = L in the class")

    def _check_room(self, state: PhaseState, server: int, jobs: tuple[int, ...], outcome: PhaseOutcome) -> None:
        """Check that the server has room for the requested jobs, and that this event has room for the tokens."""
        if len(jobs) != self.numbers.phases:
            raise outcome.fault(f"server {server + 1} asks for {len(jobs)} types, allowed: {self.numbers.phases}")
        if outcome.made + sum(jobs) > self.policy.most_tokens:
            raise outcome.fault(
                f"it makes {outcome.made + sum(jobs)} tokens in one event, allowed: most_tokens = "
                f"{self.policy.most_tokens}, as its class declares"
            )
        place = int(state.observed[server])
        for job_type, count in enumerate(jobs):
            for _ in range(count):
                place = int(self.tables.up[place, job_type]) if place >= 0 else -1
        if place < 0:
            raise outcome.fault(f"server {server + 1} asks for jobs {tuple(jobs)}, which it has no room for")

    def _check_token(self, state: PhaseState, pool: int, job_type: int, position: int, outcome: PhaseOutcome) -> None:
        known = 0 <= pool < self.policy.pools and 0 <= job_type < self.numbers.phases
        count = int(state.token_count[pool, job_type]) if known else 0
        if not 0 <= position < count:
            raise outcome.fault(
                f"it takes token {position + 1} of type {job_type + 1} in pool {pool + 1}, where there are {count}"
            )

    #: the decisions that place the job which has just arrived
    of_arrivals: ClassVar = frozenset({Match, Overflow, Place})
    handlers: ClassVar = {
        Match: _match,
        Overflow: _overflow,
        Place: _place,
        Request: _request,
        VirtualArrival: _virtual,
        SetTimer: _set_timer,
        Remember: PolicySystem.remember,
    }
