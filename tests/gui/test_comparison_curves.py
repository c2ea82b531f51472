"""Curves and measures of policies side by side: from the start they match the states."""

from __future__ import annotations

import re
from dataclasses import replace
from math import nan
from typing import Callable

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from slotscope.gui.panels.comparison import ComparisonPanel
from slotscope.gui.panels.comparison_curves import LaneCurves
from slotscope.gui.panels.comparison_table import LaneMeasures, measured_lanes, table_text
from slotscope.gui.plotting.sampled import MOST_AVERAGES
from slotscope.gui.theme import load_theme
from slotscope.model.comparison.comparison import Comparison
from slotscope.model.kinds.reservation.state import REJECTED
from slotscope.model.measures.metrics import Estimate
from slotscope.model.reporting.frame import Frame
from slotscope.model.running.recorder import MOST_SAMPLES
from slotscope.model.scenario.load import as_data, load_scenario, parse_scenario
from tests.gui.plot_points import points_of
from tests.gui.windows import on_screen
from tests.runs import ran

Shown = Callable[[Comparison], ComparisonPanel]

PAIRS = {
    "queues-classroom": ("vqs", "vqs-bf", "bf-js"),
    "moldable-classroom": ("greedy", "greedy-p"),
    "dra-classroom": ("dra", "first-fit"),
    "jrs-classroom": ("jrs", "first-fit"),
}


@pytest.fixture
def shown(qtbot: QtBot) -> Shown:
    def show(run: Comparison, running: bool = False) -> ComparisonPanel:
        panel = on_screen(qtbot, ComparisonPanel(load_theme("light")), 700, 800)
        panel.set_frame(run.frame(running=running))
        return panel

    return show


def drawn(panel: ComparisonPanel, lane: int) -> tuple[np.ndarray, np.ndarray]:
    """The points of a lane's curve."""
    times, rewards = points_of(panel.curves.rewards, f"lane {lane + 1}").T
    return times, rewards


def present(run: Comparison) -> list[float]:
    """The headline value of every lane, computed from its state."""
    return [lane.info.kind.headline_now(lane.info.numbers, lane.state) for lane in run.frame().lanes]


@pytest.mark.parametrize("scenario", PAIRS)
def test_steps_end_at_the_present_value(shown: Shown, scenario: str) -> None:
    run = Comparison.open(scenario, PAIRS[scenario], kernel=False)
    run.run(events=60)
    panel = shown(run)
    for _ in range(12):
        panel.set_frame(run.frame())
        for lane, value in enumerate(present(run)):
            times, heights = drawn(panel, lane)
            assert (times[-1], heights[-1]) == (run.timeline.time, pytest.approx(value))
            assert not ((np.diff(times) > 0) & (np.diff(heights) != 0)).any()  # steps, not slopes
        run.step()


def test_a_long_run_at_rest_ends_at_the_present_value_and_a_running_one_at_an_average(shown: Shown) -> None:
    run = Comparison.open("queues-wide-jobs", ("bf-js", "vqs"), kernel=False)
    run.run(events=4 * MOST_AVERAGES)
    for running in (False, True):
        panel = shown(run, running)
        ends = [drawn(panel, lane)[1][-1] for lane in range(2)]
        assert (ends == present(run)) is not running


def test_curves_take_the_room_that_a_shorter_name_leaves(shown: Shown) -> None:
    run = Comparison.open("queues-classroom", ("bf-js", "vqs"), kernel=False)
    run.run(events=10)
    panel = shown(run)
    frame, plots = run.frame(), (panel.curves.rewards, panel.curves.differences)
    wide = [plot._column.wanted for plot in plots]
    for labels in (("BF-J/S", "VQS, job=65,server=3 @126"), frame.comparison.labels):
        panel.set_frame(replace(frame, comparison=replace(frame.comparison, labels=labels)))
    assert [plot._column.wanted for plot in plots] == wide


@pytest.mark.parametrize("scenario", PAIRS)
def test_the_axes_of_time_say_their_unit(shown: Shown, scenario: str) -> None:
    run = Comparison.open(scenario, PAIRS[scenario], kernel=False)
    curves = shown(run).curves
    unit = {"queues": "slots", "moldable": "minutes", "dra": "seconds", "jrs": "minutes"}[scenario.partition("-")[0]]
    for plot in (curves.rewards, curves.differences):
        assert plot.getPlotItem().getAxis("bottom").label.toPlainText().strip() == f"time ({unit})"


def test_the_share_blocked_is_that_of_the_jobs_so_far(shown: Shown) -> None:
    run = Comparison.open("moldable-classroom", PAIRS["moldable-classroom"], kernel=False)
    run.run(until=18.4)
    panel = shown(run)
    assert [drawn(panel, lane)[1][-1] for lane in (0, 1)] == [11 / 21, 0.0]


