"""Colours and scales belong to the scenario: a job looks the same in every lane and every panel."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from slotscope.gui.kinds.phases.servers_sections import most_use
from slotscope.gui.kinds.queue.bins import ServerBinsPanel, entries
from slotscope.gui.kinds.queue.queues import QueuesPanel
from slotscope.gui.kinds.reservation.servers_columns import figure_of
from slotscope.gui.kinds.reservation.servers_scene import StackScene
from slotscope.gui.theme import load_theme
from slotscope.model.comparison.comparison import Comparison
from slotscope.model.reporting.frame import Frame
from tests.gui.painted import area, colours_in, pixels, scene_in
from tests.gui.windows import on_screen
from tests.kinds.phases.gui.servers_views import shown as phase_servers
from tests.kinds.reservation.gui.servers_views import stacks

pytestmark = pytest.mark.slow

POLICIES = {
    "queues-classroom": ("vqs", "max-weight", "bf-js"),
    "queues-bf-unstable": ("vqs:j=2", "max-weight", "bf-js"),
    "queues-small-jobs": ("vqs-bf", "fifo-ff", "bf-j"),
}
LIGHT = load_theme("light")
SIZE = 500, 470
#: Font sizes in points: in tests, in the window, and in lecture mode.
TYPE_SIZES = (9.0, 11.0, 16.5)

SCENARIOS = pytest.mark.parametrize("scenario", POLICIES)


def lanes_of(scenario: str, events: int) -> tuple[Frame, ...]:
    run = Comparison.open(scenario, POLICIES[scenario], kernel=False)
    run.run(events=events)
    return run.frame().lanes


def shown(qtbot: QtBot, frame: Frame) -> ServerBinsPanel:
    panel = on_screen(qtbot, ServerBinsPanel(LIGHT), *SIZE)
    panel.set_frame(frame)
    return panel


def job_colours(panel: ServerBinsPanel) -> dict[int, set[str]]:
    """By number, the colours of types that occur in each job that is high enough."""
    scene = panel.view.scene
    assert scene is not None and scene.blocks is not None
    picture, found = pixels(panel), {}
    for block, record in enumerate(scene.blocks.record.tolist()):
        rect = scene.rect(scene.block_box(block, 0))
        if rect.height() >= 8:
            inside = colours_in(area(picture, rect.adjusted(3, 2, -3, -5)))
            found[int(scene.state.job_number[record])] = inside & set(LIGHT.palette)
    return found


@SCENARIOS
def test_a_job_has_one_colour_in_every_lane(qtbot: QtBot, scenario: str) -> None:
    compared = 0
    for events in (40, 160, 400):
        panels = [shown(qtbot, frame) for frame in lanes_of(scenario, events)]
        found = [job_colours(panel) for panel in panels]
        for one, other in combinations(found, 2):
            common = one.keys() & other.keys()
            assert {job: one[job] for job in common} == {job: other[job] for job in common}
            assert {len(one[job]) for job in common} <= {1}
            compared += len(common)
    assert compared > 1


@SCENARIOS
def test_all_lanes_have_one_scale(qtbot: QtBot, scenario: str) -> None:
    panels = [shown(qtbot, frame) for frame in lanes_of(scenario, 60)]
    cells = {panel.view.scene.layout.cell for panel in panels if panel.view.scene is not None}
    assert len(cells) == 1
    alone = Comparison.open(scenario, POLICIES[scenario], kernel=False).sessions[-1].frame()
    panels[-1].set_frame(alone)
    scene = panels[-1].view.scene
    assert scene is not None and scene.layout.cell.bar == 0  # alone it needs no space for a bar


def test_waiting_jobs_have_the_colours_that_they_have_on_servers(qtbot: QtBot) -> None:
    looks: dict[int, set[int]] = {}
    for frame in lanes_of("queues-classroom", 120):
        waiting, servers = QueuesPanel(LIGHT), shown(qtbot, frame)
        qtbot.addWidget(waiting)
        waiting.resize(700, 600)
        waiting.show()
        waiting.set_frame(frame)
        for queue in range(frame.info.facts.layout.queues):
            lane = waiting.lanes.lane(queue)
            for job in lane.first if lane is not None else ():
                looks.setdefault(job.number, set()).add(job.look)
        scene = servers.view.scene
        assert scene is not None and scene.blocks is not None
        numbers = frame.state.job_number[scene.blocks.record].tolist()
        for number, look in zip(numbers, scene.job_class.tolist(), strict=True):
            looks.setdefault(number, set()).add(look)
    assert len(looks) > 5
    assert {len(found) for found in looks.values()} == {1}


def test_the_legend_names_sizes_where_there_is_one_queue() -> None:
    vqs, weight, best = lanes_of("queues-bf-unstable", 10)
    told = [
        {
            entry.words: entry.look
            for entry in entries(frame.info.numbers, frame.info.facts, jobs=True, stalls=False)
            if entry.mark == "jobs"
        }
        for frame in (vqs, weight, best)
    ]
    assert told[1] == told[2] == {"size 5": 2, "2": 4}  # the word occurs once: three policies have little space
    assert [told[0][f"VQ{name} {sizes}"] for name, sizes in (("₂", "(1/3, 1/2]"),)] == [2]


@pytest.mark.parametrize("name", ("dark", "light"))
def test_sixteen_classes_have_sixteen_colours(name: str) -> None:
    """All are distinguishable: the closest two of the first sixteen and of the warnings."""
    theme = load_theme(name)
    colours = [theme.color(look) for look in range(16)]
    for one, other in combinations([*colours, theme.rejection, theme.reject_group], 2):
        assert distance(one, other) > 15, (one, other)


def distance(one: str, other: str) -> float:
    """The distance of two colours in CIE L*a*b*."""
    return float(np.linalg.norm(lab(one) - lab(other)))


def lab(color: str) -> np.ndarray:
    found = QColor(color)
    rgb = np.array([found.redF(), found.greenF(), found.blueF()])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = (
        np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
        @ linear
        / [0.95047, 1, 1.08883]
    )
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("points", TYPE_SIZES)
def test_stacks_side_by_side_have_one_scale(qtbot: QtBot, points: float) -> None:
    """Even if only one policy has text above its stacks, and more entries in its legend."""
    run = Comparison.open("dra-vms", ("dra", "static-reservation"))
    for events in (100, 1500):
        run.run(events=events)
        frames = run.frame().lanes
        tallest = [figure_of(frame).tallest for frame in frames]
        assert tallest[0] != tallest[1]
        for width, height in (SIZE, (640, 560), (900, 600)):
            scenes = [stacked(qtbot, frame, points, (width, height)) for frame in frames]
            assert scenes[0].layout.scale == scenes[1].layout.scale
            assert scenes[0].regions.stage == scenes[1].regions.stage
            layout = scenes[0].layout
            assert layout.base - layout.level(max(tallest)) >= 0.35 * height  # the common scale is not wasteful


def stacked(qtbot: QtBot, frame: Frame, points: float, size: tuple[int, int]) -> StackScene:
    """The stacks of a frame, with text of *points* points."""
    view = stacks(qtbot, frame)
    font = view.font()
    font.setPointSizeF(points)
    view.setFont(font)
    view.resize(*size)
    assert view.scene is not None
    return view.scene


def test_bins_of_jobs_with_phases_have_one_height_side_by_side(qtbot: QtBot) -> None:
    run = Comparison.open("jrs-deadlock", ("jrs", "first-fit", "best-fit"), kernel=False)
    run.run(events=100)
    frames = run.frame().lanes
    assert len({most_use(frame.state, frame.info.numbers) for frame in frames}) == 3
    scenes = [scene_in(phase_servers(qtbot, frame)) for frame in frames]
    tops = {scene.layout.wishes.top for scene in scenes}
    assert len(tops) == 1
    assert tops.pop() >= max(most_use(frame.state, frame.info.numbers) for frame in frames)


@pytest.mark.parametrize("points", TYPE_SIZES)
@pytest.mark.parametrize(("scenario", "events"), [("jrs-classroom", 30), ("jrs-deadlock", 100)])
def test_bins_of_jobs_with_phases_are_equally_large_side_by_side(
    qtbot: QtBot, scenario: str, events: int, points: float
) -> None:
    """Even if one policy has more servers, or has tokens above them and a caption for backup servers."""
    run = Comparison.open(scenario, ("jrs", "first-fit", "best-fit"), kernel=False)
    run.run(events=events)
    for size in ((270, 400), (380, 440), (900, 600)):
        cells = []
        for frame in run.frame().lanes:
            panel = phase_servers(qtbot, frame)
            font = panel.view.font()
            font.setPointSizeF(points)
            panel.view.setFont(font)
            panel.resize(*size)
            panel.grab()
            cells.append(scene_in(panel).layout.grids[0].cell)
        assert len({cell.tall for cell in cells}) == len({cell.rim for cell in cells}) == 1
        assert max(cell.bin for cell in cells) - min(cell.bin for cell in cells) <= 4
        assert max(cell.height for cell in cells) >= 0.09 * size[1]  # the common size is not wasteful
