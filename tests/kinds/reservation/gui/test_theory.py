"""The Theory panel: q, effective servers and V equal the state's; clicks; the search."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from slotscope.gui.kinds.reservation import theory
from slotscope.gui.kinds.reservation.theory import TheoryPanel
from slotscope.gui.kinds.reservation.theory_bars import DeficitBars
from slotscope.gui.kinds.reservation.theory_values import falling_for
from slotscope.gui.panels.wording import significant
from slotscope.gui.plotting.sampled import SampledSeries
from slotscope.gui.theme import apply, load_theme
from slotscope.model.api import Session
from slotscope.model.kinds.reservation.bounds import Bounds
from slotscope.model.kinds.reservation.programs.bounds import solve_bounds
from slotscope.model.kinds.reservation.programs.greedy import global_greedy
from slotscope.model.kinds.reservation.programs.lyapunov import lyapunov
from slotscope.model.kinds.reservation.sampling import EVENT_COLUMN, TIME_COLUMN
from slotscope.model.reporting.frame import Frame
from slotscope.model.scenario.load import parse_scenario
from tests.gui.painted import colours, series_of, svg_of, text_of, type_of
from tests.gui.plot_points import points_of, time_reached
from tests.gui.windows import panel_fixture
from tests.kinds.reservation.gui.theory_frames import EVENTS, frame_of, opened, q_by_hand, servers_by_rank
from tests.runs import ran


@pytest.fixture(scope="module")
def frame() -> Frame:
    return frame_of("dra-vms")


panel = panel_fixture(TheoryPanel, 640, 900)


def click_row(qtbot: QtBot, panel: TheoryPanel, row: int) -> None:
    """Press the mouse in the middle of a row of configurations."""
    height = round((row + 1.5) * panel.target.row_height())
    qtbot.mouseClick(panel.target, Qt.MouseButton.LeftButton, pos=QPoint(30, height))


# -- numbers ---------------------------------------------------------------------------------


@pytest.mark.parametrize("event", [0, 1, 57, 1_200, EVENTS])
def test_q_is_that_of_the_servers(panel: TheoryPanel, event: int) -> None:
    session, bounds = opened("dra-vms")
    session.seek(event)
    frame = session.frame(bounds=bounds)
    panel.set_frame(frame)
    assert panel.deficit.values == q_by_hand(frame)


def test_shares_are_those_of_the_servers_and_of_the_target(panel: TheoryPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    *rows, everything = panel.target.shares()
    numbers = frame.info.numbers
    effective = [k for _, k in servers_by_rank(frame)]
    target = global_greedy(numbers.space, numbers.rewards, numbers.workload).fractions()
    for configuration, present, wanted in rows:
        assert configuration is not None
        assert present == effective.count(configuration) / numbers.servers
        assert wanted == float(target.get(configuration, 0))
    shown = {configuration for configuration, _, _ in rows}
    assert set(effective) | set(target) <= shown
    assert everything == (None, len(effective) / numbers.servers, pytest.approx(1))


def test_the_large_number_is_what_cra_still_lacks(panel: TheoryPanel) -> None:
    session, bounds = opened("dra-vms")
    seen = set()
    for event in range(200, EVENTS, 400):
        session.seek(event)
        frame = session.frame(bounds=bounds)
        panel.set_frame(frame)
        found = frame.state.greedy_configuration[: len(frame.derived.held)].tolist()
        lacking = [
            tuple(k)
            for k, held, wanted in zip(found, frame.derived.held, frame.state.greedy_count, strict=False)
            if held < wanted
        ]
        assert "not CRA" not in text_of(panel)
        shown = panel.tiles.shown()[0]
        seen.add(bool(lacking))
        if lacking:
            assert shown == f"({', '.join(map(str, lacking[0]))})"
        else:
            assert shown in {"stay", "all"}
    assert True in seen


def test_a_plan_for_other_jobs_is_told(panel: TheoryPanel) -> None:
    """Between periodic updates the jobs change and X-hat does not, which the panel must say."""
    session, bounds = opened("dra-vms", 1_500, "dra-periodic")
    told = []
    for event in range(0, 1_500, 100):
        session.seek(event)
        panel.set_frame(session.frame(bounds=bounds))
        moment = panel.target.moment
        assert moment is not None
        told.append("planned otherwise" in text_of(panel) or "not CRA" in text_of(panel))
        assert told[-1] != moment.agrees
    assert True in told
    assert not told[0]


def test_v_is_exactly_that_of_the_state(panel: TheoryPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    numbers = frame.info.numbers
    function = lyapunov(numbers.space, numbers.rewards, numbers.workload)
    effective = [k for _, k in servers_by_rank(frame)]
    shares = {k: Fraction(effective.count(k), numbers.servers) for k in set(effective)}
    jobs = [Fraction(int(y), numbers.servers) for y in frame.state.jobs_in_system]
    value = function.at(shares, jobs)
    expected = (value.value, sum(value.configurations), sum(value.jobs))
    assert panel.tiles.shown()[1:] == [significant(float(number), 2) for number in expected]


def test_the_curve_has_v_at_every_sample_up_to_small_terms(panel: TheoryPanel, frame: Frame) -> None:
    assert panel.series() is None
    panel.set_frame(frame)
    names, table = series_of(panel)
    assert names == ["event", "time", "v", "v_servers"]
    assert [row[0] for row in table] == frame.samples[:, EVENT_COLUMN].tolist()
    assert 0.8 < table[0][2] <= 1
    session, bounds = opened("dra-vms")
    function = bounds.lyapunov
    assert function is not None
    numbers = frame.info.numbers
    for place in (40, 700, len(table) - 1):
        session.seek(int(table[place][0]))
        then = session.frame(bounds=bounds)
        effective = [k for _, k in servers_by_rank(then)]
        shares = {k: Fraction(effective.count(k), numbers.servers) for k in set(effective)}
        jobs = [Fraction(int(y), numbers.servers) for y in then.state.jobs_in_system]
        exact = float(function.at(shares, jobs).value)
        assert exact <= table[place][2] + 1e-9
        assert table[place][2] - exact < 0.05
    session.seek(EVENTS)


def test_how_long_a_series_has_fallen() -> None:
    times = np.linspace(0, 8, 4001)
    up_then_down = SampledSeries()
    up_then_down.append(times, np.where(times < 5, times, 10 - times), None)
    duration, width = falling_for(up_then_down, 8.0)
    assert duration == pytest.approx(3, abs=2 * width)
    assert falling_for(up_then_down, 4.0)[0] == 0
    constant = SampledSeries()
    constant.append(times, np.full(len(times), 1 / 3), None)
    assert falling_for(constant, 8.0)[0] == 0
    assert falling_for(constant, 0.0) == (0, 0)


def test_since_when_v_falls_is_told_as_a_time(panel: TheoryPanel, frame: Frame, monkeypatch) -> None:
    monkeypatch.setattr(theory, "falling_for", lambda series, now: (now - 0.25, 0.125))
    panel.set_frame(frame)
    assert "V has fallen since t = 0.25, in averages over 0.12 mean service times." in panel.verdict.text()


def test_words_about_v_are_honest(panel: TheoryPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    said = panel.verdict.text()
    assert "Only the fluid limit falls for ever" in said
    assert "180 servers" in said
    function = frame.bounds.lyapunov
    assert function is not None
    assert significant(function.chance(180), 2) in said


# -- choosing a configuration ----------------------------------------------------------------


def test_a_click_on_a_configuration_counts_up_to_it(qtbot: QtBot, panel: TheoryPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    rows = panel.target.shares()
    for row, (configuration, _, _) in enumerate(rows):
        click_row(qtbot, panel, row)
        assert panel.target.selected == configuration
        assert panel.deficit.values == q_by_hand(frame, configuration)
    assert panel.deficit.values == q_by_hand(frame)


def test_arrow_keys_move_the_choice(qtbot: QtBot, panel: TheoryPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    last = [row[0] for row in panel.target.shares()][:-1]
    panel.target.setFocus()
    for configuration in (last[-1], last[-2]):
        qtbot.keyClick(panel.target, Qt.Key.Key_Up)
        assert panel.deficit.values == q_by_hand(frame, configuration)
    for _ in range(5):
        qtbot.keyClick(panel.target, Qt.Key.Key_Down)
    assert panel.target.selected is None


def test_the_choice_outlives_gpas_next_answer(qtbot: QtBot, panel: TheoryPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    click_row(qtbot, panel, 0)
    chosen = panel.target.selected
    session, bounds = opened("dra-vms")
    for event in (10, 900):
        session.seek(event)
        then = session.frame(bounds=bounds)
        panel.set_frame(then)
        assert panel.target.selected == chosen
        assert panel.deficit.values == q_by_hand(then, chosen)
    session.seek(EVENTS)


def test_a_moment_has_one_range(qtbot: QtBot, panel: TheoryPanel, frame: Frame) -> None:
    """The range does not stay as wide as an earlier moment with far more missing slots needed."""
    bars, few = panel.deficit, (-1, 1, 0)
    bars.set_values(few, None)
    unit = bars.across(1.0) - bars.across(0.0)
    bars.set_values((-5000, 0, 0), None)
    bars.set_values(few, None)
    assert bars.across(1.0) - bars.across(0.0) == unit


def test_the_range_fits_the_choice(qtbot: QtBot, panel: TheoryPanel, frame: Frame) -> None:
    """Far more slots are missing up to the first configuration than up to the last."""
    panel.set_frame(frame)
    unit = panel.deficit.across(1.0) - panel.deficit.across(0.0)
    click_row(qtbot, panel, 0)
    assert panel.deficit.across(1.0) - panel.deficit.across(0.0) < unit / 3
    click_row(qtbot, panel, len(panel.target.shares()) - 1)
    assert panel.deficit.across(1.0) - panel.deficit.across(0.0) == pytest.approx(unit)


def test_tips_say_servers(panel: TheoryPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    height = panel.target.row_height()
    effective = [k for _, k in servers_by_rank(frame)]
    assert f"(12, 3, 8, 0): {effective.count((12, 3, 8, 0))} effective servers, target 30.0" in (
        panel.target.tip_at(QPointF(0, 1.5 * height))
    )
    assert "A click" in panel.target.tip_at(QPointF())


def test_a_click_in_the_curve_goes_to_that_moment(qtbot: QtBot, panel: TheoryPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    qtbot.wait(20)
    middle = panel.plot.getPlotItem().getViewBox().viewRect().center()
    reached = time_reached(qtbot, panel, panel.plot, middle.x(), middle.y())
    assert reached == pytest.approx(middle.x(), abs=0.05)


# -- where it does not apply, and how it looks -----------------------------------------------


def test_a_policy_without_greedy_configurations(panel: TheoryPanel) -> None:
    panel.set_frame(frame_of("dra-vms", 50, "first-fit"))
    assert not panel.deficit.isVisible()
    assert "Theory does not apply to First fit" in text_of(panel)


def test_servers_of_several_kinds(panel: TheoryPanel, frame: Frame) -> None:
    numbers = replace(frame.info.numbers, pools=frame.info.numbers.pools * 2)
    panel.set_frame(replace(frame, info=replace(frame.info, numbers=numbers)))
    assert not panel.deficit.isVisible()
    assert "servers of one kind, and there are 2" in text_of(panel)


def test_an_unknown_workload_hides_v_and_shows_q(panel: TheoryPanel) -> None:
    frame = frame_of("dra-example-2", 3)
    panel.set_frame(frame)
    assert panel.deficit.values == q_by_hand(frame)
    assert not panel.plot.isVisible()
    assert not panel.search.isVisible()
    assert "workload is not known" in text_of(panel)
    assert all(target is None for _, _, target in panel.target.shares())
    assert panel.series() is None


def test_data_of_the_last_run_are_not_saved_as_those_of_the_next(panel, frame) -> None:
    panel.set_frame(frame)
    assert panel.series() is not None
    panel.set_frame(replace(frame_of("dra-example-1", 3), bounds=Bounds()))
    assert panel.series() is None


def test_until_the_programs_are_solved_it_says_so(panel: TheoryPanel, frame: Frame) -> None:
    panel.set_frame(replace(frame, bounds=Bounds()))
    assert panel.deficit.values == q_by_hand(frame)
    assert "Computing" in panel.verdict.text()
    assert not panel.plot.isVisible()
    panel.set_frame(frame)
    assert panel.plot.isVisible()
    panel.set_frame(replace(frame, bounds=Bounds(problem="Too large.")))
    assert "Too large." in panel.verdict.text()
    assert not panel.plot.isVisible()


@pytest.mark.parametrize("name", ["light", "dark"])
def test_the_picture_has_its_colours(qtbot: QtBot, panel: TheoryPanel, frame: Frame, name: str) -> None:
    theme = load_theme(name)
    panel.set_theme(theme)
    empty = colours(panel)
    assert theme.greedy not in empty
    panel.set_frame(frame)
    qtbot.wait(20)
    assert {theme.panel, theme.run, theme.greedy, theme.selection} <= colours(panel.target)
    loud = {theme.types[j] for j, q in enumerate(panel.deficit.values) if q}
    assert loud
    assert loud <= colours(panel.deficit)
    assert {theme.panel, theme.run, theme.greedy} <= colours(panel.plot)
    assert len(colours(panel)) > 3 * len(empty)


def with_types(count: int) -> Frame:
    sizes = np.random.default_rng(4).integers(1, 9, (count, 2)).tolist()
    data: dict[str, Any] = {
        "servers": {"count": 120, "capacity": {"cpu": 16, "memory": 16}},
        "job_types": [
            {
                "name": f"kind {j}",
                "demand": {"cpu": cpu, "memory": memory},
                "reward": 1 + 3 * j,
                "workload": f"{j + 3}/10",
            }
            for j, (cpu, memory) in enumerate(sizes, start=1)
        ],
    }
    session = ran(parse_scenario(data), events=400)
    numbers = session.info.numbers
    return session.frame(bounds=solve_bounds(numbers.pool_shares, numbers.rewards, numbers.workload))


@pytest.mark.parametrize("lecture", [False, True])
@pytest.mark.parametrize("count", [1, 12])
def test_from_1_to_12_types_everything_has_room(
    qtbot: QtBot, qapp: QApplication, panel: TheoryPanel, count: int, lecture: bool
) -> None:
    apply(qapp, panel.theme, lecture=lecture)
    panel.set_theme(panel.theme)
    frame = with_types(count)
    for size in ((420, 300), (640, 900), (1300, 700)):
        panel.resize(*size)
        panel.set_frame(frame)
        qtbot.wait(20)
        assert panel.deficit.values == q_by_hand(frame)
        line = panel.deficit.fontMetrics().height()
        box = panel.deficit.box()
        assert box.height() == pytest.approx(count * panel.deficit.row_height())
        assert panel.deficit.row_height() > line
        assert box.bottom() + line < panel.deficit.height() + 4
        assert box.right() < panel.deficit.width()
        rows = len(panel.target.shares())
        assert (rows + 1) * panel.target.row_height() <= panel.target.height() + 1
        assert panel.plot.height() >= 150
        if size[0] > 600:
            assert panel.plot.mapTo(panel, panel.plot.rect().bottomRight()).x() <= size[0]
        for value in (0, -frame.info.facts.reserved, *panel.deficit.values):
            assert box.left() - 1 <= panel.deficit.across(value) <= box.right() + 1
    apply(qapp, panel.theme)


def test_wide_panels_have_two_columns(qtbot: QtBot, panel: TheoryPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    qtbot.wait(20)
    assert panel.target.y() > panel.deficit.y()
    panel.resize(1200, 700)
    qtbot.wait(20)
    assert panel.target.x() > panel.deficit.x() + panel.deficit.width() - 10


def test_a_run_shows_the_present_state(panel: TheoryPanel) -> None:
    session = Session.open("dra-vms", kernel=False)
    _, bounds = opened("dra-vms")
    for _ in range(8):
        session.run(events=60)
        panel.set_frame(session.frame(running=True, bounds=bounds))
    last = session.frame(bounds=bounds)
    panel.set_frame(last)
    assert panel.deficit.values == q_by_hand(last)
    assert len(series_of(panel)[1]) == len(last.samples)


def test_after_going_back_the_future_is_muted(panel: TheoryPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    session, bounds = opened("dra-vms")
    session.seek(1_000)
    earlier = session.frame(bounds=bounds)
    panel.set_frame(earlier)
    ahead = points_of(panel.plot, "ahead whole")
    assert ahead[0, 0] == pytest.approx(earlier.time)
    assert ahead[-1, 0] == pytest.approx(frame.samples[-1, TIME_COLUMN], abs=0.05)
    session.seek(EVENTS)


def test_another_run_begins_anew(panel: TheoryPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    other = frame_of("dra-classroom", 30)
    panel.set_frame(other)
    assert panel.deficit.values == q_by_hand(other)
    assert panel.target.selected is None
    assert len(panel.target.shares()[0][0] or ()) == 3
    assert len(series_of(panel)[1]) == len(other.samples)


def test_the_picture_saves_as_vectors(panel: TheoryPanel, frame: Frame, tmp_path: Path) -> None:
    panel.set_frame(frame)
    assert "slot deficit q" in svg_of(panel, tmp_path)


def test_types_that_differ_at_the_end_have_whole_names_in_a_hall(qapp: QApplication) -> None:
    with type_of(lecture=True):
        bars = DeficitBars(load_theme("light"))
        bars.resize(580, 400)
        bars.begin(("n2-highmem-64", "n2-highmem-48"), 6)
        metrics = QFontMetricsF(bars.font())
        assert bars.box().left() - 20 - metrics.height() >= metrics.horizontalAdvance("B\u2002n2-highmem-48")
