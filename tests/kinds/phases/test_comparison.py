"""Policies side by side on the same jobs with phases."""

from __future__ import annotations

import numpy as np
import pytest

from slotscope.model.comparison.comparison import Comparison
from slotscope.model.comparison.runs import open_run

PATCHED = ("jrs", "jrs:patch=true")


def next_moves(state):
    """The time of each real job's next move, by its number."""
    real = np.flatnonzero((state.job_number >= 0) & (state.job_virtual == 0))
    return dict(zip(state.job_number[real].tolist(), state.job_due[real].tolist(), strict=True))


@pytest.mark.parametrize("policies", [PATCHED, ("jrs", "first-fit", "grand")])
def test_lanes_go_together_and_meet_the_same_jobs(policies):
    comparison = open_run("jrs-deadlock", policies)
    assert isinstance(comparison, Comparison)
    comparison.run(until=20.0)
    found = [next_moves(session.timeline.state) for session in comparison.sessions]
    assert found[0]
    assert all(other == found[0] for other in found)


def test_stepping_moves_the_lane_whose_event_comes_first():
    comparison = open_run("jrs-deadlock", PATCHED)
    assert isinstance(comparison, Comparison)
    times = [comparison.timeline.time]
    for _ in range(50):
        comparison.step()
        times.append(comparison.timeline.time)
    assert times == sorted(times)
    assert all(session.timeline.event > 0 for session in comparison.sessions)
