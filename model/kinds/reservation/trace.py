"""The state after each event in the exchange format of ``slotscope trace``.

Types are numbered from 1, and rationals are strings; see ``resources/help/trace-format.md``.
"""

from __future__ import annotations

from collections import deque
from fractions import Fraction
from typing import Any, Iterable, Iterator

import numpy as np

from slotscope.model.kinds.reservation.classification import Classification, classify
from slotscope.model.kinds.reservation.scenario.instance import VARIANTS
from slotscope.model.kinds.reservation.scenario.schema import GivenStart
from slotscope.model.kinds.reservation.state import GREEDY_LENGTH, NEXT_ARRIVAL, ReservationState
from slotscope.model.kinds.reservation.system import ReservationSystem
from slotscope.model.reporting.records import (
    ARRIVAL,
    DEPARTURE,
    Admit,
    Event,
    Migrate,
    Preempt,
    Reassign,
    Record,
    Reject,
)
from slotscope.model.running.engine import EventRun
from slotscope.model.scenario.common import PolicyChoice


def lines(system: ReservationSystem, most: float) -> Iterator[dict[str, Any]]:
    """Run the reference engine: yield a header, the start, and at most *most* events."""
    yield header(system)
    state = system.raw_state()
    records = list(system.start(state))
    yield step(system, state, None, records)
    done, scripted = 0, deque(_scripted_departures(system))
    while done < most and ((due := system.next_event(state)) or scripted):
        done += 1
        if scripted and _is_absent(system, state, scripted[0], due):
            yield step(system, state, scripted.popleft(), ())
            continue
        run = EventRun(system, state)
        run.finish()
        state = run.state
        yield step(system, state, run.event, run.records)
        if run.event.kind == DEPARTURE and scripted:
            scripted.remove(next(event for event in scripted if event.job == run.event.job))


def _is_absent(system: ReservationSystem, state: ReservationState, leaves: Event, due: Event | None) -> bool:
    """Whether a job that is to leave now was rejected or preempted earlier."""
    arrived = leaves.job < system.initial_jobs + state.number[NEXT_ARRIVAL]
    is_next = due is None or (leaves.time <= due.time and arrived)
    return is_next and leaves.job not in state.job_number


def _scripted_departures(system: ReservationSystem) -> list[Event]:
    """The scripted departures in order of time, including those of jobs that will have left earlier."""
    if system.scenario.workload.kind != "scripted":
        return []
    jobs = [(0.0, job.service, job.type) for job in system.starting]
    if block := system.workload.block_at(0):
        jobs += zip(block.time, block.service, block.type, strict=True)
    return sorted(
        (
            Event(DEPARTURE, float(time + service), type=int(job_type), job=number)
            for number, (time, service, job_type) in enumerate(jobs)
            if np.isfinite(service)
        ),
        key=lambda event: event.time,
    )


def header(system: ReservationSystem) -> dict[str, Any]:
    """The first line: the instance, L, g, the variant and the initial state."""
    scenario, numbers = system.scenario, system.numbers
    variant, mode = _variant(scenario.policy)
    resources = numbers.resource_names
    reservation = getattr(system.policy, "reservation", 0)
    return {
        "instance": {
            "sizes": [
                [
                    _number(item.demand[name].in_unit(scenario.unit_of(name))) if name in item.demand else 0
                    for name in resources
                ]
                for item in scenario.job_types
            ],
            "capacity": [
                _number(scenario.servers.capacity[name].in_unit(scenario.unit_of(name))) for name in resources
            ],
            "rewards": [_number(reward) for reward in numbers.rewards],
            **({"priority": list(numbers.priorities)} if any(numbers.priorities) else {}),
        },
        "L": numbers.servers,
        "g": str(reservation) if reservation else None,
        "variant": variant,
        "cra_mode": mode,
        "initial": _initial(system),
    }


def _variant(policy: PolicyChoice) -> tuple[str, str]:
    """The names of a policy in instance files; the policy's own name if it has none there."""
    for names, (name, parameters) in VARIANTS.items():
        given = policy.parameters
        if name == policy.name and all(
            given.get(key) == parameters.get(key, False) for key in {*parameters, "extended"} & {*given}
        ):
            return names
    return ("dra" if policy.name == "dra-preemption" else policy.name), "event"


def _number(value: Fraction) -> int | str:
    """An integer unchanged, any other rational as a string."""
    return int(value) if value.denominator == 1 else str(value)


