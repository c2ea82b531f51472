"""The test for growth: how often it is right and wrong, on queues known to be stable or not."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from slotscope.model.measures.growth import (
    AROUND_A_LINE,
    AROUND_A_MEAN,
    FEWEST,
    Growth,
    _slope_of_the_line,
    growth,
    together,
)

pytestmark = pytest.mark.slow

Values = NDArray[np.float64]
STRETCH = 4000


@cache
def queue(rate: float, seed: int, stretches: int = 50, stretch: int = STRETCH) -> Values:
    """[b] the length of a queue with Poisson arrivals that serves one job per slot, summed over each stretch.

    The first fifth of the slots is left out.  Results are shared, thus read-only.
    """
    random = np.random.default_rng([seed, 2019])
    slots = stretches * stretch
    walk = np.cumsum(random.poisson(rate, slots + slots // 4) - 1)
    lengths = walk - np.minimum(np.minimum.accumulate(walk), 0)
    areas: Values = lengths[-slots:].reshape(stretches, stretch).sum(axis=1).astype(float)
    areas.setflags(write=False)
    return areas


def judged(areas: Values, stretch: float = STRETCH) -> Growth:
    return growth(stretch * np.arange(len(areas) + 1), areas)


def verdicts(rate: float, runs: int = 40) -> Counter[str]:
    return Counter(judged(queue(rate, seed)).verdict for seed in range(runs))


class TestQueuesOfKnownKind:
    @pytest.mark.parametrize("rate", [0.5, 0.8, 0.9, 0.95])
    def test_a_stable_queue_is_found_stable(self, rate: float) -> None:
        found = verdicts(rate)
        assert found["unstable"] == 0
        assert found["stable"] >= 34

    @pytest.mark.parametrize("rate", [1.01, 1.02, 1.1])
    def test_an_unstable_queue_is_found_unstable(self, rate: float) -> None:
        found = verdicts(rate)
        assert found["stable"] == 0
        assert found["unstable"] >= 38

    @pytest.mark.parametrize("rate", [0.999, 1.0, 1.001])
    def test_about_the_limit_nothing_is_claimed(self, rate: float) -> None:
        found = verdicts(rate, 60)
        assert found["undecided"] >= 42
        assert found["stable"] <= 8

    def test_the_slope_is_the_drift(self) -> None:
        found = [judged(queue(1.02, seed)) for seed in range(60)]
        inside = sum(abs(one.slope - 0.02) <= one.half_width for one in found)
        assert inside >= 52  # of 60 intervals of 95 %
        assert np.mean([one.slope for one in found]) == pytest.approx(0.02, rel=0.05)
        assert max(one.half_width for one in found) < 0.01

    def test_the_interval_of_a_line_holds_its_slope_19_times_in_20(self) -> None:
        """Each deviation is half the one before plus fresh noise; fitting the line hides part of this correlation."""
        random, runs, slope = np.random.default_rng(1954), 1500, 0.1
        inside = 0
        for _ in range(runs):
            new = random.normal(size=50)
            deviations = [new[0] / 0.75**0.5]
            for each in new[1:]:
                deviations.append(deviations[-1] / 2 + each)
            found = _slope_of_the_line(slope * np.arange(50) + deviations)
            inside += abs(found.slope - slope) <= found.half_width
        assert 0.935 <= inside / runs <= 0.97

    def test_the_interval_of_a_random_walk_holds_its_drift_19_times_in_20(self) -> None:
        """Averages of a random walk have correlated increments, which must widen the interval."""
        random, runs, drift = np.random.default_rng(1960), 3000, 0.5
        inside = 0
        for _ in range(runs):
            walk = np.cumsum(random.normal(drift, 1, 50 * 60))
            found = judged(walk.reshape(50, 60).sum(axis=1), 60)
            inside += abs(found.slope - drift) <= found.half_width
        assert 0.935 <= inside / runs <= 0.965

    def test_the_slope_of_a_stable_queue_is_0(self) -> None:
        found = [judged(queue(0.9, seed)) for seed in range(60)]
        assert sum(abs(one.slope) <= one.half_width for one in found) >= 52

    def test_a_longer_run_decides(self) -> None:
        short = Counter(judged(queue(0.98, seed, stretch=400), 400).verdict for seed in range(40))
        long = Counter(judged(queue(0.98, seed, stretch=40_000), 40_000).verdict for seed in range(10))
        assert short["undecided"] > 20
        assert long["stable"] >= 8


class TestGrowthThatIsNoRandomWalk:
    """Some jobs are never served, and pile up beside a queue that fluctuates."""

    @pytest.mark.parametrize("rise", [0.003, 0.01, 0.1])
    def test_a_slow_rise_below_noise_is_never_stable(self, rise: float) -> None:
        middle = STRETCH * (np.arange(50) + 0.5)
        found = Counter(judged(queue(0.5, seed) + STRETCH * rise * middle).verdict for seed in range(30))
        assert found == {"unstable": 30}

    def test_what_begins_to_grow_half_way_is_not_stable(self) -> None:
        for seed in range(20):
            areas = queue(0.9, seed).copy()
            areas[25:] += STRETCH * np.arange(25) * areas.mean() / STRETCH / 5
            assert judged(areas).verdict != "stable"

    def test_what_begins_to_grow_at_the_very_end_is_not_stable(self) -> None:
        for seed in range(20):
            areas = queue(0.5, seed).copy()
            areas[-5:] += 5 * areas.max() * np.arange(1, 6)
            assert judged(areas).verdict != "stable"

    def test_a_queue_that_empties_is_not_stable_yet(self) -> None:
        for seed in range(20):
            falling = np.maximum(0.0, 40.0 - np.arange(50)) * STRETCH
            assert judged(queue(0.5, seed) + falling).verdict == "undecided"

    def test_straight_lines(self) -> None:
        flat, rising = np.zeros(50), np.arange(50.0)
        assert judged(flat, 10).verdict == "stable"
        assert judged(flat + 7, 10).verdict == "stable"
        assert judged(rising, 10) == Growth(pytest.approx(0.01), 0.0, "unstable", judged(rising, 10).reason)
        assert judged(50 - rising, 10).verdict == "undecided"
        one_step = np.r_[np.zeros(49), 1.0]
        assert judged(one_step).verdict != "stable"


class TestInvariance:
    @given(st.integers(0, 30), st.sampled_from([0.9, 1.0, 1.02]), st.floats(0.01, 1e6), st.floats(0, 1e4))
    def test_units_and_a_constant_change_no_verdict(
        self, seed: int, rate: float, factor: float, constant: float
    ) -> None:
        areas = queue(rate, seed, stretch=200)
        plain, other = judged(areas, 200), judged(factor * (areas + constant), 200)
        assert other.verdict == plain.verdict
        assert other.slope == pytest.approx(factor * plain.slope, rel=1e-6, abs=1e-9 * factor)
        assert other.half_width == pytest.approx(factor * plain.half_width, rel=1e-6)

    def test_the_slope_is_per_slot(self) -> None:
        areas = queue(1.02, 1)
        twice = growth(2.0 * STRETCH * np.arange(51), 2 * areas)
        assert twice.slope == pytest.approx(judged(areas).slope / 2)


class TestCriticalValues:
    """The published values against simulated random walks."""

    @pytest.mark.parametrize(
        ("critical", "trend", "level"), [(AROUND_A_MEAN, False, 0.05), (AROUND_A_LINE, True, 0.01)]
    )
    def test_a_random_walk_is_rejected_as_often_as_they_say(
        self, critical: tuple[float, ...], trend: bool, level: float
    ) -> None:
        from slotscope.model.measures.growth import _returns

        random = np.random.default_rng(7)
        walks = np.cumsum(random.normal(size=(6000, 50)), axis=1)
        rejected = np.mean([_returns(walk, critical, trend) for walk in walks])
        assert abs(rejected - level) < 4 * np.sqrt(level / len(walks))


class TestTogether:
    def test_runs_are_averaged(self) -> None:
        runs = [judged(queue(1.02, seed)) for seed in range(4)]
        whole = together(runs)
        assert whole.verdict == "unstable"
        assert whole.slope == pytest.approx(np.mean([run.slope for run in runs]))
        assert whole.half_width < min(run.half_width for run in runs)
        assert whole.reason == "of 4 runs: 4 unstable"

    @pytest.mark.parametrize(
        ("verdicts", "slope", "expected"),
        [
            (("stable", "stable", "undecided"), 0.0, "stable"),
            (("stable", "undecided"), 0.0, "undecided"),
            (("stable",) * 3, 9.0, "undecided"),
            (("stable",) * 30 + ("unstable",), 0.0, "stable"),
            (("stable",) * 30 + ("unstable",) * 9, 0.0, "undecided"),
            (("unstable",) * 2, 9.0, "unstable"),
            (("unstable",) * 2, 0.0, "undecided"),
            (("unstable", "undecided"), 9.0, "undecided"),
            (("unstable", "unstable", "undecided", "undecided"), 9.0, "unstable"),
            (("unstable",) * 5 + ("undecided",) * 43, 9.0, "undecided"),
            (("unstable",) * 7 + ("undecided",) * 41, 9.0, "unstable"),
            (("undecided",) * 9, 9.0, "undecided"),
            (("undecided",) * 9, 0.0, "undecided"),
        ],
    )
    def test_one_verdict_of_several(self, verdicts: tuple[str, ...], slope: float, expected: str) -> None:
        runs = [Growth(slope, 1.0, verdict, "") for verdict in verdicts]  # type: ignore[arg-type]
        assert together(runs).verdict == expected

    @pytest.mark.parametrize("rate", [0.99, 0.999, 1.0])
    def test_many_runs_on_their_way_up_are_not_unstable(self, rate: float) -> None:
        runs = [judged(queue(rate, seed, stretch=200), 200) for seed in range(400)]
        assert together(runs).verdict != "unstable"
        assert together(runs).slope > 0  # which all runs together would show

    def test_runs_that_differ_widen_the_interval(self) -> None:
        runs = [Growth(slope, 0.1, "undecided", "") for slope in (0.0, 0.0, 0.0, 0.0, 5.0)]
        assert together(runs).half_width == pytest.approx(2.776, abs=0.001)
        assert together(runs[:3]).half_width == pytest.approx(0.1 / np.sqrt(3))

    def test_one_run_is_itself(self) -> None:
        run = judged(queue(0.9, 3))
        assert together([run]) == run

    def test_none_is_refused(self) -> None:
        with pytest.raises(ValueError, match="at least one"):
            together([])


class TestInput:
    def test_few_stretches_decide_nothing(self) -> None:
        found = judged(queue(1.1, 1)[: FEWEST - 1])
        assert found.verdict == "undecided"
        assert np.isnan(found.slope)
        assert judged(queue(1.1, 1)[:FEWEST]).verdict == "unstable"

    @pytest.mark.parametrize(
        ("edges", "areas"),
        [([0, 1, 2], [1, 2, 3]), ([0], []), ([0, 1, 3], [1, 2]), ([0, 0, 0], [1, 2]), ([2, 1, 0], [1, 2])],
    )
    def test_edges_must_fit(self, edges: list[float], areas: list[float]) -> None:
        with pytest.raises(ValueError, match="edges"):
            growth(edges, areas)
