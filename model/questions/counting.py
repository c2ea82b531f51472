"""Of how many things a condition is true that depends on the event, too, event by event in compiled code.

It keeps what is read of each thing, and above that a tree: the least and the most of it among 64 places, then among 16
such blocks, and so on.  From these a condition is read as intervals, so that most places are known together to be all
true or all false.  Sums of the ends of intervals are rounded as those of all between them, so that this is exact.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import at_hand, compiled, jitable, unsigned
from slotscope.model.questions.pairing import ABS, KNOWN, NEGATE, NOT, OTHER, OWN, Pairing
from slotscope.model.questions.reckoning import change, change_numbers, join, join_numbers

Array = Any

#: Places in a block, and nodes below one of the tree.
BLOCK, BRANCHES = 64, 16

#: More things than there are: all are counted.
MANY = 2**62


class ThingValues(NamedTuple):
    """What is read of things: as they were before the first event, and as each event left those that it changed."""

    own: NDArray[np.float64]  #: [k, versions] those before the first event, by their places, then those of the changes
    there: NDArray[np.bool_]  #: [versions] whether there is a thing
    places: int  #: before the first event
    event: NDArray[np.int64]  #: [m] of each change, in order
    place: NDArray[np.int64]  #: [m]


class _Tree(NamedTuple):
    """Places in blocks, and nodes above them; blocks are the first nodes, the roots the last ones."""

    value: Array  #: [k, places] nan where it is missing, or no thing is there
    alive: Array  #: [places] 1.0 where a thing is there
    begin: Array  #: [nodes] the first place of a block, or node below
    end: Array  #: [nodes]
    parent: Array  #: [nodes] -1 of roots
    low: Array  #: [k, nodes] inf where there is no number
    high: Array  #: [k, nodes]
    known: Array  #: [k, nodes] how many numbers there are
    count: Array  #: [nodes] how many things
    blocks: int
    roots: int  #: the first of them


class _Desk(NamedTuple):
    """Where compiled code works."""

    steps: Array  #: [steps, 2]
    low: Array  #: [depth] of intervals
    high: Array  #: [depth]
    missing: Array  #: [depth] whether a number may be missing
    block: Array  #: [depth, BLOCK] numbers and truths of a block
    waiting: Array  #: [nodes] that are to be looked at
    witness: Array  #: [1] the place of a thing for which the condition was true last; -1: none is known


def code_is_at_hand() -> bool:
    """Whether the compiled code can be called at once."""
    return at_hand(compiled(count_things))


def prepare_counting() -> None:
    """Compile the code, or load it from the cache, now rather than where something is counted."""
    none = np.zeros(0, np.int64)
    things = ThingValues(np.zeros((0, 0)), np.zeros(0, np.bool_), 0, none, none)
    counted_by_event(Pairing(((OTHER, 0),), (), ()), things, np.zeros((1, 0)), none)


def counted_by_event(
    pairing: Pairing, things: ThingValues, others: NDArray[np.float64], enough: NDArray[np.int64]
) -> NDArray[np.int64]:
    """[events] of how many things a condition is true, with the values [j, events] of the events.

    Where so many are *enough*, no more are looked for; but for one more than the things that the event changed, then
    one of the others is enough.
    """
    events, total = others.shape[1], int(max(things.places, things.place.max(initial=-1) + 1))
    found, depth = np.zeros(events, np.int64), len(pairing.steps)
    tree = _planted(things, total)
    desk = _Desk(
        np.array(pairing.steps, np.int64),
        np.zeros(depth),
        np.zeros(depth),
        np.zeros(depth, np.bool_),
        np.zeros((depth, BLOCK)),
        np.zeros(len(tree.parent), np.int64),
        np.full(1, -1),
    )
    told = (things.own, things.there, things.places, things.event, things.place)
    compiled(count_things)(tree, desk, *told, others, enough, found)
    return found


def _planted(things: ThingValues, total: int) -> _Tree:
    """A tree over so many places, whose blocks are known and whose nodes are not."""
    blocks, kinds = max(1, -(-total // BLOCK)), len(things.own)
    value, alive = np.full((kinds, blocks * BLOCK), np.nan), np.zeros(blocks * BLOCK)
    there = things.there[: things.places]
    value[:, : things.places] = np.where(there, things.own[:, : things.places], np.nan)
    alive[: things.places] = there
    first, last, parents = np.arange(blocks) * BLOCK, np.arange(1, blocks + 1) * BLOCK, []
    begin, end, level, roots = [first], [last], blocks, 0
    while level > BRANCHES:
        above = -(-level // BRANCHES)
        parents.append(roots + level + np.arange(level) // BRANCHES)
        first = roots + np.arange(above) * BRANCHES
        begin, end = [*begin, first], [*end, np.minimum(first + BRANCHES, roots + level)]
        roots, level = roots + level, above
    parent = np.concatenate([*parents, np.full(level, -1)]).astype(np.int64)
    low, high, known = np.zeros((3, kinds, len(parent)))
    ends = np.concatenate(begin), np.concatenate(end)
    return _Tree(value, alive, *ends, parent, low, high, known, np.zeros(len(parent)), blocks, roots)


def count_things(
    tree: Any,
    desk: Any,
    own: Array,
    there: Array,
    places: int,
    event: Array,
    place: Array,
    others: Array,
    enough: Array,
    found: Array,
) -> None:
    """From event to event: what it changed enters the tree, and the condition is counted."""
    for node in range(len(tree.parent)):
        renew_node(tree, node)
    change = 0
    for at in range(len(found)):
        first = change
        while change < len(event) and event[unsigned(change)] == at:
            where, which = unsigned(place[unsigned(change)]), unsigned(places + change)
            tree.alive[where] = 1.0 if there[which] else 0.0
            for k in range(len(own)):
                tree.value[k, where] = own[k, which] if there[which] else np.nan
            change += 1
        latest = -1
        for renewed in range(first, change):
            node = place[unsigned(renewed)] // BLOCK
            if node == latest:  # as the servers of a job stand side by side
                continue
            latest = node
            while node >= 0:
                renew_node(tree, node)
                node = tree.parent[unsigned(node)]
        if one_is_enough(tree, desk, others, at, enough, place[first:change]):
            found[unsigned(at)] = enough[unsigned(at)]
        else:
            found[unsigned(at)] = count_at(tree, desk, others, at, enough[unsigned(at)])


@jitable
def renew_node(tree: Any, node: int) -> None:
    """What is known of the numbers in a node, from its places or the nodes below."""
    begin, end, things = tree.begin[unsigned(node)], tree.end[unsigned(node)], 0.0
    for k in range(len(tree.value)):
        low, high, known = np.inf, -np.inf, 0.0
        if node < tree.blocks:
            for place in range(begin, end):
                value = tree.value[k, unsigned(place)]
                low = min(low, value)
                high = max(high, value)
                known += 1.0 if value == value else 0.0  # noqa: PLR0124
        else:
            for below in range(begin, end):
                low = min(low, tree.low[k, unsigned(below)])
                high = max(high, tree.high[k, unsigned(below)])
                known += tree.known[k, unsigned(below)]
        tree.low[k, unsigned(node)], tree.high[k, unsigned(node)] = low, high
        tree.known[k, unsigned(node)] = known
    for below in range(begin, end):
        things += tree.alive[unsigned(below)] if node < tree.blocks else tree.count[unsigned(below)]
    tree.count[unsigned(node)] = things


@jitable
def one_is_enough(tree: Any, desk: Any, others: Array, event: int, enough: Array, changed: Array) -> bool:
    """Whether the condition is still true of a thing of which it was, one of those that the event left as they were."""
    witness = desk.witness[0]
    if witness < 0 or not 0 < enough[unsigned(event)] < MANY or tree.alive[unsigned(witness)] == 0:
        return False
    judge(tree, desk, others, event, 0, witness)
    if not desk.low[0] > 0:
        return False
    if enough[unsigned(event)] > 1:
        for number in range(len(changed)):
            if changed[unsigned(number)] == witness:
                return False
    return True


@jitable
def count_at(tree: Any, desk: Any, others: Array, event: int, enough: int) -> int:
    """Of how many things the condition is true; of so many at least, where more are not needed."""
    waiting, count = len(tree.parent) - tree.roots, 0.0
    for root in range(waiting):
        desk.waiting[unsigned(root)] = tree.roots + root
    while waiting > 0 and count < enough:
        waiting -= 1
        node = desk.waiting[unsigned(waiting)]
        if tree.count[unsigned(node)] == 0:
            continue
        judge(tree, desk, others, event, node, -1)
        if desk.low[0] > 0:
            count += tree.count[unsigned(node)]
        elif desk.high[0] > 0 and node < tree.blocks:
            count += true_in_block(tree, desk, others, event, node)
        elif desk.high[0] > 0:
            for below in range(tree.begin[unsigned(node)], tree.end[unsigned(node)]):
                desk.waiting[unsigned(waiting)] = below
                waiting += 1
    return int(count)


@jitable
def judge(tree: Any, desk: Any, others: Array, event: int, node: int, place: int) -> None:
    """Between what the condition lies for the things in a node, or for that in a *place*.

    A truth is 1, and of things that differ from 0 to 1.
    """
    top = -1
    for number in range(len(desk.steps)):
        step, which = desk.steps[unsigned(number), 0], desk.steps[unsigned(number), 1]
        if step == OWN and place < 0:
            top += 1
            desk.low[top], desk.high[top] = tree.low[which, node], tree.high[which, node]
            desk.missing[top] = tree.known[which, node] < tree.count[node]
        elif step in (OWN, OTHER):
            top += 1
            value = tree.value[which, place] if step == OWN else others[which, event]
            desk.low[top], desk.high[top], desk.missing[top] = value, value, value != value  # noqa: PLR0124
        elif step in (NEGATE, NOT, ABS, KNOWN):
            change(desk, step, top)
        else:
            top -= 1
            join(desk, step, top)


@jitable
def true_in_block(tree: Any, desk: Any, others: Array, event: int, block: int) -> float:
    """Of how many things in a block the condition is true."""
    top, first = -1, block * BLOCK
    for number in range(len(desk.steps)):
        step, which = desk.steps[unsigned(number), 0], desk.steps[unsigned(number), 1]
        if step == OWN:
            top += 1
            values = tree.value[which, first : first + BLOCK]
            for at in range(BLOCK):
                desk.block[unsigned(top), unsigned(at)] = values[unsigned(at)]
        elif step == OTHER:
            top += 1
            for at in range(BLOCK):
                desk.block[unsigned(top), unsigned(at)] = others[which, event]
        elif step in (NEGATE, NOT, ABS, KNOWN):
            change_numbers(desk.block[top], step)
        else:
            top -= 1
            join_numbers(desk.block[top], desk.block[top + 1], step)
    count = 0.0
    for at in range(BLOCK):
        count += desk.block[0, unsigned(at)] if tree.alive[unsigned(first + at)] > 0 else 0.0
    at = BLOCK - 1
    while count > 0 and (tree.alive[unsigned(first + at)] == 0 or desk.block[0, unsigned(at)] == 0):
        at -= 1
    desk.witness[0] = first + at if count > 0 else desk.witness[0]
    return count
