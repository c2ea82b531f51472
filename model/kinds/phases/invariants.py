"""What must hold after every event of a system with phases, as sentences about violations.

Hong, Xie & Wang (2023), Sections 2 and 4.2.  Everything is recomputed from the arrays, without the code that
maintains them, so that an error in either is found.  Servers, pools and backup servers are numbered from 1 in
the sentences.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.phases.facts import PhaseFacts
from slotscope.model.kinds.phases.numbers import PhaseNumbers
from slotscope.model.kinds.phases.programs.rules import LIMIT_IN_ALL, LIMIT_REACHED
from slotscope.model.kinds.phases.sampling import SCALARS, TOKENS_COLUMN
from slotscope.model.kinds.phases.state import (
    ACTIVE,
    ARRIVED,
    BACKUP,
    COST,
    DEPARTED,
    FIRST_BACKUP,
    FREE,
    MATCHED,
    MOVES,
    NEXT_ARRIVAL,
    NEXT_TIMER,
    NEXT_TOKEN,
    NEXT_VIRTUAL,
    NOW,
    OVERFLOWED,
    PAUSED,
    REAL,
    REQUESTED,
    SPEC,
    TOKENS,
    VIRTUAL,
    VIRTUAL_ARRIVED,
    VIRTUAL_LEFT,
    PhaseState,
)
from slotscope.model.kinds.phases.system import PhaseSystem
from slotscope.model.measures.job_records import Sentences, free_records, heap_of, numbered
from slotscope.model.measures.monitors import Monitor

#: Relative tolerance: server-time is a sum of many differences of times.
TIME_TOLERANCE = 1e-9


def _records(system: PhaseSystem, state: PhaseState) -> Sentences:
    """Each job record holds a job, or is exactly once in the stack of free records."""
    yield from free_records(state, int(state.number[FREE]))
    began = system.initial_jobs + state.number[NEXT_ARRIVAL]
    for virtual, word, given in ((0, "real", began), (1, "virtual", state.number[NEXT_VIRTUAL])):
        numbers = state.job_number[(state.job_number >= 0) & (state.job_virtual == virtual)]
        yield from numbered(numbers, given, f"{word} job")
    yield from SPEC.left_behind(state)


def _places(system: PhaseSystem, state: PhaseState) -> Sentences:
    """Each job is in a phase, on a server of its pool or, if it is real, on a backup server."""
    live, phases = state.job_number >= 0, system.numbers.phases
    for name, array in (("phase", state.job_phase), ("type", state.job_type)):
        if (live & ((array < 0) | (array >= phases))).any():
            yield f"a job has a {name} that is none of {phases}"
    backup = live & (state.job_server <= FIRST_BACKUP)
    if (backup & (state.job_virtual == 1)).any():
        yield "a virtual job is on a backup server"
    if backup.any() and not system.normal_servers:
        yield f"{backup.sum()} jobs are on backup servers, of which the policy knows none"
    on = live & ~backup
    if (on & ((state.job_server < 0) | (state.job_server >= len(state.jobs_on)))).any():
        yield "a job is on no server"
    elif system.normal_servers:
        strange = state.job_pool[on] != system.policy.pool_of[state.job_server[on]]
        if strange.any():
            yield f"{strange.sum()} jobs are on servers of another pool"


def _on_servers(state: PhaseState, virtual: int) -> NDArray[np.int64]:
    """[S, I] jobs, *virtual* or real, in each phase on each server."""
    here = (state.job_number >= 0) & (state.job_server >= 0) & (state.job_virtual == virtual)
    counts = np.zeros(state.real.shape, np.int64)
    np.add.at(counts, (state.job_server[here], state.job_phase[here]), 1)
    return counts


def _jobs(system: PhaseSystem, state: PhaseState) -> Sentences:
    """K, zeta and the units in use agree with the jobs; no server exceeds its limits."""
    numbers, live = system.numbers, state.job_number >= 0
    real, virtual = _on_servers(state, 0), _on_servers(state, 1)
    peak = np.zeros_like(state.peak_use)
    here = live & (state.job_server >= 0) & (state.job_virtual == 0)
    np.add.at(peak, state.job_server[here], numbers.peak[state.job_type[here]])
    checks = (
        ("real jobs", real, state.real),
        ("virtual jobs", virtual, state.virtual),
        ("units in use", real @ numbers.demand, state.use),
        ("units at their peak", peak, state.peak_use),
        ("jobs in all", real.sum(axis=1)[:, None], state.jobs_on[:, None]),
    )
    for word, right, counted in checks:
        for server in np.flatnonzero((right != counted).any(axis=1)):
            yield (f"server {server + 1} has {right[server].tolist()} {word}, counted {counted[server].tolist()}")
    backup = int((live & (state.job_server <= FIRST_BACKUP)).sum())
    totals = (
        (REAL, real.sum() + backup, "real jobs"),
        (VIRTUAL, virtual.sum(), "virtual jobs"),
        (BACKUP, backup, "jobs on backup servers"),
        (ACTIVE, (real.sum(axis=1) > 0).sum() + backup, "active servers"),
    )
    for place, count, word in totals:
        if state.number[place] != count:
            yield f"there are {count} {word}, counted {state.number[place]}"
    yield from _limits_of_servers(system, real + virtual + state.tokens)


def _limits_of_servers(system: PhaseSystem, load: NDArray[np.int64]) -> Sentences:
    """The jobs and tokens of a server stay within K_max, and within its capacity if that is hard."""
    numbers = system.numbers
    most = numbers.model.most_jobs
    for server in np.flatnonzero(load.sum(axis=1) > most):
        yield (f"server {server + 1} has {load[server].sum()} jobs and tokens, allowed: {most}")
    if numbers.model.hard:
        for server in np.flatnonzero((load @ numbers.demand > numbers.capacity).any(axis=1)):
            yield (
                f"the jobs and tokens of server {server + 1} need {(load[server] @ numbers.demand).tolist()} units, "
                f"its capacity is {numbers.capacity.tolist()}"
            )


def _backups(_: Any, state: PhaseState) -> Sentences:
    """Each busy backup server holds exactly the job whose record names it; ``backup_idle`` is the lowest idle one."""
    live = np.flatnonzero((state.job_number >= 0) & (state.job_server <= FIRST_BACKUP))
    held = np.full_like(state.backup_record, -1)
    places = FIRST_BACKUP - state.job_server[live]
    beyond = (places >= held.shape[1]) | (state.job_pool[live] < 0)
    if beyond.any() or (state.job_pool[live] >= len(held)).any():
        yield "a job is on a backup server that is not there"
        return
    taken = np.zeros(held.shape, np.int64)
    np.add.at(taken, (state.job_pool[live], places), 1)
    held[state.job_pool[live], places] = live
    for pool, backup in np.argwhere(taken > 1).tolist():
        yield f"backup server {backup + 1} of pool {pool + 1} has {taken[pool, backup]} jobs"
    for pool, backup in np.argwhere(held != state.backup_record).tolist():
        yield f"backup server {backup + 1} of pool {pool + 1} is not that of its job"
    for pool, row in enumerate(state.backup_record):
        idle = int(np.argmax(row < 0)) if (row < 0).any() else len(row)
        if state.backup_idle[pool] != idle:
            yield (
                f"backup server {idle + 1} of pool {pool + 1} is the first that is idle, called "
                f"so: {state.backup_idle[pool] + 1}"
            )


def _moves(system: PhaseSystem, state: PhaseState) -> Sentences:
    """The heap holds each job with a next move exactly once, in order, none in the past; each goes to another phase."""
    yield from heap_of(state, int(state.number[MOVES]), state.job_due, "move")
    will = np.flatnonzero((state.job_number >= 0) & np.isfinite(state.job_due))
    following = state.job_next[will]
    wrong = (following < 0) | (following > system.numbers.phases) | (following == state.job_phase[will])
    if wrong.any():
        yield f"{wrong.sum()} jobs will move to no other phase"


def _conservation(system: PhaseSystem, state: PhaseState) -> Sentences:
    """Conservation: jobs that arrived are here or have left; tokens that were made are here or were taken."""
    tally, number = state.tally.sum(axis=1), state.number
    began, pretended = system.initial_jobs, 0
    if system.script:
        pretended = system.script.initial_virtual
    if tally[ARRIVED] + began != number[REAL] + tally[DEPARTED]:
        yield (f"{tally[ARRIVED] + began} jobs came, but {number[REAL]} are here and {tally[DEPARTED]} left")
    if tally[ARRIVED] != number[NEXT_ARRIVAL]:
        yield f"{number[NEXT_ARRIVAL]} arrivals were taken, {tally[ARRIVED]} jobs arrived"
    if number[NEXT_VIRTUAL] != number[VIRTUAL] + tally[VIRTUAL_LEFT]:
        yield (
            f"{number[NEXT_VIRTUAL]} virtual jobs came, but {number[VIRTUAL]} are here and {tally[VIRTUAL_LEFT]} left"
        )
    if number[NEXT_VIRTUAL] != tally[VIRTUAL_ARRIVED] + pretended:
        yield (
            f"{tally[VIRTUAL_ARRIVED] + pretended} virtual arrivals, the next one has number {number[NEXT_VIRTUAL] + 1}"
        )
    if number[NEXT_TOKEN] != tally[REQUESTED]:
        yield f"{tally[REQUESTED]} tokens were made, numbered up to {number[NEXT_TOKEN]}"
    if not system.normal_servers:
        return
    if tally[ARRIVED] != tally[MATCHED] + tally[OVERFLOWED]:
        yield (f"{tally[ARRIVED]} jobs arrived, but {tally[MATCHED]} took a token and {tally[OVERFLOWED]} overflowed")
    if tally[REQUESTED] != number[TOKENS] + tally[MATCHED] + tally[VIRTUAL_ARRIVED]:
        yield (
            f"{tally[REQUESTED]} tokens were made, but {number[TOKENS]} are here, {tally[MATCHED]} were taken by jobs "
            f"and {tally[VIRTUAL_ARRIVED]} by virtual ones"
        )


def _areas(_: Any, state: PhaseState) -> Sentences:
    """Integrals over time are not negative, and the occupancies add up to the time of all normal servers."""
    if not (state.area >= 0).all():
        yield f"an integral over time is {state.area.min():g}"
    if not len(state.observed):
        return
    now = float(state.clock[NOW])
    spent = state.occupancy.sum() + (now - state.observed_since).sum()
    whole = now * len(state.observed)
    if (state.occupancy < 0).any() or abs(spent - whole) > TIME_TOLERANCE * max(whole, 1.0):
        yield (f"{len(state.observed)} servers were observed for {spent:g} in all, {whole:g} has passed")


def _costs(system: PhaseSystem, state: PhaseState) -> Sentences:
    """h of the real jobs of each server, and the sum over all servers, exactly; 0 without jobs."""
    phases, cost_of = system.numbers.phases, system.numbers.cost_of
    if cost_of((0,) * phases):
        yield "a server without jobs has a cost"
    order = np.lexsort(state.real.T)
    rows = state.real[order]
    first = np.append(True, (rows[1:] != rows[:-1]).any(axis=1))[: len(rows)]  # of equal rows
    rates = np.array([cost_of(tuple(row)) for row in rows[first].tolist()], np.int64)
    right = np.zeros(len(rows), np.int64)
    right[order] = rates[np.cumsum(first) - 1]
    for server in np.flatnonzero(right != state.cost):
        yield f"server {server + 1} has cost {right[server]}, counted {state.cost[server]}"
    total = int(right.sum())
    alone = state.job_phase[(state.job_number >= 0) & (state.job_server <= FIRST_BACKUP)]
    for phase, configuration in enumerate(np.eye(phases, dtype=int).tolist()):
        total += int((alone == phase).sum()) * cost_of(tuple(configuration))
    if total != state.number[COST]:
        yield f"all servers have cost {total}, counted {state.number[COST]}"


def _no_tokens(_: Any, state: PhaseState) -> Sentences:
    """A policy without normal servers has neither tokens nor virtual jobs nor paused servers."""
    for place, word in ((TOKENS, "tokens"), (VIRTUAL, "virtual jobs"), (PAUSED, "pauses")):
        if state.number[place]:
            yield f"there are {state.number[place]} {word}, and the policy knows none"


def _tokens(system: PhaseSystem, state: PhaseState) -> Sentences:
    """The lists of tokens are sorted by age, and agree with the tokens of each server."""
    held = np.zeros(state.tokens.shape, np.int64)
    for pool, kind in np.ndindex(*state.token_count.shape):
        count = int(state.token_count[pool, kind])
        numbers, servers = state.token_number[pool, kind], state.token_server[pool, kind]
        name = f"type {system.numbers.model.phases[kind]} in pool {pool + 1}"
        mine = servers[:count]
        outside = (mine < 0) | (mine >= len(held))
        if outside.any() or (system.policy.pool_of[mine] != pool).any():
            yield f"a token of {name} is of no server of the pool"
            return
        np.add.at(held[:, kind], mine, 1)
        ages = state.token_time[pool, kind, :count]
        disordered = (np.diff(numbers[:count]) <= 0).any() or (np.diff(ages) < 0).any()
        if disordered or (ages > state.clock[NOW]).any():
            yield f"the tokens of {name} are not in order of age"
        if (numbers[count:] != -1).any() or (servers[count:] != -1).any():
            yield f"there are {(numbers >= 0).sum()} tokens of {name}, counted {count}"
    for server in np.flatnonzero((held != state.tokens).any(axis=1)):
        yield (f"server {server + 1} holds {held[server].tolist()} tokens, counted {state.tokens[server].tolist()}")
    for server in np.flatnonzero(held.sum(axis=1) != state.tokens_on):
        yield (f"server {server + 1} holds {held[server].sum()} tokens in all, counted {state.tokens_on[server]}")
    for place, count, word in ((TOKENS, held.sum(), "tokens"), (PAUSED, held.any(axis=1).sum(), "paused servers")):
        if state.number[place] != count:
            yield f"there are {count} {word}, counted {state.number[place]}"


def _limits(system: PhaseSystem, state: PhaseState) -> Sentences:
    """At most eta_max tokens, of each type or in all, as the policy interprets the limit."""
    rules = system.policy.rules
    counts = state.token_count.astype(np.int64)
    if rules.option[LIMIT_IN_ALL]:
        counts = counts.sum(axis=1, keepdims=True)
    most = np.maximum(rules.limit - rules.option[LIMIT_REACHED], 0)
    for pool, kind in np.argwhere(counts > most[:, None]).tolist():
        word = "" if rules.option[LIMIT_IN_ALL] else f" of type {system.numbers.model.phases[kind]}"
        yield f"pool {pool + 1} has {counts[pool, kind]} tokens{word}, allowed: {most[pool]}"


def _paused(system: PhaseSystem, state: PhaseState) -> Sentences:
    """No timer of a paused server runs; any other server's timer runs if the rules give it a rate."""
    rules, runs = system.policy.rules, state.timer_number >= 0
    paused = state.tokens_on > 0
    for server in np.flatnonzero(runs & paused):
        yield f"server {server + 1} is paused and a timer of it runs"
    wanted = runs | paused if rules is None else rules.rate[rules.pool_of, state.observed] > 0
    for server in np.flatnonzero(~paused & (runs != wanted)):
        yield (
            f"a timer of server {server + 1} {'runs' if runs[server] else 'does not run'} at "
            f"{_configuration(system, int(state.observed[server]))}"
        )


