"""The policies without tokens compiled: GRAND(aZ), first fit, best fit and power of d choices.

Reference
    The references are :mod:`model.kinds.phases.policies.grand`, ``first_fit``, ``best_fit`` and
    ``power_of_d``.
Implements
    Bit sets (:class:`Fits`) hold the busy servers, and the servers with room for each type.  An event changes
    one server, so that an update costs one step for each type and resource, and a policy counts and
    chooses among 64 servers at a time.  All policies share the code that places a job, so that it is compiled
    once; the kernel of a user-written policy replaces :func:`taking`.
Symbols
    l  ``server``
Deviations
    None.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import jitable, lowest_bit, unsigned
from slotscope.model.kinds.phases.kernels.loop import (
    ARRIVES,
    DRAWS,
    DUE,
    RULE,
    SHARE_DENOMINATOR,
    SHARE_NUMERATOR,
    begin_arrival,
    finish,
    next_due,
    run_move,
)
from slotscope.model.kinds.phases.numbers import CHOICE_KEY, PhaseNumbers
from slotscope.model.kinds.phases.outcome import FITTING, FLAGS, JOB, SERVER, TYPE
from slotscope.model.kinds.phases.physics import put
from slotscope.model.kinds.phases.rows import FLAG_PLACED
from slotscope.model.kinds.phases.state import REAL, PhaseState
from slotscope.model.systems import bitset
from slotscope.model.systems.bitset import ALL_BITS, LOW, NO_BITS, ONE, SIX
from slotscope.model.systems.compiled import AT_FLAG, AT_LIMIT
from slotscope.model.systems.random_words import below, random_word

PAIRS = np.uint64(0x5555555555555555)
FOURS = np.uint64(0x3333333333333333)
EIGHTS = np.uint64(0x0F0F0F0F0F0F0F0F)
BYTES = np.uint64(0x0101010101010101)
TWO, FOUR, TOP_BYTE = np.uint64(2), np.uint64(4), np.uint64(56)


class Fits(NamedTuple):
    """I types, D resources, S servers, W words of 64 servers."""

    need: NDArray[np.int64]  #: [I, D] units that an arriving job takes, by present or by peak demand
    limit: NDArray[np.int64]  #: [D] units that the jobs of a server may take together
    weight: NDArray[np.int64]  #: [D] weight of one unit left
    by_peak: NDArray[np.int64]  #: [1] whether jobs count by their peak demand
    most_jobs: NDArray[np.int64]  #: [1] K_max
    busy: NDArray[np.uint64]  #: [1, W] servers with a real job
    room: NDArray[np.uint64]  #: [I, W] busy servers with room for one more job of a type
    members: NDArray[np.int64]  #: [I + 1] number of servers with room for each type; last: of busy servers
    left: NDArray[np.int64]  #: [S] weighted sum of the units left on each server


def fits_of(state: PhaseState, policy: Any, numbers: PhaseNumbers) -> Fits:
    """Build the bit sets of a state for a *policy*, a :class:`..policies.fitting.FittingPolicy`."""
    servers, types = state.real.shape
    words = bitset.words_for(servers)
    fits = Fits(
        need=np.ascontiguousarray(numbers.peak if policy.by_peak else numbers.demand),
        limit=policy.limit,
        weight=getattr(policy, "weight", np.zeros_like(policy.limit)),
        by_peak=np.array([policy.by_peak], np.int64),
        most_jobs=np.array([numbers.model.most_jobs], np.int64),
        busy=np.zeros((1, words), np.uint64),
        room=np.zeros((types, words), np.uint64),
        members=np.zeros(types + 1, np.int64),
        left=np.zeros(servers, np.int64),
    )
    for server in np.flatnonzero(state.jobs_on):
        follow(fits, state, int(server))
    return fits


@jitable
def follow(fits: Any, state: State, server: int) -> None:
    """Update the bit sets after the jobs on a server have changed."""
    on = unsigned(server)
    jobs = state.jobs_on[on]
    types = fits.need.shape[0]
    taken = state.peak_use if fits.by_peak[0] else state.use
    left = 0
    for d in range(len(fits.limit)):
        left += (fits.limit[unsigned(d)] - taken[on, unsigned(d)]) * fits.weight[unsigned(d)]
    fits.left[on] = left
    fits.members[types] += put_bit(fits.busy, 0, server, jobs > 0)
    open_to_jobs = 0 < jobs < fits.most_jobs[0]
    for kind in range(types):
        enough = open_to_jobs
        for d in range(len(fits.limit)):
            free = fits.limit[unsigned(d)] - taken[on, unsigned(d)]
            enough = enough and fits.need[unsigned(kind), unsigned(d)] <= free
        fits.members[kind] += put_bit(fits.room, kind, server, enough)


@jitable
def put_bit(words: Array, row: int, member: int, wanted: bool) -> int:
    """Add (or remove) a member of a row's bit set; returns by how many members the set has grown: 1, 0 or -1."""
    place = np.uint64(member)
    at, word = unsigned(row), place >> SIX
    bit = ONE << (place & LOW)
    before = words[at, word]
    after = before | bit if wanted else before & ~bit
    words[at, word] = after
    return int(after > before) - int(after < before)


