"""The policies without tokens compiled: GRAND(aZ), first fit, best fit and power of d choices.

Reference
    The references are :mod:`model.kinds.phases.policies.grand`, ``first_fit``, ``best_fit`` and
    ``power_of_d``.
Implements
    Busy servers, and those with room for each type, stand in bit sets
    (:mod:`model.kinds.phases.kernels.fits`).  All place a job in one place of the loop, so that
    it is compiled once; a kernel of one's own stands in the place of :func:`taking`.
Symbols
    l  ``server``
Deviations
    None.
"""

from __future__ import annotations

from typing import Any

from slotscope.model.jit import jitable, unsigned
from slotscope.model.kinds.phases.kernels.fits import first_without, follow, has, least_left, member
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
from slotscope.model.kinds.phases.outcome import FITTING, FLAGS, JOB, SERVER, TYPE
from slotscope.model.kinds.phases.physics import put
from slotscope.model.kinds.phases.rows import FLAG_PLACED
from slotscope.model.kinds.phases.state import REAL
from slotscope.model.kinds.phases.tables import CHOICE_KEY
from slotscope.model.systems.compiled import AT_FLAG, AT_LIMIT
from slotscope.model.systems.random_words import below, random_word

State = Any
Array = Any

#: Values of the place ``RULE`` in ``constant``, by the names of the policies.
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
    """Of d busy servers drawn with replacement the one where the job fits with the least left."""
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

    - *tables*: :class:`model.kinds.phases.tables.Tables`.
    - *index*: :class:`model.kinds.phases.kernels.fits.Fits`.
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
