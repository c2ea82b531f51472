"""Figure 3 of Psychas & Ghaderi (2019): queues over time in two systems in which some policy is unstable."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Iterator, Mapping

from slotscope.model.kinds.queue.experiments.queue_runs import QueueLength, QueueRuns, queue_runs
from slotscope.model.kinds.queue.programs.bounds import all_bounds
from slotscope.model.lab.parts import Part
from slotscope.model.lab.plan import Options, Outcomes, found_in, parts_of
from slotscope.model.lab.results import Figure, Result, Row
from slotscope.model.scenario.load import load_scenario

SCALES: Mapping[str, QueueLength] = {"quick": QueueLength(1_000_000, 16), "paper": QueueLength(1_000_000, 200)}

#: The paper's policies that have a curve, as have policies named by the user; for others only numbers are given.
DRAWN = ("VQS", "VQS-BF", "BF-J/S")


@dataclass(frozen=True)
class Stability:
    """One half of Figure 3, as a :class:`model.lab.plan.Plan`."""

    name: str
    scenario: str  #: name of a built-in scenario
    title: str
    policies: Mapping[str, str]  #: the program's names of the policies, by the paper's names
    notes: tuple[str, ...]  #: what the paper says, and the choices made where it leaves one

    def parts(self, scale: str, options: Options) -> list[Part]:
        """One part for each replication under each policy."""
        return parts_of(self._cells(scale, options))

    def _cells(self, scale: str, options: Options) -> dict[str, list[Part]]:
        scenario, policies = load_scenario(self.scenario), options.beside(self.policies)
        return {name: queue_runs(scenario, policy, SCALES[scale], name) for name, policy in policies.items()}

    def result(self, scale: str, options: Options, outcomes: Outcomes) -> Result:
        """Growth and mean queue of each policy, and the queues over time."""
        length = SCALES[scale]
        drawn = [name for name in options.beside(self.policies) if name in DRAWN or name not in self.policies]
        cells = found_in(self._cells(scale, options), outcomes, partial(QueueRuns.of, slots=length.slots))
        rows = [row for name, cell in cells.items() for row in cell.rows({"policy": name})]
        figure = Figure(
            name=self.name,
            title=f"{self.title}: mean of {length.replications} runs on the same jobs",
            x_label="slot",
            y_label="jobs that wait",
            curves=tuple(cell.path(name) for name, cell in cells.items() if name in drawn),
            planned=tuple(drawn),
        )
        return Result(self.name, scale, (*rows, *self._fluid_limits()), (figure,), self.notes)

    def _fluid_limits(self) -> Iterator[Row]:
        """Rows of the fluid limits: the growth, and the arrival rate above which the queue grows."""
        *_, bounds = all_bounds(load_scenario(self.scenario))  # type: ignore[arg-type]
        for limit in bounds.fluid:
            at = {"policy": ", ".join(limit.policies)}
            yield Row("fluid_growth_per_slot", float(limit.slope), exact=str(limit.slope), at=at)
            if limit.limit is not None:
                yield Row("largest_arrival_rate", float(limit.limit), at=at, exact=str(limit.limit))


MEASURED = (
    "The paper gives no numbers. A policy is called stable or unstable by a test for growth of each run without its "
    "first fifth; where it is not stable, the average queue depends on the length of the runs."
)

#: VII.A.1.
VQS_UNSTABLE = Stability(
    "queues-fig3a",
    "queues-vqs-unstable",
    "Sizes 0.4 and 0.6",
    {
        "VQS": "vqs",
        "VQS-BF": "vqs-bf",
        "BF-J/S": "bf-js",
        "BF-J": "bf-j",
        "MaxWeight": "max-weight",
        "FIFO-FF": "fifo-ff",
    },
    (
        'The paper: VQS is "unstable for any arrival rate greater than 2/3 x 0.02"; "both of the '
        'other proposed algorithms, BF-J/S and VQS-BF, circumvent this problem".',
        MEASURED,
    ),
)

#: VII.A.2.
BEST_FIT_UNSTABLE = Stability(
    "queues-fig3b",
    "queues-bf-unstable",
    "Sizes 2 and 5 of 10",
    {
        "VQS": "vqs",
        "VQS-BF": "vqs-bf:renew=before",
        "VQS-BF, renewal after arrivals": "vqs-bf",
        "VQS-BF, stalling": "vqs-bf:stall=true",
        "BF-J/S": "bf-js",
        "BF-J": "bf-j",
        "MaxWeight": "max-weight",
        "FIFO-FF": "fifo-ff",
    },
    (
        'The paper: "an example where VQS is stable, while both BF-J/S and VQS-BF are not".',
        "VQS-BF is drawn with active configurations renewed before the slot's arrivals: then it "
        "behaves as in the paper's picture. Renewed after them, as in all else here, it grows only "
        "in the long run. Stalling is that of Section VIII, with gamma = 0.5.",
        MEASURED,
    ),
)
