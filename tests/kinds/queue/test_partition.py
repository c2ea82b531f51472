"""Partition I, (6), and the reduced configurations, (7), of Psychas & Ghaderi (2019)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.queue.programs.partition import (
    MOST_DEPTH,
    Partition,
    configuration_name,
    default_depth,
    reduced_configurations,
)

DEPTHS = range(2, MOST_DEPTH + 1)
depths = st.sampled_from(DEPTHS)
#: The largest capacity that scenarios can have, in units.
MOST_CAPACITY = 2**53


def by_definition(size: Fraction, depth: int) -> int:
    """By (6), with sizes up to 1/2^J in the last queue."""
    for m in range(depth):
        whole = Fraction(1, 2**m)
        if Fraction(2, 3) * whole < size <= whole:
            return 2 * m
        if whole / 2 < size <= Fraction(2, 3) * whole:
            return 2 * m + 1
    return 2 * depth - 1


@pytest.mark.parametrize(
    ("size", "queue"),
    [
        *(("1", 0), ("2/3", 1), ("1/2", 2), ("1/3", 3), ("1/4", 4), ("1/6", 5), ("1/8", 5)),
        *(("3/10", 3), ("1/5", 4), ("1/7", 5), ("1/12", 5), ("1/100", 5)),
    ],
)
def test_right_ends_belong_to_their_interval(size: str, queue: int) -> None:
    units = int(Fraction(size) * 4200)
    assert Partition(3).queue_of(np.array([units]), 4200).tolist() == [queue]
    assert Partition(3).type_of(Fraction(size)) == queue


@given(depths, st.integers(1, MOST_CAPACITY), st.data())
def test_integers_are_compared_exactly(depth: int, capacity: int, data: st.DataObject) -> None:
    near = st.builds(
        lambda end, off: min(max(int(end * capacity) + off, 1), capacity),
        st.sampled_from([end for pair in Partition(depth).intervals for end in pair]),
        st.integers(-2, 2),
    )
    sizes = data.draw(st.lists(near | st.integers(1, capacity), min_size=1, max_size=20))
    found = Partition(depth).queue_of(np.array(sizes, np.int64), capacity)
    assert found.dtype == np.int32
    exact = [Fraction(size, capacity) for size in sizes]
    assert found.tolist() == [by_definition(size, depth) for size in exact]
    assert found.tolist() == [Partition(depth).type_of(size) for size in exact]


@given(depths, st.integers(1, 3), st.data())
def test_small_jobs_are_rounded_up(depth: int, parts: int, data: st.DataObject) -> None:
    capacity = parts * 2**MOST_DEPTH
    sizes = data.draw(st.lists(st.integers(1, capacity), min_size=1, max_size=20))
    rooms = Partition(depth).room_of(np.array(sizes), capacity).tolist()
    least = Fraction(capacity, 2**depth)
    assert rooms == [max(size, least) for size in sizes]


@pytest.mark.parametrize("depth", DEPTHS)
def test_the_intervals_tile_what_is_above_their_last_end(depth: int) -> None:
    partition = Partition(depth)
    intervals = partition.intervals
    assert len(intervals) == len(partition.names) == partition.queues == 2 * depth
    assert intervals[0][1] == 1
    assert intervals[-1][0] == Fraction(1, 2**depth)
    assert [low for low, _ in intervals[:-1]] == [high for _, high in intervals[1:]]
    assert partition.ruler[-1] == (0, intervals[-1][1])
    for (low, high), (low_half, high_half) in zip(intervals, intervals[2:], strict=False):
        assert (low / 2, high / 2) == (low_half, high_half)


def test_the_queues_of_an_array_keep_its_shape() -> None:
    assert Partition(2).queue_of(np.array([[1, 2], [3, 4]]), 4).tolist() == [[3, 2], [0, 0]]
    assert Partition(2).queue_of(np.zeros(0, np.int64), 4).tolist() == []


def test_the_reduced_configurations_in_the_printed_order() -> None:
    names = [configuration_name(k) for k in reduced_configurations(2)]
    assert names == ["e₀", "2e₂", "3e₃", "e₁+e₃"]
    names = [configuration_name(k) for k in reduced_configurations(3)]
    assert names == ["e₀", "2e₂", "4e₄", "3e₃", "6e₅", "e₁+e₄", "e₁+e₃", "e₁+2e₅"]
    assert configuration_name(reduced_configurations(6)[10]) == "48e₁₁"
    assert configuration_name((0, 0)) == "0"


@pytest.mark.parametrize("depth", DEPTHS)
def test_the_reduced_configurations_are_maximal_and_fit_when_rounded_up(depth: int) -> None:
    partition = Partition(depth)
    found = partition.reduced
    assert len(found) == len(set(found)) == 4 * depth - 4
    ends = [high for _, high in partition.intervals]
    for configuration in found:
        others = {j for j, count in enumerate(configuration) if count} - {1}
        assert len(others) == 1
        assert configuration[1] in (0, 1)
        used = sum(count * end for count, end in zip(configuration, ends, strict=True))
        assert used <= 1 < used + ends[others.pop()]


@given(st.fractions(Fraction(1, 2**19), 1))
def test_the_default_depth_is_the_least_that_serves_the_smallest_size(smallest: Fraction) -> None:
    depth = default_depth(smallest)
    assert smallest * 2**depth >= 1
    assert depth == 2 or smallest * 2 ** (depth - 1) < 1


@pytest.mark.parametrize(
    ("smallest", "depth"),
    [("2/5", 2), ("1/5", 3), ("1/100", 7), ("1/10", 4), ("1/4", 2), ("1/8", 3), ("1", 2), ("1/999999999", 20)],
)
def test_default_depths(smallest: str, depth: int) -> None:
    assert default_depth(Fraction(smallest)) == depth


@pytest.mark.parametrize("depth", [-1, 0, 1, 21])
def test_other_depths_are_refused_in_one_line(depth: int) -> None:
    for refused in (Partition, reduced_configurations):
        with pytest.raises(ScenarioError, match=f"J = {depth}, allowed: 2 to 20") as raised:
            refused(depth)
        assert ("no configuration serves" in raised.value.line) == (depth == 1)


@pytest.mark.parametrize("sizes", [[0], [-1, 3], [5], [1, 5]])
def test_sizes_out_of_range_are_refused(sizes: list[int]) -> None:
    for function in (Partition(2).queue_of, Partition(2).room_of):
        with pytest.raises(ValueError, match="allowed: 1 to 4"):
            function(np.array(sizes), 4)


def test_other_numbers_that_cannot_be_used() -> None:
    with pytest.raises(ValueError, match="a capacity of 10 units has no part of 1/2\\^3"):
        Partition(3).room_of(np.array([1]), 10)
    assert Partition(3).room_of(np.array([2, 9]), 10).tolist() == [2, 9]
    for size in (Fraction(0), Fraction(5, 4)):
        with pytest.raises(ValueError, match=r"must be in \(0, 1\]"):
            Partition(2).type_of(size)
        with pytest.raises(ValueError, match=r"must be in \(0, 1\]"):
            default_depth(size)
