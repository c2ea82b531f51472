"""The panel of servers of moldable jobs: at any size, in any theme, saved, and described in words."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF
from pytestqt.qtbot import QtBot

from slotscope.gui.kinds.moldable.colours import width_color
from slotscope.gui.kinds.moldable.servers_raster import free_color
from tests.gui.painted import area, colours_in, has, pixels, scene_in
from tests.kinds.moldable.gui.servers_views import LIGHT, Made, server_rect, shown


@pytest.mark.parametrize("servers", [5, 20, 100, 400, 1_000, 4_000, 10_000, 100_000])
def test_jobs_have_the_colours_of_their_widths_from_5_to_100_000_servers(qtbot: QtBot, servers: int) -> None:
    made = Made(servers=servers)
    random = np.random.default_rng(servers)
    for _ in range(min(400, servers // 6 + 1)):
        made.job(int(random.integers(1, 6)) if servers > 5 else 2)
    panel = shown(qtbot, made.frame(10.0))  # all jobs have just been executed
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
    assert colours_in(free) & {LIGHT.empty, free_color(LIGHT)}
    panel.view.zoom(1e9, server_rect(scene, used // 2).center())
    close = scene_in(panel)
    assert used // 2 in close.shown[0].index
    assert sum(len(part.index) for part in close.shown) < 60
    assert close.layout.cell.written


def test_frame_after_frame_has_its_servers_where_they_are_without_finding_it_anew(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Made("moldable-classes")
    panel = shown(qtbot, made.frame(1.0), (900, 260))
    layout = scene_in(panel).layout
    assert layout.wishes.aside, "captions stand beside servers that are this low"
    monkeypatch.setattr(panel.view, "_fitting", None)
    panel.set_frame(made.frame(2.0))
    assert scene_in(panel).layout == layout


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
    assert colours_in(full) == {width_color(LIGHT, 5)}
    last = QRectF(servers.left() + 10, servers.bottom() - 30, 100, 20)
    assert colours_in(area(picture, last)) == {free_color(LIGHT)}
    for _ in range(60):
        panel.view.zoom(1.3, QPointF(200, 200))
        assert len(np.unique(pixels(panel))) > 3
    assert scene_in(panel).layout.grids[0].per == 1
    assert scene_in(panel).layout.cell.numbered
