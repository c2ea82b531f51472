"""Queueing systems: the same digest, row and sample of reference and kernel at every busy slot."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.queue.moving import MOST_TOLD, MOVING, NEWEST, jobs_known, tell_jobs
from slotscope.model.kinds.queue.physics import evict, join, take_record
from slotscope.model.kinds.queue.questions import VOCABULARY
from slotscope.model.kinds.queue.rows import QUEUE_ROW
from slotscope.model.kinds.queue.state import EVENT, NOW, UNSETTLED, with_room
from slotscope.model.reporting.records import SLOT, Event
from slotscope.model.running.assembly import assemble
from slotscope.model.running.engine import Task, started
from slotscope.model.scenario.files import scenario_files
from slotscope.model.scenario.load import load_scenario
from slotscope.model.systems.state import copied, differences
from tests.engines import Twins, bench_of, check_pieces, check_stops, check_told
from tests.kinds.queue.strategies import CHOICES, OPTIONS, queue_scenarios

EVENTS = 60

#: The arrays that are read to answer questions about jobs.
OF_JOBS = ("job_number", "job_room", "job_queue", "job_server", "job_arrival")

#: Fields that the kernel computes only when asked to explain.
COSTLY = ("best_residual", "serving")


def agree(scenario: Any, events: int, explain: bool = False) -> int:
    """Compare both engines at every busy slot; returns the number of busy slots."""
    return Twins(bench_of(scenario), costly=COSTLY).agree(events, Task(stride=1, explain=explain))


@pytest.mark.parametrize("policy", OPTIONS)
@given(data=st.data())
@settings(max_examples=8)
def test_every_slot(policy: str, data: st.DataObject) -> None:
    agree(data.draw(queue_scenarios(policy)), EVENTS)


@given(queue_scenarios())
@settings(max_examples=15)
def test_explained_rows(scenario: Any) -> None:
    agree(scenario, EVENTS, explain=True)


@pytest.mark.slow
@pytest.mark.parametrize(("policy", "options"), CHOICES)
@given(data=st.data())
@settings(max_examples=8)
def test_every_slot_of_many_scenarios(policy: str, options: dict[str, Any], data: st.DataObject) -> None:
    agree(data.draw(queue_scenarios(policy, options)), 2 * EVENTS)


@pytest.mark.parametrize(("policy", "options"), CHOICES)
def test_the_classroom_scenario(policy: str, options: dict[str, Any]) -> None:
    scenario = load_scenario("queues-classroom")
    choice = scenario.policy.model_copy(update={"name": policy, "parameters": options})
    assert agree(scenario.model_copy(update={"policy": choice}), 100) == 100


BUILT_IN = [
    name for name in scenario_files() if name.startswith("queues-") and load_scenario(name).workload.kind != "trace"
]


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_scenarios(name: str) -> None:
    assert agree(load_scenario(name), 150, explain=True) == 150


@given(queue_scenarios(), st.integers(1, 40))
@settings(max_examples=15)
def test_the_kernel_in_pieces(scenario: Any, piece: int) -> None:
    check_pieces(bench_of(scenario), piece)


@given(queue_scenarios())
@settings(max_examples=15)
def test_no_job_that_a_slot_changed_is_left_out(scenario: Any) -> None:
    check_told(bench_of(scenario), MOVING, OF_JOBS)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["queues-vqs-unstable", "queues-bf-unstable", "queues-classroom"])
def test_no_job_of_a_long_queue_is_left_out(name: str) -> None:
    check_told(assemble(load_scenario(name)), MOVING, OF_JOBS, events=2000)


def test_where_more_jobs_come_than_can_be_told_it_may_have_been_any() -> None:
    state, rows = started(bench_of(load_scenario("queues-vqs-unstable")).system), np.zeros((1, 0), np.uint8)
    for number in range(MOST_TOLD + 1):
        state = with_room(state, 1)
        before, kept = jobs_known(state)
        join(state, take_record(state, number), 0)
        assert tell_jobs(state, before, kept, rows) == 1
    for newest, told in ((0, MOST_TOLD), (-1, -1)):
        before, kept = jobs_known(state)
        kept[NEWEST] = newest
        assert tell_jobs(state, before, kept, rows) == told


@given(queue_scenarios(), st.sampled_from(sorted(VOCABULARY.event_kinds)), st.integers(0, 40))
@settings(max_examples=15)
def test_stops(scenario: Any, kind: str, until: int) -> None:
    check_stops(bench_of(scenario), kind, float(until))


@given(queue_scenarios())
@settings(max_examples=15)
def test_slots_passed_over_change_nothing(scenario: Any) -> None:
    """Running a slot that both engines skip changes nothing but the count of slots."""
    bench = bench_of(scenario)
    state = started(bench.system)
    for _ in range(EVENTS):
        following = bench.system.next_event(state)
        now = float(state.clock[NOW])
        if following is None or (state.number[EVENT] and following.time > now + 1):
            _run_by_force(bench.system, state, now + 1)
        if following is None:
            break
        state = bench.reference.advance(state, np.zeros(1, QUEUE_ROW), Task()).state


def _run_by_force(system: Any, state: Any, slot: float) -> None:
    after = copied(state)
    row = np.zeros(1, QUEUE_ROW)
    for _ in system.run(after, Event(SLOT, slot), row):
        pass
    changed = set(differences(state, after)) - {"number", "clock", "trail"}
    assert changed <= {"waiting_area", "used_area"}
    kept = [place for place in range(len(state.number)) if place not in (EVENT, UNSETTLED)]
    assert state.number[kept].tolist() == after.number[kept].tolist()
    assert row[0]["flags"] == 0


@given(queue_scenarios(), st.sampled_from(CHOICES), st.integers(1, 40))
@settings(max_examples=15)
def test_after_a_change_of_policy(scenario: Any, choice: tuple[str, dict[str, Any]], before: int) -> None:
    """After a change of policy, jobs are where the new policy would not have placed them."""
    bench = bench_of(scenario)
    name, options = choice
    policy = scenario.policy.model_copy(update={"name": name, "parameters": options})
    other = bench_of(scenario.model_copy(update={"policy": policy}))
    state = bench.reference.advance(started(bench.system), np.zeros(before, QUEUE_ROW), Task()).state
    try:
        first = other.system.take_over(bench.system, copied(state))
    except ScenarioError:
        assume(False)
    Twins(other, first, costly=COSTLY).agree(EVENTS, sound=True)


@pytest.mark.parametrize(("policy", "options"), CHOICES)
@given(data=st.data())
@settings(max_examples=8)
def test_after_a_decision_that_a_job_waits(policy: str, options: dict[str, Any], data: st.DataObject) -> None:
    """As in a fork: the job is back in its queue, and it fits a server although no job has left that server."""
    bench = bench_of(data.draw(queue_scenarios(policy, options)))
    events = data.draw(st.integers(1, 40))
    state = bench.reference.advance(started(bench.system), np.zeros(events, QUEUE_ROW), Task()).state
    served = np.flatnonzero(state.job_server >= 0).tolist()
    assume(served)
    evict(state, data.draw(st.sampled_from(served)))
    Twins(bench, state, costly=COSTLY).agree(EVENTS)
