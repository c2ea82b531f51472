"""How events change the state; shared by the reference engine and the kernels.

This code neither decides nor checks: the system checks each decision before.  Unsigned indices (``unsigned``)
spare the compiled code a test for negative ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from slotscope.model.jit import jitable, unsigned
from slotscope.model.kinds.phases.numbers import REAL_KEY, VIRTUAL_KEY
from slotscope.model.kinds.phases.state import (
    ACTIVE,
    ARRIVED,
    BACKUP,
    COST,
    DEPARTED,
    FIRST_BACKUP,
    FREE,
    INTEGRATED,
    MOVES,
    NOW,
    OVERFLOWED,
    REAL,
    VIRTUAL,
    VIRTUAL_LEFT,
)
from slotscope.model.systems.heap import pop as heap_pop
from slotscope.model.systems.heap import push as heap_push
from slotscope.model.systems.random_words import exponential, mixed, start_of, uniform, word_at

State = Any
Array = Any


@jitable
def go_on(state: State, time: float) -> None:
    """Advance the clock to *time*, and the integrals with it."""
    elapsed = time - state.clock[NOW]
    area, number = state.area, state.number
    for place in range(len(INTEGRATED)):
        area[place] += number[INTEGRATED[place]] * elapsed
    state.clock[NOW] = time


@jitable
def take_record(state: State, number: int, job_type: int, pool: int) -> int:
    """Take a free job record for a new job, which is on no server yet; return it."""
    free = state.number[FREE] - 1
    state.number[FREE] = free
    record = state.free_record[unsigned(free)]
    at = unsigned(record)
    state.free_record[unsigned(free)] = -1
    state.job_number[at] = number
    state.job_type[at] = job_type
    state.job_phase[at] = job_type
    state.job_pool[at] = pool
    state.job_arrival[at] = state.clock[NOW]
    return int(record)


@jitable
def arrive(state: State, number: int, job_type: int) -> int:
    """A real job arrives; return its record."""
    state.tally[ARRIVED, job_type] += 1
    return take_record(state, number, job_type, 0)


@jitable
def draw_move(state: State, tables: Any, record: int) -> None:
    """Draw when the job leaves its phase, and its next phase, as a function of the job's number and its moves so far.

    A phase with total rate 0 is left only when a script says so.
    """
    at = unsigned(record)
    phase = unsigned(state.job_phase[at])
    if tables.out_rate[phase] <= 0.0:
        state.job_due[at] = np.inf
        state.job_next[at] = -1
        return
    key = tables.key[VIRTUAL_KEY] if state.job_virtual[at] else tables.key[REAL_KEY]
    number = state.job_number[at]
    moves = state.job_moves[at]
    start = start_of(key, number)
    time = exponential(word_at(start, 2 * moves)) / tables.out_rate[phase]
    where = uniform(word_at(start, 2 * moves + 1))
    phases = tables.next_phase.shape[1]
    following = 0
    while following < phases and where > tables.next_phase[phase, unsigned(following)]:
        following += 1
    state.job_next[at] = following
    state.job_due[at] = state.clock[NOW] + time


@jitable
def schedule(state: State, record: int) -> None:
    """Push the job's next move on the heap, if it has one."""
    size = state.number[MOVES]
    due = state.job_due[unsigned(record)]
    if due == np.inf:
        return
    heap_push(state.heap_time, state.heap_record, size, due, record, state.job_number)
    state.number[MOVES] = size + 1


@jitable
def cost_of(tables: Any, row: Array, use: Array, server: int) -> int:
    """h of the real jobs of a server, in units of cost; *row* [S, I]: jobs by phase, *use* [S, D]: units in use."""
    at = unsigned(server)
    if tables.power[0] == 0:
        place = 0
        for phase in range(row.shape[1]):
            for _ in range(row[at, unsigned(phase)]):
                place = tables.up[unsigned(place), unsigned(phase)]
        return int(tables.cost_table[unsigned(place)])
    total = 0
    for d in range(use.shape[1]):
        excess = use[at, unsigned(d)] - tables.capacity[unsigned(d)]
        if excess > 0:
            if tables.power[0] == 2:
                excess *= excess
            total += excess * tables.weight[unsigned(d)]
    return total


@jitable
def settle_cost(state: State, tables: Any, server: int) -> None:
    """Update the cost of a server whose real jobs have changed."""
    cost = cost_of(tables, state.real, state.use, server)
    state.number[COST] += cost - state.cost[unsigned(server)]
    state.cost[unsigned(server)] = cost


