"""JRS compiled.

Reference
    The reference is :mod:`model.kinds.phases.policies.jrs`.
Implements
    One loop carries out all consequences of an event: a server may request jobs, then a real or
    virtual job takes a token, which may end the pause of another server, and so on.  Each step
    therefore occurs once in the code, and is compiled once.
Symbols
    eta_max  ``rules.limit``
    a        ``asked``  [I] jobs of each type in one request
Deviations
    None.
"""

from __future__ import annotations

from typing import Any

from slotscope.model.jit import jitable, unsigned
from slotscope.model.kinds.phases.kernels.loop import (
    ARRIVES,
    DUE,
    MOVES_ON,
    begin_arrival,
    begin_tick,
    finish,
    next_due,
    run_move,
)
from slotscope.model.kinds.phases.numbers import REQUEST_KEY, ROUTE_KEY, TIMER_KEY, TOKEN_KEY, VIRTUAL_TOKEN_KEY
from slotscope.model.kinds.phases.outcome import (
    FIRST_TOKEN,
    FIRST_VIRTUAL,
    FLAGS,
    JOB,
    MADE,
    OF_TYPE,
    POOL,
    SERVER,
    TOKEN,
    TYPE,
    VIRTUALS,
)
from slotscope.model.kinds.phases.physics import put, put_on_backup
from slotscope.model.kinds.phases.programs.policy import AT_ONCE, TIMERS
from slotscope.model.kinds.phases.programs.rules import AFTER_PAUSE, ANY_TOKEN, LIMIT_IN_ALL, LIMIT_REACHED
from slotscope.model.kinds.phases.rows import (
    FLAG_MATCHED,
    FLAG_MISSED,
    FLAG_OVERFLOW,
    FLAG_REQUESTED,
    FLAG_RESUMED,
    FLAG_VIRTUAL,
)
from slotscope.model.kinds.phases.state import FIRST_BACKUP, MATCHED, NEXT_REQUEST, NEXT_TOKEN, NEXT_VIRTUAL
from slotscope.model.kinds.phases.timers import start_timer, stop_timer
from slotscope.model.kinds.phases.tokens import begin_request, make_token, take_virtual, use_token
from slotscope.model.systems.compiled import AT_FLAG, AT_LIMIT
from slotscope.model.systems.random_words import below, random_word, uniform

State = Any
Array = Any

# What a server does next: nothing; start a timer; extend ``asked`` by the chain of case 2, then make
# the request; or make the request in ``asked`` as it is.
RESTS, TIMER, LOOKS, ASKS = range(4)

# Positions in ``step``, the next step within the event.
THEN = 0  # one of the above
ON = 1  # the server that does it
PLACE = 2  # the configuration (its place in the lattice) at which the chain begins
COUNT = 3  # the number of jobs in ``asked``
OF = 4  # the pool whose tokens are concerned
KIND = 5  # the type of the token that is to be taken
POSITION = 6  # the position of this token among those of its pool and type
KEEPS = 7  # whether the token limit must be checked, because tokens have changed
ASKED = 8  # the first type of the last request
STEPS = 9


@jitable
def arrival(state: State, tables: Any, rules: Any, record: int, step: Array, outcome: Array) -> int:
    """Step 2: put an arriving job on a backup server (returns -1), or choose its token and write it to
    *step* (returns the job's record)."""
    pool = pool_for(tables, rules, outcome[JOB], outcome[TYPE])
    count = state.token_count[unsigned(pool), unsigned(outcome[TYPE])]
    outcome[POOL] = pool
    outcome[OF_TYPE] = count
    if count == 0:
        outcome[SERVER] = FIRST_BACKUP - put_on_backup(state, tables, record, pool)
        outcome[FLAGS] |= FLAG_OVERFLOW
        return -1
    step[OF] = pool
    step[KIND] = outcome[TYPE]
    step[POSITION] = below(random_word(tables.key[TOKEN_KEY], outcome[JOB], 0), count)
    return record


@jitable
def pool_for(tables: Any, rules: Any, job: int, job_type: int) -> int:
    """The pool that an arriving job is routed to."""
    last = rules.route.shape[1] - 1
    pool = 0
    if last > 0:
        share = uniform(random_word(tables.key[ROUTE_KEY], job, 0))
        while pool < last and rules.route[unsigned(job_type), unsigned(pool)] < share:
            pool += 1
    return pool


