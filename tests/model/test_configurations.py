"""The set of feasible configurations: enumerated, counted, and its maximal elements."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotscope.model.programs.configurations import ConfigurationSpace, definition_order

EXAMPLE_1 = ConfigurationSpace.from_demands([[2, 1], [1, 2]], [5, 4])
ROOT = Path(__file__).parents[2]


@st.composite
def additive_spaces(draw: st.DrawFn, most_types: int = 4) -> ConfigurationSpace:
    """Small additive spaces; some types fit nowhere, some resources are not used."""
    resources = draw(st.integers(1, 3))
    size = st.integers(0, 6).map(lambda number: Fraction(number, 2))
    row = st.lists(size, min_size=resources, max_size=resources).filter(any)
    demand = draw(st.lists(row, min_size=1, max_size=most_types))
    room = st.integers(0, 5).map(Fraction)
    return ConfigurationSpace.from_demands(demand, draw(st.lists(room, min_size=resources, max_size=resources)))


@st.composite
def monotone_spaces(draw: st.DrawFn) -> ConfigurationSpace:
    """Small spaces given by their maximal configurations."""
    types = draw(st.integers(1, 4))
    member = st.tuples(*[st.integers(0, 4)] * types)
    return ConfigurationSpace.from_maximal(draw(st.lists(member, min_size=1, max_size=5)))


spaces = st.one_of(additive_spaces(), monotone_spaces())


def by_hand(space: ConfigurationSpace) -> list[tuple[int, ...]]:
    """All feasible configurations from the definition, lexicographically largest first."""
    if space.members:
        most = [max(member[j] for member in space.members) for j in range(space.types)]
    else:
        most = [min(c // s for s, c in zip(row, space.capacity, strict=True) if s) for row in space.demand]

    def feasible(k: tuple[int, ...]) -> bool:
        if space.members:
            return any(all(a <= b for a, b in zip(k, m, strict=True)) for m in space.members)
        return all(
            sum(count * row[d] for count, row in zip(k, space.demand, strict=True)) <= room
            for d, room in enumerate(space.capacity)
        )

    return sorted(filter(feasible, product(*(range(n + 1) for n in most))), reverse=True)


def rows(array: np.ndarray) -> list[tuple[int, ...]]:
    return [tuple(map(int, row)) for row in array]


def test_example_1() -> None:
    assert EXAMPLE_1.count() == 7
    assert EXAMPLE_1.max_slots == 3
    assert rows(EXAMPLE_1.maximal()) == [(2, 1), (0, 2)]
    listed = definition_order(EXAMPLE_1.enumerate(), [10, 1])
    assert listed == [(2, 1), (2, 0), (1, 1), (1, 0), (0, 2), (0, 1), (0, 0)]


def test_definition_order_breaks_ties_towards_the_lowest_type() -> None:
    given = [(0, 2), (1, 1), (2, 0), (0, 3)]
    assert definition_order(given, [1, 1]) == [(0, 3), (2, 0), (1, 1), (0, 2)]


@given(spaces)
def test_enumerate_and_count_agree_with_the_definition(space: ConfigurationSpace) -> None:
    expected = by_hand(space)
    assert rows(space.enumerate()) == expected
    assert space.count() == len(expected)
    assert space.max_slots == max(map(sum, expected))


@given(spaces)
def test_maximal_are_those_that_no_other_exceeds(space: ConfigurationSpace) -> None:
    everything = set(by_hand(space))

    def larger(k: tuple[int, ...]) -> list[tuple[int, ...]]:
        return [(*k[:j], k[j] + 1, *k[j + 1 :]) for j in range(len(k))]

    expected = [k for k in everything if everything.isdisjoint(larger(k))]
    assert rows(space.maximal()) == sorted(expected, reverse=True)


@given(spaces, st.data())
def test_contains(space: ConfigurationSpace, data: st.DataObject) -> None:
    k = data.draw(st.tuples(*[st.integers(-1, 5)] * space.types))
    assert space.contains(k) == (k in set(by_hand(space)))
    assert not space.contains((*k, 0))
    assert space.fits == tuple(space.contains([int(i == j) for i in range(space.types)]) for j in range(space.types))


@given(additive_spaces(most_types=3))
def test_the_maximal_configurations_describe_the_same_set(space: ConfigurationSpace) -> None:
    same = ConfigurationSpace.from_maximal(rows(space.maximal()))
    assert rows(same.enumerate()) == rows(space.enumerate())


def test_equal_content_is_equal_whatever_its_unit() -> None:
    other = ConfigurationSpace.from_demands([[Fraction(1, 5), 1000], [Fraction(1, 10), 2000]], [Fraction(1, 2), 4000])
    assert other == EXAMPLE_1
    assert hash(other) == hash(EXAMPLE_1)
    below = ConfigurationSpace.from_maximal([(1, 0), (0, 2), (2, 1), (2, 1)])
    assert below == ConfigurationSpace.from_maximal([(0, 2), (2, 1)])
    assert below != EXAMPLE_1


def test_counting_goes_beyond_what_can_be_listed() -> None:
    space = ConfigurationSpace.from_demands([[Fraction(1, 2**e)] for e in range(3)], [1])
    assert space.count() == len(by_hand(space)) == 10
    fine = ConfigurationSpace.from_demands([[Fraction(1, 2**e)] for e in range(13)] * 3, [1])
    assert fine.count() > 10**38
    with pytest.raises(ValueError, match="there are more than 2000000 feasible configurations"):
        fine.enumerate()
    with pytest.raises(ValueError, match=r"would take \d+ trials; at most"):
        fine.maximal()


def test_limits_are_kept() -> None:
    assert len(EXAMPLE_1.enumerate(limit=7)) == 7
    with pytest.raises(ValueError, match="there are more than 6 feasible configurations"):
        EXAMPLE_1.enumerate(limit=6)
    below = ConfigurationSpace.from_maximal([(2, 1), (0, 2)])
    for space in (EXAMPLE_1, below):
        assert len(space.maximal(limit=2)) == 2
        with pytest.raises(ValueError, match="there are more than 1 maximal configurations"):
            space.maximal(limit=1)
    with pytest.raises(ValueError, match="there are more than 6 feasible configurations"):
        below.enumerate(limit=6)
    assert len(below.enumerate(limit=7)) == below.count() == 7


@pytest.mark.slow
def test_loads_that_never_repeat_are_refused() -> None:
    primes = [10007, 10009, 10037, 10039, 10061, 10067, 10069, 10079]
    space = ConfigurationSpace.from_demands([[p] for p in primes], [10**6])
    with pytest.raises(ValueError, match="different values, too many to count"):
        ConfigurationSpace.from_demands(
            [[p, q] for p, q in zip(primes, reversed(primes), strict=True)], [10**6, 10**6]
        ).count()
    assert space.count() > 10**11


def test_a_large_space_is_listed_in_chunks() -> None:
    space = ConfigurationSpace.from_demands([[1, 3], [2, 2], [3, 1], [1, 1], [2, 1]], [44, 40])
    maximal = space.maximal()
    everything = space.enumerate()
    assert len(everything) == space.count() > 20_000
    left = np.array(space.capacity) - everything @ np.array(space.demand)
    stuck = [(left < np.array(row)).any(axis=1) for row in space.demand]
    assert rows(maximal) == rows(everything[np.logical_and.reduce(stuck)])


@pytest.mark.parametrize(
    ("demand", "capacity", "message"),
    [
        ([], [1], "found no job type"),
        ([[1], [0]], [1], "job type 2 takes nothing of any resource"),
        ([[1, 1]], [1], "job type 1 has 2 demands; the server has 1 resources"),
        ([[-1]], [1], "a demand of job type 1 is negative"),
        ([[1]], [-1], "capacity must not be negative"),
        (
            [[1, 1], [1, Fraction(1, 10**12)]],
            [1, 1],
            "resource 2: the values need 1000000000000 units of 1/1000000000000",
        ),
    ],
)
def test_demands_that_cannot_be_used(demand: list[list[Fraction]], capacity: list[Fraction], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ConfigurationSpace.from_demands(
            [[Fraction(size) for size in row] for row in demand], [Fraction(c) for c in capacity]
        )


@pytest.mark.parametrize(
    ("maximal", "message"),
    [
        ([], "found no maximal configuration"),
        ([(1, 2), (1,)], "different numbers of job types"),
        ([(1, -2)], "negative number of slots"),
    ],
)
def test_maximal_configurations_that_cannot_be_used(maximal: list[tuple[int, ...]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ConfigurationSpace.from_maximal(maximal)


def test_small_cases_do_not_import_numba_or_a_solver() -> None:
    program = """
import sys
from fractions import Fraction
from slotscope.model.kinds.reservation.programs.alpha_curve import alpha_curve
from slotscope.model.kinds.reservation.programs.bounds import bounds
from slotscope.model.programs.configurations import ConfigurationSpace
demand = [[Fraction(a), Fraction(b)] for a, b in ((1, 1), (4, 16), (2, 32), (32, 256))]
space = ConfigurationSpace.from_demands(demand, [Fraction(40), Fraction(320)])
space.enumerate(), space.maximal(), space.max_reward((9, 48, 48, 512), 15)
alpha_curve(space, [Fraction(1)] * 4, [Fraction(1)] * 4)
print([name for name in ("numba", "pulp", "highspy", "scipy") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
