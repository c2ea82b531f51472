"""Which waiting jobs could have been placed on a server of a queueing system, and their order of preference.

Reference: Psychas & Ghaderi (2019), Sections III.A, IV.A, V.B, VI, VII.B and VIII.
"""

from __future__ import annotations

from typing import Iterator

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.queue.facts import waiting_records
from slotscope.model.kinds.queue.score import score_unit, told_score
from slotscope.model.kinds.queue.why_servers import (
    has_configurations,
    is_by_line,
    is_by_server,
    place_of,
    present_on,
    ranked,
    told_amount,
)
from slotscope.model.reporting.explain import counted
from slotscope.model.reporting.letters import subscript
from slotscope.model.reporting.records import Place
from slotscope.model.whys.decision import Setting, own_choice
from slotscope.model.whys.tables import Candidates, Condition, Preference


def jobs_of(setting: Setting, server: int) -> Candidates:
    """All waiting jobs as candidates for the server."""
    state, system = setting.state, setting.system
    records = waiting_records(state)
    jobs = state.job_number[records]
    decision = setting.decision
    chosen = (
        np.flatnonzero(jobs == decision.job)
        if isinstance(decision, Place) and decision.server == server
        else np.zeros(0, np.int64)
    )
    conditions = (*_asked_of_jobs(setting, server, records), _fits(setting, server, records))
    return Candidates(
        "waiting job",
        lambda job: f"job {system.job_name(int(jobs[job]))}",
        jobs,
        conditions,
        _first_job(setting, server, records),
        chosen,
    )


def _asked_of_jobs(setting: Setting, server: int, records: NDArray[np.int64]) -> Iterator[Condition]:
    policy, state = setting.system.policy, setting.state
    queues = state.job_queue[records]
    if policy.may_fail:
        return
    if has_configurations(policy):
        served = _served(setting, server)
        if served is not None:
            yield Condition(
                "is of a queue that is served now",
                "is of a queue that is not served now",
                "k_j > 0",
                place_of(setting, 1),
                served[queues],
                ", ".join(f"VQ{subscript(one)}" for one in np.flatnonzero(served).tolist()),
                lambda job: f"it is in VQ{subscript(int(queues[job]))}",
            )
    elif getattr(policy, "by_job", False) and policy.by_server and not is_by_server(setting):
        fresh = state.job_arrival[records] == state.clock[0]
        yield Condition(
            "has just arrived",
            "arrived earlier",
            "j ∈ A(t)",
            "Section IV.A, BF-J/S, step 2",
            fresh,
            counted(int(fresh.sum()), "job"),
            lambda job: f"it came in slot {int(state.job_arrival[records[job]])}",
        )
    if is_by_line(policy):
        first = state.first_waiting[queues] == records
        yield Condition(
            "is at the head of its line",
            "is not at the head of its line",
            "HOL",
            place_of(setting, 0),
            first,
            counted(int(first.sum()), "line"),
            lambda job: f"job {setting.system.job_name(int(state.job_number[state.first_waiting[queues[job]]]))} is",
        )


def _served(setting: Setting, server: int) -> NDArray[np.bool_] | None:
    """[V] the queues from which the server takes jobs in the present step; None: from all."""
    policy, state, line = setting.system.policy, setting.state, getattr(setting.decision, "line", None)
    active = int(state.active[server])
    if active < 0:
        return np.zeros(len(state.queue_length), np.bool_)
    if policy.serves_by == "best fit" and (line is None or line.number > 3):
        return None
    wanted: NDArray[np.bool_] = policy.configurations[active] > 0
    if policy.serves_by != "exactly" and line is not None:
        queue = (
            policy.first_odd[active]
            if line.number in ((2,) if policy.serves_by == "line" else (1,))
            else policy.other[active]
        )
        return np.asarray(np.arange(len(wanted)) == queue)
    if policy.serves_by == "exactly":
        present = np.array([present_on(state, q)[server] for q in range(len(wanted))])
        return np.asarray(present < policy.configurations[active])
    return wanted


def _fits(setting: Setting, server: int, records: NDArray[np.int64]) -> Condition:
    state, numbers = setting.state, setting.system.numbers
    free = numbers.capacity[server] - state.used[server]
    rooms = state.job_room[records]
    told = [told_amount(setting, units, d) for d, units in enumerate(free)]
    left = ", ".join(told)
    return Condition(
        "fits",
        "does not fit",
        "R_j ≤ residual capacity",
        place_of(setting, 2),
        (rooms <= free).all(axis=1),
        f"{left} free",
        lambda job: f"{_needs(setting, rooms[job])}, {left} free",
    )


def _needs(setting: Setting, room: NDArray[np.int64]) -> str:
    """The demand of a job, as text in the scenario's units."""
    return f"it needs {', '.join(told_amount(setting, units, d) for d, units in enumerate(room))}"


def _first_job(setting: Setting, server: int, records: NDArray[np.int64]) -> Preference:
    policy, state, numbers = setting.system.policy, setting.state, setting.system.numbers
    jobs, rooms = state.job_number[records], state.job_room[records]

    def size(job: int) -> str:
        return _needs(setting, rooms[job])

    if policy.may_fail:
        return own_choice(setting)
    if has_configurations(policy) and policy.serves_by != "best fit":
        queues = state.job_queue[records]
        return Preference(
            "the first of its line",
            place_of(setting, 0),
            lambda job: f"VQ{subscript(int(queues[job]))}",
            ranked(jobs, queues),
        )
    if not is_by_server(setting):
        return Preference("the one that came first", place_of(setting, 2), size, ranked(jobs), compares=jobs)
    if numbers.resources == 1:
        largest = -rooms[:, 0]
        return Preference("the largest", place_of(setting, 2), size, ranked(jobs, largest), compares=largest)
    unit = score_unit(numbers)
    score = (rooms // unit) @ (state.used[server] // unit)
    return Preference(
        "the one of best score",
        "Section VIII",
        lambda job: told_score(numbers, int(score[job])),
        ranked(jobs, -score, -rooms.sum(axis=1)),
        compares=-score,
    )