def test_a_fork_that_edits_rewards_differs_from_where_it_leaves(shown: Shown) -> None:
    run = Comparison.open("dra-classroom", ("dra", 'dra@40+{"job_types.0.reward":5}'), kernel=False)
    run.run(events=40)
    panel = shown(run)
    np.testing.assert_array_equal(drawn(panel, 0), drawn(panel, 1))


@pytest.mark.parametrize("scenario", PAIRS)
def test_measures_are_those_so_far_until_the_warm_up_is_over(shown: Shown, scenario: str) -> None:
    run = Comparison.open(scenario, PAIRS[scenario], kernel=False)
    warmup = float(run.bench.scenario.run.warmup)
    assert warmup > 0
    run.run(events=30)
    assert run.timeline.time < warmup
    text = shown(run).table.text()
    assert "so far" in text
    assert "±" not in text
    assert "–" not in text.split("rejected", 1)[0]  # the last rows may be unknown yet
    for lane in measured_lanes(run.frame()):
        assert all(np.isnan(one.half_width) for one in lane.means.values())


def test_of_a_long_run_early_moments_have_their_own_counts_too() -> None:
    run = Comparison.open("dra-classroom", PAIRS["dra-classroom"])
    run.run(events=MOST_SAMPLES + 200)
    assert len(run.frame().samples) <= MOST_SAMPLES  # every second one is kept
    run.seek(0)
    compared = 0
    for _ in range(60):
        run.step()
        frame = run.frame()
        if len({lane.time for lane in frame.lanes}) > 1:
            continue  # the lane that is behind may still reject
        for lane, found in zip(frame.lanes, measured_lanes(frame), strict=True):
            rejected = lane.state.tally[:, REJECTED].sum()
            assert found.means["rejected"].mean * frame.time == pytest.approx(rejected)
            compared += rejected > 0
    assert compared


def verdicts(panel: ComparisonPanel) -> list[str]:
    row = re.search("<tr><td[^>]*>verdict</td>(.*?)</tr>", panel.table.text())
    return [] if row is None else re.findall("<b[^>]*>(.*?)</b>", row[1])


def test_each_lane_has_its_verdict(shown: Shown) -> None:
    run = Comparison.open("queues-wide-jobs", ("bf-js", "vqs"))
    run.run(until=5000)
    assert verdicts(shown(run)) == ["undecided", "undecided"]  # the warm-up is not over
    run.run(until=600_000)
    panel = shown(run)
    assert verdicts(panel) == ["stable", "unstable"]
    assert "BF-J/S: stable, the queue returns" in panel.table.toolTip()
    assert "grows" in panel.table.text()
    assert verdicts(shown(Comparison.open("dra-classroom", PAIRS["dra-classroom"]))) == []


def test_recorded_jobs_have_no_verdict(shown: Shown) -> None:
    jobs = [{"slot": slot, "size": "1/2", "service": 3} for slot in range(1, 400, 2)]
    workload = {"kind": "scripted", "arrivals": jobs}
    rules = as_data(load_scenario("queues-classroom"))
    changed = {"jobs": [], "run": {"warmup": 10}, "workload": workload}
    scripted = parse_scenario(rules | changed)
    run = Comparison.open(scripted, ("bf-js", "fifo-ff"), kernel=False)
    run.run(until=300)
    assert verdicts(shown(run)) == ["no verdict", "no verdict"]


def test_the_bound_of_a_run_leaves_with_it(shown: Shown) -> None:
    run = Comparison.open("dra-classroom", PAIRS["dra-classroom"], kernel=False)
    panel = shown(run)
    frame = run.frame()
    bounds = list(frame.info.kind.all_bounds(load_scenario("dra-classroom")))[-1]
    panel.set_frame(replace(frame, bounds=bounds))
    assert panel.curves.rewards.has_reference("optimum")
    queues = Comparison.open("queues-classroom", ("vqs", "bf-js"), kernel=False)
    panel.set_frame(queues.frame())
    assert not panel.curves.rewards.has_reference("optimum")


def test_so_many_jobs_are_counted_as_people_do(shown: Shown) -> None:
    run = Comparison.open("moldable-classroom", ("greedy-p", "greedy"), kernel=False)
    assert shown(run).sentence.text() == "No job has arrived yet."
    run.step()
    assert shown(run).sentence.text() == "1 job so far, each served, or blocked, by all of them alike."


def test_so_many_jobs_are_compared_where_the_rest_was_left(shown: Shown) -> None:
    session = ran("dra-classroom", "dra", events=60)
    run = Comparison.beside(session, ["dra@60:reject"], kernel=False)
    run.leave_past()
    said = shown(run).sentence.text()
    assert said == "0 jobs are compared; First that differs goes on with the rest."


def test_names_of_two_policies_break_between_their_options_alone(shown: Shown) -> None:
    run = Comparison.open("queues-classroom", ("vqs-bf", "vqs-bf:renew=before"), kernel=False)
    text = shown(run).table.text()
    assert ">VQS-BF, as\u00a0given<" in text
    assert ">VQS-BF, renew\u00a0before<" in text


