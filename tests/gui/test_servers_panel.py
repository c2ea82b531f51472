"""The two panels of servers: geometry, pixels, what moves, and what the mouse finds."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QHelpEvent, QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from gui.intents import Select
from gui.painting.colour import argb
from gui.painting.stack_layout import (
    LEAST_STRIP,
    Share,
    StackLayout,
    StackScale,
    calm_scale,
    fitting_scale,
    scale_at,
    spans,
    zoomed_scale,
)
from gui.painting.stack_raster import StackContent, StackRaster
from gui.painting.stack_slots import Strip, slot_boxes, strip_picture
from gui.painting.textures import raster_palette
from gui.panels import servers_calm
from gui.panels.servers import ServersPanel
from gui.panels.servers_columns import assign_places, figure_of
from gui.panels.servers_grid import ServerGridPanel
from gui.panels.servers_grid_layout import fitting_grid, zoomed_grid
from gui.panels.servers_legend import flow
from gui.panels.servers_stacks import StackView
from gui.panels.servers_steps import Movement, marks, movements, servers_in_the_way
from gui.panels.servers_words import job_at, server_words, slot_of
from gui.theme import load_theme
from model.api import Session
from model.frame import Frame
from model.records import FLAG_MIGRATED, FLAG_REASSIGNED, FLAG_REJECTED
from model.scenario.load import as_data, load_scenario, parse_scenario

LIGHT, DARK = load_theme("light"), load_theme("dark")
SIZE = (900, 600)
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module", autouse=True)
def application(qapp: QApplication) -> QApplication:
    """Letters are drawn also where no widget is made."""
    return qapp


def classroom(events: int = 0, servers: int = 7, policy: str | None = None) -> Session:
    data = as_data(load_scenario("dra-classroom"))
    data["servers"]["count"] = servers
    session = Session.open(parse_scenario(data), policy=policy, kernel=False)
    if events:
        session.run(events=events)
    return session


def before_event(session: Session, flag: int) -> Session:
    """Stand just before the next event with a flag."""
    while not int(session.frame().rows[-1]["flags"]) & flag:
        session.run(events=1)
    session.seek(session.timeline.event - 1)
    return session


def shown(
    qtbot: QtBot,
    kind: type[ServersPanel] | type[ServerGridPanel],
    frame: Frame,
    size: tuple[int, int] = SIZE,
) -> ServersPanel | ServerGridPanel:
    panel = kind(LIGHT)
    qtbot.addWidget(panel)
    panel.resize(*size)
    panel.show()
    panel.set_frame(frame)
    return panel


def stacks(qtbot: QtBot, frame: Frame, size: tuple[int, int] = SIZE) -> StackView:
    view = StackView(LIGHT)
    qtbot.addWidget(view)
    view.resize(*size)
    view.show()
    view.set_frame(frame)
    return view


def pixels(widget: QWidget) -> np.ndarray:
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    rows = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)
    return rows[:, : image.width()].copy()


def area(picture: np.ndarray, rect: QRectF) -> np.ndarray:
    box = rect.toAlignedRect()
    return picture[max(0, box.top()) : box.bottom() + 1, max(0, box.left()) : box.right() + 1]


def has(picture: np.ndarray, color: str) -> bool:
    return bool((picture == argb(color)).any())


# Geometry.

SHARES = st.lists(
    st.one_of(
        st.builds(Share, st.sampled_from([1.0, 0.7, 0.45])),
        st.builds(Share, st.just(0.0), st.integers(5, 40)),
    ),
    min_size=1,
    max_size=20,
)


@given(SHARES, st.integers(50, 2000), st.floats(1, 8))
def test_columns_are_disjoint_and_inside(shares: list[Share], room: int, widening: float) -> None:
    columns = spans(shares, room, gap=10, least=20, most=300, widening=widening)
    assert columns[0].left == 0
    for first, second in pairwise(columns):
        assert first.left + first.width == second.left
    for span in columns:
        assert 1 <= span.stack <= span.width
    free = room - sum(item.fixed for item in shares if not item.share)
    parts = sum(item.share for item in shares)
    if widening == 1.0 and free * 0.45 >= 20 * parts:
        assert columns[-1].left + columns[-1].width <= room


@given(st.integers(1, 20_000), st.integers(20, 3000), st.sampled_from([1, 2, 4]))
def test_the_fitting_scale_fits_and_is_the_largest(tallest: int, room: int, line: int) -> None:
    scale = fitting_scale(tallest, room, line)
    assert scale.height(tallest) <= max(room, 1)
    assert scale.strip >= LEAST_STRIP * line
    if scale.group == 1 and scale.strip < 96 * line:
        assert (scale.strip + 1) * tallest > room


@given(st.floats(0.01, 90), st.floats(0.01, 90), st.floats(1.01, 3))
def test_zooming_in_and_out_is_monotone(unit: float, fit: float, factor: float) -> None:
    least = scale_at(min(unit, fit))
    scale = scale_at(max(unit, fit))
    larger = zoomed_scale(scale, factor, least)
    smaller = zoomed_scale(scale, 1 / factor, least)
    assert larger.unit > scale.unit or scale.strip == 96
    assert least.unit <= smaller.unit <= scale.unit


def test_the_scale_stays_calm_while_stacks_grow() -> None:
    scale, changes = None, 0
    for tallest in range(10, 180):
        found = calm_scale(scale, fitting_scale(tallest, 600))
        assert found.height(tallest) <= 600
        changes += found != scale
        scale = found
    assert changes < 20


LAYOUTS = st.builds(
    lambda counts, scale, down, across: StackLayout(
        width=600,
        height=400,
        base=395,
        scale=scale,
        columns=spans([Share(1.0)] * len(counts), 600, 8, 20, 200),
        counts=tuple(counts),
        offset=(across, down),
    ),
    st.lists(st.integers(0, 300), min_size=1, max_size=8),
    st.one_of(
        st.builds(StackScale, st.integers(3, 40), st.just(1)),
        st.builds(StackScale, st.just(3), st.integers(2, 50)),
    ),
    st.integers(0, 500),
    st.integers(0, 50),
)


@given(LAYOUTS)
def test_hit_is_the_inverse_of_layout(layout: StackLayout) -> None:
    for column, count in enumerate(layout.counts):
        for place in {0, count // 3, count // 2, count - 1} if count else ():
            x, y, width, height = layout.box(column, place)
            hit = layout.hit(x + width // 2, y + height // 2)
            if not 0 <= y + height // 2 < layout.height:
                assert hit is not None
                assert hit.place is None
                continue
            assert hit is not None
            assert hit.column == column
            assert hit.place is not None
            assert hit.place // layout.scale.group == place // layout.scale.group


@given(LAYOUTS)
def test_strips_of_a_stack_are_disjoint_and_reach_its_height(layout: StackLayout) -> None:
    for column, count in enumerate(layout.counts):
        boxes = [layout.box(column, i) for i in range(0, count, layout.scale.group)]
        for low, high in pairwise(boxes):
            assert high[1] + high[3] <= low[1]
        if boxes:
            assert boxes[-1][1] == layout.level(count)


@given(
    st.lists(st.integers(0, 14), min_size=1, max_size=6),
    st.integers(20, 400),
    st.integers(3, 96),
    st.booleans(),
    st.sampled_from([1, 2]),
)
def test_slots_are_disjoint_and_inside_their_server(
    slots: list[int], width: int, height: int, several: bool, line: int
) -> None:
    weight = [1.0, 0.3, 0.5, 0.2, 0.9, 0.4][: len(slots)]
    strip = Strip(width, height * line, several, line)
    boxes = slot_boxes(slots, weight, strip)
    taken = np.zeros((strip.height, strip.width), int)
    for box in boxes:
        assert 0 <= box.left <= box.right <= strip.width
        assert 0 <= box.top < box.bottom <= strip.height
        taken[box.top : box.bottom, box.left : box.right] += 1
    assert taken.max(initial=0) <= 1
    if any(box.slot is not None for box in boxes):
        assert len(boxes) == sum(slots)
    else:
        assert [box.job_type for box in boxes] == [j for j, k in enumerate(slots) if k]


CONFIGURATIONS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), unique=True, max_size=6)


@given(st.lists(CONFIGURATIONS, min_size=2, max_size=6))
def test_other_configurations_keep_their_columns(moments: list[list[tuple[int, int]]]) -> None:
    places = assign_places((), moments[0])
    for before, now in pairwise(moments):
        after = assign_places(places, now)
        assert sorted(k for k in after if k is not None) == sorted(now)
        for configuration in set(before) & set(now):
            assert after.index(configuration) == places.index(configuration)
        places = after


@given(
    st.integers(1, 3000), st.integers(60, 1500), st.integers(60, 1000), st.floats(1, 12),
    st.integers(0, 4000), st.integers(0, 4000),
)  # fmt: skip
def test_grid_cells_are_disjoint_and_found_again(
    servers: int, width: int, height: int, zoom: float, x: int, y: int
) -> None:
    layout = zoomed_grid(fitting_grid(servers, width, height), zoom).seen_from(x, y)
    seen = layout.visible()
    rects = layout.rects(seen).astype(int)
    for server, (left, top, _, _) in zip(seen[:50].tolist(), rects[:50].tolist(), strict=True):
        assert layout.at(left, top) == server
    cells = {(left // layout.cell[0], top // layout.cell[1]) for left, top, _, _ in rects.tolist()}
    assert len(cells) == len(seen)
    assert ((rects[:, 0] < width) & (rects[:, 1] < height)).all()
    assert (rects[:, 2] <= layout.cell[0]).all()
    everything = layout.rects(np.arange(servers))
    inside = (
        (everything[:, 0] < width) & (everything[:, 1] < height)
        & (everything[:, 0] + layout.cell[0] > 0) & (everything[:, 1] + layout.cell[1] > 0)
    )  # fmt: skip
    assert np.flatnonzero(inside).tolist() == seen.tolist()


@given(st.lists(st.floats(5, 200), min_size=1, max_size=30), st.floats(200, 900))
def test_the_legend_wraps_without_overlap(widths: list[float], room: float) -> None:
    places = flow(widths, room)
    for (first, second), width in zip(pairwise(places), widths, strict=False):
        assert first is not None
        assert second is not None
        assert second[0] == first[0] + 1 or second[1] >= first[1] + width
    assert all(p is not None and p[1] + w <= room for p, w in zip(places, widths, strict=True))


# Pixels of stacks.


@given(st.data())
def test_drawing_what_changed_gives_the_same_pixels_as_drawing_all(data: st.DataObject) -> None:
    strip = Strip(60, data.draw(st.sampled_from([3, 5, 20])), False, 1)
    palette = raster_palette(LIGHT, 2)
    slots = (3, 2)
    picture = strip_picture(slots, [0.5, 1.0], strip, LIGHT, palette, QFont())
    scale = StackScale(strip.height, data.draw(st.sampled_from([1, 4])) if strip.height == 3 else 1)
    columns = spans([Share(1.0)] * 2, 160, 20, 20, 80)

    def moment() -> tuple[StackContent, ...]:
        contents = []
        for _ in columns:
            count = data.draw(st.integers(0, 30))
            jobs = np.array([data.draw(st.tuples(*(st.integers(0, k) for k in slots)))
                             for _ in range(count)], np.int32).reshape(-1, 2)  # fmt: skip
            reserved = np.zeros(count, bool)
            reserved[-1:] = data.draw(st.booleans())
            contents.append(StackContent(picture, jobs, reserved))
        return tuple(contents)

    followed, fresh = StackRaster(), StackRaster()
    for raster in (followed, fresh):
        raster.resize(160, 200, 1, argb(LIGHT.panel))
    for _ in range(3):
        contents = moment()
        counts = tuple(len(content.jobs) for content in contents)
        layout = StackLayout(160, 200, 198, scale, columns, counts, (0, data.draw(st.just(0))))
        followed.draw(layout, contents)
    fresh.draw(layout, contents)
    assert followed.image == fresh.image
    assert followed.draw(layout, contents) == 0


def test_filled_slots_look_filled_and_empty_ones_empty() -> None:
    strip = Strip(90, 24, False, 1)
    palette = raster_palette(DARK, 2)
    picture = strip_picture((2, 1), [1.0, 1.0], strip, DARK, palette, QFont())
    jobs = np.array([[0, 0], [1, 0], [2, 1]], float)
    strips = picture.strips(jobs, np.array([False, False, False]))
    assert (strips[0] == picture.vacant).all()
    assert (strips[2] == picture.full).all()
    for box in picture.boxes:
        inside = np.s_[box.top : box.bottom, box.left : box.right]
        expected = picture.full if (box.job_type, box.slot) == (0, 0) else picture.vacant
        assert (strips[1][inside] == expected[inside]).all()
        assert not (picture.full[inside] == picture.vacant[inside]).all()
        assert not (picture.reserved[inside] == picture.vacant[inside]).all()


# Pictures.


@pytest.mark.parametrize("kind", [ServersPanel, ServerGridPanel])
@pytest.mark.parametrize("events", [0, 60])
@pytest.mark.parametrize("size", [(900, 500), (1300, 800), (480, 340)])
def test_panels_are_not_blank(
    qtbot: QtBot, kind: type[ServersPanel], events: int, size: tuple[int, int]
) -> None:
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


def test_orange_is_seen_exactly_where_a_reject_group_is(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servers_calm, "STILL", 0.0)
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
        expected = bool(frame.classes.reject_group.any())
        seen.add(expected)
        assert view.scene is not None
        assert has(area(pixels(view), view.scene.regions.stage), LIGHT.reject_group) == expected
        assert has(pixels(grid.view.view), LIGHT.reject_group) == expected
    assert seen == {True, False}


def test_dashed_boxes_are_drawn_exactly_where_servers_are_missing(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servers_calm, "STILL", 0.0)
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
            assert has(area(picture, QRectF(left, scene.y(column.wanted or 0) - 2, 9, 4)),
                       LIGHT.greedy)  # fmt: skip
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
            indexes = frame.classes.index[column.servers]
            assert indexes.tolist() == list(range(len(indexes), 0, -1))
            for server in column.servers.tolist():
                assert tuple(frame.state.configuration[server]) == column.configuration
        for number, held in enumerate(frame.classes.held.tolist()):
            column = figure.columns[number]
            assert column is not None
            assert (column.held, column.position) == (held, number + 1)


def test_the_theme_can_be_changed(qtbot: QtBot) -> None:
    panel = shown(qtbot, ServersPanel, classroom(60).frame())
    assert not has(pixels(panel), DARK.panel)
    panel.set_theme(DARK)
    dark = pixels(panel)
    assert has(dark, DARK.panel)
    assert not has(dark, LIGHT.panel)


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
    assert view.scene.server_at(foot) is None
    assert "GPA wants" in view.words_at(foot)
    for _ in range(60):
        view.zoom(1.25, foot)
        tall_left, tall_right, _ = view.scene.span(tall)
        assert tall_left <= foot.x() <= tall_right
    assert view.scene.layout.scale.group == 1
    assert view.scene.server_at(foot) is not None


def test_a_policy_without_slots_shows_the_servers_by_number(qtbot: QtBot) -> None:
    panel = shown(qtbot, ServersPanel, classroom(60, policy="first-fit").frame())
    assert isinstance(panel, ServersPanel)
    assert panel.grid.isVisible()
    assert not panel.stacks.isVisible()
    assert not has(pixels(panel), LIGHT.reject_group)
    rect = panel.grid.rect_of(0)
    assert rect is not None
    assert panel.grid.words_at(rect.center()).startswith("server 1: ")


def test_panels_have_accessible_names(qtbot: QtBot) -> None:
    for kind in (ServersPanel, ServerGridPanel):
        panel = shown(qtbot, kind, classroom(60).frame())
        view = panel.stacks if isinstance(panel, ServersPanel) else panel.view
        assert panel.accessibleName()
        assert view.accessibleName()
        assert "server" in view.accessibleDescription()


@pytest.mark.parametrize("still", [0.1, 1000.0])
def test_columns_stand_still_for_a_moment_while_running(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, still: float
) -> None:
    monkeypatch.setattr(servers_calm, "STILL", 1000.0)
    session = classroom(30, servers=40)
    view = stacks(qtbot, session.frame())
    view.set_frame(session.frame(running=True))
    names = [view.scene.figure.names]
    while len(names) < 3:
        monkeypatch.setattr(servers_calm, "STILL", 1000.0 if len(names) == 2 else still)
        session.run(events=1)
        frame = session.frame(running=True)
        if figure_of(frame).names not in names:
            names.append(figure_of(frame).names)
            view.set_frame(frame)
    # The first new columns were shown at once; the second ones wait for their time.
    if still > 1:
        assert view.scene.figure.names == names[1]
        view.set_frame(session.frame())
    else:
        qtbot.waitUntil(lambda: view.scene.frame is frame, timeout=3000)
    assert view.scene.figure.names == names[2]


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
    rect = panel.view.rect_of(4)
    assert rect is not None
    with qtbot.waitSignal(panel.intent) as caught:
        qtbot.mouseClick(panel.view.view, Qt.MouseButton.LeftButton,
                         pos=rect.topLeft().toPoint() + QPoint(1, 1))  # fmt: skip
    assert caught.args == [Select(server=4)]
    assert panel.view.words_at(rect.center()).startswith(server_words(panel.frame, 4))


@pytest.mark.parametrize("kind", [ServersPanel, ServerGridPanel])
def test_what_is_selected_anywhere_is_outlined(
    qtbot: QtBot, kind: type[ServersPanel] | type[ServerGridPanel]
) -> None:
    session = classroom(60)
    panel = shown(qtbot, kind, session.frame(running=True))
    plain = pixels(panel)
    panel.set_selection(Select(server=3))
    server = pixels(panel)
    job = int(session.frame().state.job_number.max())
    panel.set_selection(Select(job=job))
    assert not (plain == server).all()
    assert has(server, LIGHT.focus)
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


def wheel(widget: QWidget, point: QPointF, notches: int) -> None:
    event = QWheelEvent(
        point, QPointF(widget.mapToGlobal(point.toPoint())), QPoint(), QPoint(0, 120 * notches),
        Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase,
        False,
    )  # fmt: skip
    QApplication.sendEvent(widget, event)


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
    rect = view.rect_of(40)
    assert rect is not None
    point = rect.center()
    for _ in range(4):
        wheel(view.view, point, 1)
    found = view.server_at(point)
    assert found is not None
    assert found[0] == 40
    assert view.rect_of(40).width() > 2 * rect.width()
    offset = view.grid.offset
    qtbot.mousePress(view.view, Qt.MouseButton.LeftButton, pos=QPoint(300, 300))
    qtbot.mouseMove(view.view, QPoint(310, 280))
    qtbot.mouseRelease(view.view, Qt.MouseButton.LeftButton, pos=QPoint(310, 280))
    assert view.grid.offset == (offset[0] - 10, offset[1] + 20)
    qtbot.keyClick(view.view, Qt.Key.Key_0)
    assert view.rect_of(40) == rect


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


# Movement.


def test_movements_are_what_changed_between_two_moments() -> None:
    session = classroom(10)
    before = session.frame()
    kinds = set()
    for _ in range(150):
        session.step()
        after = session.frame()
        moves = [move for phase in movements(before, after) for move in phase]
        kinds |= {move.kind for move in moves}
        changed = (before.state.stamp != after.state.stamp).nonzero()[0].tolist()
        assert sorted(m.server for m in moves if m.kind == "reassign") == changed
        difference = after.state.placement - before.state.placement
        for move in moves:
            if move.kind == "admit":
                assert difference[move.server, move.job_type] == 1
            elif move.kind == "migrate":
                assert difference[move.source, move.job_type] == -1
        assert movements(before, replace(after, running=True)) == ()
        assert movements(after, before) == ()
        before = after
    assert kinds == {"admit", "migrate", "reassign"}


def test_each_substep_moves_what_it_decides() -> None:
    session = before_event(classroom(5), FLAG_MIGRATED)
    moved = []
    before = session.frame()
    while True:
        session.step_into()
        after = session.frame()
        moved += [move for phase in movements(before, after) for move in phase]
        before = after
        if not after.records:
            break
    assert [move.kind for move in moved if move.kind == "migrate"] == ["migrate"]
    assert all(isinstance(move, Movement) for move in moved)


@pytest.mark.parametrize("flag", [FLAG_MIGRATED, FLAG_REASSIGNED])
def test_what_moves_arrives_and_leaves_no_stale_picture(qtbot: QtBot, flag: int) -> None:
    session = before_event(classroom(5), flag)
    view = stacks(qtbot, session.frame())
    session.step()
    after = session.frame()
    view.set_frame(after)
    assert view.moving
    QTest.qWait(60)
    moving = pixels(view)
    qtbot.waitUntil(lambda: not view.moving, timeout=3000)
    arrived = pixels(view)
    assert not (moving == arrived).all()
    view.set_frame(after)
    assert not view.moving
    assert (arrived == pixels(view)).all()


def test_a_new_moment_ends_all_movement_at_once(qtbot: QtBot) -> None:
    session = before_event(classroom(5), FLAG_MIGRATED)
    view = stacks(qtbot, session.frame())
    session.step()
    view.set_frame(session.frame())
    assert view.moving
    session.run(events=1)
    running = session.frame(running=True)
    view.set_frame(running)
    assert not view.moving
    assert view.event_line.words == ""
    at_once = pixels(view)
    QTest.qWait(450)
    assert (pixels(view) == at_once).all()
    view.resize(SIZE[0] + 40, SIZE[1])
    view.resize(*SIZE)
    fresh = stacks(qtbot, running)
    assert view.scene.figure.places == fresh.scene.figure.places
    assert (pixels(view) == pixels(fresh)).all()


def test_what_a_step_names_is_outlined_in_its_colour(qtbot: QtBot) -> None:
    session = before_event(classroom(5), FLAG_MIGRATED)
    view = stacks(qtbot, session.frame())
    session.step()
    frame = session.frame()
    view.set_frame(frame)
    qtbot.waitUntil(lambda: not view.moving, timeout=3000)
    named = {mark.server for mark in marks(frame) if mark.role == "migration"}
    row = frame.rows[-1]
    assert {int(row["server"]), int(row["source"])} <= named
    assert has(area(pixels(view), view.scene.regions.stage), LIGHT.migration)
    view.set_frame(replace(frame, running=True))
    assert not has(area(pixels(view), view.scene.regions.stage), LIGHT.migration)


@pytest.mark.parametrize("kind", [ServersPanel, ServerGridPanel])
def test_a_rejection_is_said_and_shown_in_red(
    qtbot: QtBot, kind: type[ServersPanel] | type[ServerGridPanel]
) -> None:
    session = before_event(classroom(5), FLAG_REJECTED)
    panel = shown(qtbot, kind, session.frame())
    assert not has(pixels(panel), LIGHT.rejection)
    session.step()
    frame = session.frame()
    panel.set_frame(frame)
    view = panel.stacks if isinstance(panel, ServersPanel) else panel.view
    assert "rejected" in view.event_line.words
    assert view.event_line.rejects
    assert has(pixels(panel), LIGHT.rejection)
    job_type = int(frame.rows[-1]["type"])
    for server in servers_in_the_way(frame):
        assert frame.classes.reject_group[server]
        assert frame.state.configuration[server, job_type] > frame.state.placement[server, job_type]


def test_gpa_is_followed_while_it_is_stepped_through(qtbot: QtBot) -> None:
    session = classroom(60)
    view = stacks(qtbot, session.frame())
    open_columns = 0
    while True:
        session.step_into()
        frame = session.frame()
        view.set_frame(frame)
        if not frame.records:
            break
        figure = figure_of(frame)
        record = frame.records[-1]
        if record.kind in {"configuration_found", "count_found"}:
            column = figure.columns[record.values["i"] - 1]
            assert column is not None
            assert column.configuration == record.values["configuration"]
            assert column.wanted == record.values.get("count")
            open_columns += column.wanted is None
            later = figure.columns[record.values["i"] : figure.greedy]
            assert not any(item.settled for item in later if item is not None)
    assert open_columns > 0


@pytest.mark.parametrize("kind", ["ServersPanel", "ServerGridPanel"])
def test_on_a_fine_screen_points_and_pixels_agree(kind: str) -> None:
    module = "gui.panels.servers" if kind == "ServersPanel" else "gui.panels.servers_grid"
    program = f"""
from PySide6.QtWidgets import QApplication
app = QApplication([])
from {module} import {kind}
from gui.theme import load_theme
from model.api import Session
session = Session.open("dra-classroom", kernel=False)
session.run(events=60)
panel = {kind}(load_theme("light"))
panel.resize(900, 600)
panel.show()
panel.set_frame(session.frame())
assert panel.devicePixelRatioF() == 2
view = getattr(panel, "stacks", None) or panel.view
for server in range(7):
    if hasattr(view, "scene"):
        rect = view.scene.rect(view.scene.server_box(server))
        assert view.scene.server_at(rect.center()) == server
    else:
        assert view.server_at(view.rect_of(server).center())[0] == server
image = panel.grab().toImage()
assert (image.width(), image.height()) == (1800, 1200)
colors = {{image.pixel(x, y) for x in range(0, 1800, 7) for y in range(0, 1200, 3)}}
assert len(colors) > 8, colors
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120,
        env={**os.environ, "QT_SCALE_FACTOR": "2", "QT_QPA_PLATFORM": "offscreen"},
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
