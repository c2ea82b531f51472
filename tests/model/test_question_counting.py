"""For how many things a condition is true at each event: compiled code counts as NumPy does over all things."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from slotscope.model.jit import compiled
from slotscope.model.questions import counting, opened
from slotscope.model.questions.counting import MANY, ThingValues, counted_by_event
from slotscope.model.questions.operations import CALLED, COMPARED, COUNTED
from slotscope.model.questions.pairing import OTHER, OWN, STEPS, Pairing
from tests.model.reckoned import by_numpy

#: Numbers of each thing; a truth value follows them.
KINDS = 2

#: Binary operators and functions on numbers.
OF_TWO = (*COUNTED, *(name for name in CALLED if name in ("min", "max")))


def number_steps(draw: random.Random, depth: int) -> list[tuple[int, int]]:
    if depth == 0 or draw.random() < 0.5:
        return [(draw.choice((OWN, OWN, OTHER)), draw.randrange(KINDS))]
    if draw.random() < 0.2:
        return [*number_steps(draw, depth - 1), (STEPS[draw.choice(("negative", "abs"))], 0)]
    return [*number_steps(draw, depth - 1), *number_steps(draw, depth - 1), (STEPS[draw.choice(OF_TWO)], 0)]


def truth_steps(draw: random.Random, depth: int) -> list[tuple[int, int]]:
    if draw.random() < 0.1:
        return [*number_steps(draw, 2), (STEPS["known"], 0)]
    if draw.random() < 0.1:
        return [(OWN, KINDS)]
    if depth == 0 or draw.random() < 0.3:
        return [*number_steps(draw, 2), *number_steps(draw, 2), (STEPS[draw.choice([*COMPARED, "turns"])], 0)]
    if draw.random() < 0.25:
        return [*truth_steps(draw, depth - 1), (STEPS["not"], 0)]
    return [*truth_steps(draw, depth - 1), *truth_steps(draw, depth - 1), (STEPS[draw.choice(("and", "or"))], 0)]


@pytest.mark.parametrize("places", [1, 70, 2500, 40_000])
@pytest.mark.parametrize("turn", range(4))
def test_the_tree_counts_as_all_places_do(places: int, turn: int) -> None:
    compare_counts(places, turn)


@pytest.mark.parametrize("turn", range(4))
def test_a_few_things_are_seen_to_be_so_no_longer_than_they_are(turn: int) -> None:
    """With few things: whether any satisfies the condition is tried first on the one that did last."""
    for places in [1, 2, 3, 5] * 25:
        compare_counts(places, turn)


@pytest.mark.parametrize("turn", range(8))
def test_events_that_are_glanced_at_together_are_counted_as_one_by_one(
    turn: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Distinct numbers, integer or not, some missing; the condition on a remainder holds for few, many or none."""
    monkeypatch.setattr(counting, "WORTH", -1)
    desks, desk_for = [], counting._desk_for
    monkeypatch.setattr(counting, "_desk_for", lambda *told: desks.append(desk_for(*told)) or desks[-1])
    left = [(OWN, 0), (OTHER, 0), (STEPS["*"], 0), (OTHER, 2), (STEPS["%"], 0)]
    sign = STEPS[random.choice(("<", "<=", ">", ">=", "="))]
    steps = [*left, (OTHER, 3), (sign, 0)] if turn % 4 < 2 else [(OTHER, 3), *left, (sign, 0)]
    if turn >= 4:
        some = [(OWN, KINDS), (OTHER, 1), (OTHER, 3), (STEPS[">"], 0), (STEPS["and"], 0)]
        steps += [*some, (STEPS[random.choice(("and", "or"))], 0)]
    compare_counts(3000, turn % 4, steps)
    assert turn >= 3 or any(desk.hits.any() for desk in desks)


def counted_by_numpy(
    steps: list[tuple[int, int]], things: ThingValues, places: int, others: np.ndarray
) -> tuple[list[int], list[tuple[int, bool]]]:
    """Per event: how many satisfy it; and 1 more than do so of the changed ones, and whether any unchanged one does."""
    own, there, before, event, place = things
    value, present = np.full((len(own), places), np.nan), np.zeros(places, np.bool_)
    value[:, :before], present[:before] = own[:, :before], there[:before]
    expected, several = [], []
    with np.errstate(all="ignore"):
        for at in range(others.shape[1]):
            for change in np.flatnonzero(event == at):
                value[:, place[change]], present[place[change]] = own[:, before + change], there[before + change]
            so = (*value[:KINDS], value[KINDS] == 1)
            true = by_numpy(steps, so, others[:, at]) & present
            changed = np.unique(place[event == at])
            expected.append(int(true.sum()))
            several.append((1 + int(true[changed].sum()), bool(np.delete(true, changed).any())))
    return expected, several


