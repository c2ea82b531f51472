"""The loss system of moldable jobs: its events, and the check and effect of every decision.

Reference: Ghanbarian et al. (2025), Sections 2 and 4.  An event is the arrival of a job, or the departure of
a job from its servers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, Iterator, Mapping, NamedTuple

import numpy as np

from slotscope.model.kinds.moldable import physics, rows, sampling, whatif
from slotscope.model.kinds.moldable.gaps import open_pools
from slotscope.model.kinds.moldable.numbers import MoldableNumbers, tables_of
from slotscope.model.kinds.moldable.outcome import MoldableOutcome
from slotscope.model.kinds.moldable.policies.base import MoldablePolicy
from slotscope.model.kinds.moldable.state import ARRIVED, BLOCKED, NEXT_ARRIVAL, NOW, MoldableState, blank_state
from slotscope.model.kinds.moldable.takeover import check_continuation, taken_over
from slotscope.model.kinds.moldable.view import MoldableJob, MoldableView
from slotscope.model.reporting.explain import counted
from slotscope.model.reporting.records import ARRIVAL, DEPARTURE, Allocate, Event, Record, Reject, Remember
from slotscope.model.systems.base import PolicySystem
from slotscope.model.systems.state import by_number


class ScriptedTimes(NamedTuple):
    """The exact arrival time and inherent size of a job."""

    time: Fraction
    size: Fraction


@dataclass(frozen=True)
class MoldableScript:
    """A script's exact times, names and numbers of requested servers, by the jobs' numbers.

    All are empty unless jobs are scripted.
    """

    jobs: Mapping[int, ScriptedTimes] = field(default_factory=dict)
    names: Mapping[int, str] = field(default_factory=dict)
    requests: Mapping[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, scenario: Any) -> MoldableScript:
        """The script of a scenario; empty if it has none."""
        if scenario.workload.kind != "scripted":
            return cls()
        jobs = list(enumerate(scenario.workload.arrivals))
        return cls(
            jobs={number: ScriptedTimes(job.time, job.size) for number, job in jobs},
            names={number: job.job for number, job in jobs if job.job},
            requests={number: job.requested for number, job in jobs if job.requested},
        )


class MoldableSystem(PolicySystem):
    """A system of moldable jobs under one policy."""

    name = "moldable"
    row_dtype = rows.MOLDABLE_ROW
    whatif = whatif
    numbers: MoldableNumbers
    policy: MoldablePolicy

    def __init__(self, scenario: Any, numbers: MoldableNumbers, workload: Any, policy: MoldablePolicy) -> None:
        self.script = MoldableScript.of(scenario)
        super().__init__(scenario, numbers, workload, policy, self.script.names)
        self.tables = tables_of(numbers)
        self.rules = policy.rules
        self._told = by_number(self.tables), by_number(self.rules)
        self.sample_width = sampling.width(numbers.classes)

    def raw_state(self) -> MoldableState:
        """The state at time 0: no jobs, and one gap in each pool."""
        numbers = self.numbers
        state = blank_state(numbers.servers, numbers.classes, numbers.degree, self.rules.pools, self.policy.memory)
        state.distance[...] = np.abs(self.tables.target).sum(axis=1)
        for j in range(numbers.classes):
            physics.set_levels(state, self.tables, j)
        open_pools(state, self.rules)
        return state

    def check_continuation(self, other: MoldableSystem) -> None:
        """See :func:`model.kinds.moldable.takeover.check_continuation`."""
        check_continuation(self, other)

    def take_over(self, other: MoldableSystem, state: MoldableState) -> MoldableState:
        """See :func:`model.kinds.moldable.takeover.taken_over`."""
        self.name_jobs_like(other)
        return taken_over(self, other, state)

    # Events.

    def next_event(self, state: MoldableState) -> Event | None:
        """The next event; of events at the same time departures first, in order of the jobs' numbers."""
        now, record = self.quick(state), int(state.job_departure.argmin())
        departs = now.job_departure[record]
        block, place, comes = self.next_arrival(now)
        if min(departs, comes) == np.inf:
            return None
        if departs <= comes:
            return self._departure(state, departs)
        job = self.initial_jobs + now.number[NEXT_ARRIVAL]
        return Event(ARRIVAL, comes, block.type.item(place), job, service=block.service.item(place))

    def _departure(self, state: MoldableState, time: float) -> Event:
        (due,) = (state.job_departure == time).nonzero()
        record, now = int(due[state.job_number[due].argmin()]), self.quick(state)
        return Event(DEPARTURE, time, now.job_class[record], now.job_number[record], server=record, record=record)

    def sample(self, state: MoldableState, row: np.ndarray) -> None:
        """Fill one row of samples; see :mod:`model.kinds.moldable.sampling`."""
        sampling.sample(state, self.tables.pair, self.tables.speedup, row)

    def run(self, state: MoldableState, event: Event, row: np.ndarray) -> Iterator[Record]:
        """Let *event* happen; yields each sub-step after its effect on *state*.

        ``row`` [1] of :data:`MOLDABLE_ROW` is filled at the end.
        """
        outcome = MoldableOutcome(event, self.quick(state), self._told[1])
        self.quick(state).clock[NOW] = event.time
        if event.kind == ARRIVAL:
            yield from self._arrival(state, event, outcome)
        else:
            yield self._depart(state, event, outcome)
            job = MoldableJob(event.job, event.type, outcome.width)
            yield from self.decided(state, self.policy.departure(self._view(state), job), outcome)
        outcome.close(self.quick(state), row)

    def _depart(self, state: MoldableState, event: Event, outcome: MoldableOutcome) -> Record:
        now = self.quick(state)
        outcome.server, outcome.width = event.record, now.job_width[event.record]
        outcome.request = now.job_request[event.record]
        outcome.lasts = event.time - now.job_arrival[event.record]
        physics.depart(now, *self._told, event.record)
        outcome.flags |= rows.FLAG_DEPARTED
        return Record("departure", None, {"job": event.job, "type": event.type, "width": outcome.width})

    def _arrival(self, state: MoldableState, event: Event, outcome: MoldableOutcome) -> Iterator[Record]:
        now = self.quick(state)
        now.number[NEXT_ARRIVAL] += 1
        now.tally[ARRIVED, event.type] += 1
        outcome.flags |= rows.FLAG_ARRIVED
        yield Record("arrival", None, {"job": event.job, "type": event.type, "size": event.service})
        decisions = self.policy.arrival(self._view(state), MoldableJob(event.job, event.type))
        yield from self.decided(state, decisions, outcome)
        if not outcome.flags & (rows.FLAG_ADMITTED | rows.FLAG_BLOCKED):
            raise outcome.fault(f"it neither gives servers to job {self.job_name(event.job)} nor blocks it")

    def _view(self, state: MoldableState) -> MoldableView:
        return MoldableView(self.numbers, self.tables, self.rules, state, self.script.requests)

    # Decisions.

    def _decides(self, decision: Record, outcome: MoldableOutcome) -> None:
        """Check that a decision is about the job that arrives, and the only one about it.

        The job requests as many servers as it gets, unless the policy has ``asks`` and tells another number.
        """
        if outcome.event.kind != ARRIVAL:
            raise outcome.fault("it decides of a job, but none has arrived")
        if outcome.flags & (rows.FLAG_ADMITTED | rows.FLAG_BLOCKED):
            raise outcome.fault("it decides of a job twice")
        if "request" in decision.values and not self.policy.asks:
            raise outcome.fault("it says for how many servers the job asks, allowed in a class with asks = True")
        got = decision.servers if isinstance(decision, Allocate) else -1
        outcome.request = int(decision.values.get("request", got))

    def _reject(self, state: MoldableState, decision: Reject, outcome: MoldableOutcome) -> None:
        self._decides(decision, outcome)
        state.tally[BLOCKED, outcome.event.type] += 1
        outcome.flags |= rows.FLAG_BLOCKED

    def _allocate(self, state: MoldableState, decision: Allocate, outcome: MoldableOutcome) -> None:
        self._decides(decision, outcome)
        event, width = outcome.event, decision.servers
        name, degree = self.job_name(event.job), self.numbers.degrees[event.type]
        if not 1 <= width <= degree:
            raise outcome.fault(f"it gives job {name} {counted(width, 'server')}, allowed: 1 to {degree}")
        if width > outcome.free:
            raise outcome.fault(f"it gives job {name} {counted(width, 'server')}, but {outcome.free} are free")
        now = self.quick(state)
        record = physics.admit(now, *self._told, event.type, event.job, outcome.request, width)
        physics.schedule(now, record, self._departs(event, width))
        outcome.server, outcome.width = record, width
        outcome.lasts = now.job_departure[record] - event.time
        outcome.flags |= rows.FLAG_ADMITTED
        outcome.flags |= rows.FLAG_PARTIAL if width < outcome.request else 0
        outcome.flags |= rows.FLAG_SPLIT if state.piece_next[record] >= 0 else 0

    def _departs(self, event: Event, width: int) -> float:
        """The departure time of an arriving job.  For scripted jobs it is correctly rounded, so that times that are
        equal in exact arithmetic are equal here.
        """
        if event.job in self.script.jobs:
            job = self.script.jobs[event.job]
            factor: Fraction = self.numbers.speedups[event.type][width - 1]
            return float(job.time + job.size / factor)
        return event.time + event.service / float(self.tables.speedup[event.type, width])

    handlers: ClassVar = {Allocate: _allocate, Reject: _reject, Remember: PolicySystem.remember}
