"""Which plan Join-Requesting-Server follows: the one of its scenario's rates, or another one."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any, Mapping, Self

from pydantic import Field, model_validator

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.phases.jobs import JobModel
from slotscope.model.kinds.phases.numbers import PhaseNumbers
from slotscope.model.kinds.phases.programs.learning import learned
from slotscope.model.kinds.phases.programs.plan import ServerPlan, plan_from_pools
from slotscope.model.phrase import Phrase
from slotscope.model.running.waiting import who_waits
from slotscope.model.scenario.fields import Name, NotNegative, Positive, Section

__all__ = ["RateEstimate", "plan_of"]


class RateEstimate(Section):
    """How the rates that a plan is made with differ from the true ones.

    Either rates by name, each in the place of the true one; or ``factor``, with which all arrival
    rates are multiplied; or ``learn``, so many units of time of the run's own jobs that are
    counted.
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

    Raises
    ------
    ScenarioError
        If a name is unknown, a phase could not end with these rates, nothing would arrive, or
        too little was seen.
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
    """See :func:`model.kinds.phases.programs.learning.learned`."""
    try:
        return learned(numbers, until)
    except ScenarioError as error:
        raise ScenarioError(error.message, where="estimate.learn") from None


def _changed(
    names: tuple[str, ...], rates: tuple[Fraction, ...], given: Mapping[str, Fraction], where: str
) -> tuple[Fraction, ...]:
    """Rates with the given ones in their places."""
    found = list(rates)
    for name, rate in given.items():
        found[_place(names, name, where)] = rate
    return tuple(found)


def _place(names: tuple[str, ...], name: str, where: str) -> int:
    if name not in names:
        raise ScenarioError(f"found phase '{name}', allowed: {', '.join(names)}", where=where)
    return names.index(name)


def _checked(model: JobModel, where: str) -> JobModel:
    """The model, if something arrives and every phase that jobs come to can end."""
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
    """The plan that the parameters of Join-Requesting-Server ask for.

    Tables of pools come before a file, and a file before the single-server problem, which is solved
    with estimated rates where the parameters say so (Hong, Xie & Wang (2023), Appendix D).  A token
    limit by hand is that of every pool.

    Raises
    ------
    ScenarioError
        If a table or a file does not fit the model, or nothing can be planned.
    SolvingStoppedError
        If who waits for it (:mod:`model.running.waiting`) has had enough.
    """
    plan = _chosen(numbers, parameters)
    if parameters.token_limit is None:
        return plan
    limited = (replace(pool, token_limit=parameters.token_limit) for pool in plan.pools)
    return replace(plan, pools=tuple(limited))


def _chosen(numbers: PhaseNumbers, parameters: Any) -> ServerPlan:
    # Imported late: SciPy's solvers take a while, and who only lists policies needs none.
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

    return planned(rates.model, rates.scale, tell, who.stop)
