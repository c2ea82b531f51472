"""Policies side by side on the same moldable jobs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from slotscope.model.comparison.comparison import Comparison
from slotscope.model.comparison.runs import open_run
from slotscope.model.kinds.moldable.state import ARRIVED, BLOCKED
from slotscope.model.kinds.spec import REJECTED
from slotscope.model.reporting.records import ARRIVAL
from slotscope.model.systems.state import digest

POLICIES = ("greedy-p", "greedy", "fixed-width:servers=2")


def opened(*policies: str) -> Comparison:
    comparison = open_run("moldable-classroom", policies)
    assert isinstance(comparison, Comparison)
    return comparison


def rows_of(session: Any) -> Any:
    rows = session.timeline.rows(1, session.timeline.event)
    return rows[rows["kind"] == ARRIVAL]


def test_lanes_go_together_and_meet_the_same_jobs() -> None:
    comparison = opened(*POLICIES)
    comparison.run(until=300.0)
    first, *others = (rows_of(session) for session in comparison.sessions)
    assert len(first) > 100
    for rows in others:
        for name in ("time", "job", "type"):
            assert rows[name].tolist() == first[name].tolist()
    assert len({tuple(rows["width"].tolist()) for rows in (first, *others)}) == 3


def test_a_job_has_the_same_size_under_all_policies() -> None:
    comparison = opened(*POLICIES)
    comparison.run(until=300.0)
    speedup = comparison.sessions[0].bench.numbers.speedup_table[0]
    sizes: dict[int, float] = {}
    for session in comparison.sessions:
        rows = rows_of(session)
        for row in rows[rows["width"] > 0]:
            size = float(row["lasts"] * speedup[row["width"]])
            assert sizes.setdefault(int(row["job"]), size) == pytest.approx(size, rel=1e-9)


def test_more_jobs_find_a_server_where_fewer_are_given() -> None:
    """The point of the classroom scenario: greedy runs each job faster, and blocks far more jobs."""
    comparison = opened("greedy-p", "greedy")
    comparison.run(until=2000.0)
    shares = [
        session.timeline.state.tally[BLOCKED].sum() / session.timeline.state.tally[ARRIVED].sum()
        for session in comparison.sessions
    ]
    assert shares[0] < 0.25
    assert shares[1] > 0.45


def test_decisions_are_widths_job_by_job() -> None:
    comparison = opened("greedy-p", "greedy")
    comparison.run(until=200.0)
    for session in comparison.sessions:
        rows = session.timeline.rows(1, session.timeline.event)
        jobs, widths = session.bench.kind.decisions(rows, session.bench.system.initial_jobs)
        expected = rows_of(session)
        assert jobs.tolist() == list(range(len(expected)))
        assert widths.dtype == np.int32
        assert widths.tolist() == [int(width) or REJECTED for width in expected["width"]]
        assert REJECTED in widths


def test_stepping_moves_the_lane_whose_event_comes_first() -> None:
    comparison = opened("greedy-p", "greedy")
    times = [comparison.timeline.time]
    for _ in range(60):
        comparison.step()
        times.append(comparison.timeline.time)
    assert times == sorted(times)
    assert all(session.timeline.event > 20 for session in comparison.sessions)


def test_back_and_forth_is_the_same_in_every_lane() -> None:
    comparison = opened("greedy-p", "greedy")
    comparison.run(until=100.0)
    marks = [digest(session.timeline.state) for session in comparison.sessions]
    places = [session.timeline.event for session in comparison.sessions]
    comparison.to_start()
    assert all(session.timeline.event == 0 for session in comparison.sessions)
    comparison.run(until=100.0)
    assert [session.timeline.event for session in comparison.sessions] == places
    assert [digest(session.timeline.state) for session in comparison.sessions] == marks


def test_each_lane_is_what_it_is_alone() -> None:
    comparison = opened(*POLICIES)
    comparison.run(until=150.0)
    for policy, session in zip(POLICIES, comparison.sessions, strict=True):
        alone = open_run("moldable-classroom", (policy,))
        alone.run(until=150.0)
        assert digest(alone.timeline.state) == digest(session.timeline.state)