@jitable
def observe(state: State, server: int, place: int) -> None:
    """Change the observed configuration of a server to *place*; the time in the old one is added to its occupancy."""
    at = unsigned(server)
    now = state.clock[NOW]
    state.occupancy[unsigned(state.observed[at])] += now - state.observed_since[at]
    state.observed[at] = place
    state.observed_since[at] = now


@jitable
def add_use(state: State, tables: Any, server: int, phase: int, jobs: int) -> None:
    """Add the current demand of *jobs* real jobs in a phase to the server's use; *jobs* may be negative."""
    at = unsigned(server)
    for d in range(state.use.shape[1]):
        state.use[at, unsigned(d)] += jobs * tables.demand[unsigned(phase), unsigned(d)]


@jitable
def add_peak_use(state: State, tables: Any, server: int, job_type: int, jobs: int) -> None:
    """Add the peak demand of *jobs* real jobs of a type to the server's; *jobs* may be negative."""
    at = unsigned(server)
    for d in range(state.use.shape[1]):
        state.peak_use[at, unsigned(d)] += jobs * tables.peak[unsigned(job_type), unsigned(d)]


@jitable
def put(state: State, tables: Any, record: int, server: int) -> None:
    """Put a new job, real or virtual, into service on a server, in the phase of its type; draw its first move."""
    settle(state, tables, record, server)
    draw_move(state, tables, record)
    schedule(state, record)


@jitable
def settle(state: State, tables: Any, record: int, server: int) -> None:
    """Put a job on a server, in its current phase; its next move is not changed."""
    at, on = unsigned(record), unsigned(server)
    phase = state.job_phase[at]
    state.job_server[at] = server
    if state.job_virtual[at]:
        state.virtual[on, unsigned(phase)] += 1
        state.number[VIRTUAL] += 1
    else:
        state.real[on, unsigned(phase)] += 1
        state.number[REAL] += 1
        if state.jobs_on[on] == 0:
            state.number[ACTIVE] += 1
        state.jobs_on[on] += 1
        add_use(state, tables, server, phase, 1)
        add_peak_use(state, tables, server, state.job_type[at], 1)
        settle_cost(state, tables, server)
    if len(state.observed):
        observe(state, server, tables.up[unsigned(state.observed[on]), unsigned(phase)])


@jitable
def put_on_backup(state: State, tables: Any, record: int, pool: int) -> int:
    """Put a real job on the idle backup server of lowest number of a pool; return that server."""
    at, of = unsigned(record), unsigned(pool)
    backup = state.backup_idle[of]
    state.backup_record[of, unsigned(backup)] = record
    following = backup + 1
    last = state.backup_record.shape[1]
    while following < last and state.backup_record[of, unsigned(following)] >= 0:
        following += 1
    state.backup_idle[of] = following
    state.job_pool[at] = pool
    state.job_server[at] = FIRST_BACKUP - backup
    state.number[REAL] += 1
    state.number[BACKUP] += 1
    state.number[ACTIVE] += 1
    state.number[COST] += backup_cost(tables, state.job_phase[at])
    state.tally[OVERFLOWED, state.job_type[at]] += 1
    draw_move(state, tables, record)
    schedule(state, record)
    return int(backup)


@jitable
def backup_cost(tables: Any, phase: int) -> int:
    """h of one job alone on a server, in units of cost."""
    if tables.power[0] == 0:
        return int(tables.cost_table[unsigned(tables.up[0, unsigned(phase)])])
    total = 0
    for d in range(len(tables.capacity)):
        excess = tables.demand[unsigned(phase), unsigned(d)] - tables.capacity[unsigned(d)]
        if excess > 0:
            if tables.power[0] == 2:
                excess *= excess
            total += excess * tables.weight[unsigned(d)]
    return total


@jitable
def move(state: State, tables: Any, record: int, phase: int) -> None:
    """Change a job's phase where it is, and draw its next move."""
    at = unsigned(record)
    before = state.job_phase[at]
    server = state.job_server[at]
    state.job_phase[at] = phase
    state.job_moves[at] += 1
    if server < 0:
        state.number[COST] += backup_cost(tables, phase) - backup_cost(tables, before)
    elif state.job_virtual[at]:
        state.virtual[unsigned(server), unsigned(before)] -= 1
        state.virtual[unsigned(server), unsigned(phase)] += 1
    else:
        state.real[unsigned(server), unsigned(before)] -= 1
        state.real[unsigned(server), unsigned(phase)] += 1
        add_use(state, tables, server, before, -1)
        add_use(state, tables, server, phase, 1)
        settle_cost(state, tables, server)
    if server >= 0 and len(state.observed):
        place = tables.down[unsigned(state.observed[unsigned(server)]), unsigned(before)]
        observe(state, server, tables.up[unsigned(place), unsigned(phase)])
    draw_move(state, tables, record)
    if is_next(state, record):
        schedule_again(state, record)


