"""Counts, at each event, the things for which a condition holds that reads both the thing and the event; compiled.

Things with equal values form one class.  If there are few distinct combinations of event values, the condition is
evaluated once for each class and combination.  Otherwise several events are taken together: interval arithmetic
on the bounds of their values, and on the bounds of the nodes of a tree of classes, from branches down to single
classes, decides most of them as all true or all false; only undecided classes are evaluated at each event.  Rounding is
monotonic, so no value lies outside its computed interval, and the counts are exact.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import at_hand, compiled, jitable, unsigned
from slotscope.model.questions.alike import alike, tell_apart
from slotscope.model.questions.block_code import block_code, block_table
from slotscope.model.questions.glance_code import glance_code, glance_table, known_of
from slotscope.model.questions.opened import (
    ALL_LOOKS,
    COUNTED,
    DECIDED,
    HITS,
    LATEST,
    LOOKS,
    LOOKS_AT_BLOCKS,
    OPENED,
    count_open,
    look_at,
)
from slotscope.model.questions.pairing import ABS, KNOWN, NEGATE, NOT, OTHER, OWN, Pairing
from slotscope.model.questions.reckoning import change, join
from slotscope.model.questions.remainders import BLOCK, find_remainders
from slotscope.model.questions.sifting import prepare_sifting, sift
from slotscope.model.questions.vector_text import MachineCode

Array = Any

#: As *enough*, more things than there are: all are counted.
MANY = 2**62

#: Up to this many classes of things, their hash table fits into a processor's first-level cache.
FEW_CLASSES = 2048

#: Most kinds of events for which each class is evaluated, and most such evaluations per event.
MOST_KINDS, MOST_LOOKS = 64, 64

#: Events are taken together in parts of 1, 2, 4, ...: the number of these lengths; the factor by which the known cost
#: of a length decays while others are used; and the weight of a new part in a length's average cost.
LENGTHS, KEPT, TAKEN = 13, 0.99, 0.125

#: Below this cost per event, in looks, longer parts, which may span other values, are not tried.
FEW_LOOKS = 0.25

#: Children of a branch of the tree.
FAN = 8

#: The number of looks at blocks that take twice as long as compiling the code that glances at them.
WORTH = 2**21

#: The cost of evaluating a block, and of opening a class, in evaluations of intervals.
LOOKS_OF_A_BLOCK, LOOKS_OF_OPENING = 0.25, 0.02

#: If more than this share of the interval evaluations leaves a class open, they decide little: the next part goes
#: without, each time twice as many parts in a row, up to so many.
MOSTLY_OPEN, MOST_BLIND = 0.75, 64

# The verdict on a node for a part of the events: false, or true, at all of them; else its index among the open classes.
FALSE, TRUE, OPEN = -2, -1, 0


class ThingValues(NamedTuple):
    """The values of things: before the first event, and after each change of one."""

    own: NDArray[np.float64]  #: [k, versions] those before the first event, by place, then those of the changes
    there: NDArray[np.bool_]  #: [versions] whether there is a thing
    places: int  #: how many, before the first event
    event: NDArray[np.int64]  #: [m] the event of each change, in order
    place: NDArray[np.int64]  #: [m] the place of the changed thing


class _Changes(NamedTuple):
    """The changes of things from one class to another, in the order of events."""

    event: Array  #: [m]
    place: Array  #: [m]
    kind: Array  #: [m] the class after the change; -1: no thing
    standing: Array  #: [places] the present class of each; -1: no thing
    enough: Array  #: [events] the count at which counting may stop


class _Ends(NamedTuple):
    """Bounds of k values for each of n nodes; nan where all are missing."""

    low: Array  #: [k, n]
    high: Array  #: [k, n]
    missing: Array  #: [k, n] whether one may be missing


class _Tree(NamedTuple):
    """A tree whose leaves are classes, as arrays over its nodes in preorder."""

    ends: _Ends  #: [k, nodes] bounds of the values; of a class both are its own values
    things: Array  #: [nodes] the number of things in each
    changes: Array  #: [nodes] the first event of the last part in which things enter it
    known: Array  #: [nodes] the verdict for the present part; stale below a branch that is all true or all false
    above: Array  #: [nodes] the parent; -1: none
    after: Array  #: [nodes] the next node outside its subtree
    place: Array  #: [classes] the node of each


class _Desk(NamedTuple):
    """The working memory of the compiled code."""

    steps: Array  #: [steps, 2]
    low: Array  #: [depth] lower ends on the stack of intervals
    high: Array  #: [depth] upper ends
    missing: Array  #: [depth] whether a number may be missing
    code: int  #: address of the condition's code
    table: Array  #: its arguments; see :func:`block_table`
    glance: int  #: address of the prefilter; 0: not compiled
    glanced: Array  #: its arguments; see :func:`glance_table`
    hits: Array  #: [classes / BLOCK] its results; see there
    true: Array  #: [classes / 8] bit set of the classes for which the condition is true
    others: Array  #: [3, j] minimum and maximum of the events' values in a part, and 1 if one is missing
    open: Array  #: [k, classes] values of the open classes
    weight: Array  #: [classes] the number of things in each of those
    count: Array  #: [COUNTED] counters; see :data:`OPENED`
    counts: Array  #: [MOST_KINDS] the count for each kind of event
    costs: Array  #: [LENGTHS] average cost of an event, in evaluations of intervals


def code_is_at_hand(by_event: bool) -> bool:
    """Whether the compiled code is ready to call; that for conditions that read the event only if *by_event*."""
    mine = (count_by_parts, count_by_kinds, tell_apart) if by_event else ()
    return all(at_hand(compiled(one)) for one in (sift, count_truths, find_remainders, *mine))


def prepare_counting(by_event: bool = True) -> None:
    """Compile the code, or load it from the cache, ahead of the first count."""
    none, numbers = np.zeros(0, np.int64), np.zeros(0)
    counted_truths(np.zeros(0, np.bool_), 0, none, none, 0)
    prepare_sifting()
    compiled(find_remainders)(numbers, numbers)
    if not by_event:
        return
    things = ThingValues(np.zeros((0, 0)), np.zeros(0, np.bool_), 0, none, none)
    pairing = Pairing(((OTHER, 0),), (), ())
    counted_by_event(pairing, things, np.zeros((1, 0)), none)
    counted_by_event(pairing, things, np.arange(1.0 + MOST_KINDS)[None], np.zeros(1 + MOST_KINDS, np.int64))


def counted_truths(
    true: NDArray[Any], places: int, event: NDArray[np.int64], place: NDArray[np.int64], events: int
) -> NDArray[np.int64]:
    """[events] for how many things a condition is true after each event.

    *true* [versions] is its value for each version, in the order of :class:`ThingValues`.
    """
    standing = np.zeros(int(max(places, place.max(initial=-1) + 1)), np.bool_)
    standing[:places] = true[:places]
    found = np.zeros(events, np.int64)
    told = np.array(true[places:], np.bool_), np.ascontiguousarray(event), np.ascontiguousarray(place)
    compiled(count_truths)(*told, standing, found)
    return found


def count_truths(true: Array, event: Array, place: Array, standing: Array, found: Array) -> None:
    """Fill in *found* [events], updating the condition's value for the present thing at each place, *standing*."""
    count, change = 0, 0
    for at in range(len(standing)):
        count += standing[unsigned(at)]
    for at in range(len(found)):
        while change < len(event) and event[unsigned(change)] == at:
            now, where = true[unsigned(change)], unsigned(place[unsigned(change)])
            count += now - standing[where]
            standing[where] = now
            change += 1
        found[unsigned(at)] = count


