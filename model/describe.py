"""What stays the same while a run goes on, described for the panels."""

from __future__ import annotations

from model.assembly import Bench
from model.explain import Narrator
from model.frame import RunInfo
from model.origin import Origin


def run_info(bench: Bench, name: str, origin: Origin) -> RunInfo:
    """The description of a run that is shown as *name*."""
    scenario, system = bench.scenario, bench.system
    policy = system.policy
    has_groups = getattr(policy, "has_groups", False)
    groups = {"groups", "greedy", "greedy configurations"} if has_groups else set()
    return RunInfo(
        system=system.name,
        scenario=scenario,
        scenario_name=name or scenario.title or "scenario",
        policy_name=scenario.policy.name,
        policy_title=policy.title,
        parameters=bench.parameters,
        seed=scenario.seed,
        numbers=bench.numbers,
        narrator=Narrator(bench.numbers.type_names, system.job_name, policy.reserves_slots),
        pseudocode=policy.pseudocode,
        reserves_slots=policy.reserves_slots,
        reserved=policy.reserved,
        time_unit=scenario.run.time_unit,
        warnings=bench.numbers.warnings(),
        offers=frozenset({"servers", "jobs", "reward", "bounds"} | groups),
        origin=origin,
    )  # fmt: skip
