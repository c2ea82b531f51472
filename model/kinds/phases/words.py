"""Words for jobs, servers and configurations; and why a server waits.

Servers, backup servers and pools are numbered from 1 in sentences.
"""

from __future__ import annotations

from typing import Sequence

import numpy as np

from slotscope.model.kinds.phases.facts import PhaseFacts
from slotscope.model.kinds.phases.numbers import PhaseNumbers
from slotscope.model.kinds.phases.programs.policy import AT_ONCE, TIMERS
from slotscope.model.kinds.phases.state import FIRST_BACKUP, NOW, PhaseState
from slotscope.model.reporting.explain import counted, grouped, shown

AND = " and "

#: Between a number and a name that begins with a digit: 13 × 1 vCPU 1.75 GiB.
TIMES = " × "


def listed(parts: Sequence[str], last: str = AND) -> str:
    """The parts as an enumeration, such as "one, two and three"."""
    return last.join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def by_type(numbers: PhaseNumbers, counts: Sequence[int]) -> str:
    """The numbers of jobs of each type that are not 0, such as "2 L and 1 H"."""
    names = numbers.model.phases
    pairs = zip(counts, names, strict=True)
    return listed([f"{grouped(int(many))}{TIMES if name[0].isdigit() else ' '}{name}" for many, name in pairs if many])


def asked_for(numbers: PhaseNumbers, shares: Sequence[float]) -> str:
    """What is requested, such as "one H"; "one L or H" if cumulative *shares* [I] leave it to chance."""
    steps = np.diff(np.asarray(shares), prepend=0.0)
    names = [numbers.model.phases[i] for i in np.flatnonzero(steps > 0)]
    return f"one {listed(names, ' or ')}"


def server_name(server: int, pool: int, pools: int) -> str:
    """Such as "server 4", or "backup server 2"; with its pool if there are several."""
    if server > FIRST_BACKUP:
        return f"server {server + 1}"
    inside = f" of pool {pool + 1}" if pools > 1 else ""
    return f"backup server {FIRST_BACKUP - server + 1}{inside}"


def time_shown(time: float) -> str:
    """A time or a rate in three or four digits."""
    return f"{time:.4g}"


def why_waiting(state: PhaseState, numbers: PhaseNumbers, facts: PhaseFacts, server: int) -> str:
    """Why a normal server requests nothing at this moment, and what it waits for.

    Empty for policies without normal servers.
    """
    if facts.rules is None or not 0 <= server < facts.normal_servers:
        return ""
    if state.tokens_on[server]:
        return _paused(state, numbers, facts, server)
    pool, place = int(facts.pool_of[server]), int(state.observed[server])
    where = f"server {server + 1} waits at {_at(facts, place)}"
    case = int(facts.rules.case[pool, place])
    if case == TIMERS:
        return f"{where}: {_timers(numbers, facts, pool, place)}"
    if state.timer_number[server] >= 0:
        jobs = by_type(numbers, facts.rules.asks[pool, place].tolist())
        rate = time_shown(float(facts.rules.rate[pool, place]))
        why = "Appendix B.3" if place == 0 else "recovery"
        return f"{where}: case {case}, a timer of rate {rate} will ask for {jobs} at once ({why})"
    if place == 0:
        return (
            f"{where}: case {case}, without a timer it rests for ever, as no job is left whose move could make it ask"
        )
    if case == AT_ONCE:
        wanted = asked_for(numbers, facts.rules.choice[pool, place])
        return (
            f"{where}: case 2 asks for {wanted} after the move of a job, and the end of its "
            "pause was none; a job must move first"
        )
    return f"{where}: case 3, no request leads from there back into its class; a job must move first"


def _paused(state: PhaseState, numbers: PhaseNumbers, facts: PhaseFacts, server: int) -> str:
    count, place = int(state.tokens_on[server]), int(state.observed[server])
    pool = int(facts.pool_of[server])
    mine = state.token_time[pool][state.token_server[pool] == server]
    oldest = time_shown(float(state.clock[NOW] - mine.min())) if len(mine) else "?"
    held = by_type(numbers, state.tokens[server].tolist())
    text = f"server {server + 1} asks for nothing: it holds {counted(count, 'token')} ({held}), the oldest for {oldest}"
    would = would_ask(numbers, facts, pool, place)
    if not would:
        return text
    then = "will then" if facts.asks_after_pause else "would"
    return f"{text}; at {_at(facts, place)} it {then} ask for {would}"


def would_ask(numbers: PhaseNumbers, facts: PhaseFacts, pool: int, place: int) -> str:
    """What a server would request at once at an observed configuration; empty: nothing."""
    if facts.rules.case[pool, place] != AT_ONCE:
        return ""
    return asked_for(numbers, facts.rules.choice[pool, place])


def _timers(numbers: PhaseNumbers, facts: PhaseFacts, pool: int, place: int) -> str:
    rates = zip(numbers.model.phases, facts.plan.pools[pool].rate[place].tolist(), strict=True)
    parts = [f"one {name} at rate {time_shown(rate)}" for name, rate in rates if rate > 0]
    if not parts:
        return "case 1 without a timer, nothing is asked for until a job moves"
    return f"case 1, its timers ask for {listed(parts)}"


def _at(facts: PhaseFacts, place: int) -> str:
    return shown(facts.plan.lattice.configurations[place].tolist())
