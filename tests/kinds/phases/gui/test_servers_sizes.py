"""The panel of servers with phases: at any size, in any theme, saved, and described in words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from slotscope.gui.kinds.phases.colours import phase_color
from slotscope.gui.kinds.phases.servers import entries
from slotscope.gui.kinds.phases.servers_raster import heat_color
from slotscope.gui.kinds.phases.servers_sections import ServerPlace
from tests.gui.painted import area, colours_in, has, pixels, scene_in
from tests.kinds.phases.gui.servers_views import LIGHT, Made, run, server_rect, shown

L, H = 0, 1


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
    found = colours_in(area(picture, scene.stage))
    assert {LIGHT.rejection, heat_color(LIGHT, 0)} <= found
    assert heat_color(LIGHT, round(0.9 * 23) / 23) in found


@pytest.mark.parametrize("size", [(380, 150), (300, 240)])
def test_servers_narrower_than_their_resources_are_drawn_as_well(qtbot: QtBot, size: tuple[int, int]) -> None:
    frame = run("jrs-two-phases", scale="40000", resources=True).frame(running=True)
    panel = shown(qtbot, frame, size)
    scene = scene_in(panel)
    assert scene.layout.grids[0].cell.width < 2
    assert heat_color(LIGHT, 0) in colours_in(area(pixels(panel), scene.stage))


def test_the_legend_explains_what_is_there() -> None:
    info = Made().frame().info
    kinds = [item.mark for item in entries(info, jobs=True)]
    assert kinds == ["phase", "phase", "virtual", "token", "paused", "timer", "rim", "over"]
    assert [item.words for item in entries(info, jobs=True)[:2]] == ["L: 1", "H: 3"]
    assert [item.mark for item in entries(info, jobs=False)] == ["heat", "over", "token", "paused"]
    hard = Made("jrs-fixed-sizes").frame().info
    assert "over" not in {item.mark for item in entries(hard, jobs=True)}
    assert entries(hard, jobs=True)[0].words == "S small: 2"


def test_a_step_of_a_lesson_has_the_places_that_it_needs(qtbot: QtBot) -> None:
    """Backup servers that were in use at an earlier step kept their places in a later one."""
    session = run("jrs-classroom", 60)
    early = shown(qtbot, session.frame())
    session.run(events=76)
    fresh, frame = shown(qtbot, session.frame()), session.frame()
    early.forget()  # as a lesson does between its steps
    early.set_frame(frame)
    assert [len(part.index) for part in scene_in(early).shown] == [len(part.index) for part in scene_in(fresh).shown]
