"""The state at time 0: empty, full of jobs of one type, or with given configurations and jobs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.reservation import physics
from slotscope.model.kinds.reservation.classification import stacked
from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.scenario.schema import FullStart, GivenStart, ReservationScenario
from slotscope.model.kinds.reservation.state import ADMITTED, FIRST_RECORDS, NEXT_STAMP, ReservationState, empty_state
from slotscope.model.scenario.streams import stream
from slotscope.model.scenario.workload import service_sampler

#: The most jobs in service at time 0.
MOST_JOBS = 5_000_000


class StartingJob(NamedTuple):
    """A job in service at time 0."""

    server: int
    type: int
    service: float
    name: str


def starting_jobs(scenario: ReservationScenario, numbers: ReservationNumbers) -> tuple[StartingJob, ...]:
    """The jobs in service at time 0, in the order of their numbers."""
    if isinstance(scenario.initial, FullStart):
        return _full_of(scenario, numbers, scenario.initial.type)
    if isinstance(scenario.initial, GivenStart):
        return _given(scenario, numbers, scenario.initial)
    return ()


def initial_state(
    scenario: ReservationScenario,
    numbers: ReservationNumbers,
    jobs: tuple[StartingJob, ...],
    reserves_slots: bool,
    memory: int = 0,
) -> ReservationState:
    """The state at time 0, before the policy has acted; its memory has *memory* zeros.

    Raises ScenarioError if jobs or configurations exceed what a server can hold.
    """
    records = FIRST_RECORDS
    while records < 2 * len(jobs):
        records *= 2
    state = empty_state(numbers.servers, numbers.types, records, memory, numbers.ranks)
    for number, job in enumerate(jobs):
        physics.admit(state, job.server, job.type, number, job.service)
    state.tally[:, ADMITTED] = 0  # the jobs at time 0 do not count as arrivals
    state.configuration[...] = state.placement
    if isinstance(scenario.initial, GivenStart) and reserves_slots:
        _configure(state, scenario.initial)
    state.slots_in_system[...] = state.configuration.sum(axis=0)
    check_feasible(state, numbers)
    return state


def _full_of(scenario: ReservationScenario, numbers: ReservationNumbers, name: str) -> tuple[StartingJob, ...]:
    chosen = numbers.type_names.index(name)
    alone = tuple(int(j == chosen) for j in range(numbers.types))
    most = [pool.space.max_reward(alone, 1 << chosen)[chosen] for pool in numbers.pools]
    total = sum(jobs * pool.count for jobs, pool in zip(most, numbers.pools, strict=True))
    if total > MOST_JOBS:
        raise ScenarioError(
            f"found {total} jobs of type '{name}' that fill the servers, allowed: at most {MOST_JOBS} jobs in all",
            where="initial",
        )
    distribution = scenario.job_types[chosen].service
    services = service_sampler(distribution)(stream(scenario.seed, "initial"), total)
    holders = np.repeat(np.arange(numbers.servers), np.array(most)[numbers.pool_of])
    return tuple(
        StartingJob(int(server), chosen, float(service), f"s{position + 1}")
        for position, (server, service) in enumerate(zip(holders, services, strict=True))
    )


def _given(scenario: ReservationScenario, numbers: ReservationNumbers, start: GivenStart) -> tuple[StartingJob, ...]:
    jobs: list[StartingJob] = []
    random = stream(scenario.seed, "initial")
    scripted = scenario.workload.kind == "scripted"
    for server, content in enumerate(start.servers):
        for job in content.jobs:
            job_type = numbers.type_names.index(job.type)
            distribution = scenario.job_types[job_type].service
            if job.service is not None:
                service = float(job.service)
            else:
                service = np.inf if scripted else float(service_sampler(distribution)(random, 1)[0])
            name = job.job or f"s{len(jobs) + 1}"
            jobs.append(StartingJob(server, job_type, service, name))
    return tuple(jobs)


def _configure(state: ReservationState, start: GivenStart) -> None:
    for server, content in enumerate(start.servers):
        if content.configuration is not None:
            state.configuration[server] = content.configuration
    for position, order in enumerate(start.order):
        where = f"initial.order[{position}]"
        holders = np.flatnonzero((state.configuration == order.configuration).all(axis=1))
        if sorted(order.servers) != list(holders):
            raise ScenarioError(
                f"found servers {list(order.servers)}, allowed: each server of the configuration "
                f"once, that is {[int(server) for server in holders]}",
                where=where,
            )
        for server in reversed(order.servers):
            state.stamp[server] = state.number[NEXT_STAMP]
            state.number[NEXT_STAMP] += 1


def check_feasible(state: ReservationState, numbers: ReservationNumbers, place: str = "initial.servers[{0}]") -> None:
    """Refuse configurations that exceed a server's capacity, and jobs that exceed their slots.

    *place* is the name of a server in errors, with a placeholder for its number from 0 or from 1.
    Raises ScenarioError that names the first such server.
    """
    server = infeasible_server(state, numbers)
    if server is not None:
        raise ScenarioError(
            f"found the configuration {state.configuration[server].tolist()}, allowed: what the "
            "server's capacity holds",
            where=place.format(server, server + 1),
        )
    over = np.flatnonzero((state.placement > state.configuration).any(axis=1))
    if len(over):
        server = int(over[0])
        raise ScenarioError(
            f"found jobs {state.placement[server].tolist()}, allowed: at most the configuration's "
            f"slots {state.configuration[server].tolist()}",
            where=f"{place.format(server, server + 1)}.jobs",
        )


def infeasible_server(state: ReservationState, numbers: ReservationNumbers) -> int | None:
    """The first server whose configuration exceeds its capacity, or None."""
    for pool in numbers.pools:
        mine = slice(pool.first, pool.first + pool.count)
        _, _, row_of, rows = stacked(state.configuration[mine], state.stamp[mine])
        exceeds = np.array([not pool.space.contains(tuple(row)) for row in rows.tolist()])
        if exceeds.any():
            return pool.first + int(exceeds[row_of].argmax())
    return None
