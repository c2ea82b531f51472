"""The panel of servers of moldable jobs: at any size, in any theme, saved and told."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from gui.kinds.moldable import servers_view
from gui.kinds.moldable.colours import width_color
from gui.kinds.moldable.servers import MoldableServersPanel
from gui.kinds.moldable.servers_palette import free_color
from gui.kinds.moldable.servers_scene import MoldableScene
from tests.kinds.moldable.gui.servers_views import (
    DARK,
    LIGHT,
    SIZE,
    Made,
    colours,
    filled,
    run,
    scene_in,
    server_rect,
    share_of,
    shown,
)
from tests.kinds.reservation.gui.servers_views import area, has, pixels
from tests.kinds.reservation.gui.servers_views import classroom as loss_classroom

ROOT = Path(__file__).resolve().parents[4]


def test_an_empty_panel_and_one_with_jobs_differ(qtbot: QtBot) -> None:
    panel = MoldableServersPanel(LIGHT)
    qtbot.addWidget(panel)
    panel.resize(*SIZE)
    panel.show()
    nothing = pixels(panel)
    panel.set_frame(Made().frame())
    free = pixels(panel)
    panel.set_frame(filled(Made()).frame(1.0))
    something = pixels(panel)
    assert (nothing != free).mean() > 0.01
    assert (free != something).mean() > 0.3
    present = {int(width) for width in filled(Made()).state.job_width if width}
    for width in present:
        assert share_of(something, width_color(LIGHT, width)) > 0.003


def test_nothing_yet_too_small_and_other_systems_are_said_in_words(qtbot: QtBot) -> None:
    panel = MoldableServersPanel(LIGHT)
    qtbot.addWidget(panel)
    panel.resize(*SIZE)
    panel.show()
    assert len(np.unique(pixels(panel))) > 1
    panel.set_frame(loss_classroom(5).frame())
    assert not panel.view.isVisible()
    panel.set_frame(Made().frame())
    assert panel.view.isVisible()
    assert panel.view.scene is not None
    panel.resize(150, 150)
    assert panel.view.scene is None
    assert panel.view.hovered() is None
    assert panel.view.words_at(QPointF(70, 120)) == ""
    assert len(np.unique(pixels(panel))) > 1
    panel.resize(*SIZE)
    assert panel.view.scene is not None


@pytest.mark.parametrize("servers", [5, 20, 100, 400, 1_000, 4_000, 10_000, 100_000])
def test_jobs_have_the_colours_of_their_widths_from_5_to_100_000_servers(qtbot: QtBot, servers: int) -> None:
    made = Made(servers=servers)
    random = np.random.default_rng(servers)
    for _ in range(min(400, servers // 6 + 1)):
        made.job(int(random.integers(1, 6)) if servers > 5 else 2)
    panel = shown(qtbot, made.frame(10.0))  # all of them have just been executed
    picture, scene = pixels(panel), scene_in(panel)
    state, cell = made.state, scene.layout.cell
    assert cell.written == (servers <= 1_000)
    assert cell.fills == (servers <= 10_000)
    assert scene.layout.content[0] <= scene.layout.width
    assert scene.layout.content[1] <= scene.layout.height
    used = int((state.server_job >= 0).sum())
    for server in range(0, used, max(1, used // 60)):
        rect = server_rect(scene, server)
        found = area(picture, rect.adjusted(0, 0, -0.01, -0.01))
        assert has(found, width_color(LIGHT, int(state.job_width[state.server_job[server]])))
        hit = scene.at(rect.center())
        assert hit is not None
        assert hit.record == state.server_job[server]
    free = area(picture, server_rect(scene, servers - 1).adjusted(0, 0, -0.01, -0.01))
    assert colours(free) & {LIGHT.empty, free_color(LIGHT)}
    panel.view.zoom(1e9, server_rect(scene, used // 2).center())
    close = scene_in(panel)
    assert used // 2 in close.shown[0].index
    assert sum(len(part.index) for part in close.shown) < 60
    assert close.layout.cell.written


def test_more_servers_than_pixels_are_mixed_and_can_be_zoomed(qtbot: QtBot) -> None:
    made = Made(servers=600_000)
    made.state.server_job[:300_000] = np.arange(300_000) // 5 * 5
    heads = np.arange(0, 300_000, 5)
    made.state.job_width[heads] = made.state.job_request[heads] = 5
    made.state.job_departure[heads] = 10.0
    made.state.job_number[heads] = heads
    made.state.jobs[0, 5] = len(heads)
    made.state.run_length[heads] = 5
    panel = shown(qtbot, made.frame(9.9), (500, 400))
    scene, picture = scene_in(panel), pixels(panel)
    assert scene.layout.grids[0].per > 1
    servers = scene.section_rect(0)
    full = area(picture, QRectF(servers.left() + 10, servers.top() + 10, 100, 20))
    assert colours(full) == {width_color(LIGHT, 5)}
    last = QRectF(servers.left() + 10, servers.bottom() - 30, 100, 20)
    assert colours(area(picture, last)) == {free_color(LIGHT)}
    for _ in range(60):
        panel.view.zoom(1.3, QPointF(200, 200))
        assert len(np.unique(pixels(panel))) > 3
    assert scene_in(panel).layout.grids[0].per == 1
    assert scene_in(panel).layout.cell.numbered


@pytest.mark.parametrize("name", ["moldable-classroom", "moldable-classes"])
@pytest.mark.parametrize("servers", [60, 3000])
def test_servers_can_be_drawn_at_any_size_and_zoom(qtbot: QtBot, name: str, servers: int) -> None:
    panel = shown(qtbot, filled(Made(name, servers)).frame(1.0))
    seen = set()
    for size in ((220, 260), (333, 241), (700, 500), (1601, 907), (3000, 1700)):
        panel.resize(*size)
        for factor in (1.0, 1.3, 1.7, 2.9, 7.0):
            panel.view.zoom(factor, QPointF(size[0] / 3, size[1] / 2))
            seen.add(scene_in(panel).layout.cell.written)
            assert len(np.unique(pixels(panel))) > 3
        panel.view.reset_zoom()
    assert seen == {True, False} or servers == 60


def test_the_theme_and_the_size_of_type_can_be_changed(qtbot: QtBot) -> None:
    panel = shown(qtbot, filled(Made("moldable-classes", 60)).frame(1.0))
    tall = scene_in(panel).layout.cell.height
    assert share_of(pixels(panel), LIGHT.panel) > 0.2
    panel.set_theme(DARK)
    dark = pixels(panel)
    assert share_of(dark, DARK.panel) > 0.2
    assert share_of(dark, LIGHT.panel) < 0.001
    font = panel.view.font()
    font.setPointSizeF(font.pointSizeF() * 1.5)
    panel.view.setFont(font)
    assert scene_in(panel).layout.cell.height < tall


def test_a_hidden_panel_draws_nothing(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[MoldableScene] = []
    draw = servers_view.draw

    def counted(scene: MoldableScene, *rest: Any) -> None:
        drawn.append(scene)
        draw(scene, *rest)

    monkeypatch.setattr(servers_view, "draw", counted)
    panel = MoldableServersPanel(LIGHT)
    qtbot.addWidget(panel)
    panel.resize(*SIZE)
    session = run(events=50)
    for _ in range(5):
        session.run(events=1)
        panel.set_frame(session.frame(running=True))
    assert not drawn
    panel.show()
    panel.grab()
    assert drawn


def test_pictures_can_be_saved(qtbot: QtBot, tmp_path: Path) -> None:
    panel = shown(qtbot, run("moldable-classes", 100, servers=60).frame())
    panel.save_png(tmp_path / "servers.png")
    panel.save_svg(tmp_path / "servers.svg")
    assert QImage(str(tmp_path / "servers.png")).width() == 2 * SIZE[0]
    assert "Reserved for analysis" in (tmp_path / "servers.svg").read_text(encoding="utf-8")


def test_the_panel_tells_assistive_tools_what_it_is(qtbot: QtBot) -> None:
    frame = run(events=50).frame()
    panel = shown(qtbot, frame)
    assert panel.accessibleName() == "Servers"
    assert panel.view.accessibleName()
    words = frame.info.narrator.row(frame.rows[-1])
    assert panel.view.accessibleDescription().lower() == words.lower()


@pytest.mark.skipif(sys.platform != "linux", reason="QT_SCALE_FACTOR is tried on Linux only")
def test_at_twice_the_size_pixels_and_points_agree() -> None:
    program = """
from PySide6.QtWidgets import QApplication
application = QApplication([])
from gui.kinds.moldable.servers import MoldableServersPanel
from gui.kinds.moldable.colours import width_color
from gui.theme import load_theme
from model.api import Session
session = Session.open("moldable-classroom", kernel=False)
session.run(events=100)
panel = MoldableServersPanel(load_theme("light"))
panel.resize(900, 600)
panel.show()
frame = session.frame(running=True)
panel.set_frame(frame)
assert panel.devicePixelRatioF() == 2
image = panel.grab().toImage()
assert (image.width(), image.height()) == (1800, 1200)
scene, state = panel.view.scene, frame.state
found = 0
for server, record in enumerate(state.server_job.tolist()):
    rect = scene.server_rect(server)
    hit = scene.at(rect.center())
    assert (hit.server, hit.record) == (server, record if record >= 0 else None)
    if record < 0:
        continue
    last = int(2 * rect.bottom())
    row = {image.pixelColor(int(2 * rect.center().x()), y).name() for y in range(last - 8, last)}
    assert width_color(load_theme("light"), int(state.job_width[record])) in row, row
    found += 1
assert found > 10
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
