"""Counts, at an event, the things in the open classes for which a condition is true, in compiled code.

Where that takes long, a prefilter first glances at several events together, and finds the blocks of classes in which
the condition may be true at all; only those are evaluated.
"""

from __future__ import annotations

from typing import Any

from slotscope.model.jit import called_at, jitable, unsigned
from slotscope.model.questions.glance_code import TOGETHER
from slotscope.model.questions.remainders import BLOCK

# The desk's counters: open classes; the first class of the block with which the count was enough last; evaluations of
# intervals, of blocks, and of blocks in all parts.  For glances, which are decided on for several events at once: the
# event up to which that is decided; blocks that are hit, -1 without a glance; blocks evaluated since; the number of
# decisions for which glances still pause; and how many the last pause lasted.
OPENED, LATEST, LOOKS, LOOKS_AT_BLOCKS, ALL_LOOKS, DECIDED, HITS, LOOKED, PAUSE, LAST_PAUSE = range(10)
COUNTED = 10

#: A glance needs this many blocks, and events before that evaluated at least this share of the blocks on average.
FEWEST_BLOCKS, MOST_OF_ALL = 4, 0.75

#: If more than this share of the blocks is hit, glances spare little: they pause, each time twice as long, up to this.
MOSTLY_HIT, LONGEST_PAUSE = 0.5, 64


@jitable
def count_open(desk: Any, event: int, end: int, enough: int, count: float) -> float:
    """Add to *count* the things in open classes at an event, until *enough*; the block that was enough last goes first.

    A glance reaches no further than the event *end*.
    """
    if desk.glance != 0 and event >= desk.count[DECIDED]:
        decide(desk, event, end)
    if desk.count[HITS] >= 0:
        return count_hits(desk, event, enough, count)
    first, last = desk.count[LATEST], -(-desk.count[OPENED] // BLOCK) * BLOCK
    count += look_at(desk, first, last, event, enough - count)
    return count + look_at(desk, 0, first, event, enough - count) if count < enough else count


@jitable
def decide(desk: Any, event: int, end: int) -> None:
    """Glance at :data:`TOGETHER` events from *event* on, up to *end*, if that is likely to spare work on blocks."""
    count, blocks = desk.count, -(-desk.count[OPENED] // BLOCK)
    is_dear = count[HITS] >= 0 or count[LOOKED] >= MOST_OF_ALL * TOGETHER * blocks
    count[LOOKED], count[HITS], count[DECIDED] = 0, -1, event + TOGETHER
    if count[PAUSE] > 0:
        count[PAUSE] -= 1
    elif is_dear and blocks >= FEWEST_BLOCKS:
        last = min(end, event + TOGETHER)
        count[HITS] = int(called_at(desk.glance, desk.glanced.ctypes.data, 0, blocks * BLOCK, event, last))
        count[LOOKS_AT_BLOCKS] += blocks  # a glance takes as long as evaluating one event
        dense = count[HITS] > MOSTLY_HIT * blocks
        count[LAST_PAUSE] = min(max(1, 2 * count[LAST_PAUSE]), LONGEST_PAUSE) if dense else 0
        count[PAUSE] = count[LAST_PAUSE]


@jitable
def count_hits(desk: Any, event: int, enough: int, count: float) -> float:
    """Add to *count* the things in the blocks that are hit at an event, until *enough*."""
    bit = event - (desk.count[DECIDED] - TOGETHER)
    for one in range(desk.count[HITS]):
        hit = desk.hits[unsigned(one)]
        if hit >> bit & 1 and count < enough:
            first = hit >> 8
            count += look_at(desk, first, first + BLOCK, event, enough - count)
    return count


@jitable
def look_at(desk: Any, first: int, last: int, event: int, enough: float) -> float:
    """The total weight of classes *first* to *last*, whole blocks, with a true condition; it stops at *enough*."""
    if first >= last:
        return 0.0
    found = called_at(desk.code, desk.table.ctypes.data, first, last, event, int(enough))
    blocks = ((desk.count[LATEST] + BLOCK if found >= enough else last) - first) // BLOCK
    desk.count[LOOKS_AT_BLOCKS] += blocks
    desk.count[LOOKED] += blocks
    return found