@jitable
def has(words: Array, row: int, member: int) -> bool:
    """Whether a row's bit set has a member."""
    place = np.uint64(member)
    return bool((words[unsigned(row), place >> SIX] >> (place & LOW)) & ONE)


@jitable
def ones(word: Any) -> int:
    """The number of set bits of a word, in a form that compilers turn into one instruction."""
    word = word - ((word >> ONE) & PAIRS)
    word = (word & FOURS) + ((word >> TWO) & FOURS)
    word = (word + (word >> FOUR)) & EIGHTS
    return int((word * BYTES) >> TOP_BYTE)


@jitable
def member(words: Array, row: int, position: int) -> int:
    """The member of a row's bit set at a *position* in ascending order, from 0; the set must have more members."""
    at, word = unsigned(row), 0
    many = ones(words[at, unsigned(word)])
    while position >= many:
        position -= many
        word += 1
        many = ones(words[at, unsigned(word)])
    rest = words[at, unsigned(word)]
    for _ in range(position):
        rest &= rest - ONE
    return (word << 6) + lowest_bit(rest)


@jitable
def first_without(words: Array, row: int) -> int:
    """The lowest number that is not a member of a row's bit set; there must be one."""
    word = 0
    while words[unsigned(row), unsigned(word)] == ALL_BITS:
        word += 1
    return (word << 6) + lowest_bit(~words[unsigned(row), unsigned(word)])


@jitable
def least_left(fits: Any, kind: int) -> int:
    """The first of the servers with room for a type that have the least left; there must be one."""
    found = -1
    least = 0
    for word in range(fits.room.shape[1]):
        rest = fits.room[unsigned(kind), unsigned(word)]
        while rest != NO_BITS:
            server = (word << 6) + lowest_bit(rest)
            rest &= rest - ONE
            left = fits.left[unsigned(server)]
            if found < 0 or left < least:
                found = server
                least = left
    return found


State = Any
Array = Any

#: The policies' names; the value of ``constant[RULE]`` is a policy's position here.
RULES = ("first-fit", "best-fit", "grand", "power-of-d")
FIRST_FIT, BEST_FIT, GRAND, POWER_OF_D = range(4)


@jitable
def chosen(state: State, tables: Any, index: Any, constant: Array, outcome: Array) -> int:
    """The busy server that takes the arriving job, or -1 for an idle one."""
    job, kind = outcome[JOB], outcome[TYPE]
    if constant[RULE] == POWER_OF_D:
        return int(tightest_drawn(tables, index, constant, outcome))
    fitting = index.members[unsigned(kind)]
    outcome[FITTING] = fitting
    if constant[RULE] == BEST_FIT:
        return int(least_left(index, kind))
    position = 0
    if constant[RULE] == GRAND:
        up = constant[SHARE_DENOMINATOR] - 1
        total = (constant[SHARE_NUMERATOR] * state.number[REAL] + up) // constant[SHARE_DENOMINATOR]
        total += fitting
        if total > 0:
            position = below(random_word(tables.key[CHOICE_KEY], job, 0), total)
    return int(member(index.room, kind, position)) if position < fitting else -1


@jitable
def taking(state: State, tables: Any, index: Any, constant: Array, outcome: Array) -> int:
    """The server that takes the arriving job, busy or idle."""
    server = chosen(state, tables, index, constant, outcome)
    if server < 0 or constant[RULE] == FIRST_FIT:
        idle = first_without(index.busy, 0)
        server = idle if server < 0 or idle < server else server
    return server


@jitable
def tightest_drawn(tables: Any, index: Any, constant: Array, outcome: Array) -> int:
    """Of d busy servers drawn with replacement, the one with the least left that the job fits, or -1."""
    busy = index.members[index.room.shape[0]]
    outcome[FITTING] = 0
    found = -1
    if busy == 0:
        return found
    for draw in range(constant[DRAWS]):
        word = random_word(tables.key[CHOICE_KEY], outcome[JOB], draw)
        server = member(index.busy, 0, below(word, busy))
        if has(index.room, outcome[TYPE], server):
            outcome[FITTING] += 1
            if found < 0 or index.left[unsigned(server)] < index.left[unsigned(found)]:
                found = server
    return found


def advance(
    state: State,
    tables: Any,
    index: Any,
    jobs: Any,
    constant: Array,
    until: float,
    tape: Array,
    samples: Array,
    done: Array,
    outcome: Array,
) -> int:
    """Run events; see :mod:`model.systems.compiled`.

    - *tables*: :class:`model.kinds.phases.numbers.Tables`.
    - *index*: :class:`model.kinds.phases.kernels.fitting.Fits`.
    """
    while done[0] < len(tape):
        due = next_due(state, jobs, constant, until, outcome)
        if due < DUE:
            return due
        if due == ARRIVES:
            record = begin_arrival(state, jobs, constant, outcome)
            server = taking(state, tables, index, constant, outcome)
            put(state, tables, record, server)
            outcome[SERVER] = server
            outcome[FLAGS] |= FLAG_PLACED
        else:
            server = run_move(state, tables, outcome)
        follow(index, state, server)
        if finish(state, tables, constant, -1, outcome, tape, samples, done):
            return AT_FLAG
    return AT_LIMIT
