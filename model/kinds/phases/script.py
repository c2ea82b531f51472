"""Runs in which a script gives every event and every random choice: instance files, and examples by hand."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from itertools import count
from typing import Any, Iterator

import numpy as np
from numpy.typing import NDArray

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.phases import physics, tokens
from slotscope.model.kinds.phases.numbers import PhaseNumbers, PhaseTables
from slotscope.model.kinds.phases.policies.base import PhasePolicy
from slotscope.model.kinds.phases.scenario.workload import (
    PATCH,
    ScriptedMove,
    ScriptedPhaseArrival,
    ScriptedPhases,
    ScriptedServer,
    ScriptedTick,
)
from slotscope.model.kinds.phases.state import EVENT, NEXT_ARRIVAL, NEXT_VIRTUAL, PhaseState, job_of, with_room
from slotscope.model.kinds.phases.view import RandomChoices
from slotscope.model.reporting.records import ARRIVAL, DEPARTURE, MOVE, TICK, Event


class PhaseScript:
    """The events of a scripted scenario; jobs are numbered in the order in which the script names them.

    Real jobs of the start come first, then those that arrive; virtual jobs are numbered in the same way,
    separately.
    Raises ScenarioError if the policy has no tokens, two jobs have the same name, or a pool or a server cannot hold
    what the script begins with.
    """

    def __init__(self, scenario: Any, numbers: PhaseNumbers, tables: PhaseTables, policy: PhasePolicy) -> None:
        self._plan: ScriptedPhases = scenario.workload
        self._numbers = numbers
        self._tables = tables
        self._phase = {item.name: place for place, item in enumerate(scenario.phases)}
        self._pools = policy.pools
        self._first_server = np.searchsorted(policy.pool_of, np.arange(policy.pools + 1))
        if not len(policy.pool_of):
            raise ScenarioError(
                f"found '{scenario.policy.name}', allowed with a script: a policy whose servers ask for jobs",
                where="policy.name",
            )
        self._check_names()
        self._check_start()

    # Names.

    @cached_property
    def initial_jobs(self) -> int:
        """The number of real jobs at the start."""
        return sum(len(server.real) for pool in self._plan.initial for server in pool)

    @cached_property
    def initial_virtual(self) -> int:
        """The number of virtual jobs at the start."""
        return sum(len(server.virtual) for pool in self._plan.initial for server in pool)

    @cached_property
    def names(self) -> dict[int, str]:
        """The names of the real jobs, by number."""
        there = [name for pool in self._plan.initial for server in pool for name in server.real]
        come = [event.job for event in self._plan.events if isinstance(event, ScriptedPhaseArrival)]
        return dict(enumerate(there + come))

    @cached_property
    def virtual_names(self) -> dict[int, str]:
        """The names of the virtual jobs, by number: as given at the start, then v1, v2, ... in each pool."""
        there = [name for pool in self._plan.initial for server in pool for name in server.virtual]
        return dict(enumerate([*there, *self._virtual_arrivals({*there, *self.names.values()})]))

    def _virtual_arrivals(self, taken: set[str]) -> Iterator[str]:
        """v1, v2, ... in each pool, except names in *taken*."""
        pools = {event.pool for event in self._plan.events}
        free = {pool: self._free_names(pool, taken) for pool in pools}
        for event in self._plan.events:
            for _ in event.virtual_choices:
                yield next(free[event.pool])

    def _free_names(self, pool: int, taken: set[str]) -> Iterator[str]:
        before = f"p{pool}v" if self._pools > 1 else "v"
        return (name for number in count(1) if (name := f"{before}{number}") not in taken)

    @cached_property
    def _known(self) -> dict[str, tuple[int, bool]]:
        """The number of each job, and whether it is virtual, by name."""
        real = {name: (number, False) for number, name in self.names.items()}
        return real | {name: (number, True) for number, name in self.virtual_names.items()}

    def _check_names(self) -> None:
        for name, found in Counter([*self.names.values(), *self.virtual_names.values()]).items():
            if found > 1:
                raise ScenarioError(f"found {found} jobs with the name '{name}', allowed: one", where="workload")

    # The start.

    def _check_start(self) -> None:
        """Check that each server can hold the jobs and tokens that the script begins with.

        The scenario's schema has compared pools and servers with the policy's parameters.
        """
        for pool in range(self._pools):
            self._check_pool(pool)

    def _check_pool(self, pool: int) -> None:
        servers = int(self._first_server[pool + 1] - self._first_server[pool])
        there = self._plan.initial[pool] if pool < len(self._plan.initial) else ()
        held = self._tokens_held(pool)
        for place in range(servers):
            jobs = there[place] if place < len(there) else ScriptedServer()
            phases = [*jobs.real.values(), *jobs.virtual.values(), *held.get(place + 1, ())]
            if not self._holds(phases):
                raise ScenarioError(
                    f"found {len(phases)} jobs and tokens, which no server may "
                    f"hold (at most {self._numbers.model.most_jobs} jobs)",
                    where=f"workload.initial[{pool}][{place}]",
                )

    def _tokens_held(self, pool: int) -> dict[int, list[str]]:
        """The types of the tokens of each server, by its number from 1."""
        held: dict[int, list[str]] = {}
        if pool < len(self._plan.initial_tokens):
            for name, owners in self._plan.initial_tokens[pool].items():
                for owner in owners:
                    held.setdefault(owner, []).append(name)
        return held

    def _holds(self, phases: list[str]) -> bool:
        place = 0
        for name in phases:
            place = int(self._tables.up[place, self._phase[name]])
            if place < 0:
                return False
        return True

    def begun(self, state: PhaseState) -> PhaseState:
        """*state* with the jobs and the tokens that the script begins with."""
        for pool, servers in enumerate(self._plan.initial):
            for place, server in enumerate(servers):
                number = int(self._first_server[pool]) + place
                for name, phase in (server.real | server.virtual).items():
                    state = self._put(state, name, phase, pool, number)
        state.number[NEXT_VIRTUAL] = self.initial_virtual
        for pool, given in enumerate(self._plan.initial_tokens):
            for name, owners in given.items():
                for owner in owners:
                    on = int(self._first_server[pool]) + owner - 1
                    state = with_room(state, 1)
                    tokens.make_token(state, pool, self._phase[name], on)
        return state

    def _put(self, state: PhaseState, name: str, phase: str, pool: int, server: int) -> PhaseState:
        number, virtual = self._known[name]
        state = with_room(state, 0)
        record = physics.take_record(state, number, self._phase[phase], pool)
        state.job_virtual[record] = virtual
        physics.put(state, self._tables, record, server)
        return state

    # Running.

    def event(self, state: PhaseState) -> Any:
        """The scripted event that comes next; None after the last."""
        place = int(state.number[EVENT])
        return self._plan.events[place] if place < len(self._plan.events) else None

    def next_event(self, state: PhaseState) -> Event | None:
        """The next event. Raises ScenarioError if it names a job, a server or a timer that does not exist then."""
        event = self.event(state)
        if event is None:
            return None
        time = float(event.t)
        if isinstance(event, ScriptedPhaseArrival):
            job = self.initial_jobs + int(state.number[NEXT_ARRIVAL])
            return Event(ARRIVAL, time, self._phase[event.type], job)
        if isinstance(event, ScriptedTick):
            return Event(TICK, time, server=self._timer(state, event))
        record = self._record(state, event)
        server = int(state.job_server[record])
        if isinstance(event, ScriptedMove):
            if self._phase[event.to] == state.job_phase[record]:
                raise self.fault(state, "to", f"found '{event.to}', the phase in which the job is; allowed: another")
            return Event(MOVE, time, self._phase[event.to], job_of(state, record), server, record=record)
        return Event(DEPARTURE, time, len(self._phase), job_of(state, record), server, record=record)

    def _record(self, state: PhaseState, event: Any) -> int:
        number, virtual = self._known.get(event.job, (-1, False))
        found = np.flatnonzero((state.job_number == number) & (state.job_virtual.astype(bool) == virtual))
        if number < 0 or not len(found):
            raise self.fault(state, "job", f"found '{event.job}', which is not in the system then")
        pool = int(state.job_pool[found[0]]) + 1
        if pool != event.pool:
            raise self.fault(state, "pool", f"found {event.pool}, allowed: {pool}, where job '{event.job}' is")
        return int(found[0])

    def _timer(self, state: PhaseState, event: ScriptedTick) -> int:
        server = int(self._first_server[event.pool - 1]) + event.server - 1
        runs = server < self._first_server[event.pool] and state.timer_number[server] >= 0
        if not runs:
            raise self.fault(state, "server", f"found {event.server}, allowed: a server whose timer runs then")
        return server

    def phase(self, name: str) -> int:
        """The number of a phase; -1 for the timer of B.3's patch."""
        return -1 if name == PATCH else self._phase[name]

    def fault(self, state: PhaseState, field: str, message: str) -> ScenarioError:
        """An error in a field of the next scripted event."""
        place = int(state.number[EVENT])
        return ScenarioError(message, where=f"workload.events[{place}].{field}")


