"""State of unlimited servers whose jobs have phases: configurations, tokens, virtual jobs.

Hong, Xie & Wang (2023), Sections 2, 4.2 and 5.1.  Dimensions: S servers (the L normal servers of JRS; for policies
without normal servers, room for all that were ever in use at once, which doubles), P pools (1 without tokens),
B backup servers of a pool (grows), I phases, D resources, C configurations of the lattice (0 if the policy uses
none), T tokens of a type (grows), M job records (grows), N servers with a timer, W nodes of the tournament of
timers, O observed servers, m numbers that the policy remembers.  Indices and numbers start at 0; -1 stands for none.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.systems.statespec import (
    MOST,
    Field,
    StateSpec,
    anything,
    count,
    due,
    free_records,
    identity,
    index,
    span,
    with_more_records,
)

Integers = NDArray[np.int64]
Indices = NDArray[np.int32]
Times = NDArray[np.float64]

# Indices into ``number``.
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

# Indices into ``tally``: counts so far, by the type of the job or of the token.
(ARRIVED, DEPARTED, MATCHED, OVERFLOWED, REQUESTED, VIRTUAL_ARRIVED, VIRTUAL_LEFT) = range(7)
TALLIES = 7

# Indices into ``area``: integrals over time up to ``clock``.
ACTIVE_AREA, COST_AREA, TOKENS_AREA, VIRTUAL_AREA, BACKUP_AREA, REAL_AREA = range(6)
AREAS = 6

#: For each integral in ``area``, the index in ``number`` of what is integrated.
INTEGRATED = (ACTIVE, COST, TOKENS, VIRTUAL, BACKUP, REAL)

#: The only index into ``clock``: the time of the last event.
NOW = 0

#: ``job_server`` of a job on backup server n (from 0) is this minus n.
FIRST_BACKUP = -2

#: Outside a state, virtual job v (from 0) has this number minus v.
FIRST_VIRTUAL = -2

#: Initial sizes of an empty system.
FIRST_RECORDS, FIRST_SERVERS, FIRST_BACKUPS, FIRST_TOKENS = 64, 16, 16, 16


class PhaseState(NamedTuple):
    """All that changes while jobs arrive, change phase and depart."""

    number: Annotated[Integers, count(str(NUMBERS))]  #: scalars, see the constants
    clock: Annotated[Times, span("1")]  #: time of the last event
    area: Annotated[Times, span(str(AREAS))]  #: integrals, see the constants
    tally: Annotated[Integers, count(f"{TALLIES} I")]  #: counts
    real: Annotated[Indices, count("S I", "M")]  #: K: real jobs in each phase on each server
    jobs_on: Annotated[Indices, count("S", "M")]  #: real jobs on each server
    use: Annotated[Integers, count("S D")]  #: units that the real jobs need now
    peak_use: Annotated[Integers, count("S D")]  #: units that they may need at most, each at the peak of its type
    cost: Annotated[Integers, Field("S", -MOST, MOST)]  #: h of the real jobs, in units of cost
    virtual: Annotated[Indices, count("S I", "M")]  #: zeta: virtual jobs in each phase
    tokens: Annotated[Indices, count("S I", MOST)]  #: eta: tokens of each type of each server
    tokens_on: Annotated[Indices, count("S", MOST)]  #: their sum: the server is paused while it is above 0
    observed: Annotated[Indices, index("O", "C", blank=0)]  #: index of K + zeta in the lattice; empty without one
    observed_since: Annotated[Times, span("O")]  #: time of the last change of ``observed``; empty without a lattice
    occupancy: Annotated[Times, span("C")]  #: server-time spent in each observed configuration
    timer_due: Annotated[Times, due("N")]  #: when a server's timer rings; inf: none runs
    timer_number: Annotated[Integers, identity("N")]  #: the number of the timer that runs
    timer_tree: Annotated[Indices, index("W", "N")]  #: tournament tree [twice a power of two]; empty without timers
    token_count: Annotated[Indices, count("P I", "T")]  #: tokens of each type of each pool
    token_server: Annotated[Indices, index("P I T", "S")]  #: the servers of the tokens, the oldest token first
    token_number: Annotated[Integers, identity("P I T")]  #: the numbers of the tokens
    token_time: Annotated[Times, span("P I T")]  #: when the tokens were made
    backup_record: Annotated[Indices, index("P B", "M")]  #: the job on each backup server
    backup_idle: Annotated[Indices, count("P", "B")]  #: the lowest idle backup server
    job_number: Annotated[Integers, identity("M")]  #: the number of the arrival, or of the virtual arrival
    job_virtual: Annotated[NDArray[np.uint8], count("M", 1)]  #: 1: a virtual job
    job_type: Annotated[Indices, index("M", "I")]  #: the phase in which it arrived
    job_phase: Annotated[Indices, index("M", "I")]  #: the phase in which it is
    job_pool: Annotated[Indices, index("M", "P")]
    job_server: Annotated[Indices, Field("M", -MOST, "S", below=True, blank=-1)]  #: or FIRST_BACKUP - n on backup n
    job_arrival: Annotated[Times, span("M")]  #: time of arrival
    job_token: Annotated[Integers, identity("M")]  #: the number of the token that the job took
    job_token_time: Annotated[Times, span("M")]  #: when that token was made
    job_moves: Annotated[Integers, count("M")]  #: moves so far
    job_next: Annotated[Indices, identity("M", "I")]  #: the phase of its next move; I: it departs
    job_due: Annotated[Times, due("M")]  #: time of its next move
    free_record: Annotated[Indices, index("M", "M")]  #: stack of the FREE free records
    heap_time: Annotated[Times, due("M")]  #: heap of the jobs' next moves
    heap_record: Annotated[Indices, index("M", "M")]
    trail: Annotated[NDArray[np.uint64], anything("1")]  #: running hash of all events
    memory: Annotated[Times, anything("m")]  #: what the policy remembers between events


class StateSizes(NamedTuple):
    """The dimensions of a new state."""

    phases: int
    resources: int
    pools: int = 1
    normal_servers: int = 0  #: L of all pools together; 0: the policy has no normal servers
    configurations: int = 0  #: C; 0: no lattice
    memory: int = 0  #: m


def empty_state(sizes: StateSizes) -> PhaseState:
    """The state at time 0, without jobs, tokens and timers."""
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
    """A tournament of timers none of which runs; see :mod:`model.kinds.phases.timers`."""
    if not leaves:
        return np.zeros(0, np.int32)
    width = 1 << (leaves - 1).bit_length()
    tree = np.full(2 * width, -1, np.int32)
    tree[width : width + leaves] = np.arange(leaves)
    for node in range(width - 1, 0, -1):
        tree[node] = tree[2 * node]
    return tree


def job_of(state: PhaseState, record: int) -> int:
    """The number of the job in a record; FIRST_VIRTUAL - v for virtual job v."""
    number = int(state.job_number[record])
    return FIRST_VIRTUAL - number if state.job_virtual[record] else number


def with_room(state: PhaseState, most_tokens: int) -> PhaseState:
    """*state* with room for one more event; the same object if it has that room already.

    One event may bring a job, *most_tokens* new tokens, a virtual job for each token and a job on a backup server
    of each pool; with unlimited servers it also needs an idle one.  Called before each event, by
    the reference engine and the kernels alike, so that both grow at the same event.
    """
    number = state.number.tolist()
    tokens = number[TOKENS] + most_tokens
    while state.number.item(FREE) <= tokens:
        state = with_more_records(SPEC, state, FREE)
    # Tokens in all bound the length of each list; the jobs on backup servers bound the places taken there.
    while tokens > (most := state.token_server.shape[2]):
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
    """The dimensions that grow: also S, if servers are unlimited."""
    return "M B T" if len(like.timer_due) else "M B T S"


SPEC = StateSpec(
    state=PhaseState,
    # EVENT, NEXT_ARRIVAL, FREE, MOVES, ACTIVE, REAL, VIRTUAL, TOKENS, BACKUP, NEXT_TOKEN,
    # NEXT_VIRTUAL, NEXT_TIMER, NEXT_REQUEST, COST, PAUSED
    number=(MOST, MOST, "M", "M", "M", "M", "M", MOST, "M", MOST, MOST, MOST, MOST, MOST, "S"),
    growing=_growing,
)
