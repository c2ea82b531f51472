"""The curves of queues: samples are read once, means and growth equal the model's, verdicts fit."""

from __future__ import annotations

from dataclasses import replace
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from slotscope.gui.kinds.queue.curves import (
    MOST_CURVES,
    QueueCurvesPanel,
    growth_words,
    longest,
    mean_lengths,
    measured,
    read_total,
    reader,
    verdict_words,
)
from slotscope.gui.panels.wording import with_interval
from slotscope.gui.plotting import run_plot
from slotscope.gui.theme import load_theme
from slotscope.model.api import Session
from slotscope.model.kinds.queue.sampling import (
    DEPARTED_COLUMN,
    EVENT_COLUMN,
    SCALARS,
    TIME_COLUMN,
    USED_COLUMN,
    WAITING_AREA_COLUMN,
    WAITING_COLUMN,
)
from slotscope.model.kinds.queue.state import ARRIVED, DEPARTED, WAITING
from slotscope.model.kinds.spec import Judgement
from slotscope.model.measures.growth import STRETCHES, growth
from slotscope.model.measures.metrics import Estimate
from slotscope.model.reporting.frame import Frame
from tests.gui.painted import colours, series_of
from tests.gui.plot_points import lines_of, points_of, time_reached
from tests.gui.windows import panel_fixture

WARMUP = 2000


def with_warmup(name: str, policy: str, events: int) -> Session:
    """A run of a built-in scenario with a short warm-up."""
    opened = Session.open(name, policy)
    run = opened.info.scenario.run.model_copy(update={"warmup": WARMUP})
    opened = opened.continued(opened.info.scenario.model_copy(update={"run": run}))
    opened.run(events=events)
    return opened


@pytest.fixture(scope="module")
def growing() -> Session:
    return with_warmup("queues-wide-jobs", "vqs", 2500)


@pytest.fixture(scope="module")
def frame(growing: Session) -> Frame:
    growing.to_live_end()
    return growing.frame()


@pytest.fixture(scope="module")
def calm() -> Frame:
    return with_warmup("queues-vqs-unstable", "bf-js", 6000).frame()


panel = panel_fixture(QueueCurvesPanel, 760, 480)


def points(panel: QueueCurvesPanel, name: str) -> np.ndarray:
    """[n, 2] the points of a curve."""
    return points_of(panel.plot, name)


# -- reading -------------------------------------------------------------------------------------


def test_samples_are_read_as_they_stand(frame: Frame) -> None:
    total = read_total(frame.info.numbers, frame.samples)
    queues = frame.info.facts.layout.queues
    each = [reader(queue)(frame.info.numbers, frame.samples).values for queue in range(queues)]
    assert total.totals is not None
    np.testing.assert_array_equal(total.values[:, 0], frame.samples[:, WAITING_COLUMN])
    np.testing.assert_array_equal(total.totals[:, 0], frame.samples[:, WAITING_AREA_COLUMN])
    lengths = np.hstack(each)
    np.testing.assert_array_equal(lengths.sum(axis=1), total.values[:, 0])
    assert lengths[-1].tolist() == frame.state.queue_length.tolist()


def test_means_of_the_queues_add_up_to_the_total(frame: Frame) -> None:
    samples = frame.until_now
    means = mean_lengths(samples)
    assert len(means) == frame.info.facts.layout.queues
    # Every busy slot is a sample, so the means are exact.
    assert sum(means) == pytest.approx(samples[-1, WAITING_AREA_COLUMN] / frame.time)
    assert mean_lengths(samples[-1:]) == frame.state.queue_length.tolist()
    assert mean_lengths(samples[[-1, -1]]) == frame.state.queue_length.tolist()


@given(
    st.lists(st.floats(0, 100), min_size=2, max_size=30),
    st.lists(st.integers(0, 29), unique=True, max_size=MOST_CURVES),
)
def test_the_longest_queues_have_curves_and_small_changes_change_nothing(means: list[float], shown: list[int]) -> None:
    shown = [queue for queue in shown if queue < len(means)]
    chosen = longest(means, tuple(shown), MOST_CURVES)
    assert len(set(chosen)) == len(chosen) <= MOST_CURVES
    others = [means[queue] for queue in range(len(means)) if queue not in chosen]
    if len(chosen) == MOST_CURVES:
        assert max(others, default=0.0) <= 1.25 * min(means[queue] for queue in chosen) + 1e-9
    else:
        assert max(others, default=0.0) == 0
    assert longest([1.1 * mean for mean in means], chosen, MOST_CURVES) == chosen


def test_the_order_of_queues_is_not_that_of_their_lengths() -> None:
    assert longest([5.0, 1.0, 9.0], (), 2) == (0, 2)
    assert longest([5.0, 6.0, 9.0], (0, 2), 2) == (0, 2)
    assert longest([5.0, 6.3, 9.0], (0, 2), 2) == (1, 2)


