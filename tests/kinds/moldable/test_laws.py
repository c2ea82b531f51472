"""Speed-ups and sizes of moldable jobs: each law has the form or the moments that it states."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import TypeAdapter
from scipy import stats

from slotscope.model.kinds.moldable.scenario.speedup import factors_of, first_fault
from slotscope.model.scenario.common import EmpiricalTimes, MixedErlang, Service
from slotscope.model.scenario.load import parse_scenario, scenario_text
from slotscope.model.scenario.streams import stream
from slotscope.model.scenario.workload import service_sampler
from tests.breaking import Place, changed
from tests.kinds.moldable.scenarios import GOOD, SUBLINEAR, law, opened, size

SPEEDUP: Place = ("classes", 0, "speedup")
SIZE: Place = ("classes", 0, "size")


@st.composite
def concave(draw: st.DrawFn) -> list[Fraction]:
    """A concave, increasing list with s_1 = 1."""
    drops = draw(st.lists(st.fractions(0, 1, max_denominator=20), max_size=12))
    steps, factors = [Fraction(1)], [Fraction(1)]
    for drop in drops:
        steps.append(steps[-1] * (1 - drop / 2))
        factors.append(factors[-1] + steps[-1])
    return factors


@given(concave())
def test_concave_lists_are_taken_as_they_are(factors: list[Fraction]) -> None:
    assume(all(len(str(factor)) <= 80 for factor in factors))
    scenario = opened(changed(SPEEDUP, [str(factor) for factor in factors], GOOD))
    assert scenario.speedup_of(0) == tuple(factors)
    assert first_fault(factors) == ""


@given(concave(), st.data())
def test_the_first_index_that_fails_is_named(factors: list[Fraction], data: st.DataObject) -> None:
    place = data.draw(st.integers(1, len(factors)))
    broken = [*factors[:place], factors[place - 1] + data.draw(st.sampled_from([0, -1, 2]))]
    broken += data.draw(st.lists(st.fractions(-5, 5), max_size=3))
    fault = first_fault(broken)
    assert f"s_{place + 1} " in fault
    assert not any(f"s_{i} " in fault for i in range(place + 2, len(broken) + 1))


@pytest.mark.parametrize(
    ("speedup", "factors"),
    [
        (law("linear", degree=3), (1, 2, 3)),
        (law("amdahl", parallel=1, degree=3), (1, 2, 3)),
        (law("amdahl", parallel="1/2", degree=3), (1, Fraction(4, 3), Fraction(3, 2))),
        (law("power", exponent=1, degree=3), (1, 2, 3)),
        (law("power", exponent="2/3", degree=1), (1,)),
    ],
)
def test_laws(speedup: dict[str, Any], factors: tuple[Fraction, ...]) -> None:
    assert opened(changed(SPEEDUP, speedup, GOOD)).speedup_of(0) == factors


def test_powers_that_are_rational_are_exact() -> None:
    found = opened(changed(SPEEDUP, law("power", exponent="2/3", degree=64), GOOD)).speedup_of(0)
    assert [found[7], found[26], found[63]] == [4, 9, 16]
    assert found[1] == pytest.approx(2 ** (2 / 3), rel=1e-15)


LAWS = st.one_of(
    st.builds(lambda p: law("amdahl", parallel=str(p)), st.fractions("1/1000", 1)),
    st.builds(
        lambda e: law("power", exponent=str(e)), st.fractions("1/1000000", "999999/1000000", max_denominator=10**6)
    ),
    st.just(law("linear")),
)


@given(LAWS, st.integers(1, 1000))
def test_laws_are_concave_and_at_most_linear(speedup: dict[str, Any], degree: int) -> None:
    data = changed(SPEEDUP, speedup | {"degree": degree}, changed("servers.count", 1000, GOOD))
    factors = opened(data).speedup_of(0)
    assert len(factors) == degree
    assert first_fault(factors) == ""
    assert all(factor <= i for i, factor in enumerate(factors, 1))


@pytest.mark.parametrize("exponent", ["1/1000000", "999999/1000000"])
def test_the_outermost_exponents_are_resolved(exponent: str) -> None:
    data = changed(SPEEDUP, law("power", exponent=exponent, degree=1000), changed("servers.count", 1000, GOOD))
    factors = factors_of(opened(data).classes[0].speedup)
    steps = [second - first for first, second in pairwise((Fraction(0), *factors))]
    assert all(first > second > 0 for first, second in pairwise(steps))


def test_text_in_a_form_is_a_list() -> None:
    assert opened(changed(SPEEDUP, "1, 1.8, 5/2", GOOD)).speedup_of(0)[2] == Fraction(5, 2)


def test_as_many_servers_as_a_job_can_use() -> None:
    assert opened(changed("servers.count", len(SUBLINEAR), GOOD)).classes[0].degree == 5


# Sizes.

_SERVICE: TypeAdapter[Any] = TypeAdapter(Service)

#: Law, mean and squared coefficient of variation.
SIZES: dict[str, tuple[dict[str, Any], Fraction, Fraction]] = {
    "the paper's mixture": (size("mixed-erlang", probabilities=[0.4, 0.6]), Fraction(1), Fraction(23, 32)),
    "two phases or four": (size("mixed-erlang", probabilities=[0, 0.5, 0, 0.5], mean=6), Fraction(6), Fraction(4, 9)),
    "one phase": (size("mixed-erlang", probabilities=1), Fraction(1), Fraction(1)),
    "three values": (size("empirical", values=[1, 2, 6]), Fraction(3), Fraction(14, 27)),
    "three values, scaled": (size("empirical", values=[1, 2, 6], mean=0.5), Fraction(1, 2), Fraction(14, 27)),
    "one value": (size("empirical", values=2.5), Fraction(5, 2), Fraction(0)),
}


@pytest.mark.parametrize("name", SIZES)
def test_means_and_variances_of_sizes(name: str) -> None:
    data, mean, variation = SIZES[name]
    found = _SERVICE.validate_python(data)
    assert found.mean == mean
    sample = service_sampler(found)(stream(21, "service"), 400_000)
    assert (sample > 0).all()
    error = sample.std() / len(sample) ** 0.5
    assert abs(sample.mean() - mean) <= 4 * error + 1e-12
    squares = (sample - float(mean)) ** 2
    error = squares.std() / len(sample) ** 0.5
    assert abs(squares.mean() - float(variation * mean**2)) <= 4 * error + 1e-12


def test_a_mixture_follows_its_law() -> None:
    mixture = _SERVICE.validate_python(size("mixed-erlang", probabilities=[0.4, 0.6], mean=2))
    assert isinstance(mixture, MixedErlang)
    parts = [(0.4, stats.erlang(1, scale=2 / 1.6)), (0.6, stats.erlang(2, scale=2 / 1.6))]
    sample = service_sampler(mixture)(stream(22, "service"), 20_000)
    fit = stats.kstest(sample, lambda s: sum(share * part.cdf(s) for share, part in parts))
    assert fit.pvalue > 1e-4


def test_values_are_equally_likely() -> None:
    listed = _SERVICE.validate_python(size("empirical", values=[3, 1, 3, 2]))
    assert isinstance(listed, EmpiricalTimes)
    sample = service_sampler(listed)(stream(23, "service"), 40_000)
    values, counts = np.unique(sample, return_counts=True)
    assert values.tolist() == pytest.approx([1, 2, 3])
    assert stats.chisquare(counts, [10_000, 10_000, 20_000]).pvalue > 1e-4


def test_the_mean_of_awkward_values_can_be_written() -> None:
    values = [f"1/{number}" for number in range(1001, 1400, 2)]
    data = changed(SIZE, size("empirical", values=values), GOOD)
    scenario = opened(data)
    exact = sum((Fraction(value) for value in values), Fraction(0)) / len(values)
    assert float(scenario.mean_of(0)) == pytest.approx(float(exact), rel=1e-14)
    assert parse_scenario(tomllib.loads(scenario_text(scenario))) == scenario
