"""Workloads: their distributions, blocks that are reproducible, streams that are independent."""

from __future__ import annotations

import weakref
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from slotscope.model.scenario.common import Deterministic, Erlang, Exponential, HyperExponential, LogNormal, Pareto
from slotscope.model.scenario.streams import BlockStreams, drawn_classes, stream
from slotscope.model.scenario.workload import (
    BLOCK,
    ContinuedWorkload,
    JobBlock,
    PoissonWorkload,
    RecentBlocks,
    RecordedWorkload,
    Service,
    service_sampler,
)

#: The p-value below which a fit is rejected; the seeds are fixed, so a test passes always or never.
LEAST_P = 1e-4

LAWS: dict[str, Service] = {
    "exponential": Exponential(mean=Fraction(3, 2)),
    "deterministic": Deterministic(distribution="deterministic", mean=Fraction(2)),
    "erlang": Erlang(distribution="erlang", phases=4, mean=Fraction(3)),
    "hyper-exponential": HyperExponential(
        distribution="hyper-exponential", squared_variation=Fraction(6), mean=Fraction(2)
    ),
    "hardly hyper-exponential": HyperExponential(distribution="hyper-exponential", squared_variation=Fraction(1)),
    "pareto": Pareto(distribution="pareto", shape=Fraction(5, 2), mean=Fraction(2)),
    "lognormal": LogNormal(distribution="lognormal", squared_variation=Fraction(2), mean=Fraction(1, 2)),
}


#: The first numbers of two streams under seed 1.
ARRIVALS = [218, 824, 973, 203, 559]
POLICY = [328, 167, 603, 189, 993]


def _hyper_exponential(mean: float, variation: float) -> Any:
    """The distribution function of a mixture of two exponentials with balanced means."""
    often = (1 + ((variation - 1) / (variation + 1)) ** 0.5) / 2

    def function(value: Any) -> Any:
        parts = [(often, mean / (2 * often)), (1 - often, mean / (2 * (1 - often)))]
        return sum(share * -np.expm1(-value / each) for share, each in parts)

    return function


