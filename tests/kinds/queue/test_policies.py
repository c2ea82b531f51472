"""The references of the queueing system on random scripts, checked against a second program."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.queue.scenario.instance import scenarios
from slotscope.model.kinds.queue.state import ARRIVED, DEPARTED, EVENT, IN_SERVICE, NOW, WAITING, QueueState
from slotscope.model.running.assembly import Bench, assemble
from slotscope.model.running.engine import EventRun
from slotscope.model.scenario.load import parse_scenario
from slotscope.model.systems.state import copied
from tests.kinds.queue.instances import ALGORITHMS, BEST_FIT, PARTITIONED, Instance, Run, bench_of, instances, runs
from tests.kinds.queue.oracle import Oracle
from tests.sound import violations


def trace_of(bench: Bench) -> list[dict[str, Any]]:
    lines = bench.kind.trace_lines(bench.system, float("inf"))
    return [json.loads(json.dumps(line)) for line in lines]


def walk(bench: Bench, slots: int) -> QueueState:
    """Run the reference event by event, checking the state after each."""
    state: QueueState = bench.system.raw_state()
    assert violations(bench.system, state) == []  # type: ignore[arg-type]
    return walk_on(bench, state, slots)


def walk_on(bench: Bench, state: QueueState, slots: int) -> QueueState:
    while (event := bench.system.next_event(state)) is not None and event.time < slots:
        run = EventRun(bench.system, state)
        run.finish()
        state = run.state
        assert violations(bench.system, state) == []  # type: ignore[arg-type]
    return state


def agrees(instance: Instance) -> None:
    found = trace_of(bench_of(instance))
    expected = Oracle(instance, instance["runs"][0]).trace()
    for ours, theirs in zip(found, expected, strict=True):
        assert ours == theirs


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@given(data=st.data())
def test_every_slot_agrees_with_the_second_program(algorithm: str, data: st.DataObject) -> None:
    agrees(data.draw(instances((algorithm,))))


@given(instances(BEST_FIT, resources=2))
def test_the_score_of_two_resources_agrees(instance: Instance) -> None:
    agrees(instance)


@given(instances())
def test_invariants_hold_after_every_event(instance: Instance) -> None:
    walk(bench_of(instance), instance["slots"])


@given(instances(("FIFO-FF", *BEST_FIT), resources=2))
def test_invariants_hold_with_two_resources(instance: Instance) -> None:
    walk(bench_of(instance), instance["slots"])


@given(instances(BEST_FIT))
def test_one_dimension_doubled_is_best_fit_again(instance: Instance) -> None:
    """With two equal resources the score of Section VIII must decide as Best-Fit does in one dimension."""
    doubled = instance | {
        "capacity": [instance["capacity"]] * 2,
        "arrivals": [job | {"size": [job["size"]] * 2} for job in instance["arrivals"]],
    }
    assert [line["place"] for line in trace_of(bench_of(doubled))] == [
        line["place"] for line in trace_of(bench_of(instance))
    ]


@given(instances())
def test_slots_that_are_passed_over_change_nothing(instance: Instance) -> None:
    """A run from event to event has the same queue lengths as one that visits every slot."""
    bench = bench_of(instance)
    queues = [len(line["queue"]) for line in trace_of(bench)]
    state: Any = bench.system.raw_state()
    found = [0] * instance["slots"]
    seen = -1
    while (event := bench.system.next_event(state)) is not None:
        if event.time >= instance["slots"]:
            break
        run = EventRun(bench.system, state)
        run.finish()
        for slot in range(seen + 1, int(event.time)):
            found[slot] = found[seen] if seen >= 0 else 0
        state, seen = run.state, int(event.time)
        found[seen] = int(run.row[0]["waiting"])
        assert state.clock[NOW] == event.time
        assert state.number[EVENT] == run.row[0]["event"]
    found[seen + 1 :] = [found[seen] if seen >= 0 else 0] * (instance["slots"] - seen - 1)
    assert found == queues


@given(instances(PARTITIONED), st.sampled_from(["1/2", "1/4"]), st.integers(1, 2))
def test_servers_that_differ_by_powers_of_two(instance: Instance, capacity: str, count: int) -> None:
    """Each kind of server has its own set of virtual queues (Section VIII)."""
    data = scenarios(instance | {"J": max(4, instance["J"])})[0]
    pools = [{"name": "small", "count": count, "capacity": capacity}]
    bench = assemble(parse_scenario(data | {"servers": data["servers"] | {"pools": pools}}))
    walk(bench, instance["slots"])


@given(instances(), runs(), st.integers(0, 8))
def test_another_policy_may_take_over(instance: Instance, run: Run, slot: int) -> None:
    """Jobs stay where they are, and all invariants continue to hold."""
    first, second = bench_of(instance), bench_of(instance | {"runs": [run]})
    state = walk(first, slot)
    try:
        state = second.system.take_over(first.system, copied(state))
    except ScenarioError as error:  # rounded up, the jobs exceed a server's capacity
        assert "rounds up" in str(error)
        return
    present = np.sort(state.job_number[state.job_number >= 0])
    assert violations(second.system, state) == []  # type: ignore[arg-type]
    after = walk_on(second, copied(state), instance["slots"])
    assert after.tally[ARRIVED] == after.number[WAITING] + after.number[IN_SERVICE] + after.tally[DEPARTED]
    assert len(present) == state.number[WAITING] + state.number[IN_SERVICE]


def small(*jobs: tuple[int, str, int], run: dict[str, Any], **given: Any) -> list[dict[str, Any]]:
    """The trace of one run; jobs are (slot, size, service)."""
    instance = {
        "name": "small",
        "L": 1,
        "capacity": "1",
        "J": 3,
        "slots": 8,
        "runs": [run],
        "arrivals": [
            {"id": number, "slot": slot, "size": size, "service": service}
            for number, (slot, size, service) in enumerate(jobs)
        ],
    } | given
    return trace_of(bench_of(instance))


def placed(trace: list[dict[str, Any]]) -> list[Any]:
    return [entry["place"] for entry in trace]


class TestReadings:
    """Readings of the paper, one by one, on instances that can be followed by hand."""

    def test_renewal_before_the_arrivals_sees_an_empty_queue(self) -> None:
        jobs = (0, "3/5", 1), (0, "3/5", 1)
        after = small(*jobs, run={"algo": "VQS", "options": {}})
        before = small(*jobs, run={"algo": "VQS", "options": {"renew": "before"}})
        assert after[0]["renew"] == [[0, {"1": 1, "4": 1}]]
        assert placed(after)[:3] == [[[0, 0]], [[1, 0]], []]
        assert before[0]["renew"] == [[0, {"0": 1}]]
        assert placed(before)[:3] == [[], [[0, 0]], [[1, 0]]]

    def test_renewal_one_after_another_sees_what_is_left(self) -> None:
        jobs = [(0, "3/5", 1), (0, "1/2", 1), (0, "1/2", 1)]
        together = small(*jobs, L=2, run={"algo": "VQS", "options": {}})
        one_by_one = small(*jobs, L=2, run={"algo": "VQS", "options": {"renew_mode": "sequential"}})
        assert together[0]["renew"] == [[0, {"2": 2}], [1, {"2": 2}]]
        assert one_by_one[0]["renew"] == [[0, {"2": 2}], [1, {"1": 1, "4": 1}]]
        assert placed(together)[0] == [[1, 0], [2, 0]]
        assert placed(one_by_one)[0] == [[1, 0], [2, 0], [0, 1]]

    def test_the_head_of_line_stops_vqs_unless_it_is_passed_over(self) -> None:
        jobs = [*[(0, "1/5", 3)] * 4, (0, "1/4", 1), (0, "1/5", 1)]
        first = [[0, 0], [1, 0], [2, 0], [3, 0]]
        stop = small(*jobs, run={"algo": "VQS", "options": {}})
        skip = small(*jobs, run={"algo": "VQS", "options": {"vqs_skip": True}})
        assert placed(stop)[0] == first
        assert placed(skip)[0] == [*first, [5, 0]]

    def test_jobs_that_are_rounded_up_take_that_much(self) -> None:
        jobs = [(0, "1/100", 2)] * 9
        trace = small(*jobs, run={"algo": "VQS-BF", "options": {}})
        assert trace[0]["used"] == ["1"]
        assert len(trace[0]["servers"][0]) == 8
        assert small(*jobs, run={"algo": "BF-J/S", "options": {}})[0]["used"] == ["9/100"]

    def test_a_server_below_one_half_is_stalled_under_best_fit(self) -> None:
        jobs = [(0, "2/5", 4), (0, "2/3", 1), (1, "1/3", 1)]
        run = {"algo": "BF-J/S", "options": {"stall": True}}
        trace = small(*jobs, run=run)
        assert [entry["stalled"] for entry in trace[:5]] == [[True]] * 4 + [[False]]
        assert placed(trace)[4] == [[1, 0], [2, 0]]
        run = {"algo": "BF-J/S", "options": {}}
        assert placed(small(*jobs, run=run))[1] == [[2, 0]]

    def test_a_light_configuration_is_stalled_under_vqs_bf(self) -> None:
        jobs = [(0, "1/5", 5), *[(1, "1/2", 1)] * 3]
        trace = small(*jobs, run={"algo": "VQS-BF", "options": {"stall": True}})
        assert [entry["stalled"] for entry in trace[:6]] == [[False], *[[True]] * 4, [False]]
        assert placed(trace)[5] == [[1, 0], [2, 0]]
        never = small(*jobs, run={"algo": "VQS-BF", "options": {"stall": True, "gamma": 0}})
        assert placed(never)[1] == [[1, 0]]

    def test_max_weight_prefers_the_lexicographically_largest(self) -> None:
        jobs = [(0, "1/2", 1), (0, "1/4", 1), (0, "1/4", 1)]
        trace = small(*jobs, run={"algo": "MW", "options": {}})
        assert trace[0]["renew"] == [[0, [0, 4]]]
        assert trace[1]["renew"] == [[0, [2, 0]]]
