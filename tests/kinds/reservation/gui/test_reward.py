"""The Reward panel: its numbers equal the model's, curves are exact averages, clicks seek to that time."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from slotscope.gui.kinds.reservation.reward import RewardPanel, read_rewards
from slotscope.gui.kinds.reservation.reward_table import RewardTable, TypeCounts
from slotscope.gui.panels.wording import share_of, significant, with_interval
from slotscope.gui.plotting import run_plot
from slotscope.gui.plotting.sampled import LEAST_GROWTH, History, SampledSeries, average_width
from slotscope.gui.theme import load_theme
from slotscope.model.api import Session
from slotscope.model.kinds.reservation.arrivals import workload_of
from slotscope.model.kinds.reservation.bounds import Bounds
from slotscope.model.kinds.reservation.measures import reward_rate
from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.programs.bounds import all_bounds, solve_bounds
from slotscope.model.kinds.reservation.programs.infinite import infinite_bound
from slotscope.model.kinds.reservation.sampling import EVENT_COLUMN, TIME_COLUMN, columns
from slotscope.model.kinds.reservation.state import ADMITTED, MIGRATED, REJECTED
from slotscope.model.measures.metrics import BATCHES, Estimate, estimate
from slotscope.model.reporting.frame import Frame
from tests.gui.painted import colours, series_of, svg_of
from tests.gui.plot_points import points_of, time_reached
from tests.gui.windows import on_screen, panel_fixture
from tests.runs import ran

LIGHT = load_theme("light")

EVENTS, EARLIER = 24_000, 20_500


@pytest.fixture(scope="module")
def session() -> Session:
    return ran("dra-vms", kernel=True, events=EVENTS)


@pytest.fixture(scope="module")
def bounds(session: Session) -> Bounds:
    numbers = session.info.numbers
    return solve_bounds(numbers.pool_shares, numbers.rewards, numbers.workload)


@pytest.fixture(scope="module")
def frame(session: Session, bounds: Bounds) -> Frame:
    session.to_live_end()
    return session.frame(bounds=bounds)


@pytest.fixture(scope="module")
def rewound(session: Session, bounds: Bounds, frame: Frame) -> Frame:
    session.seek(EARLIER)
    return session.frame(bounds=bounds)


panel = panel_fixture(RewardPanel, 620, 560)


# -- series of samples -----------------------------------------------------------------------


@st.composite
def samples_of_a_step_function(draw: st.DrawFn) -> tuple[list[float], list[float]]:
    gaps = draw(st.lists(st.integers(1, 40), min_size=2, max_size=60))
    values = draw(st.lists(st.integers(-5, 50), min_size=len(gaps), max_size=len(gaps)))
    return np.cumsum(gaps).astype(float).tolist(), [float(value) for value in values]


def integral(times: list[float], values: list[float], first: float, last: float) -> float:
    """The integral of a step function, computed directly."""
    total = 0.0
    for (start, end), value in zip(pairwise(times), values, strict=False):
        total += value * max(0.0, min(end, last) - max(start, first))
    return total


@given(samples_of_a_step_function(), st.integers(0, 500), st.integers(1, 900), st.integers(1, 90))
def test_averages_are_exact(data: tuple[list[float], list[float]], first: int, span: int, width: int) -> None:
    times, values = data
    series = SampledSeries()
    half = len(times) // 2
    series.append(np.array(times[:half]), np.array(values[:half]), None)
    series.append(np.array(times[half:]), np.array(values[half:]), None)
    x, y = series.averages(first, first + span, width)
    low, high = max(first, times[0]), min(first + span, times[-1])
    if high <= low:
        assert np.isnan(y).all()
        return
    assert (x[0], x[-1]) == (low, high)
    grid = [k * width for k in range(1500 // width + 1)]
    edges = [low, *(g for g in grid if low + width / 2 < g < high - width / 2), high]
    expected = [integral(times, values, a, b) / (b - a) for a, b in pairwise(edges)]
    np.testing.assert_allclose(y, [*expected, expected[-1]], atol=1e-9)


@given(samples_of_a_step_function(), st.integers(0, 900), st.integers(0, 900))
def test_steps_follow_the_samples(data: tuple[list[float], list[float]], first: int, last: int) -> None:
    times, values = data
    series = SampledSeries()
    series.append(np.array(times), np.array(values), None)
    x, y = series.steps(float(first), float(max(first, last)))
    assert (np.diff(x) >= 0).all()
    if last < times[0] or last <= first:
        return
    for place, height in zip(x, y, strict=True):
        before = [v for t, v in zip(times, values, strict=True) if t < place]
        upto = [v for t, v in zip(times, values, strict=True) if t <= place]
        assert height in (before[-1:] + upto[-1:])
    assert (x[-1], y[-1]) == (last, upto[-1])


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_averages_stand_for_powers_of_two(low: float, span: float) -> None:
    width = average_width(low, low + span)
    assert np.log2(width) == round(np.log2(width))
    assert span / 161 <= width <= span / 79


def test_history_reads_each_sample_once_and_notices_another_one(frame: Frame) -> None:
    parts, whole = History(read_rewards), History(read_rewards)
    for stop in (1, 2, 700, len(frame.samples)):
        parts.update(replace(frame, samples=frame.samples[:stop]))
        assert len(parts.series[0].totals()) == stop
    assert whole.update(frame)
    for name in ("x", "y"):
        np.testing.assert_array_equal(getattr(parts.series[0].values, name), getattr(whole.series[0].values, name))
    np.testing.assert_allclose(parts.series[0].totals(), whole.series[0].totals())
    assert not parts.update(frame)
    thinned = frame.samples[::2]
    assert parts.update(replace(frame, samples=thinned))
    np.testing.assert_array_equal(parts.series[0].values.x, thinned[:, TIME_COLUMN])
    assert parts.update(replace(frame, info=replace(frame.info)))


def test_history_goes_on_where_samples_are_thinned(frame: Frame) -> None:
    grown, whole = History(read_rewards), History(read_rewards)
    grown.update(replace(frame, samples=frame.samples[:600]))
    before, thinned = grown.series[0], replace(frame, samples=frame.samples[::4])
    assert grown.continues(thinned)
    assert not grown.update(thinned)
    assert whole.update(thinned)
    assert (grown.thinnings, whole.thinnings, grown.series[0] is before) == (1, 0, True)
    for name in ("x", "y"):
        np.testing.assert_array_equal(getattr(before.values, name), getattr(whole.series[0].values, name))
    np.testing.assert_array_equal(before.totals(), whole.series[0].totals())
    others = thinned.samples.copy()
    others[40, TIME_COLUMN] += 1e-9
    grown.update(thinned)
    assert grown.update(replace(frame, samples=np.concatenate([others[:100:2], others[-1:]])))


def test_where_samples_are_thinned_the_curve_is_that_of_a_panel_that_saw_no_others(
    panel: RewardPanel, frame: Frame
) -> None:
    thinned = replace(frame, samples=frame.samples[::4])
    panel.set_frame(replace(frame, samples=frame.samples[:600]))
    panel.set_frame(thinned)
    grown, view = points_of(panel.plot, "reward"), panel.plot.getPlotItem().getViewBox()
    ranges = view.viewRange()
    panel.forget()
    panel.set_frame(thinned)
    np.testing.assert_array_equal(grown, points_of(panel.plot, "reward"))
    assert ranges == view.viewRange()
    panel.set_frame(replace(frame, samples=frame.samples[:900]))
    view.sigRangeChangedManually.emit(view.state["mouseEnabled"])  # as when the wheel is turned
    view.setXRange(10.0, 20.0, padding=0)
    panel.set_frame(thinned)
    assert view.viewRange()[0] == [10.0, 20.0]


@pytest.mark.parametrize(
    ("mean", "half_width", "expected"),
    [
        (518.4712, 0.93, ("518.5", "0.9")),
        (518.4712, 1.34, ("518.5", "1.3")),
        (518.4712, 23.0, ("518", "23")),
        (0.83898, 0.0015, ("0.8390", "0.0015")),
        (12.5, float("nan"), ("12.5", "")),
        (float("nan"), float("nan"), ("–", "")),
    ],
)
def test_a_mean_has_the_digits_that_its_interval_bears(
    mean: float, half_width: float, expected: tuple[str, str]
) -> None:
    assert with_interval(mean, half_width) == expected


@pytest.mark.parametrize(
    ("mean", "half_width", "expected"),
    [
        (0.83964, 0.0018, "0.840"),
        (0.83964, 0.0148, "0.84"),
        (0.5351, 0.14, "0.5"),
        (0.83964, 0.0, "0.840"),
        (0.83964, float("nan"), "0.840"),
        (float("nan"), float("nan"), "–"),
    ],
)
def test_a_share_has_no_more_decimals_than_are_known(mean: float, half_width: float, expected: str) -> None:
    assert share_of(mean, half_width) == expected


# -- the panel -------------------------------------------------------------------------------


def running_reward(numbers: ReservationNumbers, samples: Any, warmup: float) -> Estimate:
    """The mean reward rate of a run's samples from *warmup* on, by batch means."""
    times, areas = samples[:, TIME_COLUMN], reward_rate(numbers, samples[:, columns("area", numbers.types)])
    edges = np.linspace(warmup, times[-1], BATCHES + 1)
    return estimate(np.diff(np.interp(edges, times, areas)) / np.diff(edges))