def test_growth_is_found_from_the_exact_sums(frame: Frame) -> None:
    samples = frame.until_now
    found = measured(frame, samples).judgement
    assert found is not None
    # The queue at the end of every slot, taken from samples of every busy slot.
    assert (np.diff(samples[:, EVENT_COLUMN]) == 1).all()
    edges = np.linspace(WARMUP, frame.time, STRETCHES + 1)
    slots = np.arange(0, frame.time + 1)
    at = np.searchsorted(samples[:, TIME_COLUMN], slots, side="right") - 1
    sums = np.r_[0, np.cumsum(samples[at, WAITING_COLUMN])]
    areas = np.diff(np.interp(edges, np.arange(len(sums)), sums))
    expected = growth(edges, areas)
    slope = found.metrics["queue_growth"]
    assert slope.mean == pytest.approx(expected.slope, rel=1e-6)
    assert slope.half_width == pytest.approx(expected.half_width, rel=1e-6)
    assert found.verdict == expected.verdict


def test_a_short_run_is_not_judged_and_its_mean_is_one_so_far(frame: Frame) -> None:
    assert measured(frame, frame.samples[:0]).judgement is None
    early = replace(frame, time=float(WARMUP))
    found = measured(early, early.until_now)
    assert found.judgement is None
    assert found.start == 0
    slots = np.arange(WARMUP)
    at = np.searchsorted(frame.samples[:, TIME_COLUMN], slots, side="right") - 1
    exact = frame.samples[at, WAITING_COLUMN].mean()
    assert found.means["queue_length"].mean == pytest.approx(exact)


# -- words ---------------------------------------------------------------------------------------


def test_small_slopes_are_told_for_a_million_slots() -> None:
    assert growth_words(Estimate(0.00057, 0.00003)) == ("0.00057 ± 0.00003", "slot")
    assert growth_words(Estimate(2e-7, 5e-7)) == ("0.2 ± 0.5", "10⁶ slots")


def judged(verdict: str, reason: str, slope: float = 0.0, half_width: float = 0.01) -> Judgement:
    return Judgement(verdict, reason, {"queue_growth": Estimate(slope, half_width)})


def test_a_verdict_says_what_it_rests_on(frame: Frame) -> None:
    assert verdict_words(frame, None)[0] == ""
    assert "2000" in verdict_words(frame, None)[1].replace("\u202f", "")
    found = judged("unstable", "the slope is above 0 (Dickey-Fuller -1.00)")
    assert verdict_words(frame, found) == ("Unstable", "the slope is above 0", "rejection")
    found = judged("stable", "it returns")
    assert verdict_words(frame, found)[:2] == ("Stable", "growth is 0.000 ± 0.010 jobs per slot")
    assert verdict_words(frame, judged("undecided", "why"))[:2] == ("Undecided", "why")
    assert verdict_words(frame, judged("no verdict", "why"))[:2] == ("No verdict", "why")


# -- the panel -----------------------------------------------------------------------------------