class ScriptedChoices(RandomChoices):
    """Random choices replaced by the script's; *event*: the one that happens, None at the start."""

    def __init__(self, script: PhaseScript, tables: PhaseTables, state: PhaseState, event: Any) -> None:
        super().__init__(tables, state)
        self._script = script
        self._event = event
        self._used = 0

    def pool(self, job: int, shares: NDArray[np.float64]) -> int:
        """See :class:`model.kinds.phases.view.Choices`."""
        return int(self._event.pool) - 1

    def token(self, job: int, count: int) -> int:
        """See :class:`model.kinds.phases.view.Choices`."""
        index = self._event.token_index
        if (index is None) != (count == 0) or (index or 0) >= max(count, 1):
            raise self._script.fault(
                self._state,
                "token_index",
                f"found {'none' if index is None else index}, allowed "
                f"with {count} tokens: {f'0 to {count - 1}' if count else 'none'}",
            )
        return -1 if index is None else int(index)

    def virtual_token(self, count: int) -> int:
        """See :class:`model.kinds.phases.view.Choices`."""
        if self._event is None:
            raise ScenarioError(
                f"found {count} tokens of a type, allowed: at most the token limit", where="workload.initial_tokens"
            )
        given = self._event.virtual_choices
        if self._used >= len(given) or given[self._used] >= count:
            raise self._script.fault(
                self._state,
                "virtual_choices",
                f"found {list(given)}, allowed: a place below {count} for virtual arrival {self._used + 1}",
            )
        self._used += 1
        return int(given[self._used - 1])

    def ticked(self, server: int, shares: NDArray[np.float64]) -> int:
        """See :class:`model.kinds.phases.view.Choices`."""
        chosen = self._script.phase(self._event.type)
        steps = np.diff(shares, prepend=0.0)
        if chosen < 0 or steps[chosen] <= 0:
            raise self._script.fault(
                self._state, "type", f"found '{self._event.type}', allowed: a type whose timer runs on the server"
            )
        return chosen

    def requested(self, step: int, shares: NDArray[np.float64]) -> int:
        """See :class:`model.kinds.phases.view.Choices`: the most likely type, the first of equals."""
        return int(np.argmax(np.diff(shares, prepend=0.0)))
