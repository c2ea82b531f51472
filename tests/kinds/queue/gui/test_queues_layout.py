"""The places of lanes, jobs and bars in the Queues panel."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF

from slotscope.gui.kinds.queue.queues_layout import (
    GATE_CELLS,
    MOST_CELLS,
    LanesLayout,
    LaneText,
    length_share,
    length_ticks,
)

LINE = 16.0


@st.composite
def layouts(draw: st.DrawFn) -> LanesLayout:
    text = LaneText(
        LINE, draw(st.floats(0, 60)), draw(st.floats(0, 90)), 45.0, 110.0, 70.0, draw(st.sampled_from([1.0, 1.5]))
    )
    return LanesLayout(draw(st.integers(330, 2600)), draw(st.integers(40, 1400)), draw(st.integers(1, 40)), text)


@given(layouts(), st.integers(0, 200_000), st.floats(0.001, 1.0))
def test_jobs_stand_in_their_lane_side_by_side(layout: LanesLayout, length: int, share: float) -> None:
    shown = layout.shown(length)
    assert 0 <= shown <= min(length, MOST_CELLS)
    assert shown == length or shown >= 1
    boxes = [layout.job(0, place, share) for place in range(shown)]
    lane = layout.lane(0)
    for box in boxes:
        assert lane.top() <= box.top() < box.bottom() <= lane.bottom()
    for box, behind in pairwise(boxes):
        assert box.right() < behind.left()
    if boxes and shown == length:
        assert boxes[-1].right() <= lane.right() + 1e-9
    if boxes:
        assert boxes[0].left() > layout.placed(0, 0, share).right() > layout.gate_left


@given(layouts(), st.integers(0, 39), st.integers(0, 71))
def test_the_job_under_the_mouse_is_the_one_drawn_there(layout: LanesLayout, lane: int, place: int) -> None:
    lane = min(lane, layout.lanes - 1)
    shown = [layout.shown(1000)] * layout.lanes
    place = min(place, shown[lane] - 1)
    centre = layout.job(lane, place, 0.4).center()
    assert layout.job_at(centre, shown) == (lane, place)
    assert layout.job_at(QPointF(layout.gate_left - 1, centre.y()), shown) is None


@given(layouts())
def test_lanes_do_not_overlap(layout: LanesLayout) -> None:
    boxes = [layout.lane(lane) for lane in range(layout.lanes)]
    assert boxes[0].top() >= layout.header
    for box, below in pairwise(boxes):
        assert box.bottom() < below.top()
    assert boxes[-1].bottom() <= layout.full_height
    assert layout.lanes_in(0, layout.full_height) == range(layout.lanes)


@given(layouts())
def test_words_at_a_break_have_room(layout: LanesLayout) -> None:
    if layout.jobs_right - layout.jobs_left < 200 * layout.text.scale:
        return
    gap = layout.gap(0, layout.shown(10**6))
    words = layout.text.more if layout.has_bars else layout.text.brief
    assert gap.left() + layout.words_after(True) + words <= layout.jobs_right + 1e-6


@given(st.integers(0, 10**7), st.integers(0, 10**7), st.booleans())
def test_longer_queues_have_longer_bars(first: int, second: int, logarithmic: bool) -> None:
    most = max(first, second, 1)
    shares = [length_share(length, most, logarithmic) for length in sorted((first, second))]
    assert 0 <= shares[0] <= shares[1] <= 1 + 1e-12
    assert (shares[0] < shares[1]) == (first != second)
    assert length_share(most, most, logarithmic) == pytest.approx(1)


def test_lengths_are_marked_at_round_numbers() -> None:
    assert length_ticks(500, False) == [0, 250, 500]
    assert length_ticks(25, False) == [0, 25]
    assert length_ticks(2000, True) == [0, 1, 10, 100, 1000]
    assert length_ticks(2e6, True)[-1] == 1e6


def test_more_jobs_at_the_gate_than_it_holds_are_counted() -> None:
    assert LanesLayout.gate_cells(GATE_CELLS) == GATE_CELLS
    assert LanesLayout.gate_cells(GATE_CELLS + 5) == GATE_CELLS - 1
