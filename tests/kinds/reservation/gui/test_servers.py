"""The two panels of servers: what they paint, and what the mouse points at."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QHelpEvent, QPainter
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from slotscope.gui.intents import Select
from slotscope.gui.kinds.reservation.servers import ServerGridPanel, ServersPanel
from slotscope.gui.kinds.reservation.servers_columns import figure_of
from slotscope.gui.kinds.reservation.servers_stacks import StackView
from slotscope.gui.kinds.reservation.servers_words import captions_of, job_at, server_words, slot_of
from slotscope.gui.painting.colour import argb
from slotscope.gui.painting.text import Symbols
from slotscope.gui.widgets import calm
from slotscope.model.api import Session
from tests.gui.painted import area, has, pixels, wheel
from tests.kinds.reservation.gui.servers_views import DARK, LIGHT, SIZE, classroom, shown, stacks
from tests.runs import ran

ROOT = Path(__file__).resolve().parents[4]


# Pictures.


@pytest.mark.parametrize("kind", [ServersPanel, ServerGridPanel])
@pytest.mark.parametrize("events", [0, 60])
@pytest.mark.parametrize("size", [(900, 500), (1300, 800), (480, 340)])
def test_panels_are_not_blank(qtbot: QtBot, kind: type[ServersPanel], events: int, size: tuple[int, int]) -> None:
    panel = shown(qtbot, kind, classroom(events).frame(), size)
    picture = pixels(panel)
    assert len(np.unique(picture)) > 8
    for color in (LIGHT.types[0], LIGHT.types[1], LIGHT.types[2]):
        assert has(picture, color)


def test_nothing_yet_and_too_small_are_said_in_words(qtbot: QtBot) -> None:
    panel = ServersPanel(LIGHT)
    qtbot.addWidget(panel)
    panel.resize(*SIZE)
    panel.show()
    assert len(np.unique(pixels(panel))) > 1
    panel.set_frame(classroom(20).frame())
    assert panel.stacks.scene is not None
    panel.resize(160, 90)
    assert panel.stacks.scene is None
    assert panel.stacks.words_at(QPointF(80, 45)) == ""
    assert len(np.unique(pixels(panel))) > 1
    panel.resize(*SIZE)
    assert panel.stacks.scene is not None


def test_another_size_lays_stacks_out_once(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    panel = shown(qtbot, ServersPanel, classroom(20).frame(), SIZE)
    sizes: list[QSize] = []
    lay_out = StackView._lay_out
    monkeypatch.setattr(StackView, "_lay_out", lambda view: (sizes.append(view.size()), lay_out(view)))
    larger = QSize(SIZE[0] + 40, SIZE[1] + 30)
    panel.resize(larger)
    assert sizes == [larger]


def test_orange_is_seen_exactly_where_a_reject_group_is(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calm, "STILL", 0.0)
    session = classroom()
    view = stacks(qtbot, session.frame())
    grid = shown(qtbot, ServerGridPanel, session.frame())
    assert isinstance(grid, ServerGridPanel)
    seen = set()
    for _ in range(60):
        session.run(events=1)
        frame = session.frame(running=True)
        view.set_frame(frame)
        grid.set_frame(frame)
        expected = bool(frame.derived.reject_group.any())
        seen.add(expected)
        assert view.scene is not None
        assert has(area(pixels(view), view.scene.regions.stage), LIGHT.reject_group) == expected
        assert has(area(pixels(grid.view), grid.view.scene.stage), LIGHT.reject_group) == expected
    assert seen == {True, False}


def test_what_a_running_picture_does_not_paint_anew_has_not_changed(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = 0.0
    monkeypatch.setattr(calm, "monotonic", lambda: seconds)  # independent of how long an event takes to draw
    session = classroom(40)
    view = stacks(qtbot, session.frame(running=True))
    asked: list[tuple[object, ...]] = []
    monkeypatch.setattr(view, "update", lambda *area: asked.append(area))
    before, few = pixels(view), 0
    for _ in range(60):
        session.run(events=1)
        asked.clear()
        seconds += calm.STILL / 4
        view.set_frame(session.frame(running=True))
        now = pixels(view)
        if all(asked):
            few += 1
            box = view.scene.stage_box
            now[box.top() : box.bottom() + 1, box.left() : box.right() + 1] = before[
                box.top() : box.bottom() + 1, box.left() : box.right() + 1
            ]
            assert (now == before).all()
            now = pixels(view)
        before = now
    assert few > 20


def test_numbers_stand_still_where_columns_come_and_go_beside_them(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = 0.0
    monkeypatch.setattr(calm, "monotonic", lambda: seconds)
    session = Session.open("dra-vms")
    view = stacks(qtbot, session.frame(running=True))
    changed = set()
    for step in range(120):
        session.run(events=20)
        seconds += calm.STILL / 3.9  # captions may change at every fourth step
        assert view._captions is not None and view._figure is not None
        before = dict(zip(view._figure.names, view._captions.columns, strict=True))
        frame = session.frame(running=True)
        view.set_frame(frame)
        present = captions_of(frame, view._figure).columns
        shown_now = dict(zip(view._figure.names, view._captions.columns, strict=True))
        if step % 4 == 3:
            assert view._captions.columns == present
        elif set(shown_now) != set(before):
            assert [shown_now[name] for name in shown_now if name in before] == [
                before[name] for name in shown_now if name in before
            ]
            fresh = dict(zip(view._figure.names, present, strict=True))
            assert all(shown_now[name] == fresh[name] for name in shown_now if name not in before)
            changed.add(shown_now != fresh)
    assert True in changed


def test_dashed_boxes_are_drawn_exactly_where_servers_are_missing(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calm, "STILL", 0.0)
    session = classroom()
    view = stacks(qtbot, session.frame())
    seen = set()
    for _ in range(60):
        session.run(events=1)
        view.set_frame(session.frame(running=True))
        scene = view.scene
        assert scene is not None
        picture = pixels(view)
        for number, column in enumerate(scene.figure.columns[: scene.figure.greedy]):
            assert column is not None
            left, _, _ = scene.span(number)
            # The side of a box; X-hat's line itself is left out.
            low = scene.y(column.held) if column.missing else scene.y(column.tallest) - 4
            top = scene.y(column.wanted or 0) + 3 if column.missing else low - 12
            side = area(picture, QRectF(left, top, 1, low - top - 1))
            assert has(side, LIGHT.greedy) == bool(column.missing)
            seen.add(bool(column.missing))
            assert has(area(picture, QRectF(left, scene.y(column.wanted or 0) - 2, 9, 4)), LIGHT.greedy)
    assert seen == {True, False}


def test_every_server_stands_once_and_the_picture_agrees_with_the_classes() -> None:
    session = classroom(servers=25)
    for _ in range(40):
        session.run(events=5)
        frame = session.frame()
        figure = figure_of(frame)
        standing = [s for c in figure.columns if c is not None for s in c.servers.tolist()]
        assert sorted(standing) == list(range(25))
        for column in figure.columns:
            if column is None:
                continue
            indexes = frame.derived.index[column.servers]
            assert indexes.tolist() == list(range(len(indexes), 0, -1))
            for server in column.servers.tolist():
                assert tuple(frame.state.configuration[server]) == column.configuration
        for number, held in enumerate(frame.derived.held.tolist()):
            column = figure.columns[number]
            assert column is not None
            assert (column.held, column.position) == (held, number + 1)


def test_the_theme_can_be_changed(qtbot: QtBot) -> None:
    panel = shown(qtbot, ServersPanel, classroom(60).frame())
    assert not has(pixels(panel), DARK.panel)
    panel.set_theme(DARK)
    dark = pixels(panel)
    assert has(dark, DARK.panel)
    # Letters on dark types have the colour of the light theme's ground; nothing else has.
    assert not has(dark[[0, -1]], LIGHT.panel)
    assert (dark == argb(LIGHT.panel)).mean() < 0.005


def test_larger_type_enlarges_the_captions(qtbot: QtBot) -> None:
    view = stacks(qtbot, classroom(60).frame())
    assert view.scene is not None
    before = view.scene.regions.header.height()
    font = view.font()
    font.setPointSizeF(font.pointSizeF() * 1.5)
    view.setFont(font)
    assert view.scene.regions.header.height() > 1.3 * before


def test_thousands_of_servers_share_strips_and_zoom_down_to_slots(qtbot: QtBot) -> None:
    view = stacks(qtbot, classroom(3000, servers=2000).frame())
    assert view.scene is not None
    assert view.scene.layout.scale.group > 1
    tall = max(range(view.scene.figure.greedy), key=lambda i: view.scene.layout.counts[i])
    left, right, _ = view.scene.span(tall)
    foot = QPointF((left + right) / 2, view.scene.regions.stage.bottom() - 6)
    assert view.scene.layout.scale.is_bar()
    assert view.scene.server_at(foot) is None
    assert "GPA wants" in view.words_at(foot)
    for _ in range(60):
        view.zoom(1.25, foot)
        tall_left, tall_right, _ = view.scene.span(tall)
        assert tall_left <= foot.x() <= tall_right
    assert view.scene.layout.scale.group == 1
    assert view.scene.server_at(foot) is not None


def test_the_scale_is_that_of_what_is_shown_and_not_of_what_was(qtbot: QtBot) -> None:
    session = ran("dra-vms", kernel=True, events=3000)
    large = session.frame()
    session.seek(40)
    early, other = session.frame(), classroom(20).frame()
    for frame in (early, other):
        view = stacks(qtbot, large)
        view.set_frame(frame)
        fresh = stacks(qtbot, frame)
        assert view.scene is not None and fresh.scene is not None
        assert view.scene.layout.scale == fresh.scene.layout.scale


def test_a_policy_without_slots_shows_the_servers_by_number(qtbot: QtBot) -> None:
    panel = shown(qtbot, ServersPanel, classroom(60, policy="first-fit").frame())
    assert isinstance(panel, ServersPanel)
    assert panel.grid.isVisible()
    assert not panel.stacks.isVisible()
    assert not has(pixels(panel), LIGHT.reject_group)
    rect = panel.grid.scene.server_rect(0)
    assert rect is not None
    assert panel.grid.words_at(rect.center()).startswith("server 1: ")


def test_panels_have_accessible_names(qtbot: QtBot) -> None:
    for kind in (ServersPanel, ServerGridPanel):
        panel = shown(qtbot, kind, classroom(60).frame())
        view = panel.stacks if isinstance(panel, ServersPanel) else panel.view
        assert panel.accessibleName()
        assert view.accessibleName()
        assert "server" in view.accessibleDescription()


# Pointing.


def slot_with_a_job(view: StackView) -> tuple[int, int, QPointF]:
    scene = view.scene
    assert scene is not None
    state = scene.frame.state
    server = int(np.flatnonzero(state.placement.any(axis=1))[0])
    job_type = int(state.placement[server].argmax())
    return server, job_type, scene.rect(scene.slot_box(server, job_type, 0)).center()


def test_every_slot_is_found_where_it_is_drawn(qtbot: QtBot) -> None:
    view = stacks(qtbot, classroom(60).frame(), (1300, 800))
    scene = view.scene
    assert scene is not None
    for server, slots in enumerate(scene.frame.state.configuration.tolist()):
        for job_type, count in enumerate(slots):
            for slot in range(count):
                point = scene.rect(scene.slot_box(server, job_type, slot)).center()
                assert scene.server_at(point) == server
                assert scene.slot_at(point) == (job_type, slot)


def test_click_selects_the_server_and_the_job(qtbot: QtBot) -> None:
    panel = shown(qtbot, ServersPanel, classroom(60).frame())
    assert isinstance(panel, ServersPanel)
    server, job_type, point = slot_with_a_job(panel.stacks)
    with qtbot.waitSignal(panel.intent) as caught:
        qtbot.mouseClick(panel.stacks, Qt.MouseButton.LeftButton, pos=point.toPoint())
    job = job_at(panel.frame.state, server, job_type, 0)
    assert caught.args == [Select(server=server, job=job)]
    assert job is not None
    with qtbot.waitSignal(panel.intent) as caught:
        qtbot.mouseDClick(panel.stacks, Qt.MouseButton.LeftButton, pos=point.toPoint())
    assert caught.args == [Select(server=server, job=job, floating=True)]


def test_click_on_free_space_selects_nothing(qtbot: QtBot) -> None:
    panel = shown(qtbot, ServersPanel, classroom(60).frame())
    assert isinstance(panel, ServersPanel)
    with qtbot.assertNotEmitted(panel.intent):
        qtbot.mouseClick(panel.stacks, Qt.MouseButton.LeftButton, pos=QPoint(880, 140))


def test_the_grid_selects_as_well(qtbot: QtBot) -> None:
    panel = shown(qtbot, ServerGridPanel, classroom(60).frame())
    assert isinstance(panel, ServerGridPanel)
    rect = panel.view.scene.server_rect(4)
    assert rect is not None
    with qtbot.waitSignal(panel.intent) as caught:
        qtbot.mouseClick(panel.view, Qt.MouseButton.LeftButton, pos=rect.topLeft().toPoint() + QPoint(1, 1))
    assert caught.args == [Select(server=4)]
    assert panel.view.words_at(rect.center()).startswith(server_words(panel.frame, 4))


@pytest.mark.parametrize("kind", [ServersPanel, ServerGridPanel])
def test_what_is_selected_anywhere_is_outlined(qtbot: QtBot, kind: type[ServersPanel] | type[ServerGridPanel]) -> None:
    session = classroom(60)
    panel = shown(qtbot, kind, session.frame(running=True))
    plain = pixels(panel)
    panel.set_selection(Select(server=3))
    server = pixels(panel)
    job = int(session.frame().state.job_number.max())
    panel.set_selection(Select(job=job))
    assert not (plain == server).all()
    assert has(server, LIGHT.run)
    assert not (pixels(panel) == server).all()
    panel.set_selection(Select())
    assert (pixels(panel) == plain).all()


def test_hover_tells_in_a_sentence(qtbot: QtBot) -> None:
    view = stacks(qtbot, classroom(60).frame())
    server, _, point = slot_with_a_job(view)
    place = view.mapToGlobal(point.toPoint())
    event = QHelpEvent(QEvent.Type.ToolTip, point.toPoint(), place)
    QApplication.sendEvent(view, event)
    words = QToolTip.text()
    assert words.startswith(f"server {server + 1}: configuration")
    for part in ("index", "rank", "Group", " of ", "here: "):
        assert part in words
    QToolTip.hideText()


def test_the_wheel_zooms_around_the_mouse_and_a_key_resets(qtbot: QtBot) -> None:
    view = stacks(qtbot, classroom(400, servers=120).frame())
    scene = view.scene
    assert scene is not None
    whole = scene.layout
    column = int(np.argmax(whole.counts))
    left, right, _ = scene.span(column)
    y = (scene.y(whole.counts[column]) + scene.y(0)) / 2
    point = QPointF((left + right) / 2, y)
    server = scene.server_at(point)
    for _ in range(6):
        wheel(view, point, 1)
    assert view.scene.layout.scale.unit > 2 * whole.scale.unit
    near = view.scene.server_at(point)
    assert server is not None
    assert near is not None
    assert abs(int(scene.figure.place[near]) - int(scene.figure.place[server])) <= 1
    qtbot.keyClick(view, Qt.Key.Key_0)
    assert view.scene.layout == whole
    wheel(view, point, 3)
    wheel(view, point, -9)
    assert view.scene.layout == whole


def test_dragging_pans_and_is_no_click(qtbot: QtBot) -> None:
    panel = shown(qtbot, ServersPanel, classroom(400, servers=120).frame())
    assert isinstance(panel, ServersPanel)
    view = panel.stacks
    wheel(view, QPointF(200, 400), 14)
    before = view.scene.layout.offset
    with qtbot.assertNotEmitted(panel.intent):
        qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=QPoint(200, 300))
        qtbot.mouseMove(view, QPoint(200, 340))
        qtbot.mouseMove(view, QPoint(200, 350))
        qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=QPoint(200, 350))
    assert view.scene.layout.offset[1] == before[1] + 50
    qtbot.mouseDClick(view, Qt.MouseButton.LeftButton, pos=QPoint(450, 20))
    assert view.scene.layout.offset == (0, 0)


def test_the_grid_zooms_and_pans(qtbot: QtBot) -> None:
    panel = shown(qtbot, ServerGridPanel, classroom(400, servers=120).frame())
    assert isinstance(panel, ServerGridPanel)
    view = panel.view
    rect = view.scene.server_rect(40)
    assert rect is not None
    point = rect.center()
    for _ in range(4):
        wheel(view, point, 1)
    found = view.hit_at(point)
    assert found is not None
    assert found[0] == 40
    assert view.scene.server_rect(40).width() > 2 * rect.width()
    offset = view.scene.layout.offset
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=QPoint(300, 300))
    qtbot.mouseMove(view, QPoint(310, 280))
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=QPoint(310, 280))
    assert view.scene.layout.offset == (offset[0] - 10, offset[1] + 20)
    qtbot.keyClick(view, Qt.Key.Key_0)
    assert view.scene.server_rect(40) == rect


@given(st.integers(0, 60))
def test_a_job_is_found_in_its_slot_and_a_slot_by_its_job(events: int) -> None:
    frame = classroom(events).frame()
    jobs = 0
    for server, placed in enumerate(frame.state.placement.tolist()):
        for job_type, count in enumerate(placed):
            found = [job_at(frame.state, server, job_type, slot) for slot in range(count)]
            for slot, job in enumerate(found):
                assert job is not None
                assert slot_of(frame.state, job) == (server, job_type, slot)
            assert job_at(frame.state, server, job_type, count) is None
            jobs += count
    assert jobs == int(frame.state.jobs_in_system.sum())
    assert slot_of(frame.state, -1) is None


@pytest.mark.parametrize("kind", ["ServersPanel", "ServerGridPanel"])
def test_on_a_fine_screen_points_and_pixels_agree(kind: str) -> None:
    program = f"""
