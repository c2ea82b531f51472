"""Invariants after every slot of a queueing system: each planted fault must be found."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from slotscope.model.kinds.queue import physics
from slotscope.model.kinds.queue.scenario.instance import scenarios
from slotscope.model.kinds.queue.state import (
    ARRIVED,
    DEPARTURES,
    FREE,
    IDLE,
    IN_SERVICE,
    NEXT_ARRIVAL,
    NOW,
    PLACED,
    STALLED_SERVERS,
    WAITING,
    QueueState,
)
from slotscope.model.kinds.queue.system import QueueSystem
from slotscope.model.running.assembly import assemble
from slotscope.model.running.engine import EventRun
from slotscope.model.scenario.load import parse_scenario
from tests.kinds.queue.instances import bench_of
from tests.sound import Plant, add, is_told, put, violations

#: VQS gives e₁+e₄ to three servers, which have jobs of VQ₁ and VQ₄; more jobs of both wait, and of other queues.
JOBS = [
    (0, "3/5", 9),
    (0, "3/5", 8),
    (0, "0.55", 5),
    (0, "0.52", 5),
    (0, "0.51", 4),
    (0, "1/5", 3),
    (1, "1/5", 9),
    (1, "1/5", 9),
    (1, "1/4", 9),
    (1, "1/4", 9),
    (1, "1/100", 9),
    (1, "1", 9),
    (2, "2/5", 1),
]


def state_of(algorithm: str, slot: int, **given: Any) -> tuple[QueueSystem, QueueState]:
    """The state after the last event before *slot*, or in it."""
    data = {
        "name": "checked",
        "L": 3,
        "capacity": "1",
        "J": 3,
        "slots": 20,
        "arrivals": [
            {"id": number, "slot": when, "size": size, "service": service}
            for number, (when, size, service) in enumerate(given.pop("jobs", JOBS))
        ],
        "runs": [{"algo": algorithm, "options": given}],
    }
    system: Any = bench_of(data).system
    state = system.raw_state()
    while (event := system.next_event(state)) is not None and event.time <= slot:
        run = EventRun(system, state)
        run.finish()
        state = run.state
        assert violations(system, state) == []
    return system, state


VQS = state_of("VQS", 2)


def waits(state: QueueState, place: int = 0) -> int:
    """The record of a waiting job."""
    return int(np.flatnonzero((state.job_number >= 0) & (state.job_server < 0))[place])


def served(state: QueueState, place: int = 0) -> int:
    return int(np.flatnonzero(state.job_server >= 0)[place])


def test_the_state_that_faults_are_planted_in_has_all_that_they_need() -> None:
    system, state = VQS
    names = [system.policy.configuration_names[number] for number in state.active]
    assert names == ["e₁+e₄"] * 3
    assert state.jobs_on.tolist() == [2, 2, 2]
    assert state.queue_length.tolist() == [1, 2, 1, 0, 2, 1]
    assert state.number[DEPARTURES] == 6
    assert state.number[FREE] > 0


def backwards(_: QueueSystem, state: QueueState) -> None:
    queue = int(np.argmax(state.queue_length))
    head = state.first_waiting[queue]
    second = state.job_next[head]
    numbers = state.job_number[[head, second]]
    state.job_number[[head, second]] = numbers[::-1]


lost_link = put("first_waiting", lambda state: int(np.argmax(state.queue_length)), -1)


def wrong_way_back(_: QueueSystem, state: QueueState) -> None:
    queue = int(np.argmax(state.queue_length))
    state.job_previous[state.last_waiting[queue]] = -1


def circle(_: QueueSystem, state: QueueState) -> None:
    queue = int(np.argmax(state.queue_length))
    head = state.first_waiting[queue]
    state.job_next[state.last_waiting[queue]] = head
    state.job_previous[head] = state.last_waiting[queue]


lost_on_its_server = put("last_job", lambda state: int(np.argmax(state.jobs_on)), -1)


def freed_twice(_: QueueSystem, state: QueueState) -> None:
    free = int(state.number[FREE])
    state.free_record[free - 1] = state.free_record[free - 2]


same_number = put("job_number", served, lambda state: state.job_number[served(state, 1)])


def moved_room(_: QueueSystem, state: QueueState) -> None:
    state.used[0] += 1
    state.used[1] -= 1


def grown(system: QueueSystem, state: QueueState) -> None:
    record = int(state.first_job[0])
    for field in (state.job_size, state.job_room):
        field[record] += system.numbers.largest
    state.used[0] += system.numbers.largest
    state.used_total[...] += system.numbers.largest


def later_first(_: QueueSystem, state: QueueState) -> None:
    for field in (state.heap_time, state.heap_record):
        field[[0, 1]] = field[[1, 0]]


def stalled_and_empty(_: QueueSystem, state: QueueState) -> None:
    server = int(np.argmin(state.jobs_on))
    while state.first_job[server] >= 0:
        record = int(state.first_job[server])
        physics.evict(state, record)
    state.stalled[server] = 1
    state.number[STALLED_SERVERS] += 1


def other_queue(_: QueueSystem, state: QueueState) -> None:
    record = waits(state)
    physics.leave_queue(state, record)
    queue = (int(state.job_queue[record]) + 1) % len(state.queue_length)
    physics.join_again(state, record, queue)


def second_of_the_first(system: QueueSystem, state: QueueState) -> None:
    """Server 3 gets a second job of VQ₁."""
    (record,) = np.flatnonzero((state.job_queue == 1) & (state.job_server < 0))[:1].tolist()
    physics.place(state, record, 2)


def of_another_queue(system: QueueSystem, state: QueueState) -> None:
    physics.evict(state, int(state.last_job[0]))
    (record,) = np.flatnonzero((state.job_queue == 2) & (state.job_server < 0))[:1].tolist()
    physics.place(state, record, 0)


def beyond_a_third(system: QueueSystem, state: QueueState) -> None:
    """Two jobs of VQ₄ beside the capacity that is reserved for VQ₁."""
    physics.evict(state, int(state.first_job[0]))
    for record in np.flatnonzero((state.job_queue == 4) & (state.job_server < 0))[:2].tolist():
        physics.place(state, record, 0)


FAULTS: dict[str, tuple[Plant, str]] = {
    "a queue is shorter than counted": (add("queue_length", 0, 1), "counted"),
    "more wait than counted": (add("number", WAITING, -1), "jobs wait, counted"),
    "a queue is out of order": (backwards, "is not in order of arrival"),
    "a queue has lost its first job": (lost_link, "does not lead through"),
    "a queue does not lead back": (wrong_way_back, "does not lead through"),
    "a queue goes in a circle": (circle, "does not lead through"),
    "a job waits in no queue": (put("job_queue", waits, -1), "1 jobs wait in no virtual queue"),
    "a server has lost its last job": (lost_on_its_server, "does not lead through"),
    "a server has fewer jobs than counted": (add("jobs_on", 0, 1), "jobs, counted"),
    "fewer in service than counted": (add("number", IN_SERVICE, 1), "are in service, counted"),
    "more are idle than counted": (add("number", IDLE, 1), "servers are idle, counted"),
    "a record is free twice": (freed_twice, "job records are called free"),
    "two jobs are the same": (same_number, "two jobs have the same number"),
    "room has moved": (moved_room, "take 0.8, counted 0.8, "),
    "all of it is miscounted": (add("used_total", 0, 1), "all jobs take"),
    "a server is too full": (grown, "its capacity is"),
    "a job vanished": (add("tally", ARRIVED, 1), "jobs arrived, but"),
    "a placement vanished": (add("tally", PLACED, 1), "jobs were placed, but"),
    "an arrival vanished": (add("number", NEXT_ARRIVAL, 1), "arrivals were taken"),
    "a waiting job will leave": (put("job_departure", waits, 50.0), "has a time of departure"),
    "a departure is not in the heap": (add("number", DEPARTURES, -1), "jobs have one before them"),
    "the heap has another time": (add("heap_time", 0, 0.5), "another time of departure than the job"),
    "the heap is out of order": (later_first, "is not in order"),
    "a job should have left": (put("clock", NOW, lambda state: state.heap_time[0]), "is not after the present"),
    "more are stalled than counted": (add("stalled", 0, 1), "servers are stalled, counted"),
    "an empty server is stalled": (stalled_and_empty, "is empty and stalled"),
    "a job is in another queue": (other_queue, "is in virtual queue"),
    "a job takes another room": (add("job_room", waits, -1), "takes"),
    "a job has no size": (put("job_size", waits, 0), "found sizes from 0"),
    "a configuration of no pool": (add("active", 0, 99), "has configuration"),
    "a server in use has no configuration": (add("active", 0, -99), "has configuration"),
    "two jobs of VQ₁": (second_of_the_first, "jobs of VQ_1, allowed: 1"),
    "a job that k does not have": (of_another_queue, "where k_2 = 0"),
    "more than a third beside VQ₁": (beyond_a_third, "allowed: a third"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_seen(name: str) -> None:
    plant, sentence = FAULTS[name]
    is_told(sentence, plant, *VQS)


EXHAUSTING = ("BF-J", "BF-S", "BF-J/S", "VQS-BF")


@pytest.mark.parametrize("algorithm", EXHAUSTING)
def test_a_waiting_job_that_fits_is_seen(algorithm: str) -> None:
    system, state = state_of(algorithm, 2)
    physics.evict(state, int(state.last_job[0]))
    found = next(line for line in violations(system, state) if "waits, takes" in line)
    size, left = (float(one) for one in re.findall(r"(?:takes|which has) ([\d.]+)", found))
    assert "fits server 1" in found
    assert 0 < size <= left <= 1  # in the scenario's units
    state.stalled[0] = 1
    state.number[STALLED_SERVERS] = np.count_nonzero(state.stalled)
    state.last_departure[0] = state.clock[NOW]
    assert not any("waits, takes" in line and "server 1" in line for line in violations(system, state))


def test_fifo_answers_for_the_head_of_the_line_alone() -> None:
    jobs = [(0, "3/5", 9), (0, "3/5", 9), (0, "3/5", 9), (0, "1/2", 9), (0, "1/5", 9)]
    for skip in (False, True):
        system, state = state_of("FIFO-FF", 2, jobs=jobs, fifo_skip=skip)
        assert state.number[WAITING] == (1 if skip else 2)
        physics.evict(state, int(state.last_job[2]))
        seen = [line for line in violations(system, state) if "waits, takes" in line]
        assert len(seen) == 1


@pytest.mark.parametrize("algorithm", ["VQS", "MW"])
def test_other_policies_may_leave_a_job_that_fits(algorithm: str) -> None:
    system, state = state_of(algorithm, 2)
    physics.evict(state, int(state.last_job[0]))
    assert not any("waits, takes" in line for line in violations(system, state))


def test_configurations_without_a_policy_that_has_them_are_seen() -> None:
    system, state = state_of("BF-J", 2)
    state.active[1] = 0
    assert violations(system, state) == ["server 2 has a configuration, but the policy knows none"]


@pytest.mark.parametrize("depth", [2, 3, 4, 7])
def test_k_red_has_4j_minus_4_members(depth: int) -> None:
    data = {
        "name": "",
        "L": 1,
        "capacity": "1",
        "J": depth,
        "slots": 2,
        "runs": [{"algo": "VQS"}],
        "arrivals": [{"id": 0, "slot": 0, "size": "1/2", "service": 1}],
    }
    system: Any = bench_of(data).system
    assert len(system.policy.configurations) == 4 * depth - 4
    state = system.raw_state()
    assert violations(system, state) == []
    system.policy.pool_configurations = ((0, 4 * depth - 5),)
    assert any("K_RED" in line for line in violations(system, state))


def test_a_configuration_that_cannot_be_is_seen() -> None:
    system, state = state_of("VQS-BF", 0)
    system.policy.configurations[1, 2] = 3
    assert any("configuration 1 takes" in line for line in violations(system, state))


def test_smaller_servers_have_fewer_members() -> None:
    data = scenarios(
        {
            "name": "",
            "L": 1,
            "capacity": "1",
            "J": 4,
            "slots": 2,
            "runs": [{"algo": "VQS"}],
            "arrivals": [{"id": 0, "slot": 0, "size": "1/4", "service": 1}],
        }
    )[0]
    data["servers"]["pools"] = [{"name": "small", "count": 2, "capacity": "1/4"}]
    system: Any = assemble(parse_scenario(data)).system
    assert [stop - start for start, stop in system.policy.pool_configurations] == [12, 4]
    assert violations(system, system.raw_state()) == []
