"""Servers with a queue in slotted time: the course of a slot, and the check of every decision.

Reference: Psychas & Ghaderi (2019), Section II.  An event is a slot in which something may
happen.  In it the departures of the previous slot and the arrivals of this slot happen, then the policy
acts; the jobs that then wait are Q(t + 1).  Slots in which nothing can happen are skipped.
"""

from __future__ import annotations

from operator import gt
from typing import Any, ClassVar, Iterator

import numpy as np

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.queue import physics, rows, sampling, whatif
from slotscope.model.kinds.queue.explain import amounts
from slotscope.model.kinds.queue.facts import waiting_records
from slotscope.model.kinds.queue.numbers import QueueNumbers
from slotscope.model.kinds.queue.outcome import SlotOutcome
from slotscope.model.kinds.queue.policies.base import QueuePolicy
from slotscope.model.kinds.queue.state import (
    DEPARTURES,
    NEXT_ARRIVAL,
    NOW,
    STALLED_SERVERS,
    UNSETTLED,
    WAITING,
    QueueState,
    empty_state,
    with_room,
)
from slotscope.model.kinds.queue.view import QueueView
from slotscope.model.reporting.records import SLOT, Event, Evict, Place, Record, Remember, Renew, Stall
from slotscope.model.systems.base import PolicySystem


def taken_over(state: QueueState, numbers: QueueNumbers, policy: QueuePolicy, before: QueuePolicy) -> QueueState:
    """Convert *state*, left by the policy *before*, to the state of *policy*.

    Servers keep their active configurations if both policies choose from the same configurations and
    take jobs by them in the same way; otherwise they have the first configuration of their pool until they
    are empty.  Every server is marked as having had a departure, and the next slot as busy, so that the
    policy examines all servers and all jobs.
    Raises ScenarioError if the room that *policy* accounts for the jobs on a server exceeds its capacity.
    """
    waiting = waiting_records(state)
    present = np.flatnonzero(state.job_number >= 0)
    queues = policy.layout.queue_of(state.job_size[present])
    state.job_room[present] = policy.layout.room_of(state.job_size[present])
    state = _with_queues(state, policy)
    _account(state, numbers)
    queue_of = dict(zip(present.tolist(), queues.tolist(), strict=True))
    for record in present.tolist():
        state.job_queue[record] = queue_of[record]
    for record in waiting.tolist():
        physics.join(state, record, queue_of[record])
    if not _same_configurations(policy, before):
        state.active[...] = -1
        for pool, (start, _) in enumerate(policy.pool_configurations):
            state.active[numbers.pool_of == pool] = start
    state.stalled[...] = 0
    state.number[STALLED_SERVERS] = 0
    state.last_departure[...] = int(state.clock[NOW]) + 1
    state.number[UNSETTLED] = 1
    return state


def _same_configurations(policy: QueuePolicy, before: QueuePolicy) -> bool:
    """Whether the jobs on a server are consistent with its active configuration under *policy* too."""
    same = np.array_equal(policy.configurations, before.configurations)
    return same and (before.reserves or not policy.reserves)


def _with_queues(state: QueueState, policy: QueuePolicy) -> QueueState:
    queues = policy.layout.queues
    state.number[WAITING] = 0
    return state._replace(
        queue_length=np.zeros(queues, np.int64),
        first_waiting=np.full(queues, -1, np.int32),
        last_waiting=np.full(queues, -1, np.int32),
        memory=np.zeros(policy.memory),
    )


def _account(state: QueueState, numbers: QueueNumbers) -> None:
    state.used[...] = 0
    served = np.flatnonzero(state.job_server >= 0)
    np.add.at(state.used, state.job_server[served], state.job_room[served])
    state.used_total[...] = state.used.sum(axis=0)
    over = np.flatnonzero((state.used > numbers.capacity).any(axis=1))
    if len(over):
        raise ScenarioError(
            f"found server {over[0] + 1} with jobs that this policy rounds up beyond its capacity; "
            "run it from the start instead"
        )