@jitable
def is_next(state: State, record: int) -> bool:
    """Whether the job's move is first in the heap; with a script the heap is empty."""
    return bool(state.number[MOVES] > 0 and state.heap_record[0] == record)


@jitable
def schedule_again(state: State, record: int) -> None:
    """Replace the move of the first job in the heap by the job's new one, which sinks from the top.

    If the job has no next move, it is removed from the heap.
    """
    size = state.number[MOVES]
    if state.job_due[unsigned(record)] == np.inf:
        heap_pop(state.heap_time, state.heap_record, size, state.job_number)
        state.number[MOVES] = size - 1
        return
    state.heap_time[unsigned(size)] = state.job_due[unsigned(record)]
    state.heap_record[unsigned(size)] = record
    heap_pop(state.heap_time, state.heap_record, size + 1, state.job_number)


@jitable
def leave(state: State, tables: Any, record: int) -> None:
    """A job departs; its record becomes free."""
    if is_next(state, record):
        size = state.number[MOVES]
        heap_pop(state.heap_time, state.heap_record, size, state.job_number)
        state.number[MOVES] = size - 1
    at = unsigned(record)
    server = state.job_server[at]
    phase = state.job_phase[at]
    job_type = state.job_type[at]
    if state.job_virtual[at]:
        state.virtual[unsigned(server), unsigned(phase)] -= 1
        state.number[VIRTUAL] -= 1
        state.tally[VIRTUAL_LEFT, job_type] += 1
    else:
        state.number[REAL] -= 1
        state.tally[DEPARTED, job_type] += 1
        if server < 0:
            leave_backup(state, tables, record)
        else:
            leave_server(state, tables, server, phase, job_type)
    if server >= 0 and len(state.observed):
        observe(state, server, tables.down[unsigned(state.observed[unsigned(server)]), unsigned(phase)])
    release(state, record)


@jitable
def leave_server(state: State, tables: Any, server: int, phase: int, job_type: int) -> None:
    """Take a real job off its server."""
    on = unsigned(server)
    state.real[on, unsigned(phase)] -= 1
    state.jobs_on[on] -= 1
    if state.jobs_on[on] == 0:
        state.number[ACTIVE] -= 1
    add_use(state, tables, server, phase, -1)
    add_peak_use(state, tables, server, job_type, -1)
    settle_cost(state, tables, server)


@jitable
def leave_backup(state: State, tables: Any, record: int) -> None:
    """Take a job off its backup server, which becomes idle."""
    at = unsigned(record)
    backup = FIRST_BACKUP - state.job_server[at]
    pool = unsigned(state.job_pool[at])
    state.backup_record[pool, unsigned(backup)] = -1
    state.backup_idle[pool] = min(state.backup_idle[pool], backup)
    state.number[BACKUP] -= 1
    state.number[ACTIVE] -= 1
    state.number[COST] -= backup_cost(tables, state.job_phase[at])


@jitable
def release(state: State, record: int) -> None:
    """Return a job record to the stack of free ones."""
    at = unsigned(record)
    state.job_number[at] = -1
    state.job_virtual[at] = 0
    state.job_type[at] = -1
    state.job_phase[at] = -1
    state.job_pool[at] = -1
    state.job_server[at] = -1
    state.job_arrival[at] = 0.0
    state.job_token[at] = -1
    state.job_token_time[at] = 0.0
    state.job_moves[at] = 0
    state.job_next[at] = -1
    state.job_due[at] = np.inf
    free = state.number[FREE]
    state.free_record[unsigned(free)] = record
    state.number[FREE] = free + 1


@jitable
def extend_trail(state: State, flags: int, job: int, server: int, phase: int, tokens: int, virtual: int) -> None:
    """Hash the outcome of one event into the trail, so that a digest covers the history."""
    word = mixed(state.trail[0], job * 65536 + flags)
    word = mixed(word, (server + 2147483648) * 1048576 + phase)
    state.trail[0] = mixed(word, tokens * 2097152 + virtual)
