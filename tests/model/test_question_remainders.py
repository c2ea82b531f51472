"""Remainders computed by multiplication equal NumPy's, to the last bit."""

from __future__ import annotations

import random

import numpy as np
import pytest

from slotscope.model.questions.counting import prepare_counting
from slotscope.model.questions.remainders import BLOCK, FEW, remainders

#: Numbers for which rounding is likely to go wrong.
ODD = (0.0, -0.0, 1.0, -1.0, 0.1, 0.3, 5e-324, 1e-160, 1e160, 1e308, np.inf, -np.inf, np.nan, 2.0**53, 2.0**-1074 * 3)

COUNT = 40 * BLOCK + 7


def drawn(numbers: np.random.Generator, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Random numbers and divisors."""
    sign, other = numbers.choice((-1.0, 1.0), (2, COUNT))
    match kind:
        case "whole":
            return numbers.integers(-20_000, 20_000, COUNT) * 1.0, numbers.integers(-9, 9, COUNT) * 1.0
        case "broken":
            return sign * numbers.random(COUNT) * 1000, other * numbers.random(COUNT) * 10
        case "of any size":
            return sign * 10 ** numbers.uniform(-300, 300, COUNT), other * 10 ** numbers.uniform(-300, 300, COUNT)
        case "multiples":
            divisor = other * numbers.random(COUNT) * 7
            number = divisor * numbers.integers(0, 10**6, COUNT)
            return np.nextafter(number, number + numbers.integers(-1, 2, COUNT)), divisor
    return numbers.choice(ODD, COUNT), numbers.choice(ODD, COUNT)


@pytest.mark.parametrize("kind", ["whole", "broken", "of any size", "multiples", "odd"])
def test_they_are_those_of_numpy(kind: str) -> None:
    prepare_counting(by_event=False)
    seed = random.randrange(2**32)
    print("seed", seed)
    number, divisor = drawn(np.random.default_rng(seed), kind)
    with np.errstate(all="ignore"):
        expected = np.mod(number, np.where(divisor == 0, np.nan, divisor))
    assert np.array_equal(remainders(number, divisor), expected, equal_nan=True)


@pytest.mark.parametrize("count", [1, FEW, FEW + BLOCK])
def test_one_divisor_is_of_all_numbers(count: int) -> None:
    prepare_counting(by_event=False)
    number = np.arange(count)
    assert remainders(number, np.asarray(7.0)).tolist() == [at % 7 for at in range(count)]
    assert np.isnan(remainders(number, np.asarray(0))).all()
    assert number.tolist() == list(range(count))