def counted_by_event(
    pairing: Pairing, things: ThingValues, others: NDArray[np.float64], enough: NDArray[np.int64]
) -> NDArray[np.int64]:
    """[events] for how many things a condition is true; *others* [j, events] are the values of the events.

    A count may stop at *enough* [events]: then it is too low, but no lower than enough.
    """
    events, total = others.shape[1], int(max(things.places, things.place.max(initial=-1) + 1))
    found, rows = np.zeros(events, np.int64), len(things.there)
    mine = alike(things.own, things.there, min(rows, FEW_CLASSES)) or alike(things.own, things.there, rows)
    assert mine is not None
    standing = np.full(total, -1)
    standing[: things.places] = mine.kind[: things.places]
    event, place = np.ascontiguousarray(things.event), np.ascontiguousarray(things.place)
    changes = _Changes(event, place, mine.kind[things.places :], standing, np.array(enough, np.int64))
    weight = np.bincount(standing[standing >= 0], minlength=mine.value.shape[1]).astype(float)
    apart = alike(others, np.ones(events, np.bool_), min(MOST_KINDS, MOST_LOOKS * events // max(mine.classes, 1)))
    code = _code_for(pairing.steps, mine.value)
    if apart is not None:
        desk = _desk_for(pairing, code, mine.value, apart.value, weight)
        true = np.empty((mine.value.shape[1], apart.classes), np.uint8)
        compiled(count_by_kinds)(desk, len(weight), changes, apart.kind, true, found)
    else:
        others = np.ascontiguousarray(others)
        desk = _desk_for(pairing, code, np.zeros_like(mine.value), others, np.zeros_like(weight))
        compiled(count_by_parts)(desk, _tree(mine.value, weight), changes, others, found)
        _looked_at(pairing.steps)[0] += int(desk.count[ALL_LOOKS])
    return found


class _Code(NamedTuple):
    """Owns the compiled code for a condition."""

    block: MachineCode
    glance: MachineCode | None
    known: NDArray[np.float64]  #: what :func:`known_of` says of the classes' values


def _code_for(steps: tuple[tuple[int, int], ...], value: NDArray[np.float64]) -> _Code:
    """Includes the prefilter once more than :data:`WORTH` blocks were looked at, so that compiling it pays."""
    glance = glance_code(steps) if _looked_at(steps)[0] > WORTH else None
    return _Code(block_code(steps), glance, value if glance is None else known_of(value))


@lru_cache(maxsize=64)
def _looked_at(steps: tuple[tuple[int, int], ...]) -> list[int]:  # noqa: ARG001
    """A list of one item: how many blocks were looked at for a condition so far."""
    return [0]


def _desk_for(
    pairing: Pairing, code: _Code, value: NDArray[np.float64], others: NDArray[np.float64], weight: NDArray[np.float64]
) -> _Desk:
    depth, blocks = len(pairing.steps), len(weight) // BLOCK
    true, count, hits = np.zeros(BLOCK // 8 * blocks, np.uint8), np.zeros(COUNTED, np.int64), np.zeros(blocks, np.int64)
    count[HITS] = -1
    return _Desk(
        steps=np.array(pairing.steps, np.int64),
        low=np.zeros(depth),
        high=np.zeros(depth),
        missing=np.zeros(depth, np.bool_),
        code=code.block.address,
        table=block_table(value, others, weight, true, count[LATEST:]),
        glance=code.glance.address if code.glance is not None else 0,
        glanced=glance_table(value, others, code.known, hits),
        hits=hits,
        true=true,
        others=np.zeros((3, len(others))),
        open=value,
        weight=weight,
        count=count,
        counts=np.zeros(MOST_KINDS, np.int64),
        costs=np.zeros(LENGTHS),
    )


def _tree(value: NDArray[np.float64], weight: NDArray[np.float64]) -> _Tree:
    """The tree over classes sorted by their values, so that those of a branch are close to each other."""
    levels = [(value, value, np.isnan(value), weight, np.ones(len(weight), np.int64))]
    while (count := len(levels[-1][-1])) > FAN:
        first, parts = np.arange(0, count, FAN), zip(_JOINED, levels[-1], strict=True)
        low, high, missing, things, sizes = (join.reduceat(one, first, axis=-1) for join, one in parts)
        levels.append((low, high, missing, things, 1 + sizes))
    places = [_places(level, len(levels), len(one[-1])) for level, one in enumerate(levels)]
    branches = [up.repeat(FAN)[: len(one)] for one, up in pairwise(places)]
    branches.append(np.full_like(places[-1], -1))
    order = np.concatenate(places).argsort()
    low, high, missing, things, sizes, above = (
        np.concatenate(one, axis=-1).take(order, axis=-1) for one in (*zip(*levels, strict=True), branches)
    )
    ends, known = _Ends(low, high, missing), np.full(len(order), FALSE)
    return _Tree(ends, things, np.full_like(known, -1), known, above, np.arange(len(order)) + sizes, places[0])


def _places(level: int, levels: int, count: int) -> NDArray[np.int64]:
    """[count] the preorder index of each node of a level: the number of nodes in subtrees before it, and ancestors."""
    mine = np.arange(count)
    below = sum(mine * FAN ** (level - other) for other in range(level + 1))
    return np.asarray(below + sum(mine // FAN ** (other - level) + 1 for other in range(level + 1, levels)))


#: How a branch's low, high, missing, number of things and number of nodes are reduced from those of its children.
_JOINED = (np.fmin, np.fmax, np.logical_or, np.add, np.add)


# Few kinds of events: each class is evaluated with each kind.


def count_by_kinds(desk: Any, classes: int, changes: Any, kinds: Array, true: Array, found: Array) -> None:
    """Fill in *found* [events], where the events' values form few *kinds*: *kinds* [events] is the kind of each event.

    First *true* [classes, kinds] is evaluated; it tells how each change of a thing alters the count of each kind.
    """
    count, counts = true.shape[1], desk.counts
    for kind in range(count):
        counts[kind] = int(look_at(desk, 0, classes, kind, MANY))
        for at in range(classes):
            true[at, kind] = desk.true[at >> 3] >> (at & 7) & 1
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
    """Apply a change to *standing*; return the class that the thing leaves and the class that it enters; -1: none."""
    place, now = changes.place[unsigned(change)], changes.kind[unsigned(change)]
    was = changes.standing[unsigned(place)]
    changes.standing[unsigned(place)] = now
    return was, now


# Many kinds of events: several consecutive events are taken together.


def count_by_parts(desk: Any, tree: Any, changes: Any, others: Array, found: Array) -> None:
    """Fill in *found* [events], in parts of the length that has cost least per event so far."""
    begin, change, level, blind, blind_parts = 0, 0, 0, 0, 0
    desk.costs[:] = np.inf
    while begin < len(found):
        end = min(begin + (1 << level), len(found))
        desk.count[LOOKS], desk.count[LOOKS_AT_BLOCKS] = 0, 0
        find_ends(desk, others, begin, end)
        wanted = mark_changes(tree, changes, change, begin, end)
        sure = judge_all(desk, tree, begin, wanted, blind > 0)
        if blind > 0:
            blind -= 1
        elif desk.count[OPENED] > MOSTLY_OPEN * desk.count[LOOKS]:
            blind = blind_parts = min(max(1, 2 * blind_parts), MOST_BLIND)
            desk.count[LOOKS] = 0  # not charged to this length: the next parts go without them
        else:
            blind_parts = 0
        change = count_part(desk, tree, changes, found, change, begin, end, sure)
        desk.count[ALL_LOOKS] += desk.count[LOOKS_AT_BLOCKS]
        level, begin = next_level(desk.costs, level, looks_taken(desk) / (end - begin)), end


@jitable
def looks_taken(desk: Any) -> float:
    """The cost of a part so far, in evaluations of intervals."""
    count = desk.count
    return float(count[LOOKS] + LOOKS_OF_A_BLOCK * count[LOOKS_AT_BLOCKS] + LOOKS_OF_OPENING * count[OPENED])


@jitable
def next_level(costs: Array, level: int, cost: float) -> int:
    """Record the cost per event of a level; return the cheapest level, or the next longer one if that is untried.

    The known costs of the neighbouring levels decay, so that they are tried again some time.
    """
    known = costs[level]
    best = 0
    for other in range(max(level - 1, 0), min(level + 2, len(costs))):
        costs[other] *= KEPT if other != level else 1.0
    costs[level] = cost if known == np.inf else known + (cost - known) * TAKEN
    for other in range(len(costs)):
        best = other if costs[other] < costs[best] else best
    longer = costs[best] > FEW_LOOKS and best + 1 < len(costs) and costs[best + 1] == np.inf
    return best + 1 if longer else best


@jitable
def find_ends(desk: Any, others: Array, begin: int, end: int) -> None:
    """The bounds of the values of the events of a part."""
    for j in range(len(others)):
        low, high, missing = np.inf, -np.inf, 0.0
        for at in range(begin, end):
            value = others[unsigned(j), unsigned(at)]
            low, high = min(low, value), max(high, value)
            missing = 1.0 if value != value else missing  # noqa: PLR0124
        desk.others[0, j], desk.others[1, j], desk.others[2, j] = low, high, missing


@jitable
def mark_changes(tree: Any, changes: Any, change: int, begin: int, end: int) -> int:
    """Mark the classes that things enter in a part, and their ancestors.

    Returns a count that is enough for each event of the part: the largest *enough*, and one more for each change.
    """
    most, first = 0, change
    for at in range(begin, end):
        most = max(most, changes.enough[unsigned(at)])
    while change < len(changes.event) and changes.event[unsigned(change)] < end:
        kind = changes.kind[unsigned(change)]
        node = tree.place[unsigned(kind)] if kind >= 0 else -1
        while node >= 0 and tree.changes[unsigned(node)] != begin:
            tree.changes[unsigned(node)] = begin
            node = tree.above[unsigned(node)]
        change += 1
    return int(most + change - first)


@jitable
def judge_all(desk: Any, tree: Any, part: int, wanted: int, blind: bool) -> float:
    """Set *known* of the tree's nodes for a part, descending only into open branches; the number of things surely true.

    Nodes that have no things, and get none, are skipped as false; so are all that are left once so many as are *wanted*
    are surely true.  If *blind*, all others are taken as open.
    """
    sure, desk.count[OPENED], desk.count[LATEST], desk.count[DECIDED] = 0.0, 0, 0, 0
    node = 0
    while node < len(tree.known):
        known, after = FALSE, tree.after[unsigned(node)]
        if sure < wanted and (tree.things[unsigned(node)] != 0 or tree.changes[unsigned(node)] == part):
            known = OPEN if blind else judge(desk, tree.ends, node)
        if known == OPEN and after == node + 1:
            known = open_class(desk, tree, node)
        tree.known[unsigned(node)] = known
        sure += tree.things[unsigned(node)] if known == TRUE else 0.0
        node = node + 1 if known >= OPEN else after
    for one in range(desk.count[OPENED], -desk.count[OPENED] // BLOCK * -BLOCK):
        desk.weight[unsigned(one)] = 0
    return sure


@jitable
def open_class(desk: Any, tree: Any, node: int) -> int:
    """Append a class to the open ones; return its index among them."""
    place = desk.count[OPENED]
    for k in range(len(desk.open)):
        desk.open[unsigned(k), unsigned(place)] = tree.ends.low[unsigned(k), unsigned(node)]
    desk.weight[unsigned(place)] = tree.things[unsigned(node)]
    desk.count[OPENED] += 1
    return int(place)


@jitable
def count_part(desk: Any, tree: Any, changes: Any, found: Array, change: int, begin: int, end: int, sure: float) -> int:
    """Fill in *found* for the events of a part, starting from *sure*; return the first change after the part."""
    for at in range(begin, end):
        while change < len(changes.event) and changes.event[unsigned(change)] == at:
            was, now = turn(changes, change)
            sure += weigh(desk, tree, was, -1.0) + weigh(desk, tree, now, 1.0)
            change += 1
        enough = changes.enough[unsigned(at)]
        if enough > 0:
            found[unsigned(at)] = int(sure if sure >= enough else count_open(desk, at, end, enough, sure))
    return change


@jitable
def weigh(desk: Any, tree: Any, one: int, by: float) -> float:
    """Add *by* things (1 or -1) to a class and its ancestors; return the change in the number of surely true things."""
    if one < 0:
        return 0.0
    node = tree.place[unsigned(one)]
    known = tree.known[unsigned(node)]
    while node >= 0:
        tree.things[unsigned(node)] += by
        known = tree.known[unsigned(node)] if tree.known[unsigned(node)] < OPEN else known
        node = tree.above[unsigned(node)]
    if known >= OPEN:
        desk.weight[unsigned(known)] += by
    return by if known == TRUE else 0.0


@jitable
def judge(desk: Any, ends: Any, which: int) -> int:
    """Evaluate the condition on the intervals of node *which* and of a part's events: TRUE, FALSE or OPEN.

    Booleans are 0 or 1, and from 0 to 1 where things or events differ.
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
