"""Averages, intervals and the measures of a run, against direct computation."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from slotscope.model.api import Session
from slotscope.model.kinds.reservation.measures import reward_rate
from slotscope.model.kinds.reservation.rows import EVENT_ROW, FLAG_ADMITTED, FLAG_MIGRATED, FLAG_REJECTED
from slotscope.model.kinds.reservation.scenario.schema import ReservationScenario
from slotscope.model.measures.metrics import BATCHES, CONFIDENCE, Estimate, estimate, quantile, ratio
from slotscope.model.reporting.records import ARRIVAL
from slotscope.model.running.assembly import assemble
from slotscope.model.running.engine import Task, started
from slotscope.model.scenario.load import load_scenario
from tests.kinds.reservation.strategies import scenarios


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30))
def test_student_s_interval(values: list[float]) -> None:
    found = estimate(values)
    spread = stats.sem(values)
    assert found.mean == pytest.approx(np.mean(values), rel=1e-9, abs=1e-6)
    low, high = stats.t.interval(CONFIDENCE, len(values) - 1)
    assert found.half_width == pytest.approx(spread * (high - low) / 2, rel=1e-9, abs=1e-9)


def test_student_s_quantiles_are_those_of_the_library() -> None:
    freedom = [*range(1, 1200), 100_000]
    known = stats.t.ppf((1 + CONFIDENCE) / 2, freedom)
    np.testing.assert_allclose([quantile(count) for count in freedom], known, rtol=1e-12)


def test_too_few_values_have_no_interval() -> None:
    assert np.isnan(estimate([]).mean)
    assert estimate([3.0]).mean == 3.0
    assert np.isnan(estimate([3.0]).half_width)
    assert estimate([2.0, 2.0]) == Estimate(2.0, 0.0)
    assert json.dumps(estimate([]).as_dict()) == '{"mean": null, "half_width": null}'


def test_intervals_cover_as_often_as_they_promise() -> None:
    random = np.random.default_rng(3)
    hits = 0
    for _ in range(2000):
        found = estimate(random.normal(5, 2, BATCHES))
        hits += abs(found.mean - 5) <= found.half_width
    assert stats.binomtest(hits, 2000, CONFIDENCE).pvalue > 1e-4


def counted_out(scenario: ReservationScenario, warmup: float, until: float) -> dict[str, float]:
    """The measures over [warmup, until], computed from the rows of all events, one by one."""
    bench = assemble(scenario)
    numbers = bench.numbers
    state = started(bench.system)
    jobs = state.jobs_in_system.copy()
    rewards = np.array([float(reward) for reward in numbers.rewards])
    tape = np.zeros(1, EVENT_ROW)
    now, earned = 0.0, 0.0
    counts = {"admitted": 0, "rejected": 0, "migrations": 0, "reassignments": 0}
    while True:
        result = bench.reference.advance(state, tape, Task(until=until))
        event = float(tape["time"][0]) if result.rows else until
        earned += max(0.0, event - max(now, warmup)) * float(jobs @ rewards)
        if not result.rows:
            break
        state, now, row = result.state, event, tape[0]
        jobs[row["type"]] += (row["kind"] == ARRIVAL) * bool(row["flags"] & FLAG_ADMITTED)
        jobs[row["type"]] -= row["kind"] != ARRIVAL
        if now > warmup:
            counts["admitted"] += bool(row["flags"] & FLAG_ADMITTED)
            counts["rejected"] += bool(row["flags"] & FLAG_REJECTED)
            counts["migrations"] += bool(row["flags"] & FLAG_MIGRATED)
            counts["reassignments"] += int(row["reassigned"])
    return counts | {"reward_rate": earned / (until - warmup) / numbers.servers}


@given(scenarios(most_servers=5, workloads=("poisson",)), st.sampled_from([0.0, 1.5]))
@settings(max_examples=12)
def test_the_measures_of_a_run(scenario: ReservationScenario, warmup: float) -> None:
    expected = counted_out(scenario, warmup, 4.0)
    for kernel in (False, True):
        found = Session.open(scenario, kernel=kernel).measure(4.0, warmup)
        for name, value in expected.items():
            assert found[name].mean == pytest.approx(value, rel=1e-9, abs=1e-9), name
        arrivals = expected["admitted"] + expected["rejected"]
        assert np.isnan(found["rejection_probability"].mean) == (arrivals == 0)


def test_the_reward_rate_is_per_server() -> None:
    numbers = assemble(load_scenario("dra-vms")).numbers
    jobs: Any = np.array([[180, 0, 0, 0], [0, 0, 0, 180]])
    assert reward_rate(numbers, jobs).tolist() == [9.0, 512.0]


def test_a_ratio_is_that_of_the_sums() -> None:
    found = ratio([1.0, 0.0, 9.0], [2.0, 0.0, 98.0]).estimate()
    assert found.mean == pytest.approx(0.1)


def test_a_ratio_of_nothing_is_not_known() -> None:
    assert np.isnan(ratio([0.0, 0.0], [0.0, 0.0]).estimate().mean)


def test_a_ratio_of_equal_batches_is_their_mean() -> None:
    counts = np.array([3.0, 5.0, 4.0, 8.0])
    assert ratio(counts, np.full(4, 10.0)).estimate() == estimate(counts / 10)


def test_the_interval_of_a_ratio_holds_it_about_as_often_as_it_says() -> None:
    random = np.random.default_rng(3)
    inside = 0
    for _ in range(1000):
        of = random.poisson(30, 20).astype(float)
        count = random.binomial(of.astype(int), 0.2).astype(float)
        found = ratio(count, of).estimate()
        inside += abs(found.mean - 0.2) <= found.half_width
    assert 920 <= inside <= 975
