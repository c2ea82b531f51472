"""The ruler of sizes: probabilities are the size law's, intervals the partition's; tips state the reasons."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QHelpEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from slotscope.gui.kinds.queue.colours import look_color
from slotscope.gui.kinds.queue.queues import QueuesPanel
from slotscope.gui.kinds.queue.queues_layout import (
    GATE_CELLS,
    MOST_CELLS,
    LanesLayout,
    LaneText,
    SizeAxis,
    SizeScale,
    bins,
    ends,
    length_share,
    length_ticks,
    sizes_of,
    spaced,
)
from slotscope.gui.kinds.queue.wording import fraction_words, interval_words, percent, reason_words
from slotscope.gui.theme import load_theme
from slotscope.model.api import Session
from slotscope.model.kinds.queue.programs.partition import Partition
from slotscope.model.reporting.frame import RunInfo
from tests.gui.painted import colours
from tests.gui.windows import panel_fixture
from tests.runs import ran

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


SCENARIOS = (
    ("queues-small-jobs", "vqs"),
    ("queues-wide-jobs", "bf-js"),
    ("queues-classroom", "vqs-bf"),
    ("queues-bf-unstable", "max-weight"),
    ("queues-pools", "vqs-bf"),
    ("queues-two-resources", "bf-js"),
)


def info(name: str, policy: str) -> RunInfo:
    return Session.open(name, policy, kernel=False).info


@pytest.fixture(scope="module", params=SCENARIOS, ids=[name for name, _ in SCENARIOS])
def run(request: pytest.FixtureRequest) -> RunInfo:
    return info(*request.param)


panel = panel_fixture(QueuesPanel, 900, 460)


def shown(panel: QueuesPanel, name: str, policy: str) -> QueuesPanel:
    session = ran(name, policy, events=30)
    panel.set_frame(session.frame(running=True))
    QApplication.processEvents()
    return panel


# -- the axis ------------------------------------------------------------------------------------


@given(st.floats(1e-6, 1), st.booleans(), st.integers(1, 20))
def test_places_and_sizes_are_each_others_inverse(share: float, logarithmic: bool, depth: int) -> None:
    scale = SizeScale(10.0, 910.0, logarithmic, Fraction(1, 2**depth))
    kept = max(share, scale.low)
    assert scale.share(scale.x(share)) == pytest.approx(kept, rel=1e-9)
    assert 10.0 - 1e-9 <= scale.x(share) <= 910.0 + 1e-9
    assert scale.x(1) == pytest.approx(910.0)


@given(st.floats(0, 900), st.booleans())
def test_a_pointed_size_is_round_and_near(x: float, logarithmic: bool) -> None:
    scale = SizeScale(0.0, 900.0, logarithmic, Fraction(1, 64))
    told = scale.told(x)
    assert 0 < told <= 1
    assert abs(scale.x(told) - x) <= 10.0 if float(told) > scale.low else x < 20
    assert len(str(float(told))) <= 7


@pytest.mark.parametrize("logarithmic", [False, True])
def test_the_histogram_has_all_of_the_law(run: RunInfo, logarithmic: bool) -> None:
    sizes = sizes_of(run.numbers, run.facts)
    scale = SizeScale(10.0, 890.0, logarithmic, sizes.least)
    edges, shares = bins(run.numbers, sizes, scale, 97)
    assert len(edges) == len(shares) + 1
    assert all(low < high for low, high in pairwise(edges))
    assert sum(shares) == pytest.approx(1, abs=1e-9)
    assert min(shares) >= 0


def test_a_uniform_law_is_level_on_a_linear_axis() -> None:
    run = info("queues-wide-jobs", "bf-js")
    sizes = sizes_of(run.numbers, run.facts)
    edges, shares = bins(run.numbers, sizes, SizeScale(0, 100, False, sizes.least), 100)
    inside = [share for edge, share in zip(edges, shares, strict=False) if 10 <= edge < 90]
    assert inside == pytest.approx([1 / 80] * 80, rel=1e-6)
    assert sum(inside) == pytest.approx(1)


def test_a_discrete_law_has_a_stem_for_each_size() -> None:
    run = info("queues-bf-unstable", "vqs")
    sizes = sizes_of(run.numbers, run.facts)
    assert [(stem.share, stem.look) for stem in sizes.stems] == [(Fraction(1, 2), 2), (Fraction(1, 5), 4)]
    assert [stem.probability for stem in sizes.stems] == pytest.approx([1 / 3, 2 / 3])


def test_without_a_partition_capacities_are_marked() -> None:
    run = info("queues-pools", "bf-js")
    sizes = sizes_of(run.numbers, run.facts)
    assert sizes.intervals == ()
    assert sizes.capacities == (1, Fraction(1, 2), Fraction(1, 4))
    assert sizes.queue_of(Fraction(1, 3)) is None


def test_several_resources_show_the_one_that_is_needed_most() -> None:
    run = info("queues-two-resources", "bf-js")
    sizes = sizes_of(run.numbers, run.facts)
    law = run.numbers.sizes
    other = 1 - sizes.resource
    assert law.mean(sizes.resource) >= law.mean(other)


# -- the partition -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def partitioned() -> SizeAxis:
    run = info("queues-small-jobs", "vqs")
    return sizes_of(run.numbers, run.facts)


@given(share=st.fractions(Fraction(1, 10**6), 1))
def test_a_size_goes_where_the_partition_says_and_the_reason_is_true(share: Fraction) -> None:
    partition = Partition(3)
    sizes = SizeAxis(6, (), (), partition.ruler, (0.0,) * 6, (), Fraction(1, 8), (Fraction(1),), Fraction(1, 8), 0)
    queue = sizes.queue_of(share)
    assert queue == partition.type_of(share)
    reason = reason_words(share, sizes.intervals[queue], sizes.rounded).split(", ")[0]
    *lower, last = reason.split(" ≤ ")
    low, _, told = lower[0].rpartition(" < ")
    assert Fraction(low or 0) < Fraction(told) <= Fraction(last)
    if share >= Fraction(1, 8):
        assert (Fraction(low or 0), Fraction(last)) == sizes.intervals[queue]


@pytest.mark.parametrize(
    ("size", "queue", "reason"),
    [
        ("1", 0, "2/3 < 1 ≤ 1"),
        ("2/3", 1, "1/2 < 2/3 ≤ 2/3"),
        ("1/2", 2, "1/3 < 0.5 ≤ 1/2"),
        ("0.34", 2, "1/3 < 0.34 ≤ 1/2"),
        ("0.33334", 2, "1/3 < 0.33334 ≤ 1/2"),
        ("1/3", 3, "1/4 < 1/3 ≤ 1/3"),
        ("0.004", 13, "0.004 ≤ 1/128, and takes 1/128"),
    ],
)
def test_right_ends_belong_to_intervals(partitioned: SizeAxis, size: str, queue: int, reason: str) -> None:
    share = Fraction(size)
    assert partitioned.queue_of(share) == queue
    assert reason_words(share, partitioned.intervals[queue], partitioned.rounded) == reason


def test_shares_of_intervals_are_the_laws(partitioned: SizeAxis) -> None:
    assert partitioned.shares[:4] == (0, 0, 0, 0)
    width = 0.19 - 0.01
    assert partitioned.shares[4] == pytest.approx((0.19 - 1 / 6) / width, rel=1e-6)
    assert partitioned.shares[6] == pytest.approx((1 / 8 - 1 / 12) / width, rel=1e-6)
    assert sum(partitioned.shares) == pytest.approx(1)
    assert partitioned.rounded == Fraction(1, 128)


def test_ends_are_exact_fractions(partitioned: SizeAxis) -> None:
    texts = [fraction_words(end) for end in ends(partitioned)]
    assert texts[:6] == ["1", "2/3", "1/2", "1/3", "1/4", "1/6"]
    assert texts[-1] == "1/128"
    assert interval_words((Fraction(1, 2), Fraction(2, 3))) == "(1/2, 2/3]"
    assert (percent(0.196), percent(0.0004), percent(0.5)) == ("20\u202f%", "<\u202f0.1\u202f%", "50\u202f%")


@given(st.lists(st.tuples(st.floats(0, 500), st.floats(5, 60)), min_size=1, max_size=20))
def test_labels_keep_clear_of_each_other(labels: list[tuple[float, float]]) -> None:
    places, widths = [place for place, _ in labels], [width for _, width in labels]
    kept = spaced(places, widths, 0, 500, 4.0)
    assert kept[0][0] == 0
    spans = [(left, left + widths[number]) for number, left in kept]
    assert all(left >= 0 and right <= 500 + 1e-9 for left, right in spans)
    for (left, right), (start, end) in combinations(spans, 2):
        assert right + 4.0 <= start + 1e-9 or end + 4.0 <= left + 1e-9


# -- the widget ----------------------------------------------------------------------------------


def move(panel: QueuesPanel, place: QPointF) -> None:
    ruler = panel.ruler
    event = QMouseEvent(
        QEvent.Type.MouseMove,
        place,
        QPointF(ruler.mapToGlobal(place.toPoint())),
        Qt.MouseButton.NoButton,
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(ruler, event)


def test_pointing_at_the_ruler_says_where_a_size_goes(panel: QueuesPanel) -> None:
    shown(panel, "queues-vqs-unstable", "vqs")
    ruler = panel.ruler
    assert ruler.marker is None
    move(panel, QPointF(ruler.scale.x(0.34), ruler.floor() - 5))
    assert ruler.marker is not None
    assert ruler.marker.words[0] == "size 0.34 would wait in VQ₂, for 1/3 < 0.34 ≤ 1/2"
    assert load_theme("light").focus in colours(panel.ruler)
    place = QPoint(round(ruler.scale.x(0.34)), round(ruler.floor()))
    QApplication.sendEvent(ruler, QHelpEvent(QEvent.Type.ToolTip, place, ruler.mapToGlobal(place)))
    assert "50\u202f% of the jobs arrive in I₂ = (1/3, 1/2]" in QToolTip.text()
    QToolTip.hideText()
    QApplication.sendEvent(ruler, QEvent(QEvent.Type.Leave))
    assert ruler.marker is None


def test_intervals_have_their_queues_looks(panel: QueuesPanel) -> None:
    shown(panel, "queues-small-jobs", "vqs")
    theme = load_theme("light")
    assert panel.ruler.switch.isChecked()  # fourteen intervals that shrink geometrically
    seen = colours(panel.ruler)
    assert {look_color(theme, queue) for queue in range(14)} <= seen


def test_a_linear_axis_for_few_intervals_and_a_switch(panel: QueuesPanel) -> None:
    shown(panel, "queues-vqs-unstable", "vqs")
    assert not panel.ruler.scale.logarithmic
    middle = panel.ruler.scale.x(Fraction(1, 2))
    panel.ruler.switch.click()
    assert panel.ruler.scale.logarithmic
    assert panel.ruler.scale.x(Fraction(1, 2)) > middle


def test_another_marker_draws_no_sizes_again(panel: QueuesPanel) -> None:
    shown(panel, "queues-wide-jobs", "bf-js")
    ruler = panel.ruler
    with mock.patch.object(ruler, "_paint_sizes", wraps=ruler._paint_sizes) as drawn:
        ruler._kept.forget()
        for share in (0.3, 0.6, 0.9):
            move(panel, QPointF(ruler.scale.x(share), ruler.floor() - 5))
            assert load_theme("light").focus in colours(ruler)
    assert drawn.call_count == 1


def test_a_narrower_ruler_has_fewer_bars(qtbot: QtBot, panel: QueuesPanel) -> None:
    shown(panel, "queues-wide-jobs", "bf-js")
    many = len(panel.ruler.bars[1])
    panel.resize(500, 460)
    qtbot.waitUntil(lambda: 8 <= len(panel.ruler.bars[1]) < 0.7 * many)
