"""Which plan Join-Requesting-Server follows: the one of its scenario's rates, or another one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.phases.numbers import PhaseNumbers
from slotscope.model.kinds.phases.programs.estimates import RateEstimate, estimated
from slotscope.model.kinds.phases.programs.plan import ServerPlan, plan_from_pools
from slotscope.model.running.waiting import who_waits

__all__ = ["RateEstimate", "plan_of"]


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
        who.tell(f"Solving the single-server problem: {steps} steps, throughput {phi:.6g} so far")

    return planned(rates.model, rates.scale, tell, who.stop)
