"""Verdicts on queues: only with sufficient evidence, and none on recorded jobs."""

from __future__ import annotations

import numpy as np
import pytest

from slotscope.model.kinds.queue.kind import KIND
from slotscope.model.measures.growth import STRETCHES
from slotscope.model.measures.metrics import Batches
from slotscope.model.scenario.load import Scenario, as_data, load_scenario, parse_scenario

SPAN = 10_000.0


@pytest.fixture(scope="module")
def scenario() -> Scenario:
    return load_scenario("queues-classroom")


def run(queue: np.ndarray, arrived: int) -> dict[str, Batches]:
    """The batches that a verdict needs; all jobs arrive in the first stretch."""
    counts = np.zeros(STRETCHES)
    counts[0] = arrived
    means = Batches(np.asarray(queue, float))
    return {"queue_length": means, "waiting_time": means, "arrived": Batches(counts, STRETCHES)}


@pytest.mark.parametrize(
    ("arrived", "said"), [(0, "0 jobs have arrived"), (1, "1 job has"), (STRETCHES - 1, "49 jobs have")]
)
def test_too_few_jobs_decide_nothing(scenario: Scenario, arrived: int, said: str) -> None:
    for queue in (np.zeros(STRETCHES), np.arange(STRETCHES)):
        found = KIND.judge(scenario, [run(queue, arrived)], SPAN)
        assert found is not None
        assert found.verdict == "undecided"
        assert found.reason.startswith(said)


def test_a_queue_that_stays_empty_though_jobs_arrive_is_stable(scenario: Scenario) -> None:
    found = KIND.judge(scenario, [run(np.zeros(STRETCHES), 500)], SPAN)
    assert found is not None
    assert found.verdict == "stable"


@pytest.mark.parametrize("rising", [False, True])
def test_recorded_jobs_have_a_mean_and_no_verdict(scenario: Scenario, rising: bool) -> None:
    workload = {"kind": "scripted", "arrivals": [{"slot": 1, "size": "1/2", "service": 3}]}
    recorded = parse_scenario(as_data(scenario) | {"jobs": [], "workload": workload})
    queue = rising * np.arange(STRETCHES)
    found = KIND.judge(recorded, [run(queue, 500)], SPAN)
    assert found is not None
    assert found.verdict == "no verdict"
    assert set(found.metrics) == {"queue_growth"}
    assert found.metrics["queue_growth"].mean == pytest.approx(rising * STRETCHES / SPAN)


def test_several_runs_of_few_jobs_are_undecided_together(scenario: Scenario) -> None:
    found = KIND.judge(scenario, [run(np.zeros(STRETCHES), 3)] * 4, SPAN)
    assert found is not None
    assert (found.verdict, found.reason) == ("undecided", "of 4 runs: 4 undecided")