from PySide6.QtWidgets import QApplication
app = QApplication([])
from slotscope.gui.kinds.reservation.servers import {kind}
from slotscope.gui.painting.text import Symbols
from slotscope.gui.widgets import calm
from slotscope.gui.theme import load_theme
from slotscope.model.api import Session
session = Session.open("dra-classroom", kernel=False)
session.run(events=60)
panel = {kind}(load_theme("light"))
panel.resize(900, 600)
panel.show()
panel.set_frame(session.frame())
assert panel.devicePixelRatioF() == 2
view = getattr(panel, "stacks", None) or panel.view
for server in range(7):
    if hasattr(panel, "stacks"):
        rect = view.scene.rect(view.scene.server_box(server))
        assert view.scene.server_at(rect.center()) == server
    else:
        assert view.hit_at(view.scene.server_rect(server).center())[0] == server
image = panel.grab().toImage()
assert (image.width(), image.height()) == (1800, 1200)
colors = {{image.pixel(x, y) for x in range(0, 1800, 7) for y in range(0, 1200, 3)}}
assert len(colors) > 8, colors
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "QT_SCALE_FACTOR": "2", "QT_QPA_PLATFORM": "offscreen"},
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("height", "labels"), [(250, 2), (420, 2)])
def test_what_stands_over_the_tallest_stack_is_whole_or_left_out(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, height: int, labels: int
) -> None:
    session = Session.open("dra-vms", "dra")
    session.run(until=10.0)
    view = stacks(qtbot, session.frame(), (815, height))
    tops: list[float] = []
    draw = Symbols.draw_first

    def noted(self: Symbols, painter: QPainter, area: QRectF, words: tuple[str, ...], *rest: Any) -> None:
        if words[0] in {"Reject Group", "2 surplus"}:
            tops.append(area.top())
        draw(self, painter, area, words, *rest)

    monkeypatch.setattr(Symbols, "draw_first", noted)
    view.grab()
    assert view.scene is not None
    assert len(tops) == labels
    assert min(tops) >= view.scene.regions.stage.top()
