"""Queues of Section VII.A of Psychas & Ghaderi (2019), against independent simulations.

Each independent number has a 95 % half-width; ours must agree within both half-widths.
"""

from __future__ import annotations

import heapq
from functools import cache

import numpy as np
import pytest

from slotscope.model.kinds.queue.experiments.queue_runs import QueueLength, QueueRuns, carry_out, queue_runs
from slotscope.model.scenario.load import edited, load_scenario

MILLION = 1_000_000


@cache
def cell(scenario: str, policy: str, alpha: str, slots: int, runs: int) -> QueueRuns:
    value = load_scenario(scenario)
    if alpha:
        value = edited(value, {"workload": {"kind": "poisson", "intensity": alpha}})
    parts = queue_runs(value, policy, QueueLength(slots, runs), policy)
    return QueueRuns.of([carry_out(part) for part in parts], slots)


def check_mean(found: QueueRuns, expected: tuple[float, float], most: float) -> None:
    """Check that a queue is stable and its mean as expected, with a relative half-width of at most *most*."""
    value, half_width = expected
    assert found.growth.verdict == "stable"
    assert found.mean.half_width <= most * value
    assert abs(found.mean.mean - value) <= half_width + found.mean.half_width


class TestVqsUnstable:
    """VII.A.1: sizes 0.4 and 0.6, 0.014 jobs per slot, geometric service of 100 slots."""

    NAME = "queues-vqs-unstable"

    @pytest.mark.parametrize(
        ("policy", "expected"),
        [
            ("bf-js", (2.45, 0.05)),
            ("bf-j", (2.60, 0.05)),
            ("vqs-bf", (2.65, 0.05)),
            ("max-weight", (3.35, 0.06)),
            ("fifo-ff", (7.0, 0.3)),
        ],
    )
    def test_mean_queues(self, policy: str, expected: tuple[float, float]) -> None:
        check_mean(cell(self.NAME, policy, "", MILLION, 60), expected, 0.06)

    def test_vqs_grows_as_its_fluid_limit(self) -> None:
        found = cell(self.NAME, "vqs", "", MILLION, 60).growth
        assert found.verdict == "unstable"
        assert found.half_width < 0.00008
        assert abs(found.slope - 0.00057) <= 0.00003 + found.half_width

    @pytest.mark.parametrize(("rate", "verdict"), [("0.0125", "stable"), ("0.0145", "unstable")])
    def test_its_limit_is_a_75th(self, rate: str, verdict: str) -> None:
        workload = {"kind": "poisson", "arrival_rate": rate}
        value = edited(load_scenario(self.NAME), {"workload": workload})
        parts = queue_runs(value, "vqs", QueueLength(10 * MILLION, 4), "vqs")
        found = QueueRuns.of([carry_out(part) for part in parts], 10 * MILLION)
        assert found.growth.verdict == verdict


