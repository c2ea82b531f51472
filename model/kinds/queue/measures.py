"""The measures of a queueing system: mean queue, growth, waiting time, use of the servers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.queue import sampling
from slotscope.model.kinds.queue.numbers import QueueNumbers
from slotscope.model.kinds.queue.scenario.schema import QueueScenario
from slotscope.model.kinds.queue.state import ARRIVED, DEPARTED, NOW, PLACED, RENEWED, WAITING, QueueState
from slotscope.model.kinds.spec import NO_VERDICT, UNSTABLE, Judgement
from slotscope.model.measures.growth import Growth, growth, together
from slotscope.model.measures.metrics import Batches, Estimate, last_at, ratio
from slotscope.model.measures.monitors import Claim
from slotscope.model.scenario.common import ARE_RECORDED, is_recorded

#: The counts, in the order in which they follow the two integrals in a row of totals.
COUNTS = ("arrived", "placed", "departed", "renewals")
_TALLIES = (ARRIVED, PLACED, DEPARTED, RENEWED)
_COLUMNS = (sampling.ARRIVED_COLUMN, sampling.PLACED_COLUMN, sampling.DEPARTED_COLUMN, sampling.RENEWED_COLUMN)
#: What Psychas & Ghaderi (2019) claim of the policies: queues that stay bounded.
CLAIMS = (
    Claim(
        "stable",
        "The mean queue stays bounded, as it does under a policy whose share of ρ* is not passed",
        "sup_t E[Q(t)] < ∞",
        "Section II; Theorems 2, 3 and 4",
    ),
)


def totals(numbers: QueueNumbers, state: QueueState, now: float) -> NDArray[np.float64]:
    """[6] the totals up to slot *now*: the sums of Q and of the share in use over the slots, and the counts."""
    slots = now - float(state.clock[NOW])
    waiting = state.waiting_area[0] + state.number[WAITING] * slots
    used = (state.used_area + state.used_total * slots) @ sampling.used_weight(numbers.capacity)
    return np.asarray(np.r_[waiting, used, state.tally[list(_TALLIES)]], np.float64)


def totals_at(_numbers: QueueNumbers, samples: NDArray[np.float64], times: NDArray[np.float64]) -> NDArray[np.float64]:
    """[n, 6] as :func:`totals`, at each of n increasing times.

    Integrals are exact at samples, and extrapolated after a sample as if the queue stayed constant; a
    count is that of the last sample before.
    """
    last = samples[last_at(samples[:, sampling.TIME_COLUMN], times)]
    slots = times - last[:, sampling.TIME_COLUMN]
    waiting = last[:, sampling.WAITING_AREA_COLUMN] + last[:, sampling.WAITING_COLUMN] * slots
    used = last[:, sampling.USED_AREA_COLUMN] + last[:, sampling.USED_COLUMN] * slots
    return np.column_stack([waiting, used, last[:, list(_COLUMNS)]])


def batches_of(_numbers: QueueNumbers, table: NDArray[np.float64], length: float) -> dict[str, Batches]:
    """The batches of each measure, from the increments of the totals over batches of *length* slots.

    *table* [B, 6] has for each batch the sums of Q and of the share in use over its slots, and the numbers of arrivals,
    placements, departures and renewals.  The waiting time, in slots, is the sum of Q divided by the number of jobs
    placed (Little's law).
    """
    queue = table[:, 0] / length
    growth = np.r_[np.nan, np.diff(table[:, 0])] / length**2  # sums are integers: only the division rounds
    result = {
        "queue_length": Batches(queue),
        "queue_growth": Batches(growth),
        "waiting_time": ratio(table[:, 0], table[:, 3]),
        "used_capacity": Batches(table[:, 1] / length),
    }
    for column, name in enumerate(COUNTS, 2):
        result[name] = Batches(table[:, column], len(table))
    return result


def headline_series(_numbers: QueueNumbers, samples: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[Any]]:
    """[n] the queue length at each sample, and [n] its sum over all slots before."""
    return samples[:, sampling.WAITING_COLUMN], samples[:, sampling.WAITING_AREA_COLUMN]


def headline_now(_numbers: QueueNumbers, state: QueueState) -> float:
    """The jobs that wait."""
    return float(state.number[WAITING])


#: The measures whose means exist only if the queue does not grow.
_MEANS = ("queue_length", "waiting_time")


def judge(scenario: QueueScenario, runs: Sequence[Mapping[str, Batches]], span: float) -> Judgement:
    """Judge whether the queue grows; a growing queue has no mean, and its growth is reported instead.

    Nothing is said of recorded jobs: they are finitely many, so that they do not show growth in the long run.

    - *runs*: The batches of each run.
    - *span*: The slots that each run covers.
    """
    whole = together([_growth_of(run, span) for run in runs])
    corrected = {"queue_growth": Estimate(whole.slope, whole.half_width)}
    if is_recorded(scenario.workload):
        return Judgement(NO_VERDICT, ARE_RECORDED, corrected)
    if whole.verdict == UNSTABLE:
        corrected |= {name: Estimate(np.nan, np.nan) for name in _MEANS}
    return Judgement(whole.verdict, whole.reason, corrected)


def _growth_of(run: Mapping[str, Batches], slots: float) -> Growth:
    """The result of the test for growth on one run; inconclusive if the run has few jobs."""
    queue = run["queue_length"].values
    edges = np.linspace(0, slots, len(queue) + 1)
    found = growth(edges, queue * slots / len(queue))
    arrived = int(run["arrived"].values.sum())
    if arrived >= len(queue):
        return found
    jobs = f"{arrived} job has" if arrived == 1 else f"{arrived} jobs have"
    return replace(
        found,
        verdict="undecided",
        reason=f"{jobs} arrived in {len(queue)} stretches; at least one job for each is needed",
    )
