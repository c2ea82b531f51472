"""Machine code made for a condition: what it finds of remainders is what NumPy finds, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from slotscope.model.jit import called_at
from slotscope.model.questions.block_code import BlockCode, block_code, block_table
from slotscope.model.questions.pairing import AND, EQUAL, KNOWN, NOT, OR, OTHER, OWN, REMAINDER
from slotscope.model.questions.remainders import BLOCK

WILD = (np.nan, np.inf, -np.inf, 0.0, -0.0, 5e-324, 1e-300, 1e300, 1.7e308)


def found_as_expected(divisor: tuple[int, int]) -> BlockCode:
    """Whether what a divisor leaves is the number expected, or both are missing."""
    found, expected = ((OWN, 0), divisor, (REMAINDER, 0)), ((OWN, 2),)
    both_missing = (*found, (KNOWN, 0), (NOT, 0), *expected, (KNOWN, 0), (NOT, 0), (AND, 0))
    return block_code((*found, *expected, (EQUAL, 0), *both_missing, (OR, 0)))


def drawn(draw: np.random.Generator) -> np.ndarray:
    """[BLOCK] numbers of one size or of many, whole ones, those of few bits, and wild ones among them."""
    numbers = draw.standard_normal(BLOCK) * 10.0 ** draw.integers(-3, 6)
    kind = draw.integers(0, 8)
    if kind == 0:
        return np.round(numbers)
    if kind == 1:
        return np.asarray(numbers * 10.0 ** draw.uniform(-20, 20, BLOCK))
    if kind == 2:
        return np.ldexp(np.round(draw.standard_normal(BLOCK) * 100), draw.integers(-60, 60, BLOCK))
    if kind == 3:
        numbers[draw.random(BLOCK) < 0.1] = draw.choice(WILD)
    return numbers


@pytest.mark.parametrize("same", [False, True])
def test_remainders_are_those_of_numpy(same: bool) -> None:
    """Of divisors of each thing's own, and of one of the event; near multiples and halves of them, too."""
    seed = np.random.SeedSequence().entropy
    print("seed", seed)
    draw = np.random.default_rng(seed)
    code = found_as_expected((OTHER, 0) if same else (OWN, 1))
    weight, true = np.ones(BLOCK), np.zeros(BLOCK, np.uint8)
    for turn in range(5000):
        number, divisor = drawn(draw), drawn(draw)
        with np.errstate(all="ignore"):
            if same:
                divisor[:] = divisor[0]
            if turn % 4 == 0:
                most = 10 ** int(draw.integers(1, 15))
                number = draw.integers(-most, most, BLOCK) / 2 * divisor
                number = np.nextafter(number, number + draw.integers(-1, 2, BLOCK))
            expected = np.mod(number, np.where(divisor == 0, np.nan, divisor))
        value = np.array([number, divisor, expected])
        table = block_table(value, divisor[:1, None].copy(), weight, true)
        count = called_at(code.address, table.ctypes.data, 0, 0)
        wrong = np.flatnonzero(true == 0)
        assert count == BLOCK, [(number[at].hex(), divisor[at].hex(), expected[at]) for at in wrong]
