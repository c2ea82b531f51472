"""Pyramids compared with brute force, ranges that grow in steps, and labels that do not overlap."""

from __future__ import annotations

import os
import sys
from itertools import pairwise
from typing import Any

if sys.platform == "linux" and not os.environ.get("DISPLAY"):
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from slotscope.gui.plotting.pyramid import Pyramid
from slotscope.gui.plotting.scales import SteppedRange, format_number, spread, step_up

VALUES = st.one_of(st.integers(-50, 50).map(float), st.just(float("nan")))
ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.lists(VALUES, max_size=120)),
        st.tuples(st.just("truncate"), st.integers(0, 300)),
        st.tuples(st.just("truncate_after"), st.integers(-1, 300)),
        st.tuples(st.just("replace"), st.lists(VALUES, max_size=120)),
        st.tuples(st.just("look"), st.none()),
    ),
    max_size=12,
)
FALLING = [float(-k) for k in range(100)]

# -- pyramids --------------------------------------------------------------------------------


#: Number of points from which on extremes are found by blocks.
FEW = st.sampled_from([0, Pyramid.few])


def played(actions: list[tuple[str, Any]], few: int) -> tuple[Pyramid, list[float]]:
    """Apply *actions* to a pyramid; return it and its y values as a plain list; x counts from 0."""
    pyramid = Pyramid()
    pyramid.few = few
    values: list[float] = []
    for kind, argument in actions:
        if kind == "append":
            x = np.arange(len(values), len(values) + len(argument))
            pyramid.append(x, argument)
            values += argument
        elif kind == "replace":
            pyramid.replace(np.arange(len(argument)), argument)
            values = list(argument)
        elif kind == "look":
            pyramid.extremes()  # builds the data that it keeps for extremes
        else:
            getattr(pyramid, kind)(argument)
            del values[argument if kind == "truncate" else argument + 1 :]
    return pyramid, values


#: Removes points for which no block has been computed, beside points for which blocks have been.
UNSEEN = [("append", FALLING[:32]), ("look", None), ("append", [60.0] * 60), ("truncate", 80), ("append", FALLING)]


@given(ACTIONS, FEW)
@example(UNSEEN, 0)
def test_a_pyramid_keeps_all_points(actions: list[tuple[str, object]], few: int) -> None:
    pyramid, values = played(actions, few)
    np.testing.assert_array_equal(pyramid.y, values)
    np.testing.assert_array_equal(pyramid.x, np.arange(len(values)))
    finite = [value for value in values if np.isfinite(value)]
    assert pyramid.extremes() == ((min(finite), max(finite)) if finite else None)


@given(ACTIONS, FEW, st.integers(-20, 300), st.integers(0, 300), st.integers(1, 40))
@example(UNSEEN, 0, 0, 180, 4)
@example([("append", FALLING)], 0, 0, 99, 10)  # the minimum is the last point of an incomplete block
def test_an_envelope_equals_brute_force(
    actions: list[tuple[str, object]], few: int, first: int, width: int, pixels: int
) -> None:
    pyramid, values = played(actions, few)
    envelope = pyramid.envelope(first, first + width, pixels)
    assert len(envelope.x) <= pixels + 3
    starts = envelope.x.astype(int).tolist()
    inside = [k for k in range(len(values)) if first <= k <= first + width]
    if inside:
        assert starts[0] <= inside[0]
    if not starts:
        assert not inside
        return
    stop = min(len(values), max(first + width, 0) + 1)
    for start, end, low, high in zip(starts, [*starts[1:], stop], envelope.low, envelope.high, strict=True):
        block = [value for value in values[start:end] if np.isfinite(value)]
        if envelope.exact:
            block = [values[start]] if np.isfinite(values[start]) else []
        if not block:
            assert np.isnan(low)
        else:
            assert (low, high) == (min(block), max(block))


def test_blocks_start_at_multiples_of_their_size() -> None:
    pyramid = Pyramid()
    pyramid.append(np.arange(1000), np.zeros(1000))
    before = pyramid.envelope(137, 837, 50).x
    pyramid.append([1000], [0])
    np.testing.assert_array_equal(pyramid.envelope(137, 837, 50).x, before)
    assert {float(x) % 16 for x in before} == {0.0}


def test_points_one_by_one_are_like_points_at_once() -> None:
    values = np.random.default_rng(5).normal(size=700)
    single, together = Pyramid(), Pyramid()
    for x, y in enumerate(values):
        single.append(x, y)
    together.append(np.arange(700), values)
    for pixels in (3, 10, 60, 400):
        one, other = (p.envelope(100, 650, pixels) for p in (single, together))
        for mine, its in zip(one, other, strict=True):
            np.testing.assert_array_equal(mine, its)


