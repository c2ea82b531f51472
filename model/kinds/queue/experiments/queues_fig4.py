"""Figure 4 of Psychas & Ghaderi (2019): mean queue against traffic intensity, for uniform sizes."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import Callable, Mapping

from slotscope.model.kinds.queue.experiments.queue_runs import WARMUP_SHARE, QueueLength, QueueRuns, queue_runs
from slotscope.model.lab.parts import Part
from slotscope.model.lab.plan import Options, Outcomes, finished, parts_of
from slotscope.model.lab.results import Curve, Figure, Result
from slotscope.model.measures.metrics import Estimate
from slotscope.model.scenario.load import edited, load_scenario

#: alpha, the share of all capacity that arriving jobs need on average.
INTENSITIES = ("0.85", "0.90", "0.93", "0.95", "0.97", "0.99")

POLICIES: Mapping[str, str] = {"BF-J/S": "bf-js", "VQS-BF": "vqs-bf", "VQS": "vqs", "FIFO-FF": "fifo-ff"}


@dataclass(frozen=True)
class IntensityScale:
    """The simulated lengths; ``longer`` are those of policies that take longer to reach steady state."""

    usual: QueueLength
    longer: Mapping[str, QueueLength] = field(default_factory=dict)

    def of(self, policy: str) -> QueueLength:
        """The length of a policy's runs."""
        return self.longer.get(policy, self.usual)


SCALES: Mapping[str, IntensityScale] = {
    "quick": IntensityScale(QueueLength(1_000_000, 4), {"BF-J/S": QueueLength(10_000_000, 4)}),
    "paper": IntensityScale(QueueLength(1_000_000, 24), {"BF-J/S": QueueLength(10_000_000, 8)}),
}

Cells = Mapping[tuple[str, float], QueueRuns]


@dataclass(frozen=True)
class Intensities:
    """One half of Figure 4, as a :class:`model.lab.plan.Plan`."""

    name: str
    scenario: str
    title: str
    notes: tuple[str, ...]

    def parts(self, scale: str, options: Options) -> list[Part]:
        """One part for each replication of each point of each curve."""
        return parts_of(self._cells(scale, options))

    def _cells(self, scale: str, options: Options) -> dict[tuple[str, str], list[Part]]:
        scenario, policies = load_scenario(self.scenario), options.beside(POLICIES)
        dense = {
            alpha: edited(scenario, {"workload": {"kind": "poisson", "intensity": alpha}}) for alpha in INTENSITIES
        }
        return {
            (name, alpha): queue_runs(dense[alpha], policies[name], SCALES[scale].of(name), f"{name}, alpha = {alpha}")
            for name, alpha in product(policies, INTENSITIES)
        }

    def result(self, scale: str, options: Options, outcomes: Outcomes) -> Result:
        """The growth of each policy at each intensity, and its mean queue if it is stable."""
        size = SCALES[scale]
        cells = {
            (name, float(alpha)): QueueRuns.of(done, size.of(name).slots)
            for (name, alpha), several in self._cells(scale, options).items()
            if (done := finished(several, outcomes))
        }
        rows = [row for (name, alpha), cell in cells.items() for row in cell.rows({"policy": name, "alpha": alpha})]
        names = {policy: _curve_name(policy, size) for policy in options.beside(POLICIES)}
        return Result(self.name, scale, tuple(rows), self._figures(size, names, cells), self.notes)

    def _figures(self, scale: IntensityScale, names: Mapping[str, str], cells: Cells) -> tuple[Figure, ...]:
        stable = {key: cell for key, cell in cells.items() if cell.growth.verdict == "stable"}
        over, where = f"average queue over runs of {scale.usual.slots:,} slots", "mean queue where it is stable"
        return (
            self._figure(scale, names, "", where, "mean queue", stable, lambda cell: cell.mean),
            self._figure(
                scale,
                names,
                "-growth",
                "growth of the queue",
                "jobs per slot",
                cells,
                lambda cell: Estimate(cell.growth.slope, cell.growth.half_width),
            ),
            self._figure(scale, names, "-average", over, "average queue", cells, lambda cell: cell.average),
        )

    def _figure(
        self,
        scale: IntensityScale,
        names: Mapping[str, str],
        ending: str,
        what: str,
        y_label: str,
        cells: Cells,
        value: Callable[[QueueRuns], Estimate],
    ) -> Figure:
        points = {(names[policy], alpha): value(cell) for (policy, alpha), cell in cells.items()}
        curves = Curve.family(names.values(), points)
        return Figure(
            name=f"{self.name}{ending}",
            title=f"{self.title}: {what}",
            x_label=f"traffic intensity α ({scale.usual.text()})",
            # A single curve has no legend, so that the axis names it.
            y_label=y_label if len(curves) > 1 else " of ".join([y_label, *(curve.name for curve in curves)]),
            curves=curves,
            planned=tuple(names.values()),
        )


def _curve_name(policy: str, scale: IntensityScale) -> str:
    """The name of a policy, with the length of its runs if that is not the usual one."""
    longer = f" ({scale.of(policy).slots:,} slots)" if policy in scale.longer else ""
    return f"{policy}{longer}"


MEASURED = (
    "The paper gives no numbers, and not how long its runs were. It draws averages over them; where a queue grows, "
    "such an average only tells how long the run was. So here growth per slot is given for every point, a mean where "
    "a test for growth finds the queue stable, and elsewhere the average over the runs with their length. The first "
    f"{WARMUP_SHARE:.0%} of every run is left out."
)

#: Figure 4 a.
SMALL_JOBS = Intensities(
    "queues-fig4a",
    "queues-small-jobs",
    "Sizes from 0.01 to 0.19",
    (
        'The paper: BF-J/S and VQS-BF "look comparable in the first experiment for traffic '
        'intensities up to 0.95, otherwise BF-J/S has a clear advantage".',
        "VQS grows from an intensity of about 0.90 on, at first so slowly that runs of this length "
        "do not always decide.",
        MEASURED,
    ),
)

#: Figure 4 b.
WIDE_JOBS = Intensities(
    "queues-fig4b",
    "queues-wide-jobs",
    "Sizes from 0.1 to 0.9",
    (
        'The paper: "VQS and VQS-BF have particularly worse delays when the average job size is '
        "large, since large jobs cannot be scheduled most of the time, unless they are part of the "
        'active configuration of a server".',
        "VQS is unstable at every intensity shown, VQS-BF above about 0.90: queues-limits measures "
        "where both begin to grow.",
        MEASURED,
    ),
)
