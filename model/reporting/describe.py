"""What stays the same while a run goes on, described for the panels."""

from __future__ import annotations

from math import ceil, log2

import numpy as np

from slotscope.model.questions.words import Words
from slotscope.model.reporting.explain import Narrator
from slotscope.model.reporting.frame import RunInfo
from slotscope.model.running.assembly import Bench
from slotscope.model.running.origin import Origin
from slotscope.model.scenario.workload import ContinuedWorkload

#: The first arrivals between which nobody should have to wait long, and the seconds that are long.
FIRST_ARRIVALS = 10
LONG = 5.0


def run_info(whole: Bench, event: int, name: str, origin: Origin) -> RunInfo:
    """The description of a run that is shown as *name*, by what goes on after *event* events."""
    bench = whole.at(event)
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
        narrator=narrator_of(whole, bench),
        pseudocode=policy.pseudocode,
        time_unit=scenario.run.time_unit,
        warnings=bench.numbers.warnings(),
        words=Words(kind.vocabulary, system),
        offers=kind.offers(system),
        origin=origin,
        sample=system.sample,
        usual_pace=usual_pace(bench),
        initial_jobs=system.initial_jobs,
    )


def narrator_of(whole: Bench, bench: Bench) -> Narrator:
    """What words a run at one of its legs: all events, each as the policy has it that decided there."""
    narrator: Narrator = bench.kind.narrator(bench.system)
    if len(whole.legs) > 1:
        told = [leg.kind.narrator(leg.system) for leg in whole.legs]
        narrator.legs = tuple(zip(whole.starts, told, strict=True))
    return narrator


def usual_pace(bench: Bench) -> float:
    """Units of time per second at which a run begins: that of its kind, or faster.

    A kind knows the mean rate only.  Recorded jobs may begin far more slowly: then the longest
    time between the first of them passes within a second.
    """
    usual, workload = bench.kind.usual_pace(bench.numbers), bench.system.workload
    block = None if isinstance(workload, ContinuedWorkload) else workload.block_at(0)
    if block is None or not len(block.time):
        return usual
    longest = float(np.diff(block.time[:FIRST_ARRIVALS], prepend=0.0).max())
    return usual if longest <= LONG * usual else 2.0 ** ceil(log2(longest))
