"""Runs of a system of jobs with phases at several scales r, and what they say together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.phases.scenario.schema import PhasesScenario
from slotscope.model.kinds.spec import kind_named
from slotscope.model.lab.parts import Outcome, Part
from slotscope.model.lab.runs import StraightRun, bench_of, replications
from slotscope.model.measures.metrics import Estimate, estimate
from slotscope.model.scenario.load import Scenario, edited, load_scenario

WORK = __name__

#: The scenarios of the four job models, by what they are called in pictures.
MODELS: Mapping[str, str] = {
    "two phases": "jrs-two-phases",
    "burst": "jrs-burst",
    "three phases": "jrs-three-phases",
    "fixed sizes": "jrs-fixed-sizes",
}


@dataclass(frozen=True)
class PhaseLength:
    """How long is simulated after the warm-up, in units of time, and how often."""

    warmup: int
    time: int
    replications: int

    def text(self) -> str:
        """For people, as in "4 runs of 300 units of time after 50"."""
        return f"{self.replications} runs of {self.time:,} units of time after {self.warmup}"


def at_scale(name: str, scale: int) -> Scenario:
    """A built-in scenario with arrivals at scale r."""
    return edited(load_scenario(name), {"workload": {"kind": "poisson", "scale": scale}})


def budget_of(name: str) -> float | None:
    """epsilon of a built-in scenario; None where capacities are hard."""
    scenario = load_scenario(name)
    assert isinstance(scenario, PhasesScenario)
    return float(scenario.cost.budget) if scenario.cost and scenario.cost.budget else None


def phase_runs(scenario: Scenario, policy: str | None, length: PhaseLength, label: str) -> list[Part]:
    """Parts that run *scenario* under *policy* (None: its own), with the seeds 1, 2, ....

    The outcome of each has ``batches``: by measure, its value in equal stretches after the warm-up;
    and ``plan``: ``nbar``, ``servers`` and ``limits`` of JRS, None for its peers.
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
    """Replications of one system at one scale under one policy."""

    table: Mapping[str, NDArray[np.float64]]  #: by measure, [replications, stretches]
    #: nbar, servers: of the plan that JRS followed; None for its peers
    nbar: float | None
    servers: int | None

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> PhaseRuns:
        """From the outcomes of :func:`phase_runs`; at least one."""
        names = outcomes[0]["batches"]
        table = {name: np.array([one["batches"][name] for one in outcomes]) for name in names}
        plan = outcomes[0]["plan"] or {"nbar": None, "servers": None}
        return cls(table, plan["nbar"], plan["servers"])

    def measure(self, name: str) -> Estimate:
        """The mean of a measure and its interval, by batch means over all replications."""
        return estimate(self.table[name].ravel())

    @property
    def bound(self) -> float:
        """Nbar of the plan that JRS followed."""
        assert self.nbar is not None
        return self.nbar

    def by_run(self, name: str) -> NDArray[np.float64]:
        """[replications] the mean of a measure in each run."""
        return np.asarray(self.table[name].mean(axis=1))


def scaled(found: Estimate, factor: float, less: float = 0.0) -> Estimate:
    """(*found* - *less*) times *factor*."""
    return Estimate((found.mean - less) * factor, found.half_width * abs(factor))