class QueueSystem(PolicySystem):
    """A queueing system under the reference of one policy."""

    name = "queue"
    row_dtype = rows.QUEUE_ROW
    whatif = whatif
    numbers: QueueNumbers
    policy: QueuePolicy

    def __init__(self, scenario: Any, numbers: QueueNumbers, workload: Any, policy: QueuePolicy) -> None:
        super().__init__(scenario, numbers, workload, policy, _job_names(scenario))
        self.sample_width = sampling.width(policy.layout.queues)
        self.used_weight = sampling.used_weight(numbers.capacity)

    def raw_state(self) -> QueueState:
        """Idle servers before slot 0."""
        return empty_state(
            self.numbers.servers, self.numbers.resources, self.policy.layout.queues, memory=self.policy.memory
        )

    def check_continuation(self, other: QueueSystem) -> None:
        """Refuse to continue the run of a system with other servers."""
        mine, theirs = self.numbers, other.numbers
        if not np.array_equal(mine.capacity, theirs.capacity) or mine.unit != theirs.unit:
            raise ScenarioError(
                "found other servers or sizes, allowed when continuing: the same; run it from the start instead"
            )

    def take_over(self, other: QueueSystem, state: QueueState) -> QueueState:
        """Take over another policy's state: jobs on servers stay, waiting jobs join this policy's virtual queues."""
        self.name_jobs_like(other)
        if self.scenario.policy == other.scenario.policy:
            return state
        return taken_over(state, self.numbers, self.policy, other.policy)

    def next_event(self, state: QueueState) -> Event | None:
        """The next slot in which something may happen."""
        now = self.quick(state)
        _, _, due = self.next_arrival(now)
        if now.number[DEPARTURES]:
            due = min(due, now.heap_time[0])
        if now.number[UNSETTLED]:
            due = min(due, now.clock[NOW] + 1)
        return Event(SLOT, due) if due < np.inf else None

    def prepared(self, state: QueueState, event: Event | None = None) -> QueueState:
        """*state* with room for the jobs of the next slot."""
        event = event or self.next_event(state)
        if event is None:
            return state
        return with_room(state, len(self.arriving(state, event.time)[1]))

    def arriving(self, state: QueueState, slot: float) -> tuple[Any, range]:
        """The block that contains the arrivals of *slot*, and their positions in it."""
        block, first, comes = self.next_arrival(self.quick(state))
        if comes > slot:
            return None, range(0)
        last, due, end = first + 1, block.time.item, len(block.time)
        while last < end and due(last) <= slot:  # a scan: faster than bisection for the few arrivals of a slot
            last += 1
        return block, range(first, last)

    def sample(self, state: QueueState, row: np.ndarray) -> None:
        """Fill one row of samples; see :mod:`model.kinds.queue.sampling`."""
        sampling.sample(state, row, self.used_weight)

    def run(self, state: QueueState, event: Event, row: np.ndarray) -> Iterator[Record]:
        """Carry out the slot *event*; yields each sub-step after its effect on *state*.

        ``row`` [1] of :data:`QUEUE_ROW` is filled at the end.
        """
        now = self.quick(state)
        outcome, memory = SlotOutcome(event, now.number[WAITING]), state.memory.tolist()
        physics.begin_slot(now, event.time)
        yield from self._departures(state, outcome)
        yield from self._arrivals(state, outcome)
        view = QueueView(self.numbers, self.policy.layout, state, tuple(outcome.fresh))
        yield from self.decided(state, self.policy.slot(view), outcome)
        outcome.remembered = memory != state.memory.tolist()
        outcome.close(view, self.policy, state, row, now)

    def _departures(self, state: QueueState, outcome: SlotOutcome) -> Iterator[Record]:
        now = self.quick(state)
        while now.number[DEPARTURES] and now.heap_time[0] <= outcome.event.time:
            record = now.heap_record[0]
            job, server = now.job_number[record], now.job_server[record]
            physics.release(now, physics.depart(now))
            outcome.left(job, server)
            outcome.flags |= rows.FLAG_DEPARTED
            yield Record("departure", None, {"job": job, "server": server})

    def _arrivals(self, state: QueueState, outcome: SlotOutcome) -> Iterator[Record]:
        block, places = self.arriving(state, outcome.event.time)
        if not places:
            return
        sizes = block.size[places.start : places.stop]
        queues = self.policy.layout.queue_of(sizes).tolist()
        rooms = self.policy.layout.room_of(sizes).tolist()
        now = self.quick(state)
        for place, size, room, queue in zip(places, sizes.tolist(), rooms, queues, strict=True):
            job = self.initial_jobs + now.number[NEXT_ARRIVAL]
            now.number[NEXT_ARRIVAL] += 1
            record = physics.take_record(now, job)
            for d, units in enumerate(size):
                now.job_size[record, d], now.job_room[record, d] = units, room[d]
            now.job_service[record] = block.service.item(place)
            physics.join(now, record, queue)
            outcome.came(job, record)
            outcome.flags |= rows.FLAG_ARRIVED
            yield Record("arrival", None, {"job": job, "queue": queue, "size": self.numbers.amounts(size)})

    def _place(self, state: QueueState, decision: Place, outcome: SlotOutcome) -> None:
        server = outcome.check_server(decision.server, self.numbers.servers)
        tried = f"it places job {self.job_name(decision.job)} on server {server + 1}"
        record = self._find(state, decision.job, outcome, tried)
        now = self.quick(state)
        if now.job_server[record] >= 0:
            raise outcome.fault(f"{tried}, but it is in service already, on server {now.job_server[record] + 1}")
        if now.stalled[server]:
            raise outcome.fault(f"{tried}, which is stalled until it is empty")
        capacity, used, room = self.numbers.capacity[server], state.used[server], state.job_room[record]
        free, needed = (capacity - used).tolist(), room.tolist()
        if any(map(gt, needed, free)):
            free, needed = map(self.numbers.amounts, (free, needed))
            raise outcome.fault(f"{tried}, which has {amounts(free)} left; the job needs {amounts(needed)}")
        physics.place(now, record, server)
        outcome.went(decision.job, server)
        outcome.flags |= rows.FLAG_PLACED

    def _renew(self, state: QueueState, decision: Renew, outcome: SlotOutcome) -> None:
        server = outcome.check_server(decision.server, self.numbers.servers)
        if not self.policy.pool_configurations:
            raise outcome.fault(f"it renews the configuration of server {server + 1}, but declares no configurations")
        start, stop = self.policy.pool_configurations[self.numbers.pool_of[server]]
        if not start <= decision.configuration < stop:
            raise outcome.fault(
                f"it gives server {server + 1} the configuration number {decision.configuration}; there are {start} to "
                f"{stop - 1} for its pool"
            )
        if state.jobs_on[server] and not self.policy.preemptive:
            raise outcome.fault(
                f"it renews the configuration of server {server + 1}, which has {state.jobs_on[server]} jobs; allowed: "
                "an empty server"
            )
        if physics.renew(self.quick(state), server, decision.configuration):
            outcome.renewed += 1
            outcome.flags |= rows.FLAG_RENEWED

    def _stall(self, state: QueueState, decision: Stall, outcome: SlotOutcome) -> None:
        server = outcome.check_server(decision.server, self.numbers.servers)
        if not decision.stalled:
            raise outcome.fault(
                f"it lets server {server + 1} take jobs again; a stalled server does so once it is empty"
            )
        if state.stalled[server] or not state.jobs_on[server]:
            what = "stalled already" if state.stalled[server] else "empty"
            raise outcome.fault(f"it stalls server {server + 1}, which is {what}")
        physics.stall(self.quick(state), server)
        outcome.stalled += 1
        outcome.flags |= rows.FLAG_STALLED

    def _evict(self, state: QueueState, decision: Evict, outcome: SlotOutcome) -> None:
        server = outcome.check_server(decision.server, self.numbers.servers)
        tried = f"it evicts job {self.job_name(decision.job)} from server {server + 1}"
        record = self._find(state, decision.job, outcome, tried)
        if state.job_server[record] != server:
            raise outcome.fault(f"{tried}, where it is not")
        physics.evict(self.quick(state), record)
        outcome.flags |= rows.FLAG_EVICTED

    @staticmethod
    def _find(state: QueueState, job: int, outcome: SlotOutcome, tried: str) -> int:
        found = state.job_number == job
        record = int(found.argmax())
        if job < 0 or not found[record]:
            raise outcome.fault(f"{tried}, but it is neither waiting nor in service")
        return record

    handlers: ClassVar = {Place: _place, Renew: _renew, Stall: _stall, Evict: _evict, Remember: PolicySystem.remember}


def _job_names(scenario: Any) -> dict[int, str]:
    if scenario.workload.kind != "scripted":
        return {}
    return {number: arrival.job for number, arrival in enumerate(scenario.workload.arrivals) if arrival.job}
