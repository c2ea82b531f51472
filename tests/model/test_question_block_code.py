"""Machine code for a condition: its remainders are NumPy's, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from slotscope.model.jit import called_at
from slotscope.model.questions.block_code import block_code, block_table
from slotscope.model.questions.pairing import AND, EQUAL, KNOWN, LESS, NOT, OR, OTHER, OWN, REMAINDER
from slotscope.model.questions.remainders import BLOCK
from slotscope.model.questions.vector_text import MachineCode

WILD = (np.nan, np.inf, -np.inf, 0.0, -0.0, 5e-324, 1e-300, 1e300, 1.7e308)


def found_as_expected(divisor: tuple[int, int], inverse: int) -> MachineCode:
    """Whether a remainder equals the expected number, or both are missing."""
    found, expected = ((OWN, 0), divisor, (REMAINDER, inverse)), ((OWN, 2),)
    both_missing = (*found, (KNOWN, 0), (NOT, 0), *expected, (KNOWN, 0), (NOT, 0), (AND, 0))
    return block_code((*found, *expected, (EQUAL, 0), *both_missing, (OR, 0)))


def drawn(draw: np.random.Generator) -> np.ndarray:
    """[BLOCK] numbers of similar or very different size, integers, numbers of few bits, or some special values."""
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


@pytest.mark.parametrize(("same", "inverse"), [(False, 0), (True, 0), (False, 4)])
def test_remainders_are_those_of_numpy(same: bool, inverse: int) -> None:
    """For divisors of each thing, with or without their inverses, and of the event; also near multiples of them."""
    seed = np.random.SeedSequence().entropy
    print("seed", seed)
    draw = np.random.default_rng(seed)
    code = found_as_expected((OTHER, 0) if same else (OWN, 1), inverse)
    weight, true, latest = np.ones(BLOCK), np.zeros(BLOCK // 8, np.uint8), np.zeros(1, np.int64)
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
            over = 1 / np.where(divisor == 0, np.nan, divisor)
        value = np.array([number, divisor, expected, over])
        table = block_table(value, divisor[:1, None].copy(), weight, true, latest)
        count = called_at(code.address, table.ctypes.data, 0, BLOCK, 0, BLOCK)
        wrong = np.flatnonzero(np.unpackbits(true, bitorder="little") == 0)
        assert count == BLOCK, [(number[at].hex(), divisor[at].hex(), expected[at]) for at in wrong]


def test_no_block_is_looked_at_once_enough_are_found() -> None:
    """Things count by weight; bits mark the true ones in all blocks up to the one in which the count suffices."""
    seed = np.random.SeedSequence().entropy
    print("seed", seed)
    draw = np.random.default_rng(seed)
    code = block_code(((OWN, 0), (OTHER, 1), (LESS, 0)))
    for _ in range(500):
        blocks, events = int(draw.integers(1, 9)), 3
        value, others = draw.random((1, blocks * BLOCK)), draw.random((2, events)) ** draw.integers(1, 6)
        weight, true = draw.integers(0, 5, blocks * BLOCK).astype(float), np.zeros(blocks * BLOCK // 8, np.uint8)
        latest, event, begin = np.full(1, -1), int(draw.integers(events)), int(draw.integers(blocks))
        enough = int(draw.integers(1, 2 * BLOCK * blocks))
        expected = value[0, begin * BLOCK :] < others[1, event]
        counts = np.where(expected, weight[begin * BLOCK :], 0).reshape(-1, BLOCK).sum(axis=1).cumsum()
        stops = begin + int((counts >= enough).argmax()) if counts[-1] >= enough else blocks
        end = min(stops + 1, blocks)
        table = block_table(value, others, weight, true, latest)
        count = called_at(code.address, table.ctypes.data, begin * BLOCK, len(weight), event, enough)
        assert (count, latest[0]) == (counts[end - begin - 1], stops * BLOCK if stops < blocks else -1)
        bits = np.unpackbits(true, bitorder="little").astype(bool)
        assert (bits[begin * BLOCK : end * BLOCK] == expected[: (end - begin) * BLOCK]).all()
        assert not bits[: begin * BLOCK].any() and not bits[end * BLOCK :].any()
