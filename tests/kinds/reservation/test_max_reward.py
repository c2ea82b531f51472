"""MaxReward against its definition, also where enumeration is impossible."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotscope.model.programs import knapsack
from slotscope.model.programs.configurations import ConfigurationSpace, definition_order
from tests.model.test_configurations import EXAMPLE_1, additive_spaces, by_hand, spaces

GOLDEN = Path(__file__).parents[2] / "golden" / "dra"


def expected(space: ConfigurationSpace, rewards: tuple[int, ...], allowed: int) -> tuple[int, ...]:
    """The first configuration in the order of Definition 2 that uses allowed types only."""
    inside = [k for k in by_hand(space) if not any(n for j, n in enumerate(k) if not allowed >> j & 1)]
    return definition_order(inside, rewards)[0]


def test_example_1() -> None:
    answers = [EXAMPLE_1.max_reward((10, 1), allowed) for allowed in (3, 1, 2, 0)]
    assert answers == [(2, 1), (2, 0), (0, 2), (0, 0)]


@given(spaces, st.data())
def test_agrees_with_the_definition(space: ConfigurationSpace, data: st.DataObject) -> None:
    # Few different rewards, 0 among them, make many ties.
    rewards = data.draw(st.tuples(*[st.integers(0, 4)] * space.types))
    allowed = data.draw(st.integers(0, 2**space.types - 1))
    assert space.max_reward(rewards, allowed) == expected(space, rewards, allowed)


@given(additive_spaces(), st.data())
def test_a_reward_per_unit_makes_all_full_servers_tie(space: ConfigurationSpace, data: st.DataObject) -> None:
    prices = data.draw(st.tuples(*[st.integers(0, 2)] * len(space.capacity)))
    rewards = tuple(sum(p * s for p, s in zip(prices, row, strict=True)) for row in space.demand)
    allowed = 2**space.types - 1
    assert space.max_reward(rewards, allowed) == expected(space, rewards, allowed)


@given(spaces, st.data())
def test_heaviest_gives_no_slot_to_a_negative_weight(space: ConfigurationSpace, data: st.DataObject) -> None:
    weights = data.draw(st.tuples(*[st.integers(-3, 4)] * space.types))

    def weight(k: tuple[int, ...]) -> int:
        return sum(w * n for w, n in zip(weights, k, strict=True))

    found = space.heaviest(weights)
    assert space.contains(found)
    assert weight(found) == max(map(weight, by_hand(space)))


@pytest.mark.parametrize("case", json.loads((GOLDEN / "gpa.json").read_text()))
def test_configurations_of_the_greedy_placement_algorithm(case: dict[str, Any]) -> None:
    space = ConfigurationSpace.from_demands(
        [[Fraction(size) for size in row] for row in case["sizes"]], [Fraction(room) for room in case["capacity"]]
    )
    rewards = tuple(int(reward) for reward in case["rewards"])
    allowed = sum(1 << j for j in range(space.types) if space.fits[j])
    for configuration, _, removed in case["with_ties_to_lowest"]:
        assert space.max_reward(rewards, allowed) == tuple(configuration)
        allowed ^= 1 << (removed - 1)
    assert allowed == 0


@pytest.mark.parametrize("highest_first", [True, False])
def test_powers_of_two_in_three_priorities(highest_first: bool) -> None:
    sizes = [Fraction(1, 2**e) for e in range(13)]
    priorities = (9, 3, 1) if highest_first else (1, 3, 9)
    types = [(size, priority) for priority in priorities for size in sizes]
    space = ConfigurationSpace.from_demands([[size] for size, _ in types], [Fraction(1)])
    rewards = tuple(int(size * 4096 * priority) for size, priority in types)
    random = Random(5)
    for _ in range(40):
        allowed = random.getrandbits(39) | 1 << random.randrange(39)
        present = [j for j in range(39) if allowed >> j & 1]
        highest = max(types[j][1] for j in present)
        first = next(j for j in present if types[j][1] == highest)
        answer = [0] * 39
        answer[first] = int(1 / types[first][0])
        assert space.max_reward(rewards, allowed) == tuple(answer)


def test_types_that_fit_nowhere_get_no_slot() -> None:
    space = ConfigurationSpace.from_demands([[6, 1], [1, 1]], [5, 4])
    assert space.fits == (False, True)
    assert space.max_reward((100, 1), 3) == (0, 4)
    assert space.max_reward((100, 1), 1) == (0, 0)


def test_answers_are_remembered_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("slotscope.model.programs.configurations.MOST_REMEMBERED", 2)
    space = ConfigurationSpace.from_demands([[2, 1], [1, 2]], [5, 4])
    first = space.max_reward((10, 1), 3)
    assert space.max_reward((10, 1), 3) is first
    for allowed in range(4):
        space.max_reward((10, 1), allowed)
    assert space.max_reward((10, 1), 3) == first


def test_rewards_beyond_64_bits_are_exact() -> None:
    huge = 10**40
    assert EXAMPLE_1.max_reward((huge, huge), 3) == (2, 1)
    assert EXAMPLE_1.max_reward((huge + 1, 2 * huge + 3), 3) == (0, 2)
    assert EXAMPLE_1.max_reward((huge, 2 * huge), 3) == (2, 1)


@pytest.mark.parametrize("rewards", [(1,), (1, -1), (1, 2, 3)])
def test_rewards_that_cannot_be_used(rewards: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="MaxReward needs 2 rewards of at least 0"):
        EXAMPLE_1.max_reward(rewards, 3)


def hard_space() -> tuple[ConfigurationSpace, tuple[int, ...]]:
    """Three resources, and rewards nearly proportional to the demands, which makes the search long."""
    random = Random(3)
    demand = [[Fraction(random.randint(100, 999)) for _ in range(3)] for _ in range(7)]
    space = ConfigurationSpace.from_demands(demand, [Fraction(4000)] * 3)
    return space, tuple(sum(row) + 100 for row in space.demand)


def test_the_compiled_search_gives_the_same_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    space, rewards = hard_space()
    plain = [space.max_reward(rewards, allowed) for allowed in range(0, 128, 7)]
    called = []
    twin = knapsack.compiled(knapsack.branch_and_bound)

    def counting(function: Any) -> Any:
        called.append(function)
        return twin

    monkeypatch.setattr(knapsack, "PYTHON_NODES", 1)
    monkeypatch.setattr(knapsack, "compiled", counting)
    again, _ = hard_space()
    assert [again.max_reward(rewards, allowed) for allowed in range(0, 128, 7)] == plain
    assert called
    # Numbers that do not fit 64 bits stay Python integers.
    called.clear()
    scaled = tuple(reward * 10**20 + 1 for reward in rewards)
    again.max_reward(scaled, 127)
    assert not called


def test_a_search_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    space, rewards = hard_space()
    monkeypatch.setattr(knapsack, "PYTHON_NODES", 1)
    monkeypatch.setattr(knapsack, "MOST_PYTHON_NODES", 5)
    with pytest.raises(ValueError, match=r"no proof after 5 steps .* with fewer digits"):
        space.max_reward(tuple(reward * 10**20 + 1 for reward in rewards), 127)
