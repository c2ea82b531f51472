"""The Weights panel: every <k, Q>, the largest, and the configurations that servers have."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QLabel, QScrollArea
from pytestqt.qtbot import QtBot

from slotscope.gui.intents import Select
from slotscope.gui.kinds.queue.weights import BEST, HEADING, OWN, ChartLine, WeightsChart, WeightsPanel
from slotscope.gui.kinds.queue.weights_columns import (
    NAME_HEADING,
    NO_WIDTHS,
    SERVERS_HEADING,
    Widths,
    best_name,
    chips,
    columns,
    servers_text,
    work_text,
)
from slotscope.gui.kinds.queue.weights_values import (
    MOST_ROWS,
    BestChoice,
    WeightBlock,
    WeightRow,
    best_choice,
    in_numbers,
    in_symbols,
    kept_rows,
    waiting_by_size,
    weight_blocks,
)
from slotscope.gui.theme import fonts, load_theme
from slotscope.model.api import Session
from slotscope.model.kinds.queue.facts import standing
from slotscope.model.kinds.queue.programs.partition import Partition
from slotscope.model.reporting.frame import Frame
from tests.gui.painted import colours, listed, svg_of, type_of
from tests.gui.windows import panel_fixture
from tests.runs import ran

STALLS = "vqs:stall=true,gamma=0.9"


@cache
def frame_at(name: str, policy: str, events: int) -> Frame:
    return ran(name, policy, events=events, kernel=True).frame()


@cache
def tie_frame() -> Frame:
    """A moment at which two configurations have the largest weight."""
    session = Session.open("queues-classroom", "vqs", kernel=False)
    while True:
        session.run(events=1)
        weights = session.frame().derived.weights
        if weights.max() > 0 and (weights == weights.max()).sum() > 1:
            return session.frame()


def with_queue(frame: Frame, lengths: list[int]) -> Frame:
    """The same moment with other queue lengths."""
    state = frame.state._replace(queue_length=np.array(lengths, np.int64))
    changed = replace(frame, state=state)
    assert (
        changed.derived.weights.tolist() == (frame.info.facts.configurations.astype(int) @ np.array(lengths)).tolist()
    )
    return changed


panel = panel_fixture(WeightsPanel, 700, 500)


def line_of(chart: WeightsChart, row: int, block: int = 0) -> ChartLine:
    return next(line for line in chart.lines if (line.block, line.row) == (block, row))


# -- rows ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "depth"), [("queues-vqs-unstable", 2), ("queues-bf-unstable", 3), ("queues-small-jobs", 7)]
)
def test_the_rows_are_those_of_7_in_order(name: str, depth: int) -> None:
    frame = frame_at(name, "vqs", 600)
    (block,) = weight_blocks(frame)
    queue = frame.state.queue_length.tolist()
    assert len(block.rows) == 4 * depth - 4
    assert block.hidden == 0
    for row, configuration in zip(block.rows, Partition(depth).reduced, strict=True):
        assert row.weight == sum(k * q for k, q in zip(configuration, queue, strict=True))
        assert sum(k * length for _, k, length in row.terms) == row.weight
        assert [k for _, k, _ in row.terms] == [k for k in configuration if k]
    assert sum(row.servers for row in block.rows) == frame.info.numbers.servers
    assert sum(row.share for row in block.rows) == pytest.approx(1)


def test_servers_stand_at_their_active_configuration() -> None:
    frame = frame_at("queues-classroom", "vqs-bf", 900)
    (block,) = weight_blocks(frame)
    found = {server: row.place for row in block.rows for server in row.named}
    assert found == dict(enumerate(frame.state.active.tolist()))
    weights = sorted(frame.derived.weights[frame.state.active].tolist())
    assert sorted(weight for weight, count in block.own for _ in range(count)) == weights


def test_the_largest_is_the_first_and_the_others_tie() -> None:
    (block,) = weight_blocks(tie_frame())
    top = max(row.weight for row in block.rows)
    first, *others = [row for row in block.rows if row.weight == top]
    assert first.largest and not first.tie
    assert all(row.tie and not row.largest for row in others) and others
    assert block.heaviest is first
    assert not any(row.tie or row.largest for row in block.rows if row.weight < top)


def test_an_empty_queue_has_no_ties() -> None:
    frame = frame_at("queues-classroom", "vqs", 40)
    (block,) = weight_blocks(with_queue(frame, [0] * 6))
    assert block.heaviest.name == "e₀"
    assert not any(row.tie for row in block.rows)
    assert block.on_largest == block.servers


def test_the_threshold_of_stalling_is_exact() -> None:
    frame = with_queue(frame_at("queues-classroom", STALLS, 300), [0, 10, 0, 0, 0, 3])
    (block,) = weight_blocks(frame)
    assert block.heaviest.name == "6e₅" and block.heaviest.weight == 18
    assert block.threshold == Fraction(9, 10) * 18
    weights = frame.derived.weights[frame.state.active]
    assert block.below == int((weights * 10 < 9 * 18).sum())
    assert block.stalled == int(frame.state.stalled.sum())
    plain = weight_blocks(frame_at("queues-classroom", "vqs", 300))[0]
    assert plain.threshold is None and plain.below == 0


def test_pools_have_a_block_each() -> None:
    frame = frame_at("queues-pools", "vqs", 400)
    blocks = weight_blocks(frame)
    numbers = frame.info.numbers
    assert [block.servers for block in blocks] == [pool.count for pool in numbers.pools]
    assert [block.heading for block in blocks] == ["2 servers of 4", "half: 4 servers of 2", "quarter: 8 servers of 1"]
    depth = len(frame.info.facts.intervals) // 2
    assert [len(block.rows) for block in blocks] == [4 * (depth - a) - 4 for a in range(3)]
    assert blocks[1].rows[0].terms[0][0] == "Q₂"
    assert [row.place for block in blocks for row in block.rows] == [*range(len(frame.info.facts.configurations))]
    everyone = [server for block in blocks for row in block.rows for server in row.named]
    assert sorted(everyone) == list(range(14))


def test_of_very_many_configurations_the_heaviest_and_those_in_use_are_kept() -> None:
    weights = np.arange(1000)[::-1] // 2
    servers = np.zeros(1000, np.int64)
    servers[[700, 900]] = 1
    kept = kept_rows(weights, servers)
    assert len(kept) == MOST_ROWS
    assert kept.tolist() == sorted(kept.tolist())
    assert {0, 700, 900} <= set(kept.tolist())
    assert set(range(MOST_ROWS - 2)) <= set(kept.tolist())
    crowded = kept_rows(weights, np.ones(1000, np.int64) * (weights < 400))
    assert 0 in crowded
    assert kept_rows(weights[:5], servers[:5]).tolist() == [0, 1, 2, 3, 4]


# -- MaxWeight's choice ----------------------------------------------------------------------


@given(
    sizes=st.lists(st.integers(1, 12), min_size=1, max_size=4, unique=True),
    queue=st.lists(st.integers(0, 9), min_size=4, max_size=4),
)
def test_the_choice_is_the_heaviest_of_all(sizes: list[int], queue: list[int]) -> None:
    values = [(size,) for size in sorted(sizes, reverse=True)]
    waiting = tuple(queue[: len(values)])
    found = best_choice(values, (12,), waiting)
    assert found is not None
    feasible = (
        k
        for k in product(*(range(12 // size + 1) for (size,) in values))
        if sum(n * size for n, (size,) in zip(k, values, strict=True)) <= 12
    )
    best = max(feasible, key=lambda k: (sum(n * q for n, q in zip(k, waiting, strict=True)), k))
    assert found.counts == best
    assert found.weight == sum(n * q for n, q in zip(best, waiting, strict=True))


def test_the_reduced_set_has_two_thirds_of_it() -> None:
    frame = frame_at("queues-bf-unstable", "vqs", 3_000)
    numbers, state = frame.info.numbers, frame.state
    (block,) = weight_blocks(frame)
    assert block.best is not None
    waits = (state.job_number >= 0) & (state.job_server < 0)
    assert sum(block.best.waiting) == int(waits.sum())
    assert block.best.waiting == waiting_by_size(state.job_size[waits], numbers.values)
    assert 3 * block.heaviest.weight >= 2 * block.best.weight > 0
    assert sum(k * q for _, k, q in block.best_terms) == block.best.weight


def test_where_it_makes_no_sense_there_is_no_choice() -> None:
    continuous = weight_blocks(frame_at("queues-small-jobs", "vqs", 600))
    own = weight_blocks(frame_at("queues-bf-unstable", "max-weight", 600))
    for block in (*continuous, *own):
        assert block.best is None and block.best_terms == () and best_name(block) == ""
    assert own[0].rows[0].name == "(2, 0)"
    assert [queue for queue, _, _ in own[0].rows[1].terms] == ["Q₁", "Q₂"]


def test_sizes_too_fine_for_a_search_give_none() -> None:
    assert best_choice([(3**40,), (2**40,)], (3**41,), (1, 1)) is None


# -- words and columns -----------------------------------------------------------------------


def row(**changes: object) -> WeightRow:
    plain = WeightRow(0, "e₁ + 2e₅", (("Q₁", 1, 3), ("Q₅", 2, 4000)), 8003, 2, 0.4)
    return replace(plain, **changes)  # type: ignore[arg-type]


def test_the_arithmetic_is_written() -> None:
    terms = row().terms
    assert in_symbols(terms) == "1·Q₁ + 2·Q₅"
    assert in_numbers(terms) == "1·3 + 2·4\u202f000"
    assert work_text(terms, True) == "1·Q₁ + 2·Q₅ = 1·3 + 2·4\u202f000 ="
    assert work_text(terms, False) == "1·3 + 2·4\u202f000 ="
    assert in_symbols(()) == in_numbers(()) == "0"
    assert servers_text(row(named=(0, 4))) == "1  5"
    assert servers_text(row(servers=2000)) == "2\u202f000"


def test_the_arithmetic_gives_way_to_bars() -> None:
    need = Widths(name=80, said=200, work=90, value=40, servers=50)
    wide, middle, narrow = (columns(need, width) for width in (700, 460, 300))
    assert columns(need, 220).servers[1] == 0 < narrow.servers[1]
    assert (wide.symbols, middle.symbols) == (True, False)
    assert wide.work[1] == 200 and middle.work[1] == 90 and narrow.work[1] == 0
    for width, places in ((700, wide), (460, middle), (300, narrow)):
        shown = [places.name, places.work, places.value, places.bar, places.servers]
        ends = [(left, left + wide_) for left, wide_ in shown if wide_]
        assert all(a[1] <= b[0] for a, b in pairwise(ends))
        assert ends[-1][1] <= width
    assert NO_WIDTHS.at_least(need) == need


def test_names_are_whole_where_the_bars_leave_room() -> None:
    need = Widths(name=190, said=300, work=200, value=60, servers=85)
    beside_three = columns(need, 450)
    assert beside_three.name[1] == 190 and beside_three.servers[1] == 85 and beside_three.bar[1] >= 30
    assert columns(need, 380).name[1] == 190 and columns(need, 380).servers[1] == 0


def test_a_long_name_of_the_best_takes_no_room_from_bars_and_servers(qtbot: QtBot, panel: WeightsPanel) -> None:
    """As in lecture mode beside three policies."""
    with type_of(lecture=True):
        panel.set_theme(load_theme("light"))
        panel.resize(450, 560)
        panel.set_frame(frame_at("queues-classroom", "vqs", 60))
        (block,) = panel.chart.blocks
        places, measure = panel.chart.columns(), QFontMetricsF(fonts(lecture=True).body).horizontalAdvance
        assert places.split and measure(best_name(block)) <= panel.chart.width() - 20
        assert places.bar[1] >= 70 and places.servers[1] >= measure(SERVERS_HEADING)
        assert places.name[1] >= measure(NAME_HEADING)
        best, row = (next(line for line in panel.chart.lines if line.row == kind) for kind in (BEST, 0))
        assert best.height == 2 * row.height
        panel.resize(900, 560)
        assert not panel.chart.columns().split
        assert next(line for line in panel.chart.lines if line.row == BEST).height == row.height


def test_servers_are_counted_where_their_numbers_do_not_fit() -> None:
    def measure(text: str) -> float:
        return 8.0 * len(text)

    many = row(named=tuple(range(9)), servers=9)
    assert chips(many, QRectF(0, 0, 40, 20), measure) == []
    places = chips(many, QRectF(10, 0, 400, 20), measure)
    assert [server for server, _ in places] == list(range(9))
    assert all(a.right() <= b.left() for (_, a), (_, b) in pairwise(places))


# -- the panel -------------------------------------------------------------------------------


def test_the_few_numbers_are_those_of_the_run(panel: WeightsPanel) -> None:
    frame = frame_at("queues-bf-unstable", "vqs", 3_000)
    panel.set_frame(frame)
    (block,) = panel.chart.blocks
    assert block.best is not None
    share = block.heaviest.weight / block.best.weight
    shown = panel.tiles.shown()
    assert shown[:2] == [str(block.heaviest.weight), block.heaviest.name]
    assert shown[2] == f"{share:.3f}"
    assert shown[3] == str(block.heaviest.servers)


def test_only_servers_on_the_named_configuration_count_as_on_it(panel: WeightsPanel) -> None:
    frame = with_queue(frame_at("queues-classroom", "vqs", 40), [0] * 6)  # all weights are equal
    panel.set_frame(frame)
    (block,) = panel.chart.blocks
    assert block.heaviest.servers < block.on_largest
    assert panel.tiles.shown()[-1] == str(block.heaviest.servers)


def test_stalled_servers_are_counted(panel: WeightsPanel) -> None:
    panel.resize(900, 500)
    frame = frame_at("queues-classroom", STALLS, 300)
    panel.set_frame(frame)
    assert panel.tiles.shown()[-1] == str(int(frame.state.stalled.sum())) != "0"
    theme = load_theme("light")
    assert {theme.reject_group, theme.optimum, theme.run} <= colours(panel.chart)
    panel.set_frame(frame_at("queues-classroom", "vqs", 300))
    assert theme.reject_group not in colours(panel.chart)


def test_a_policy_without_configurations_is_told_so(panel: WeightsPanel) -> None:
    panel.set_frame(frame_at("queues-classroom", "bf-js", 30))
    words = " ".join(label.text() for label in panel.findChildren(QLabel) if label.isVisible())
    assert "Weights does not apply to BF-J/S" in words


def test_hovering_says_the_sum(panel: WeightsPanel) -> None:
    frame = with_queue(frame_at("queues-classroom", STALLS, 300), [0, 3, 0, 0, 0, 4])
    panel.set_frame(frame)
    chart = panel.chart
    last = line_of(chart, 7)
    said = chart.tip_at(QPointF(0, last.top + 2))
    assert "e₁ + 2e₅: ⟨k, Q⟩ = 1·Q₁ + 2·Q₅ = 1·3 + 2·4 = 11" in said
    assert "of 3 servers" in said
    assert "6·4 = 24, the largest" in chart.tip_at(QPointF(0, line_of(chart, 4).top + 2))
    assert "below 0.9 × the largest" in chart.tip_at(QPointF(0, line_of(chart, OWN).top + 2))
    assert "MaxWeight would choose" in chart.tip_at(QPointF(0, line_of(chart, BEST).top + 2))
    assert "(8)" in chart.tip_at(QPointF(0, line_of(chart, HEADING).top + 2))
    assert chart.tip_at(QPointF(0, 10_000)) == ""


def test_a_click_on_a_server_selects_it(qtbot: QtBot, panel: WeightsPanel) -> None:
    frame = frame_at("queues-classroom", "vqs-bf", 900)
    panel.set_frame(frame)
    qtbot.wait(20)
    chart = panel.chart
    server = 1
    place = int(frame.state.active[server])
    line = line_of(chart, place)
    left, width = chart.columns().servers
    spots = [QPointF(left + x, line.top + line.height / 2) for x in range(int(width))]
    found = [spot for spot in spots if chart.server_at(spot) == server]
    with qtbot.waitSignal(panel.intent) as caught:
        qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=found[len(found) // 2].toPoint())
    assert caught.args == [Select(server=server)]
    assert chart.server_at(QPointF(2, line.top + 2)) is None
    before = colours(chart)
    panel.set_selection(Select(server=server))
    assert load_theme("light").selection in colours(chart) - before


def test_columns_do_not_breathe(panel: WeightsPanel) -> None:
    frame = frame_at("queues-classroom", "vqs", 300)
    panel.set_frame(with_queue(frame, [9000] * 6))
    wide = panel.chart.columns()
    panel.set_frame(with_queue(frame, [1] * 6))
    assert panel.chart.columns() == wide
    panel.set_frame(frame_at("queues-bf-unstable", "vqs", 3_000))
    assert panel.chart.columns() != wide


def test_it_scrolls_for_many_rows(qtbot: QtBot, panel: WeightsPanel) -> None:
    frame = frame_at("queues-small-jobs", "vqs:j=20", 200)
    panel.set_frame(frame)
    assert len(panel.chart.blocks[0].rows) == 76
    assert panel.chart.height() > panel.height()
    (area,) = panel.body.findChildren(QScrollArea)
    bar = area.verticalScrollBar()
    hidden = panel.chart.height() - area.viewport().height()
    qtbot.waitUntil(lambda: bar.maximum() >= hidden)
    bar.setValue(bar.maximum())
    end = panel.chart.mapTo(panel, panel.chart.rect().bottomLeft()).y()
    assert end <= panel.height()


def test_the_series_are_the_rows(panel: WeightsPanel) -> None:
    assert panel.series() is None
    frame = frame_at("queues-pools", "vqs", 400)
    panel.set_frame(frame)
    table = listed(panel)
    assert [row["weight"] for row in table] == frame.derived.weights.tolist()
    assert sum(row["servers"] for row in table) == 14
    assert {row["pool"] for row in table} == {1, 2, 3}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("lecture", [False, True])
@pytest.mark.parametrize("width", [280, 480, 900])
def test_it_is_drawn_at_any_size(qtbot: QtBot, panel: WeightsPanel, theme: str, lecture: bool, width: int) -> None:
    with type_of(lecture):
        panel.set_theme(load_theme(theme))
        panel.resize(width, 500)
        for frame in (frame_at("queues-classroom", STALLS, 300), tie_frame(), frame_at("queues-pools", "vqs", 400)):
            panel.set_frame(frame)
            assert load_theme(theme).run in colours(panel.chart)
            places = panel.chart.columns()
            assert places.bar[1] >= 30
            assert sum(places.servers) <= panel.chart.width()


def test_the_picture_saves_as_vectors(panel: WeightsPanel, tmp_path: Path) -> None:
    panel.set_frame(frame_at("queues-classroom", "vqs", 300))
    assert "6e₅" in svg_of(panel, tmp_path)


def test_weights_follow_from_the_state_shown() -> None:
    frame = frame_at("queues-classroom", "vqs", 300)
    derived = standing(frame.state, frame.info.numbers, frame.info.facts)
    (block,) = weight_blocks(frame)
    assert [row.weight for row in block.rows] == derived.weights.tolist()
    assert isinstance(block, WeightBlock)
    assert isinstance(block.best, BestChoice)
