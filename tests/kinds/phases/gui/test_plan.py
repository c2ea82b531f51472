"""Plan and gap: the bound, the run and its peers on one axis, and the gap divided by the root of r."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import nan, sqrt

import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from slotscope.gui.intents import Solve
from slotscope.gui.kinds.phases.plan import PlanPanel, SolvingPage
from slotscope.gui.kinds.phases.plan_axis import AxisRow, ServersAxis
from slotscope.gui.kinds.phases.plan_gap import GapPlot, GapPoint, constant_of
from slotscope.gui.kinds.phases.plan_values import axis_rows, gap_points, pool_lines, progress_text, so_far
from slotscope.gui.theme import fonts, load_theme
from slotscope.model.api import Session
from slotscope.model.kinds.phases.programs.bounds import PhasePoint, PhasesBounds, all_bounds
from slotscope.model.kinds.phases.state import REQUESTED
from slotscope.model.measures.metrics import Estimate
from slotscope.model.reporting.frame import Frame
from tests.gui.painted import Counted, colours, text_of, type_of
from tests.gui.windows import on_screen, panel_fixture
from tests.runs import ran

NAME = "jrs-two-phases"


@cache
def solved() -> PhasesBounds:
    """The bounds of the scenario, with invented results of runs beside them."""
    *_, bounds = all_bounds(Session.open(NAME, "first-fit", kernel=False).info.scenario)
    points = (
        point("JRS", 100, 75.0, 0.006, nbar=24.38),
        point("First fit", 100, 27.5, 0.037),
        point("A costly one", 100, 20.0, 0.2),
        point("JRS", 400, 190.0, 0.01, nbar=97.5),
    )
    return replace(bounds, points=points)


def point(title: str, scale: float, servers: float, cost: float, nbar: float | None = None) -> PhasePoint:
    return PhasePoint(title, scale, Estimate(servers, 1.0), Estimate(cost, 0.001), nbar)


@cache
def frame_of(policy: str = "jrs", events: int = 600) -> Frame:
    session = ran(NAME, policy, events=events)
    return session.frame(bounds=solved())


panel = panel_fixture(PlanPanel, 560, 900)


# -- values ------------------------------------------------------------------------------------


def test_the_axis_has_the_run_and_the_policies_at_its_scale():
    frame = frame_of()
    rows = axis_rows(frame, solved(), so_far(frame))
    assert [row.title for row in rows] == ["now", "this run so far, JRS", "JRS", "First fit", "A costly one"]
    assert [row.title for row in rows if row.breaks] == ["A costly one"]
    assert rows[0].servers.mean == frame.state.number[4]


def test_gaps_are_taken_from_the_bound_of_their_own_scale():
    nbar = solved().nbar
    assert nbar is not None
    ours, peers = gap_points(solved().points, nbar, 100.0)
    assert [(one.scale, one.gap) for one in ours] == [(100, 75 - nbar), (400, 190 - 4 * nbar)]
    assert [one.title for one in peers] == ["First fit", "A costly one"]


def test_the_constant_of_the_root_is_found():
    points = tuple(GapPoint("JRS", r, 3 * sqrt(r), 0.1) for r in (25.0, 100.0, 400.0))
    assert constant_of(points) == pytest.approx(3)
    assert constant_of(points[:1]) is None


def test_no_gap_is_told_while_the_run_fills_up(panel: PlanPanel):
    session = Session.open(NAME, "jrs")
    nbar = solved().nbar
    assert nbar is not None
    for until in (0.2, 0.4, 0.8):  # N rises from 0, so it is below its bound at first
        session.run(until=until)
        frame = session.frame(bounds=solved())
        found = so_far(frame)
        assert not found.steady
        assert found.measures["active_servers"].mean < nbar + 3
        panel.set_frame(frame)
        assert "gap" not in text_of(panel)
        assert "so far" in text_of(panel)
        assert not any(row.breaks for row in panel.axis.rows[:2])
    session.run(until=200.0)
    frame = session.frame(bounds=solved())
    panel.set_frame(frame)
    found = so_far(frame)
    assert found.steady
    assert 0 < found.start < 100
    gap = found.measures["active_servers"].mean - nbar
    assert gap == pytest.approx(75.6 - 24.4, abs=4)
    assert "gap" in text_of(panel)
    assert panel.axis.rows[1].title == "this run, JRS"


@pytest.mark.parametrize(
    ("scenario", "policy", "said"),
    [
        ("jrs-deadlock", "jrs", "an empty server asks for nothing"),
        ("jrs-deadlock", "jrs:patch=true", "an empty server asks for 4 L at rate 1"),
        ("jrs-deadlock", "jrs:patch=false,recovery_rate=2", "an empty server asks for 4 L at rate 2"),
    ],
)
def test_what_an_empty_server_asks_for_is_what_it_does(scenario: str, policy: str, said: str):
    session = Session.open(scenario, policy, kernel=False)
    told = pool_lines(session.info, load_theme("light"))
    assert said in told.replace("4L", "4 L")
    session.run(until=20.0)
    asked = int(session.timeline.state.tally[REQUESTED].sum())
    assert bool(asked) == ("nothing" not in said)


def test_progress_is_told_in_words():
    assert progress_text(PhasesBounds()) == ""
    begun = PhasesBounds(configurations=4845, iterations=12, phi=1.25)
    assert progress_text(begun).endswith("configurations, 12 steps, Φ* ≥ 1.25 so far")


# -- the panel ---------------------------------------------------------------------------------


def test_it_shows_the_bound_the_prices_and_the_checks(panel: PlanPanel):
    panel.set_frame(frame_of())
    said = text_of(panel)
    assert "4.102" in said
    assert "24.38" in said
    assert "Lemma 7: the chain of the policy agrees with π and u" in said
    assert "45 configurations" in said
    assert "budget" in said
    assert panel.axis.rows[-1].title == "A costly one"
    assert [one.scale for one in panel.gap.points] == [100, 400]
    assert panel.series() is not None


def test_pictures_are_not_empty(panel: PlanPanel):
    theme = panel.theme
    panel.set_frame(frame_of())
    QApplication.processEvents()
    assert {theme.run, theme.rejection} <= colours(panel.axis)
    assert theme.run in colours(panel.gap)
    panel.axis.begin()
    panel.gap.set_points((), ())
    assert theme.run not in colours(panel.axis) | colours(panel.gap)


def test_a_peer_has_the_same_bound(panel: PlanPanel):
    panel.set_frame(frame_of("first-fit"))
    assert "24.38" in text_of(panel)
    assert panel.axis.rows[1].title == "this run so far, First fit"


def test_a_problem_is_said_instead(panel: PlanPanel):
    frame = replace(frame_of(), bounds=PhasesBounds(problem="Too many configurations."))
    panel.set_frame(frame)
    assert "Too many configurations." in text_of(panel)


def test_solving_can_be_stopped_and_begun_again(qtbot: QtBot, panel: PlanPanel):
    asked: list[object] = []
    panel.intent.connect(asked.append)
    panel.set_frame(replace(frame_of(), bounds=PhasesBounds(configurations=4845, iterations=3)))
    assert "4\u202f845 configurations, 3 steps" in text_of(panel)
    for _ in range(2):
        qtbot.mouseClick(panel.solving.button, Qt.MouseButton.LeftButton)
    assert asked == [Solve(wanted=False), Solve(wanted=True)]


def test_wide_panels_have_the_plot_beside_the_rest(panel: PlanPanel):
    panel.set_frame(frame_of())
    assert panel.gap.x() == panel.axis.x()
    panel.resize(1200, 600)
    QApplication.processEvents()
    assert panel.gap.x() > panel.axis.x()


# -- parts -------------------------------------------------------------------------------------


def test_rows_are_pointed_at_by_their_height(qtbot: QtBot):
    axis = ServersAxis(load_theme("dark"), "servers")
    qtbot.addWidget(axis)
    axis.set_rows((AxisRow("a", Estimate(3.0, nan)), AxisRow("b", Estimate(5.0, 0.5))))
    axis.resize(400, axis.sizeHint().height())
    step = axis.height() / 3
    assert [axis.row_at(step * place + step / 2) for place in range(3)] == [-1, 0, 1]
    assert axis.top >= 5.5


def test_a_policy_is_painted_again_where_its_mark_is_seen_to_move(qtbot: QtBot):
    axis = on_screen(qtbot, ServersAxis(load_theme("dark"), "servers"), 400, 90)
    paints, seen = Counted(axis), []
    for servers in (30_000.0, 30_000.01, 30_400.0):
        axis.set_rows((AxisRow("now", Estimate(servers, float("nan"))), AxisRow("b", Estimate(5e4, servers))))
        QApplication.processEvents()
        seen.append(paints.count)
    assert 0 < seen[0] == seen[1] < seen[2]


def test_the_nearest_point_is_told(qtbot: QtBot):
    plot = GapPlot(load_theme("dark"))
    qtbot.addWidget(plot)
    plot.resize(400, 300)
    one = GapPoint("JRS", 100.0, 50.0, 2.0)
    plot.set_points((one,), ())
    assert plot.tip_at(plot.at(one)).startswith("JRS, r = 100: N − N̄ = 50")
    assert "Theorem 1" in plot.tip_at(QPointF(0, 0))


@pytest.mark.parametrize("lecture", [False, True])
def test_names_and_numbers_of_the_gap_are_whole_beside_two_policies(qtbot: QtBot, lecture: bool):
    with type_of(lecture):
        plot = GapPlot(load_theme("light"))
        qtbot.addWidget(plot)
        plot.resize(480, 240)
        ours = tuple(GapPoint("JRS", scale, 1.3 * sqrt(scale), 0.5) for scale in (6.0, 12.0, 24.0, 48.0))
        peers = tuple(
            GapPoint(title, 24.0, gap, 0.1, named=True)
            for title, gap in (("First fit by peak", 3.2), ("GRAND(aZ)", 1.2), ("First fit", 0.8))
        )
        plot.set_points(ours, peers)
        measure = QFontMetricsF(fonts(lecture).body)
        boxes = plot.name_boxes()
        assert [point for point, _ in boxes] == [*peers]
        for point, box in boxes:
            assert plot._room().left() <= box.left() and box.right() <= plot.width()
            needed = measure.boundingRect(QRectF(0, 0, box.width(), 1000), Qt.TextFlag.TextWordWrap, point.title)
            assert needed.height() <= box.height() + 1
        assert not any(one.intersects(two) for (_, one), (_, two) in combinations(boxes, 2))
        widest = max(measure.horizontalAdvance(text) for _, text in plot.ticks())
        assert widest <= plot._room().left() - 4


def test_titles_have_the_room_that_the_axis_can_spare(qtbot: QtBot):
    axis = ServersAxis(load_theme("light"), "servers")
    qtbot.addWidget(axis)
    axis.resize(400, 200)
    title = "First fit by peak demand"
    axis.set_rows((AxisRow(title, Estimate(5.96, 0.07)),))
    measure = QFontMetricsF(fonts().body).horizontalAdvance
    assert 0.4 * 400 < measure(title) <= axis._track().left() - 20
    assert axis._track().width() >= 80


@pytest.mark.parametrize("height", [180, 300])
def test_the_line_is_named_beside_the_names_of_peers(qtbot: QtBot, height: int):
    plot = GapPlot(load_theme("light"))
    qtbot.addWidget(plot)
    plot.resize(600, height)
    ours = tuple(GapPoint("JRS", scale, 1.3 * sqrt(scale), 0.5) for scale in (25.0, 100.0, 400.0))
    stood = set()
    for gap in range(2, 30):
        peer = GapPoint("First fit by peak demand", 100.0, float(gap), 0.5, named=True)
        plot.set_points(ours, (peer,))
        box = plot.label_box(1.3)
        assert not any(box.intersects(other) for _, other in plot.name_boxes())
        assert not any(box.contains(plot.at(point)) for point in (*ours, peer))
        assert height < 300 or not any(name.intersects(mark) for _, name in plot.name_boxes() for mark in plot._marks())
        stood.add(round(box.left()))
    assert len(stood) > 1  # the name moves to make room


@pytest.mark.parametrize("constant", [1.3, 6.0])
def test_the_name_of_the_line_is_off_what_is_written_at_the_axes(qtbot: QtBot, constant: float):
    """In lecture mode, in plots as low as a projector's, whatever points are beside the line."""
    ours = tuple(GapPoint("JRS", scale, constant * sqrt(scale), 0.5) for scale in (6.0, 12.0, 24.0, 48.0))
    with type_of(True):
        plot = GapPlot(load_theme("light"))
        qtbot.addWidget(plot)
        for width, height, gap in product(range(240, 640, 80), (150, 180, 240), range(0, 10, 3)):
            plot.resize(width, height)
            plot.set_points(ours, (GapPoint("First fit by peak demand", 12.0, float(gap), 0.5, named=True),))
            below_title = plot._room().adjusted(0, -8, 0, 0)
            assert below_title.contains(plot.label_box(constant)), (width, height, gap)


def test_a_stopped_page_says_so(qtbot: QtBot):
    page = SolvingPage("Solving")
    qtbot.addWidget(page)
    page.show()
    with qtbot.waitSignal(page.asked) as heard:
        qtbot.mouseClick(page.button, Qt.MouseButton.LeftButton)
    assert heard.args == [False]
    assert page.words.text() == "Solving was stopped."
    assert not page.bar.isVisible()


def test_scales_are_exact():
    assert solved().scale == Fraction(100)
