"""Of how many things of those classes that are open a condition is true, event by event in compiled code.

Where that takes long, some events are glanced at together before: in which blocks of classes the condition may be true
at all, and only there it is asked of each.
"""

from __future__ import annotations

from typing import Any

from slotscope.model.jit import called_at, jitable, unsigned
from slotscope.model.questions.glance_code import TOGETHER
from slotscope.model.questions.remainders import BLOCK

# What is counted on the desk: classes that are open; where the block of those begins that was enough last; looks at
# intervals and at blocks, and these in all parts; and for glances, on which is decided for some events together: up to
# which event that was, how many blocks are hit, or -1 without a glance, blocks looked at since, for how many decisions
# there is to be none, and for how many that was so the last time.
OPENED, LATEST, LOOKS, LOOKS_AT_BLOCKS, ALL_LOOKS, DECIDED, HITS, LOOKED, PAUSE, LAST_PAUSE = range(10)
COUNTED = 10

#: Blocks at least that are glanced at, and of what share of them each event has to have been looked at before.
FEWEST_BLOCKS, MOST_OF_ALL = 4, 0.75

#: Where a larger share of the blocks is hit glances tell little: they pause, each time twice as long, up to so long.
MOSTLY_HIT, LONGEST_PAUSE = 0.5, 64


@jitable
def count_open(desk: Any, event: int, end: int, enough: int, count: float) -> float:
    """Count on in the classes that are open up to an *end*, those first of which it was true last."""
    if desk.glance != 0 and event >= desk.count[DECIDED]:
        decide(desk, event, end)
    if desk.count[HITS] >= 0:
        return count_hits(desk, event, enough, count)
    first, last = desk.count[LATEST], -(-desk.count[OPENED] // BLOCK) * BLOCK
    count += look_at(desk, first, last, event, enough - count)
    return count + look_at(desk, 0, first, event, enough - count) if count < enough else count


@jitable
def decide(desk: Any, event: int, end: int) -> None:
    """Glance at some events from one on, if that is likely to spare looks at blocks."""
    count, blocks = desk.count, -(-desk.count[OPENED] // BLOCK)
    is_dear = count[HITS] >= 0 or count[LOOKED] >= MOST_OF_ALL * TOGETHER * blocks
    count[LOOKED], count[HITS], count[DECIDED] = 0, -1, event + TOGETHER
    if count[PAUSE] > 0:
        count[PAUSE] -= 1
    elif is_dear and blocks >= FEWEST_BLOCKS:
        last = min(end, event + TOGETHER)
        count[HITS] = int(called_at(desk.glance, desk.glanced.ctypes.data, 0, blocks * BLOCK, event, last))
        count[LOOKS_AT_BLOCKS] += blocks  # it takes as long as one event's
        dense = count[HITS] > MOSTLY_HIT * blocks
        count[LAST_PAUSE] = min(max(1, 2 * count[LAST_PAUSE]), LONGEST_PAUSE) if dense else 0
        count[PAUSE] = count[LAST_PAUSE]


@jitable
def count_hits(desk: Any, event: int, enough: int, count: float) -> float:
    """Count on in the blocks that are hit at an event."""
    bit = event - (desk.count[DECIDED] - TOGETHER)
    for one in range(desk.count[HITS]):
        hit = desk.hits[unsigned(one)]
        if hit >> bit & 1 and count < enough:
            first = hit >> 8
            count += look_at(desk, first, first + BLOCK, event, enough - count)
    return count


@jitable
def look_at(desk: Any, first: int, last: int, event: int, enough: float) -> float:
    """Of how many things, in whole blocks, the condition is true at an event, by their weights, until it is enough."""
    if first >= last:
        return 0.0
    found = called_at(desk.code, desk.table.ctypes.data, first, last, event, int(enough))
    blocks = ((desk.count[LATEST] + BLOCK if found >= enough else last) - first) // BLOCK
    desk.count[LOOKS_AT_BLOCKS] += blocks
    desk.count[LOOKED] += blocks
    return found
