"""The measures of moldable jobs, against a second program and against conservation laws."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest
from hypothesis import given

from slotscope.model.api import Session
from slotscope.model.kinds.moldable.facts import standing
from slotscope.model.kinds.moldable.measures import headline_now, headline_series
from slotscope.model.kinds.moldable.sampling import TIME_COLUMN
from slotscope.model.kinds.moldable.state import ARRIVED, BLOCKED, NOW
from slotscope.model.measures.metrics import estimates
from slotscope.model.running.assembly import assemble
from slotscope.model.running.engine import EventRun, started
from slotscope.model.scenario.load import load_scenario, parse_scenario
from tests.kinds.moldable.oracle import Oracle
from tests.kinds.moldable.strategies import scripted_data
from tests.runs import ran

FOLDER = Path(__file__).parents[2] / "golden" / "moldable"
GOLDEN = ("B01_greedy_linear_partial", "B02_greedy_pstar_sublinear")

TABLE = ["1", "9/5", "5/2", "3", "17/5"]
TWO: list[dict[str, Any]] = [
    {"name": "a", "speedup": TABLE, "size": {"distribution": "exponential", "mean": "1/2"}},
    {"name": "b", "speedup": ["1", "3/2"], "size": {"distribution": "deterministic", "mean": 3}},
]


def measured(session: Session, until: float, warmup: float = 0.0) -> dict[str, float]:
    return {name: found.mean for name, found in session.measure(until, warmup).items()}


@pytest.mark.parametrize("name", GOLDEN)
def test_the_statistics_of_a_golden_trace_are_measured(name: str) -> None:
    """From the empty system to just after the last arrival."""
    data = json.loads((FOLDER / f"{name}.json").read_text())
    last = float(Fraction(data["events"][-1]["arrival"]))
    session = Session.open(FOLDER / f"{name}.json", kernel=False)
    found = measured(session, math.nextafter(last, math.inf))
    for ours, theirs in (
        ("blocking_probability", "Pb"),
        ("execution_time", "D_all"),
        ("execution_time_completed", "D_completed"),
        ("execution_time_little", "D_little"),
    ):
        assert found[ours] == pytest.approx(float(Fraction(data["stats"][theirs])), rel=1e-12)
    assert found["blocked"] == pytest.approx(data["stats"]["blocked"])
    assert found["departed"] == pytest.approx(data["stats"]["n_completed"])


@given(scripted_data())
def test_measures_of_a_script_are_those_of_the_events(data: dict[str, Any]) -> None:
    bench, oracle = assemble(parse_scenario(data)), Oracle(data)
    end = float(oracle.events[-1].time) + 1.0
    session = Session(bench)
    found = measured(session, end)
    arrivals = [event for event in oracle.events if event.kind == "arrival"]
    admitted = [event for event in arrivals if event.pieces]
    widths = [sum(length for _, length in event.pieces) for event in admitted]
    times = [event.departs - event.time for event in admitted if event.departs is not None]
    per_server = end * oracle.servers
    expected = {
        "blocking_probability": Fraction(len(arrivals) - len(admitted), len(arrivals)),
        "execution_time": sum(times) / len(times),
        "execution_time_completed": sum(times) / len(times),
        "execution_time_little": sum(times) / len(times),
        "admitted": len(admitted),
        "blocked": len(arrivals) - len(admitted),
        "departed": len(admitted),
        "partial": sum(w < event.request for w, event in zip(widths, admitted, strict=True)),
        "split": sum(len(event.pieces) > 1 for event in admitted),
        "jobs": float(sum(times)) / end,
        "busy": float(sum(w * time for w, time in zip(widths, times, strict=True))) / per_server,
        "departure_rate": float(sum(oracle.jobs[event.job].size for event in admitted)) / per_server,
    }
    for name, value in expected.items():
        assert found[name] == pytest.approx(float(value), rel=1e-9, abs=1e-12), name
    for j, speedup in enumerate(oracle.speedups):
        prefix = "x" if len(oracle.speedups) == 1 else f"x_{oracle.names[j]}"
        for i in range(1, len(speedup) + 1):
            area = oracle.integral(lambda jobs, j=j, i=i: jobs[j][i - 1])
            assert found[f"{prefix}_{i}"] == pytest.approx(float(area) / per_server, abs=1e-12)


@given(scripted_data())
def test_distances_of_a_script_are_those_of_the_events(data: dict[str, Any]) -> None:
    """Distances are measured if the load is known, over all events up to the last."""
    bench, oracle = assemble(parse_scenario(data)), Oracle(data)
    end = float(oracle.events[-1].time) + 1.0
    found = measured(Session(bench), end)
    names = {"distance", "squared_distance", "below"}
    if bench.numbers.optimum is None:
        assert not names & set(found)
        return
    n, target = oracle.servers, bench.numbers.target
    empty = tuple((0,) * len(speedup) for speedup in oracle.speedups)

    def mean(value: Callable[[Any], float]) -> float:
        spent = sum(float(time) * value(jobs) for time, jobs in oracle.stays())
        return (spent + (end - float(oracle.events[-1].time)) * value(empty)) / end

    def away(jobs: Any) -> float:
        return sum(abs(many - target[j, i]) for j, row in enumerate(jobs) for i, many in enumerate(row, 1))

    def squared(jobs: Any) -> float:
        return sum(
            float(oracle.speedups[j][i - 1]) * (jobs[j][i - 1] - target[j, i]) ** 2
            for j, support in enumerate(bench.numbers.support)
            for i in support
        )

    def narrow(jobs: Any) -> float:
        least = [min(support) for support in bench.numbers.support]
        return sum(sum(row[: i - 1]) > 1 for row, i in zip(jobs, least, strict=True)) / len(least)

    assert found["distance"] == pytest.approx(mean(away) / n, rel=1e-5)
    assert found["squared_distance"] == pytest.approx(mean(squared) / n**2, rel=1e-9, abs=1e-12)
    assert found["below"] == pytest.approx(mean(narrow), abs=1e-12)


@pytest.fixture(scope="module")
def found() -> tuple[Session, dict[str, Any]]:
    """A run of two classes on common servers, and its measures."""
    scenario = parse_scenario(
        {
            "system": "moldable",
            "seed": 3,
            "servers": {"count": 40},
            "classes": TWO,
            "workload": {"kind": "poisson", "load": "9/10"},
            "policy": {"name": "greedy-p", "parameters": {"shares": "none"}},
        }
    )
    session = Session.open(scenario)
    return session, dict(session.measure(1000.0, 100.0))


@pytest.fixture(scope="module")
def session() -> Session:
    """The classroom after 500 units of time."""
    session = Session.open(load_scenario("moldable-classroom"), kernel=False)
    session.run(until=500.0)
    return session


class TestLaws:
    """Ghanbarian et al. (2025), (3) and (4), in a long run."""

    def test_rate_conservation(self, found: Any) -> None:
        """lambda (1 - P_b) = E[r], (3): the rate of departures equals the rate of admitted jobs."""
        session, measures = found
        admitted = measures["admitted"].mean / (900 * session.bench.numbers.servers)
        assert measures["departure_rate"].mean == pytest.approx(admitted, rel=0.02)
        rate = session.bench.numbers.rate / session.bench.numbers.servers
        blocked = measures["blocking_probability"].mean
        assert admitted == pytest.approx(rate * (1 - blocked), rel=0.02)

    def test_littles_law(self, found: Any) -> None:
        """lambda (1 - P_b) E[D] = sum of E[x_i], (4): three estimates of one mean."""
        _, measures = found
        times = [
            measures[name].mean for name in ("execution_time", "execution_time_completed", "execution_time_little")
        ]
        assert times == pytest.approx([times[0]] * 3, rel=0.01)

    def test_jobs_and_servers_in_use_are_those_of_the_widths(self, found: Any) -> None:
        session, measures = found
        widths = {name: found.mean for name, found in measures.items() if name.startswith("x_")}
        assert set(widths) == {*(f"x_a_{i}" for i in range(1, 6)), "x_b_1", "x_b_2"}
        n = session.bench.numbers.servers
        assert sum(widths.values()) * n == pytest.approx(measures["jobs"].mean)
        busy = sum(int(name[-1]) * jobs for name, jobs in widths.items())
        assert busy == pytest.approx(measures["busy"].mean)

    def test_each_class_has_its_blocking_probability(self, found: Any) -> None:
        _, measures = found
        shares = [measures[f"blocking_probability_{name}"].mean for name in "ab"]
        assert min(shares) <= measures["blocking_probability"].mean <= max(shares)
        assert all(0 < share < 1 for share in shares)

    def test_every_measure_has_an_interval(self, found: Any) -> None:
        for name, value in found[1].items():
            assert math.isfinite(value.mean), name
            assert value.half_width >= 0, name


def test_a_ratio_is_that_of_the_sums() -> None:
    """Batches with few jobs have less weight, and batches without jobs are allowed."""
    script = {
        "kind": "scripted",
        "arrivals": [
            *({"time": 0, "size": 10, "requested": 1} for _ in range(4)),
            {"time": 9, "size": 1, "requested": 1},
        ],
    }
    scenario = parse_scenario(
        {
            "system": "moldable",
            "servers": {"count": 1},
            "classes": [{"speedup": ["1"]}],
            "workload": script,
            "policy": {"name": "greedy-p"},
        }
    )
    found = Session(assemble(scenario)).measure(20.0, 0.0)
    assert found["blocking_probability"].mean == pytest.approx(4 / 5)
    assert found["execution_time"].mean == pytest.approx(10)


def test_nothing_is_told_of_jobs_that_do_not_come() -> None:
    script = {"kind": "scripted", "arrivals": [{"time": 9, "size": 1, "requested": 1}]}
    scenario = parse_scenario(
        {
            "system": "moldable",
            "servers": {"count": 1},
            "classes": [{"speedup": ["1"]}],
            "workload": script,
            "policy": {"name": "greedy-p"},
        }
    )
    found = Session(assemble(scenario)).measure(5.0, 0.0)
    assert math.isnan(found["blocking_probability"].mean)
    assert math.isnan(found["execution_time"].mean)
    assert found["busy"].mean == 0


class TestSamples:
    """The same measures from samples, as the window computes them."""

    def test_agree_with_the_integrals(self, session: Session) -> None:
        """Up to what happens between a sample and the end of its batch."""
        samples, now = session.frame().samples, session.timeline.time
        (batches,) = session.bench.kind.batches_so_far(session.bench.numbers, [samples], 0.0, now)
        found = estimates(batches)
        again = Session.open(load_scenario("moldable-classroom"), kernel=False)
        exact = again.measure(float(samples[-1, TIME_COLUMN]), 0.0)
        for name in ("blocking_probability", "execution_time", "busy", "distance", "jobs"):
            assert found[name].mean == pytest.approx(exact[name].mean, rel=0.03), name

    def test_there_is_nothing_before_the_warm_up(self, session: Session) -> None:
        samples, now = session.frame().samples, session.timeline.time
        bench = session.bench
        assert bench.kind.batches_so_far(bench.numbers, [samples], now + 1.0, now) == ()

    def test_the_headline_is_the_share_blocked_so_far(self, session: Session) -> None:
        numbers, state = session.bench.numbers, session.timeline.state
        shares, _ = headline_series(numbers, session.frame().samples)
        exact = state.tally[BLOCKED].sum() / state.tally[ARRIVED].sum()
        assert shares[-1] == headline_now(numbers, state) == exact > 0
        assert shares[0] == 0

    def test_the_headline_needs_no_rate(self) -> None:
        session = ran(FOLDER / f"{GOLDEN[0]}.json", events=12)
        state: Any = session.timeline.state
        row = np.zeros((1, session.bench.system.sample_width))
        session.bench.system.sample(state, row[0])
        shares, _ = headline_series(session.bench.numbers, row)
        assert shares[0] == pytest.approx(2 / 7)


def test_the_jobs_on_average() -> None:
    bench = assemble(load_scenario("moldable-classes"))
    state: Any = started(bench.system)
    assert not standing(state).mean_jobs.any()
    for _ in range(300):
        run = EventRun(bench.system, state)
        run.finish()
        state = run.state
    now = float(state.clock[NOW])
    area = state.area + state.jobs * (now - state.since)
    assert standing(state).mean_jobs * now == pytest.approx(area)


def test_the_command_prints_them(answer: Callable[[str], dict[str, Any]]) -> None:
    told = answer("run moldable-classroom --until 200 --warmup 20 --engine reference")
    assert set(told["metrics"]) == {
        "blocking_probability",
        "execution_time",
        "execution_time_completed",
        "execution_time_little",
        "jobs",
        "busy",
        "departure_rate",
        "distance",
        "squared_distance",
        "below",
        "admitted",
        "blocked",
        "partial",
        "split",
        "departed",
        *(f"x_{i}" for i in range(1, 6)),
    }
    assert all(set(value) == {"mean", "half_width"} for value in told["metrics"].values())