@jitable
def tick(state: State, tables: Any, rules: Any, server: int, asked: Array, step: Array, outcome: Array) -> None:
    """Step 1: prepare the proactive request of the server whose timer has rung, in *asked* and *step*."""
    on = unsigned(server)
    number = state.timer_number[on]
    stop_timer(state, server)
    pool, place = unsigned(rules.pool_of[on]), unsigned(state.observed[on])
    outcome[POOL] = rules.pool_of[on]
    step[ON] = server
    step[COUNT] = 1
    if rules.case[pool, place] == TIMERS:
        share = uniform(random_word(tables.key[TIMER_KEY], number, 1))
        job_type = unsigned(type_for(rules.timer, pool, place, share))
        asked[job_type] = 1
        step[THEN] = LOOKS
        step[PLACE] = tables.up[place, job_type]
    else:
        step[THEN] = ASKS
        for kind in range(len(asked)):
            asked[unsigned(kind)] = rules.asks[pool, place, unsigned(kind)]


@jitable
def type_for(shares: Array, pool: Any, place: Any, share: float) -> int:
    """The first type whose cumulative share, in *shares* [P, C, I], reaches *share*."""
    last = shares.shape[2] - 1
    job_type = 0
    while job_type < last and shares[pool, place, unsigned(job_type)] < share:
        job_type += 1
    return job_type


@jitable
def after_move(state: State, rules: Any, server: int, step: Array, outcome: Array) -> None:
    """Step 1: after a job on a server has moved, let the server make a reactive request unless it is paused."""
    on = unsigned(server)
    if state.tokens_on[on] == 0:
        look(state, server, step)
    elif rules.case[unsigned(rules.pool_of[on]), unsigned(state.observed[on])] == AT_ONCE:
        outcome[FLAGS] |= FLAG_MISSED


@jitable
def look(state: State, server: int, step: Array) -> None:
    """Set *step* so that the server checks whether its configuration requests jobs at once (case 2)."""
    step[THEN] = LOOKS
    step[ON] = server
    step[PLACE] = state.observed[unsigned(server)]
    step[COUNT] = 0


@jitable
def act(state: State, tables: Any, rules: Any, asked: Array, step: Array, outcome: Array) -> None:
    """Let the server in *step* make a request or start a new timer."""
    server = step[ON]
    pool = rules.pool_of[unsigned(server)]
    if step[THEN] == LOOKS:
        chain(state, tables, rules, pool, asked, step)
    if step[COUNT] > 0:
        step[ASKED] = first_of(asked)
        request(state, pool, server, asked, outcome)
        step[OF] = pool
        step[KEEPS] = 1
    else:
        place = state.observed[unsigned(server)]
        start_timer(state, tables, server, rules.rate[unsigned(pool), unsigned(place)])
    step[THEN] = RESTS


@jitable
def chain(state: State, tables: Any, rules: Any, pool: int, asked: Array, step: Array) -> None:
    """Add to *asked* one job after another while the configuration that they lead to is in case 2."""
    place, count = step[PLACE], step[COUNT]
    while rules.case[unsigned(pool), unsigned(place)] == AT_ONCE:
        word = random_word(tables.key[REQUEST_KEY], state.number[NEXT_REQUEST], count)
        share = uniform(word)
        job_type = unsigned(type_for(rules.choice, unsigned(pool), unsigned(place), share))
        asked[job_type] += 1
        count += 1
        place = tables.up[unsigned(place), job_type]
    step[COUNT] = count


@jitable
def first_of(asked: Array) -> int:
    """The lowest type in a request."""
    kind = 0
    while asked[unsigned(kind)] == 0:
        kind += 1
    return kind


@jitable
def request(state: State, pool: int, server: int, asked: Array, outcome: Array) -> None:
    """Generate a token for each job in *asked*, and clear *asked*."""
    if outcome[FIRST_TOKEN] < 0:
        outcome[FIRST_TOKEN] = state.number[NEXT_TOKEN]
    begin_request(state)
    for job_type in range(len(asked)):
        for _ in range(asked[unsigned(job_type)]):
            make_token(state, pool, job_type, server)
            outcome[MADE] += 1
        asked[unsigned(job_type)] = 0
    stop_timer(state, server)
    outcome[FLAGS] |= FLAG_REQUESTED


