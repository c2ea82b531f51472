"""Runs of a system of jobs with phases at several scales r, and their combined results.

A panel compares a scenario with short runs while it runs itself; the runs of the experiments are longer.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.errors import UserError
from slotscope.model.kinds.phases.programs.bounds import PhasePoint
from slotscope.model.kinds.phases.scenario.schema import PhasesScenario
from slotscope.model.kinds.spec import kind_named
from slotscope.model.lab.parts import Outcome, Part
from slotscope.model.lab.runs import StraightRun, bench_of, replications
from slotscope.model.measures.metrics import Estimate, estimate
from slotscope.model.scenario.load import Scenario, edited, load_scenario

WORK = __name__

#: The scenarios of the four job models, by their names in figures.
MODELS: Mapping[str, str] = {
    "two phases": "jrs-two-phases",
    "burst": "jrs-burst",
    "three phases": "jrs-three-phases",
    "fixed sizes": "jrs-fixed-sizes",
}


@dataclass(frozen=True)
class PhaseLength:
    """The length of the runs after the warm-up, in units of time, and their number."""

    warmup: int
    time: int
    replications: int

    def text(self) -> str:
        """The length in words, as in "4 runs of 300 units of time after 50"."""
        return f"{self.replications} runs of {self.time:,} units of time after {self.warmup}"


def at_scale(name: str, scale: int) -> Scenario:
    """A built-in scenario with arrivals at scale r."""
    return edited(load_scenario(name), {"workload": {"kind": "poisson", "scale": scale}})


def budget_of(name: str) -> float | None:
    """epsilon of a built-in scenario; None if capacities are hard."""
    scenario = load_scenario(name)
    assert isinstance(scenario, PhasesScenario)
    return float(scenario.cost.budget) if scenario.cost and scenario.cost.budget else None


def phase_runs(scenario: Scenario, policy: str | None, length: PhaseLength, label: str) -> list[Part]:
    """Parts that run *scenario* under *policy* (None: its own), with the seeds 1, 2, ....

    The outcome of each part has ``batches``: for each measure its values in equal stretches after the warm-up;
    and ``plan``: ``nbar`` and ``servers`` of JRS, None for its peers.
    """
    until = length.warmup + length.time
    jobs = float(sum(kind_named(scenario.system).numbers(scenario).arrival_rates))
    settings, seeds = {"warmup": length.warmup, "until": until}, range(1, length.replications + 1)
    return replications(WORK, scenario, policy, settings, seeds, label, jobs * until)


def carry_out(part: Part) -> Outcome:
    """See :func:`phase_runs`."""
    settings, bench = part.settings, bench_of(part)
    run = StraightRun(bench)
    batches = bench.kind.run_batches(bench.numbers, run.to, float(settings["warmup"]), float(settings["until"]))
    values = {name: batch.values.tolist() for name, batch in batches.items()}
    return {"batches": values, "plan": _plan(bench.kind.facts(bench.system).plan)}


def _plan(plan: Any) -> dict[str, Any] | None:
    if plan is None:
        return None
    return {"nbar": plan.nbar, "servers": sum(pool.servers for pool in plan.pools)}


@dataclass(frozen=True, eq=False)
class PhaseRuns:
    """The replications of one system at one scale under one policy."""

    table: Mapping[str, NDArray[np.float64]]  #: by measure, [replications, stretches]
    #: nbar, servers: of the plan that JRS used; None for its peers
    nbar: float | None
    servers: int | None

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> PhaseRuns:
        """Combine the outcomes of :func:`phase_runs`; at least one is needed."""
        names = outcomes[0]["batches"]
        table = {name: np.array([one["batches"][name] for one in outcomes]) for name in names}
        plan = outcomes[0]["plan"] or {"nbar": None, "servers": None}
        return cls(table, plan["nbar"], plan["servers"])

    def measure(self, name: str) -> Estimate:
        """The mean of a measure with its interval, by batch means over all replications."""
        return estimate(self.table[name].ravel())

    @property
    def bound(self) -> float:
        """Nbar of the plan that JRS used."""
        assert self.nbar is not None
        return self.nbar

    def by_run(self, name: str) -> NDArray[np.float64]:
        """[replications] the mean of a measure in each run."""
        return np.asarray(self.table[name].mean(axis=1))


def scaled(found: Estimate, factor: float, less: float = 0.0) -> Estimate:
    """(*found* - *less*) times *factor*."""
    return Estimate((found.mean - less) * factor, found.half_width * abs(factor))


#: The mean number of arrivals in each run, and the number of replications.
JOBS, REPLICATIONS = 20_000, 3

#: Scales at which JRS runs, relative to the scenario's own, and the largest number of jobs tried.
RELATIVE_SCALES = (Fraction(1), Fraction(1, 4), Fraction(4), Fraction(1, 2), Fraction(2))
MOST_JOBS_AT_ONCE = 5_000

PEAK = "first-fit:fits=peak"

#: Peers by their names.
PEERS = (("First fit", "first-fit"), ("First fit by peak", PEAK), ("GRAND(aZ)", "grand"))


def points(scenario: PhasesScenario) -> Iterator[PhasePoint]:
    """Yield JRS and its peers at the scenario's scale, then JRS at other scales, each as soon as it has run.

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
        if changes or peer != PEAK:  # without moves it is the same as first fit by present demand
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
