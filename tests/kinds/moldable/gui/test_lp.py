"""The panel of the optimum: Theorem 1 as a picture, D* over the load, shares, and references."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QProgressBar
from pytestqt.qtbot import QtBot

from slotscope.gui.kinds.moldable.lp import AllocationLPPanel
from slotscope.gui.kinds.moldable.lp_shares import value_of
from slotscope.gui.kinds.moldable.lp_values import (
    CROSS,
    TICK,
    listed,
    proof_lines,
    ratio_values,
    reference_table,
    share_values,
    shown_of,
    tiles,
    width_table,
)
from slotscope.gui.theme import apply, load_theme
from slotscope.model.api import Session
from slotscope.model.kinds.moldable.programs.bounds import MoldableBounds, all_bounds
from slotscope.model.reporting.frame import Frame
from slotscope.model.scenario.load import as_data, parse_scenario
from tests.gui.painted import colours, text_of, wheel
from tests.gui.windows import on_screen

LIGHT = load_theme("light")
NAMES = ("moldable-classroom", "moldable-sublinear", "moldable-linear", "moldable-classes")


@cache
def answers(name: str) -> tuple[MoldableBounds, ...]:
    """The bounds of a scenario, from the first step to the most complete."""
    return tuple(all_bounds(Session.open(name, kernel=False).bench.scenario))


@cache
def frame_of(name: str, answer: int = -1) -> Frame:
    return Session.open(name, kernel=False).frame(bounds=answers(name)[answer])


@cache
def overloaded() -> Frame:
    data = as_data(Session.open("moldable-classroom", kernel=False).bench.scenario)
    data["workload"]["load"], data["policy"]["name"] = 1.25, "greedy"
    scenario = parse_scenario(data)
    *_, bounds = all_bounds(scenario)
    return Session.open(scenario, kernel=False).frame(bounds=bounds)


@pytest.fixture
def panel(qtbot: QtBot, qapp: QApplication) -> AllocationLPPanel:
    apply(qapp, LIGHT)
    return on_screen(qtbot, AllocationLPPanel(LIGHT), 540, 1000)


# -- values ------------------------------------------------------------------------------------


def test_the_sub_linear_optimum_is_the_paper_s() -> None:
    shown = shown_of(answers("moldable-sublinear")[-1], 0, None)
    values = ratio_values(shown)
    assert values.support == (3, 4)
    assert values.shares == ("0.625", "0.375")  # these decimals are exact
    assert values.load == 0.8
    texts = {text.short or text.caption: text.value for text in tiles(answers(NAMES[1])[-1], shown)}
    assert texts["<i>D</i><sup>*</sup>"] == "0.375"
    assert texts["widths"] == "3 and 4"
    table = width_table(shown, LIGHT)
    assert ">5/6<" in table and ">800<" in table and ">400<" in table


def test_another_load_has_other_widths() -> None:
    bounds = answers("moldable-sublinear")[-1]
    high = shown_of(bounds, 0, Fraction(95, 100))
    assert not high.present and ratio_values(high).support == (1, 2)
    corner = shown_of(bounds, 0, Fraction(3, 4))
    assert ratio_values(corner).support == (4,) and corner.mean_time == pytest.approx(1 / 3)
    assert ratio_values(shown_of(bounds, 0, Fraction(9, 8))).support == ()
    assert shown_of(bounds, 0, Fraction(4, 5)).present


@pytest.mark.parametrize("name", NAMES)
def test_both_solvers_agree_with_the_closed_form(name: str) -> None:
    bounds = answers(name)[-1]
    said = proof_lines(bounds, shown_of(bounds, 0, None), LIGHT)
    assert said.count(TICK) == len(bounds.answers) > 0
    assert CROSS not in said


def test_a_solver_that_differs_is_told_so() -> None:
    bounds = answers("moldable-classroom")[-1]
    wrong = replace(bounds.answers[0], objective=16.0)
    failed = replace(bounds.answers[0], objective=None, status="failed (no licence)")
    bounds = replace(bounds, answers=(wrong, failed))
    said = proof_lines(bounds, shown_of(bounds, 0, None), LIGHT)
    assert CROSS in said and TICK not in said
    assert "16 differs from Theorem 1 by 1.0e+00" in said and "failed (no licence)" in said


def test_servers_that_nobody_needs_have_no_price() -> None:
    bounds = answers("moldable-linear")[-1]
    said = proof_lines(bounds, shown_of(bounds, 0, None), LIGHT)
    assert "More servers would not help" in said
    scarce = answers("moldable-classroom")[-1]
    assert "dual price of the servers is 25" in proof_lines(scarce, shown_of(scarce, 0, None), LIGHT)


def test_references_say_what_they_hold_for() -> None:
    said = reference_table(answers("moldable-classroom")[-1], LIGHT)
    assert "exact chain, 121 states, exponential sizes" in said and "18.32\u202f%" in said
    assert "Erlang B, 4 lines, sizes of any distribution" in said
    assert "Theorem 2, exponential sizes; not proved for two widths" in said
    large = reference_table(answers("moldable-sublinear")[-1], LIGHT)
    assert "greedy(p*): the chain has more than 20,000 states" in large
    linear = reference_table(answers("moldable-linear")[-1], LIGHT)
    assert "≤ 37.26\u202f%" in linear and "not proved" not in linear
    assert reference_table(MoldableBounds(), LIGHT) == ""


def test_a_long_table_has_the_widths_that_matter() -> None:
    assert listed(5, (2,)) == [1, 2, 3, 4, 5]
    assert listed(1000, (40, 41)) == [1, 2, 3, 39, 40, 41, 42, 1000]


def test_values_of_shares_are_those_of_the_program() -> None:
    bounds = answers("moldable-classes")[-1]
    values = share_values(bounds)
    assert sum(one.height for one in values) == pytest.approx(float(bounds.mean_time or 0))
    assert sum(one.share for one in values) == pytest.approx(1.0)
    assert value_of(((0.2, 1.0), (0.4, 0.5)), 0.3) == pytest.approx(0.75)
    assert value_of(((0.2, 1.0), (0.4, 0.5)), 0.9) == 0.5
    assert share_values(answers("moldable-classroom")[-1]) == ()


# -- the panel ---------------------------------------------------------------------------------


def test_it_is_busy_until_something_is_known(panel: AllocationLPPanel) -> None:
    panel.set_frame(replace(frame_of(NAMES[0]), bounds=MoldableBounds()))
    assert panel.findChild(QProgressBar).isVisible()
    panel.set_frame(frame_of(NAMES[0], 0))
    assert not panel.findChild(QProgressBar).isVisible()
    assert TICK not in text_of(panel)
    panel.set_frame(frame_of(NAMES[0]))
    assert TICK in text_of(panel) and "exact chain" in text_of(panel)


def test_why_nothing_is_known_is_said_instead(panel: AllocationLPPanel) -> None:
    problem = "Nothing bounds the jobs yet: a trace."
    panel.set_frame(replace(frame_of(NAMES[0]), bounds=MoldableBounds(problem=problem)))
    assert text_of(panel).strip().endswith(problem)
    assert panel.series() is None


def test_a_load_above_1_has_no_solution(panel: AllocationLPPanel) -> None:
    panel.set_frame(overloaded())
    said = text_of(panel)
    assert "(P) has no solution: the load is 1.25" in said and "infeasible" in said
    assert panel.ratios.values is not None and panel.ratios.values.support == ()
    assert panel.ratios.top > 1.25
    assert panel.ratios.at(1, 1.25).y() > panel.ratios.area().top()
    assert panel.theme.rejection in colours(panel.ratios)
    assert panel.series() is None


def test_an_unknown_load_is_not_drawn(qtbot: QtBot, panel: AllocationLPPanel) -> None:
    bounds = answers("moldable-sublinear")[0]
    one = replace(bounds.classes[0], load=Fraction(0), optimum=None)
    bare = replace(
        bounds,
        load=Fraction(0),
        classes=(one,),
        solved=False,
        solution=None,
        mean_time=None,
        problem="It is not known how many jobs arrive.",
    )
    panel.set_frame(replace(frame_of("moldable-sublinear"), bounds=bare))
    QApplication.processEvents()
    assert "It is not known how many jobs arrive." in text_of(panel)
    assert panel.theme.run not in colours(panel.ratios)
    assert panel.tiles.shown() == []
    spot = panel.curve.drag.place_of(Fraction(4, 5)).toPoint()
    qtbot.mouseClick(panel.curve.plot.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert panel.ratios.values is not None and panel.ratios.values.support == (3, 4)
    assert "that of the run is not known" in text_of(panel)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pictures_are_not_empty(panel: AllocationLPPanel, theme: str) -> None:
    panel.set_theme(load_theme(theme))
    panel.set_frame(frame_of("moldable-classes"))
    QApplication.processEvents()
    for picture in (panel.ratios, panel.curve, panel.shares):
        assert panel.theme.optimum in colours(picture), picture
    panel.set_frame(frame_of("moldable-sublinear"))
    assert not panel.shares.isVisible() and not panel.chooser.isVisible()


def test_dots_on_the_curve_follow_theme_and_type(qapp: QApplication, panel: AllocationLPPanel) -> None:
    panel.set_frame(frame_of("moldable-sublinear"))
    dots, dark = panel.curve._dots, load_theme("dark")
    before = dots.data["size"].copy()
    try:
        apply(qapp, dark, lecture=True)
        panel.set_theme(dark)
        assert (dots.data["size"] > before).all() and dots.data["brush"][-1].color() == QColor(dark.optimum)
    finally:
        apply(qapp, LIGHT)


def test_dragging_shows_the_optimum_at_another_load(qtbot: QtBot, panel: AllocationLPPanel) -> None:
    panel.set_frame(frame_of("moldable-sublinear"))
    QApplication.processEvents()
    viewport, left = panel.curve.plot.viewport(), Qt.MouseButton.LeftButton

    def place(load: float) -> QPoint:
        return panel.curve.drag.place_of(Fraction(load)).toPoint()

    qtbot.mousePress(viewport, left, pos=place(0.8))
    qtbot.mouseMove(viewport, place(0.6))
    qtbot.mouseMove(viewport, place(0.95))
    qtbot.mouseRelease(viewport, left, pos=place(0.95))
    assert panel.shown.load == pytest.approx(Fraction(95, 100), abs=0.01)
    assert panel.ratios.values is not None and panel.ratios.values.support == (1, 2)
    assert "in the run it is 0.8" in text_of(panel)
    qtbot.mouseDClick(viewport, left, pos=place(0.3))
    assert panel.shown.present and panel.shown.load == Fraction(4, 5)
    assert "in the run" not in text_of(panel)
    qtbot.mousePress(viewport, left, pos=place(0.7505))
    assert panel.shown.load == Fraction(3, 4)  # the load at which the widths change
    qtbot.mouseRelease(viewport, left, pos=place(0.7505))
    panel.set_frame(frame_of("moldable-classroom"))
    assert panel.shown.present


def test_a_class_is_chosen_by_name_or_by_its_share(qtbot: QtBot, panel: AllocationLPPanel) -> None:
    panel.set_frame(frame_of("moldable-classes"))
    QApplication.processEvents()
    assert panel.shown.one.name == "rendering"
    box = panel.shares.parts()[1].center()
    qtbot.mouseClick(panel.shares, Qt.MouseButton.LeftButton, pos=box.toPoint())
    assert panel.chooser.currentText() == "analysis"
    assert panel.ratios.values is not None and panel.ratios.values.support == (5, 6)
    panel.chooser.setCurrentIndex(2)
    assert panel.shown.one.name == "search"
    dot = panel.shares.values[0]
    assert panel.shares.class_at(panel.shares.at(dot.share, dot.height)) == 0
    assert panel.shares.class_at(QPointF(-50, -50)) == -1
    assert panel.shares.tip_at(box).startswith("analysis: 1\u202f586 servers")


def test_used_widths_are_named_inside_the_picture(panel: AllocationLPPanel) -> None:
    for name in NAMES:
        panel.set_frame(frame_of(name))
        QApplication.processEvents()
        names = panel.ratios.names()
        assert [text[0] for _, text in names] == ["i"] * len(names) != []
        for box, text in names:
            assert box.left() >= 0 and box.right() <= panel.ratios.width(), (name, text)
        if len(names) == 2:
            assert not names[0][0].intersects(names[1][0])


@pytest.mark.parametrize("width", [330, 420, 560, 900])
def test_names_of_widths_keep_off_the_lines(panel: AllocationLPPanel, width: int) -> None:
    panel.resize(width, 700)
    for name in ("moldable-classroom", "moldable-sublinear"):
        panel.set_frame(frame_of(name))
        QApplication.processEvents()
        values = panel.ratios.values
        assert values is not None
        lines = [panel.ratios.at(one, 0.0).x() for one in values.support]
        named = panel.ratios.names()
        assert len(named) == len(lines) == 2
        for box, text in named:
            assert not any(box.left() < x < box.right() for x in lines), (name, text)


def test_widths_are_pointed_at(panel: AllocationLPPanel) -> None:
    panel.set_frame(frame_of("moldable-sublinear"))
    QApplication.processEvents()
    for width in range(1, 6):
        assert panel.ratios.width_at(panel.ratios.at(width, 0).x()) == width
    assert "p* = 0.625" in panel.ratios.tip_at(panel.ratios.at(3, 0))


def test_wide_panels_have_tables_beside_the_pictures(panel: AllocationLPPanel) -> None:
    panel.set_frame(frame_of("moldable-sublinear"))
    QApplication.processEvents()
    assert panel.widths.y() > panel.ratios.y()
    assert panel.widths.x() == panel.ratios.x()
    panel.resize(1200, 600)
    QApplication.processEvents()
    assert panel.widths.x() > panel.ratios.x()


def test_the_file_has_every_class_and_width(panel: AllocationLPPanel) -> None:
    panel.set_frame(frame_of("moldable-classes"))
    found = panel.series()
    assert found is not None
    names, rows = found
    lines = [list(row) for row in rows]
    assert len(lines) == 8 + 10 + 9
    y, i = names.index("y_exact"), names.index("i")
    assert sum(Fraction(line[y]) * line[i] for line in lines) == 1


@pytest.mark.parametrize("lecture", [False, True])
def test_pictures_grow_with_the_type_once_and_keep_their_heights(
    qtbot: QtBot, qapp: QApplication, lecture: bool
) -> None:
    try:
        apply(qapp, LIGHT, lecture)
        panel = AllocationLPPanel(LIGHT)
        qtbot.addWidget(panel)
        panel.resize(540, 1000)
        panel.show()
        panel.set_frame(frame_of(NAMES[0]))
        pictures = panel.shares, panel.ratios, panel.curve
        before = [picture.minimumHeight() for picture in pictures]
        more = panel.ratios.minimumHeight() / panel.curve.minimumHeight()
        assert more == pytest.approx(1.17 if lecture else 1.0, abs=0.01)  # lecture mode shows the line's intersection
        panel.set_theme(load_theme("dark"))
        assert [picture.minimumHeight() for picture in pictures] == before
    finally:
        apply(qapp, LIGHT)


def test_no_heading_of_a_table_is_seen_in_a_hall_without_a_row(qtbot: QtBot, qapp: QApplication) -> None:
    try:
        apply(qapp, LIGHT, lecture=True)
        panel = AllocationLPPanel(LIGHT)
        qtbot.addWidget(panel)
        panel.show()
        panel.set_frame(frame_of(NAMES[0]))
        line = panel.fontMetrics().height()
        for height in range(20 * line, 26 * line, line // 2):
            panel.resize(540, height)
            QApplication.processEvents()
            view = panel.area.viewport()
            room = view.height() - panel.widths.mapTo(view, QPoint()).y()
            assert room <= 0 or room >= 3 * line, height
    finally:
        apply(qapp, LIGHT)


@pytest.mark.parametrize("part", ["bottom", "left", "curve"])
def test_the_wheel_is_the_page_s_over_all_of_a_plot(panel: AllocationLPPanel, part: str) -> None:
    panel.set_frame(frame_of("moldable-sublinear"))
    QApplication.processEvents()
    plot = panel.curve.plot
    item = plot.getViewBox() if part == "curve" else plot.getPlotItem().getAxis(part)
    assert not wheel(plot.viewport(), QPointF(plot.mapFromScene(item.sceneBoundingRect().center())), -1)
