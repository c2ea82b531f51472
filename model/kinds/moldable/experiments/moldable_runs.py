"""Runs of moldable jobs up to a number of arrivals, and their combined results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.moldable.measures import batches_of
from slotscope.model.kinds.moldable.numbers import MoldableNumbers, numbers_of
from slotscope.model.kinds.moldable.programs.references import erlang_reference
from slotscope.model.kinds.moldable.sampling import PER_CLASS, SCALARS, TIME_COLUMN
from slotscope.model.kinds.moldable.scenario.schema import MoldableScenario
from slotscope.model.lab.parts import Outcome, Part
from slotscope.model.lab.runs import StraightRun, bench_of, replications
from slotscope.model.measures.metrics import Estimate, estimate
from slotscope.model.running.assembly import Bench
from slotscope.model.scenario.load import Scenario, as_data, edited, load_scenario
from slotscope.model.session.bench import open_bench

WORK = __name__

#: The scenarios of the paper's two speed-ups, by the paper's names.
SPEEDUPS: Mapping[str, str] = {"linear": "moldable-linear", "sub-linear": "moldable-sublinear"}

#: alpha and beta of lambda = 1 - beta n^-alpha in Section 7, by their names in figures.
TRAFFIC: Mapping[str, tuple[str, str]] = {"α = 0": ("0", "0.2"), "α = 1/2": ("1/2", "0.1"), "α = 2/3": ("2/3", "0.1")}

#: The three statistics of the mean execution time: over admitted jobs, over completed jobs,
#: and by Little's law.
EXECUTION_TIMES = ("execution_time", "execution_time_completed", "execution_time_little")


@dataclass(frozen=True)
class MoldableLength:
    """The lengths of runs, in arrivals."""

    #: the numbers of arrivals, from the empty system on, at which measures are taken; increasing
    arrivals: tuple[int, ...]
    replications: int  #: the number of runs
    warmup: int = 0  #: the number of first arrivals that are left out of the measures

    def text(self) -> str:
        """The length in words, as in "4 runs of 5,000,000 arrivals"."""
        after = f" after {self.warmup:,}" if self.warmup else ""
        return f"{self.replications} runs of {self.arrivals[-1] - self.warmup:,} arrivals{after}"


def system_of(speedup: str, traffic: str, servers: int, size: Mapping[str, Any] | None = None) -> Scenario:
    """A system of Section 7.

    - *speedup*, *traffic*: Names in :data:`SPEEDUPS` and :data:`TRAFFIC`.
    - *servers*: n.
    - *size*: The distribution of inherent sizes as in a scenario; None: exponential.
    """
    scenario = load_scenario(SPEEDUPS[speedup])
    (jobs,) = as_data(scenario)["classes"]
    alpha, beta = TRAFFIC[traffic]
    return edited(
        scenario,
        {
            "servers": {"count": servers},
            "classes": [jobs | ({"size": dict(size)} if size else {})],
            "workload": {"kind": "poisson", "alpha": alpha, "beta": beta},
        },
    )


def optimal_time(scenario: Scenario) -> float:
    """D*, the least mean execution time of any policy without blocking."""
    assert isinstance(scenario, MoldableScenario)
    optimum = numbers_of(scenario).optimum
    assert optimum is not None
    return float(optimum.objective)


def erlang_blocking(scenario: Scenario, policy: str) -> float | None:
    """P_b by Erlang's formula if it holds for *policy*, else None."""
    bench = open_bench(scenario, policy)
    return erlang_reference(policy, bench.numbers, bench.system.policy.rules).blocking


def moldable_runs(scenario: Scenario, policy: str, length: MoldableLength, label: str) -> list[Part]:
    """Parts that run *scenario* under *policy* from the empty system, with the seeds 1, 2, ....

    The outcome of each part is a list with, for each of the numbers of arrivals, the run's measures by name: from the
    end of the warm-up to just after that arrival.
    """
    settings = {"warmup": length.warmup, "arrivals": list(length.arrivals)}
    return replications(WORK, scenario, policy, settings, range(1, length.replications + 1), label, length.arrivals[-1])


def carry_out(part: Part) -> Outcome:
    """See :func:`moldable_runs`."""
    settings, bench = part.settings, bench_of(part)
    samples = samples_at(bench, [settings["warmup"], *settings["arrivals"]])
    return [_measures(bench.numbers, samples[0], sample) for sample in samples[1:]]


def samples_at(bench: Bench, arrivals: Sequence[int]) -> NDArray[np.float64]:
    """[k, sample width] samples just after each of the increasing numbers of *arrivals*."""
    run, samples = StraightRun(bench), np.zeros((len(arrivals), bench.system.sample_width))
    for row, number in zip(samples, arrivals, strict=True):
        bench.system.sample(run.to_arrival(number), row)
    return samples


def _measures(numbers: MoldableNumbers, first: NDArray[np.float64], last: NDArray[np.float64]) -> dict[str, float]:
    grown = last - first
    table = grown[SCALARS:].reshape(1, numbers.classes, PER_CLASS)
    batches = batches_of(numbers, table, float(grown[TIME_COLUMN]))
    return {name: float(batch.values[0]) for name, batch in batches.items()}


@dataclass(frozen=True, eq=False)
class MoldableRuns:
    """The replications of one system under one policy."""

    table: Mapping[str, NDArray[np.float64]]  #: by measure, [replications, k] up to each number of arrivals

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> MoldableRuns:
        """Combine the outcomes of :func:`moldable_runs`; at least one is needed."""
        names = outcomes[0][0]
        return cls({name: np.array([[found[name] for found in outcome] for outcome in outcomes]) for name in names})

    def measure(self, name: str, place: int = -1) -> Estimate:
        """The mean of a measure over the runs, with its interval.

        *place* is the index of the number of arrivals, by default the last.
        """
        return estimate(self.table[name][:, place])
