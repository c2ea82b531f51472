"""Of how many things a condition is true that depends on the event, too, event by event in compiled code.

Things of which the same is read are one class.  Where few events differ in what the condition reads of them, it is
looked at once for each class and each such event.  Otherwise some events are looked at together: from the ends
between which their numbers lie, and those of a block of classes, then of each class, most are known to be all true or
all false.  Sums of the ends of intervals are rounded as those of all between them, so that this is exact.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import at_hand, compiled, jitable, unsigned
from slotscope.model.questions.alike import alike, tell_apart
from slotscope.model.questions.pairing import ABS, KNOWN, NEGATE, NOT, OTHER, OWN, Pairing
from slotscope.model.questions.reckoning import change, change_numbers, join, join_numbers
from slotscope.model.questions.remainders import BLOCK, find_remainders

Array = Any

#: More things than there are: all are counted.
MANY = 2**62

#: Kinds of events at most with which each class is looked at, and how many such looks an event may cost.
MOST_KINDS, MOST_LOOKS = 64, 64

#: Events are looked at together in parts of 1, 2, 4 ... of them, of so many lengths; how much of what a length has cost
#: is kept while others are used, and how much a new part counts.
LENGTHS, KEPT, TAKEN = 13, 0.99, 0.125

#: Looks at intervals in the time in which numbers of a block are looked at.
LOOKS_OF_A_BLOCK = 4

# What is known of a block, or class, for some events: false or true at each, else its place among those that are open.
FALSE, TRUE, OPEN = -2, -1, 0

# What is counted on the desk: classes that are open; the block of those that was enough last; looks at intervals and at
# blocks.
OPENED, LATEST, LOOKS, LOOKS_AT_BLOCKS = range(4)


class ThingValues(NamedTuple):
    """What is read of things: as they were before the first event, and as each event left those that it changed."""

    own: NDArray[np.float64]  #: [k, versions] those before the first event, by their places, then those of the changes
    there: NDArray[np.bool_]  #: [versions] whether there is a thing
    places: int  #: before the first event
    event: NDArray[np.int64]  #: [m] of each change, in order
    place: NDArray[np.int64]  #: [m]


class _Changes(NamedTuple):
    """From event to event, which things become of another class."""

    event: Array  #: [m]
    place: Array  #: [m]
    kind: Array  #: [m] the class from then on; -1: no thing
    standing: Array  #: [places] the class of each now
    enough: Array  #: [events] more need not be counted


class _Ends(NamedTuple):
    """Between what numbers lie; none of them is there: these are missing."""

    low: Array  #: [k, n]
    high: Array  #: [k, n]
    missing: Array  #: [k, n] whether one may be missing


class _Blocks(NamedTuple):
    """Blocks of classes, or blocks of such blocks."""

    ends: _Ends  #: [k, blocks]
    things: Array  #: [blocks] in each
    changes: Array  #: [blocks] the last part in which things come to it
    known: Array  #: [blocks] of the present part


class _Classes(NamedTuple):
    """Classes, in blocks, and these in blocks, too."""

    own: _Ends  #: [k, classes] both are its own numbers
    weight: Array  #: [classes] things in each
    slot: Array  #: [classes] what is known of each in the present part, of those in a block that is open
    blocks: _Blocks
    upper: _Blocks


class _Desk(NamedTuple):
    """Where compiled code works."""

    steps: Array  #: [steps, 2]
    low: Array  #: [depth] of intervals
    high: Array  #: [depth]
    missing: Array  #: [depth] whether a number may be missing
    block: Array  #: [depth, BLOCK] numbers and truths of a block
    others: Array  #: [3, j] of the values of some events the least, the most, and 1 where one may be missing
    open: Array  #: [k, classes] numbers of those classes that are open
    weight: Array  #: [classes] things in those
    count: Array  #: [4] see :data:`OPENED`
    counts: Array  #: [MOST_KINDS] of each kind of events
    costs: Array  #: [LENGTHS] of an event, in looks at intervals


def code_is_at_hand(by_event: bool) -> bool:
    """Whether the compiled code can be called at once: all of it, or that for what does not depend on the event."""
    mine = (count_by_parts, count_by_kinds, tell_apart) if by_event else ()
    return all(at_hand(compiled(one)) for one in (count_truths, find_remainders, *mine))


def prepare_counting(by_event: bool = True) -> None:
    """Compile the code, or load it from the cache, now rather than where something is counted."""
    none, numbers = np.zeros(0, np.int64), np.zeros(0)
    counted_truths(np.zeros(0, np.bool_), 0, none, none, 0)
    compiled(find_remainders)(numbers, numbers)
    if not by_event:
        return
    things = ThingValues(np.zeros((0, 0)), np.zeros(0, np.bool_), 0, none, none)
    pairing = Pairing(((OTHER, 0),), (), ())
    counted_by_event(pairing, things, np.zeros((1, 0)), none)
    counted_by_event(pairing, things, np.arange(1.0 + MOST_KINDS)[None], np.zeros(1 + MOST_KINDS, np.int64))


def counted_truths(
    true: NDArray[Any], places: int, event: NDArray[np.int64], place: NDArray[np.int64], events: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """[events] of how many things that an event changed something is true then, and of how many in all.

    *true* [versions] is of things as :class:`ThingValues` has them.
    """
    standing = np.zeros(int(max(places, place.max(initial=-1) + 1)), np.bool_)
    standing[:places] = true[:places]
    found = np.zeros((2, events), np.int64)
    told = np.array(true[places:], np.bool_), np.ascontiguousarray(event), np.ascontiguousarray(place)
    compiled(count_truths)(*told, standing, found)
    return found[0], found[1]


def count_truths(true: Array, event: Array, place: Array, standing: Array, found: Array) -> None:
    """From event to event, with what is true of the things *standing* [places] as they are."""
    count, change = 0, 0
    for at in range(len(standing)):
        count += standing[unsigned(at)]
    for at in range(found.shape[1]):
        while change < len(event) and event[unsigned(change)] == at:
            now, where = true[unsigned(change)], unsigned(place[unsigned(change)])
            found[0, unsigned(at)] += now
            count += now - standing[where]
            standing[where] = now
            change += 1
        found[1, unsigned(at)] = count


def counted_by_event(
    pairing: Pairing, things: ThingValues, others: NDArray[np.float64], enough: NDArray[np.int64]
) -> NDArray[np.int64]:
    """[events] of how many things a condition is true, with the values [j, events] of the events.

    Where so many are *enough*, it may be less than that are, and no less than enough.
    """
    events, total = others.shape[1], int(max(things.places, things.place.max(initial=-1) + 1))
    found, mine = np.zeros(events, np.int64), alike(things.own, things.there, len(things.there))
    assert mine is not None
    standing = np.full(total, -1)
    standing[: things.places] = mine.kind[: things.places]
    event, place = np.ascontiguousarray(things.event), np.ascontiguousarray(things.place)
    changes = _Changes(event, place, mine.kind[things.places :], standing, np.array(enough, np.int64))
    weight = np.bincount(standing[standing >= 0], minlength=mine.value.shape[1]).astype(float)
    desk = _desk_for(pairing, mine.value, others)
    apart = alike(others, np.ones(events, np.bool_), min(MOST_KINDS, MOST_LOOKS * events // max(mine.classes, 1)))
    if apart is not None:
        true = np.empty((mine.value.shape[1], apart.classes), np.uint8)
        compiled(count_by_kinds)(desk, mine.value, weight, changes, apart.value, apart.kind, true, found)
    else:
        compiled(count_by_parts)(desk, _classes(mine.value, weight), changes, others, found)
    return found


def _desk_for(pairing: Pairing, value: NDArray[np.float64], others: NDArray[np.float64]) -> _Desk:
    depth = len(pairing.steps)
    return _Desk(
        np.array(pairing.steps, np.int64),
        np.zeros(depth),
        np.zeros(depth),
        np.zeros(depth, np.bool_),
        np.zeros((depth, BLOCK)),
        np.zeros((3, len(others))),
        np.zeros_like(value),  # places that no class has are looked at, too, and count nothing
        np.zeros(value.shape[1]),
        np.zeros(4, np.int64),
        np.zeros(MOST_KINDS, np.int64),
        np.zeros(LENGTHS),
    )


def _classes(value: NDArray[np.float64], weight: NDArray[np.float64]) -> _Classes:
    own = _Ends(value, value, np.isnan(value))
    blocks = _level(own, weight)
    return _Classes(own, weight, np.full(len(weight), FALSE), blocks, _level(blocks.ends, blocks.things))


def _level(below: _Ends, things: NDArray[np.float64]) -> _Blocks:
    sums = np.add.reduceat(things, np.arange(0, len(things), BLOCK))
    known = np.full(len(sums), FALSE)
    return _Blocks(_of_blocks(below), sums, np.full_like(known, -1), known)


def _of_blocks(ends: _Ends) -> _Ends:
    """Of so many numbers together."""
    kinds, count = ends.low.shape
    shape = kinds, -(-count // BLOCK), BLOCK
    low, high, missing = (np.pad(one, ((0, 0), (0, -count % BLOCK)), "edge").reshape(shape) for one in ends)
    return _Ends(np.fmin.reduce(low, axis=2), np.fmax.reduce(high, axis=2), missing.any(axis=2))


# Each class with each kind of event.


def count_by_kinds(
    desk: Any, value: Array, weight: Array, changes: Any, others: Array, kinds: Array, true: Array, found: Array
) -> None:
    """Where few events differ: of which of the *kinds* each is, and what the condition reads of one [j, kinds].

    *true* [classes, kinds] is filled in; then it is known what each change does to the count of each kind of event.
    """
    count, counts = true.shape[1], desk.counts
    for kind in range(count):
        counts[kind] = 0
        for first in range(0, len(weight), BLOCK):
            look_at_block(desk, value, first, others, kind)
            for at in range(BLOCK):
                true[first + at, kind] = desk.block[0, at] > 0
                counts[kind] += weight[first + at] * desk.block[0, at]
    change = 0
    for at in range(len(found)):
        while change < len(changes.event) and changes.event[unsigned(change)] == at:
            was, now = turn(changes, change)
            if was >= 0:
                for kind in range(count):
                    counts[unsigned(kind)] -= true[unsigned(was), unsigned(kind)]
            if now >= 0:
                for kind in range(count):
                    counts[unsigned(kind)] += true[unsigned(now), unsigned(kind)]
            change += 1
        found[unsigned(at)] = counts[kinds[unsigned(at)]] if changes.enough[unsigned(at)] > 0 else 0


@jitable
def turn(changes: Any, change: int) -> tuple[int, int]:
    """The class that a change takes a thing out of, and that which it comes into; -1: none."""
    place, now = changes.place[unsigned(change)], changes.kind[unsigned(change)]
    was = changes.standing[unsigned(place)]
    changes.standing[unsigned(place)] = now
    return was, now


# Some events together.


def count_by_parts(desk: Any, classes: Any, changes: Any, others: Array, found: Array) -> None:
    """Part by part of the events, each of the length of which an event has cost least so far."""
    begin, change, level = 0, 0, 0
    desk.costs[:] = np.inf
    while begin < len(found):
        end = min(begin + (1 << level), len(found))
        desk.count[LOOKS], desk.count[LOOKS_AT_BLOCKS] = 0, 0
        find_ends(desk, others, begin, end)
        mark_changes(classes, changes, change, begin, end)
        sure = judge_all(desk, classes, begin)
        change = count_part(desk, classes, changes, others, found, change, begin, end, sure)
        looks = desk.count[LOOKS] + LOOKS_OF_A_BLOCK * desk.count[LOOKS_AT_BLOCKS]
        level, begin = next_level(desk.costs, level, looks / (end - begin)), end


@jitable
def next_level(costs: Array, level: int, cost: float) -> int:
    """The level that costs least, or the next one if that was not tried; what those beside cost is forgotten slowly."""
    known = costs[level]
    best = 0
    for other in range(max(level - 1, 0), min(level + 2, len(costs))):
        costs[other] *= KEPT if other != level else 1.0
    costs[level] = cost if known == np.inf else known + (cost - known) * TAKEN
    for other in range(len(costs)):
        best = other if costs[other] < costs[best] else best
    return best + 1 if best + 1 < len(costs) and costs[best + 1] == np.inf else best


@jitable
def find_ends(desk: Any, others: Array, begin: int, end: int) -> None:
    """Between what the values of some events lie."""
    for j in range(len(others)):
        low, high, missing = np.inf, -np.inf, 0.0
        for at in range(begin, end):
            value = others[unsigned(j), unsigned(at)]
            low, high = min(low, value), max(high, value)
            missing = 1.0 if value != value else missing  # noqa: PLR0124
        desk.others[0, j], desk.others[1, j], desk.others[2, j] = low, high, missing


@jitable
def mark_changes(classes: Any, changes: Any, change: int, begin: int, end: int) -> None:
    """Blocks into whose classes things come in a part."""
    while change < len(changes.event) and changes.event[unsigned(change)] < end:
        kind = changes.kind[unsigned(change)]
        if kind >= 0:
            classes.blocks.changes[unsigned(kind // BLOCK)] = begin
            classes.upper.changes[unsigned(kind // BLOCK // BLOCK)] = begin
        change += 1


@jitable
def judge_all(desk: Any, classes: Any, part: int) -> float:
    """What is known of all blocks, and of each class in those that are open; of how many things it is sure."""
    sure, desk.count[OPENED], desk.count[LATEST] = 0.0, 0, 0
    for upper in range(len(classes.upper.things)):
        if judge_block(desk, classes.upper, upper, part) == OPEN:
            for block in range(upper * BLOCK, min(upper * BLOCK + BLOCK, len(classes.blocks.things))):
                if judge_block(desk, classes.blocks, block, part) == OPEN:
                    for one in range(block * BLOCK, block * BLOCK + BLOCK):
                        sure += judge_class(desk, classes, one, classes.blocks.changes[unsigned(block)] == part)
                elif classes.blocks.known[unsigned(block)] == TRUE:
                    sure += classes.blocks.things[unsigned(block)]
        elif classes.upper.known[unsigned(upper)] == TRUE:
            sure += classes.upper.things[unsigned(upper)]
    for one in range(desk.count[OPENED], -desk.count[OPENED] // BLOCK * -BLOCK):
        desk.weight[unsigned(one)] = 0
    return sure


@jitable
def judge_block(desk: Any, level: Any, block: int, part: int) -> int:
    """Learn what is known of a block; what is said of one that has no things, and gets none, is of no matter."""
    if level.things[unsigned(block)] == 0 and level.changes[unsigned(block)] != part:
        known = FALSE
    else:
        known = judge(desk, level.ends, block)
    level.known[unsigned(block)] = known
    return known


@jitable
def judge_class(desk: Any, classes: Any, one: int, comes: bool) -> float:
    """Learn what is known of a class, to which things may come; of how many things it is sure."""
    weight = classes.weight[unsigned(one)]
    if weight == 0 and not comes:
        return 0.0
    known = judge(desk, classes.own, one)
    if known == OPEN:
        known = desk.count[OPENED]
        for k in range(len(desk.open)):
            desk.open[unsigned(k), unsigned(known)] = classes.own.low[unsigned(k), unsigned(one)]
        desk.weight[unsigned(known)] = weight
        desk.count[OPENED] += 1
    classes.slot[unsigned(one)] = known
    return float(weight) if known == TRUE else 0.0


@jitable
def count_part(
    desk: Any, classes: Any, changes: Any, others: Array, found: Array, change: int, begin: int, end: int, sure: float
) -> int:
    """Count at each event of a part, from what is *sure*; the first change behind them."""
    for at in range(begin, end):
        while change < len(changes.event) and changes.event[unsigned(change)] == at:
            was, now = turn(changes, change)
            sure += weigh(desk, classes, was, -1.0) + weigh(desk, classes, now, 1.0)
            change += 1
        enough = changes.enough[unsigned(at)]
        if enough > 0:
            found[unsigned(at)] = int(sure if sure >= enough else count_open(desk, others, at, enough, sure))
    return change


@jitable
def weigh(desk: Any, classes: Any, one: int, by: float) -> float:
    """A class has one thing more, or less; what that does to what is sure."""
    if one < 0:
        return 0.0
    block, upper = one // BLOCK, one // BLOCK // BLOCK
    classes.weight[unsigned(one)] += by
    classes.blocks.things[unsigned(block)] += by
    classes.upper.things[unsigned(upper)] += by
    known = classes.upper.known[unsigned(upper)]
    if known == OPEN:
        known = classes.blocks.known[unsigned(block)]
    if known == OPEN:
        known = classes.slot[unsigned(one)]
        if known >= OPEN:
            desk.weight[unsigned(known)] += by
    return by if known == TRUE else 0.0


@jitable
def count_open(desk: Any, others: Array, event: int, enough: int, count: float) -> float:
    """Count on in the classes that are open, those first of which it was true last."""
    first, blocks = desk.count[LATEST], -(-desk.count[OPENED] // BLOCK)
    for number in range(blocks):
        block = first + number if first + number < blocks else first + number - blocks
        look_at_block(desk, desk.open, block * BLOCK, others, event)
        desk.count[LOOKS_AT_BLOCKS] += 1
        true = 0.0
        for at in range(BLOCK):
            true += desk.block[0, unsigned(at)] * desk.weight[unsigned(block * BLOCK + at)]
        count += true
        if count >= enough:
            desk.count[LATEST] = block
            break
    return count


@jitable
def judge(desk: Any, ends: Any, which: int) -> int:
    """What is known of the condition: of things whose values lie between *ends*, which of them, at some events.

    A truth is 1, and of things or events that differ from 0 to 1.
    """
    top = -1
    desk.count[LOOKS] += 1
    for number in range(len(desk.steps)):
        step, of = desk.steps[unsigned(number), 0], desk.steps[unsigned(number), 1]
        if step == OWN:
            top += 1
            desk.low[top] = ends.low[unsigned(of), unsigned(which)]
            desk.high[top] = ends.high[unsigned(of), unsigned(which)]
            desk.missing[top] = ends.missing[unsigned(of), unsigned(which)]
        elif step == OTHER:
            top += 1
            desk.low[top], desk.high[top] = desk.others[0, of], desk.others[1, of]
            desk.missing[top] = desk.others[2, of] > 0
        elif step in (NEGATE, NOT, ABS, KNOWN):
            change(desk, step, top)
        else:
            top -= 1
            join(desk, step, top)
    return TRUE if desk.low[0] > 0 else OPEN if desk.high[0] > 0 else FALSE


@jitable
def look_at_block(desk: Any, value: Array, first: int, others: Array, event: int) -> None:
    """Whether the condition is true at an event comes first in the desk's block, for classes from the *first* on."""
    top = -1
    for number in range(len(desk.steps)):
        step, of = desk.steps[unsigned(number), 0], desk.steps[unsigned(number), 1]
        if step == OWN:
            top += 1
            values = value[of, first : first + BLOCK]
            for at in range(BLOCK):
                desk.block[unsigned(top), unsigned(at)] = values[unsigned(at)]
        elif step == OTHER:
            top += 1
            for at in range(BLOCK):
                desk.block[unsigned(top), unsigned(at)] = others[unsigned(of), unsigned(event)]
        elif step in (NEGATE, NOT, ABS, KNOWN):
            change_numbers(desk.block[top], step)
        else:
            top -= 1
            join_numbers(desk.block[top], desk.block[top + 1], step)