def _initial(system: ReservationSystem) -> dict[str, Any]:
    """The content of each server at the start, in whatever form the scenario gives it."""
    start = system.scenario.initial
    given = start if isinstance(start, GivenStart) else GivenStart(start="given", servers=())
    servers: list[dict[str, Any]] = [{} for _ in range(system.numbers.servers)]
    for server, content in zip(servers, given.servers, strict=False):
        if content.configuration is not None:
            server["config"] = list(content.configuration)
    for job in system.starting:
        servers[job.server].setdefault("jobs", []).append([job.name, job.type + 1])
    return {
        "servers": servers,
        "order": [{"config": list(order.configuration), "servers": list(order.servers)} for order in given.order],
    }


def step(
    system: ReservationSystem, state: ReservationState, event: Event | None, records: Iterable[Record]
) -> dict[str, Any]:
    """One line: the event, the actions that it caused, and the state after it."""
    classes = classify(state)
    found = int(state.number[GREEDY_LENGTH])
    greedy = [
        {"k": state.greedy_configuration[place].tolist(), "X": int(state.greedy_count[place])} for place in range(found)
    ]
    return {
        "Y": state.jobs_in_system.tolist(),
        "gpa": greedy,
        "Istar": classes.i_star,
        "first_unmatched": _first_unmatched(state, classes),
        "servers": list(_servers(system, state, classes)),
        "event": _event(system, event),
        "actions": [item for record in records if (item := _action(system, event, record))],
    }


def _first_unmatched(state: ReservationState, classes: Classification) -> int | None:
    position = 0
    for place, held in enumerate(classes.held):
        wanted = int(state.greedy_count[place])
        position += wanted > 0
        if held < wanted:
            return position
    return None


def _servers(system: ReservationSystem, state: ReservationState, classes: Classification) -> Iterator[dict[str, Any]]:
    ranks = system.numbers.ranks
    counts = state.greedy_count[: int(state.number[GREEDY_LENGTH])]
    positive_rank = np.cumsum(counts > 0)
    jobs = _jobs_by_server(system, state)
    for server in range(system.numbers.servers):
        rank = int(classes.rank[server])
        yield {
            "id": server,
            "config": state.configuration[server].tolist(),
            "jobs": jobs[server],
            "index": int(classes.index[server]),
            "rank": rank,
            "prank": int(positive_rank[rank - 1]) if rank <= ranks else "J+1",
            "group": "RG" if classes.reject_group[server] else "AG",
        }


def _jobs_by_server(system: ReservationSystem, state: ReservationState) -> list[list[list[str]]]:
    jobs: list[list[list[str]]] = [[[] for _ in range(system.numbers.types)] for _ in range(system.numbers.servers)]
    live = np.flatnonzero(state.job_number >= 0)
    for record in live[np.argsort(state.job_number[live])]:
        server, job_type = state.job_server[record], state.job_type[record]
        jobs[server][job_type].append(system.job_name(int(state.job_number[record])))
    return jobs


def _event(system: ReservationSystem, event: Event | None) -> dict[str, Any]:
    if event is None:
        return {"ev": "init"}
    time = int(event.time) if event.time == int(event.time) else event.time
    name = system.job_name(event.job)
    if event.kind == ARRIVAL:
        return {"t": time, "ev": "arrival", "type": event.type + 1, "job": name, **_preemption(system, event)}
    if event.kind == DEPARTURE:
        return {"t": time, "ev": "departure", "job": name}
    return {"t": time, "ev": "cra"}


def _preemption(system: ReservationSystem, event: Event) -> dict[str, Any]:
    """Whether the arriving job may preempt others."""
    policy = system.scenario.policy
    if policy.name != "dra-preemption" or not system.numbers.priorities[event.type]:
        return {}
    return {"preempt": "retry" if policy.parameters.get("retry") else True}


def _action(system: ReservationSystem, event: Event | None, record: Record) -> dict[str, Any] | None:
    name = system.job_name
    match record:
        case Admit() if event is not None:
            return {"op": "admit", "job": name(event.job), "type": event.type + 1, "server": record.server}
        case Reject() if event is not None:
            return {"op": "reject", "job": name(event.job), "type": event.type + 1}
        case Migrate() if event is not None:
            return {
                "op": "migrate",
                "job": name(record.job),
                "type": event.type + 1,
                "to": record.target,
                "from": record.source,
            }
        case Preempt():
            return {
                "op": "preempt",
                "job": name(record.job),
                "type": record.values.get("type", -1) + 1,
                "server": record.server,
            }
        case Reassign():
            return {"op": "reassign", "server": record.server, "to": list(record.configuration)}
        case Record(kind="departure") if event is not None:
            return {"op": "depart", "job": name(event.job), "type": event.type + 1, "server": event.server}
    return None