def _timers(system: PhaseSystem, state: PhaseState) -> Sentences:
    """Each running timer has a unique number and a time that is not in the past."""
    runs, due = state.timer_number >= 0, state.timer_due
    if (np.isfinite(due) & ~runs).any() or (not system.script and ~np.isfinite(due[runs]).all()):
        yield "a timer runs without a time, or has a time and does not run"
    if np.isfinite(due).any() and due.min() < state.clock[NOW]:
        yield f"a timer at {due.min():g} is before the present, {state.clock[NOW]:g}"
    numbers = state.timer_number[runs]
    yield from numbered(numbers, int(state.number[NEXT_TIMER]), "timer")


def _tournament(_: Any, state: PhaseState) -> Sentences:
    """Each node of the tournament of timers names the first to ring among the servers below it."""
    width = len(state.timer_tree) // 2
    leaves = np.r_[np.arange(len(state.timer_due)), np.full(width - len(state.timer_due), -1)]
    if not np.array_equal(state.timer_tree[width:], leaves):
        yield "a leaf of the tournament of timers is not its server"
        return
    due = np.r_[state.timer_due, np.inf]  # the last stands for no server, -1
    left, right = state.timer_tree[2::2], state.timer_tree[3::2]
    first = np.where((right >= 0) & (due[right] < due[left]), right, left)
    for node in np.flatnonzero(state.timer_tree[1:width] != first)[-1:]:
        yield (
            f"server {state.timer_tree[1 + node] + 1} wins the tournament of timers against "
            f"server {first[node] + 1}, which is due first"
        )