FUNCTIONS: dict[str, Any] = {
    "exponential": stats.expon(scale=1.5).cdf,
    "erlang": stats.erlang(4, scale=0.75).cdf,
    "hyper-exponential": _hyper_exponential(2.0, 6.0),
    "hardly hyper-exponential": stats.expon().cdf,
    "pareto": stats.pareto(2.5, scale=2 * 1.5 / 2.5).cdf,
    "lognormal": stats.lognorm(np.log(3) ** 0.5, scale=0.5 / 3**0.5).cdf,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_services_follow_their_law(name: str) -> None:
    sample = service_sampler(LAWS[name])(stream(11, "service"), 20_000)
    assert stats.kstest(sample, FUNCTIONS[name]).pvalue > LEAST_P


@pytest.mark.parametrize("name", LAWS)
def test_services_have_their_mean(name: str) -> None:
    law = LAWS[name]
    sample = service_sampler(law)(stream(12, "service"), 200_000)
    assert (sample > 0).all()
    error = sample.std() / len(sample) ** 0.5
    assert abs(sample.mean() - float(law.mean)) <= 4 * error


@pytest.mark.parametrize(
    ("name", "squared_variation"),
    [("deterministic", 0.0), ("exponential", 1.0), ("erlang", 0.25), ("hyper-exponential", 6.0), ("lognormal", 2.0)],
)
def test_services_vary_as_they_should(name: str, squared_variation: float) -> None:
    sample = service_sampler(LAWS[name])(stream(13, "service"), 400_000)
    found = sample.var() / sample.mean() ** 2
    assert found == pytest.approx(squared_variation, rel=0.06, abs=1e-12)


RATES = (3.0, 0.0, 1.0, 4.0)


def poisson(seed: int = 5, **changes: Any) -> PoissonWorkload:
    arguments = {"rates": RATES, "distributions": [LAWS["exponential"]] * 4, "seed": seed} | changes
    return PoissonWorkload(**arguments)


def blocks(workload: PoissonWorkload, count: int) -> JobBlock:
    """The first blocks, joined."""
    parts = []
    for n in range(count):
        part = workload.block_at(n * BLOCK)
        assert part is not None
        parts.append(part)
    return JobBlock(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def test_gaps_are_exponential() -> None:
    gaps = np.diff(blocks(poisson(), 2).time, prepend=0.0)
    assert stats.kstest(gaps, stats.expon(scale=1 / sum(RATES)).cdf).pvalue > LEAST_P


def test_counts_in_equal_stretches_are_poisson() -> None:
    """Chi-square test of the numbers of arrivals in stretches of time, and of the independence of two of them."""
    time = blocks(poisson(7), 3).time
    length = 1.0
    counts = np.bincount((time / length).astype(int))[:-1]
    law = stats.poisson(sum(RATES) * length)
    classes = np.arange(2, 16)
    observed = np.bincount(np.clip(counts, 2, 15) - 2, minlength=len(classes))
    expected = law.pmf(classes)
    expected[0], expected[-1] = law.cdf(2), law.sf(14)
    assert stats.chisquare(observed, expected * len(counts)).pvalue > LEAST_P
    assert stats.pearsonr(counts[:-1], counts[1:]).pvalue > LEAST_P


def test_types_have_their_shares() -> None:
    job_type = blocks(poisson(), 3).type
    observed = np.bincount(job_type, minlength=4)
    assert observed[1] == 0
    kept = [0, 2, 3]
    expected = np.array(RATES)[kept] / sum(RATES) * len(job_type)
    assert stats.chisquare(observed[kept], expected).pvalue > LEAST_P


@pytest.mark.parametrize("classes", [1, 2, 5, 101, 102, 300])
def test_classes_are_where_each_number_lies_among_their_bounds(classes: int) -> None:
    """A number equal to a bound belongs to the class above it; classes of share 0 are never drawn."""
    numbers = stream(1, "types").random(1000)
    for below in (np.sort(numbers[: classes - 1]), np.full(classes - 1, numbers[0]), np.cumsum(numbers[1:classes])):
        drawn = drawn_classes(stream(1, "types"), below, len(numbers))
        assert drawn.dtype == np.int64
        assert drawn.tolist() == [sum(bound <= number for bound in below.tolist()) for number in numbers.tolist()]


def test_types_do_not_depend_on_one_another_or_on_gaps() -> None:
    block = blocks(poisson(), 3)
    table = np.zeros((4, 4))
    np.add.at(table, (block.type[:-1], block.type[1:]), 1)
    table = table[[0, 2, 3]][:, [0, 2, 3]]
    assert stats.chi2_contingency(table).pvalue > LEAST_P
    gaps = np.diff(block.time, prepend=0.0)
    assert stats.kruskal(*(gaps[block.type == j] for j in (0, 2, 3))).pvalue > LEAST_P


def test_services_do_not_depend_on_gaps_or_order() -> None:
    block = blocks(poisson(), 2)
    gaps = np.diff(block.time, prepend=0.0)
    assert stats.spearmanr(block.service, gaps).pvalue > LEAST_P
    assert stats.spearmanr(block.service[:-1], block.service[1:]).pvalue > LEAST_P


def same(first: JobBlock | None, second: JobBlock | None) -> bool:
    assert first is not None
    assert second is not None
    return all(np.array_equal(mine, theirs) for mine, theirs in zip(first, second, strict=True))


@given(st.permutations(range(7)), st.integers(0, 100))
@settings(max_examples=10)
def test_blocks_come_again_in_any_order(order: list[int], seed: int) -> None:
    straight = poisson(seed)
    known = [straight.block_at(n * BLOCK) for n in range(7)]
    other = poisson(seed)
    for n in order:
        assert same(other.block_at(n * BLOCK + 17), known[n])


def test_a_forgotten_block_comes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("slotscope.model.scenario.workload.KEPT_BLOCKS", 2)
    workload = poisson()
    first = workload.block_at(0)
    for n in range(1, 6):
        workload.block_at(n * BLOCK)
    again = workload.block_at(0)
    assert again is not first
    assert same(first, again)


@given(st.integers(0, 30 * BLOCK))
@settings(max_examples=20)
def test_a_block_holds_the_arrival_asked_for(arrival: int) -> None:
    block = poisson().block_at(arrival)
    assert block is not None
    assert int(block.first[0]) <= arrival < block.end


def test_time_never_runs_back() -> None:
    time = blocks(poisson(3), 4).time
    assert time[0] > 0
    assert (np.diff(time) >= 0).all()


def test_other_laws_leave_arrivals_and_types_alone() -> None:
    laws = [LAWS["exponential"], LAWS["pareto"], LAWS["exponential"], LAWS["lognormal"]]
    first, second = blocks(poisson(), 2), blocks(poisson(distributions=laws), 2)
    assert np.array_equal(first.time, second.time)
    assert np.array_equal(first.type, second.type)
    untouched = np.isin(first.type, [0, 2])
    assert np.array_equal(first.service[untouched], second.service[untouched])
    assert not (first.service == second.service)[~untouched].any()


def test_seeds_branches_and_purposes_have_streams_of_their_own() -> None:
    draws = {
        tuple(stream(seed, name, *place).random(3))
        for seed in (0, 1, 2)
        for name in ("arrivals", "types", "service", "initial", "policy")
        for place in ((), (0,), (1,), (0, 0), (0, 1), (1, 0))
    }
    assert len(draws) == 3 * 5 * 6


def test_a_stream_is_the_same_on_every_machine() -> None:
    """First numbers of two streams; if these change, no run can be reproduced any more."""
    assert stream(1, "arrivals", 0).integers(0, 1000, 5).tolist() == ARRIVALS
    assert stream(1, "policy").integers(0, 1000, 5).tolist() == POLICY


@given(
    seed=st.integers(0, 2**150),
    position=st.lists(st.integers(0, 2**70), max_size=3),
    blocks=st.lists(st.one_of(st.integers(0, 70), st.integers(2**32 - 2, 2**32 + 2)), min_size=1, max_size=4),
)
def test_streams_of_blocks_are_those_of_any_place(seed: int, position: list[int], blocks: list[int]) -> None:
    *run, name = (*position, 0) if position else (0,)
    streams = BlockStreams(seed, *run)
    for block in blocks:
        found, wanted = streams("arrivals", name, block), stream(seed, "arrivals", *run, name, block)
        assert found.bit_generator.state == wanted.bit_generator.state


def test_a_fork_has_arrivals_of_its_own_after_the_fork() -> None:
    first = poisson().block_at(0)
    forked = poisson(start=12.5, branch=40).block_at(0)
    assert first is not None
    assert forked is not None
    assert forked.time[0] > 12.5
    assert not np.isin(np.diff(forked.time), np.diff(first.time)).any()
    continued = ContinuedWorkload(poisson(start=12.5, branch=40), 100).block_at(100)
    assert continued is not None
    assert continued.first.tolist() == [100]
    assert np.array_equal(continued.time, forked.time)
    later = ContinuedWorkload(poisson(), 100).block_at(100 + BLOCK)
    assert later is not None
    assert later.first.tolist() == [100 + BLOCK]


def test_what_comes_before_a_fork_meets_its_first_block() -> None:
    """As for a kernel that is prepared with the state before the first event."""
    continued = ContinuedWorkload(poisson(), 100)
    for arrival in (0, 99):
        before = continued.block_at(arrival)
        assert before is not None and before.first.tolist() == [100]


def test_nothing_arrives_at_rate_0() -> None:
    assert PoissonWorkload([0.0, 0.0], [LAWS["exponential"]] * 2, 1).block_at(0) is None


def test_a_recorded_workload_ends() -> None:
    workload = RecordedWorkload(np.array([1.0, 2.0]), np.array([0, 1], np.int32), np.array([1.0, np.inf]))
    block = workload.block_at(1)
    assert block is not None
    assert block.end == 2
    assert workload.block_at(2) is None
    assert RecordedWorkload(np.empty(0), np.empty(0, np.int32), np.empty(0)).block_at(0) is None


def test_blocks_go_with_their_workload() -> None:
    """A reference cycle would keep them until the collector runs, which is rare in the window."""
    workload = PoissonWorkload([1.0], [Exponential()], seed=1)
    first = weakref.ref(workload.block_at(0).time)
    assert first() is not None
    del workload
    assert first() is None


def test_recent_blocks_are_kept_and_others_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("slotscope.model.scenario.workload.KEPT_BLOCKS", 2)
    made: list[int] = []
    recent: RecentBlocks[int] = RecentBlocks()

    def make(position: int) -> int:
        made.append(position)
        return position

    assert [recent.at(position, make) for position in (0, 1, 0, 2, 0, 1)] == [0, 1, 0, 2, 0, 1]
    assert made == [0, 1, 2, 1]
