"""Arrivals in slots: blocks are reproducible, counts follow their laws, sizes are exact."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.queue.arrivals import (
    BatchCounts,
    Counts,
    IndependentCounts,
    PoissonCounts,
    RecordedSlots,
    SlottedBlock,
    SlottedWorkload,
    workload_of,
)
from slotscope.model.kinds.queue.numbers import QueueNumbers, numbers_of
from slotscope.model.kinds.queue.scenario.schema import QueueScenario
from slotscope.model.kinds.queue.units import DIVISOR
from slotscope.model.scenario.streams import stream
from slotscope.model.scenario.validation import validated

#: A fit with a lower p-value is rejected; seeds are fixed, so a test passes always or never.
LEAST_P = 1e-4

UNIFORM = {"distribution": "uniform", "low": 0.01, "high": 0.19}
GEOMETRIC = {"distribution": "geometric", "mean": 100}


def scenario(**changes: Any) -> QueueScenario:
    data = {
        "seed": 5,
        "servers": {"count": 5, "capacity": 1},
        "jobs": {"size": UNIFORM, "service": GEOMETRIC},
        "workload": {"kind": "poisson", "intensity": 0.93},
    } | changes
    return validated(QueueScenario, data)


def numbers(**changes: Any) -> QueueNumbers:
    return numbers_of(scenario(**changes))


def random_jobs(start: float = 0.0, branch: int = 0, **changes: Any) -> SlottedWorkload:
    given = scenario(**changes)
    made = workload_of(given, numbers_of(given), start, branch)
    assert isinstance(made, SlottedWorkload)
    return made


def blocks(workload: SlottedWorkload, count: int) -> list[SlottedBlock]:
    """The first blocks that contain a job."""
    found, arrival = [], 0
    for _ in range(count):
        found.append(workload.block_at(arrival))
        arrival = found[-1].end
    return found


def same(first: SlottedBlock, second: SlottedBlock) -> bool:
    return all(np.array_equal(mine, theirs) for mine, theirs in zip(first, second, strict=True))


WORKLOADS: dict[str, dict[str, Any]] = {
    "poisson": {"kind": "poisson", "intensity": 0.93},
    "hardly any": {"kind": "poisson", "arrival_rate": "1e-6"},
    "many at once": {"kind": "poisson", "arrival_rate": 30_000},
    "geometric batches": {"kind": "batch", "arrival_rate": 0.5, "mean_batch": 7.5},
    "fixed batches": {"kind": "batch", "arrival_rate": 2, "mean_batch": 4, "batch": "fixed"},
    "independent counts": {"kind": "iid", "probabilities": [0.5, 0.2, 0, 0.3]},
}


@pytest.mark.parametrize("name", WORKLOADS)
def test_blocks_come_again_in_any_order(name: str) -> None:
    known = blocks(random_jobs(workload=WORKLOADS[name]), 5)
    for order in ([4, 0, 3, 1, 2], [2, 4, 1], [3]):
        other = random_jobs(workload=WORKLOADS[name])
        for number in order:
            first, last = int(known[number].first[0]), known[number].end - 1
            for arrival in (first, (first + last) // 2, last):
                assert same(other.block_at(arrival), known[number])


@pytest.mark.parametrize("name", WORKLOADS)
def test_a_slot_never_straddles_blocks(name: str) -> None:
    parts = blocks(random_jobs(workload=WORKLOADS[name]), 6)
    for before, after in pairwise(parts):
        assert int(after.first[0]) == before.end
        assert before.time[-1] < after.time[0]
    for part in parts:
        assert len(part.time) == len(part.size) == len(part.service)
        assert (np.diff(part.time) >= 0).all()
        assert (part.time == np.floor(part.time)).all()
        assert part.time[0] >= 0


def test_a_forgotten_block_comes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("slotscope.model.scenario.workload.KEPT_BLOCKS", 2)
    workload = random_jobs()
    first, *_ = blocks(workload, 6)
    again = workload.block_at(0)
    assert again is not first
    assert same(first, again)


@given(st.integers(0, 500_000))
@settings(max_examples=25)
def test_a_block_holds_the_arrival_asked_for(arrival: int) -> None:
    block = random_jobs().block_at(arrival)
    assert int(block.first[0]) <= arrival < block.end


def test_other_laws_leave_the_rest_alone() -> None:
    """Job n has the same slot and size under any law of services, and so on."""
    rate = {"kind": "poisson", "arrival_rate": 0.5}
    first = random_jobs(workload=rate).block_at(0)
    served = random_jobs(
        workload=rate, jobs={"size": UNIFORM, "service": {"distribution": "fixed", "slots": 7}}
    ).block_at(0)
    assert np.array_equal(first.time, served.time)
    assert np.array_equal(first.size, served.size)
    assert set(served.service) == {7.0}
    sized = random_jobs(workload=rate, jobs={"size": UNIFORM | {"high": 1}, "service": GEOMETRIC}).block_at(0)
    assert np.array_equal(first.time, sized.time)
    assert np.array_equal(first.service, sized.service)
    assert not np.array_equal(first.size, sized.size)


def test_seeds_and_branches_have_jobs_of_their_own() -> None:
    first, other = random_jobs().block_at(0), random_jobs(seed=6).block_at(0)
    assert not np.array_equal(first.size[:50], other.size[:50])
    forked = random_jobs(start=41.0, branch=9).block_at(0)
    assert forked.time[0] >= 42
    assert forked.time[0] < 60
    assert not np.array_equal(first.size[:50], forked.size[:50])
    assert not np.array_equal(np.diff(first.time[:50]), np.diff(forked.time[:50]))


def test_sizes_services_and_slots_do_not_depend_on_one_another() -> None:
    block = random_jobs().block_at(0)
    gaps = np.diff(block.time, prepend=0.0)
    for first, second in (
        (gaps, block.size[:, 0]),
        (gaps, block.service),
        (block.size[:, 0], block.service),
        (block.size[1:, 0], block.size[:-1, 0]),
        (block.service[1:], block.service[:-1]),
    ):
        assert stats.spearmanr(first, second).pvalue > LEAST_P


def test_sizes_and_services_have_streams_of_their_own() -> None:
    """Two coins with equal laws: drawn from one random stream they would always agree."""
    block = random_jobs(
        jobs={
            "size": {"distribution": "discrete", "values": [0.5, 0.25]},
            "service": {"distribution": "discrete", "values": [1, 2]},
        }
    ).block_at(0)
    table = [
        [int(((block.size[:, 0] == size) & (block.service == service)).sum()) for service in (1, 2)]
        for size in np.unique(block.size)
    ]
    assert stats.chi2_contingency(table).pvalue > LEAST_P


def test_each_block_is_drawn_anew() -> None:
    first, second = blocks(random_jobs(), 2)
    for mine, theirs in zip(first[:3], second[:3], strict=True):
        assert not np.array_equal(np.diff(mine[:50], axis=0), np.diff(theirs[:50], axis=0))


def test_classes_have_their_shares_sizes_and_services() -> None:
    block = random_jobs(
        jobs=[
            {
                "share": 0.25,
                "size": {"distribution": "discrete", "values": ["1/3"]},
                "service": {"distribution": "fixed", "slots": 3},
            },
            {
                "share": 0.75,
                "size": {"distribution": "discrete", "values": ["1/4"]},
                "service": {"distribution": "fixed", "slots": 4},
            },
        ]
    ).block_at(0)
    thirds = block.service == 3
    found = numbers(jobs={"size": {"distribution": "discrete", "values": ["1/3", "1/4"]}})
    assert set(block.size[thirds, 0]) == {found.units(Fraction(1, 3))}
    assert set(block.size[~thirds, 0]) == {found.units(Fraction(1, 4))}
    assert stats.binomtest(int(thirds.sum()), len(thirds), 0.25).pvalue > LEAST_P


# Counts: the number of arrivals in a slot.

COUNTS: dict[str, tuple[Counts, float, float]] = {  # with the mean and variance per slot
    "poisson": (PoissonCounts(0.7), 0.7, 0.7),
    "fixed batches": (BatchCounts(0.8, 4, geometric=False), 0.8, 0.8 * 4),
    "geometric batches": (BatchCounts(0.8, 4, geometric=True), 0.8, 0.8 * (2 * 4 - 1)),
    "independent": (IndependentCounts([0.5, 0.25, 0, 0.25]), 1.0, 0.25 + 0.25 * 9 - 1),
}


@pytest.mark.parametrize("name", COUNTS)
def test_counts_have_their_mean_and_variance(name: str) -> None:
    law, mean, variance = COUNTS[name]
    slots = 200_000
    places = law.places(stream(3, "arrivals"), slots)
    assert law.total(stream(3, "arrivals"), slots) == len(places)
    assert (np.diff(places) >= 0).all()
    counts = np.bincount(places, minlength=slots)
    assert len(counts) == slots
    assert abs(counts.mean() - mean) < 4 * (variance / slots) ** 0.5
    spread = (counts - counts.mean()) ** 2
    assert abs(spread.mean() - variance) < 4 * spread.std() / slots**0.5
    assert stats.pearsonr(counts[1:], counts[:-1]).pvalue > LEAST_P


def test_poisson_counts_are_poisson() -> None:
    counts = np.bincount(PoissonCounts(1.5).places(stream(4, "arrivals"), 50_000), minlength=50_000)
    expected = stats.poisson(1.5).pmf(np.arange(7))
    expected[-1] = stats.poisson(1.5).sf(5)
    observed = np.bincount(np.minimum(counts, 6))
    assert stats.chisquare(observed, expected * 50_000).pvalue > LEAST_P


def test_independent_counts_have_their_probabilities() -> None:
    law = IndependentCounts([0.5, 0.2, 0, 0.3])
    counts = np.bincount(law.places(stream(4, "arrivals"), 40_000), minlength=40_000)
    observed = np.bincount(counts, minlength=4)
    assert observed[2] == 0
    assert stats.chisquare(observed[[0, 1, 3]], [20_000, 8_000, 12_000]).pvalue > LEAST_P


def test_blocks_together_are_poisson_as_well() -> None:
    """Also across blocks: no slot is lost or counted twice at their borders."""
    workload = random_jobs(workload={"kind": "poisson", "arrival_rate": 4000})
    assert workload.slots == 4
    time = np.concatenate([block.time for block in blocks(workload, 40)])
    counts = np.bincount(time.astype(int))
    assert len(counts) == 160
    assert abs(counts.mean() - 4000) < 4 * (4000 / 160) ** 0.5
    assert stats.kstest((counts - 4000) / 4000**0.5, stats.norm.cdf).pvalue > LEAST_P


TWO_RESOURCES: dict[str, Any] = {
    "servers": {"count": 3, "capacity": {"CPU": 8, "memory": 32}},
    "jobs": {
        "size": {
            "distribution": "independent",
            "resources": {
                "memory": {"distribution": "discrete", "values": [4, 8]},
                "CPU": {"distribution": "discrete", "values": [1, 2, 4]},
            },
        },
        "service": {"distribution": "fixed", "slots": 10},
    },
}


def test_independent_resources() -> None:
    found = numbers(**TWO_RESOURCES)
    assert found.resource_names == ("CPU", "memory")
    assert len(set(found.largest)) == 1
    assert found.types == 6
    assert set(found.probabilities) == {Fraction(1, 6)}
    amounts = [tuple(found.amount(units, d) for d, units in enumerate(value)) for value in found.values]
    assert amounts[0] == (Fraction(4), Fraction(8))  # the largest share first
    assert set(amounts) == {(Fraction(cpu), Fraction(memory)) for cpu in (1, 2, 4) for memory in (4, 8)}
    assert found.smallest == found.units(Fraction(1)) == found.units(Fraction(4), 1)
    sample = found.sizes.sample(stream(8, "sizes"), 20_000)
    table = np.array([(sample == value).all(axis=1).sum() for value in found.values])
    assert stats.chisquare(table).pvalue > LEAST_P
    assert found.sizes.mean(0) / int(found.largest[0]) == Fraction(7, 3) / 8
    assert found.sizes.probability(0, found.units(Fraction(4), 1), 1) == Fraction(1, 2)


def test_the_scarcest_resource_sets_the_intensity() -> None:
    found = numbers(**TWO_RESOURCES, workload={"kind": "poisson", "intensity": 0.5})
    assert found.intensity == Fraction(1, 2)
    # CPU: a job needs 7/24 of a server for 10 slots, but only 3/16 of its memory.
    assert found.arrival_rate == Fraction(1, 2) * 3 / (Fraction(7, 24) * 10)


# Exactness.


def test_tenths_fill_a_server() -> None:
    """0.8 + 0.05 + 0.05 + 0.1 is more than 1 in floating point, but not here."""
    parts = ["0.8", "0.05", "0.05", "0.1"]
    assert 0.8 + 0.05 + 0.05 + 0.1 > 1
    found = numbers(jobs={"size": {"distribution": "discrete", "values": parts}})
    assert sum(found.units(Fraction(part)) for part in parts) == found.largest[0]


@given(
    st.lists(st.fractions(Fraction(1, 60), 1, max_denominator=60), min_size=1, max_size=6),
    st.fractions(1, 20, max_denominator=20),
)
@settings(max_examples=60)
def test_units_are_exact(shares: list[Fraction], capacity: Fraction) -> None:
    arrivals = [{"slot": 0, "size": str(share * capacity)} for share in shares]
    found = numbers(
        jobs=[], servers={"count": 1, "capacity": str(capacity)}, workload={"kind": "scripted", "arrivals": arrivals}
    )
    largest = int(found.largest[0])
    assert largest % (3 * 2**20) == 0
    assert found.unit[0] * largest == capacity
    workload = workload_of(
        scenario(
            jobs=[],
            servers={"count": 1, "capacity": str(capacity)},
            workload={"kind": "scripted", "arrivals": arrivals},
        ),
        found,
    )
    block = workload.block_at(0)
    assert block is not None
    assert [Fraction(int(size), largest) for size in block.size[:, 0]] == shares
    assert set(found.values) == {(int(size),) for size in block.size[:, 0]}


def test_continuous_laws_have_a_fine_grid() -> None:
    found = numbers()
    assert found.largest[0] >= 3 * 2**32
    assert found.largest[0] % (3 * 2**20) == 0
    assert found.units(Fraction("0.01")) + 1 == found.smallest
    assert found.types == 0


def test_inner_products_of_several_resources_fit() -> None:
    memory = {"distribution": "uniform", "low": "1/7", "high": 32}
    law = {
        "distribution": "independent",
        "resources": {"CPU": {"distribution": "uniform", "high": 8}, "memory": memory},
    }
    found = numbers(servers=TWO_RESOURCES["servers"], jobs={"size": law})
    largest = int(found.largest[0])
    assert 2 * largest**2 < 2**63
    assert found.largest.tolist() == [largest] * 2
    assert found.sizes.smallest == (1, largest // 224 + 1)
    assert found.smallest == found.sizes.smallest[1]  # a job counts by its largest share
    with pytest.raises(ScenarioError, match="fewer digits"):
        numbers(
            servers=TWO_RESOURCES["servers"],
            jobs={"size": {"distribution": "discrete", "values": [["1/1009", "1/1013"]]}},
        )


def test_units_of_all_servers_together_fit() -> None:
    rate = {"kind": "poisson", "arrival_rate": 1}
    fine = {"size": {"distribution": "discrete", "values": ["1/900000001"]}}
    assert numbers(jobs=fine, workload=rate).largest[0] == 900_000_001 * DIVISOR
    with pytest.raises(ScenarioError, match="fewer digits"):
        numbers(jobs=fine, workload=rate, servers={"count": 1_000_000, "capacity": 1})


def test_an_amount_between_units_is_refused() -> None:
    with pytest.raises(ValueError, match=r"0\.1 is no whole number of units"):
        numbers(jobs={"size": {"distribution": "discrete", "values": [0.5]}}).units(Fraction(1, 10))


def test_pools() -> None:
    found = numbers(
        servers={
            "count": 2,
            "capacity": 0.5,
            "pools": [{"name": "large", "count": 1, "capacity": 2}, {"name": "odd", "count": 3, "capacity": 0.75}],
        }
    )
    largest = int(found.largest[0])
    assert [Fraction(int(units), largest) for units in found.capacity[:, 0]] == [Fraction(1, 4)] * 2 + [1] + [
        Fraction(3, 8)
    ] * 3
    assert found.pool_of.tolist() == [0, 0, 1, 2, 2, 2]
    assert [(pool.name, pool.first, pool.count) for pool in found.pools] == [("", 0, 2), ("large", 2, 1), ("odd", 3, 3)]
    assert found.total_capacity == (Fraction(1, 2) + 1 + Fraction(9, 8),)
    assert found.amount(largest) == 2
    assert found.fraction(largest // 2) == Fraction(1, 2)


# The paper's own numbers.


def test_the_rates_of_the_papers_examples() -> None:
    """Psychas & Ghaderi (2019), Section VII.A."""
    first = numbers(
        servers={"count": 1, "capacity": 1},
        jobs={"size": {"distribution": "discrete", "values": [0.4, 0.6]}, "service": GEOMETRIC},
        workload={"kind": "poisson", "arrival_rate": 0.014},
    )
    assert first.workload == Fraction(7, 5)
    assert first.intensity == Fraction(7, 10)
    assert first.mean_service == 100
    uniform = numbers()
    assert uniform.arrival_rate == Fraction(93, 100) * Fraction(1, 100) * 5 / Fraction(1, 10)
    assert uniform.workload == Fraction(93, 2)
    wide = numbers(
        jobs={"size": UNIFORM | {"low": 0.1, "high": 0.9}, "service": GEOMETRIC},
        workload={"kind": "poisson", "workload": 9},
    )
    assert wide.intensity == Fraction(9, 10)
    assert wide.arrival_rate == Fraction(9, 100)


def test_batches_and_counts_have_the_rate_they_are_given() -> None:
    batches = numbers(workload=WORKLOADS["geometric batches"])
    assert batches.arrival_rate == Fraction(1, 2)
    counts = numbers(workload=WORKLOADS["independent counts"])
    assert counts.arrival_rate == Fraction(11, 10)
    for name in ("geometric batches", "independent counts"):
        parts = blocks(random_jobs(workload=WORKLOADS[name]), 20)
        rate = parts[-1].end / (20 * random_jobs(workload=WORKLOADS[name]).slots)
        assert rate == pytest.approx(float(numbers(workload=WORKLOADS[name]).arrival_rate), rel=0.05)


# Scripts.

SCRIPT: dict[str, Any] = {
    "kind": "scripted",
    "arrivals": [
        {"slot": 0, "size": "2/3", "service": 3},
        {"slot": 2, "size": "1/7"},
        {"slot": 2, "size": "2/3", "service": 1},
    ],
}


def test_a_script_is_taken_word_for_word() -> None:
    found = numbers(jobs=[], workload=SCRIPT)
    workload = workload_of(scenario(jobs=[], workload=SCRIPT), found)
    block = workload.block_at(2)
    assert block is not None
    assert block.time.tolist() == [0, 2, 2]
    assert block.service.tolist() == [3, np.inf, 1]
    assert [found.fraction(size) for size in block.size[:, 0]] == [Fraction(2, 3), Fraction(1, 7), Fraction(2, 3)]
    assert block.end == 3
    assert workload.block_at(3) is None
    assert found.values == tuple((int(size),) for size in block.size[:2, 0])
    assert found.probabilities == (Fraction(2, 3), Fraction(1, 3))
    assert found.arrival_rate == 1
    assert found.mean_service == 2
    assert found.warnings() == ()


def test_recorded_jobs_end() -> None:
    jobs = RecordedSlots(np.array([1.0]), np.array([[5]], np.int64), np.array([2.0]))
    assert jobs.block_at(0) is jobs.block_at(0)
    assert jobs.block_at(1) is None
    nothing = RecordedSlots(np.empty(0), np.empty((0, 1), np.int64), np.empty(0))
    assert nothing.block_at(0) is None


def test_a_trace_has_an_estimated_rate() -> None:
    trace = {"kind": "trace", "arrival_rate": 0.25}
    assert numbers(workload=trace).arrival_rate == Fraction(1, 4)
    assert numbers(workload={"kind": "trace"}).arrival_rate == 0
    with pytest.raises(ScenarioError, match="not been read"):
        numbers(workload=trace, jobs=[])
