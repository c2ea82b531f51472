"""The panel of servers as bins: what is seen, and what the mouse finds."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from gui.kinds.queue import bins_view
from gui.kinds.queue.bins import ServerBinsPanel
from gui.kinds.queue.bins_legend import entries
from gui.kinds.queue.bins_palette import heat_color
from gui.kinds.queue.bins_scene import BinScene
from gui.kinds.queue.bins_words import server_words
from gui.kinds.queue.colours import look_color
from gui.painting.colour import argb
from model.kinds.queue.programs.partition import Partition
from tests.kinds.queue.gui.bins_views import (
    DARK,
    LIGHT,
    SIZE,
    block_rects,
    colors,
    filled,
    run,
    scene_in,
    shown,
    until_placed,
    with_stalled,
)
from tests.kinds.reservation.gui.servers_views import area, has, pixels
from tests.kinds.reservation.gui.servers_views import classroom as loss_classroom

ROOT = Path(__file__).resolve().parents[4]


# Pictures.


@pytest.mark.parametrize("size", [(900, 500), (1300, 800), (420, 340)])
@pytest.mark.parametrize("policy", ["vqs", "vqs-bf", "max-weight", "bf-js", "fifo-ff"])
def test_jobs_have_the_colours_of_their_sizes(qtbot: QtBot, policy: str, size: tuple[int, int]) -> None:
    frame = run("queues-classroom", 300, policy).frame()
    panel = shown(qtbot, frame, size)
    picture, scene = pixels(panel), scene_in(panel)
    assert scene.blocks is not None
    partition = Partition(4)  # the smallest size is 1/10
    look = partition.queue_of(scene.blocks.size[:, 0], int(frame.info.numbers.largest[0]))
    for rect, one in zip(block_rects(scene), look.tolist(), strict=True):
        inside = area(picture, rect.adjusted(3, 3, -3, -3))
        assert has(inside, look_color(LIGHT, one))


def test_nothing_yet_too_small_and_other_systems_are_said_in_words(qtbot: QtBot) -> None:
    panel = ServerBinsPanel(LIGHT)
    qtbot.addWidget(panel)
    panel.resize(*SIZE)
    panel.show()
    assert len(np.unique(pixels(panel))) > 1
    panel.set_frame(loss_classroom(5).frame())
    assert not panel.view.isVisible()
    panel.set_frame(run("queues-classroom", 100).frame())
    assert panel.view.isVisible()
    assert panel.view.scene is not None
    panel.resize(150, 120)
    assert panel.view.scene is None
    assert panel.view.words_at(QPointF(70, 60)) == ""
    assert len(np.unique(pixels(panel))) > 1
    panel.resize(*SIZE)
    assert panel.view.scene is not None


def test_before_the_first_slot_all_bins_are_empty(qtbot: QtBot) -> None:
    frame = run("queues-classroom").frame()
    panel = shown(qtbot, frame)
    scene = scene_in(panel)
    assert scene.blocks is not None
    assert not len(scene.blocks.record)
    assert has(pixels(panel), LIGHT.muted)
    words = server_words(frame, 0)
    assert "no active configuration yet" in words
    assert words.endswith("no job")


def test_room_lost_to_rounding_is_hatched(qtbot: QtBot) -> None:
    session = run("queues-classroom", 100, "vqs-bf", parameters={"j": 3})
    panel = shown(qtbot, session.frame())
    seen = 0
    while seen < 3:
        session.run(events=5)
        panel.set_frame(session.frame(running=True))
        scene = scene_in(panel)
        blocks, levels = scene.blocks, scene.levels
        assert blocks is not None and levels is not None
        picture = pixels(panel)
        for block in np.flatnonzero((blocks.room > blocks.size).any(axis=1)).tolist():
            x, y, width, _ = scene.block_box(block, 0)
            high = int(levels.high[block, 0] - levels.middle[block, 0])
            waste = area(picture, scene.rect((x, y + 1, width, high - 2)).adjusted(4, 0, -4, -1))
            color = look_color(LIGHT, int(scene.job_class[block]))
            assert colors(waste) == {LIGHT.panel, color}
            assert (waste == argb(LIGHT.panel)).mean() > 0.6
            seen += 1


def test_what_vqs_reserves_is_hatched_where_it_is_empty(qtbot: QtBot) -> None:
    session = run("queues-pools", 200, "vqs")
    panel = shown(qtbot, session.frame(), (1300, 900))
    seen = set()
    for _ in range(12):
        session.run(events=20)
        panel.set_frame(session.frame(running=True))
        scene = scene_in(panel)
        levels = scene.levels
        assert levels is not None
        picture = pixels(panel)
        for place, server in enumerate(scene.servers.tolist()):
            low, high = int(levels.kept[place, 0]), int(levels.reserve[place, 0])
            x = scene.layout.corner(server)[0] + scene.layout.cell.bin_left(0)
            box = (x + 4, scene.layout.floor(server) - high, scene.layout.cell.bin - 8, high - low)
            if high - low > 6:
                assert has(area(picture, scene.rect(box)), LIGHT.reserved)
            seen.add(high - low > 6)
    assert seen == {True, False}
    panel.set_frame(run("queues-pools", 400, "vqs-bf").frame(running=True))
    stage = area(pixels(panel), scene_in(panel).stage)
    assert not has(stage, LIGHT.reserved)


def test_stalled_servers_are_dimmed_and_have_a_lid(qtbot: QtBot) -> None:
    frame = replace(with_stalled(), running=True)
    panel = shown(qtbot, frame, (1300, 800))
    picture, scene = pixels(panel), scene_in(panel)
    assert scene.blocks is not None and scene.levels is not None
    for block, rect in enumerate(block_rects(scene)):
        place = int(scene.blocks.place[block])
        stalled = bool(frame.state.stalled[scene.servers[place]])
        inside = area(picture, rect.adjusted(4, 4, -4, -4))
        color = look_color(LIGHT, int(scene.job_class[block]))
        assert has(inside, color) != stalled
    for place, server in enumerate(scene.servers.tolist()):
        x = scene.layout.corner(server)[0] + scene.layout.cell.bin_left(0)
        top = scene.layout.floor(server) - int(scene.levels.capacity[place, 0])
        lid = area(picture, scene.rect((x + 4, top - 2, scene.layout.cell.bin - 8, 1)))
        assert has(lid, LIGHT.run) == bool(frame.state.stalled[server])
    stalled = int(np.flatnonzero(frame.state.stalled)[0])
    assert "stalled" in server_words(frame, stalled)


def test_a_gauge_tells_how_much_service_a_job_has_had(qtbot: QtBot) -> None:
    frame = run("queues-wide-jobs", 400, "bf-js").frame(running=True)
    panel = shown(qtbot, frame)
    picture, scene = pixels(panel), scene_in(panel)
    blocks = scene.blocks
    assert blocks is not None
    assert len(set(blocks.served.tolist())) > 3
    for block, rect in enumerate(block_rects(scene)):
        line = picture[round(rect.bottom()) - 2, round(rect.left()) + 3 : round(rect.right()) - 3]
        ends = np.flatnonzero(np.diff(line.astype(np.int64)))
        assert len(ends) <= 1
        if len(ends):
            assert (ends[0] + 1) / len(line) == pytest.approx(blocks.served[block], abs=0.02)
        else:
            assert blocks.served[block] in (pytest.approx(0, abs=0.02), pytest.approx(1, abs=0.02))


def test_smaller_servers_are_lower(qtbot: QtBot) -> None:
    frame = run("queues-pools", 50).frame()
    scene = scene_in(shown(qtbot, frame, (1300, 800)))
    heights = [scene.server_rect(server).height() - 2 for server in (0, 2, 13)]
    assert heights[1] == pytest.approx(heights[0] / 2, abs=1)
    assert heights[2] == pytest.approx(heights[0] / 4, abs=1)


def test_each_resource_has_a_column(qtbot: QtBot) -> None:
    frame = run("queues-two-resources", 500).frame()
    panel = shown(qtbot, frame, (1300, 800))
    scene = scene_in(panel)
    blocks = scene.blocks
    assert blocks is not None
    left, right = block_rects(scene, 0), block_rects(scene, 1)
    largest = frame.info.numbers.largest
    for block in range(len(left)):
        assert left[block].right() < right[block].left()
        for rects, resource in ((left, 0), (right, 1)):
            share = blocks.room[block, resource] / largest[resource]
            assert rects[block].height() == pytest.approx(share * scene.layout.cell.tall, abs=1)
    words = server_words(frame, 0)
    assert "CPU" in words
    assert "memory" in words
    assert any(
        item.mark == "resources" for item in entries(frame.info.numbers, frame.info.facts, jobs=True, stalls=False)
    )


def test_the_active_configuration_stands_beside_the_bin(qtbot: QtBot) -> None:
    session = run("queues-classroom", 200, "vqs")
    panel = shown(qtbot, session.frame())
    for _ in range(10):
        session.run(events=10)
        frame = session.frame(running=True)
        panel.set_frame(frame)
        picture, scene = pixels(panel), scene_in(panel)
        cell = scene.layout.cell
        for server, active in enumerate(frame.state.active.tolist()):
            box = scene.layout.corner(server)[0] + cell.left, 40, cell.bar, cell.tall
            bar = colors(area(picture, scene.rect(box)))
            for queue, count in enumerate(frame.info.facts.configurations[active].tolist()):
                assert (look_color(LIGHT, queue) in bar) == bool(count)


def test_policies_without_configurations_have_no_bars(qtbot: QtBot) -> None:
    scene = scene_in(shown(qtbot, run("queues-classroom", 50, "bf-js").frame()))
    assert scene.layout.cell.bar == 0
    assert scene.layout.cell.labels == 1


def test_ten_thousand_servers_are_a_raster_of_their_use(qtbot: QtBot) -> None:
    frame = filled(run("queues-wide-jobs", servers=10_000).frame(running=True))
    panel = shown(qtbot, frame)
    scene = scene_in(panel)
    assert scene.blocks is None
    picture = pixels(panel)
    share = frame.state.used[:, 0] / frame.info.numbers.capacity[:, 0]
    for server in (int(share.argmin()), int(share.argmax())):
        point = scene.server_rect(server).center().toPoint()
        pixel = f"#{int(picture[point.y(), point.x()]) & 0xFFFFFF:06x}"
        step = round(float(share[server]) * 31) / 31
        assert pixel == heat_color(LIGHT, step)
        hit = scene.at(QPointF(point))
        assert hit is not None
        assert hit.server == server
    panel.view.zoom(1e9, scene.server_rect(4321).center())
    close = scene_in(panel)
    assert close.blocks is not None
    assert 4321 in close.servers
    assert len(close.servers) < 20


@pytest.mark.parametrize("name", ["queues-wide-jobs", "queues-classroom", "queues-two-resources"])
def test_bins_can_be_drawn_at_any_size_and_zoom(qtbot: QtBot, name: str) -> None:
    seen = set()
    for servers in (1, 7, 90, 1500):
        frame = filled(run(name, servers=servers).frame(running=True))
        panel = shown(qtbot, frame)
        for size in ((200, 170), (333, 241), (700, 500), (1601, 907)):
            panel.resize(*size)
            for factor in (1.0, 1.3, 1.7, 2.9, 7.0):
                panel.view.zoom(factor, QPointF(size[0] / 3, size[1] / 2))
                scene = scene_in(panel)
                seen.add((scene.blocks is not None, scene.layout.cell.labels > 0))
                assert len(np.unique(pixels(panel))) > 3
            panel.view.reset_zoom()
    assert seen == {(False, False), (True, False), (True, True)}


def test_the_theme_and_the_size_of_type_can_be_changed(qtbot: QtBot) -> None:
    panel = shown(qtbot, run("queues-classroom", 200).frame())
    tall = scene_in(panel).layout.cell.tall
    assert not has(pixels(panel), DARK.panel)
    panel.set_theme(DARK)
    dark = pixels(panel)
    assert has(dark, DARK.panel)
    assert not has(dark, LIGHT.panel)
    font = panel.view.font()
    font.setPointSizeF(font.pointSizeF() * 1.5)
    panel.view.setFont(font)
    assert scene_in(panel).layout.cell.tall < tall


def test_a_hidden_panel_draws_nothing(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[BinScene] = []
    draw = bins_view.draw
    monkeypatch.setattr(bins_view, "draw", lambda scene, *rest: (drawn.append(scene), draw(scene, *rest)))
    panel = ServerBinsPanel(LIGHT)
    qtbot.addWidget(panel)
    panel.resize(*SIZE)
    session = run("queues-classroom", 50)
    for _ in range(5):
        session.run(events=1)
        panel.set_frame(session.frame(running=True))
    assert not drawn
    panel.show()
    panel.grab()
    assert drawn


def test_pictures_can_be_saved(qtbot: QtBot, tmp_path: Path) -> None:
    panel = shown(qtbot, run("queues-classroom", 200).frame())
    panel.save_png(tmp_path / "bins.png")
    panel.save_svg(tmp_path / "bins.svg")
    assert QImage(str(tmp_path / "bins.png")).width() == 2 * SIZE[0]
    assert "server 1" in (tmp_path / "bins.svg").read_text(encoding="utf-8")


def test_the_legend_explains_what_is_there(qtbot: QtBot) -> None:
    def kinds(name: str, policy: str, stalls: bool = False, jobs: bool = True) -> list[str]:
        parameters = {"j": 3} if policy.startswith("vqs") else {}
        info = run(name, 1, policy, parameters=parameters).frame().info
        return [item.mark for item in entries(info.numbers, info.facts, jobs, stalls)]

    assert kinds("queues-classroom", "vqs") == [*["jobs"] * 6, "gauge", "slot", "reserved"]
    assert kinds("queues-classroom", "vqs-bf", True) == [*["jobs"] * 6, "gauge", "slot", "lid"]
    assert kinds("queues-wide-jobs", "bf-js") == [*["jobs"] * 7, "gauge"]
    assert kinds("queues-wide-jobs", "bf-js", True, jobs=False) == ["heat", "lid"]


def test_the_panel_tells_assistive_tools_what_it_is(qtbot: QtBot) -> None:
    frame = until_placed(run("queues-classroom", 50))
    panel = shown(qtbot, frame)
    assert panel.accessibleName() == "Servers"
    assert panel.view.accessibleName()
    assert "placed" in panel.view.accessibleDescription()


@pytest.mark.skipif(sys.platform != "linux", reason="QT_SCALE_FACTOR is tried on Linux only")
def test_at_twice_the_size_pixels_and_points_agree() -> None:
    program = """
from PySide6.QtWidgets import QApplication
application = QApplication([])
from gui.kinds.queue.bins import ServerBinsPanel
from gui.theme import load_theme
from model.api import Session
session = Session.open("queues-classroom", kernel=False)
session.run(events=300)
panel = ServerBinsPanel(load_theme("light"))
panel.resize(900, 600)
panel.show()
panel.set_frame(session.frame(running=True))
assert panel.devicePixelRatioF() == 2
image = panel.grab().toImage()
assert (image.width(), image.height()) == (1800, 1200)
scene = panel.view.scene
from gui.kinds.queue.colours import look_color
for block, look in enumerate(scene.job_class.tolist()):
    rect = scene.rect(scene.block_box(block, 0))
    assert scene.at(rect.center()).record == scene.blocks.record[block]
    y = int(2 * rect.top()) + 10
    row = {image.pixelColor(x, y).name() for x in range(int(2 * rect.left()) + 12,
                                                         int(2 * rect.right()) - 12)}
    assert look_color(load_theme("light"), look) in row, row
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
