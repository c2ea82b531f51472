"""Paired intervals, against values computed by hand and against single runs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t as student

from slotscope.model.api import Session
from slotscope.model.comparison.comparison import Comparison
from slotscope.model.comparison.runs import open_run
from slotscope.model.kinds.reservation.measures import batches_of, totals_at
from slotscope.model.kinds.spec import kind_named
from slotscope.model.measures.metrics import Batches

KIND = kind_named("reservation")


def test_a_paired_difference_by_hand() -> None:
    """Values 3, 5, 10 against 1, 4, 6: differences 2, 1, 4, mean 7/3, variance 7/3."""
    mine, other = Batches(np.array([3.0, 5, 10])), Batches(np.array([1.0, 4, 6]))
    found = mine.minus(other).estimate()
    assert found.mean == pytest.approx(7 / 3)
    assert found.half_width == pytest.approx(student.ppf(0.975, 2) * np.sqrt(7 / 3 / 3))
    assert found.half_width < mine.estimate().half_width


def test_what_was_rounded_is_no_difference() -> None:
    """0.1 + 0.1 + 0.1 is not exactly 0.3; values that are small beside others may still differ."""
    sums = Batches(np.array([0.1 + 0.1 + 0.1, 7.0, 1e-15])), Batches(np.array([0.3, 7.0 + 1e-6, 2e-15]))
    assert sums[0].values[0] != sums[1].values[0]
    assert sums[0].minus(sums[1]).values.tolist() == [0.0, pytest.approx(-1e-6), pytest.approx(-1e-15)]


def test_what_one_batch_has_more_and_another_less_adds_up_to_nothing() -> None:
    """As when one run places a job sooner; a mean that is small, but more than rounding, stays."""
    mine, other = np.array([0.1, 0.2, 0.3, 0.7]), np.array([0.4, 0.3, 0.2, 0.4])
    assert (mine - other).mean() != 0
    found = Batches(mine).minus(Batches(other)).estimate()
    assert found.mean == 0 and found.half_width > 0.1
    assert Batches(mine + 1e-9).minus(Batches(other)).estimate().mean == pytest.approx(1e-9, rel=1e-6)


def test_counts_add_up_and_what_is_unknown_is_left_out() -> None:
    table = np.array([[10.0, 3, 1, 0, 2], [14.0, 0, 0, 1, 2], [12.0, 6, 2, 2, 2]])
    numbers = Session.open("dra-vms", kernel=False).bench.numbers
    found = {name: one.estimate() for name, one in batches_of(numbers, table, 2.0).items()}
    assert found["reward_rate"].mean == pytest.approx(6)
    assert found["admitted"].mean == pytest.approx(9)
    assert found["migrations"].mean == pytest.approx(3)
    assert found["reassignments"].half_width == 0
    assert found["rejection_probability"].mean == pytest.approx(0.25)


def test_batches_of_a_run_are_what_its_metrics_are_made_of() -> None:
    session, other = Session.open("dra-vms", "dra"), Session.open("dra-vms", "dra")

    def advance(time: float) -> object:
        session.run(until=time)
        return session.timeline.state

    batches = KIND.run_batches(session.bench.numbers, advance, 2.0, 8.0)
    assert {name: one.estimate() for name, one in batches.items()} == other.measure(8.0, 2.0)


def test_batches_from_samples_are_those_of_the_run() -> None:
    """With a sample at every event, batches of a run in the window are exact."""
    comparison = open_run("dra-vms", ("dra", "first-fit"))
    assert isinstance(comparison, Comparison)
    comparison.run(until=5.0)
    samples = [session.timeline.samples.table for session in comparison.sessions]
    assert all(session.timeline.samples.stride == 1 for session in comparison.sessions)
    numbers = comparison.bench.numbers
    now = comparison.timeline.time
    shown = KIND.batches_so_far(numbers, samples, 2.0, now)
    end = min(now, *(float(table[-1, 1]) for table in samples))
    for policy, lane in zip(("dra", "first-fit"), shown, strict=True):
        alone = Session.open("dra-vms", policy)

        def advance(time: float, alone: Session = alone) -> object:
            alone.run(until=time)
            return alone.timeline.state

        expected = KIND.run_batches(alone.bench.numbers, advance, 2.0, end)
        for name in ("reward_rate", "admitted", "rejected", "migrations", "reassignments"):
            assert lane[name].values[:-1] == pytest.approx(expected[name].values[:-1])


def test_pairing_narrows_the_interval() -> None:
    comparison = open_run("dra-vms", ("dra", "dra:reservation_factor=2"))
    comparison.run(until=60.0)
    samples = [session.timeline.samples.table for session in comparison.sessions]
    first, second = KIND.batches_so_far(comparison.bench.numbers, samples, 10.0, 60.0)
    paired = second["reward_rate"].minus(first["reward_rate"]).estimate()
    alone = [one["reward_rate"].estimate().half_width for one in (first, second)]
    assert paired.half_width < np.hypot(*alone) / 2


def test_nothing_is_measured_before_the_warm_up() -> None:
    comparison = open_run("dra-vms", ("dra", "first-fit"))
    comparison.run(until=1.0)
    samples = [session.timeline.samples.table for session in comparison.sessions]
    assert KIND.batches_so_far(comparison.bench.numbers, samples, 10.0, 1.0) == ()


def test_integrals_between_samples_are_interpolated() -> None:
    session = Session.open("dra-vms", "dra")
    session.run(until=3.0)
    table, numbers = session.timeline.samples.table, session.bench.numbers
    middle = (table[100, 1] + table[101, 1]) / 2
    before, half, after = totals_at(numbers, table, np.array([table[100, 1], middle, table[101, 1]]))
    assert half[0] == pytest.approx((before[0] + after[0]) / 2)
    assert half[1:].tolist() == before[1:].tolist()
