"""Rates counted at the start of a run, against the run's rows and integrals."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.phases.programs.choosing import learned, watched
from slotscope.model.kinds.phases.rows import FLAG_ARRIVED, FLAG_DEPARTED, FLAG_MOVED, PHASE_ROW
from slotscope.model.kinds.phases.state import NOW, REAL, REAL_AREA
from slotscope.model.running.assembly import assemble
from slotscope.model.running.engine import Reason, Task, started
from slotscope.model.scenario.load import edited, load_scenario, parse_scenario
from tests.kinds.phases.strategies import job_data


def counted(bench: Any, until: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Arrivals by type, moves [I, I + 1], and total job-time, of a run up to a time."""
    phases = bench.numbers.phases
    tape = np.zeros(20_000, PHASE_ROW)
    result = bench.reference.advance(started(bench.system), tape, Task(until=until))
    assert result.reason is not Reason.LIMIT
    rows = tape[: result.rows]
    came = rows[rows["flags"] & FLAG_ARRIVED > 0]
    moved = rows[rows["flags"] & (FLAG_MOVED | FLAG_DEPARTED) > 0]
    moves = np.zeros((phases, phases + 1), np.int64)
    np.add.at(moves, (moved["type"], moved["phase"]), 1)
    state = result.state
    time = state.area[REAL_AREA] + state.number[REAL] * (until - state.clock[NOW])
    return np.bincount(came["type"], minlength=phases), moves, float(time)


@given(job_data(), st.sampled_from([0.3, 2.0, 6.0]))
@settings(max_examples=20)
def test_what_is_watched_is_what_happens_in_the_run(data: dict[str, Any], until: float) -> None:
    bench = assemble(parse_scenario({**data, "policy": {"name": "first-fit"}}))
    arrivals, moves, time = counted(bench, until)
    seen = watched(bench.numbers, until)
    assert seen.arrivals.tolist() == arrivals.tolist()
    assert seen.moves.tolist() == moves.tolist()
    assert seen.time.sum() == pytest.approx(time, rel=1e-9)


def test_learned_rates_are_counts_by_time() -> None:
    numbers = assemble(load_scenario("jrs-two-phases"), policy="first-fit").numbers
    until = Fraction(40)
    found, seen = learned(numbers, until), watched(numbers, 40.0)
    assert found.arrival_rates == tuple(int(n) / (until * numbers.scale) for n in seen.arrivals)
    for i in range(2):
        assert float(found.departure_rates[i]) == pytest.approx(seen.moves[i, 2] / seen.time[i], rel=1e-5)
        assert found.moves[i][i] == 0
    assert float(found.moves[0][1]) == pytest.approx(0.5, rel=0.1)
    assert float(found.departure_rates[1]) == pytest.approx(1.0, rel=0.1)
    kept = ("phases", "demand", "capacity", "most_jobs", "cost", "budget")
    assert all(getattr(found, name) == getattr(numbers.model, name) for name in kept)


def test_more_is_learned_in_a_longer_time() -> None:
    numbers = assemble(load_scenario("jrs-three-phases"), policy="first-fit").numbers

    def error(until: int) -> float:
        found = learned(numbers, Fraction(until))
        pairs = zip(found.departure_rates, numbers.model.departure_rates, strict=True)
        return max(abs(float(mine - true)) for mine, true in pairs)

    assert error(2000) < error(20)


UNUSED: dict[str, Any] = {
    "phases": [
        {"name": "used", "demand": 1, "arrival_rate": 1, "departure_rate": 2},
        {"name": "unused", "demand": 1, "departure_rate": 3, "to": {"used": 4}},
    ]
}


def test_phases_that_no_job_is_ever_in_keep_their_rates() -> None:
    scenario = edited(load_scenario("jrs-two-phases"), UNUSED)
    numbers = assemble(scenario, policy="first-fit").numbers
    found = learned(numbers, Fraction(50))
    assert found.departure_rates[1] == 3
    assert found.moves[1] == (Fraction(4), Fraction(0))
    assert found.departure_rates[0] != 2


@pytest.mark.parametrize(
    ("until", "said"),
    [
        (Fraction(1, 1000), "'L' that no job is in"),
        (Fraction(1, 30), "'L' that no job leaves towards the end"),
        (Fraction(10**9), "100,000,000,000 jobs on average, allowed: at most 10,000,000; 1e+05"),
    ],
)
def test_what_cannot_be_learned_is_refused(until: Fraction, said: str) -> None:
    numbers = assemble(load_scenario("jrs-burst"), policy="first-fit").numbers
    with pytest.raises(ScenarioError, match="learn") as caught:
        learned(numbers, until)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
