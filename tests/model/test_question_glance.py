"""Glances at blocks of things: they hit every block with a thing that satisfies the condition, and few others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from slotscope.model.api import Session
from slotscope.model.jit import called_at
from slotscope.model.questions import counting
from slotscope.model.questions.asking import answers, make_ready
from slotscope.model.questions.glance_code import TOGETHER, glance_code, glance_table, known_of
from slotscope.model.questions.maybe import maybe, tree_of
from slotscope.model.questions.pairing import (
    ABS,
    ADD,
    AND,
    DIVIDE,
    EQUAL,
    KNOWN,
    LEAST,
    LESS,
    LESS_EQUAL,
    MORE,
    MORE_EQUAL,
    MOST,
    NEGATE,
    NOT,
    OR,
    OTHER,
    OWN,
    REMAINDER,
    SUBTRACT,
    TIMES,
    TURNS,
    UNEQUAL,
)
from slotscope.model.questions.remainders import BLOCK
from slotscope.model.questions.understanding import understood
from tests.model.reckoned import by_numpy

WILD = (np.nan, np.inf, -np.inf, 0.0, -0.0, 5e-324, -1e-310, 1e-300, 1e-150, -1e150, 1e300, 1.7e308)

COMPARISONS = (EQUAL, LESS, LESS_EQUAL, MORE, MORE_EQUAL)
COUNTED = (ADD, SUBTRACT, TIMES, DIVIDE, LEAST, MOST)

Steps = tuple[tuple[int, int], ...]


def drawn(draw: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers of similar or very different size, integers, numbers of few digits or bits, or some special values."""
    numbers = draw.standard_normal(shape) * 10.0 ** draw.integers(-2, 7)
    kind = draw.integers(0, 8)
    if kind <= 1:
        return np.round(numbers)
    if kind == 2:
        return np.round(numbers * 100) / 100
    if kind == 3:
        return np.ldexp(np.round(draw.standard_normal(shape) * 100), draw.integers(-40, 40, shape))
    if kind == 4:
        return np.asarray(numbers * 10.0 ** draw.uniform(-20, 20, shape))
    if kind == 5:
        return np.where(draw.random(shape) < 0.1, draw.choice(WILD, shape), numbers)
    if kind == 6:
        return np.full(shape, draw.choice(WILD))
    return numbers


