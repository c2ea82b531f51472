"""Short runs beside a scenario of jobs with phases: its gap at other scales, and its peers.

They are for a panel that compares while a run goes on; the experiments run longer.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Iterator

from slotscope.model.errors import UserError
from slotscope.model.kinds.phases.experiments.phase_runs import PhaseLength, PhaseRuns, carry_out, phase_runs
from slotscope.model.kinds.phases.programs.bounds import PhasePoint
from slotscope.model.kinds.phases.scenario.schema import PhasesScenario
from slotscope.model.scenario.load import edited

#: Runs last as long as it takes for about so many jobs to arrive, in three replications.
JOBS, REPLICATIONS = 20_000, 3

#: Scales relative to the scenario's own at which JRS runs, and the largest r that is tried.
RELATIVE_SCALES = (Fraction(1), Fraction(1, 4), Fraction(4), Fraction(1, 2), Fraction(2))
MOST_JOBS_AT_ONCE = 5_000

PEAK = "first-fit:fits=peak"

#: Peers by what they are called.
PEERS = (("First fit", "first-fit"), ("First fit by peak", PEAK), ("GRAND(aZ)", "grand"))


def points(scenario: PhasesScenario) -> Iterator[PhasePoint]:
    """JRS and its peers at the scenario's scale, then JRS at others; each as soon as it is known.

    A policy that cannot run on the scenario is left out.
    """
    if scenario.workload.kind != "poisson":
        return
    own = scenario.workload.scale
    jobs = float(sum(phase.arrival_rate for phase in scenario.phases))
    policy = "jrs" if scenario.policy.name != "jrs" else None
    yield from _measured(scenario, "JRS", policy, own, jobs)
    changes = any(rate for phase in scenario.phases for rate in phase.to.values())
    for title, peer in PEERS:
        if changes or peer != PEAK:  # else it is what first fit does by present demand
            yield from _measured(scenario, title, peer, own, jobs)
    for factor in RELATIVE_SCALES[1:]:
        if float(own * factor) * jobs <= MOST_JOBS_AT_ONCE:
            yield from _measured(scenario, "JRS", policy, own * factor, jobs)


def _measured(
    scenario: PhasesScenario, title: str, policy: str | None, scale: Fraction, jobs: float
) -> Iterator[PhasePoint]:
    at = edited(scenario, {"workload": {"kind": "poisson", "scale": str(scale)}})
    time = max(1, round(JOBS / (jobs * float(scale))))
    length = PhaseLength(max(1, time // 10), time, REPLICATIONS)
    try:
        cell = PhaseRuns.of([carry_out(part) for part in phase_runs(at, policy, length, title)])
    except UserError:
        return
    yield PhasePoint(title, float(scale), cell.measure("active_servers"), cell.measure("cost_rate"), cell.nbar)
