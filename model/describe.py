"""What stays the same while a run goes on, described for the panels."""

from __future__ import annotations

from model.assembly import Bench
from model.frame import RunInfo
from model.origin import Origin


def run_info(bench: Bench, name: str, origin: Origin) -> RunInfo:
    """The description of a run that is shown as *name*."""
    scenario, system = bench.scenario, bench.system
    policy = system.policy
    kind = bench.kind
    return RunInfo(
        kind=kind,
        scenario=scenario,
        scenario_name=name or scenario.title or "scenario",
        policy_name=scenario.policy.name,
        policy_title=policy.title,
        parameters=bench.parameters,
        seed=scenario.seed,
        numbers=bench.numbers,
        facts=kind.facts(system),
        narrator=kind.narrator(system),
        pseudocode=policy.pseudocode,
        time_unit=scenario.run.time_unit,
        warnings=bench.numbers.warnings(),
        offers=kind.offers(system),
        origin=origin,
    )  # fmt: skip