def hits_and_truths(steps: Steps, value: np.ndarray, others: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """[events, blocks] which blocks are hit, and how many things of each satisfy the condition."""
    code = glance_code(steps)
    assert code is not None
    (_, things), events, known = value.shape, others.shape[1], known_of(value)
    told = np.zeros(things // BLOCK, np.int64)
    table, hit = glance_table(value, others, known, told), np.zeros((events, things // BLOCK), np.int64)
    for first in range(0, events, TOGETHER):
        last = min(first + TOGETHER, events)
        count = int(called_at(code.address, table.ctypes.data, 0, things, first, last))
        for event in range(first, last):
            hit[event, (told[:count] >> 8) // BLOCK] = told[:count] >> (event - first) & 1
    with np.errstate(all="ignore"):
        true = by_numpy(steps, value[:, None], others[:, :, None])
    return hit, np.broadcast_to(true, (events, things)).reshape(*hit.shape, BLOCK).sum(axis=2)


def none_passed_over(steps: Steps, value: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Assert that each block with a thing that satisfies the condition is hit.

    Returns the number of pairs of event and block, of those that are not hit, and of those with such a thing.
    """
    hit, truths = hits_and_truths(steps, value, others)
    assert (hit[truths > 0] == 1).all(), (steps, np.argwhere((truths > 0) & (hit == 0))[:3])
    return np.array([hit.size, (hit == 0).sum(), (truths > 0).sum()])


def number_steps(draw: np.random.Generator, depth: int) -> Steps:
    """A numeric expression over 3 values of the thing and 3 of the event."""
    kind = draw.integers(0, 8) if depth else 7
    if kind == 7:
        return ((int(draw.choice((OWN, OTHER))), int(draw.integers(3))),)
    if kind == 6:
        return (*number_steps(draw, depth - 1), (int(draw.choice((NEGATE, ABS))), 0))
    return (*number_steps(draw, depth - 1), *number_steps(draw, depth - 1), (int(draw.choice(COUNTED)), 0))


def remainder_steps(draw: np.random.Generator) -> Steps:
    """A remainder compared with a number of the event, in either order."""
    end, divisor = ((OTHER, 4),), ((OTHER, 3),)
    left = (*number_steps(draw, int(draw.integers(3))), *divisor, (REMAINDER, 0))
    one, other = (left, end) if draw.integers(2) else (end, left)
    return (*one, *other, (int(draw.choice(COMPARISONS)), 0))


#: The index of a thing's values divided by its own divisor: 1, then a factor.
INVERSE = 4


def own_remainder_steps(draw: np.random.Generator) -> tuple[Steps, Steps]:
    """A remainder by each thing's own divisor equal to a number, in either order; and the steps of its dividend."""
    product = [((OWN, int(draw.integers(3))),), ((OTHER, int(draw.integers(3))),)][:: int(draw.choice((-1, 1)))]
    number = (*product[0], *product[1], (TIMES, 0)) if draw.integers(2) else number_steps(draw, int(draw.integers(3)))
    end = ((OTHER, 4),) if draw.integers(2) else number_steps(draw, 1)
    left = (*number, (OWN, 3), (REMAINDER, INVERSE + 1))
    one, other = (left, end) if draw.integers(2) else (end, left)
    return (*one, *other, (EQUAL, 0)), number


def with_inverses(value: np.ndarray, steps: Steps) -> np.ndarray:
    """[6, things] the values [4, things], of which the last is the divisor, and 1 and a factor divided by it."""
    remainder = next(part for part in tree_of(steps).parts if part.step == REMAINDER)
    factor = next((part.of for part in remainder.parts[0].parts if part.step == OWN), 0)
    with np.errstate(all="ignore"):
        divisor = np.where(value[3] == 0, np.nan, value[3])
        return np.array([*value, 1 / divisor, value[factor] / divisor])


@pytest.mark.parametrize("wild", [False, True])
def test_no_block_is_passed_over_where_each_thing_has_its_divisor(wild: bool) -> None:
    """Compared with exact remainders and adjacent floats; the numbers are integers, of all sizes, or missing."""
    seed = np.random.SeedSequence().entropy
    print("seed", seed)
    draw = np.random.default_rng(seed)
    found = np.zeros(3, np.int64)
    for _ in range(120):
        steps, number = own_remainder_steps(draw)
        for _ in range(10):
            value = np.array([drawn(draw, (4 * BLOCK,)) for _ in range(4)])
            others = np.array([drawn(draw, (10,)) for _ in range(5)])
            if not wild:
                value[:3] = np.round(draw.uniform(-1e4, 1e4, (3, 4 * BLOCK)), draw.choice((0, 5)))
                others = np.round(draw.uniform(-1e4, 1e4, (5, 10)))
                value[3] = draw.choice((7.3, 431.7, -3.7, 97.0, 12345.0), 4 * BLOCK)
            value = with_inverses(value, steps)
            at = draw.integers(0, value.shape[1], others.shape[1])
            with np.errstate(all="ignore"):
                left = np.mod(by_numpy(number, value[:, at], others), np.where(value[3, at] == 0, np.nan, value[3, at]))
                others[4] = np.nextafter(left, left + draw.integers(-1, 2, left.shape))
            found += none_passed_over(steps, value, others)
    glanced, told, met = found
    assert told > glanced / 20, (told, glanced)
    assert met > glanced / 50, (met, glanced)


def condition_steps(draw: np.random.Generator, depth: int) -> Steps:
    """Conditions on remainders and on other numbers, combined."""
    kind = draw.integers(0, 8) if depth else draw.integers(5, 8)
    if kind <= 3:
        return (*condition_steps(draw, depth - 1), *condition_steps(draw, depth - 1), (int(draw.choice((AND, OR))), 0))
    if kind == 4:
        return (*condition_steps(draw, depth - 1), (NOT, 0))
    if kind == 5:
        sign = int(draw.choice((*COMPARISONS, UNEQUAL, TURNS)))
        return (*number_steps(draw, 1), *number_steps(draw, 1), (sign, 0))
    return remainder_steps(draw)


def found_ends(draw: np.random.Generator, steps: Steps, value: np.ndarray, others: np.ndarray) -> None:
    """Compare remainders with one of them or an adjacent float, or leave the number, which may be far from all."""
    if draw.integers(4) == 0:
        return
    with np.errstate(all="ignore"):
        product = value[0, draw.integers(0, value.shape[1], others.shape[1])] * others[0]
        left = np.mod(product, np.where(others[3] == 0, np.nan, others[3]))
        others[4] = np.nextafter(left, left + draw.integers(-1, 2, left.shape))


@pytest.mark.parametrize("single", [False, True])
def test_no_block_is_passed_over(single: bool) -> None:
    """If a thing satisfies the condition at an event, its block is hit, whatever the numbers are."""
    seed = np.random.SeedSequence().entropy
    print("seed", seed)
    draw = np.random.default_rng(seed)
    found = np.zeros(3, np.int64)
    for turn in range(300):
        product: Steps = ((OWN, 0), (OTHER, 0), (int(draw.choice((TIMES, DIVIDE))), 0))
        alone = (*product, (OTHER, 3), (REMAINDER, 0), (OTHER, 4), (int(draw.choice(COMPARISONS)), 0))
        steps = alone if single and turn % 2 else remainder_steps(draw) if single else condition_steps(draw, 3)
        if maybe(tree_of(steps)) is None:
            continue
        for _ in range(10):
            value = np.array([drawn(draw, (4 * BLOCK,)) for _ in range(3)])
            others = np.array([drawn(draw, (10,)) for _ in range(5)])
            if draw.integers(2):
                others[3] = draw.choice((1.0, 7.3, 0.25, -3.7, 97.0, 1e-3, 12345.0))
            found_ends(draw, steps, value, others)
            found += none_passed_over(steps, value, others)
    glanced, told, met = found
    assert told > glanced / 20, (told, glanced)
    assert met > glanced / 50, (met, glanced)


@pytest.mark.parametrize("whole", [False, True])
def test_quotients_are_as_exact_as_they_are_said_to_be(whole: bool) -> None:
    """Products close to the largest with a given number of fraction bits; integer products also when rounded."""
    seed = np.random.SeedSequence().entropy
    print("seed", seed)
    draw = np.random.default_rng(seed)
    product: Steps = ((OWN, 0), (OTHER, 0), (TIMES, 0), (OTHER, 3), (REMAINDER, 0), (OTHER, 4), (EQUAL, 0))
    for _ in range(150):
        value, others = draw.uniform(0.9, 1, (3, BLOCK)), draw.uniform(0.9, 1, (5, 200))
        bits = draw.integers(8, 40)
        if whole:
            value, others[0] = np.round(value * 10.0 ** draw.integers(5, 11)), np.round(others[0] * 1e7)
        most = value[0].max() * others[0]
        others[3] = most / (2.0**bits * draw.uniform(0.9, 0.99, 200))
        others[4] = np.mod(value[0, draw.integers(0, BLOCK, 200)] * others[0], others[3])
        hit, truths = hits_and_truths(product, value, others)
        assert truths.all()
        assert hit.all(), (bits, np.argwhere(hit == 0)[:3])


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("product", [False, True])
def test_quotients_of_own_divisors_are_as_exact_as_they_are_said_to_be(whole: bool, product: bool) -> None:
    """Products, and sums, close to the largest with a given number of fraction bits."""
    seed = np.random.SeedSequence().entropy
    print("seed", seed)
    draw = np.random.default_rng(seed)
    sign = TIMES if product else ADD
    steps: Steps = ((OWN, 0), (OTHER, 0), (sign, 0), (OWN, 3), (REMAINDER, INVERSE + 1), (OTHER, 4), (EQUAL, 0))
    for _ in range(150):
        value, others = draw.uniform(0.9, 1, (4, BLOCK)), draw.uniform(0.9, 1, (5, 200))
        bits = draw.integers(8, 40)
        if whole:
            value, others[0] = np.round(value * 10.0 ** draw.integers(5, 11)), np.round(others[0] * 1e7)
        most = by_numpy(steps[:3], [value[0].max()], [others[0].max()])
        value[3] = most / (2.0**bits * draw.uniform(0.9, 0.99, BLOCK))
        at = draw.integers(0, BLOCK, 200)
        others[4] = np.mod(by_numpy(steps[:3], value[:, at], others), value[3, at])
        hit, truths = hits_and_truths(steps, with_inverses(value, steps), others)
        assert truths.all()
        assert hit.all(), (bits, np.argwhere(hit == 0)[:3])


def few_of(steps: Steps, value: np.ndarray, others: np.ndarray) -> float:
    hit, truths = hits_and_truths(steps, value, others)
    assert not truths.any()
    return float(hit.mean())


@pytest.mark.parametrize("sign", COMPARISONS)
def test_few_blocks_are_hit_in_vain(sign: int) -> None:
    """Products of integers, and of numbers of any size."""
    seed = np.random.SeedSequence().entropy
    print("seed", seed)
    draw = np.random.default_rng(seed)
    product: Steps = ((OWN, 0), (OTHER, 0), (TIMES, 0), (OTHER, 3), (REMAINDER, 0))
    value, others = draw.uniform(0, 1e3, (3, 64 * BLOCK)), draw.uniform(0, 1e3, (5, 20))
    below = sign in (LESS, LESS_EQUAL)
    others[3], others[4] = 7.3, 1e-8 if below else 3.7 if sign == EQUAL else 7.3 - 1e-8
    assert few_of((*product, (OTHER, 4), (sign, 0)), value, others) < 0.01
    if sign == EQUAL:  # 1 in 73 is as near as the bits of a quotient of 2**37 can tell
        value, others[0] = np.round(value * 1e3), np.round(draw.uniform(5e5, 1e6, 20))
        assert few_of((*product, (OTHER, 4), (sign, 0)), value, others) < 0.05


def test_few_blocks_are_hit_in_vain_by_own_divisors() -> None:
    """Products of any size, integer ones with integer divisors, and differences."""
    seed = np.random.SeedSequence().entropy
    print("seed", seed)
    draw = np.random.default_rng(seed)
    value, others = draw.uniform(0, 1e3, (4, 64 * BLOCK)), draw.uniform(0, 1e3, (5, 20))
    value[3], others[4] = draw.uniform(5, 10, 64 * BLOCK), 3.7
    left: Steps = ((OWN, 3), (REMAINDER, INVERSE + 1), (OTHER, 4), (EQUAL, 0))
    for sign in (TIMES, SUBTRACT):
        steps: Steps = ((OTHER, 0), (OWN, 0), (sign, 0), *left)
        assert few_of(steps, with_inverses(value, steps), others) < 0.01
        numbers = np.round([value[0] * 1e3, *value[1:3], value[0] * 1e3 + 1])
        whole = np.array([np.round(others[0] * 1e3), *others[1:4], np.full(20, 7.5)])
        assert few_of(steps, with_inverses(numbers, steps), whole) < 0.01


def test_what_is_told_sooner() -> None:
    """What a glance can test: that a remainder is not near a number, and of *and* those terms that it can test."""
    near: Steps = ((OWN, 0), (OTHER, 0), (REMAINDER, 0), (OTHER, 1), (EQUAL, 0))
    other: Steps = ((OWN, 0), (OWN, 1), (REMAINDER, 0), (OTHER, 1), (EQUAL, 0))
    plain: Steps = ((OWN, 0), (OTHER, 1), (LESS, 0))

    def told(*steps: tuple[int, int]) -> Any:
        return maybe(tree_of(steps))

    assert told(*near) is not None
    assert told(*other) is None
    assert told(*near, (NOT, 0)) is None
    by_own: Steps = ((OWN, 0), (OTHER, 0), (TIMES, 0), (OWN, 1), (REMAINDER, 3))
    assert told(*by_own, (OTHER, 1), (EQUAL, 0)) == told(*by_own, (OTHER, 1), (EQUAL, 0), *other, (AND, 0)) is not None
    assert told(*by_own, (OTHER, 1), (LESS, 0)) is None
    assert told(*by_own, *by_own, (EQUAL, 0)) is None
    assert told(*other, (KNOWN, 0)) is None
    assert told(*near, *other, (AND, 0)) == told(*near)
    assert told(*near, *other, (OR, 0)) is None
    assert told(*plain, *other, (OR, 0), (NOT, 0)) == told(*plain, (NOT, 0))
    assert told(*plain, (NOT, 0), *near, (NOT, 0), (NOT, 0), (AND, 0)) == told(*plain, (NOT, 0), *near, (AND, 0))


OWN_DIVISORS = (
    "any job where (arrival * time) % (queue + 9973) = 11",
    "any job where (time * arrival) % (2 * queue + 30011) = 3 and queue > 2",
    "(count job where (time - arrival) % (queue + 997) = 5) > 1",
)


def test_questions_about_own_divisors_are_answered_the_same_by_glances(monkeypatch: pytest.MonkeyPatch) -> None:
    """With hundreds of waiting jobs."""
    session = Session.open("queues-vqs-unstable")
    questions = [understood(text, session.info.words) for text in OWN_DIVISORS]
    make_ready(session.bench, session.timeline, questions)
    desks, desk_for, answered = [], counting._desk_for, []
    monkeypatch.setattr(counting, "_desk_for", lambda *told: desks.append(desk_for(*told)) or desks[-1])
    for worth in (2**62, -1):
        monkeypatch.setattr(counting, "WORTH", worth)
        assert not any(desk.hits.any() for desk in desks)
        parts = answers(session.bench.system, session.timeline, questions, 0, 40_000)
        answered.append(np.concatenate([np.array(part.values) for part in parts], axis=1))
    assert any(desk.hits.any() for desk in desks)
    assert np.array_equal(*answered)
    assert answered[0].any(axis=1).all()
