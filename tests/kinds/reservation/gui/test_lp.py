"""The panel of the linear programs: its numbers equal the model's, and the cursor over alpha can be dragged."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtWidgets import QLabel, QProgressBar
from pytestqt.qtbot import QtBot

from slotscope.gui.intents import Say
from slotscope.gui.kinds.reservation.lp import LPPanel, price_table
from slotscope.gui.kinds.reservation.lp_curve import alpha_text
from slotscope.gui.kinds.reservation.lp_solution import (
    NAMES,
    BarRow,
    bar_rows,
    guarantee_sentence,
    present_shares,
    solve_at,
)
from slotscope.gui.panels.wording import exact, significant
from slotscope.gui.theme import load_theme
from slotscope.model.api import Session
from slotscope.model.kinds.reservation.bounds import Bounds
from slotscope.model.kinds.reservation.measures import reward_rate
from slotscope.model.kinds.reservation.programs.bounds import GUARANTEES, solve_bounds
from slotscope.model.kinds.reservation.programs.greedy import global_greedy
from slotscope.model.kinds.reservation.programs.optimum import exact_optimum
from slotscope.model.reporting.frame import Frame
from tests.gui.painted import colours, listed, svg_of, type_of
from tests.gui.windows import on_screen, panel_fixture
from tests.runs import ran

SCENARIOS = ("dra-vms", "dra-classroom", "dra-example-1", "dra-appendix-c")


@cache
def opened(name: str, events: int = 400) -> tuple[Session, Bounds]:
    session = ran(name, events=events, kernel=True)
    numbers = session.info.numbers
    return session, solve_bounds(numbers.pool_shares, numbers.rewards, numbers.workload)


@pytest.fixture(scope="module")
def frame() -> Frame:
    session, bounds = opened("dra-vms", 3_000)
    return session.frame(bounds=bounds)


panel = panel_fixture(LPPanel, 620, 700)


@pytest.fixture
def ready(qtbot: QtBot, panel: LPPanel, frame: Frame) -> LPPanel:
    panel.set_frame(frame)
    qtbot.waitUntil(lambda: panel.curve.plot.viewport().width() > 400)
    return panel


def text_of(panel: LPPanel) -> str:
    """The text of all visible labels."""
    return " ".join(label.text() for label in panel.findChildren(QLabel) if not label.visibleRegion().isEmpty())


# -- solutions at any workload ---------------------------------------------------------------


@pytest.mark.parametrize("name", SCENARIOS)
def test_at_1_the_solution_is_the_proved_one(name: str) -> None:
    session, bounds = opened(name, 0)
    assert bounds.optimum is not None
    assert bounds.greedy is not None
    solution = solve_at(session.info.numbers, bounds, Fraction(1))
    assert (solution.optimum, solution.greedy) == (bounds.optimum.exact, bounds.greedy.objective)
    assert solution.prices == bounds.optimum.workload_duals
    assert solution.server_price == bounds.optimum.server_dual
    names = [f"workload {j + 1}" for j, binds in enumerate(solution.workload_binds) if binds]
    names += [f"slots {j + 1}" for j, binds in enumerate(solution.slots_bind) if binds]
    assert {*names, "servers"} == set(bounds.optimum.binding)


@pytest.mark.parametrize("name", SCENARIOS)
@given(alpha=st.fractions(0, 8, max_denominator=40))
def test_anywhere_else_it_is_solved_anew(name: str, alpha: Fraction) -> None:
    session, bounds = opened(name, 0)
    numbers = session.info.numbers
    assert bounds.curve is not None
    solution = solve_at(numbers, bounds, alpha)
    assert (solution.greedy, solution.optimum) == bounds.curve.value_at(alpha)
    assert sum(solution.best.values()) == pytest.approx(1)
    assert sum(solution.packed.values()) == pytest.approx(1)
    dual = sum(price * workload for price, workload in zip(solution.prices, solution.workload, strict=True))
    assert dual + solution.server_price == pytest.approx(float(solution.optimum))
    for j, (jobs, workload, slots) in enumerate(zip(solution.jobs, solution.workload, solution.slots, strict=True)):
        assert solution.workload_binds[j] == (jobs == pytest.approx(workload))
        assert solution.slots_bind[j] == (jobs == pytest.approx(slots))
        assert jobs <= min(workload, slots) + 1e-9


def test_unsolved_programs_have_no_solution(frame: Frame) -> None:
    with pytest.raises(ValueError, match="not been solved"):
        solve_at(frame.info.numbers, Bounds(), Fraction(1))


def test_present_shares_count_the_servers(frame: Frame) -> None:
    shares = present_shares(frame)
    assert sum(shares.values()) == pytest.approx(1)
    rows = frame.state.configuration.tolist()
    for configuration, share in shares.items():
        assert share == rows.count(list(configuration)) / 180


def test_bars_have_every_configuration_in_use_and_the_others_together(frame: Frame) -> None:
    numbers = frame.info.numbers
    solution = solve_at(numbers, frame.bounds, Fraction(1))
    rows = bar_rows(solution, present_shares(frame), numbers.rewards)
    assert frame.bounds.optimum is not None
    assert frame.bounds.greedy is not None
    best = {row.configuration: row.best for row in rows if row.best}
    assert best == dict(zip(frame.bounds.optimum.configurations, frame.bounds.optimum.servers, strict=True))
    packed = {row.configuration: row.packed for row in rows if row.packed}
    assert packed == pytest.approx({(12, 3, 8, 0): 1 / 6, (0, 0, 0, 1): 5 / 6})
    assert sum(row.present for row in rows) == pytest.approx(1)
    assert rows[0].configuration == (12, 3, 8, 0)
    used = {row.configuration for row in rows}
    others = [k for k in present_shares(frame) if k not in used]
    assert (None in used) == bool(others)


# -- pages -----------------------------------------------------------------------------------


def test_of_many_configurations_the_largest_shares_are_kept(frame: Frame) -> None:
    numbers = frame.info.numbers
    many = {(j, 0, 0, 0): (j + 1) / 78 for j in range(12)}
    solution = replace(solve_at(numbers, frame.bounds, Fraction(1)), best=many, packed={})
    rows = bar_rows(solution, {(3, 0, 0, 0): 0.25, (5, 5, 0, 0): 0.75}, numbers.rewards)
    *kept, others = rows
    assert [row.configuration for row in kept] == [(j, 0, 0, 0) for j in (11, 10, 9, 8, 7, 6, 5, 3)]
    assert others.configuration is None
    assert others.present == 0.75
    assert sum(row.best for row in rows) == pytest.approx(1)


def test_while_the_programs_are_solved_it_says_so(panel: LPPanel, frame: Frame) -> None:
    panel.set_frame(replace(frame, bounds=Bounds()))
    assert "Computing" in text_of(panel)
    assert panel.findChild(QProgressBar).isVisible()
    panel.set_frame(frame)
    assert not panel.findChild(QProgressBar).isVisible()
    assert "Computing" not in text_of(panel)


def test_what_cannot_be_solved_is_a_sentence(panel: LPPanel) -> None:
    session, bounds = opened("dra-example-2", 2)
    panel.set_frame(session.frame(bounds=bounds))
    assert bounds.problem in text_of(panel)
    assert panel.series() is None


def test_a_curve_that_is_too_large_leaves_the_rest(qtbot: QtBot, panel: LPPanel, frame: Frame) -> None:
    panel.set_frame(replace(frame, bounds=replace(frame.bounds, curve=None, problem="Too large.")))
    qtbot.wait(20)
    assert not panel.curve.isVisible()
    assert "Too large." in text_of(panel)
    assert panel.tiles.shown()[:3] == ["618", "532.7", "0.862"]


# -- numbers ---------------------------------------------------------------------------------


def test_the_numbers_of_section_7_1(ready: LPPanel) -> None:
    assert ready.tiles.shown() == ["618", "532.7", "0.862", "1"]
    words = text_of(ready)
    assert "799/927" in words
    assert "1598/3" in words
    ratio, run = ready.scale.shares
    assert ratio == pytest.approx(799 / 927)
    assert ready.frame is not None
    rate = reward_rate(ready.frame.info.numbers, ready.frame.state.jobs_in_system)
    assert run == pytest.approx(float(rate) / 618)


def test_prices_and_binding_constraints_are_written(frame: Frame) -> None:
    theme = load_theme("light")
    names = frame.info.numbers.type_names
    at_1 = price_table(solve_at(frame.info.numbers, frame.bounds, Fraction(1)), names, theme)
    assert [at_1.count(f">{number}<") for number in ("16", "608")] == [1, 1]
    assert at_1.count("<b>=</b>") == 9
    above = price_table(solve_at(frame.info.numbers, frame.bounds, Fraction(3)), names, theme)
    assert "αρ" in above
    assert "≥" in above
    marked = price_table(solve_at(frame.info.numbers, frame.bounds, Fraction(1)), ["a<b", *names[1:]], theme)
    assert "a&lt;b" in marked


def test_guarantees_are_named_with_their_conditions(ready: LPPanel) -> None:
    for guarantee in GUARANTEES:
        assert guarantee in NAMES
        assert guarantee_sentence(guarantee) in ready.guarantees.text()
    assert "≥ 1/2 always" in ready.guarantees.text()


@pytest.mark.parametrize(
    ("value", "written", "fraction"),
    [
        (Fraction(799, 927), "0.8619", "799/927"),
        (Fraction(618), "618", ""),
        (Fraction(6217, 10), "621.7", ""),
        (Fraction(1, 2), "0.5", ""),
        (Fraction(81047, 93255), "0.8691", ""),
        (Fraction(0), "0", ""),
        (Fraction(-7, 3), "−2.333", "-7/3"),
    ],
)
def test_numbers_have_four_digits_and_a_short_fraction(value: Fraction, written: str, fraction: str) -> None:
    assert significant(float(value)) == written
    assert exact(value) == fraction


@pytest.mark.parametrize(
    ("alpha", "written"),
    [("1", "1"), ("137/100", "1.37"), ("6/7", "6/7"), ("8/15", "8/15"), ("5/2", "2.5"), ("12345/67891", "0.1818")],
)
def test_alpha_is_short(alpha: str, written: str) -> None:
    assert alpha_text(Fraction(alpha)) == written


# -- the cursor ------------------------------------------------------------------------------


def drag(qtbot: QtBot, panel: LPPanel, *alphas: float) -> None:
    """Press at the first alpha, move over the others, release at the last."""
    target = panel.curve.plot.viewport()
    places = [panel.curve.drag.place_of(Fraction(alpha)).toPoint() for alpha in alphas]
    qtbot.mousePress(target, Qt.MouseButton.LeftButton, pos=places[0])
    for place in places[1:]:
        qtbot.mouseMove(target, pos=place)
        qtbot.wait(5)
    qtbot.mouseRelease(target, Qt.MouseButton.LeftButton, pos=places[-1])


def test_dragging_shows_values_and_solves(qtbot: QtBot, ready: LPPanel, frame: Frame) -> None:
    drag(qtbot, ready, 1.0, 2.0, 3.5)
    alpha = ready.curve.alpha
    assert float(alpha) == pytest.approx(3.5, abs=0.05)
    assert frame.bounds.curve is not None
    greedy, optimum = frame.bounds.curve.value_at(alpha)
    assert ready.tiles.shown()[:2] == [significant(float(optimum)), significant(float(greedy))]
    qtbot.waitUntil(lambda: ready.solution is not None and ready.solution.alpha == alpha)
    numbers = frame.info.numbers
    workload = [alpha * amount for amount in numbers.workload]
    assert ready.solution is not None
    assert ready.solution.optimum == exact_optimum(numbers.space, numbers.rewards, workload).value
    packed = global_greedy(numbers.space, numbers.rewards, workload).fractions()
    assert ready.solution.packed == {k: float(share) for k, share in packed.items()}
    assert {row.configuration for row in ready.bars.rows} >= set(packed)
    assert ready.scale.shares[1] is None


def test_a_double_click_returns_to_the_present(qtbot: QtBot, ready: LPPanel) -> None:
    drag(qtbot, ready, 1.0, 5.0)
    assert ready.curve.alpha != 1
    target = ready.curve.plot.viewport()
    qtbot.mouseDClick(target, Qt.MouseButton.LeftButton, pos=QPoint(200, 60))
    assert ready.curve.alpha == 1
    qtbot.waitUntil(lambda: ready.solution is not None and ready.solution.alpha == 1)
    assert ready.tiles.shown() == ["618", "532.7", "0.862", "1"]


def test_the_cursor_snaps_to_critical_points(qtbot: QtBot, ready: LPPanel) -> None:
    drag(qtbot, ready, 1.0, 6.03)
    assert ready.curve.alpha == 6
    drag(qtbot, ready, 6.0, 1.04)
    assert ready.curve.alpha == 1
    drag(qtbot, ready, 3.0, 0.83)
    assert ready.curve.alpha == Fraction(6, 7)
    assert ready.tiles.shown()[2:] == ["1.000", "6/7"]


def test_the_cursor_stays_on_the_axis(qtbot: QtBot, ready: LPPanel) -> None:
    target = ready.curve.plot.viewport()
    start = ready.curve.drag.place_of(Fraction(2)).toPoint()
    qtbot.mousePress(target, Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseMove(target, pos=QPoint(0, start.y()))
    qtbot.waitUntil(lambda: ready.curve.alpha == 0)
    qtbot.mouseRelease(target, Qt.MouseButton.LeftButton, pos=QPoint(0, start.y()))
    qtbot.waitUntil(lambda: ready.solution is not None and ready.solution.alpha == 0)
    assert ready.tiles.shown()[:3] == ["0", "0", "–"]
    before = ready.curve.alpha
    qtbot.mouseClick(target, Qt.MouseButton.LeftButton, pos=QPoint(3, 3))
    assert ready.curve.alpha == before


def test_frames_of_the_run_leave_the_cursor_alone(qtbot: QtBot, ready: LPPanel, frame: Frame) -> None:
    drag(qtbot, ready, 1.0, 4.0)
    alpha = ready.curve.alpha
    ready.set_frame(replace(frame, event=frame.event + 1))
    assert ready.curve.alpha == alpha
    session, bounds = opened("dra-classroom", 20)
    ready.set_frame(session.frame(bounds=bounds))
    assert ready.curve.alpha == 1
    assert ready.tiles.shown()[:2] == ["16", "12.25"]
    assert {row.configuration for row in ready.bars.rows if row.best} == {(3, 0, 1)}


def test_a_program_too_large_elsewhere_keeps_the_last_solution(
    qtbot: QtBot, ready: LPPanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise ValueError("more than 9 nodes")

    monkeypatch.setattr("slotscope.gui.kinds.reservation.lp.solve_at", refuse)
    before = ready.solution
    with qtbot.waitSignal(ready.intent) as caught:
        drag(qtbot, ready, 1.0, 4.0)
    assert isinstance(caught.args[0], Say)
    assert "more than 9 nodes" in caught.args[0].text
    assert ready.solution is before


# -- looks -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["light", "dark"])
def test_colours_of_meaning_are_there(qtbot: QtBot, panel: LPPanel, frame: Frame, name: str) -> None:
    theme = load_theme(name)
    panel.set_theme(theme)
    panel.set_frame(frame)
    qtbot.wait(20)
    for part in (panel.bars, panel.scale):
        assert {theme.panel, theme.optimum, theme.greedy, theme.run} <= colours(part)
    assert {theme.panel, theme.optimum, theme.greedy} <= colours(panel.curve)


@pytest.mark.parametrize("lecture", [False, True])
@pytest.mark.parametrize("size", [(480, 420), (620, 700), (1000, 500), (1500, 900), (460, 320)])
def test_nothing_overlaps(
    qtbot: QtBot, qapp: object, panel: LPPanel, frame: Frame, size: tuple[int, int], lecture: bool
) -> None:

    with type_of(lecture):
        panel.set_theme(load_theme("light"))
        panel.set_frame(frame)
        panel.resize(*size)
        qtbot.wait(30)
        parts = [panel.tiles, panel.bars, panel.scale, panel.guarantees, panel.curve, panel.prices]
        qtbot.waitUntil(lambda: all(part.height() >= part.minimumSizeHint().height() for part in parts))
        boxes = [QRect(part.mapTo(panel, QPoint(0, 0)), part.size()) for part in parts]
        for place, box in enumerate(boxes):
            assert box.left() >= 0
            assert box.right() <= panel.width()
            assert not any(box.intersects(other) for other in boxes[:place])
        beside = panel.bars.width() < 0.6 * panel.width()
        assert beside == (size[0] >= (1320 if lecture else 880))


@pytest.mark.parametrize("height", [120, 150, 400])
def test_the_name_of_the_cursor_lies_on_no_curve(
    qtbot: QtBot, qapp: object, panel: LPPanel, frame: Frame, height: int
) -> None:
    """The name is hidden where it would cover a curve: in the low plot of lecture mode.  The values show α anyway."""
    with type_of(lecture=True):
        panel.set_theme(load_theme("light"))
        panel.set_frame(frame)
        plot, name = panel.curve.plot, panel.curve._cursor_text
        assert panel.bounds.curve is not None
        greedy = float(panel.bounds.curve.value_at(Fraction(1))[0])
        panel.curve.setFixedHeight(height)
        qtbot.waitUntil(lambda: plot.height() == height)
        assert name.isVisible() or height < 400
        if name.isVisible():
            curve = plot.getViewBox().mapViewToScene(QPointF(1, greedy)).y()
            assert name.mapRectToScene(name.boundingRect()).top() >= curve


def test_in_a_hall_the_plot_is_as_high_whatever_it_was_before(qtbot: QtBot, ready: LPPanel, frame: Frame) -> None:
    with type_of(lecture=True):
        fresh = on_screen(qtbot, LPPanel(load_theme("light")), 620, 700)
        fresh.set_frame(frame)
        ready.set_theme(load_theme("light"))
        qtbot.wait(30)
        assert ready.curve.height() == fresh.curve.height()
        assert ready.area.content.height() == fresh.area.content.height()


def test_long_configurations_give_way_to_letters(qtbot: QtBot, ready: LPPanel) -> None:
    ready.resize(320, 500)
    qtbot.wait(20)
    assert ready.bars.label(BarRow((12, 3, 8, 0), 0.0, 0.0, 0.0), 400) == "(12, 3, 8, 0)"
    assert ready.bars.label(BarRow((12, 0, 0, 0, 0, 0, 0, 1), 0.0, 0.0, 0.0), 120) == "12 A + 1 H"
    assert ready.bars.label(BarRow((12, 0, 0, 0, 0, 0, 0, 1), 0.0, 0.0, 0.0), 70) == "12A 1H"
    assert ready.bars.label(BarRow((0, 0, 0, 0, 0, 0, 0, 0), 0.0, 0.0, 0.0), 60) == "empty"
    assert ready.bars.label(BarRow(None, 0.0, 0.0, 0.0), 60) == "others"


def test_of_many_types_configurations_are_whole_in_a_hall(qtbot: QtBot, ready: LPPanel) -> None:
    """Where even the shortest names are wide, the numbers are left out to make room for them."""
    with type_of(lecture=True):
        ready.set_theme(load_theme("light"))
        ready.resize(600, 490)
        of_six = BarRow((1, 0, 0, 0, 0, 0, 4, 1, 2, 1, 1, 0), 0.281, 0.0, 0.3)
        for row, with_numbers in ((of_six, True), (BarRow((11,) * 6, 0.281, 0.0, 0.3), False)):
            ready.bars.set_rows((row,))
            label, left, _ = ready.bars._columns()
            assert "…" not in ready.bars.label(row, label)
            assert left - label >= 90
            assert (left < ready.bars.width() - 10) == with_numbers


def test_a_row_says_its_numbers(ready: LPPanel) -> None:
    line = ready.bars.height() / (len(ready.bars.rows) + 1)
    assert "(12, 3, 8, 0): optimum 0.0000, greedy 0.1667" in ready.bars.tip_at(QPointF(0, 1.5 * line))
    assert "shares of the servers" in ready.bars.tip_at(QPointF(0, 1))


def test_the_series_are_the_corners_of_both_curves(ready: LPPanel) -> None:
    table = listed(ready)
    assert [row["alpha_exact"] for row in table] == ["0", "6/7", "1", "11/6", "6"]
    assert table[2]["greedy_exact"] == "1598/3"
    assert table[2]["optimum"] == 618.0


def test_the_picture_saves_as_vectors(ready: LPPanel, tmp_path: Path) -> None:
    assert "(12, 3, 8, 0)" in svg_of(ready, tmp_path)


def test_numbers_are_as_wide_as_if_nothing_had_been_shown_before(qtbot: QtBot, panel: LPPanel, frame: Frame) -> None:
    """Tiles of a lesson's step do not keep the width of longer captions of the step before."""
    session, bounds = opened("dra-example-1")
    short = session.frame(bounds=bounds)
    panel.set_frame(short)
    alone = [tile.width() for tile, _, _ in panel.tiles._tiles]
    panel.set_frame(frame)
    assert [tile.width() for tile, _, _ in panel.tiles._tiles] != alone
    panel.forget()
    panel.set_frame(short)
    assert [tile.width() for tile, _, _ in panel.tiles._tiles] == alone
