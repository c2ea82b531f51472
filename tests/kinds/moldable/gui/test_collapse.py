"""The panel of the collapse: trail, lines, shading and shares equal the run's; it can be zoomed."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from slotscope.gui.intents import GoTo
from slotscope.gui.kinds.moldable.collapse import CollapsePanel
from slotscope.gui.kinds.moldable.collapse_stage import near, whole
from slotscope.gui.kinds.moldable.collapse_trail import RECENT
from slotscope.gui.kinds.moldable.collapse_values import CollapsePlane, nearness, plane_of, present, share_above, spent
from slotscope.gui.theme import load_theme
from slotscope.model.kinds.moldable.sampling import EVENT_COLUMN, PAIR, columns
from slotscope.model.reporting.frame import Frame
from tests.gui.painted import colours, pixels, series_of, svg_of, text_of, type_of, wheel
from tests.gui.windows import panel_fixture
from tests.runs import ran

LIGHT = load_theme("light")
SIZE = (640, 480)

OVERLOADED = """
title = "Overloaded"
system = "moldable"
seed = 1
[policy]
name = "greedy"
[run]
until = 200
[servers]
count = 50
[[classes]]
speedup = {speedup}
size = {{ distribution = "exponential", mean = 1 }}
[workload]
kind = "poisson"
load = {load}
"""


@pytest.fixture(scope="module")
def frame() -> Frame:
    return ran("moldable-classroom", events=1500, kernel=True).frame()


@pytest.fixture(scope="module")
def large() -> Frame:
    return ran("moldable-sublinear", kernel=True, events=30_000).frame()


@pytest.fixture(scope="module")
def classes() -> Frame:
    return ran("moldable-classes", events=3000, kernel=True).frame()


panel = panel_fixture(CollapsePanel, *SIZE)


def plane(frame: Frame, job_class: int = 0) -> CollapsePlane:
    found = plane_of(frame.info, job_class)
    assert isinstance(found, CollapsePlane)
    return found


def shown(panel: CollapsePanel, frame: Frame) -> CollapsePanel:
    """The panel with a frame, painted."""
    panel.set_frame(frame)
    panel.grab()
    return panel


def colour_at(panel: CollapsePanel, point: tuple[float, float]) -> str:
    """The colour at a point of the plane."""
    assert panel.view.stage is not None
    at = panel.view.stage.at(point).toPoint()
    return f"#{pixels(panel.view)[at.y(), at.x()] & 0xFFFFFF:06x}"


# -- the panel -----------------------------------------------------------------------------------


def test_the_present_point_is_the_state(panel: CollapsePanel, frame: Frame) -> None:
    shown(panel, frame)
    here = present(plane(frame), frame)
    jobs = frame.state.jobs[0]
    assert here == (jobs[1] / 20, jobs[2] / 20)
    assert colour_at(panel, here) == LIGHT.run
    moved = frame.state.jobs.copy()
    moved[0, 1:3] = (9, 1)
    after = replace(frame, state=frame.state._replace(jobs=moved))
    shown(panel, after)
    assert colour_at(panel, (9 / 20, 1 / 20)) == LIGHT.run


def test_lines_target_and_region_are_drawn(panel: CollapsePanel, large: Frame) -> None:
    shown(panel, large)
    seen = colours(panel.view)
    assert {LIGHT.rejection, LIGHT.optimum, LIGHT.run, LIGHT.muted} <= seen
    inside, outside = colour_at(panel, (0.02, 0.13)), colour_at(panel, (0.31, 0.21))
    assert outside == LIGHT.panel != inside
    assert colour_at(panel, (1 / 6, 1 / 8)) == LIGHT.rejection


def test_the_shade_is_darkest_where_most_time_was_spent(panel: CollapsePanel, frame: Frame) -> None:
    session = ran("moldable-classroom", events=1500, kernel=True)
    session.seek(0)
    empty = session.frame()
    # Without trail and lines only the shading of the bins distinguishes places.
    bare = replace(
        empty, state=empty.state._replace(occupancy=frame.state.occupancy, class_since=frame.state.class_since)
    )
    shown(panel, replace(bare, samples=empty.samples[:0]))
    shares = spent(plane(frame), frame)
    darkness = {}
    for place in ((7, 3), (5, 4), (10, 2)):
        color = colour_at(panel, (place[0] / 20 + 0.01, place[1] / 20 + 0.01))
        darkness[place] = int(color[1:3], 16)
    order = sorted(darkness, key=lambda place: -shares[place])
    assert [darkness[place] for place in order] == sorted(darkness.values())
    assert len(set(darkness.values())) > 1


def test_the_numbers_follow_the_run(panel: CollapsePanel) -> None:
    session = ran("moldable-sublinear", events=2000, kernel=True)
    for _ in range(3):
        session.run(events=900)
        frame = session.frame()
        shown(panel, frame)
        texts = panel.tiles.shown()
        found = nearness(plane(frame), frame)
        assert float(texts[0]) == pytest.approx(found.distance, rel=0.01)
        assert texts[2] == str(found.beside)
        assert panel.view.trail.count(frame.time) == len(frame.samples)


def test_after_going_back_the_future_is_not_drawn(panel: CollapsePanel) -> None:
    session = ran("moldable-sublinear", events=6000, kernel=True)
    shown(panel, session.frame())
    full = panel.view.trail.count(session.frame().time)
    session.seek(1500)
    back = session.frame()
    shown(panel, back)
    assert panel.view.trail.count(back.time) < full == len(back.samples)
    assert panel.view.stage is not None
    x, y = panel.view.trail.points(0, full)
    late = (x[-1] * 0.98, y[-1])
    ground = colour_at(panel, late)
    assert ground == colour_at(panel, (0.02, 0.13))


def test_buttons_wheel_drag_and_keys_zoom(qtbot: QtBot, panel: CollapsePanel, large: Frame) -> None:
    shown(panel, large)
    view, found = panel.view, plane(large)
    assert view.window_shown == whole(found) and panel.whole.isChecked()
    qtbot.mouseClick(panel.near, Qt.MouseButton.LeftButton)
    assert view.window_shown == near(found)
    assert panel.near.isChecked() and not panel.whole.isChecked()
    panel.grab()
    assert view.stage is not None
    at = view.stage.at(found.target)
    before = view.stage.point(at)
    wheel(view, at, 3)
    panel.grab()
    assert view.stage.point(at) == pytest.approx(before, abs=1e-3)
    assert view.window_shown.sides[0] == pytest.approx(near(found).sides[0] / 1.25**3)
    assert not panel.near.isChecked() and not panel.whole.isChecked()
    start, left = at.toPoint(), view.window_shown.left
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseMove(view, start + QPoint(50, 10))
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=start + QPoint(50, 10))
    assert view.window_shown.left < left
    qtbot.keyClick(view, Qt.Key.Key_0)
    assert view.window_shown == whole(found) and panel.whole.isChecked()
    qtbot.mouseDClick(view, Qt.MouseButton.LeftButton, pos=start)
    assert view.window_shown == near(found)
    panel.grab()
    wheel(view, at, -40)
    assert view.window_shown == whole(found)


def test_a_state_out_of_view_is_told(panel: CollapsePanel, qtbot: QtBot) -> None:
    early = ran("moldable-sublinear", events=300).frame()
    shown(panel, early)
    assert LIGHT.run in colours(panel.view)
    qtbot.mouseClick(panel.near, Qt.MouseButton.LeftButton)
    panel.grab()
    stage = panel.view.stage
    assert stage is not None and not stage.area.contains(stage.at(present(plane(early), early)))
    corner = stage.area.bottomLeft() + QPointF(5, -5)
    assert f"#{pixels(panel.view)[round(corner.y()), round(corner.x())] & 0xFFFFFF:06x}" == LIGHT.run


def test_delta_can_be_chosen(qtbot: QtBot, panel: CollapsePanel, large: Frame) -> None:
    shown(panel, large)
    found = plane(large)
    assert panel.delta.value() == pytest.approx(found.proved, abs=1e-5)
    assert "Theorem 2" in text_of(panel)
    shares = []
    for text, told in (("0.1", "½(1 − λ)"), ("0.03", "")):
        panel.delta.selectAll()
        qtbot.keyClicks(panel.delta, text)
        qtbot.keyClick(panel.delta, Qt.Key.Key_Return)
        assert panel.delta.value() == float(text)
        assert told in text_of(panel) and "Theorem 2" not in text_of(panel)
        shares.append(share_above(found, large, float(text)))
        panel.grab()
    assert shares[0] is not None and shares[1] is not None and shares[0] <= shares[1]
    assert panel.delta.maximum() == pytest.approx(found.room)


def test_a_click_on_the_trail_goes_to_that_moment(qtbot: QtBot, panel: CollapsePanel, large: Frame) -> None:
    shown(panel, large)
    assert panel.view.stage is not None
    first = int(columns(PAIR, 1)[0])
    row = large.samples[100]  # on the way up from an empty system, where the trail passes only once
    at = panel.view.stage.at((row[first] / 4000, row[first + 1] / 4000)).toPoint()
    with qtbot.waitSignal(panel.intent) as caught:
        qtbot.mouseClick(panel.view, Qt.MouseButton.LeftButton, pos=at)
    (intent,) = caught.args
    assert isinstance(intent, GoTo) and abs(intent.event - row[EVENT_COLUMN]) < 150
    corner = panel.view.stage.area.topRight().toPoint() + QPoint(-5, 40)
    with qtbot.assertNotEmitted(panel.intent, wait=50):
        qtbot.mouseClick(panel.view, Qt.MouseButton.LeftButton, pos=corner)


def test_the_mouse_is_told_what_a_point_is(panel: CollapsePanel, frame: Frame) -> None:
    shown(panel, frame)
    assert panel.view.stage is not None
    told = panel.view.tip_at(panel.view.stage.at((4 / 20, 8 / 20)))
    assert "4 jobs on 1 server" in told and "8 jobs on 2 servers" in told
    assert "hereabouts" in told and "r = 0.8" in told
    assert "never here" in panel.view.tip_at(panel.view.stage.at((19 / 20, 9.9 / 20)))
    assert "Shade" in panel.view.tip_at(QPointF(1, 1))


def test_a_class_is_chosen(qtbot: QtBot, panel: CollapsePanel, classes: Frame) -> None:
    shown(panel, classes)
    assert panel.job_class.isVisible() and panel.view.plane is not None
    assert panel.view.plane.widths == (7, 8)
    assert "no room" in text_of(panel) and not panel.delta.isEnabled()
    panel.job_class.setCurrentIndex(1)
    panel.job_class.activated.emit(1)
    panel.grab()
    assert panel.view.plane.widths == (5, 6)
    assert panel.delta.isEnabled()
    jobs = classes.state.jobs[1]
    assert colour_at(panel, (jobs[5] / 3000, jobs[6] / 3000)) == LIGHT.run
    first = int(columns(PAIR, 3)[1])
    assert panel.view.trail.points(0, 10_000)[0][-1] == classes.samples[-1, first] / 3000


def test_one_class_has_no_choice(panel: CollapsePanel, frame: Frame, classes: Frame) -> None:
    shown(panel, classes)
    shown(panel, frame)
    assert not panel.job_class.isVisible()
    assert panel.view.plane is not None and panel.view.plane.servers == 20


def test_between_far_samples_the_line_is_that_of_the_last_events(panel: CollapsePanel, frame: Frame) -> None:
    thinned = replace(frame, samples=frame.samples[::64].copy())
    shown(panel, thinned)
    assert not panel.view.trail.is_line(20)
    assert colour_at(panel, present(plane(frame), frame)) == LIGHT.run
    with_line = pixels(panel.view)
    shown(panel, replace(thinned, rows=frame.rows[:0]))
    assert (pixels(panel.view) != with_line).sum() > 100


# -- where it does not apply; looks --------------------------------------------------------------


@pytest.mark.parametrize(
    ("speedup", "load", "told"),
    [("[1, 1.5, 1.8]", 1.3, "the load is 1.3, above 1"), ("[1]", 0.8, "run on one server only")],
)
def test_where_there_is_no_plane_it_says_why(
    panel: CollapsePanel, frame: Frame, tmp_path: Path, speedup: str, load: float, told: str
) -> None:
    path = tmp_path / "scenario.toml"
    path.write_text(OVERLOADED.format(speedup=speedup, load=load), encoding="utf-8")
    shown(panel, ran(str(path), events=60).frame())
    assert told in text_of(panel)
    assert not panel.view.isVisible() and not panel.tiles.isVisible()
    assert panel.series() is None
    shown(panel, frame)
    assert panel.view.isVisible() and told not in text_of(panel)


def test_an_unknown_load_is_told(panel: CollapsePanel, frame: Frame) -> None:
    numbers = replace(frame.info.numbers, arrival_rates=(Fraction(0),))
    shown(panel, replace(frame, info=replace(frame.info, numbers=numbers)))
    assert "it is not known how many jobs arrive" in text_of(panel)


def test_before_the_first_event_the_point_is_at_the_origin(panel: CollapsePanel) -> None:
    session = ran("moldable-classroom", events=40)
    session.seek(0)
    shown(panel, session.frame())
    assert colour_at(panel, (0.0, 0.0)) == LIGHT.run
    assert panel.tiles.shown()[2] == "0"


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("lecture", [False, True])
@pytest.mark.parametrize("size", [(460, 190), (640, 480), (1300, 900)])
def test_it_is_drawn_at_any_size(
    panel: CollapsePanel, frame: Frame, large: Frame, theme: str, lecture: bool, size: tuple[int, int]
) -> None:
    with type_of(lecture):
        look = load_theme(theme)
        panel.set_theme(look)
        panel.resize(*size)
        for one in (frame, large):
            shown(panel, one)
            QApplication.processEvents()
            assert {look.rejection, look.optimum, look.run} <= colours(panel.view)
            stage = panel.view.stage
            assert stage is not None and min(stage.area.width(), stage.area.height()) > 40
            assert panel.choices.isVisible() == (size[1] > 300)


def test_a_tiny_picture_says_so(panel: CollapsePanel, frame: Frame) -> None:
    shown(panel, frame)
    panel.view.resize(150, 60)
    seen = colours(panel.view)
    assert LIGHT.muted in seen and LIGHT.optimum not in seen


def test_the_picture_and_the_series_are_saved(panel: CollapsePanel, frame: Frame, tmp_path: Path) -> None:
    assert panel.series() is None
    shown(panel, frame)
    assert svg_of(panel, tmp_path)
    names, table = series_of(panel)
    assert names == ["event", "time", "jobs_on_1", "jobs_on_2"]
    assert len(table) == len(frame.samples) > RECENT
    first = int(columns(PAIR, 1)[0])
    assert table[-1][2:] == frame.samples[-1, first : first + 2].tolist()