def test_a_pyramid_takes_little_more_memory_than_its_points() -> None:
    pyramid = Pyramid()
    for start in range(0, 2**17, 2**13):
        pyramid.append(np.arange(start, start + 2**13), np.zeros(2**13))
    assert not pyramid._low, "what nobody draws has points alone"
    pyramid.extremes()
    extra = sum(level.size for level in pyramid._low + pyramid._high)
    assert extra < 2 * len(pyramid) / 4


@pytest.mark.parametrize(("x", "y"), [([3, 2], [0, 0]), ([0], [0]), ([4, 5], [0])])
def test_points_out_of_order_are_refused(x: list[float], y: list[float]) -> None:
    pyramid = Pyramid()
    pyramid.append([0, 1], [5, 6])
    with pytest.raises(ValueError, match="x"):
        pyramid.append(x, y)
    assert pyramid.y.tolist() == [5, 6]


def test_the_value_at_a_time() -> None:
    pyramid = Pyramid()
    pyramid.append([1, 3], [10, 30])
    assert [pyramid.at(x) for x in (0, 1, 2.9, 3, 9)] == [None, 10, 10, 30, 30]


# -- scales ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "resolution", "text"),
    [
        (1234567.891, 0.1, "1\u202f234\u202f567.9"),
        (-1500, 100, "\u22121\u202f500"),
        (0.30000000000000004, 0.1, "0.3"),
        (-0.0001, 0.5, "0.0"),
        (7, 1, "7"),
        (2.5e13, 1e12, "2.5e+13"),
        (float("nan"), 1, "\u2013"),
    ],
)
def test_numbers_as_text(value: float, resolution: float, text: str) -> None:
    assert format_number(value, resolution) == text


@given(st.floats(1e-6, 1e9))
def test_steps_are_1_2_5(value: float) -> None:
    step = step_up(value)
    assert value <= step * (1 + 1e-9)
    assert step < value * 2.5 * (1 + 1e-9)
    assert f"{step:.6e}"[0] in "125"
    assert set(f"{step:.6e}"[1:8]) <= {".", "0"}


@given(st.lists(st.floats(-1e4, 1e4), min_size=1, max_size=30), st.booleans())
def test_a_stepped_range_holds_everything(values: list[float], from_zero: bool) -> None:
    stepped = SteppedRange(0.0, 1.0, from_zero=from_zero)
    for value in values:
        before = stepped.low, stepped.high
        changed = stepped.include(value, value)
        assert changed == (before != (stepped.low, stepped.high))
        slack = 1e-6 * (stepped.high - stepped.low)
        assert stepped.low - slack <= value <= stepped.high + slack
    stepped.reset()
    assert (stepped.low, stepped.high) == (0.0, 1.0)


def test_a_growing_range_changes_rarely() -> None:
    stepped = SteppedRange()
    changes = sum(stepped.include(0, t) for t in np.arange(1, 10_000, 0.5))
    assert changes <= 4 * 9 + 1


def test_a_moment_has_a_range_of_its_own_once_nothing_rushes_past() -> None:
    stepped, alone = SteppedRange(), SteppedRange()
    alone.include(0, 7)
    assert stepped.follow(0, 900, True) and not stepped.follow(0, 7, True)
    assert stepped.follow(0, 7, False) and (stepped.low, stepped.high) == (alone.low, alone.high)
    assert not stepped.follow(0, 7, False)


def test_a_range_fits_what_is_far_from_zero() -> None:
    stepped = SteppedRange(0, 0, from_zero=False)
    stepped.fit(1003, 1047)
    assert (stepped.low, stepped.high) == (1000, 1050)
    stepped.fit(5, 5)
    assert stepped.low < 5 < stepped.high


@given(st.lists(st.floats(-50, 450), max_size=20), st.floats(5, 20))
def test_labels_never_overlap(targets: list[float], size: float) -> None:
    centres = spread(targets, size, 0, 400)
    ranked = sorted(centres)
    assert all(b - a >= size - 1e-6 for a, b in pairwise(ranked))
    assert all(size / 2 - 1e-6 <= centre <= 400 - size / 2 + 1e-6 for centre in centres)
    order = sorted(range(len(targets)), key=lambda place: targets[place])
    assert [centres[place] for place in order] == ranked


@given(st.lists(st.integers(1, 18), max_size=18, unique=True))
def test_labels_with_room_stay_where_they_are(places: list[int]) -> None:
    targets = [20.0 * place for place in places]
    assert spread(targets, 20, 0, 400) == pytest.approx(targets)
