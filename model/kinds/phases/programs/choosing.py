"""Which plan Join-Requesting-Server uses: that of its scenario's rates, or another one.

Rates may be estimated from the beginning of a run, as by a planner that has observed the jobs
(Hong, Xie & Wang 2023, Appendix D: plans made with inexact rates).
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any, Mapping, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from slotscope.model.errors import ScenarioError
from slotscope.model.jit import compiled
from slotscope.model.kinds.phases.arrivals import poisson
from slotscope.model.kinds.phases.jobs import JobModel
from slotscope.model.kinds.phases.numbers import REAL_KEY, PhaseNumbers, PhaseTables, tables_of
from slotscope.model.kinds.phases.programs.plan import ServerPlan, plan_from_pools
from slotscope.model.phrase import Phrase
from slotscope.model.running.waiting import who_waits
from slotscope.model.scenario.fields import Name, NotNegative, Positive, Section
from slotscope.model.systems.random_words import exponential, random_word, uniform

Array = Any

#: Largest mean number of jobs that are observed.
MOST_JOBS = 10_000_000

#: Digits of an estimated rate; chance changes far more of them.
DIGITS = 6

_WHERE = "estimate.learn"


class Seen(NamedTuple):
    """What was observed up to some time; I phases."""

    arrivals: NDArray[np.int64]  #: [I] jobs that arrived in each phase
    moves: NDArray[np.int64]  #: [I, I + 1] moves to each phase, and departures
    time: NDArray[np.float64]  #: [I] total time that jobs spent in each phase


def learned(numbers: PhaseNumbers, until: Fraction) -> JobModel:
    """The job model with the rates estimated from the run's own jobs up to the time *until*.

    An arrival rate is arrivals / (until r); a rate of a move or departure is their number over the time that jobs
    spent in the phase; both to six digits.  Phases that jobs never visit keep their rates.
    Raises ScenarioError if too many jobs would have to be observed, or a phase was never seen or never left.
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
    """Refuse rates without a plan: a phase that was never seen, or has no way to a departure. Raises ScenarioError."""
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
    """Observe the run's own jobs up to a time; their paths are the same under every policy."""
    phases = numbers.phases
    seen = Seen(np.zeros(phases, np.int64), np.zeros((phases, phases + 1), np.int64), np.zeros(phases))
    workload, tables = poisson(numbers), tables_of(numbers, with_lattice=False)
    arrival = 0
    while (block := workload.block_at(arrival)) is not None and block.time[0] <= until:
        compiled(_watch)(block, tables, until, seen)
        arrival = block.end
    return seen


def _watch(jobs: Any, tables: PhaseTables, until: float, seen: Any) -> None:
    """Observe the jobs of a block one after another, each up to its departure or *until*."""
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


__all__ = ["RateEstimate", "plan_of"]


class RateEstimate(Section):
    """How the rates that a plan is made with differ from the true ones.

    Exactly one of three ways: rates by name, each replacing the true one; ``factor``, which multiplies all arrival
    rates; or ``learn``, the time, in units of time, during which the run's own jobs are observed.
    """

    arrival_rates: dict[Name, NotNegative] = Field(default_factory=dict)
    departure_rates: dict[Name, NotNegative] = Field(default_factory=dict)
    to: dict[Name, dict[Name, NotNegative]] = Field(default_factory=dict)
    factor: Positive | None = None
    learn: Positive | None = None

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        given = bool(self.arrival_rates or self.departure_rates or self.to)
        ways = [given, self.factor is not None, self.learn is not None]
        if sum(ways) != 1:
            raise ValueError(
                "either rates (arrival_rates, departure_rates, to), or factor, or "
                "learn; found " + ("none" if not any(ways) else "more than one") + ", allowed: one of them"
            )
        return self


