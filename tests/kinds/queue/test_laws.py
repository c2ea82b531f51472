"""Laws of sizes and of service: samples follow them, and probabilities are exact."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pydantic import TypeAdapter
from scipy import stats

from slotscope.model.kinds.queue import sizes as laws
from slotscope.model.kinds.queue.scenario.distributions import AnySize, SlotService
from slotscope.model.kinds.queue.sizes import mean_slots, slot_sampler
from slotscope.model.kinds.queue.units import size_distribution
from slotscope.model.scenario.streams import stream

#: A fit with a lower p-value is rejected; seeds are fixed, so a test passes always or never.
LEAST_P = 1e-4

UNIFORM = {"distribution": "uniform", "low": 0.01, "high": 0.19}

# Sizes.

HALF_NORMAL = stats.truncnorm((0.05 - 0.3) / 0.2, (0.9 - 0.3) / 0.2, 0.3, 0.2)
TAIL = stats.truncnorm((0.5 - 0.1) / 0.1, (0.9 - 0.1) / 0.1, 0.1, 0.1)
SPREAD = float(np.log1p(2.0) ** 0.5)
LOGNORMAL = stats.lognorm(SPREAD, scale=0.3 / 3**0.5)

#: A law, and its distribution function on (low, high).
CONTINUOUS: dict[str, tuple[dict[str, Any], Any]] = {
    "uniform": (UNIFORM, stats.uniform(0.01, 0.18).cdf),
    "beta": ({"distribution": "beta", "a": 2, "b": 0.5, "low": 0.1, "high": 0.8}, stats.beta(2, 0.5, 0.1, 0.7).cdf),
    "normal": (
        {"distribution": "truncated-normal", "mean": 0.3, "deviation": 0.2, "low": 0.05, "high": 0.9},
        HALF_NORMAL.cdf,
    ),
    "normal tail": (
        {"distribution": "truncated-normal", "mean": 0.1, "deviation": 0.1, "low": 0.5, "high": 0.9},
        TAIL.cdf,
    ),
    "exponential": (
        {"distribution": "truncated-exponential", "mean": 0.3, "low": 0.1, "high": 0.7},
        stats.truncexpon(2, 0.1, 0.3).cdf,
    ),
    "lognormal": (
        {"distribution": "truncated-lognormal", "mean": 0.3, "squared_variation": 2, "high": 0.9},
        lambda x: LOGNORMAL.cdf(x) / LOGNORMAL.cdf(0.9),
    ),
    "lognormal tail": (
        {"distribution": "truncated-lognormal", "mean": 0.3, "squared_variation": 2, "low": 0.6, "high": 1},
        lambda x: (LOGNORMAL.cdf(x) - LOGNORMAL.cdf(0.6)) / (LOGNORMAL.cdf(1) - LOGNORMAL.cdf(0.6)),
    ),
    "mixture": (
        {
            "distribution": "mixture",
            "parts": [
                {"share": 0.25, "size": {"distribution": "uniform", "high": 0.5}},
                {"share": 0.75, "size": {"distribution": "uniform", "low": 0.25, "high": 0.75}},
            ],
        },
        lambda x: 0.25 * np.clip(2 * x, 0, 1) + 0.75 * np.clip(2 * x - 0.5, 0, 1),
    ),
}

GRID = 3 * 2**32 * 100  # units of a server of capacity 1; all bounds above are integers in it
_LAW: TypeAdapter[Any] = TypeAdapter(AnySize)


def law_of(law: dict[str, Any], grid: int = GRID) -> laws.AnySize:
    return size_distribution(_LAW.validate_python(law), {"size": Fraction(1, grid)})


def drawn(law: laws.AnySize, count: int) -> NDArray[np.int64]:
    return law.sample(stream(8, "sizes"), count)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_sizes_follow_their_law(name: str) -> None:
    data, function = CONTINUOUS[name]
    sample = drawn(law_of(data), 20_000)[:, 0] / GRID
    assert stats.kstest(sample, function).pvalue > LEAST_P


@pytest.mark.parametrize("name", CONTINUOUS)
def test_probabilities_are_those_of_the_law(name: str) -> None:
    data, function = CONTINUOUS[name]
    law = law_of(data)
    (low,), (high,) = law.smallest, law.largest
    cuts = [0, low - 1, *(low + (high - low) * part // 7 for part in range(1, 7)), high, GRID]
    for first, second in pairwise(cuts):
        below = [min(max(cut, low - 1), high) / GRID for cut in (first, second)]
        assert float(law.probability(first, second)) == pytest.approx(function(below[1]) - function(below[0]), abs=1e-9)
    assert law.probability(0, GRID) == 1
    assert law.probability(high, GRID) == 0
    assert law.probability(high, low) == 0
    assert law.atoms == ()


@pytest.mark.parametrize("name", CONTINUOUS)
def test_sizes_have_their_mean_and_stay_in_their_interval(name: str) -> None:
    law = law_of(CONTINUOUS[name][0])
    sample = drawn(law, 100_000)
    assert sample.shape == (100_000, 1)
    assert sample.dtype == np.int64
    assert sample.min() >= law.smallest[0] == law.least
    assert sample.max() <= law.largest[0]
    error = float(sample.std()) / len(sample) ** 0.5
    assert abs(float(sample.mean()) - float(law.mean())) < 4 * error


def test_a_uniform_law_is_exact() -> None:
    law = law_of(UNIFORM)
    assert law.probability(0, Fraction(GRID, 10)) == Fraction(1, 2)
    assert law.probability(Fraction(GRID, 7), Fraction(GRID, 6)) == Fraction(1, 42) / Fraction(18, 100)
    assert law.mean() == Fraction(GRID, 10)


def test_a_coarse_grid_is_met_at_both_ends() -> None:
    """On a grid of 8 points every point of (2, 8] is drawn, equally often, and no other."""
    sample = drawn(law_of({"distribution": "uniform", "low": "1/4", "high": 1}, 8), 30_000)[:, 0]
    observed = np.bincount(sample, minlength=9)
    assert observed[:3].sum() == 0
    assert stats.chisquare(observed[3:]).pvalue > LEAST_P
    beta = law_of({"distribution": "beta", "a": 2, "b": 1, "high": 1}, 8)
    observed = np.bincount(drawn(beta, 30_000)[:, 0], minlength=9)
    assert observed[0] == 0
    expected = [float(beta.probability(cell, cell + 1)) for cell in range(8)]
    assert expected[0] == pytest.approx(1 / 64)
    assert stats.chisquare(observed[1:], np.array(expected) * 30_000).pvalue > LEAST_P


def test_no_size_is_at_the_open_end() -> None:
    """With so small a shape floating point gives 0, but a size must still be above low."""
    law = law_of({"distribution": "beta", "a": 0.001, "b": 1, "low": 0.5, "high": 1})
    sample = drawn(law, 1000)
    assert sample.min() == law.smallest[0] == GRID // 2 + 1


def test_a_short_interval_of_an_exponential_law() -> None:
    law = law_of({"distribution": "truncated-exponential", "mean": 1000, "low": 0.5, "high": 0.51})
    assert float(law.mean()) == pytest.approx(0.505 * GRID, rel=1e-6)
    assert drawn(law, 1000).min() >= law.smallest[0]


DISCRETE = {"distribution": "discrete", "values": [0.2, "1/3", 0.5], "probabilities": [0.5, 0.1, 0.4]}
COUNTED = {"distribution": "empirical", "values": [0.5, 0.2, 0.5, "1/3"], "counts": [3, 5, 1, 1]}


@pytest.mark.parametrize("data", [DISCRETE, COUNTED])
def test_discrete_sizes_are_exact(data: dict[str, Any]) -> None:
    law = law_of(data, 30)
    shares = (Fraction(2, 5), Fraction(1, 10), Fraction(1, 2))
    assert law.atoms == tuple(zip(((15,), (10,), (6,)), shares, strict=True))
    assert (law.smallest, law.largest, law.least) == ((6,), (15,), 6)
    assert law.probability(0, 6) == Fraction(1, 2)
    assert law.probability(6, 15) == Fraction(1, 2)
    assert law.probability(6, Fraction(29, 2)) == Fraction(1, 10)
    assert law.probability(15, 30) == law.probability(9, 6) == 0
    assert law.mean() == 10
    observed = np.bincount(drawn(law, 20_000)[:, 0], minlength=16)[[15, 10, 6]]
    assert observed.sum() == 20_000
    assert stats.chisquare(observed, [8000, 2000, 10_000]).pvalue > LEAST_P


def test_a_value_without_probability_is_none() -> None:
    law = law_of(DISCRETE | {"probabilities": [0, 0.5, 0.5]}, 30)
    assert [value for value, _ in law.atoms] == [(15,), (10,)]
    assert law.least == 10


def test_a_mixture_of_discrete_laws_is_discrete() -> None:
    parts = [
        {"share": 0.5, "size": DISCRETE},
        {"share": 0.5, "size": DISCRETE | {"values": [0.2, 0.4, 0.5], "probabilities": ["1/4", "1/4", "1/2"]}},
    ]
    law = law_of({"distribution": "mixture", "parts": parts}, 30)
    assert dict(law.atoms) == {
        (15,): Fraction(9, 20),
        (12,): Fraction(1, 8),
        (10,): Fraction(1, 20),
        (6,): Fraction(3, 8),
    }
    assert law.mean() == Fraction(9, 20) * 15 + Fraction(12, 8) + Fraction(1, 2) + Fraction(18, 8)


def test_a_continuous_part_leaves_no_list_of_sizes() -> None:
    parts = [{"share": 0.5, "size": DISCRETE}, {"share": 0.5, "size": UNIFORM}]
    law = law_of({"distribution": "mixture", "parts": parts}, 300)
    assert law.atoms == ()
    assert law.probability(0, 60) == Fraction(3, 4)
    assert law.least == 4


# Service.

SERVICES: dict[str, dict[str, Any]] = {
    "geometric": {"distribution": "geometric", "mean": 7},
    "geometric, 1 slot": {"distribution": "geometric", "mean": 1},
    "geometric, long": {"distribution": "geometric", "mean": 12345.6},
    "fixed": {"distribution": "fixed", "slots": 5},
    "uniform": {"distribution": "uniform", "low": 2, "high": 9},
    "discrete": {"distribution": "discrete", "values": [1, 10], "probabilities": [0.9, 0.1]},
    "exponential": {"distribution": "exponential", "mean": 3},
    "exponential, short": {"distribution": "exponential", "mean": 0.2},
    "deterministic": {"distribution": "deterministic", "mean": 2.5},
    "erlang": {"distribution": "erlang", "phases": 4, "mean": 6},
    "hyper-exponential": {"distribution": "hyper-exponential", "mean": 9, "squared_variation": 5},
    "pareto": {"distribution": "pareto", "mean": 5, "shape": 3.5},
    "lognormal": {"distribution": "lognormal", "mean": 4, "squared_variation": 2},
}

_SERVICE: TypeAdapter[Any] = TypeAdapter(SlotService)


@pytest.mark.parametrize("name", SERVICES)
def test_services_are_whole_slots_and_have_their_mean(name: str) -> None:
    law = _SERVICE.validate_python(SERVICES[name])
    sample = slot_sampler(law)(stream(12, "service"), 200_000)
    assert (sample >= 1).all()
    assert (sample == np.floor(sample)).all()
    error = sample.std() / len(sample) ** 0.5
    assert abs(sample.mean() - float(mean_slots(law))) <= 4 * error


def test_geometric_service_begins_at_one_slot() -> None:
    law = _SERVICE.validate_python(SERVICES["geometric"])
    sample = slot_sampler(law)(stream(12, "service"), 50_000).astype(int)
    expected = stats.geom(1 / 7).pmf(np.arange(1, 20))
    expected[-1] = stats.geom(1 / 7).sf(18)
    observed = np.bincount(np.minimum(sample, 19), minlength=20)[1:]
    assert stats.chisquare(observed, expected * 50_000).pvalue > LEAST_P
    assert mean_slots(law) == 7


@pytest.mark.parametrize(
    ("name", "survival"),
    [
        ("exponential", stats.expon(scale=3).sf),
        ("exponential, short", stats.expon(scale=0.2).sf),
        ("erlang", stats.erlang(4, scale=1.5).sf),
        (
            "hyper-exponential",
            lambda s: sum(part * np.exp(-2 * part * s / 9) for part in (0.5 + 6**-0.5, 0.5 - 6**-0.5)),
        ),
        ("pareto", stats.pareto(3.5, scale=5 * 2.5 / 3.5).sf),
        ("lognormal", stats.lognorm(np.log(3) ** 0.5, scale=4 / 3**0.5).sf),
    ],
)
def test_means_of_rounded_services(name: str, survival: Any) -> None:
    """The mean of a service rounded up to slots is the sum of P(S > k) over k = 0, 1, ..."""
    mean = float(mean_slots(_SERVICE.validate_python(SERVICES[name])))
    assert mean == pytest.approx(survival(np.arange(2_000_000)).sum(), rel=1e-6)


def test_means_of_whole_services_are_exact() -> None:
    found = {name: mean_slots(_SERVICE.validate_python(SERVICES[name])) for name in SERVICES}
    assert found["geometric, long"] == Fraction("12345.6")
    assert found["uniform"] == Fraction(11, 2)
    assert found["discrete"] == Fraction(19, 10)
    assert found["fixed"] == 5
    assert found["deterministic"] == 3


def test_long_services_are_half_a_slot_longer() -> None:
    law = _SERVICE.validate_python({"distribution": "erlang", "phases": 2, "mean": 100_000})
    assert float(mean_slots(law)) == pytest.approx(100_000.5, rel=1e-8)
