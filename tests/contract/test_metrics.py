"""Every number that ``run`` measures has an independent value: that of a second bookkeeping."""

from __future__ import annotations

import random

import pytest

from slotscope.model.api import Session
from slotscope.model.kinds.spec import KINDS, kind_named
from tests.contract.bookkeeping import metrics_of

EVENTS = 500

SMALL = {
    "reservation": "dra-classroom",
    "queue": "queues-classroom",
    "phases": "jrs-classroom",
    "moldable": "moldable-classroom",
}

#: Metrics that a sum over events does not give, and the test that holds each.
ELSEWHERE = {"queue_growth": "tests/model/test_metrics.py"}


def stretch(name: str, policy: str, seed: int) -> tuple[float, float]:
    """A warm-up and an end with about so many events."""
    session = Session.open(name, policy=policy, seed=seed)
    session.run(events=EVENTS)
    return float(round(session.timeline.time / 7)), float(round(session.timeline.time))


@pytest.mark.slow
@pytest.mark.parametrize("system", list(KINDS))
def test_metrics_are_those_of_a_second_bookkeeping(system):
    name, seed = SMALL[system], random.randrange(10**6)
    for policy in kind_named(system).kernels:
        warmup, until = stretch(name, policy, seed)
        measured = Session.open(name, policy=policy, seed=seed).measure(until, warmup)
        expected = metrics_of(Session.open(name, policy=policy, seed=seed), warmup, until)
        assert set(measured) - set(ELSEWHERE) == set(expected)
        for metric, value in expected.items():
            assert measured[metric].mean == pytest.approx(value, rel=1e-9, abs=1e-9), (
                f"{metric} of {name} under {policy}, seed {seed}"
            )
