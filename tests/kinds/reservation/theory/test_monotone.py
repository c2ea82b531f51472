"""The search for a violation of the monotone greedy property (Definition 8)."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from slotscope.model.kinds.reservation.programs import monotone
from slotscope.model.kinds.reservation.programs.greedy import global_greedy
from slotscope.model.kinds.reservation.programs.monotone import (
    REPORT_EVERY,
    MonotoneSearch,
    critical_levels,
    search_violation,
)
from slotscope.model.lifeline import start_beside
from slotscope.model.programs.configurations import ConfigurationSpace
from tests.kinds.reservation.theory.test_reward_programs import VM_REWARDS, VM_WORKLOAD, VMS, Instance, instances

BUDGET = 150


def check(instance: Instance, found: MonotoneSearch) -> None:
    """Check by the definition that the witness is a violation, with the rewards that it states."""
    space, rewards, _ = instance
    witness = found.witness
    assert witness is not None
    assert all(0 <= low <= high for low, high in zip(witness.lower, witness.upper, strict=True))
    assert global_greedy(space, rewards, witness.lower).objective == witness.greedy_lower
    assert global_greedy(space, rewards, witness.upper).objective == witness.greedy_upper
    assert witness.greedy_lower > witness.greedy_upper


def test_the_example_of_section_7_1_is_not_monotone() -> None:
    found = search_violation(VMS, VM_REWARDS, VM_WORKLOAD)
    check((VMS, VM_REWARDS, VM_WORKLOAD), found)
    assert found.witness is not None
    assert found.witness.lower == (0, 0, Fraction(4, 3), 1)
    assert found.witness.upper == tuple(VM_WORKLOAD)
    assert found.witness.greedy_lower == 576
    assert found.witness.greedy_upper == Fraction(1598, 3)
    assert found.evaluations == 15  # every set of types with one at least


def test_levels_find_what_whole_types_do_not() -> None:
    space = ConfigurationSpace.from_demands([[10, 6], [10, 2], [1, 5], [9, 10]], [12, 12])
    rewards = [Fraction(reward) for reward in (11, 10, 6, 12)]
    workload = [Fraction(1), Fraction(1), Fraction(2, 3), Fraction(7, 3)]
    instance = (space, rewards, workload)
    assert not falls_without_types(instance)
    found = search_violation(*instance, budget=80)
    check(instance, found)
    assert found.witness is not None
    levels = critical_levels(*instance)
    for load, row in zip(found.witness.lower, levels, strict=True):
        assert load in row


def test_random_pairs_find_what_levels_do_not() -> None:
    """At half the workload no type is short of slots, but the property concerns all workloads."""
    workload = [load / 2 for load in VM_WORKLOAD]
    assert not falls_without_types((VMS, VM_REWARDS, workload))
    found = search_violation(VMS, VM_REWARDS, workload, budget=1000)
    check((VMS, VM_REWARDS, workload), found)


def falls_without_types(instance: Instance) -> bool:
    """Whether the reward at rho is below the reward at rho without some of the types."""
    space, rewards, workload = instance
    here = global_greedy(space, rewards, workload).objective
    for kept in range(1, 2 ** len(workload) - 1):
        less = [load if kept >> j & 1 else Fraction(0) for j, load in enumerate(workload)]
        if global_greedy(space, rewards, less).objective > here:
            return True
    return False


@settings(max_examples=60)
@given(instances())
def test_a_witness_is_one_and_the_budget_holds(instance: Instance) -> None:
    found = search_violation(*instance, budget=BUDGET)
    assert 1 <= found.evaluations <= BUDGET
    if found.witness is not None:
        check(instance, found)


@settings(max_examples=60)
@given(instances())
def test_it_is_repeatable(instance: Instance) -> None:
    assert search_violation(*instance, budget=60) == search_violation(*instance, budget=60)


@settings(max_examples=60)
@given(st.data())
def test_two_types_always_have_the_property(data: st.DataObject) -> None:
    """Stated in the paper after Definition 8, so the search must not find a violation."""
    sizes = st.lists(st.integers(1, 6), min_size=2, max_size=2)
    space = ConfigurationSpace.from_demands([data.draw(sizes), data.draw(sizes)], [6, 6])
    amounts = st.lists(st.fractions(0, 4, max_denominator=6), min_size=2, max_size=2)
    assert search_violation(space, data.draw(amounts), data.draw(amounts), BUDGET).witness is None


def test_a_small_budget_gives_what_was_found_so_far() -> None:
    found = search_violation(VMS, VM_REWARDS, VM_WORKLOAD, budget=3)
    assert found.evaluations == 3
    assert found.witness is not None
    assert found.witness.greedy_lower < 576


def test_progress_is_told() -> None:
    space = ConfigurationSpace.from_demands([[1], [1]], [2])
    told: list[int] = []
    loads = [Fraction(1), Fraction(2)]
    found = search_violation(space, [Fraction(1)] * 2, loads, 3 * REPORT_EVERY, progress=told.append)
    assert told == list(range(REPORT_EVERY, found.evaluations + 1, REPORT_EVERY))
    assert told


def test_without_workload_there_is_one_thing_to_look_at() -> None:
    found = search_violation(VMS, VM_REWARDS, [Fraction(0)] * 4)
    assert (found.witness, found.evaluations) == (None, 1)


def test_critical_levels_of_the_example() -> None:
    levels = critical_levels(VMS, VM_REWARDS, VM_WORKLOAD)
    assert levels[3] == (1, Fraction(5, 6), 0)
    assert levels[0] == (2, 0)


def test_the_result_survives_as_data() -> None:
    for budget in (1, 3, 15):
        found = search_violation(VMS, VM_REWARDS, VM_WORKLOAD, budget=budget)
        assert MonotoneSearch.from_data(json.loads(json.dumps(found.as_data()))) == found


def test_as_a_process_it_reports_and_answers() -> None:
    process = start_beside(monotone.__name__)
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        pickle.dump((VMS, VM_REWARDS, [load / 10 for load in VM_WORKLOAD], 500), process.stdin)
        process.stdin.flush()
        *progress, last = map(json.loads, process.stdout)
    assert process.returncode == 0
    assert [line["evaluations"] for line in progress] == [200, 400]
    assert MonotoneSearch.from_data(last["result"]).witness is None
