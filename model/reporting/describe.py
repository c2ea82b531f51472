"""The description of a run for the panels: everything that does not change during the run."""

from __future__ import annotations

from math import ceil, log2

import numpy as np

from slotscope.model.questions.words import Words
from slotscope.model.reporting.explain import Narrator
from slotscope.model.reporting.frame import RunInfo
from slotscope.model.running.assembly import Bench
from slotscope.model.running.origin import Origin
from slotscope.model.scenario.workload import ContinuedWorkload

#: Between this many first arrivals nobody should wait long; and the seconds that count as long.
FIRST_ARRIVALS = 10
LONG = 5.0


def run_info(whole: Bench, event: int, name: str, origin: Origin) -> RunInfo:
    """The description of a run displayed as *name*, for the rules in force after *event* events."""
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
    """The narrator of a run at one of its legs: each event is worded by the leg in which it happened."""
    narrator: Narrator = bench.kind.narrator(bench.system)
    if len(whole.legs) > 1:
        told = [leg.kind.narrator(leg.system) for leg in whole.legs]
        narrator.legs = tuple(zip(whole.starts, told, strict=True))
    return narrator


def usual_pace(bench: Bench) -> float:
    """The pace, in units of time per second, at which a run begins: that of its kind, or faster.

    The kind's pace is based on the mean rate only.  Recorded jobs may begin far more slowly; then the
    longest gap between the first arrivals is made to pass within a second.
    """
    usual, workload = bench.kind.usual_pace(bench.numbers), bench.system.workload
    block = None if isinstance(workload, ContinuedWorkload) else workload.block_at(0)
    if block is None or not len(block.time):
        return usual
    longest = float(np.diff(block.time[:FIRST_ARRIVALS], prepend=0.0).max())
    return usual if longest <= LONG * usual else 2.0 ** ceil(log2(longest))
