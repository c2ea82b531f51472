"""Hand-checkable traces of moldable jobs, computed by an independent program."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any, Callable

import pytest

from slotscope.model.kinds.moldable.rows import FLAG_BELOW
from slotscope.model.kinds.moldable.state import (
    ADMITTED,
    ARRIVED,
    BELOW,
    BLOCKED,
    DEPARTED,
    NOW,
    OF_ADMITTED,
    OF_DEPARTED,
)
from slotscope.model.reporting.records import ARRIVAL
from slotscope.model.running.assembly import Bench, assemble
from slotscope.model.running.engine import EventRun, started
from slotscope.model.scenario.load import load_scenarios
from tests.kinds.moldable.oracle import Oracle, stats_of
from tests.sound import reference_events

FOLDER = Path(__file__).parents[2] / "golden" / "moldable"
GOLDEN = {
    path.stem: data for path in sorted(FOLDER.glob("B0*.json")) if "events" in (data := json.loads(path.read_text()))
}

every_file = pytest.mark.parametrize("name", sorted(GOLDEN))

Lines = Callable[[str], list[dict[str, Any]]]


def path_of(name: str) -> Path:
    return FOLDER / f"{name}.json"


def bench_of(name: str) -> Bench:
    return assemble(load_scenarios(path_of(name))[0])


def oracle_of(data: dict[str, Any]) -> Oracle:
    """The second program, given the arrivals of a file but not their outcomes."""
    arrivals = [
        {"time": event["arrival"], "size": event["size"], "job": str(event["job"]), "requested": event["requested"]}
        for event in data["events"]
    ]
    return Oracle(
        {
            "servers": {"count": data["n"]},
            "classes": [{"speedup": data["speedup"]}],
            "workload": {"arrivals": arrivals},
            "policy": {"name": "greedy-p"},
        }
    )


def last_arrival(bench: Bench, arrivals: int) -> Any:
    """The state just after a number of arrivals."""
    state: Any = started(bench.system)
    while state.tally[ARRIVED].sum() < arrivals:
        run = EventRun(bench.system, state)
        run.finish()
        state = run.state
    return state


def test_the_traces_have_what_matters() -> None:
    """They have partial allocations, blocked jobs, and a departure at the time of an arrival."""
    assert len(GOLDEN) == 2
    for data in GOLDEN.values():
        events = data["events"]
        assert any(event["blocked"] for event in events)
        assert any(0 < event["allocated"] < event["requested"] for event in events)
    first = GOLDEN["B01_greedy_linear_partial"]["events"]
    assert {event["departure"] for event in first} & {event["arrival"] for event in first}


@every_file
def test_the_command_prints_every_event(name: str, lines: Lines) -> None:
    found = lines("trace", path_of(name))
    for ours, theirs in zip(found, GOLDEN[name]["events"], strict=False):
        assert ours == theirs
    assert len(found) == len(GOLDEN[name]["events"])


@every_file
def test_the_command_prints_some_of_them(name: str, lines: Lines) -> None:
    assert lines("trace --events 3", path_of(name)) == GOLDEN[name]["events"][:3]


@every_file
def test_the_statistics_follow_from_the_trace(name: str, lines: Lines) -> None:
    assert stats_of(lines("trace", path_of(name))) == GOLDEN[name]["stats"]


@every_file
def test_the_statistics_are_those_of_the_state(name: str) -> None:
    """The three mean execution times, from the sums and integrals in the state."""
    stats, bench = GOLDEN[name]["stats"], bench_of(name)
    state = last_arrival(bench, stats["N"])
    admitted, departed = state.tally[ADMITTED].sum(), state.tally[DEPARTED].sum()
    area = state.area + state.jobs * (state.clock[NOW] - state.since)
    assert state.tally[BLOCKED].sum() == stats["blocked"]
    assert departed == stats["n_completed"]
    for found, expected in (
        (state.tally[BLOCKED].sum() / stats["N"], stats["Pb"]),
        (state.time_sum[OF_ADMITTED].sum() / admitted, stats["D_all"]),
        (state.time_sum[OF_DEPARTED].sum() / departed, stats["D_completed"]),
        (area.sum() / admitted, stats["D_little"]),
    ):
        assert found == pytest.approx(float(Fraction(expected)), rel=1e-14)


@every_file
def test_nothing_is_broken_on_the_way(name: str) -> None:
    bench = bench_of(name)
    state: Any = started(bench.system)
    assert bench.kind.violations(bench.system, state) == []
    for run in reference_events(bench.system, state):
        state = run.state
        assert bench.kind.violations(bench.system, state) == []
    events = GOLDEN[name]["events"]
    assert state.number[0] == len(events) + sum(not event["blocked"] for event in events)
    assert not state.jobs.any()


@every_file
def test_the_second_program_agrees_too(name: str) -> None:
    """So that it can check scripts for which there is no golden trace."""
    oracle = oracle_of(GOLDEN[name])
    assert oracle.lines() == GOLDEN[name]["events"]
    assert oracle.stats() == GOLDEN[name]["stats"]


def test_a_departure_comes_before_an_arrival_of_the_same_time() -> None:
    bench = bench_of("B01_greedy_linear_partial")
    order = [(run.event.time, run.event.kind == ARRIVAL) for run in reference_events(bench.system)]
    assert order == sorted(order)
    assert len({time for time, _ in order}) < len(order)


def test_two_jobs_run_on_fewer_than_i1_servers_against_lemma_2() -> None:
    """Ghanbarian et al. (2025), Lemma 2, says that there is never more than one such job."""
    name = "B02_greedy_pstar_sublinear"
    scripted = load_scenarios(path_of(name))[0]
    workload = scripted.workload.model_copy(update={"load": Fraction(4, 5)})
    bench = assemble(scripted.model_copy(update={"workload": workload}))
    assert bench.numbers.support == ((3, 4),)
    flagged = []
    for run in reference_events(bench.system):
        if run.row["flags"][0] & FLAG_BELOW:
            flagged.append((run.event.job, run.event.time))
    assert flagged == [(5, 2.2), (7, 3.3)]  # beside job 2, which is in service from 0.2 to 4.2
    state: Any = run.state
    assert state.below.tolist() == [[0], [2]]
    assert state.level_area[0, BELOW] == pytest.approx((3.2 - 2.2) + (3.8 - 3.3))
