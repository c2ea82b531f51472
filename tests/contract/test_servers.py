"""Every picture of servers can be selected in, zoomed, dragged and saved, and is always up to date."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QHelpEvent, QImage
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from slotscope.gui.intents import Select
from slotscope.gui.painting.colour import argb
from slotscope.gui.painting.text import Symbols
from slotscope.gui.panels.wording import sentence
from slotscope.gui.pictures.legend import GRADIENT, LINES, PictureLegend
from slotscope.gui.pictures.picture import PicturePanel
from slotscope.model.reporting.frame import Frame
from tests.contract.moments import SMALL
from tests.contract.servers import PICTURES, ServersPicture, outside, server_of, servers_of
from tests.gui.painted import area, pixels, scene_in, wheel
from tests.kinds.reservation.gui.servers_views import DARK, LIGHT, classroom
from tests.runs import ran

SIZE = (900, 600)
MIDDLE = QPointF(450, 300)

every = pytest.mark.parametrize("picture", PICTURES.values(), ids=PICTURES.keys())
Show = Callable[..., Any]


@pytest.fixture
def show(qtbot: QtBot, picture: ServersPicture) -> Show:
    """Show a frame, or no frame, in a panel of the given size."""

    def shown(frame: Frame | None = None, size: tuple[int, int] = SIZE) -> PicturePanel:
        panel = picture.panel(LIGHT)
        qtbot.addWidget(panel)
        panel.resize(*size)
        panel.show()
        if frame is not None:
            panel.set_frame(frame)
        return panel

    return shown


# What is seen.


@every
def test_nothing_yet_servers_and_jobs_look_different(picture: ServersPicture, show: Show) -> None:
    panel = show()
    nothing = pixels(panel)
    assert len(np.unique(nothing)) > 1
    panel.set_frame(picture.few())
    assert (pixels(panel) != nothing).mean() > 0.05


@every
def test_too_small_and_other_systems_are_said_in_words(picture: ServersPicture, show: Show) -> None:
    panel = show(classroom(5).frame())
    assert not panel.view.isVisible()
    panel.set_frame(picture.few())
    assert panel.view.isVisible()
    assert panel.view.scene is not None
    panel.resize(150, 80)
    assert panel.view.scene is None
    assert panel.view.words_at(QPointF(70, 60)) == ""
    assert len(np.unique(pixels(panel))) > 1
    panel.view.zoom(2.0, QPointF(70, 60))
    panel.resize(*SIZE)
    assert panel.view.scene is not None


@pytest.mark.slow
@every
def test_it_can_be_drawn_at_any_size_and_zoom(picture: ServersPicture, show: Show) -> None:
    for frame in (picture.few(), picture.many()):
        panel = show(frame)
        for size in ((220, 260), (333, 241), (700, 500), (1601, 907)):
            panel.resize(*size)
            for factor in (1.0, 1.3, 1.7, 2.9, 7.0):
                panel.view.zoom(factor, QPointF(size[0] / 3, size[1] / 2))
                assert len(np.unique(pixels(panel))) > 3
            panel.view.reset_zoom()


@every
def test_the_theme_and_the_size_of_type_can_be_changed(picture: ServersPicture, show: Show) -> None:
    panel = show(picture.few())
    stage = scene_in(panel).stage
    for theme, other in ((LIGHT, DARK), (DARK, LIGHT)):
        panel.set_theme(theme)
        picture_now = pixels(panel)
        assert (picture_now == argb(theme.panel)).mean() > 0.15
        # White letters on dark job types have the light theme's background colour; nothing else has it.
        assert (picture_now[[0, -1]] == argb(theme.panel)).all()
        assert (picture_now == argb(other.panel)).mean() < 0.005
    font = panel.view.font()
    font.setPointSizeF(font.pointSizeF() * 1.5)
    panel.view.setFont(font)
    assert scene_in(panel).stage.height() < stage.height()


@every
def test_a_hidden_panel_draws_nothing(picture: ServersPicture, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Frame] = []
    made = picture.panel.picture._made
    monkeypatch.setattr(
        picture.panel.picture, "_made", lambda view, frame, stage: (drawn.append(frame), made(view, frame, stage))[1]
    )
    panel = picture.panel(LIGHT)
    qtbot.addWidget(panel)
    panel.resize(*SIZE)
    session = picture.session()
    for _ in range(3):
        session.run(events=1)
        panel.set_frame(session.frame(running=True))
    assert not drawn
    panel.show()
    panel.grab()
    assert len(drawn) == 1


@every
def test_it_is_the_same_however_it_was_reached(picture: ServersPicture, show: Show) -> None:
    session = picture.session()
    panel = show(session.frame(running=True))
    panel.grab()
    for _ in range(6):
        session.run(events=7)
        frame = session.frame(running=True)
        panel.set_frame(frame)
        assert (pixels(panel) == pixels(show(frame))).all()


@every
def test_moving_leaves_nothing_stale_behind(picture: ServersPicture, qtbot: QtBot, show: Show) -> None:
    panel, fresh = show(picture.many()), show(picture.many())
    panel.view.zoom(3.0, MIDDLE)
    for step in (QPoint(-400, 300), *[QPoint(3, -47)] * 6, QPoint(5, 90)):
        drag(qtbot, panel, step)
        fresh.view._rasters = type(panel.view)(LIGHT)._rasters
        fresh.view._zoom, fresh.view._fit = panel.view._zoom, None
        fresh.view._look(*panel.view._offset)
        layout = scene_in(panel).layout
        assert scene_in(fresh).layout == layout
        for number, raster in enumerate(panel.view._rasters):
            for first in layout.visible(number)[:1].tolist():
                assert raster.origin == layout.corner(number, first)
        assert (pixels(panel) == pixels(fresh)).all()


@every
def test_it_can_be_saved(picture: ServersPicture, show: Show, tmp_path: Any) -> None:
    panel = show(picture.few())
    panel.save_png(tmp_path / "servers.png")
    panel.save_svg(tmp_path / "servers.svg")
    assert QImage(str(tmp_path / "servers.png")).width() == 2 * SIZE[0]
    assert picture.told in (tmp_path / "servers.svg").read_text(encoding="utf-8")


@every
def test_assistive_tools_are_told_what_it_is(picture: ServersPicture, show: Show) -> None:
    session = picture.session()
    session.step()
    frame = session.frame()
    panel = show(frame)
    assert panel.accessibleName() == "Servers"
    assert panel.view.accessibleName()
    words = panel.view.accessibleDescription()
    assert words
    panel.set_frame(session.frame(running=True))
    assert panel.view.accessibleDescription() == words


# Pointing.


@every
def test_every_server_and_every_job_is_found_where_it_is_drawn(picture: ServersPicture, show: Show) -> None:
    for size in (SIZE, (1300, 800)):
        scene = scene_in(show(picture.few(), size))
        for server in servers_of(picture.few()):
            hit = scene.at(picture.rect(scene, server).center())
            assert server_of(hit) == server
        jobs = picture.jobs(scene)
        assert len(jobs) > 3
        for rects, record, _ in jobs:
            for rect in rects:
                inside = rect.adjusted(0.1, 0.1, -0.1, -0.1)
                for point in (inside.center(), inside.topLeft(), inside.bottomRight()):
                    assert rect.height() < 1 or scene.at(point).record == record


@every
def test_click_selects_and_double_click_opens(picture: ServersPicture, qtbot: QtBot, show: Show) -> None:
    frame = picture.few()
    panel = show(frame)
    scene = scene_in(panel)
    for rects, _, number in picture.jobs(scene)[:5]:
        rect = max(rects, key=lambda rect: rect.height() * rect.width())
        point = rect.center().toPoint()
        server = server_of(scene.at(QPointF(point)))
        for press, floating in ((qtbot.mouseClick, False), (qtbot.mouseDClick, True)):
            with qtbot.waitSignal(panel.intent) as caught:
                press(panel.view, Qt.MouseButton.LeftButton, pos=point)
            assert caught.args == [Select(server=server, job=number, floating=floating)]
    alone = [server for server in servers_of(frame) if scene.at(picture.rect(scene, server).center()).record is None]
    with qtbot.waitSignal(panel.intent) as caught:
        qtbot.mouseClick(panel.view, Qt.MouseButton.LeftButton, pos=picture.rect(scene, alone[0]).center().toPoint())
    assert caught.args == [Select(server=alone[0])]
    with qtbot.assertNotEmitted(panel.intent):
        qtbot.mouseClick(panel.view, Qt.MouseButton.LeftButton, pos=QPoint(450, 10))
    panel.view.zoom(2.0, rect.center())
    qtbot.mouseDClick(panel.view, Qt.MouseButton.LeftButton, pos=QPoint(450, 10))
    assert scene_in(panel).layout == scene.layout


@every
def test_hover_says_what_is_there(picture: ServersPicture, show: Show) -> None:
    panel = show(picture.few())
    told = set()
    for rects, _, _ in picture.jobs(scene_in(panel))[:9]:
        point = rects[0].center().toPoint()
        event = QHelpEvent(QEvent.Type.ToolTip, point, panel.view.mapToGlobal(point))
        QApplication.sendEvent(panel.view, event)
        words = QToolTip.text()
        QToolTip.hideText()
        assert words == panel.view.words_at(QPointF(point))
        told.add(words)
    assert len(told) == len(picture.jobs(scene_in(panel))[:9])


@every
def test_above_the_picture_hover_says_the_whole_sentence(picture: ServersPicture, show: Show) -> None:
    """Beside another policy there is only room for its beginning."""
    session = ran(SMALL[next(name for name, one in PICTURES.items() if one is picture)], events=20)
    panel = show(session.frame(), (320, 420))
    said = sentence(session.frame())
    assert said
    assert panel.view.words_at(QPointF(40, 12)) == said
    assert panel.view.accessibleDescription() == said


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="QT_SCALE_FACTOR is tried on Linux only")
def test_at_twice_the_size_pixels_and_points_agree() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.contract.servers"],
        cwd=Path(__file__).resolve().parents[2],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "QT_SCALE_FACTOR": "2", "QT_QPA_PLATFORM": "offscreen"},
        check=False,
    )
    assert done.returncode == 0, done.stderr


@every
def test_what_is_selected_anywhere_is_outlined_and_nothing_else(picture: ServersPicture, show: Show) -> None:
    panel = show(picture.few())
    plain, scene = pixels(panel), scene_in(panel)
    named = [(Select(server=server), [picture.rect(scene, server)]) for server in servers_of(picture.few())[::7]]
    named += [(Select(job=number), rects) for rects, _, number in picture.jobs(scene)[::3]]
    for selection, rects in named:
        panel.set_selection(selection)
        changed = np.argwhere(pixels(panel) != plain)
        assert len(changed)
        assert not len(outside(changed, rects))
        y, x = changed.T  # the outline surrounds the rectangles
        around = rects[0].united(rects[-1])
        assert (x.min(), y.min()) <= (around.right(), around.bottom())
        assert x.max() - x.min() >= min(rect.width() for rect in rects) - 4
    for selection in (Select(server=99_999, job=99_999_999), Select()):
        panel.set_selection(selection)
        assert (pixels(panel) == plain).all()


class Words(NamedTuple):
    words: str
    mark: str = "heat"


class Legend(PictureLegend):
    def _entries(self, full: bool) -> list[Words]:
        return [Words("in full, and so in many words" if full else "in short") for _ in range(5)]


def test_a_legend_flows_from_line_to_line_in_short_where_it_must(qtbot: QtBot) -> None:
    text = Symbols(QApplication.font())
    full, short = (
        text.width(item.words) for item in (Legend._entries(Legend, True)[0], Legend._entries(Legend, False)[0])
    )
    wide = GRADIENT * text.height + Legend.gap
    for length, words in ((full, "in full"), (short, "in short")):
        step = wide + length + Legend.between
        placed = Legend(text, LIGHT).placed(3 * step)
        assert all(item.words.startswith(words) for item, *_ in placed)
        assert [place for _, *place in placed] == [
            [line, pytest.approx(n * step)] for line, n in ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1))
        ]
    assert len(Legend(text, LIGHT).placed(wide + short)) == LINES


# Zooming.


def drag(qtbot: QtBot, panel: PicturePanel, by: QPoint) -> None:
    middle = MIDDLE.toPoint()
    qtbot.mousePress(panel.view, Qt.MouseButton.LeftButton, pos=middle)
    qtbot.mouseMove(panel.view, middle + by)
    qtbot.mouseRelease(panel.view, Qt.MouseButton.LeftButton, pos=middle + by)


@every
def test_the_wheel_zooms_around_the_mouse_and_keys_reset(picture: ServersPicture, qtbot: QtBot, show: Show) -> None:
    panel = show(picture.many())
    whole, servers = scene_in(panel).layout, servers_of(picture.many())
    chosen = servers[len(servers) // 3]
    point = picture.rect(scene_in(panel), chosen).center()
    for _ in range(8):
        wheel(panel.view, point, 1)
        assert server_of(scene_in(panel).at(point)) == chosen
    assert scene_in(panel).layout.cell.height > 3 * whole.cell.height
    qtbot.keyClick(panel.view, Qt.Key.Key_0)
    assert scene_in(panel).layout == whole
    qtbot.keyClick(panel.view, Qt.Key.Key_Plus)
    assert scene_in(panel).layout.cell.height > whole.cell.height
    for _ in range(20):
        qtbot.keyClick(panel.view, Qt.Key.Key_Minus)
    assert scene_in(panel).layout == whole


@every
def test_dragging_moves_the_picture_within_its_bounds(picture: ServersPicture, qtbot: QtBot, show: Show) -> None:
    panel = show(picture.many())
    panel.view.zoom(4.0, MIDDLE)
    before, old, stage = scene_in(panel).layout.offset, pixels(panel), scene_in(panel).stage
    by = QPoint(-170, 20)  # more than the width of a server
    drag(qtbot, panel, by)
    assert scene_in(panel).layout.offset == (before[0] - by.x(), before[1] - by.y())
    part = stage.adjusted(220, 60, -80, -60)
    assert (area(old, part) == area(pixels(panel), part.translated(QPointF(by)))).mean() > 0.97
    drag(qtbot, panel, QPoint(9_999, 9_999))
    assert scene_in(panel).layout.offset == (0, 0)
    panel.view.reset_zoom()
    assert scene_in(panel).layout.offset == (0, 0)


@every
def test_another_run_is_shown_as_a_whole(picture: ServersPicture, show: Show) -> None:
    session, other = picture.session(), picture.session()
    panel = show(session.frame())
    whole = scene_in(panel).layout
    panel.view.zoom(4.0, MIDDLE)
    close = scene_in(panel).layout
    assert close != whole
    session.run(events=1)
    panel.set_frame(session.frame())
    assert scene_in(panel).layout == close
    panel.set_frame(other.frame())
    assert scene_in(panel).layout == whole