def test_a_growing_queue_has_a_slope_and_no_mean(panel: QueueCurvesPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    found = panel.measured.judgement
    assert found is not None
    assert found.verdict == "unstable"
    slope = found.metrics["queue_growth"]
    told, half = with_interval(slope.mean, slope.half_width)
    assert f"{told} ± {half}" in panel.tiles.shown()
    assert "Unstable" in panel.verdict.text()
    assert found.reason == panel.verdict.toolTip()
    assert load_theme("light").rejection in colours(panel)
    assert "mean" not in lines_of(panel.plot)
    with mock.patch.object(panel.plot, "refresh", wraps=panel.plot.refresh) as refreshed:
        panel.set_frame(replace(frame, time=frame.time))
    assert refreshed.call_count == 1  # by its curves: no line was added or removed


@pytest.mark.parametrize("verdict", ["stable", "no verdict"])
def test_a_queue_that_does_not_grow_has_its_mean(panel: QueueCurvesPanel, calm: Frame, verdict: str) -> None:
    panel.set_frame(calm)
    found = measured(calm, calm.until_now)
    assert panel.measured == found
    panel.show_numbers(calm, found._replace(judgement=judged(verdict, "it returns")))
    info = calm.info
    (measures,) = info.kind.batches_so_far(info.numbers, (calm.until_now,), WARMUP, calm.time)
    mean = measures["queue_length"].estimate()
    told, half = with_interval(mean.mean, mean.half_width)
    assert f"{told} ± {half}" in panel.tiles.shown()
    assert lines_of(panel.plot)["mean"] == pytest.approx(mean.mean)


def test_the_numbers_are_the_states(panel: QueueCurvesPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    shown = [text.replace("\u202f", "") for text in panel.tiles.shown()]
    state = frame.state
    for count in (state.number[WAITING], state.tally[ARRIVED], state.tally[DEPARTED]):
        assert str(int(count)) in shown


def test_the_total_and_the_longest_queues_are_drawn(panel: QueueCurvesPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    layout = frame.info.facts.layout
    assert 2 <= len(panel.plot.chosen) <= MOST_CURVES < layout.queues
    total = points(panel, "waiting")
    assert total[-1, 0] == pytest.approx(frame.time)
    area = np.trapezoid(total[:, 1], total[:, 0])
    exact = frame.samples[-1, WAITING_AREA_COLUMN]
    assert area == pytest.approx(exact, rel=0.02)
    theme = load_theme("light")
    assert {theme.color(queue) for queue in panel.plot.chosen} <= colours(panel)


def test_one_queue_is_the_total(panel: QueueCurvesPanel, calm: Frame) -> None:
    panel.set_frame(calm)
    assert panel.plot.chosen == ()
    assert len(points(panel, "waiting")) > 10


def test_what_is_so_now_is_told_where_few_samples_of_a_long_run_are_kept(
    panel: QueueCurvesPanel, growing: Session
) -> None:
    growing.seek(300)
    early = growing.frame()
    assert early.time < WARMUP and early.samples[300, USED_COLUMN] > 0
    panel.set_frame(early)
    told = panel.tiles.shown()
    panel.set_frame(replace(early, samples=early.samples[:1]))
    assert panel.tiles.shown() == told


def test_after_going_back_the_future_is_muted(panel: QueueCurvesPanel, growing: Session, frame: Frame) -> None:
    panel.set_frame(frame)
    assert not np.isfinite(points(panel, "ahead waiting")[:, 1]).any()
    growing.seek(1200)
    rewound = growing.frame()
    panel.set_frame(rewound)
    ahead = points(panel, "ahead waiting")
    assert ahead[0, 0] == pytest.approx(rewound.time)
    assert ahead[-1, 0] == pytest.approx(frame.time)
    waiting = int(rewound.state.number[WAITING])
    assert f"{waiting:,}".replace(",", "\u202f") == panel.tiles.shown()[0]
    kept = rewound.until_now
    assert kept[-1, TIME_COLUMN] <= rewound.time < frame.time
    assert panel.measured == measured(rewound, kept)


def test_a_click_goes_to_that_moment(qtbot: QtBot, panel: QueueCurvesPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    QApplication.processEvents()
    moment = frame.time / 2
    assert time_reached(qtbot, panel, panel.plot, moment, 1.0) == pytest.approx(moment, abs=frame.time / 100)


def test_another_run_begins_anew(panel: QueueCurvesPanel, frame: Frame, calm: Frame) -> None:
    panel.set_frame(frame)
    assert panel.plot.chosen
    panel.set_frame(calm)
    assert panel.plot.chosen == ()
    assert points(panel, "waiting")[-1, 0] == pytest.approx(calm.time)
    panel.set_frame(frame)
    assert panel.plot.chosen


def test_the_axis_keeps_its_unit_in_another_theme(panel: QueueCurvesPanel, frame: Frame) -> None:
    panel.set_frame(frame)
    axis = panel.plot.getPlotItem().getAxis("bottom")
    assert axis.labelText == "time (slots)"
    dark = load_theme("dark")
    panel.set_theme(dark)
    assert axis.labelText == "time (slots)"
    assert {dark.panel, dark.run} <= colours(panel)


def test_the_series_hold_every_sample(panel: QueueCurvesPanel, frame: Frame) -> None:
    assert panel.series() is None
    panel.set_frame(frame)
    names, table = series_of(panel)
    assert [row[0] for row in table] == frame.samples[:, EVENT_COLUMN].tolist()
    last = dict(zip(names, table[-1], strict=True))
    assert last["waiting"] == frame.state.number[WAITING]
    assert last["departed"] == frame.samples[-1, DEPARTED_COLUMN]
    assert last["waiting VQ₁"] == frame.samples[-1, SCALARS + 1]
    assert all(isinstance(value, int | float) for value in table[-1])


def test_one_queue_needs_no_columns_of_its_own(panel: QueueCurvesPanel, calm: Frame) -> None:
    panel.set_frame(calm)
    assert not [name for name in series_of(panel)[0] if name.startswith("waiting ")]


def test_while_it_runs_curves_follow_within_two_pixels(
    panel: QueueCurvesPanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_plot, "PERIOD", 0.0)
    session = Session.open("queues-wide-jobs", "vqs", kernel=False)
    for _ in range(12):
        session.run(events=60)
        panel.set_frame(session.frame(running=True))
        view = panel.plot.getPlotItem().getViewBox()
        low, high = view.viewRange()[0]
        behind = session.timeline.time - points(panel, "waiting")[-1, 0]
        assert behind * view.width() / (high - low) <= 3
    still = replace(session.frame(), running=False)
    panel.set_frame(still)
    assert points(panel, "waiting")[-1, 0] == pytest.approx(still.time)