def test_long_names_push_no_column_out_of_the_panel(shown: Shown) -> None:
    policy = "resources/policies/asking_servers.py"
    run = Comparison.open("jrs-classroom", (policy, f"{policy}@7=first-fit"), kernel=False)
    run.run(events=20)
    panel = shown(run)
    assert panel.measures.minimumWidth() < 400


def test_measures_have_the_room_that_qt_asks_for_and_it_is_asked_once_for_a_look(shown: Shown) -> None:
    run = Comparison.open("dra-classroom", PAIRS["dra-classroom"], kernel=False)
    panel = shown(run)
    for width in (700, 420, 700):
        panel.resize(width, 800)
        QApplication.processEvents()
        for _ in range(12):
            run.run(events=20)
            panel.set_frame(run.frame())
            across = panel.measures.viewport().width()
            told = panel._tell(panel.current, 0)
            assert told == (panel._inside.minimumSizeHint().width(), panel._rows.heightForWidth(across) + 2)
    assert len(panel._sizes) < 24, "numbers that are as long as those before"


@pytest.mark.parametrize("width", [480, 700])
def test_long_names_leave_leave_curves_their_room(shown: Shown, qtbot: QtBot, width: int) -> None:
    policy = "resources/policies/half_of_the_rest.py"
    run = Comparison.open("moldable-classroom", (policy, f"{policy}@7:block"), kernel=False)
    run.run(events=20)
    panel = shown(run)
    panel.resize(width, 700)
    panel.set_frame(run.frame())
    qtbot.waitUntil(lambda: panel.curves.rewards.getPlotItem().getViewBox().width() > 0.3 * width)


def test_a_click_on_a_curve_goes_to_its_moment_and_on_an_empty_plot_nowhere(qtbot: QtBot) -> None:
    """Plots exist, and can be clicked, before the first lanes are drawn in a later turn of the event loop."""
    run = Comparison.open("dra-classroom", PAIRS["dra-classroom"], kernel=False)
    run.run(events=60)
    curves = on_screen(qtbot, LaneCurves(load_theme("light"), None), 700, 800)
    for _ in curves.build_ahead():
        pass
    QTest.qWait(1)  # lets the layout place the plots
    events: list[int] = []
    curves.event_picked.connect(events.append)
    for picked in (0, 1):
        viewport = curves.differences.viewport()
        qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=viewport.rect().center())
        assert len(events) == picked
        curves.show_frame(run.frame())
        QTest.qWait(QApplication.doubleClickInterval())
    assert 0 < events[0] < 60


@pytest.mark.parametrize(
    ("mean", "half", "told"),
    [
        (0.0, nan, "+0"),
        (-1e-12, nan, "+0"),
        (0.0, 0.01, "0.000 ± 0.010"),
        (1e-4, 0.01, "0.000 ± 0.010"),
        (-1e-4, 0.01, "0.000 ± 0.010"),
        (3.0, 0.1, "+3.00 ± 0.10"),
        (-3.0, nan, "−3"),
    ],
)
def test_a_difference_is_told_from_a_mean_and_has_a_sign_where_it_is_not_written_as_nothing(
    mean: float, half: float, told: str
) -> None:
    frame = Comparison.of([ran("dra-classroom", policy, events=5) for policy in PAIRS["dra-classroom"]]).frame()
    name = frame.info.kind.measures[0].name
    means = {name: Estimate(5.0, nan)}
    lanes = [LaneMeasures("a", means, {}, None), LaneMeasures("b", means, {name: Estimate(mean, half)}, None)]
    html = table_text(frame, lanes, load_theme("light"))
    assert re.sub("(<[^>]*>)+", "|", html).replace("\u00a0", " ").count(f"|{told}|") == 1


def test_intervals_of_many_digits_are_not_cut_where_two_policies_have_little_room(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as the growth of a queue after millions of slots: 0.00000013 ± 0.00000013."""
    run = Comparison.of([ran("queues-classroom", policy, events=2000) for policy in ("vqs", "vqs-bf")])
    tiny = Estimate(1.3e-7, 1.3e-7)

    def measured(frame: Frame) -> tuple[LaneMeasures, ...]:
        return tuple(one._replace(means=dict.fromkeys(one.means, tiny)) for one in measured_lanes(frame))

    monkeypatch.setattr("slotscope.gui.panels.comparison.measured_lanes", measured)
    panel = on_screen(qtbot, ComparisonPanel(load_theme("light")), 330, 420)
    panel.set_frame(run.frame())
    assert "0.00000013" in panel.table.text()
    assert panel._inside.minimumSizeHint().width() <= panel.measures.viewport().width() <= 330
    panel.resize(700, 420)
    qtbot.waitUntil(lambda: "0.00000013\u00a0±\u00a00.00000013" in panel.table.text())
