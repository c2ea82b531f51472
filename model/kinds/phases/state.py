"""State of unlimited servers whose jobs have phases: configurations, tokens, virtual jobs.

Hong, Xie & Wang (2023), Sections 2, 4.2 and 5.1.  Shapes: S servers (the L normal ones of JRS, or,
for policies that know no others, as many as were ever in use at once; grows by doubling), P pools
(1 without tokens), B backup servers of a pool (grows), I phases, D resources, C configurations of
the lattice (0 for policies that need none), T tokens of a type (grows), M job records (grows).
Everything is numbered from 0; -1 stands for none.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.systems.growing import free_records, with_more_records
from slotscope.model.systems.statespec import MOST, Field, StateSpec, anything, count, due, index, span

Integers = NDArray[np.int64]
Indices = NDArray[np.int32]
Times = NDArray[np.float64]

# Places in ``number``.
EVENT = 0
NEXT_ARRIVAL = 1  # arrivals taken from the workload so far
FREE = 2  # job records that are free
MOVES = 3  # entries in the heap of the jobs' next moves
ACTIVE = 4  # N: servers with a real job, backup servers included
REAL = 5  # real jobs in the system
VIRTUAL = 6  # virtual jobs in the system
TOKENS = 7  # tokens in the system
BACKUP = 8  # jobs on backup servers
NEXT_TOKEN = 9  # tokens made so far
NEXT_VIRTUAL = 10  # virtual arrivals so far
NEXT_TIMER = 11  # timers started so far
NEXT_REQUEST = 12  # requests made so far
COST = 13  # h summed over all servers, in units of cost
PAUSED = 14  # servers that hold a token
NUMBERS = 15

# Places in ``tally``: counts so far, by the type of the job or of the token.
(ARRIVED, DEPARTED, MATCHED, OVERFLOWED, REQUESTED, VIRTUAL_ARRIVED, VIRTUAL_LEFT) = range(7)
TALLIES = 7

# Places in ``area``: integrals over time up to ``clock``.
ACTIVE_AREA, COST_AREA, TOKENS_AREA, VIRTUAL_AREA, BACKUP_AREA, REAL_AREA = range(6)
AREAS = 6

#: What an integral in ``area`` is over: the number at that place.
INTEGRATED = (ACTIVE, COST, TOKENS, VIRTUAL, BACKUP, REAL)

#: The only place in ``clock``: the time of the last event.
NOW = 0

#: ``job_server`` of a job on backup server n (from 0) is this minus n.
FIRST_BACKUP = -2

#: What stands for virtual job v outside a state is this minus v.
FIRST_VIRTUAL = -2

#: Sizes of a new, empty system.
FIRST_RECORDS, FIRST_SERVERS, FIRST_BACKUPS, FIRST_TOKENS = 64, 16, 16, 16


class PhaseState(NamedTuple):
    """Everything that changes while jobs come, change phase and leave."""

    number: Integers  #: [NUMBERS] scalars, see the constants
    clock: Times  #: [1] time of the last event
    area: Times  #: [AREAS] integrals, see the constants
    tally: Integers  #: [TALLIES, I] counts
    real: Indices  #: [S, I] K: real jobs in each phase on each server
    jobs_on: Indices  #: [S] real jobs on each server
    use: Integers  #: [S, D] units that the real jobs need now
    peak_use: Integers  #: [S, D] units that they may need at most
    cost: Integers  #: [S] h of the real jobs, in units of cost
    virtual: Indices  #: [S, I] zeta: virtual jobs in each phase
    tokens: Indices  #: [S, I] eta: tokens of each type that a server has out
    tokens_on: Indices  #: [S] their sum: the server is paused while it is above 0
    observed: Indices  #: [S] the place of K + zeta in the lattice; empty without one
    observed_since: Times  #: [S] since when; empty without a lattice
    occupancy: Times  #: [C] server-time spent in each observed configuration
    timer_due: Times  #: [L] when a server's timer rings; inf: none runs
    timer_number: Integers  #: [L] which timer it is
    timer_tree: Indices  #: [2 W] tournament of the timers, W a power of two; empty without
    token_count: Indices  #: [P, I] tokens of each type of each pool
    token_server: Indices  #: [P, I, T] their servers, the oldest first
    token_number: Integers  #: [P, I, T] their numbers
    token_time: Times  #: [P, I, T] when they were made
    backup_record: Indices  #: [P, B] the job on each backup server
    backup_idle: Indices  #: [P] no backup server below this one is idle
    job_number: Integers  #: [M] identity: arrival number, or that of the virtual arrival
    job_virtual: NDArray[np.uint8]  #: [M] 1: a virtual job
    job_type: Indices  #: [M] the phase in which it arrived
    job_phase: Indices  #: [M] the phase in which it is
    job_pool: Indices  #: [M]
    job_server: Indices  #: [M] its server, or FIRST_BACKUP - n on backup server n
    job_arrival: Times  #: [M] when it came
    job_token: Integers  #: [M] the number of the token it took
    job_token_time: Times  #: [M] when that token was made
    job_moves: Integers  #: [M] moves it has made
    job_next: Indices  #: [M] the phase of its next move; I: it departs
    job_due: Times  #: [M] when it moves next
    free_record: Indices  #: [M] stack of free records, FREE of them
    heap_time: Times  #: [M] heap of the next moves
    heap_record: Indices  #: [M]
    trail: NDArray[np.uint64]  #: [1] running hash of all events
    memory: Times  #: [m] what the policy remembers, m as it declares


class StateSizes(NamedTuple):
    """What a new state needs room for."""

    phases: int
    resources: int
    pools: int = 1
    normal_servers: int = 0  #: L of all pools together; 0: the policy knows no backup servers
    configurations: int = 0  #: C; 0: no lattice
    memory: int = 0  #: m


def empty_state(sizes: StateSizes) -> PhaseState:
    """No job, no token and no timer at time 0."""
    servers = sizes.normal_servers or FIRST_SERVERS
    observing = servers if sizes.configurations else 0
    lengths = {"S": servers, "O": observing, "N": sizes.normal_servers, "C": sizes.configurations}
    lengths |= {"I": sizes.phases, "D": sizes.resources, "P": sizes.pools, "m": sizes.memory}
    lengths |= {"M": FIRST_RECORDS, "B": FIRST_BACKUPS, "T": FIRST_TOKENS}
    state: PhaseState = SPEC.blank(
        lengths, timer_tree=_empty_tree(sizes.normal_servers), free_record=free_records(FIRST_RECORDS)
    )
    state.number[FREE] = FIRST_RECORDS
    return state


def _empty_tree(leaves: int) -> Indices:
    """A tournament of timers none of which runs, see :mod:`model.kinds.phases.timers`."""
    if not leaves:
        return np.zeros(0, np.int32)
    width = 1 << (leaves - 1).bit_length()
    tree = np.full(2 * width, -1, np.int32)
    tree[width : width + leaves] = np.arange(leaves)
    for node in range(width - 1, 0, -1):
        tree[node] = tree[2 * node]
    return tree


def job_of(state: PhaseState, record: int) -> int:
    """The number of the job in a record; a virtual job v is told as FIRST_VIRTUAL - v."""
    number = int(state.job_number[record])
    return FIRST_VIRTUAL - number if state.job_virtual[record] else number


def with_room(state: PhaseState, most_tokens: int) -> PhaseState:
    """*state* with room for whatever one event may bring; the same object where it is there.

    That is a job, *most_tokens* new tokens, a virtual job for each token, a job on a backup server
    of each pool, and an idle server where servers are unlimited.  Called before each event, by
    the reference engine and the kernels alike, so that both grow at the same event.
    """
    number = state.number.tolist()
    while int(state.number[FREE]) <= number[TOKENS] + most_tokens:
        state = with_more_records(SPEC, state, FREE)
    # No list of tokens is longer than all together, and no place on the backup servers beyond their jobs.
    while number[TOKENS] + most_tokens > (most := state.token_server.shape[2]):
        if state.token_count.max() + most_tokens <= most:
            break
        state = SPEC.longer(state, "T")
    last = state.backup_record.shape[1] - 1
    if number[BACKUP] >= last and (state.backup_idle >= last).any():
        state = SPEC.longer(state, "B")
    if not len(state.timer_due) and number[ACTIVE] == len(state.jobs_on):
        state = SPEC.longer(state, "S")
    return state


def doubled(state: PhaseState) -> PhaseState:
    """*state* with twice the job records and servers, for a policy without normal servers."""
    larger: PhaseState = SPEC.longer(with_more_records(SPEC, state, FREE), "S")
    return larger


def _growing(like: Any) -> str:
    """Servers are unlimited where there are no normal ones."""
    return "M B T" if len(like.timer_due) else "M B T S"


#: What the arrays are like; N servers with a timer, O observed ones, W nodes of the tournament, m numbers that the
#: policy remembers.
SPEC = StateSpec(
    state=PhaseState,
    fields={
        "number": count(str(NUMBERS)),
        "clock": span("1"),
        "area": span(str(AREAS)),
        "tally": count(f"{TALLIES} I"),
        "real": count("S I", "M"),
        "jobs_on": count("S", "M"),
        "use": count("S D"),
        "peak_use": count("S D"),
        "cost": Field("S", -MOST, MOST),
        "virtual": count("S I", "M"),
        "tokens": count("S I", MOST),
        "tokens_on": count("S", MOST),
        "observed": index("O", "C", blank=0),
        "observed_since": span("O"),
        "occupancy": span("C"),
        "timer_due": due("N"),
        "timer_number": Field("N", -1, MOST, blank=-1),
        "timer_tree": index("W", "N"),
        "token_count": count("P I", "T"),
        "token_server": index("P I T", "S"),
        "token_number": Field("P I T", -1, MOST, blank=-1),
        "token_time": span("P I T"),
        "backup_record": index("P B", "M"),
        "backup_idle": count("P", "B"),
        "job_number": Field("M", -1, MOST, blank=-1),
        "job_virtual": count("M", 1),
        "job_type": index("M", "I"),
        "job_phase": index("M", "I"),
        "job_pool": index("M", "P"),
        "job_server": Field("M", -MOST, "S", below=True, blank=-1),
        "job_arrival": span("M"),
        "job_token": Field("M", -1, MOST, blank=-1),
        "job_token_time": span("M"),
        "job_moves": count("M"),
        "job_next": Field("M", -1, "I", blank=-1),
        "job_due": due("M"),
        "free_record": index("M", "M"),
        "heap_time": due("M"),
        "heap_record": index("M", "M"),
        "trail": anything("1"),
        "memory": anything("m"),
    },
    # EVENT, NEXT_ARRIVAL, FREE, MOVES, ACTIVE, REAL, VIRTUAL, TOKENS, BACKUP, NEXT_TOKEN,
    # NEXT_VIRTUAL, NEXT_TIMER, NEXT_REQUEST, COST, PAUSED
    number=(MOST, MOST, "M", "M", "M", "M", "M", MOST, "M", MOST, MOST, MOST, MOST, MOST, "S"),
    growing=_growing,
)