def test_numbers_are_the_models(panel: RewardPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    numbers = frame.info.numbers
    expected = running_reward(numbers, frame.until_now, 10.0)
    assert panel.mean.mean == pytest.approx(expected.mean, rel=1e-9)
    assert panel.mean.half_width == pytest.approx(expected.half_width, rel=1e-6)
    shown = " ".join(panel.tiles.shown())
    mean, half = with_interval(expected.mean, expected.half_width)
    assert f"{mean} ± {half}" in shown
    assert share_of(expected.mean / 618, expected.half_width / 618) in shown
    now = float(reward_rate(numbers, frame.state.jobs_in_system))
    assert significant(now) in shown


def test_the_table_counts_what_the_state_counts(panel: RewardPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    everything, *types = panel.table.counts
    tally = frame.state.tally
    for line, row in zip(types, tally, strict=True):
        assert (line.admitted, line.rejected, line.migrated) == (row[ADMITTED], row[REJECTED], row[MIGRATED])
    assert everything.rejected == tally[:, REJECTED].sum()
    assert everything.rejected_share == pytest.approx(everything.rejected / (everything.admitted + everything.rejected))
    assert types[0].cells()[0] == f"{types[0].admitted:,}".replace(",", "\u202f")


def test_bounds_are_in_view_and_the_axis_starts_at_0(panel: RewardPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    low, high = panel.plot.getPlotItem().getViewBox().viewRange()[1]
    assert low == 0
    assert high >= 618
    assert {LIGHT.optimum, LIGHT.greedy} <= colours(panel.plot)


def test_without_bounds_there_are_no_lines_until_they_come(panel: RewardPanel, frame: Frame) -> None:
    panel.set_frame(replace(frame, bounds=Bounds()))
    assert not {LIGHT.optimum, LIGHT.greedy} & colours(panel.plot)
    panel.set_frame(frame)
    assert {LIGHT.optimum, LIGHT.greedy} <= colours(panel.plot)
    panel.set_frame(replace(frame, bounds=Bounds()))
    assert not {LIGHT.optimum, LIGHT.greedy} & colours(panel.plot)


def test_the_curve_ends_now_and_keeps_the_area(panel: RewardPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    x, y = points_of(panel.plot, "reward").T
    assert x[-1] == pytest.approx(frame.samples[-1, TIME_COLUMN])
    numbers = frame.info.numbers
    areas = reward_rate(numbers, frame.samples[:, columns("area", numbers.types)])
    mean = np.trapezoid(y, x) / x[-1]
    assert mean == pytest.approx(areas[-1] / frame.samples[-1, TIME_COLUMN], rel=0.01)


def test_after_going_back_the_future_is_muted(panel: RewardPanel, frame: Frame, rewound: Frame) -> None:
    panel.set_frame(frame)
    border = load_theme("light").border
    assert not ahead(panel)
    panel.set_frame(rewound)
    times = ahead(panel)
    assert times[0] == pytest.approx(rewound.time)
    assert times[-1] == pytest.approx(frame.samples[-1, TIME_COLUMN])
    assert border in colours(panel.plot)
    expected = running_reward(rewound.info.numbers, rewound.until_now, 10.0)
    assert panel.mean.mean == pytest.approx(expected.mean, rel=1e-9)
    assert panel.table.counts[0].admitted == rewound.state.tally[:, ADMITTED].sum()


def test_of_a_long_run_the_mean_is_up_to_the_moment_shown(panel: RewardPanel, rewound: Frame) -> None:
    """Only few samples are kept: the mean still reaches the moment shown, by its state, and has no interval."""
    few = rewound.samples[rewound.samples[:, 0] % 2**14 == 0]
    kept = replace(rewound, samples=few)
    panel.set_frame(kept)
    found = running_reward(kept.info.numbers, kept.until_now, 10.0)
    assert few[-1, TIME_COLUMN] < rewound.time
    assert panel.mean.mean == pytest.approx(found.mean, rel=1e-9)
    assert np.isnan(panel.mean.half_width)


def ahead(panel: RewardPanel) -> list[float]:
    """The times of the part of the curve after the cursor."""
    times, rewards = points_of(panel.plot, "ahead reward").T
    return times[np.isfinite(rewards)].tolist()


def test_a_click_goes_to_that_moment(qtbot: QtBot, panel: RewardPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    assert time_reached(qtbot, panel, panel.plot, 5.0, 300.0) == pytest.approx(5.0, abs=0.1)


def test_a_run_moves_the_curve_before_it_lags_two_pixels(
    panel: RewardPanel, bounds: Bounds, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_plot, "PERIOD", 0.0)
    session = Session.open("dra-vms", kernel=False)
    for _ in range(25):
        session.run(events=40)
        panel.set_frame(session.frame(running=True, bounds=bounds))
        (low, high), _ = panel.plot.getPlotItem().getViewBox().viewRange()
        pixels = panel.plot.getPlotItem().getViewBox().width() / (high - low)
        end = points_of(panel.plot, "reward")[:, 0].max()
        assert (session.timeline.time - end) * pixels <= LEAST_GROWTH + 1
    panel.set_frame(session.frame(bounds=bounds))
    assert panel.table.counts[0].admitted == session.timeline.state.tally[:, ADMITTED].sum()


def test_little_room_leaves_one_line_for_all_types(qtbot: QtBot, panel: RewardPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    assert len(panel.table.counts) == 5
    panel.resize(460, 250)
    qtbot.waitUntil(lambda: len(panel.table.counts) == 1)
    qtbot.waitUntil(lambda: panel.plot.height() > 100)
    assert panel.table.counts[0].name == "all types"


def test_the_curve_keeps_its_room_in_the_smallest_panel(qtbot: QtBot, panel: RewardPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    plot, view = panel.plot.getPlotItem(), panel.plot.getPlotItem().getViewBox()
    left, bottom = (plot.getAxis(side) for side in ("left", "bottom"))
    for height, tabled, least in ((130, False, 30), (200, True, 40), (420, True, 100)):
        panel.resize(460, height)
        qtbot.waitUntil(lambda tabled=tabled: panel.table_area.isVisible() == tabled)
        qtbot.waitUntil(lambda least=least: view.height() >= least)
        assert bottom.label.isVisible() == (panel.plot.height() >= 110)
        assert left.label.isVisible() <= (left.length_of(left.labelText) <= view.height() + 1)
    assert left.label.isVisible()


@pytest.mark.parametrize("name", ["light", "dark"])
def test_colours_of_meaning_are_there(qtbot: QtBot, panel: RewardPanel, frame: Frame, name: str) -> None:
    theme = load_theme(name)
    panel.set_theme(theme)
    panel.set_frame(frame)
    whole = panel.table.sizeHint().height()
    qtbot.waitUntil(lambda: panel.table.visibleRegion().boundingRect().height() == whole)
    seen = colours(panel)
    assert {theme.panel, theme.optimum, theme.greedy, theme.run} <= seen
    assert {theme.types[j] for j in range(4)} <= seen
    assert theme.rejection in seen


def test_another_run_starts_with_its_own_unit_and_range(panel: RewardPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    other = ran("dra-classroom", events=40)
    panel.set_frame(other.frame())
    axis = panel.plot.getPlotItem().getAxis("bottom")
    assert axis.labelText == "time (seconds)"
    panel.set_theme(load_theme("dark"))
    assert axis.labelText == "time (seconds)"
    assert panel.plot.getPlotItem().getViewBox().viewRange()[1][1] < 100
    assert len(panel.table.counts) == 4


def test_the_series_hold_every_sample(panel: RewardPanel, frame: Frame) -> None:
    assert panel.series() is None
    panel.set_frame(frame)
    names, table = series_of(panel)
    assert names[:3] == ["event", "time", "reward_rate"]
    assert [row[0] for row in table] == frame.samples[:, EVENT_COLUMN].tolist()
    last = dict(zip(names, table[-1], strict=True))
    assert last["rejected large"] == frame.state.tally[3, REJECTED]


def test_the_picture_saves_as_vectors(panel: RewardPanel, frame: Frame, tmp_path: Path) -> None:
    panel.set_frame(frame)
    text = svg_of(panel, tmp_path)
    assert "reward rate" in text
    assert QColor(load_theme("light").optimum).name() in text


def test_nothing_overlaps(qtbot: QtBot, panel: RewardPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    for size in ((480, 420), (620, 700), (460, 250)):
        panel.resize(*size)
        qtbot.wait(20)
        parts: list[QWidget] = [panel.tiles, panel.plot, panel.table_area]
        tops = [part.mapTo(panel, QPoint(0, 0)).y() for part in parts]
        bottoms = [top + part.height() for top, part in zip(tops, parts, strict=True)]
        assert all(below <= top for below, top in zip(bottoms, tops[1:], strict=False))
        assert bottoms[-1] <= panel.height()


class TestBoundOverTime:
    """The upper bound: the best reward rate that any policy could have now with the jobs of this run."""

    @pytest.fixture
    def bounded(self, session: Session) -> Frame:
        *_, bounds = all_bounds(session.info.scenario)
        session.to_live_end()
        return session.frame(bounds=bounds)

    def test_it_is_drawn_as_far_as_the_run_has_come(self, panel, bounded):
        panel.set_frame(bounded)
        x = points_of(panel.plot, "bound")[:, 0]
        assert max(x) <= bounded.extent.live_end_time < bounded.bounds.infinite.time[-1]
        assert len(x) > 50

    def test_no_policy_is_above_it(self, bounded):
        samples, numbers = bounded.samples, bounded.info.numbers
        reward = reward_rate(numbers, samples[:, columns("jobs", numbers.types)])
        bound = infinite_bound(numbers, workload_of(bounded.info.scenario, numbers), samples[:, TIME_COLUMN])
        assert (reward <= bound + 1e-9).all()

    def test_a_forked_run_has_none(self, panel, session, bounded):
        session.to_live_end()
        forked = session.continued(session.bench.scenario)
        panel.set_frame(forked.frame(bounds=bounded.bounds))
        assert not len(points_of(panel.plot, "bound"))


def test_a_step_of_a_lesson_has_columns_of_its_own_width(qtbot: QtBot) -> None:
    """Columns do not stay as wide as the counts of more digits in an earlier step needed."""
    table = on_screen(qtbot, RewardTable(LIGHT), 400, 90)

    def shown(count: int) -> QImage:
        table.forget()
        table.set_counts((TypeCounts(None, "all types", count, count, 0, 0),))
        return table.grab().toImage()

    alone = shown(7)
    assert shown(10_000_000) != alone == shown(7)


def test_columns_are_as_wide_as_if_there_had_always_been_room(qtbot: QtBot) -> None:
    """After a narrow table hid the shares of rejections, they return in a column of the usual width."""
    table = on_screen(qtbot, RewardTable(LIGHT), 500, 90)
    table.set_counts((TypeCounts(None, "all types", 90, 60, 30, 5),))
    alone = table.grab().toImage()
    table.resize(220, 90)
    assert table.grab().toImage() != alone
    table.resize(500, 90)
    assert table.grab().toImage() == alone
