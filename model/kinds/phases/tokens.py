"""Requests, tokens and the jobs that take them, written once for reference engine and kernels.

Hong, Xie & Wang (2023), Section 4.2.  Nothing here decides or checks, as in
:mod:`model.kinds.phases.physics`.
"""

from __future__ import annotations

from typing import Any

from slotscope.model.jit import jitable, unsigned
from slotscope.model.kinds.phases.physics import put, take_record
from slotscope.model.kinds.phases.state import (
    MATCHED,
    NEXT_REQUEST,
    NEXT_TOKEN,
    NEXT_VIRTUAL,
    NOW,
    PAUSED,
    REQUESTED,
    TOKENS,
    VIRTUAL_ARRIVED,
)

State = Any


@jitable
def begin_request(state: State) -> None:
    """A server makes a request; its tokens follow."""
    state.number[NEXT_REQUEST] += 1


@jitable
def make_token(state: State, pool: int, job_type: int, server: int) -> None:
    """A token becomes the youngest of its pool and type; its server is paused."""
    of, kind, on = unsigned(pool), unsigned(job_type), unsigned(server)
    place = unsigned(state.token_count[of, kind])
    state.token_server[of, kind, place] = server
    state.token_number[of, kind, place] = state.number[NEXT_TOKEN]
    state.token_time[of, kind, place] = state.clock[NOW]
    state.token_count[of, kind] += 1
    state.number[NEXT_TOKEN] += 1
    state.number[TOKENS] += 1
    state.tokens[on, kind] += 1
    if state.tokens_on[on] == 0:
        state.number[PAUSED] += 1
    state.tokens_on[on] += 1
    state.tally[REQUESTED, kind] += 1


@jitable
def use_token(state: State, pool: int, job_type: int, position: int, record: int) -> int:
    """A job takes the token at a position of its list (0: the oldest); returns its server."""
    of, kind, at = unsigned(pool), unsigned(job_type), unsigned(record)
    place = unsigned(position)
    server = state.token_server[of, kind, place]
    state.job_token[at] = state.token_number[of, kind, place]
    state.job_token_time[at] = state.token_time[of, kind, place]
    state.job_pool[at] = pool
    last = state.token_count[of, kind] - 1
    for later in range(position, last):
        to, source = unsigned(later), unsigned(later + 1)
        state.token_server[of, kind, to] = state.token_server[of, kind, source]
        state.token_number[of, kind, to] = state.token_number[of, kind, source]
        state.token_time[of, kind, to] = state.token_time[of, kind, source]
    state.token_server[of, kind, unsigned(last)] = -1
    state.token_number[of, kind, unsigned(last)] = -1
    state.token_time[of, kind, unsigned(last)] = 0.0
    state.token_count[of, kind] = last
    state.number[TOKENS] -= 1
    on = unsigned(server)
    state.tokens[on, kind] -= 1
    state.tokens_on[on] -= 1
    if state.tokens_on[on] == 0:
        state.number[PAUSED] -= 1
    return int(server)


@jitable
def match(state: State, tables: Any, record: int, pool: int, position: int) -> int:
    """A real job takes a token and goes to its server, which is returned."""
    job_type = state.job_type[unsigned(record)]
    server = use_token(state, pool, job_type, position, record)
    state.tally[MATCHED, job_type] += 1
    put(state, tables, record, server)
    return server


@jitable
def arrive_virtually(state: State, tables: Any, pool: int, job_type: int, position: int) -> int:
    """A virtual job takes a token and goes to its server, which is returned."""
    record = take_virtual(state, job_type, pool)
    server = use_token(state, pool, job_type, position, record)
    put(state, tables, record, server)
    return server


@jitable
def take_virtual(state: State, job_type: int, pool: int) -> int:
    """A virtual job arrives; returns its record."""
    record = take_record(state, state.number[NEXT_VIRTUAL], job_type, pool)
    state.number[NEXT_VIRTUAL] += 1
    state.job_virtual[unsigned(record)] = 1
    state.tally[VIRTUAL_ARRIVED, unsigned(job_type)] += 1
    return int(record)