@jitable
def virtual_arrival(state: State, tables: Any, rules: Any, step: Array, outcome: Array) -> int:
    """If the token limit is exceeded, let a virtual job arrive and write the token that it is to take to *step*;
    returns the record of the virtual job, or -1."""
    pool = step[OF]
    kind = over_limit(state, rules, pool, step[ASKED]) if step[KEEPS] else -1
    if kind < 0:
        return -1
    together = rules.option[LIMIT_IN_ALL] == ANY_TOKEN
    count = state.token_count[unsigned(pool), unsigned(kind)]
    if together:
        count = in_all(state, pool)
    number = state.number[NEXT_VIRTUAL]
    position = below(random_word(tables.key[VIRTUAL_TOKEN_KEY], number, 0), count)
    while together and position >= state.token_count[unsigned(pool), unsigned(kind)]:
        position -= state.token_count[unsigned(pool), unsigned(kind)]
        kind += 1
    if outcome[FIRST_VIRTUAL] < 0:
        outcome[FIRST_VIRTUAL] = number
    outcome[VIRTUALS] += 1
    outcome[FLAGS] |= FLAG_VIRTUAL
    step[KIND] = kind
    step[POSITION] = position
    return int(take_virtual(state, kind, pool))


@jitable
def over_limit(state: State, rules: Any, pool: int, asked: int) -> int:
    """The first type with too many tokens, or -1; with one limit for all types, as in the reference."""
    most = max(rules.limit[unsigned(pool)] - rules.option[LIMIT_REACHED], 0)
    types = state.token_count.shape[1]
    if rules.option[LIMIT_IN_ALL]:
        if in_all(state, pool) <= most:
            return -1
        if rules.option[LIMIT_IN_ALL] == ANY_TOKEN:
            return 0
        kind = asked
        while state.token_count[unsigned(pool), unsigned(kind)] == 0:
            kind = (kind + 1) % types
        return int(kind)
    for kind in range(types):
        if state.token_count[unsigned(pool), unsigned(kind)] > most:
            return kind
    return -1


@jitable
def in_all(state: State, pool: int) -> int:
    """The number of tokens of all types in a pool."""
    total = 0
    for kind in range(state.token_count.shape[1]):
        total += state.token_count[unsigned(pool), unsigned(kind)]
    return total


@jitable
def take_token(state: State, tables: Any, rules: Any, record: int, step: Array, outcome: Array) -> None:
    """Let a job take the token in *step* and join its server, whose pause ends if it has no tokens left."""
    server = use_token(state, step[OF], step[KIND], step[POSITION], record)
    put(state, tables, record, server)
    if not state.job_virtual[unsigned(record)]:
        outcome[SERVER] = server
        outcome[TOKEN] = state.job_token[unsigned(record)]
        outcome[FLAGS] |= FLAG_MATCHED
        state.tally[MATCHED, unsigned(step[KIND])] += 1
        step[KEEPS] = 1
    if state.tokens_on[unsigned(server)] == 0:
        outcome[FLAGS] |= FLAG_RESUMED
        look(state, server, step)
        if not rules.option[AFTER_PAUSE]:
            step[THEN] = TIMER


@jitable
def begin(
    state: State,
    tables: Any,
    rules: Any,
    jobs: Any,
    constant: Array,
    due: int,
    asked: Array,
    step: Array,
    outcome: Array,
) -> int:
    """The event itself, without its consequences; returns the record of a job that is to take a token,
    or -1."""
    step[THEN] = RESTS
    step[KEEPS] = 0
    step[ASKED] = 0
    if due == ARRIVES:
        record = begin_arrival(state, jobs, constant, outcome)
        return int(arrival(state, tables, rules, record, step, outcome))
    if due == MOVES_ON:
        server = run_move(state, tables, outcome)
        if server >= 0:
            after_move(state, rules, server, step, outcome)
    else:
        tick(state, tables, rules, begin_tick(state, outcome), asked, step, outcome)
    return -1


def advance(
    state: State,
    tables: Any,
    rules: Any,
    asked: Array,
    step: Array,
    jobs: Any,
    constant: Array,
    until: float,
    tape: Array,
    samples: Array,
    done: Array,
    outcome: Array,
) -> int:
    """Run events; see :mod:`model.systems.compiled`.

    - *tables*: :class:`model.kinds.phases.numbers.Tables`, with a lattice.
    - *rules*: :class:`model.kinds.phases.programs.rules.Rules`.
    - *asked*, *step*: Scratch arrays: [I] zeros, and [STEPS].
    """
    while done[0] < len(tape):
        due = next_due(state, jobs, constant, until, outcome)
        if due < DUE:
            return due
        came = begin(state, tables, rules, jobs, constant, due, asked, step, outcome)
        record = came
        while True:
            if step[THEN] != RESTS:
                act(state, tables, rules, asked, step, outcome)
            if record < 0:
                record = virtual_arrival(state, tables, rules, step, outcome)
            if record < 0:
                break
            take_token(state, tables, rules, record, step, outcome)
            record = -1
        if finish(state, tables, constant, came, outcome, tape, samples, done):
            return AT_FLAG
    return AT_LIMIT