def compare_counts(places: int, turn: int, given: list[tuple[int, int]] | None = None) -> None:
    """With places added during the events, missing, infinite and equal numbers; with *given* steps all are distinct."""
    seed = random.randrange(2**32)
    print("seed", seed, given)
    draw, numbers = random.Random(seed), np.random.default_rng(seed)
    steps, events, changes = given or truth_steps(draw, 3), 400 if given else 60, 200
    before, versions = places - places // 3, places - places // 3 + changes
    own = numbers.integers(-4, 9, (KINDS, versions)) / 4
    if given:
        own[0] = numbers.permutation(versions) + numbers.random(versions) * (turn % 2)
    if turn % 2:  # sorted by place, as a table's jobs are by arrival
        own[0].sort()
    own[numbers.random(own.shape) < 0.02 * turn] = np.nan
    if not given or turn == 3:
        own[numbers.random(own.shape) < 0.01 * turn] = draw.choice((np.inf, -np.inf))
    own = np.vstack([own, numbers.integers(0, 2, versions)])
    there = numbers.random(versions) < (0.9 if given else draw.choice((0.05, 0.9)))
    event, place = np.sort(numbers.integers(0, events, changes)), numbers.integers(0, places, changes)
    others = np.cumsum(numbers.integers(-1, 2, (KINDS, events)), axis=1) / 4
    others[numbers.random(others.shape) < 0.03 * turn] = draw.choice((np.nan, np.inf))
    if given:
        others[0] = numbers.integers(1, 10**6, events) + numbers.random(events) * (turn % 2)
        with np.errstate(invalid="ignore"):
            left = np.mod(own[0, numbers.integers(0, versions, events)] * others[0], 7.3)
        ends = np.where(numbers.random(events) < 0.5, left, numbers.choice([0, 1e-3, 3.7, 7.299, 10], events))
        others = np.vstack([others, np.full(events, 7.3), ends])
    things = ThingValues(own, there, before, event, place)
    expected, several = counted_by_numpy(steps, things, places, others)
    pairing, all_of_them = Pairing(tuple(steps), (), ()), np.full(events, MANY)
    assert counted_by_event(pairing, things, others, all_of_them).tolist() == expected
    found = counted_by_event(pairing, things, others, all_of_them // MANY)
    assert [each > 0 for each in found] == [each > 0 for each in expected]
    # Whether any thing that the event did not change satisfies it.
    enough = np.array([number for number, _ in several])
    found = counted_by_event(pairing, things, others, enough)
    assert [bool(each) for each in found >= enough] == [any_other for _, any_other in several]


def test_a_wild_number_is_looked_at_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Events are evaluated in parts, short enough that most have no event with an outlier, which opens all things."""
    events, wild = 4096, 1024
    looks = looks_counted(monkeypatch)
    others = np.arange(events)[None] % 97 - 200.0
    others[:, ::wild] = 500
    pairing = Pairing(((OWN, 0), (OTHER, 0), (STEPS[">="], 0)), (), ())
    found = counted_by_event(pairing, numbered(np.arange(1000.0)), others, np.full(events, MANY))
    assert found.tolist() == [1000 if number < 0 else 500 for number in others[0]]
    assert sum(looks) < 3 * events, sum(looks) / events


def test_nothing_is_looked_at_once_enough_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """For a value that changes with each event, as in ``max(job, event) changes``, events are decided one at a time."""
    events = 4000
    looks = looks_counted(monkeypatch)
    own = np.arange(1000.0)
    own[::2] = np.nan
    others = np.arange(2000.0, 2000 + events) - np.arange(2)[:, None]
    of_each = [((OWN, 0), (OTHER, which), (STEPS["max"], 0)) for which in range(2)]
    pairing = Pairing((*of_each[0], *of_each[1], (STEPS["!="], 0)), (), ())
    found = counted_by_event(pairing, numbered(own), others, np.ones(events, np.int64))
    assert (found >= 1).all()
    assert sum(looks) < 3 * events, sum(looks) / events


def test_no_length_is_learned_from_looks_that_told_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """If all things are open at each event, parts become long once each length was tried."""
    events, things, opened_ones = 1000, 1000, []
    looks_counted(monkeypatch)
    open_class = counting.open_class
    monkeypatch.setattr(counting, "open_class", lambda *told: opened_ones.append(told[-1]) or open_class(*told))
    numbers = np.random.default_rng()
    others = np.array([numbers.integers(10**5, 10**6, events) + 0.5, np.full(events, 7.3), np.full(events, 3.7)])
    steps = ((OWN, 0), (OTHER, 0), (STEPS["*"], 0), (OTHER, 1), (STEPS["%"], 0), (OTHER, 2), (STEPS["="], 0))
    counted_by_event(Pairing(steps, (), ()), numbered(np.arange(1.0, things + 1)), others, np.full(events, MANY))
    assert len(opened_ones) < 25 * things, len(opened_ones) / things


def numbered(own: np.ndarray) -> ThingValues:
    """Things with one number each, which no event changes."""
    none = np.zeros(0, np.int64)
    return ThingValues(own[None], np.ones(len(own), np.bool_), len(own), none, none)


def looks_counted(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A list to which the uncompiled code that counts by parts appends the cost of each evaluation."""
    looks: list[float] = []

    judge, look_at = counting.judge, opened.look_at

    def judging(*told: Any) -> int:
        looks.append(1)
        return judge(*told)

    def looking(desk: Any, *told: Any) -> float:
        before = desk.count[opened.LOOKS_AT_BLOCKS]
        found = look_at(desk, *told)
        looks.append(counting.LOOKS_OF_A_BLOCK * (desk.count[opened.LOOKS_AT_BLOCKS] - before))
        return found

    monkeypatch.setattr(counting, "judge", judging)
    monkeypatch.setattr(opened, "look_at", looking)
    monkeypatch.setattr(counting, "compiled", lambda code: code if code is counting.count_by_parts else compiled(code))
    return looks
