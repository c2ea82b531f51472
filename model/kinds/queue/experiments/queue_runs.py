"""Replications of a queueing system, and their joint results: growth, verdict on stability, mean queue."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.queue.state import NOW, WAITING
from slotscope.model.kinds.spec import kind_named
from slotscope.model.lab.parts import Outcome, Part
from slotscope.model.lab.results import At, Curve, Row
from slotscope.model.lab.runs import StraightRun, bench_of, replications
from slotscope.model.measures.growth import SEVERAL, STRETCHES, Growth, growth, together
from slotscope.model.measures.metrics import BATCHES, Estimate, estimate
from slotscope.model.running.assembly import Bench
from slotscope.model.scenario.load import Scenario

WORK = __name__

#: The number of equal batches into which every run is divided, and how many of the first are warm-up.
CUTS, WARMUP_CUTS = 250, 50

#: The share of a run that is discarded as warm-up.
WARMUP_SHARE = WARMUP_CUTS / CUTS


@dataclass(frozen=True)
class QueueLength:
    """The simulated length: slots of one replication, a multiple of :data:`CUTS`, and the number of replications."""

    slots: int
    replications: int

    def text(self) -> str:
        """For people, as in "4 runs of 1,000,000 slots"."""
        return f"{self.replications} runs of {self.slots:,} slots"


def queue_runs(scenario: Scenario, policy: str, length: QueueLength, label: str) -> list[Part]:
    """Parts that run *scenario* under *policy*, with the seeds 1, 2, ....

    The outcome of each has ``areas``, [:data:`CUTS`] the sums of Q(t) over equal batches, and
    ``growth``, the result of the test for growth without the warm-up.

    - *label*: The name of the parts, to which each adds its seed.
    """
    rate = float(kind_named(scenario.system).numbers(scenario).arrival_rate)
    return replications(
        WORK, scenario, policy, {"slots": length.slots}, range(1, length.replications + 1), label, length.slots * rate
    )


def carry_out(part: Part) -> Outcome:
    """See :func:`queue_runs`."""
    slots = part.settings["slots"]
    return outcome_of(sums_of_the_queue(bench_of(part), slots), slots)


def outcome_of(areas: Sequence[float], slots: int) -> Outcome:
    """The outcome of a run, given the sums of Q(t) over its batches, *areas* [:data:`CUTS`]."""
    edges, step = edges_of(slots)[WARMUP_CUTS:], (CUTS - WARMUP_CUTS) // STRETCHES
    kept = np.array(areas[WARMUP_CUTS:]).reshape(STRETCHES, step).sum(axis=1)
    return {"areas": list(areas), "growth": asdict(growth(edges[::step], kept))}


def sums_of_the_queue(bench: Bench, slots: int) -> list[float]:
    """[:data:`CUTS`] the sum of Q(t) over each of the equal batches of slots 0 .. *slots* - 1."""
    run, total = StraightRun(bench), [0.0]
    for edge in edges_of(slots)[1:].tolist():
        state = run.to(edge - 1)
        since = edge - float(state.clock[NOW])
        total.append(float(state.waiting_area[0]) + int(state.number[WAITING]) * since)
    return [float(area) for area in np.diff(total)]


def edges_of(slots: int) -> NDArray[np.float64]:
    """[CUTS + 1] the slots at which the batches of a run begin and end."""
    return np.linspace(0, slots, CUTS + 1).round()


@dataclass(frozen=True, eq=False)
class QueueRuns:
    """Replications of one system under one policy."""

    slots: int  #: slots of each replication
    table: NDArray[np.float64]  #: [r, CUTS] the mean queue in each batch of each replication
    growth: Growth  #: growth over all replications, after the warm-up

    @classmethod
    def of(cls, outcomes: Sequence[Outcome], slots: int) -> QueueRuns:
        """Combine the outcomes of :func:`queue_runs`, at least one."""
        areas = np.array([outcome["areas"] for outcome in outcomes], float)
        runs = [Growth(**outcome["growth"]) for outcome in outcomes]
        return cls(slots, areas * CUTS / slots, together(runs))

    @property
    def mean(self) -> Estimate:
        """The mean queue after the warm-up, by batch means of all replications.

        With at least :data:`model.measures.growth.SEVERAL` replications, the confidence interval is at least as
        wide as the one computed from the replications' means.
        """
        batches = self.table[:, WARMUP_CUTS:].reshape(len(self.table) * BATCHES, -1)
        found = estimate(batches.mean(axis=1))
        if len(self.table) < SEVERAL:
            return found
        return Estimate(found.mean, max(found.half_width, self.average.half_width))

    @property
    def average(self) -> Estimate:
        """The mean over the replications of the time-average queue after the warm-up, with its confidence interval."""
        return estimate(self.table[:, WARMUP_CUTS:].mean(axis=1))

    def rows(self, at: At) -> list[Row]:
        """Rows for the growth per slot, and for the mean queue if it is stable, otherwise the average over the runs.

        This average grows with the length of the runs, which is therefore given beside it.
        """
        told = {**at, "verdict": self.growth.verdict}
        found = [Row("growth_per_slot", self.growth.slope, self.growth.half_width, at=told)]
        if self.growth.verdict == "stable":
            return [*found, Row.of("mean_queue", self.mean, told)]
        length: At = told | {"slots": self.slots}
        return [*found, Row.of("average_over_run", self.average, length)]

    def path(self, name: str) -> Curve:
        """The queue over time: the mean of all replications in each batch."""
        edges = edges_of(self.slots)
        middle = (edges[1:] + edges[:-1]) / 2
        mean = self.table.mean(axis=0)
        spread = [estimate(column).half_width for column in self.table.T]
        return Curve(name, tuple(middle.tolist()), tuple(mean.tolist()), tuple(spread) if len(self.table) > 1 else ())