class TestBestFitUnstable:
    """VII.A.2: sizes 2 and 5 of 10, 0.0306 jobs per slot, services of 100 slots."""

    NAME = "queues-bf-unstable"

    def test_vqs_is_stable(self) -> None:
        check_mean(cell(self.NAME, "vqs", "", MILLION, 60), (13.4, 0.3), 0.03)

    def test_max_weight_is_stable(self) -> None:
        # It is 15.8 if ties of weights go to the configuration with more small jobs, see below.
        check_mean(cell(self.NAME, "max-weight", "", MILLION, 60), (15.2, 0.24), 0.03)

    def test_best_fit_grows(self) -> None:
        found = cell(self.NAME, "bf-js", "", MILLION, 60).growth
        assert found.verdict == "unstable"
        assert 0.0004 < found.slope < 0.0006 + found.half_width

    def test_vqs_bf_grows_with_renewal_before_arrivals(self) -> None:
        best_fit = cell(self.NAME, "bf-js", "", MILLION, 60)
        found = cell(self.NAME, "vqs-bf:renew=before", "", MILLION, 60)
        assert found.growth.verdict == "unstable"
        assert abs(found.growth.slope - best_fit.growth.slope) < 0.0001

    def test_vqs_bf_grows_in_the_long_run_with_renewal_after_arrivals(self) -> None:
        short = cell(self.NAME, "vqs-bf", "", MILLION // 4, 60)
        long = cell(self.NAME, "vqs-bf", "", 10 * MILLION, 10)
        assert short.growth.verdict != "unstable"
        assert long.growth.verdict == "unstable"

    def test_stalling_cures_it(self) -> None:
        stalled = cell(self.NAME, "vqs-bf:stall=true", "", MILLION, 20)
        assert stalled.growth.verdict == "stable"
        assert stalled.mean.mean < 10

    def test_stalling_never_happens_under_best_fit(self) -> None:
        stalled = cell(self.NAME, "bf-js:stall=true", "", MILLION, 2)
        plain = cell(self.NAME, "bf-js", "", MILLION, 2)
        assert (stalled.table == plain.table).all()


#: Numbers of jobs of sizes 5 and 2 in each maximal configuration, the lexicographically largest first.
CONFIGURATIONS = ((2, 0), (1, 2), (0, 5))


def max_weight_by_hand(configurations: tuple[tuple[int, int], ...], seed: int, slots: int, warmup: int) -> float:
    """The mean queue of VII.A.2 under MaxWeight, by a separate program: slots, lists, a heap.

    Among equal weights the first configuration is chosen.
    """
    random = np.random.default_rng(seed)
    count = random.poisson(0.0306 * slots)
    arrivals = [*np.sort(random.integers(0, slots, count)).tolist(), slots]  # the last one marks the end
    kinds = (random.random(count) < 2 / 3).astype(int).tolist()  # 0: size 5, 1: size 2
    queue, inside, ends = [0, 0], [0, 0], []
    wanted, arrived, area, slot = configurations[0], 0, 0, 0
    while slot < slots:
        while ends and ends[0][0] <= slot:
            inside[heapq.heappop(ends)[1]] -= 1
        while arrivals[arrived] <= slot:
            queue[kinds[arrived]] += 1
            arrived += 1
        if not ends:
            wanted = max(configurations, key=lambda k: k[0] * queue[0] + k[1] * queue[1])
        for kind in (0, 1):
            while queue[kind] and inside[kind] < wanted[kind]:
                queue[kind] -= 1
                inside[kind] += 1
                heapq.heappush(ends, (slot + 100, kind))
        # If the server is empty now, the queue is empty, whatever it chose: the heaviest
        # configuration would serve a waiting job.
        until = min(arrivals[arrived], ends[0][0] if ends else slots)
        area += sum(queue) * max(0, until - max(slot, warmup))
        slot = until
    return area / (slots - warmup)


@pytest.mark.parametrize(("configurations", "expected"), [(CONFIGURATIONS, None), (CONFIGURATIONS[::-1], (15.8, 0.3))])
def test_max_weight_and_its_ties(
    configurations: tuple[tuple[int, int], ...], expected: tuple[float, float] | None
) -> None:
    """Ties are frequent and change the mean: lexicographically by decreasing size, or by increasing."""
    means = [max_weight_by_hand(configurations, seed, MILLION, MILLION // 5) for seed in range(40)]
    mean, half_width = float(np.mean(means)), 2 * float(np.std(means)) / len(means) ** 0.5
    if expected is None:
        ours = cell("queues-bf-unstable", "max-weight", "", MILLION, 60).average
        expected = (ours.mean, ours.half_width)
    assert half_width < 0.4
    assert abs(mean - expected[0]) <= half_width + expected[1]


#: Figure 4: stable points by (scenario, policy, alpha), with half-widths.
SMALL, WIDE = "queues-small-jobs", "queues-wide-jobs"
STABLE = {
    (SMALL, "bf-js", "0.85"): (2.30, 0.04),
    (SMALL, "bf-js", "0.90"): (6.37, 0.08),
    (SMALL, "bf-js", "0.93"): (13.0, 0.3),
    (SMALL, "bf-js", "0.95"): (23.3, 0.3),
    (SMALL, "bf-js", "0.97"): (51.7, 1.7),
    (SMALL, "vqs-bf", "0.85"): (2.14, 0.07),
    (SMALL, "vqs-bf", "0.90"): (6.07, 0.23),
    (SMALL, "vqs-bf", "0.93"): (12.8, 0.7),
    (SMALL, "vqs-bf", "0.95"): (23.3, 1.3),
    (SMALL, "fifo-ff", "0.85"): (4.3, 0.2),
    (SMALL, "fifo-ff", "0.90"): (15.7, 0.7),
    (WIDE, "bf-js", "0.85"): (17.5, 0.4),
    (WIDE, "bf-js", "0.90"): (44.0, 1.0),
    (WIDE, "bf-js", "0.93"): (99.0, 8.0),
    (WIDE, "bf-js", "0.95"): (212.0, 8.0),
    (WIDE, "vqs-bf", "0.85"): (34.2, 1.5),
}

#: Growing queues, averaged over [0.2, 1] of 10^6 slots in one independent run (a single run can differ
#: by some hundreds, because its arrivals do).
GROWING = {
    (SMALL, "vqs", "0.99"): 27649,
    (SMALL, "fifo-ff", "0.97"): 6355,
    (SMALL, "fifo-ff", "0.99"): 12354,
    (WIDE, "vqs", "0.85"): 2162,
    (WIDE, "vqs", "0.90"): 4689,
    (WIDE, "vqs", "0.99"): 9411,
    (WIDE, "vqs-bf", "0.93"): 1406,
    (WIDE, "vqs-bf", "0.95"): 2309,
    (WIDE, "vqs-bf", "0.97"): 3218,
    (WIDE, "vqs-bf", "0.99"): 4230,
    (WIDE, "fifo-ff", "0.85"): 6119,
    (WIDE, "fifo-ff", "0.99"): 14555,
}


def figure_4(key: tuple[str, str, str], slots: int, runs: int) -> QueueRuns:
    scenario, policy, alpha = key
    return cell(scenario, policy, alpha, slots, runs)


@pytest.mark.parametrize("key", STABLE)
def test_figure_4_where_queues_are_stable(key: tuple[str, str, str]) -> None:
    check_mean(figure_4(key, 5 * MILLION, 2), STABLE[key], 0.2)


@pytest.mark.parametrize("key", GROWING)
def test_figure_4_where_queues_grow(key: tuple[str, str, str]) -> None:
    found = figure_4(key, MILLION, 6)
    assert found.growth.verdict == "unstable"
    spread = found.average.half_width * 6**0.5 / 2.57  # standard deviation of one run
    assert abs(found.average.mean - GROWING[key]) <= found.average.half_width + 2 * spread


def test_the_limits_of_figure_4_b() -> None:
    """VQS is stable up to 0.81 to 0.82, VQS-BF up to 0.90 to 0.91."""
    for policy, below, above in (("vqs", "0.78", "0.83"), ("vqs-bf", "0.88", "0.93")):
        assert cell(WIDE, policy, below, 5 * MILLION, 4).growth.verdict == "stable"
        assert cell(WIDE, policy, above, 4 * MILLION, 2).growth.verdict == "unstable"
