"""Requests, tokens and the jobs that take them; shared by the reference engine and the kernels.

Hong, Xie & Wang (2023), Section 4.2.  Like :mod:`model.kinds.phases.physics`, this code neither decides
nor checks.
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
    """Count a request of a server; its tokens follow."""
    state.number[NEXT_REQUEST] += 1


@jitable
def make_token(state: State, pool: int, job_type: int, server: int) -> None:
    """Append a token to the list of its pool and type, as the youngest; its server is paused."""
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
    """Let a job take the token at a position of its list (0: the oldest); return the token's server."""
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
    """Let a real job take a token and join its server; return the server."""
    job_type = state.job_type[unsigned(record)]
    server = use_token(state, pool, job_type, position, record)
    state.tally[MATCHED, job_type] += 1
    put(state, tables, record, server)
    return server


@jitable
def arrive_virtually(state: State, tables: Any, pool: int, job_type: int, position: int) -> int:
    """Let a virtual job arrive, take a token and join its server; return the server."""
    record = take_virtual(state, job_type, pool)
    server = use_token(state, pool, job_type, position, record)
    put(state, tables, record, server)
    return server


@jitable
def take_virtual(state: State, job_type: int, pool: int) -> int:
    """A virtual job arrives; return its record."""
    record = take_record(state, state.number[NEXT_VIRTUAL], job_type, pool)
    state.number[NEXT_VIRTUAL] += 1
    state.job_virtual[unsigned(record)] = 1
    state.tally[VIRTUAL_ARRIVED, unsigned(job_type)] += 1
    return int(record)