def _observed(system: PhaseSystem, state: PhaseState) -> Sentences:
    """The observed configuration K + zeta is the sum of the server's real and virtual jobs."""
    configurations = system.numbers.lattice.configurations
    if ((state.observed < 0) | (state.observed >= len(configurations))).any():
        yield "an observed configuration is none of the lattice"
        return
    seen = configurations[state.observed]
    for server in np.flatnonzero((seen != state.real + state.virtual).any(axis=1)):
        yield (
            f"server {server + 1} is observed at {seen[server].tolist()}, but has {state.real[server].tolist()} real "
            f"and {state.virtual[server].tolist()} virtual jobs"
        )


def _configuration(system: PhaseSystem, place: int) -> str:
    return str(tuple(system.numbers.lattice.configurations[place].tolist()))


def _has_none(system: PhaseSystem) -> bool:
    return not system.normal_servers


def _tokens_left(numbers: PhaseNumbers, facts: PhaseFacts, samples: NDArray[np.float64]) -> NDArray[np.float64]:
    """[n] tokens below the limits of all pools together.

    Counted are the tokens of the most frequent type, or those of all types if they share the limit.
    """
    most = np.maximum(facts.rules.limit - facts.limit_reached, 0).sum()
    by_type = samples[:, SCALARS : SCALARS + numbers.phases]
    return np.asarray(most - (samples[:, TOKENS_COLUMN] if facts.limit_in_all else by_type.max(axis=1)))


