"""Blocking and time: shares of blocked jobs and mean execution times equal those of the samples."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Iterator

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from slotscope.gui.kinds.moldable.blocking import BlockingPanel
from slotscope.gui.kinds.moldable.blocking_plots import BLOCKED_SHARE, STATISTICS, Sums, grid, stretch
from slotscope.gui.kinds.moldable.blocking_words import (
    blocking_levels,
    distance_bound,
    exact_of,
    least_blocking,
    notes,
    so_far,
    table,
    tiles,
    time_levels,
)
from slotscope.gui.panels.wording import significant
from slotscope.gui.plotting.sampled import counted_from
from slotscope.gui.theme import apply, load_theme
from slotscope.model.api import Session
from slotscope.model.kinds.moldable.programs.bounds import MoldableBounds, all_bounds
from slotscope.model.kinds.moldable.state import ADMITTED, ARRIVED, BLOCKED, DEPARTED
from slotscope.model.reporting.frame import Frame
from slotscope.model.scenario.load import as_data, parse_scenario
from tests.gui.painted import colours, text_of
from tests.gui.plot_points import time_reached
from tests.gui.windows import on_screen
from tests.runs import ran

CLASSROOM = "moldable-classroom"


@cache
def session_of(name: str = CLASSROOM, policy: str = "greedy-p", events: int = 3000) -> Session:
    """A run under a reference."""
    return ran(name, policy, events=events, kernel=True)


@cache
def frame_of(name: str = CLASSROOM, policy: str = "greedy-p", events: int = 3000) -> Frame:
    session = session_of(name, policy, events)
    *_, bounds = all_bounds(session.bench.scenario)
    return session.frame(bounds=bounds)


@cache
def overloaded() -> Frame:
    """More jobs than any policy can serve."""
    data = as_data(Session.open(CLASSROOM, kernel=False).bench.scenario)
    data["workload"]["load"], data["policy"]["name"] = 1.25, "greedy"
    session = ran(parse_scenario(data), events=400)
    *_, bounds = all_bounds(session.bench.scenario)
    return session.frame(bounds=bounds)


@pytest.fixture
def panel(qtbot: QtBot, qapp: QApplication) -> Iterator[BlockingPanel]:
    theme = load_theme("light")
    apply(qapp, theme)
    made = on_screen(qtbot, BlockingPanel(theme), 560, 760)
    yield made


def sums_of(frame: Frame) -> Sums:
    sums = Sums()
    sums.update(frame)
    return sums


# -- reading -----------------------------------------------------------------------------------


def test_no_integrals_are_found_of_sums() -> None:
    assert all(series.values.x.size and not series._totals.size for series in sums_of(frame_of()).series)


def test_statistics_over_all_of_a_run_are_those_of_its_state() -> None:
    frame, state = frame_of(), frame_of().state
    sums = sums_of(frame)
    start, now = np.zeros(1), np.array([sums.ends[1]])
    tally = state.tally.sum(axis=1)
    assert sums.over(BLOCKED_SHARE, start, now)[0] == tally[BLOCKED] / tally[ARRIVED]
    found = {name: sums.over(ratio, start, now)[0] for name, (ratio, _) in STATISTICS.items()}
    assert found["execution_time"] == state.time_sum[0].sum() / tally[ADMITTED]
    assert found["execution_time_completed"] == state.time_sum[1].sum() / tally[DEPARTED]
    area = (state.area + state.jobs * (float(state.clock[0]) - state.since)).sum()
    assert found["execution_time_little"] == pytest.approx(area / tally[ADMITTED], rel=1e-12)


def test_a_statistic_of_too_few_jobs_is_not_known() -> None:
    sums = sums_of(frame_of())
    arrived = sums.series[1].values
    early = np.array([float(arrived.x[arrived.y <= 10][-1])])
    assert np.isnan(sums.over(BLOCKED_SHARE, np.zeros(1), early, 10.0)).all()
    assert np.isfinite(sums.over(BLOCKED_SHARE, np.zeros(1), early, 0.0)).all()


def test_points_of_a_curve_stay_while_it_grows() -> None:
    short, longer = grid((0.0, 70.3), (0.0, 160.0)), grid((0.0, 90.1), (0.0, 160.0))
    assert short[0] == 0.0 and short[-1] == 70.3
    assert set(short[:-1]) <= set(longer)
    assert not len(grid((50.0, 60.0), (100.0, 200.0)))


def test_the_stretch_holds_some_arrivals_and_can_be_seen() -> None:
    assert stretch((0.0, 10.0), 0.8) == 64.0
    assert stretch((0.0, 10_000.0), 0.8) == 256.0


def test_jobs_count_from_the_end_of_the_warm_up() -> None:
    assert counted_from(frame_of(events=300)) == 0.0
    assert frame_of(events=300).time < 500
    assert counted_from(frame_of()) == 500.0


# -- words -------------------------------------------------------------------------------------


def test_the_exact_chain_is_what_the_run_is_compared_with() -> None:
    frame = frame_of()
    known = exact_of(frame)
    assert known is not None and known.source == "exact chain"
    assert known.blocking == pytest.approx(0.18324418502411732)
    measured = so_far(frame, sums_of(frame))["blocking_probability"]
    assert abs(measured.mean - known.blocking) < 2 * measured.half_width
    names = [level.name for level in blocking_levels(frame, so_far(frame, sums_of(frame)))]
    assert names == ["mean", "exact", "best"]


def test_erlang_s_formula_comes_before_the_chain() -> None:
    known = exact_of(frame_of(policy="greedy"))
    assert known is not None and known.source == "Erlang B"
    assert known.time == pytest.approx(20 / 2.1)
    assert distance_bound(frame_of(policy="greedy")) is None  # the bound is for greedy(p*) only
    assert next(time_levels(frame_of(policy="greedy"))).value == 15.0


def test_nothing_exact_is_claimed_before_it_is_known() -> None:
    bare = replace(frame_of(), bounds=MoldableBounds())
    assert exact_of(bare) is None and distance_bound(bare) is None
    assert notes(bare) == ""
    said = table(bare, so_far(bare, sums_of(bare)), load_theme("dark"))
    assert "chain" not in said and "15" in said  # D* needs no chain and is known at once


def test_a_load_above_1_blocks_at_least_what_does_not_fit() -> None:
    frame = overloaded()
    assert least_blocking(frame) == pytest.approx(0.2)
    (least,) = [level for level in blocking_levels(frame, {}) if level.name == "best"]
    assert (least.value, least.text) == (20.0, "at least\u202f 20")
    assert least_blocking(frame_of()) == 0
    assert [*blocking_levels(frame_of(), {})][-1].text == "at least\u202f 0"  # no number is shown without its name
    assert [level.name for level in time_levels(frame)] == ["exact"]


def test_theorem_2_is_told_with_its_gap() -> None:
    frame = frame_of()
    assert distance_bound(frame) == pytest.approx(4.745742752749559)
    assert "gap in Lemma 3" in notes(frame)
    assert "≤\u202f4.75" in table(frame, so_far(frame, sums_of(frame)), frame_theme())


def frame_theme():
    return load_theme("light")


def test_means_are_over_all_jobs_since_the_warm_up() -> None:
    frame = frame_of(events=300)
    found, state = so_far(frame, sums_of(frame)), frame.state
    share = state.tally[BLOCKED].sum() / state.tally[ARRIVED].sum()
    assert found["blocking_probability"].mean == pytest.approx(share)
    assert found["blocking_probability"].half_width > 0
    later = so_far(frame_of(), sums_of(frame_of()))["blocking_probability"].mean
    samples = frame_of().samples
    known = sums_of(frame_of())
    blocked, arrived = (known.series[n].values.y for n in (0, 1))
    at = int(np.searchsorted(samples[:, 1], 500.0))
    assert later == pytest.approx((blocked[-1] - blocked[at]) / (arrived[-1] - arrived[at]), abs=0.002)


def test_numbers_stand_above_with_their_intervals() -> None:
    frame = frame_of()
    texts = [*tiles(frame, so_far(frame, sums_of(frame)))]
    assert [text.role for text in texts] == ["rejection", "run", "optimum", "run"]
    assert texts[2].value == "15"
    assert all("±" in texts[place].value for place in (0, 1, 3))
    assert next(tiles(session_of(events=1).frame(), {})).value == "15"


# -- the panel ---------------------------------------------------------------------------------


def test_times_stand_below_each_other_at_each_height(panel: BlockingPanel) -> None:
    panel.set_frame(frame_of())
    plots = (panel.blocked, panel.times)
    for heights in ((400, 90), (90, 400), (240, 150), (150, 240)):
        for plot, height in zip(plots, heights, strict=True):
            plot.resize(plot.width(), height)
        QApplication.processEvents()
        left = {plot.getPlotItem().getViewBox().sceneBoundingRect().left() for plot in plots}
        assert len(left) == 1


def test_curves_follow_the_run(panel: BlockingPanel) -> None:
    frame = frame_of()
    panel.set_frame(frame)
    QApplication.processEvents()
    blocked = panel.blocked._curve
    assert blocked.x[-1] == pytest.approx(sums_of(frame).ends[1])
    share = float(blocked.y[-1])
    span = np.array([blocked.x[-1]])
    sums = sums_of(frame)
    assert share == pytest.approx(100 * sums.over(BLOCKED_SHARE, span - panel.blocked.stretch, span)[0])
    times = panel.times._curves["execution_time"]
    assert float(times.x[0]) == 500.0
    mean = sums.over(STATISTICS["execution_time"][0], np.array([500.0]), span)[0]
    assert float(times.y[-1]) == pytest.approx(mean)
    assert "by Little’s law" in text_of(panel)
    assert {panel.theme.rejection, panel.theme.run} <= colours(panel.blocked)
    assert panel.theme.optimum in colours(panel.times)


def test_a_seek_back_leaves_what_lies_ahead_in_grey(panel: BlockingPanel) -> None:
    session = ran(CLASSROOM, events=600)
    panel.set_frame(session.frame(bounds=MoldableBounds()))
    session.seek(300)
    frame = session.frame(bounds=MoldableBounds())
    panel.set_frame(frame)
    assert float(panel.blocked._curve.x[-1]) == pytest.approx(frame.time)
    assert float(panel.blocked._ahead.x[-1]) > frame.time


def test_another_run_begins_anew(panel: BlockingPanel) -> None:
    panel.set_frame(frame_of())
    top = panel.times._y_range.high
    panel.set_frame(frame_of("moldable-sublinear", events=2000))
    assert panel.times._y_range.high < top / 4
    panel.set_frame(overloaded())
    assert panel.measured["blocking_probability"].mean > 0.2


def test_a_click_goes_to_that_moment(qtbot: QtBot, panel: BlockingPanel) -> None:
    panel.set_frame(frame_of())
    QApplication.processEvents()
    assert time_reached(qtbot, panel, panel.blocked, 1000.0, 10.0) == pytest.approx(1000.0, abs=20.0)


def test_times_stand_below_each_other(panel: BlockingPanel) -> None:
    panel.set_frame(frame_of())
    QApplication.processEvents()
    lefts, rights = zip(
        *[
            (box.left(), box.right())
            for box in (plot.getPlotItem().getViewBox().sceneBoundingRect() for plot in (panel.blocked, panel.times))
        ],
        strict=True,
    )
    assert lefts[0] == pytest.approx(lefts[1], abs=1.5)
    assert rights[0] == pytest.approx(rights[1], abs=1.5)


def test_axes_are_no_wider_than_the_present_numbers_ask_for(panel: BlockingPanel) -> None:
    """When one plot's range had needed longer numbers, the other plot's axis kept the width of both."""
    axes = [plot.getPlotItem().getAxis("left") for plot in (panel.blocked, panel.times)]
    panel.set_frame(frame_of())
    QApplication.processEvents()
    alone = [axis.width() for axis in axes]
    plot = panel.blocked.getPlotItem()
    low, high = plot.getViewBox().viewRange()[1]
    plot.setYRange(low, high / 1e4, padding=0)
    panel.blocked._fit()
    QApplication.processEvents()
    assert [axis.width() for axis in axes] > alone
    plot.setYRange(low, high, padding=0)
    panel.blocked._fit()
    QApplication.processEvents()
    assert [axis.width() for axis in axes] == alone


def test_low_and_wide_panels_have_the_plots_side_by_side(panel: BlockingPanel) -> None:
    panel.set_frame(frame_of())
    assert panel.times.y() > panel.blocked.y()
    assert panel.table.isVisible()
    panel.resize(900, 300)
    QApplication.processEvents()
    assert panel.times.y() == panel.blocked.y()
    assert panel.times.x() > panel.blocked.x()
    assert not panel.table.isVisible()


def test_a_table_without_room_is_filled_once_it_has_some(panel: BlockingPanel) -> None:
    panel.resize(560, 400)
    QApplication.processEvents()
    for frame in (frame_of(events=2000), frame_of()):
        panel.set_frame(frame)
    assert not panel.table.text()
    panel.resize(560, 760)
    QApplication.processEvents()
    assert panel.table.isVisible()
    assert panel.table.text() == table(frame_of(), panel.measured, load_theme("light"))


def test_the_file_has_every_sample(panel: BlockingPanel) -> None:
    assert panel.series() is None
    frame = frame_of()
    panel.set_frame(frame)
    found = panel.series()
    assert found is not None
    names, rows = found
    lines = [list(row) for row in rows]
    assert len(lines) == len(frame.samples)
    assert all(len(line) == len(names) for line in lines)
    tally = frame.state.tally.sum(axis=1)
    assert lines[-1][names.index("blocking_probability")] == tally[BLOCKED] / tally[ARRIVED]


def test_another_theme_draws_in_its_colours(panel: BlockingPanel) -> None:
    panel.set_frame(frame_of())
    dark = load_theme("dark")
    panel.set_theme(dark)
    QApplication.processEvents()
    assert {dark.panel, dark.rejection} <= colours(panel.blocked)


def test_how_long_the_stretch_is_does_not_read_as_the_curves_value(panel: BlockingPanel) -> None:
    frame = frame_of()
    for unit, told in (("minute", " minutes"), ("", " of time")):
        panel.set_frame(replace(frame, info=replace(frame.info, time_unit=unit)))
        assert f"last {panel.blocked.stretch:g}{told}" in [label.text for label in panel.blocked._end_labels()]


def test_of_a_long_run_means_are_up_to_the_moment_shown(panel: BlockingPanel) -> None:
    """Only few samples are kept: the means still reach the moment shown, by its state."""
    frame = frame_of(events=300)
    panel.set_frame(replace(frame, samples=frame.samples[frame.samples[:, 0] % 256 == 0]))
    state, tally = frame.state, frame.state.tally.sum(axis=1)
    assert panel.measured["execution_time"].mean == state.time_sum[0].sum() / tally[ADMITTED]
    assert panel.measured["blocking_probability"].mean == tally[BLOCKED] / tally[ARRIVED]
    words = [label.text for label in panel.times._end_labels()]
    assert f"accepted {significant(state.time_sum[0].sum() / tally[ADMITTED])}" in words
    assert f"completed {significant(state.time_sum[1].sum() / tally[DEPARTED])}" in words
