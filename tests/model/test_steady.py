"""The end of a run's warm-up, estimated from the run itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotscope.model.measures.steady import STRETCHES, steady_from


def noise(seed: int, correlation: float = 0.3, count: int = STRETCHES) -> np.ndarray:
    """Values of an autoregressive process, with a standard deviation of about 1."""
    drawn = np.random.default_rng(seed).normal(size=count)
    values = np.zeros(count)
    for place in range(1, count):
        values[place] = correlation * values[place - 1] + drawn[place]
    return values


def filling(share: float) -> np.ndarray:
    """Exponential approach from 0 to 100; the time constant is *share* of the run."""
    return 100 * (1 - np.exp(-np.arange(STRETCHES) / (share * STRETCHES)))


@pytest.mark.parametrize("seed", range(5))
def test_the_beginning_is_cut_off_where_it_ends(seed: int) -> None:
    found = steady_from(filling(0.03) + noise(seed))
    assert found is not None
    assert 6 <= found <= 50  # after 6 stretches an eighth of the transient is left


@pytest.mark.parametrize("share", [0.3, 1.0, 10.0])
@pytest.mark.parametrize("seed", range(5))
def test_a_run_that_fills_up_is_not_steady(seed: int, share: float) -> None:
    assert steady_from(filling(share) + noise(seed)) is None


def test_a_run_that_starts_in_its_steady_state_keeps_nearly_all() -> None:
    found = [steady_from(50 + noise(seed)) for seed in range(40)]
    kept = [one for one in found if one is not None]
    assert len(kept) >= 36
    assert np.median(kept) <= 10


def test_where_nothing_has_happened_nothing_is_known() -> None:
    assert steady_from(np.zeros(STRETCHES)) is None
    assert steady_from(np.full(STRETCHES, 7.0)) is None
    assert steady_from(noise(1, count=10)) is None


@given(st.integers(0, 50), st.floats(1e-6, 1e6), st.floats(-1e3, 1e3))
def test_units_and_a_constant_change_nothing(seed: int, factor: float, constant: float) -> None:
    values = filling(0.05) + noise(seed)
    assert steady_from(factor * (values + constant)) == steady_from(values)


def test_the_rule_is_that_of_the_paper() -> None:
    """Each cut evaluated separately, the slow way."""
    values = filling(0.08) + noise(3)
    errors = [np.var(values[start:]) / len(values[start:]) for start in range(STRETCHES - 4)]
    assert steady_from(values) == int(np.argmin(errors))
