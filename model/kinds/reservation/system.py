"""The loss system with slots: its events, and the check and effect of every decision.

Reference: Psychas & Ghaderi (2022), Section 2.  A policy yields records; each decision is
checked against the state, applied, and passed on, so that a run can pause between any two.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, ClassVar, Iterator

import numpy as np

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.reservation import physics, rows, sampling, whatif
from slotscope.model.kinds.reservation.initial import check_feasible, initial_state, starting_jobs
from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.outcome import ReservationOutcome
from slotscope.model.kinds.reservation.policies.base import ArrivingJob, DepartedJob, ReservationPolicy
from slotscope.model.kinds.reservation.scenario.schema import ReservationScenario
from slotscope.model.kinds.reservation.state import (
    ARRIVED,
    DEPARTURES,
    EXTENDED,
    GREEDY_LENGTH,
    I_STAR,
    NEXT_ARRIVAL,
    NOW,
    REJECTED,
    TIMER,
    ReservationState,
    with_room,
)
from slotscope.model.kinds.reservation.view import ReservationView
from slotscope.model.reporting.records import (
    ARRIVAL,
    DEPARTURE,
    UPDATE,
    Admit,
    Classify,
    Configuration,
    Event,
    Migrate,
    Preempt,
    Reassign,
    Record,
    Reject,
    Remember,
    UpdateAt,
)
from slotscope.model.scenario.workload import Workload
from slotscope.model.systems.base import PolicySystem


class ReservationSystem(PolicySystem):
    """A loss system under one policy."""

    name = "reservation"
    whatif = whatif
    scenario: ReservationScenario
    numbers: ReservationNumbers
    policy: ReservationPolicy

    def __init__(
        self, scenario: ReservationScenario, numbers: ReservationNumbers, workload: Workload, policy: ReservationPolicy
    ) -> None:
        self.starting = starting_jobs(scenario, numbers)
        names = _job_names(scenario, [job.name for job in self.starting])
        super().__init__(scenario, numbers, workload, policy, names)
        self.initial_jobs = len(self.starting)
        self.sample_width = sampling.width(numbers.types)
        self.row_dtype: np.dtype[Any] = rows.EVENT_ROW
        self._shown: tuple[ReservationState, ReservationView] | None = None

    def raw_state(self) -> ReservationState:
        """The state at time 0, before the policy has acted."""
        return initial_state(self.scenario, self.numbers, self.starting, self.policy.reserves_slots, self.policy.memory)

    @property
    def ends_when_idle(self) -> bool:
        """Whether the policy's updates stop when no arrival or departure is left."""
        return not self.policy.updates_when_idle

    def check_continuation(self, other: ReservationSystem) -> None:
        """Refuse to continue from *other* if its servers or job types differ. Raises ScenarioError."""
        mine, theirs = self.numbers, other.numbers
        if (mine.servers, mine.type_names) != (theirs.servers, theirs.type_names):
            raise ScenarioError(
                "found other servers or job types, allowed when continuing: the same; run it from the start instead"
            )

    def take_over(self, other: ReservationSystem, state: ReservationState) -> ReservationState:
        """Continue from another system's state: its jobs stay, and this policy starts on them."""
        self.name_jobs_like(other)
        state.greedy_configuration[...] = 0
        state.greedy_count[...] = 0
        state.number[GREEDY_LENGTH] = 0
        state.number[I_STAR] = self.numbers.ranks
        state.number[EXTENDED] = 0
        state.clock[TIMER] = np.inf
        state = state._replace(memory=np.zeros(self.policy.memory))
        if not self.policy.reserves_slots:
            state.configuration[...] = state.placement
            state.slots_in_system[...] = state.placement.sum(axis=0)
        check_feasible(state, self.numbers, "server {1}")
        for _ in self.start(state):
            pass
        return state

    def prepared(self, state: ReservationState, event: Event | None = None) -> ReservationState:
        """*state* with room for one more job."""
        return with_room(state)

    def next_event(self, state: ReservationState) -> Event | None:
        """The next event; of events at the same time first departures, then updates, then arrivals."""
        now = self.quick(state)
        departure = now.heap_time[0] if now.number[DEPARTURES] else np.inf
        timer = now.clock[TIMER]
        block, place, arrives = self.next_arrival(now)
        if departure <= min(timer, arrives) and departure < np.inf:
            return self._departure(now)
        idle = block is None and departure == np.inf
        if timer <= arrives and timer < np.inf and not (idle and self.ends_when_idle):
            return Event(UPDATE, timer)
        if block is None:
            return None
        job = self.initial_jobs + now.number[NEXT_ARRIVAL]
        return Event(ARRIVAL, arrives, block.type.item(place), job, service=block.service.item(place))

    @staticmethod
    def _departure(now: Any) -> Event:
        record = now.heap_record[0]
        return Event(DEPARTURE, now.heap_time[0], now.job_type[record], now.job_number[record], now.job_server[record])

    def sample(self, state: ReservationState, row: np.ndarray) -> None:
        """Fill one row of samples; see :mod:`model.kinds.reservation.sampling`."""
        sampling.sample(state, row, self.numbers.greedy_set)

    def start(self, state: ReservationState) -> Iterator[Record]:
        """The policy's initialization at time 0 (Section 4), which is not counted as an event."""
        view = self._view(state)
        outcome = ReservationOutcome(Event(UPDATE, float(state.clock[NOW])))
        yield from self.decided(state, self.policy.start(view), outcome)

    def run(self, state: ReservationState, event: Event, row: np.ndarray) -> Iterator[Record]:
        """Carry out *event*; yields each sub-step after its effect on *state*.

        ``row`` [1] of :data:`EVENT_ROW` is filled at the end.
        """
        outcome = ReservationOutcome(event)
        now = self.quick(state)
        now.clock[NOW] = event.time
        view = self._view(state)
        if event.kind == ARRIVAL:
            now.number[NEXT_ARRIVAL] += 1
            now.tally[event.type, ARRIVED] += 1
            yield Record("arrival", None, {"type": event.type, "job": event.job})
            decisions = self.policy.arrival(view, ArrivingJob(event.type, event.job))
        elif event.kind == DEPARTURE:
            served = self._depart(now, outcome)
            yield Record("departure", None, {"type": event.type, "job": event.job, "server": event.server})
            decisions = self.policy.departure(view, DepartedJob(event.type, event.job, event.server, served))
        else:
            now.clock[TIMER] = np.inf
            yield Record("update", None, {})
            decisions = self.policy.update(view)
        yield from self.decided(state, decisions, outcome)
        if event.kind == ARRIVAL and not outcome.flags & (rows.FLAG_ADMITTED | rows.FLAG_REJECTED):
            raise outcome.fault("it neither admitted nor rejected the arriving job")
        outcome.close(now, row)

    def _view(self, state: ReservationState) -> ReservationView:
        """The view of *state* for the policy: the previous one if the state is the same object."""
        if (shown := self._shown) is None or shown[0] is not state:
            self._shown = shown = (state, ReservationView(self.numbers, state))
        return shown[1]

    def _depart(self, now: Any, outcome: ReservationOutcome) -> float:
        record = physics.depart(now)
        served: float = outcome.event.time - now.job_arrival[record]
        physics.release(now, record)
        if not self.policy.reserves_slots:
            self._resize(now, outcome.event.server, outcome.event.type, -1)
        outcome.flags |= rows.FLAG_DEPARTED
        outcome.server = outcome.event.server
        return served

    @staticmethod
    def _resize(now: Any, server: int, job_type: int, by: int) -> None:
        """Without reservation, a server has as many slots as jobs."""
        physics.set_slots(now, server, job_type, now.configuration[server, job_type] + by)

    def _admit(self, state: ReservationState, record: Admit, outcome: ReservationOutcome) -> None:
        event, server = outcome.event, record.server
        if event.kind != ARRIVAL or outcome.flags & (rows.FLAG_ADMITTED | rows.FLAG_REJECTED):
            raise outcome.fault("it admits a job, but none is waiting for a decision")
        outcome.check_server(server, self.numbers.servers)
        job_type, now = event.type, self.quick(state)
        if self.policy.reserves_slots:
            if now.placement[server, job_type] >= now.configuration[server, job_type]:
                raise outcome.fault(
                    f"it admits job {self.job_name(event.job)} on server {server + 1}, which has no empty slot of type "
                    f"{self.numbers.type_names[job_type]}: {_slots_and_jobs(state, server, job_type)}"
                )
        elif not self._has_room(state, server, job_type):
            raise outcome.fault(
                f"it admits job {self.job_name(event.job)} on server {server + 1}, whose free resources do not hold "
                f"it: its jobs are {_row(state.placement, server)}"
            )
        else:
            self._resize(now, server, job_type, 1)
        physics.admit(now, server, job_type, event.job, event.time + event.service)
        outcome.flags |= rows.FLAG_ADMITTED
        outcome.server = server

    def _has_room(self, state: ReservationState, server: int, job_type: int) -> bool:
        return self.numbers.holds_one_more(state.placement[server], job_type, server)

    def _reject(self, state: ReservationState, record: Reject, outcome: ReservationOutcome) -> None:
        event = outcome.event
        if event.kind != ARRIVAL or outcome.flags & (rows.FLAG_ADMITTED | rows.FLAG_REJECTED):
            raise outcome.fault("it rejects a job, but none is waiting for a decision")
        self.quick(state).tally[event.type, REJECTED] += 1
        outcome.flags |= rows.FLAG_REJECTED
        outcome.empty_slots = int(record.values.get("empty_slots", -1))
        outcome.servers_with_room = int(record.values.get("servers_with_room", -1))

    def _migrate(self, state: ReservationState, record: Migrate, outcome: ReservationOutcome) -> None:
        outcome.check_server(record.target, self.numbers.servers)
        job = self._find(state, outcome, record.job, record.source)
        job_type = int(state.job_type[job])
        tried = f"it migrates job {self.job_name(record.job)} to server {record.target + 1}"
        if record.target == record.source:
            raise outcome.fault(f"{tried}, where it is already")
        self._make_room(state, record, job_type, outcome, tried)
        physics.migrate(self.quick(state), job, record.target)
        outcome.flags |= rows.FLAG_MIGRATED
        outcome.moved, outcome.source = record.job, record.source

    def _make_room(
        self, state: ReservationState, record: Migrate, job_type: int, outcome: ReservationOutcome, tried: str
    ) -> None:
        """Check that the target has room for the job; without reservation, the job's slot moves with it."""
        target = record.target
        if self.policy.reserves_slots:
            if state.placement[target, job_type] >= state.configuration[target, job_type]:
                raise outcome.fault(
                    f"{tried}, which has no empty slot for it: {_slots_and_jobs(state, target, job_type)}"
                )
            return
        if not self._has_room(state, target, job_type):
            raise outcome.fault(
                f"{tried}, whose free resources do not hold it: its jobs are {_row(state.placement, target)}"
            )
        self._resize(self.quick(state), record.source, job_type, -1)
        self._resize(self.quick(state), target, job_type, 1)

    def _preempt(self, state: ReservationState, record: Preempt, outcome: ReservationOutcome) -> None:
        job = self._find(state, outcome, record.job, record.server)
        job_type = int(state.job_type[job])
        physics.preempt(self.quick(state), job)
        if not self.policy.reserves_slots:
            self._resize(self.quick(state), record.server, job_type, -1)
        outcome.flags |= rows.FLAG_PREEMPTED
        if outcome.preempted == 0:
            outcome.moved, outcome.source = record.job, record.server
        outcome.preempted += 1

    def _reassign(self, state: ReservationState, record: Reassign, outcome: ReservationOutcome) -> None:
        server = record.server
        outcome.check_server(server, self.numbers.servers)
        if not self.policy.reserves_slots:
            raise outcome.fault(
                f"it reassigns server {server + 1}, but reserves no slots; allowed: with reserves_slots = True"
            )
        if state.placement[server].any():
            raise outcome.fault(
                f"it reassigns server {server + 1}, which is not empty: its jobs are {_row(state.placement, server)}"
            )
        if not self.numbers.space_of(server).contains(record.configuration):
            raise outcome.fault(
                f"it reassigns server {server + 1} to the configuration {record.configuration}, which is not feasible"
            )
        now = self.quick(state)
        for job_type, slots in enumerate(record.configuration):
            physics.set_slots(now, server, job_type, slots)
        physics.stamp_as_most_recent(now, server)
        outcome.flags |= rows.FLAG_REASSIGNED
        if outcome.reassigned == 0:
            outcome.first_reassigned = server
        outcome.reassigned += 1

    def _classify(self, state: ReservationState, record: Classify, outcome: ReservationOutcome) -> None:
        found = len(record.configurations)
        before = (state.greedy_configuration.tobytes(), state.greedy_count.tobytes())
        state.greedy_configuration[...] = _padded(record.configurations, self.numbers)
        state.greedy_count[:found] = record.counts
        state.greedy_count[found:] = 0
        if before != (state.greedy_configuration.tobytes(), state.greedy_count.tobytes()):
            outcome.flags |= rows.FLAG_GREEDY
        if state.number[I_STAR] != record.i_star:
            outcome.flags |= rows.FLAG_I_STAR
        state.number[GREEDY_LENGTH] = found
        state.number[I_STAR] = record.i_star
        state.number[EXTENDED] = record.extended

    def _update_at(self, state: ReservationState, record: UpdateAt, outcome: ReservationOutcome) -> None:
        if not record.time > state.clock[NOW]:
            raise outcome.fault(f"it asks for an update at {record.time}, which is not in the future")
        state.clock[TIMER] = record.time

    def _find(self, state: ReservationState, outcome: ReservationOutcome, job: int, server: int) -> int:
        outcome.check_server(server, self.numbers.servers)
        records = np.flatnonzero((state.job_number == job) & (state.job_server == server))
        if not len(records) or job < 0:
            present = state.job_server[(state.job_number == job) & (job >= 0)]
            place = f"it is on server {present[0] + 1}" if len(present) else "it is on no server"
            raise outcome.fault(f"it moves job {self.job_name(job)}, which is not on server {server + 1}: {place}")
        return int(records[0])

    handlers: ClassVar = {
        Admit: _admit,
        Reject: _reject,
        Migrate: _migrate,
        Preempt: _preempt,
        Reassign: _reassign,
        Classify: _classify,
        Remember: PolicySystem.remember,
        UpdateAt: _update_at,
    }


@lru_cache(maxsize=64)
def _padded(configurations: tuple[Configuration, ...], numbers: ReservationNumbers) -> np.ndarray:
    """[G, J] the configurations found by GPA, padded with zeros."""
    table = np.zeros((numbers.ranks, numbers.types), np.int32)
    table[: len(configurations)] = configurations or 0
    table.flags.writeable = False
    return table


def _row(table: np.ndarray, server: int) -> str:
    return f"({', '.join(str(count) for count in table[server])})"


def _slots_and_jobs(state: ReservationState, server: int, job_type: int) -> str:
    slots, jobs = state.configuration[server, job_type], state.placement[server, job_type]
    return f"{slots} {'slot' if slots == 1 else 'slots'}, {jobs} {'job' if jobs == 1 else 'jobs'}"


def _job_names(scenario: ReservationScenario, starting: list[str]) -> dict[int, str]:
    names = dict(enumerate(starting))
    if scenario.workload.kind == "scripted":
        for position, arrival in enumerate(scenario.workload.arrivals):
            names[position + len(starting)] = arrival.job or f"j{position + 1}"
    return names
