"""Rates counted in the beginning of a run: what a planner would know that has watched the jobs.

Hong, Xie & Wang (2023), Appendix D: a plan made with rates that are not quite the true ones.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.errors import ScenarioError
from slotscope.model.jit import compiled
from slotscope.model.kinds.phases.arrivals import poisson
from slotscope.model.kinds.phases.jobs import JobModel
from slotscope.model.kinds.phases.numbers import PhaseNumbers
from slotscope.model.kinds.phases.tables import REAL_KEY, PhaseTables, tables_of
from slotscope.model.systems import random_words

Array = Any

#: The most jobs, on average, that are watched.
MOST_JOBS = 10_000_000

#: Digits of a rate that is learned; chance changes far more of them.
DIGITS = 6

_WHERE = "estimate.learn"

random_word = random_words.random_word
uniform = random_words.uniform
exponential = random_words.exponential


class Seen(NamedTuple):
    """What was counted up to some time; I phases."""

    arrivals: NDArray[np.int64]  #: [I] jobs that arrived in each phase
    moves: NDArray[np.int64]  #: [I, I + 1] moves to each phase, and to the end
    time: NDArray[np.float64]  #: [I] time that jobs spent in each phase


def learned(numbers: PhaseNumbers, until: Fraction) -> JobModel:
    """The job model with the rates that the run's own jobs show up to the time *until*.

    An arrival rate is arrivals / (until r); a rate of a phase is the moves out of it by the time
    that jobs have spent in it, to six digits.  Phases that no job is ever in keep their rates.

    Raises
    ------
    ScenarioError
        If too many jobs would have to be watched, or some phase was not seen or not left.
    """
    model = numbers.model
    jobs = float(sum(numbers.arrival_rates) * until)
    if jobs > MOST_JOBS:
        most = float(until) * MOST_JOBS / jobs
        raise ScenarioError(
            f"found {float(until):g}, which is {jobs:,.0f} jobs on average, "
            f"allowed: at most {MOST_JOBS:,}; {most:.3g} would do",
            where=_WHERE,
        )
    seen = watched(numbers, float(until))
    _check(model, seen, until)
    rates = [[_rate(int(count), float(time)) for count in row] for row, time in zip(seen.moves, seen.time, strict=True)]
    kept = [not time for time in seen.time]
    return replace(
        model,
        arrival_rates=tuple(int(count) / (until * numbers.scale) for count in seen.arrivals),
        departure_rates=tuple(
            old if keep else row[-1] for old, row, keep in zip(model.departure_rates, rates, kept, strict=True)
        ),
        moves=tuple(old if keep else tuple(row[:-1]) for old, row, keep in zip(model.moves, rates, kept, strict=True)),
    )


def _rate(count: int, time: float) -> Fraction:
    return Fraction(f"{count / time:.{DIGITS}g}") if time else Fraction(0)


def _check(model: JobModel, seen: Seen, until: Fraction) -> None:
    """Refuse what cannot be planned with: a phase never seen, or one without a way to the end."""
    used = [i for i, rate in enumerate(model.arrival_rates) if rate]
    present = sorted(set().union(*(model.reachable[i] for i in used)))
    ending = {len(model.phases)}
    while more := {i for i in present if i not in ending and seen.moves[i, sorted(ending)].any()}:
        ending |= more
    for i in present:
        what = "that no job is in" if not seen.time[i] else "that no job leaves towards the end"
        if not seen.time[i] or i not in ending:
            raise ScenarioError(
                f"found {float(until):g}, a time with a phase '{model.phases[i]}' {what}; allowed: a longer time",
                where=_WHERE,
            )


def watched(numbers: PhaseNumbers, until: float) -> Seen:
    """What the run's own jobs do up to a time; they do the same under every policy."""
    phases = numbers.phases
    seen = Seen(np.zeros(phases, np.int64), np.zeros((phases, phases + 1), np.int64), np.zeros(phases))
    workload, tables = poisson(numbers), tables_of(numbers, with_lattice=False)
    arrival = 0
    while (block := workload.block_at(arrival)) is not None and block.time[0] <= until:
        compiled(_watch)(block, tables, until, seen)
        arrival = block.end
    return seen


def _watch(jobs: Any, tables: PhaseTables, until: float, seen: Any) -> None:
    """The jobs of a block, one after another, each up to its end or *until*."""
    phases = len(tables.out_rate)
    for place in range(len(jobs.time)):
        now = jobs.time[place]
        if now > until:
            return
        phase = jobs.type[place]
        seen.arrivals[phase] += 1
        number = jobs.first[0] + place
        word = 0
        while phase < phases:
            spent = exponential(random_word(tables.key[REAL_KEY], number, word))
            leaves = now + spent / tables.out_rate[phase]
            seen.time[phase] += min(leaves, until) - now
            if leaves > until:
                break
            where = uniform(random_word(tables.key[REAL_KEY], number, word + 1))
            following = 0
            while following < phases and where > tables.next_phase[phase, following]:
                following += 1
            seen.moves[phase, following] += 1
            now, phase, word = leaves, following, word + 2
