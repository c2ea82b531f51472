"""The panel of allocations: its columns and numbers equal the state's, its marks the event's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from slotscope.gui.intents import Select
from slotscope.gui.kinds.moldable.allocations import _FADING, AllocationsPanel
from slotscope.gui.kinds.moldable.allocations_layout import ORDER, WidthSpan
from slotscope.gui.kinds.moldable.allocations_marks import FLASH, EventMark
from slotscope.gui.kinds.moldable.allocations_values import (
    class_rows,
    column_words,
    columns_of,
    legend,
    percent_text,
    servers_text,
    tiles,
)
from slotscope.gui.kinds.moldable.colours import width_color
from slotscope.gui.painting.colour import argb
from slotscope.gui.plotting.scales import SteppedRange
from slotscope.gui.running.pace import LONGEST_SECONDS
from slotscope.gui.theme import load_theme
from slotscope.model.api import Session
from slotscope.model.kinds.moldable.rows import FLAG_ADMITTED, FLAG_BLOCKED, FLAG_DEPARTED, FLAG_PARTIAL
from slotscope.model.kinds.moldable.state import BUSY, JOBS
from slotscope.model.reporting.frame import Frame
from tests.gui.painted import colours, listed, pixels, svg_of, type_of, wheel
from tests.gui.windows import panel_fixture
from tests.runs import ran

LIGHT = load_theme("light")
SIZE = (640, 420)

WIDE = """
title = "Wide"
system = "moldable"
seed = 1
[policy]
name = "{policy}"
[run]
until = 200
[servers]
count = 2000
[[classes]]
speedup = {{ law = "power", exponent = 0.8, degree = {degree} }}
size = {{ distribution = "exponential", mean = 1 }}
[workload]
kind = "poisson"
load = {load}
"""


def after(flag: int, but: int = 0) -> Session:
    """The classroom just after an event with this flag and without the other."""
    session = ran("moldable-classroom", events=300)
    for _ in range(3000):
        flags = int(session.frame().rows["flags"][-1])
        if flags & flag and not flags & but:
            return session
        session.run(events=1)
    raise AssertionError("no such event")


def wide(folder: Path, degree: int, load: float, policy: str = "greedy-p") -> Frame:
    path = folder / f"wide-{degree}-{load}.toml"
    path.write_text(WIDE.format(policy=policy, degree=degree, load=load), encoding="utf-8")
    return ran(str(path), events=1500, kernel=True).frame()


@pytest.fixture(scope="module")
def frame() -> Frame:
    return ran("moldable-classroom", events=600).frame()


@pytest.fixture(scope="module")
def classes() -> Frame:
    return ran("moldable-classes", events=3000, kernel=True).frame()


panel = panel_fixture(AllocationsPanel, *SIZE)


def picture(widget: QWidget) -> QImage:
    return widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


def count(widget: QWidget, color: str) -> int:
    """The number of pixels of a colour."""
    return int((pixels(widget) == argb(color)).sum())


def spot(panel: AllocationsPanel, width: int, job_class: int = 0) -> QPointF:
    """The centre of a column."""
    place = panel.chart.facets[job_class]
    return QPointF(place.middle(width), place.plot.center().y())


# -- reading -------------------------------------------------------------------------------------


def test_columns_are_the_jobs_now_on_average_and_in_the_optimum(frame: Frame) -> None:
    (row,) = class_rows(frame)
    np.testing.assert_array_equal(row.now, frame.state.jobs[0])
    area = frame.state.area + frame.state.jobs * (frame.time - frame.state.since)
    np.testing.assert_allclose(row.mean, area[0] / frame.time)
    np.testing.assert_allclose(row.target, frame.info.numbers.target[0])
    assert dict(enumerate(row.asked)) == {0: 0, 1: 0.25, 2: 0.75, 3: 0, 4: 0, 5: 0}
    assert (row.used, row.free, row.others) == (frame.state.number[BUSY], frame.state.free[0], 0)
    assert row.used + row.free == row.servers == 20


def test_several_classes_have_servers_of_their_own(classes: Frame) -> None:
    rows = class_rows(classes)
    rules = classes.info.facts.rules
    for j, row in enumerate(rows):
        assert row.degree == classes.info.numbers.degrees[j]
        assert row.servers == rules.pool_end[j] - rules.pool_first[j]
        assert row.used + row.free == row.servers
        assert servers_text(row).endswith(f"{row.free} free")
        assert "of its" in servers_text(row)
    assert sum(row.used for row in rows) == classes.state.number[BUSY]


def test_without_pools_other_classes_have_the_rest() -> None:
    shared = ran("moldable-classes", "greedy", events=2000, kernel=True).frame()
    rows = class_rows(shared)
    assert all(row.servers == 3000 for row in rows)
    for row in rows:
        assert row.used + row.others + row.free == 3000
        assert row.others == sum(other.used for other in rows if other is not row)


def test_widths_are_added_up_in_columns(classes: Frame) -> None:
    row = class_rows(classes)[1]
    columns = columns_of(row, 1, row.degree, 4)
    assert [(column.first, column.last) for column in columns] == [(1, 4), (5, 8), (9, 10)]
    assert [column.now for column in columns] == [row.now[1:5].sum(), row.now[5:9].sum(), row.now[9:].sum()]
    assert sum(column.target for column in columns) == pytest.approx(row.target.sum())


def test_little_s_law_stands_beside_the_optimum(frame: Frame) -> None:
    texts = {tile.caption: tile.value for tile in tiles(frame)}
    numbers, state = frame.info.numbers, frame.state
    assert texts["jobs in the system"] == str(state.number[JOBS])
    assert texts["servers in use, q₁"] == percent_text(state.number[BUSY] / 20)
    assert float(texts["ΣX/(λn) now"]) == pytest.approx(state.number[JOBS] / numbers.rate, rel=0.01)
    mean = frame.derived.mean_jobs.sum() / numbers.rate
    assert float(texts["its average"]) == pytest.approx(mean, rel=0.01)
    assert texts["optimum, D*"] == "15"


def test_words_say_what_a_column_is(frame: Frame, classes: Frame) -> None:
    (row,) = class_rows(frame)
    (column,) = columns_of(row, 2, 2, 1)
    told = column_words(row, column)
    assert f"{column.now} jobs on 2 servers" in told or column.now == 1
    assert "8 in the optimum" in told and "s₂ = 1.5" in told and "75\u202f%" in told
    (nothing,) = columns_of(row, 5, 5, 1)
    assert "none in the optimum" in column_words(row, nothing)
    first = class_rows(classes)[0]
    assert column_words(first, columns_of(first, 1, 8, 8)[0]).startswith("rendering: ")


def test_zooming_keeps_the_place_and_stays_inside() -> None:
    span = WidthSpan(0, 64).zoomed(4, 16, 64)
    assert (span.low, span.high) == (12, 28)
    assert span.zoomed(1 / 100, 20, 64) == WidthSpan(0, 64)
    assert WidthSpan(0, 4).moved(-3, 64) == WidthSpan(0, 4)
    assert WidthSpan(60, 64).moved(3, 64) == WidthSpan(60, 64)
    near = WidthSpan(0, 2).zoomed(10, 1.5, 64)
    assert near.high - near.low == 1


# -- the panel -----------------------------------------------------------------------------------


def test_a_moment_has_one_scale(panel: AllocationsPanel, frame: Frame) -> None:
    """The scale does not stay as wide as the larger counts of an earlier moment needed."""
    panel.set_frame(frame)
    highest = panel.chart._scales[0].high
    panel.chart.set_rows(tuple(replace(row, now=50 * row.now) for row in panel.chart.rows), None, running=False)
    assert panel.chart._scales[0].high > highest
    panel.set_frame(frame)
    assert panel.chart._scales[0].high == highest


def test_bars_are_as_high_as_there_are_jobs(panel: AllocationsPanel, frame: Frame) -> None:
    panel.set_frame(replace(frame, running=True))
    place = panel.chart.facets[0]
    image, x = picture(panel.chart), place.middle(1)
    color = width_color(LIGHT, 1)
    ratio = image.width() / panel.chart.width()
    column = [image.pixelColor(round(x * ratio), y).name() for y in range(image.height())]
    inside = [y for y, name in enumerate(column) if name == color and y < place.plot.bottom()]
    now = frame.state.jobs[0]
    scale = SteppedRange(0.0, 1.0)
    scale.include(0.0, 1.06 * max(now.max(), frame.info.numbers.target.max()))
    high = (place.plot.bottom() - min(inside) / ratio) / place.plot.height() * scale.high
    assert high == pytest.approx(now[1], abs=0.25)
    assert {LIGHT.optimum, LIGHT.run} <= colours(panel.chart)
    assert [name for name, _ in place.rows] == list(ORDER)
    panel.set_frame(ran("moldable-classroom", "resources/policies/half_of_the_rest.py", events=40).frame())
    assert [name for name, _ in panel.chart.facets[0].rows] == [name for name in ORDER if name != "asked"]


def test_the_columns_follow_the_run(panel: AllocationsPanel) -> None:
    session = ran("moldable-classroom", events=50)
    for _ in range(8):
        session.run(events=7)
        frame = session.frame(running=True)
        panel.set_frame(frame)
        shown = {column.first: column.now for column in panel.chart.columns(0)}
        assert shown == {i: frame.state.jobs[0, i] for i in range(1, 6)}


def test_a_blocked_arrival_flashes_where_it_was_refused(qtbot: QtBot, panel: AllocationsPanel) -> None:
    session = after(FLAG_BLOCKED)
    event = session.frame().event
    request = int(session.frame().rows["request"][-1])
    session.seek(event - 1)
    panel.set_frame(session.frame(running=True))
    assert not panel.chart.flashes.left()
    before = count(panel.chart, LIGHT.rejection)
    session.to_live_end()
    panel.set_frame(session.frame(running=True))
    assert set(panel.chart.flashes.left()) == {(0, request)}
    assert panel.chart.mark is None
    assert count(panel.chart, LIGHT.rejection) > before
    qtbot.waitUntil(lambda: not panel.chart.flashes.left(), timeout=round(10_000 * FLASH))
    assert count(panel.chart, LIGHT.rejection) == before


def test_what_fades_is_painted_by_frames_where_they_come_often_enough(
    panel: AllocationsPanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = after(FLAG_BLOCKED)
    session.seek(session.frame().event - 1)
    panel.set_frame(session.frame(running=True))
    begun: list[bool] = []
    monkeypatch.setattr(
        panel.chart, "_fading", SimpleNamespace(start=lambda: begun.append(True), isActive=lambda: True)
    )
    session.to_live_end()
    for number in range(1, 4):
        panel.set_frame(session.frame(running=True))
        assert len(begun) == number, "each frame lets it wait for the next"
    assert _FADING > 1000 * LONGEST_SECONDS


def test_after_going_back_nothing_flashes(panel: AllocationsPanel) -> None:
    session = after(FLAG_BLOCKED)
    panel.set_frame(ran("moldable-classroom", events=1).frame())
    panel.set_frame(session.frame(running=True))
    session.seek(session.frame().event - 2)
    panel.set_frame(session.frame(running=True))
    assert not panel.chart.flashes.left()


@pytest.mark.parametrize(
    ("flag", "role", "words"),
    [
        (FLAG_BLOCKED, "rejection", "blocked"),
        (FLAG_PARTIAL, "migration", "got"),
        (FLAG_ADMITTED, "run", "starts"),
        (FLAG_DEPARTED, "run", "departs"),
    ],
)
def test_while_stepping_the_event_is_pointed_out(panel: AllocationsPanel, flag: int, role: str, words: str) -> None:
    session = after(flag, but=FLAG_PARTIAL if flag != FLAG_PARTIAL else 0)
    frame = session.frame()
    row = frame.rows[-1]
    panel.set_frame(replace(frame, running=True))
    before = count(panel.chart, LIGHT.color(role))
    panel.set_frame(frame)
    mark = panel.chart.mark
    assert mark is not None and words in mark.words
    assert mark.width == row["width"]
    assert mark.request == (-1 if flag == FLAG_DEPARTED else row["request"])
    assert count(panel.chart, LIGHT.color(role)) > before + 20
    panel.set_frame(replace(frame, running=True))
    assert panel.chart.mark is None


def test_a_job_that_a_users_policy_blocks_has_asked_for_no_width(panel: AllocationsPanel) -> None:
    session = ran("moldable-classroom", "resources/policies/half_of_the_rest.py@0:block", events=1)
    panel.set_frame(session.frame())
    assert panel.chart.mark is not None and panel.chart.mark.words == "blocked"
    facet = panel.chart.facets[0]
    columns = np.flatnonzero((pixels(panel.chart) == argb(LIGHT.rejection)).any(axis=0))
    left, *_, right = columns / panel.devicePixelRatio()
    assert abs(left - facet.plot.left()) < 4 and abs(right - facet.plot.right()) < 4


def test_a_partial_allocation_says_what_it_asked_for_and_got() -> None:
    assert EventMark(0, 4, 1).words == "asked 4, got 1"
    assert EventMark(0, 4, -1).words == "asks for 4"
    assert EventMark(0, 3, 0).words == "asked 3: blocked"


def test_stepping_into_an_arrival_shows_the_request_first(panel: AllocationsPanel) -> None:
    session = after(FLAG_ADMITTED, but=FLAG_PARTIAL)
    event = session.frame().event
    width = int(session.frame().rows["width"][-1])
    session.seek(event - 1)
    marks = []
    while session.frame().event < event:
        session.step_into()
        panel.set_frame(session.frame())
        marks.append(panel.chart.mark)
    asked = EventMark(0, width, -1)
    assert asked in marks
    assert marks[-1] == EventMark(0, width, width)
    assert marks.index(asked) < len(marks) - 1


def test_a_click_points_at_a_job_of_that_width(qtbot: QtBot, panel: AllocationsPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    state = frame.state
    records = np.flatnonzero((state.job_number >= 0) & (state.job_width == 2)).tolist()
    at = spot(panel, 2).toPoint()
    for record in records[:2]:
        with qtbot.waitSignal(panel.intent) as caught:
            qtbot.mouseClick(panel.chart, Qt.MouseButton.LeftButton, pos=at)
        assert caught.args == [Select(server=record, job=int(state.job_number[record]))]
        panel.set_selection(caught.args[0])
    with qtbot.assertNotEmitted(panel.intent, wait=50):
        qtbot.mouseClick(panel.chart, Qt.MouseButton.LeftButton, pos=spot(panel, 5).toPoint())


def test_the_mouse_is_told_what_a_column_is(panel: AllocationsPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    assert "on 2 servers" in panel.chart.tip_at(spot(panel, 2))
    assert "optimum" in panel.chart.tip_at(QPointF(1, 1))


# -- many widths, many classes -------------------------------------------------------------------


def test_many_widths_are_zoomed_by_wheel_drag_and_keys(qtbot: QtBot, panel: AllocationsPanel, tmp_path: Path) -> None:
    frame = wide(tmp_path, 64, 0.45)
    panel.set_frame(frame)
    place = panel.chart.facets[0]
    assert place.together == 1 and not place.rows
    i1 = frame.info.numbers.support[0][0]
    at = spot(panel, i1)
    wheel(panel.chart, at, 14)
    close = panel.chart.facets[0]
    assert close.span.high - close.span.low < 8
    assert close.rows and close.width_at(at, 64) == i1
    start = QPoint(round(at.x()), round(at.y()))
    qtbot.mousePress(panel.chart, Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseMove(panel.chart, start + QPoint(60, 0))
    qtbot.mouseRelease(panel.chart, Qt.MouseButton.LeftButton, pos=start + QPoint(60, 0))
    assert panel.chart.facets[0].span.low < close.span.low
    qtbot.keyClick(panel.chart, Qt.Key.Key_0)
    assert panel.chart.facets[0].span == WidthSpan(0, 64)
    qtbot.keyClick(panel.chart, Qt.Key.Key_Plus)
    assert panel.chart.facets[0].span != WidthSpan(0, 64)
    qtbot.mouseDClick(panel.chart, Qt.MouseButton.LeftButton, pos=start)
    assert panel.chart.facets[0].span == WidthSpan(0, 64)


def test_a_thousand_widths_share_columns(panel: AllocationsPanel, tmp_path: Path) -> None:
    frame = wide(tmp_path, 1000, 0.27)
    panel.set_frame(replace(frame, running=True))
    place = panel.chart.facets[0]
    assert place.together >= 2
    columns = panel.chart.columns(0)
    assert sum(column.now for column in columns) == frame.state.number[JOBS]
    assert place.together * place.pitch >= 3
    assert LIGHT.optimum in colours(panel.chart)
    wheel(panel.chart, spot(panel, 600), 20)
    assert panel.chart.facets[0].together == 1


def test_the_legend_has_the_numbers_of_the_optimum(tmp_path: Path) -> None:
    frame = wide(tmp_path, 64, 0.45)
    (row,) = class_rows(frame)
    texts = dict(legend(row, detailed=True))
    for i in frame.info.numbers.support[0]:
        assert f"{row.now[i]} on {i}" in texts["now"] and f"on {i}" in texts["target"]
    assert dict(legend(row, detailed=False))["target"] == "optimum, n y*"


def test_classes_share_a_large_panel_and_are_chosen_in_a_small_one(
    qtbot: QtBot, panel: AllocationsPanel, classes: Frame
) -> None:
    panel.resize(900, 760)
    panel.set_frame(replace(classes, running=True))
    assert set(panel.chart.facets) == {0, 1, 2} and panel.choice.isHidden()
    tops = [panel.chart.facets[j].plot.top() for j in range(3)]
    assert tops == sorted(tops)
    whole = colours(panel.chart)
    widths = [int(np.nanargmax(row.target)) for row in class_rows(classes)]
    assert {width_color(LIGHT, width) for width in widths} <= whole
    panel.resize(460, 300)
    QApplication.processEvents()
    assert set(panel.chart.facets) == {0} and panel.choice.isVisible()
    panel.job_class.setCurrentIndex(1)
    panel.job_class.activated.emit(1)
    assert set(panel.chart.facets) == {1}
    assert panel.chart.columns(1)[5].now == classes.state.jobs[1, 6]


# -- without an optimum; looks -------------------------------------------------------------------


def test_without_an_optimum_there_is_no_gold(panel: AllocationsPanel, tmp_path: Path) -> None:
    over = wide(tmp_path, 5, 1.3, "greedy")
    panel.set_frame(replace(over, running=True))
    (row,) = class_rows(over)
    assert not row.known
    assert count(panel.chart, LIGHT.optimum) < 10  # only at the edges of letters, not a line
    assert [tile.caption for tile in tiles(over)][-1] == "its average"
    assert "optimum" not in column_words(row, columns_of(row, 5, 5, 1)[0])
    assert "target" not in dict(legend(row, detailed=True))


def test_before_the_first_event_nothing_runs(panel: AllocationsPanel) -> None:
    session = ran("moldable-classroom", events=40)
    session.seek(0)
    panel.set_frame(session.frame())
    assert all(column.now == 0 for column in panel.chart.columns(0))
    assert panel.chart.mark is None
    assert LIGHT.optimum in colours(panel.chart)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("lecture", [False, True])
@pytest.mark.parametrize("size", [(460, 190), (640, 420), (1300, 900)])
def test_it_is_drawn_at_any_size(
    panel: AllocationsPanel, frame: Frame, classes: Frame, theme: str, lecture: bool, size: tuple[int, int]
) -> None:
    with type_of(lecture):
        look = load_theme(theme)
        panel.set_theme(look)
        panel.resize(*size)
        for shown in (frame, classes):
            panel.set_frame(replace(shown, running=True))
            QApplication.processEvents()
            if not panel.chart.facets:
                assert lecture and size == (460, 190)
                continue
            seen = colours(panel.chart)
            assert look.optimum in seen and len(seen) > 5
            for place in panel.chart.facets.values():
                assert place.plot.height() > 20
                assert place.bar.bottom() <= panel.chart.height()


def test_a_tiny_panel_says_so(panel: AllocationsPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    panel.chart.resize(200, 60)
    assert not panel.chart.facets
    assert LIGHT.muted in colours(panel.chart)
    panel.chart.resize(400, 300)
    assert panel.chart.facets


def test_the_picture_and_the_series_are_saved(panel: AllocationsPanel, classes: Frame, tmp_path: Path) -> None:
    assert panel.series() is None
    panel.set_frame(classes)
    assert svg_of(panel, tmp_path)
    table = listed(panel)
    assert len(table) == sum(classes.info.numbers.degrees)
    (six,) = [row for row in table if row["class"] == "analysis" and row["servers"] == 6]
    assert six["jobs_now"] == classes.state.jobs[1, 6]
    assert six["optimum"] == pytest.approx(classes.info.numbers.target[1, 6])


def test_a_low_panel_leaves_out_the_words_before_the_columns(panel: AllocationsPanel, frame: Frame) -> None:
    """As with a question above it in a small window."""
    panel.set_frame(frame)
    drawn: dict[int, tuple[bool, bool]] = {}
    for height in range(260, 40, -2):
        panel.resize(420, height)
        drawn[height] = bool(panel.chart.facets), any(one.words.height() for one in panel.chart.facets.values())
    states = list(dict.fromkeys(drawn.values()))
    assert states[-3:] == [(True, True), (True, False), (False, False)]
    wordless = min(height for height, state in drawn.items() if state == (True, False))
    panel.resize(420, wordless)
    assert panel.chart.facets[0].plot.height() >= panel.fontMetrics().height()
