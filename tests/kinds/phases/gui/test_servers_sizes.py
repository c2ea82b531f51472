"""The panel of servers with phases: at any size, in any theme, saved and told."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from gui.kinds.phases import servers_view
from gui.kinds.phases.colours import phase_color
from gui.kinds.phases.servers import PhaseServersPanel
from gui.kinds.phases.servers_legend import entries
from gui.kinds.phases.servers_palette import heat_color
from gui.kinds.phases.servers_scene import PhaseScene
from gui.kinds.phases.servers_sections import ServerPlace
from tests.kinds.phases.gui.servers_views import (
    DARK,
    LIGHT,
    SIZE,
    Made,
    filled,
    run,
    scene_in,
    server_rect,
    shown,
    stage_colors,
)
from tests.kinds.reservation.gui.servers_views import area, has, pixels
from tests.kinds.reservation.gui.servers_views import classroom as loss_classroom

ROOT = Path(__file__).resolve().parents[4]
L, H = 0, 1


def test_an_empty_panel_and_one_with_servers_differ(qtbot: QtBot) -> None:
    panel = PhaseServersPanel(LIGHT)
    qtbot.addWidget(panel)
    panel.resize(*SIZE)
    panel.show()
    nothing = pixels(panel)
    panel.set_frame(filled(Made()).frame())
    something = pixels(panel)
    changed = (nothing != something).mean()
    assert changed > 0.1
    for phase in (L, H):
        shown_share = (something == 0xFF000000 | int(phase_color(LIGHT, phase)[1:], 16)).mean()
        assert shown_share > 0.005


def test_nothing_yet_too_small_and_other_systems_are_said_in_words(qtbot: QtBot) -> None:
    panel = PhaseServersPanel(LIGHT)
    qtbot.addWidget(panel)
    panel.resize(*SIZE)
    panel.show()
    assert len(np.unique(pixels(panel))) > 1
    panel.set_frame(loss_classroom(5).frame())
    assert not panel.view.isVisible()
    panel.set_frame(Made().frame())
    assert panel.view.isVisible()
    assert panel.view.scene is not None
    panel.resize(150, 120)
    assert panel.view.scene is None
    assert panel.view.words_at(QPointF(70, 60)) == ""
    assert len(np.unique(pixels(panel))) > 1
    panel.resize(*SIZE)
    assert panel.view.scene is not None


def test_three_thousand_servers_are_a_raster_of_their_jobs(qtbot: QtBot) -> None:
    session = run("jrs-two-phases", scale="12300")
    frame = session.frame(running=True)
    assert frame.info.facts.normal_servers == 2999
    lattice = frame.info.facts.plan.lattice
    random = np.random.default_rng(1)
    observed = lattice.configurations[random.integers(0, len(lattice), 2999)]
    use = observed @ frame.info.numbers.demand
    state = frame.state._replace(real=observed, use=use, jobs_on=observed.sum(axis=1))
    panel = shown(qtbot, replace(frame, state=state))
    picture, scene = pixels(panel), scene_in(panel)
    cell = scene.layout.grids[0].cell
    assert len(scene.shown[0].index) == 2999
    assert cell.shows_jobs
    assert not cell.labels
    for server in range(0, 2999, 61):
        rect = server_rect(scene, ServerPlace(server))
        mine = area(picture, rect.adjusted(0, 0, -1, -1))
        for phase in (L, H):
            if observed[server, phase] * frame.info.numbers.demand[phase, 0] >= 3:
                assert has(mine, phase_color(LIGHT, phase))
        above = area(picture, rect.adjusted(0, -1, -1, -rect.height()))
        if use[server, 0] > 12:
            assert has(above, LIGHT.rejection)
        hit = scene.at(rect.center())
        assert hit is not None
        assert hit.place == ServerPlace(server)
    panel.view.zoom(1e9, server_rect(scene, ServerPlace(1234)).center())
    close = scene_in(panel)
    assert 1234 in close.shown[0].index
    assert sum(len(part.index) for part in close.shown) < 40


def test_servers_of_a_pixel_tell_their_use_by_darkness(qtbot: QtBot) -> None:
    frame = run("jrs-two-phases", scale="400000").frame(running=True)
    servers = frame.info.facts.normal_servers
    real = np.zeros((servers, 2), np.int32)
    real[:, H] = np.arange(servers) % 5
    use = (real @ frame.info.numbers.demand).astype(np.int64)
    state = frame.state._replace(real=real, use=use, jobs_on=real.sum(axis=1))
    panel = shown(qtbot, replace(frame, state=state))
    picture, scene = pixels(panel), scene_in(panel)
    assert not scene.layout.grids[0].cell.shows_jobs
    found = stage_colors(area(picture, scene.stage))
    assert {LIGHT.rejection, heat_color(LIGHT, 0)} <= found
    assert heat_color(LIGHT, round(0.9 * 23) / 23) in found


@pytest.mark.parametrize("name", ["jrs-classroom", "jrs-two-phases", "jrs-fixed-sizes"])
def test_servers_can_be_drawn_at_any_size_and_zoom(qtbot: QtBot, name: str) -> None:
    panel = shown(qtbot, filled(Made(name)).frame())
    seen = set()
    for size in ((220, 200), (333, 241), (700, 500), (1601, 907)):
        panel.resize(*size)
        for factor in (1.0, 1.3, 1.7, 2.9, 7.0):
            panel.view.zoom(factor, QPointF(size[0] / 3, size[1] / 2))
            seen.add(scene_in(panel).layout.grids[0].cell.labels > 0)
            assert len(np.unique(pixels(panel))) > 3
        panel.view.reset_zoom()
    assert True in seen


def test_the_theme_and_the_size_of_type_can_be_changed(qtbot: QtBot) -> None:
    panel = shown(qtbot, filled(Made()).frame())
    tall = scene_in(panel).layout.grids[0].cell.height
    assert not has(pixels(panel), DARK.panel)
    panel.set_theme(DARK)
    dark = pixels(panel)
    assert has(dark, DARK.panel)
    assert not has(dark, LIGHT.muted)
    font = panel.view.font()
    font.setPointSizeF(font.pointSizeF() * 1.5)
    panel.view.setFont(font)
    assert scene_in(panel).layout.grids[0].cell.height < tall


def test_a_hidden_panel_draws_nothing(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[PhaseScene] = []
    draw = servers_view.draw

    def counted(scene: PhaseScene, *rest: Any) -> None:
        drawn.append(scene)
        draw(scene, *rest)

    monkeypatch.setattr(servers_view, "draw", counted)
    panel = PhaseServersPanel(LIGHT)
    qtbot.addWidget(panel)
    panel.resize(*SIZE)
    session = run("jrs-classroom", 50)
    for _ in range(5):
        session.run(events=1)
        panel.set_frame(session.frame(running=True))
    assert not drawn
    panel.show()
    panel.grab()
    assert drawn


def test_pictures_can_be_saved(qtbot: QtBot, tmp_path: Path) -> None:
    panel = shown(qtbot, run("jrs-classroom", 200).frame())
    panel.save_png(tmp_path / "servers.png")
    panel.save_svg(tmp_path / "servers.svg")
    assert QImage(str(tmp_path / "servers.png")).width() == 2 * SIZE[0]
    assert "Normal servers" in (tmp_path / "servers.svg").read_text(encoding="utf-8")


def test_the_legend_explains_what_is_there() -> None:
    info = Made().frame().info
    kinds = [item.mark for item in entries(info, jobs=True)]
    assert kinds == ["phase", "phase", "virtual", "token", "paused", "timer", "rim", "over"]
    assert [item.words for item in entries(info, jobs=True)[:2]] == ["L: 1", "H: 3"]
    assert [item.mark for item in entries(info, jobs=False)] == ["heat", "over", "token", "paused"]
    hard = Made("jrs-fixed-sizes").frame().info
    assert "over" not in {item.mark for item in entries(hard, jobs=True)}
    assert entries(hard, jobs=True)[0].words == "S small: 2"


def test_the_panel_tells_assistive_tools_what_it_is(qtbot: QtBot) -> None:
    session = run("jrs-classroom", 50)
    frame = session.frame()
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
from gui.kinds.phases.servers import PhaseServersPanel
from gui.kinds.phases.colours import phase_color
from gui.theme import load_theme
from model.api import Session
session = Session.open("jrs-two-phases", kernel=False)
session.run(events=300)
panel = PhaseServersPanel(load_theme("light"))
panel.resize(900, 600)
panel.show()
frame = session.frame(running=True)
panel.set_frame(frame)
assert panel.devicePixelRatioF() == 2
image = panel.grab().toImage()
assert (image.width(), image.height()) == (1800, 1200)
scene, state = panel.view.scene, frame.state
found = 0
for record in (state.job_server != -1).nonzero()[0].tolist():
    rect = scene.job_rects(record)[0]
    if rect.height() < 8 or rect.width() < 16 or state.job_virtual[record]:
        continue
    server = max(0, state.job_server[record])
    if state.tokens_on[server] or state.cost[server] or state.job_server[record] < 0:
        continue
    assert scene.at(rect.center()).record == record
    y = int(2 * rect.top()) + 6
    row = {image.pixelColor(x, y).name() for x in range(int(2 * rect.left()) + 12,
                                                        int(2 * rect.right()) - 12)}
    assert phase_color(load_theme("light"), int(state.job_phase[record])) in row, row
    found += 1
assert found > 3
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