#: Hong, Xie & Wang (2023).
MONITORS = (
    Monitor("records", "Each job is in one phase, on one server", "", "the program's own", (_records, _places)),
    Monitor(
        "capacity",
        "Jobs and tokens of a server stay within its limit of jobs, and within a capacity that is never exceeded",
        "|K^s| + |ζ^s| + |η^s| ≤ K_max",
        "Sections 2 and 4.2",
        (_jobs, _backups),
        stage=1,
    ),
    Monitor(
        "conservation",
        "Who came is here or has left; a token that was made is here, or was taken by a real or a virtual job",
        "",
        "Section 4.2",
        (_moves, _conservation, _areas),
        stage=1,
    ),
    Monitor(
        "costs",
        "Each server pays for its real jobs, and nothing without any",
        "h(0) = 0",
        "Section 2",
        (_costs,),
        stage=1,
    ),
    Monitor(
        "no-tokens",
        "A policy without requests has neither tokens nor virtual jobs",
        "",
        "Section 4.3",
        (_no_tokens,),
        stage=1,
        applies=_has_none,
    ),
    Monitor(
        "tokens",
        "Every token is the request of one server, which holds it until a job takes it",
        "",
        "Section 4.2",
        (_tokens,),
        stage=1,
        applies=attrgetter("normal_servers"),
    ),
    Monitor(
        "token-limit",
        "There are never more tokens of a type than the limit; one more becomes a virtual job",
        "η_i ≤ η_max",
        "Section 4.2",
        (_limits,),
        stage=1,
        applies=attrgetter("policy.rules"),
        decided=(_limits,),
        slack=_tokens_left,
        unit="tokens below the limit, of the type that has most of them",
    ),
    Monitor(
        "observed",
        "A server sees its real and its virtual jobs alike",
        "K̃^s = K^s + ζ^s",
        "Section 4.2",
        (_observed,),
        stage=1,
        applies=attrgetter("normal_servers"),
    ),
    Monitor(
        "pauses",
        "A server with a token out is paused: no timer runs, and it asks for nothing",
        "η^s ≠ 0 ⇒ paused",
        "Section 4.2",
        (_paused, _timers, _tournament),
        stage=2,
        applies=attrgetter("normal_servers"),
        decided=(_paused,),
    ),
)