def estimated(numbers: PhaseNumbers, estimate: RateEstimate) -> PhaseNumbers:
    """The numbers that a plan is made with.

    Raises ScenarioError if a name is unknown, jobs could not depart with these rates, nothing would arrive, or
    too little was observed.
    """
    if estimate.learn is not None:
        return replace(numbers, model=_learned(numbers, estimate.learn))
    model = numbers.model
    if estimate.factor is not None:
        factor = estimate.factor
        rates = tuple(rate * factor for rate in model.arrival_rates)
        return replace(numbers, model=replace(model, arrival_rates=rates))
    names = model.phases
    moves = list(model.moves)
    for name, row in estimate.to.items():
        place = _place(names, name, "estimate.to")
        moves[place] = _changed(names, moves[place], row, f"estimate.to.{name}")
        if moves[place][place]:
            raise ScenarioError("found a rate from a phase to itself, allowed: none", where=f"estimate.to.{name}")
    changed = replace(
        model,
        arrival_rates=_changed(names, model.arrival_rates, estimate.arrival_rates, "estimate.arrival_rates"),
        departure_rates=_changed(names, model.departure_rates, estimate.departure_rates, "estimate.departure_rates"),
        moves=tuple(moves),
    )
    return replace(numbers, model=_checked(changed, "estimate"))


def _learned(numbers: PhaseNumbers, until: Fraction) -> JobModel:
    """See :func:`model.kinds.phases.programs.choosing.learned`."""
    try:
        return learned(numbers, until)
    except ScenarioError as error:
        raise ScenarioError(error.message, where="estimate.learn") from None


def _changed(
    names: tuple[str, ...], rates: tuple[Fraction, ...], given: Mapping[str, Fraction], where: str
) -> tuple[Fraction, ...]:
    """*rates*, with the *given* ones replaced."""
    found = list(rates)
    for name, rate in given.items():
        found[_place(names, name, where)] = rate
    return tuple(found)


def _place(names: tuple[str, ...], name: str, where: str) -> int:
    if name not in names:
        raise ScenarioError(f"found phase '{name}', allowed: {', '.join(names)}", where=where)
    return names.index(name)


def _checked(model: JobModel, where: str) -> JobModel:
    """The model. Raises ScenarioError if nothing arrives, or jobs cannot depart from a phase that they visit."""
    if not any(model.arrival_rates):
        raise ScenarioError("leaves no arrival rate above 0, so there is nothing to plan", where=where)
    ending = [any(model.departure_rates[i] for i in reach) for reach in model.reachable]
    entered = {i for start, rate in enumerate(model.arrival_rates) if rate for i in model.reachable[start]}
    for i in sorted(entered):
        if not ending[i]:
            raise ScenarioError(
                f"leaves jobs in phase '{model.phases[i]}' without a way to the "
                "end; give rates that let them end, or count for longer",
                where=where,
            )
    return model


def plan_of(numbers: PhaseNumbers, parameters: Any) -> ServerPlan:
    """The plan that the parameters of Join-Requesting-Server select.

    Tables of pools take precedence over a file, and a file over the single-server problem, which is solved
    with estimated rates if the parameters give any (Hong, Xie & Wang (2023), Appendix D).  A given token
    limit applies to every pool.
    Raises ScenarioError if a table or a file does not fit the model, or there is no plan; GivenUpError if the
    caller's wait (:mod:`model.running.waiting`) was cancelled.
    """
    plan = _chosen(numbers, parameters)
    if parameters.token_limit is None:
        return plan
    limited = (replace(pool, token_limit=parameters.token_limit) for pool in plan.pools)
    return replace(plan, pools=tuple(limited))


def _chosen(numbers: PhaseNumbers, parameters: Any) -> ServerPlan:
    # Imported here: SciPy's solvers load slowly, and only planning needs them.
    from slotscope.model.kinds.phases.programs.planning import plan_from_file, planned

    if not parameters.pools and not any(numbers.model.arrival_rates):
        raise ScenarioError(
            "found none, allowed with a script: the pools, because without arrival rates nothing can be planned",
            where="policy.parameters.pools",
        )
    if parameters.plan and not parameters.pools:
        return plan_from_file(parameters.plan, numbers.model, numbers.scale)
    try:
        if parameters.pools:
            return plan_from_pools(parameters.pools, numbers.model)
        rates = estimated(numbers, parameters.estimate) if parameters.estimate else numbers
    except ScenarioError as error:
        raise ScenarioError(error.message, where=f"policy.parameters.{error.where}") from None
    who = who_waits()

    def tell(steps: int, phi: float) -> None:
        so_far = {"steps": steps, "throughput": f"{phi:.6g}"}
        who.tell(Phrase("Solving the single-server problem: {steps} steps, throughput {throughput} so far", **so_far))

    return planned(rates.model, rates.scale, tell)
