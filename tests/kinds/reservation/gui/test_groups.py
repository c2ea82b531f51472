"""The Groups panel: its counts of empty slots equal the state's; rows, clicks, colours."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage, QPainter
from pytestqt.qtbot import QtBot

from slotscope.gui.intents import GoTo
from slotscope.gui.kinds.reservation.groups import GroupsPanel, accepting_slots, read_groups
from slotscope.gui.kinds.reservation.groups_chart import RowChart, RowStyle
from slotscope.gui.plotting.sampled import LEAST_GROWTH, SampledSeries
from slotscope.gui.theme import load_theme
from slotscope.model.api import Session
from slotscope.model.kinds.reservation.sampling import EVENT_COLUMN, TIME_COLUMN
from slotscope.model.reporting.frame import Frame
from tests.gui.painted import colours, series_of, svg_of
from tests.gui.windows import panel_fixture
from tests.runs import ran

EVENTS, EARLIER = 6_000, 3_000


@pytest.fixture(scope="module")
def session() -> Session:
    return ran("dra-vms", kernel=True, events=EVENTS)


@pytest.fixture(scope="module")
def frame(session: Session) -> Frame:
    session.to_live_end()
    return session.frame()


panel = panel_fixture(GroupsPanel, 620, 560)


def counted(frame: Frame) -> tuple[list[int], int]:
    """Empty slots of Accept Group servers and size of the Reject Group, server by server."""
    state, classes = frame.state, frame.derived
    empty, rejecting = [0] * state.configuration.shape[1], 0
    for server, rank in enumerate(classes.rank):
        if rank > classes.i_star and classes.index[server] == 1:
            rejecting += 1
            continue
        for j in range(len(empty)):
            empty[j] += int(state.configuration[server, j] - state.placement[server, j])
    return empty, rejecting


def test_present_numbers_are_those_of_the_servers(session: Session, panel: GroupsPanel) -> None:
    for event in (0, 1, 57, EARLIER, EVENTS):
        session.seek(event)
        frame = session.frame()
        empty, rejecting = counted(frame)
        assert accepting_slots(frame) == tuple(empty)
        panel.set_frame(frame)
        assert panel.chart.values == (rejecting, *empty)
        shown = [rejecting, frame.derived.i_star, frame.info.facts.reserved, sum(empty)]
        assert panel.tiles.shown() == [str(number) for number in shown]


def test_samples_agree_with_the_state_where_they_were_taken(session: Session, frame: Frame) -> None:
    read = read_groups(frame.info.numbers, frame.samples).values
    for event in (10, 2_345, EVENTS):
        session.seek(event)
        empty, rejecting = counted(session.frame())
        place = int(np.flatnonzero(frame.samples[:, EVENT_COLUMN] == event)[0])
        assert read[place].tolist() == [rejecting, *empty]


def test_the_reserved_slots_are_a_labelled_line_in_every_row(panel: GroupsPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    first, *types = panel.chart.rows
    assert first.reference is None
    assert [row.reference for row in types] == [7.0] * 4
    assert {row.reference_text for row in types} == {"⌈g(L)⌉ = 7"}
    for number in range(1, 5):
        low, high = panel.chart.scale(number)
        assert low == 0
        assert high > 7


@pytest.mark.parametrize("name", ["light", "dark"])
def test_colours_of_meaning_are_there(qtbot: QtBot, panel: GroupsPanel, frame: Frame, name: str) -> None:
    theme = load_theme(name)
    panel.set_theme(theme)
    panel.set_frame(frame)
    qtbot.wait(20)
    seen = colours(panel)
    assert {theme.panel, theme.ink(theme.reject_group)} <= seen
    assert {theme.types[j] for j in range(4)} <= seen


def test_after_going_back_the_future_is_muted(session: Session, panel: GroupsPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    before = border_pixels(panel)
    session.seek(EARLIER)
    panel.set_frame(session.frame())
    assert border_pixels(panel) > before + 50
    assert panel.chart.values[0] == counted(session.frame())[1]


def border_pixels(panel: GroupsPanel) -> int:
    """The number of pixels of the chart in the colour of the curve after the cursor."""
    image = panel.chart.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(bytes(image.constBits()), np.uint32) & 0xFFFFFF
    return int((pixels == int(load_theme("light").border[1:], 16)).sum())


def test_a_click_goes_to_that_moment(qtbot: QtBot, panel: GroupsPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    qtbot.wait(20)
    place = panel.chart.place_of(2.0)
    with qtbot.waitSignal(panel.intent) as caught:
        qtbot.mouseClick(panel.chart, Qt.MouseButton.LeftButton, pos=place.toPoint())
    intent = caught.args[0]
    assert isinstance(intent, GoTo)
    reached = frame.samples[frame.samples[:, EVENT_COLUMN] == intent.event, TIME_COLUMN][0]
    assert reached == pytest.approx(2.0, abs=0.03)
    with qtbot.assertNotEmitted(panel.intent):
        qtbot.mouseClick(panel.chart, Qt.MouseButton.LeftButton, pos=QPoint(4, 40))


def test_a_run_moves_the_curves_before_they_lag_two_pixels(panel: GroupsPanel) -> None:
    session = Session.open("dra-vms", kernel=False)
    for _ in range(25):
        session.run(events=40)
        panel.set_frame(session.frame(running=True))
        assert panel.chart.shift(session.timeline.time) < LEAST_GROWTH
    panel.set_frame(session.frame())
    assert panel.chart.shift(session.timeline.time) == 0
    assert panel.chart.values[1:] == accepting_slots(session.frame())


def test_a_policy_without_groups_says_so(panel: GroupsPanel) -> None:
    session = Session.open("dra-vms", policy="first-fit", kernel=False)
    panel.set_frame(session.frame())
    assert not panel.chart.isVisible()
    assert any("does not apply" in label for label in visible_texts(panel))


def visible_texts(panel: GroupsPanel) -> list[str]:
    from PySide6.QtWidgets import QLabel

    return [label.text() for label in panel.findChildren(QLabel) if label.isVisible()]


def test_another_run_begins_anew(panel: GroupsPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    other = ran("dra-classroom", events=30)
    panel.set_frame(other.frame())
    assert [row.name for row in panel.chart.rows] == ["servers", "web", "database", "training"]
    assert panel.chart.values[1:] == accepting_slots(other.frame())


def test_little_room_scrolls_and_rows_never_overlap(qtbot: QtBot, panel: GroupsPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    for size in ((480, 420), (620, 700), (460, 250), (300, 200)):
        panel.resize(*size)
        qtbot.wait(20)
        boxes = [panel.chart.box(number) for number in range(5)]
        line = panel.chart.fontMetrics().height()
        assert all(above.bottom() < below.top() for above, below in pairwise(boxes))
        assert all(box.height() > 1.5 * line for box in boxes)
        assert boxes[-1].bottom() < panel.chart.height() - 2 * line
        assert boxes[0].left() > 0
        assert boxes[0].right() < panel.chart.width()


def test_many_types_have_a_row_each(qtbot: QtBot) -> None:
    chart = RowChart(load_theme("light"))
    qtbot.addWidget(chart)
    series = tuple(SampledSeries() for _ in range(20))
    for one in series:
        one.append(np.array([0.0, 1.0]), np.array([1.0, 2.0]), None)
    chart.begin(tuple(RowStyle(f"type {j}", j) for j in range(20)), series, "time")
    chart.set_time(1.0, 1.0)
    assert chart.minimumSizeHint().height() > 20 * 2 * chart.fontMetrics().height()
    chart.resize(chart.minimumSizeHint().expandedTo(chart.size()))
    assert {load_theme("light").types[j] for j in range(8)} <= colours(chart)


@pytest.mark.parametrize("value", [0.0, 2.0, 5.0, 9.0])
def test_no_line_before_a_number_reads_as_a_minus(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, value: float) -> None:
    """The line from a curve's end to its number is steep or absent, so that it does not look like a minus sign."""
    chart, series = RowChart(load_theme("light")), SampledSeries()
    qtbot.addWidget(chart)
    chart.resize(600, 200)
    series.append(np.array([0.0, 1.0]), np.array([value, 60.0]), None)
    chart.begin((RowStyle("web", 0, reference=3.0, reference_text="3"),), (series,), "time")
    chart.set_time(1.0, 1.0)
    chart.set_values((int(value),))
    chart.grab()  # the chart measures its numbers when it is painted
    box, lines, draw = chart.box(0), [], QPainter.drawLine
    monkeypatch.setattr(QPainter, "drawLine", lambda painter, line: (lines.append(line), draw(painter, line)))
    chart.grab()
    leading = [line for line in lines if line.x1() > box.right() + 1]
    assert all(abs(line.dy()) > 0.5 * abs(line.dx()) for line in leading)


def test_the_series_hold_every_sample(panel: GroupsPanel, frame: Frame) -> None:
    assert panel.series() is None
    panel.set_frame(frame)
    names, table = series_of(panel)
    assert [row[0] for row in table] == frame.samples[:, EVENT_COLUMN].tolist()
    last = dict(zip(names, table[-1], strict=True))
    empty, rejecting = counted(frame)
    assert last["reject_group_servers"] == rejecting
    assert [last[f"accept_group_empty {name}"] for name in frame.info.numbers.type_names] == empty


def test_the_picture_saves_as_vectors(panel: GroupsPanel, frame: Frame, tmp_path: Path) -> None:
    panel.set_frame(frame)
    assert "Accept Group: empty slots" in svg_of(panel, tmp_path)


def test_a_frame_without_new_samples_changes_no_series(panel: GroupsPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    before = colours(panel.chart)
    panel.set_frame(replace(frame, message="nothing new"))
    assert colours(panel.chart) == before
