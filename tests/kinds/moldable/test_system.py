"""Moldable jobs under the references: a second program agrees event by event, decisions are
checked, and jobs are placed on servers by the rule.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Callable, Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slotscope.model.errors import PolicyError
from slotscope.model.kinds.moldable.numbers import DISTANCE_UNIT
from slotscope.model.kinds.moldable.rows import (
    FLAG_ADMITTED,
    FLAG_ARRIVED,
    FLAG_BELOW,
    FLAG_BLOCKED,
    FLAG_DEPARTED,
    FLAG_FREED,
    FLAG_FULL,
    FLAG_PARTIAL,
    FLAG_SPLIT,
)
from slotscope.model.kinds.moldable.state import BELOW, BUSY, DISTANCE, EVENT, JOBS, NOW, SQUARED
from slotscope.model.reporting.records import ARRIVAL, Allocate, Record, Reject
from slotscope.model.running.assembly import Bench, assemble
from slotscope.model.running.engine import EventRun, started
from slotscope.model.scenario.load import parse_scenario
from tests.kinds.moldable.oracle import Happened, Oracle, best_allocation
from tests.kinds.moldable.strategies import moldable_scenarios, scripted_data
from tests.sound import reference_events

EVENTS = 60

#: Tolerance for sums of many differences of times, each rounded.
CLOSE = 1e-9

TABLE = ["1", "9/5", "5/2", "3", "17/5"]


def script(servers: int, jobs: list[tuple[Any, ...]], **policy: Any) -> dict[str, Any]:
    """A script of one class: (time, size, request) of each job."""
    arrivals = [{"time": time, "size": size, "requested": asked} for time, size, asked in jobs]
    return {
        "system": "moldable",
        "servers": {"count": servers},
        "run": {"until": 100},
        "classes": [{"speedup": TABLE[:servers]}],
        "workload": {"kind": "scripted", "arrivals": arrivals},
        "policy": {"name": "greedy-p", **policy},
    }


def runs(bench: Bench, most: int | None = EVENTS) -> Iterator[EventRun]:
    """The first events, or all events."""
    return reference_events(bench.system, most=most)


def pieces_of(state: Any, record: int) -> tuple[tuple[int, int], ...]:
    """The pieces of a job, in the order in which it took them."""
    found, start = [], record
    while start >= 0:
        found.append((start, int(state.run_length[start])))
        start = int(state.piece_next[start])
    return tuple(found)


class TestASecondProgram:
    @given(scripted_data())
    def test_agrees_event_by_event(self, data: dict[str, Any]) -> None:
        bench, oracle = assemble(parse_scenario(data)), Oracle(data)
        count = 0
        for run, expected in zip(runs(bench, None), oracle.events, strict=True):
            self.check(run, expected)
            count += 1
        assert count == len(oracle.events)

    def check(self, run: EventRun, expected: Happened) -> None:
        row, state = run.row[0], run.state
        width = sum(length for _, length in expected.pieces)
        kind = "arrival" if run.event.kind == ARRIVAL else "departure"
        assert (run.event.time, kind) == (float(expected.time), expected.kind)
        assert (run.event.job, run.event.type) == (expected.job, expected.job_class)
        assert (row["job"], row["type"]) == (expected.job, expected.job_class)
        assert (row["request"], row["width"]) == (expected.request, width)
        assert row["free"] == expected.free
        assert row["server"] == (expected.pieces[0][0] if expected.pieces else -1)
        for j, jobs in enumerate(expected.jobs):
            assert state.jobs[j, 1 : len(jobs) + 1].tolist() == list(jobs)
        on = [int(state.job_number[record]) if record >= 0 else None for record in state.server_job.tolist()]
        assert tuple(on) == expected.on
        if kind == "arrival" and width:
            assert pieces_of(state, row["server"]) == expected.pieces
            assert state.job_departure[row["server"]] == float(expected.departs or 0)

    @given(scripted_data())
    def test_prints_the_same_lines(self, data: dict[str, Any]) -> None:
        bench = assemble(parse_scenario(data))
        assert list(bench.kind.trace_lines(bench.system, np.inf)) == Oracle(data).lines()

    @given(scripted_data())
    def test_agrees_on_what_happened(self, data: dict[str, Any]) -> None:
        """The flags of an event, derived from the states before and after it."""
        bench, oracle = assemble(parse_scenario(data)), Oracle(data)
        least = [min(support, default=0) for support in bench.numbers.support]
        pairs = zip(runs(bench, None), oracle.events, strict=True)
        for event, (run, expected) in enumerate(pairs, 1):
            width, j = sum(length for _, length in expected.pieces), expected.job_class
            after = self.open(oracle, expected)
            narrow = sum(expected.jobs[j][: max(0, least[j] - 1)])
            flags = {
                FLAG_ARRIVED: expected.kind == "arrival",
                FLAG_ADMITTED: expected.kind == "arrival" and width > 0,
                FLAG_BLOCKED: not width,
                FLAG_DEPARTED: expected.kind == "departure",
                FLAG_PARTIAL: expected.kind == "arrival" and 0 < width < expected.request,
                FLAG_SPLIT: expected.kind == "arrival" and len(expected.pieces) > 1,
                FLAG_FULL: after == 0,
                FLAG_FREED: expected.free == 0 and after > 0,
                FLAG_BELOW: narrow == 2 and expected.kind == "arrival" and 0 < width < least[j],
            }
            assert run.row["flags"][0] == sum(flag for flag, there in flags.items() if there)
            assert run.row["event"][0] == event
            lasts = float(run.row["lasts"][0])
            since = -1.0
            if expected.departs is not None:
                since = float(expected.departs - oracle.jobs[expected.job].time)
            assert lasts == pytest.approx(since, abs=CLOSE)
            assert run.row["busy"][0] == oracle.servers - expected.on.count(None)

    def open(self, oracle: Oracle, event: Happened) -> int:
        """Free servers open to the event's class after the event."""
        pools = [oracle.pools[pool] for pool in oracle.open_to[event.job_class]]
        return sum(event.on[first:end].count(None) for first, end in pools)


class TestIntegrals:
    @given(scripted_data())
    def test_are_those_of_the_events(self, data: dict[str, Any]) -> None:
        """Areas, levels, occupancy and sums of times, computed from the list of events alone."""
        bench, oracle = assemble(parse_scenario(data)), Oracle(data)
        state: Any = started(bench.system)
        for run in runs(bench, None):
            state = run.state
        tables: Any = bench.system.tables  # type: ignore[attr-defined]
        known = bench.numbers.optimum is not None
        now = float(state.clock[NOW])
        area = state.area + state.jobs * (now - state.since)
        lasted = now - state.class_since
        level_area = state.level_area + state.level * lasted[:, None]
        for j, speedup in enumerate(oracle.speedups):
            for i in range(1, len(speedup) + 1):
                expected = oracle.integral(lambda jobs, j=j, i=i: jobs[j][i - 1])
                assert area[j, i] == pytest.approx(float(expected), abs=CLOSE)
            target = [Fraction(int(units), DISTANCE_UNIT) for units in tables.target[j, 1:]]
            away = oracle.integral(
                lambda jobs, j=j, target=target: sum(abs(many - y) for many, y in zip(jobs[j], target, strict=False))
            )
            assert level_area[j, DISTANCE] == pytest.approx(float(away), abs=CLOSE)
            least = min(bench.numbers.support[j], default=0)
            narrow = oracle.integral(lambda jobs, j=j, least=least: sum(jobs[j][: max(0, least - 1)]) > 1)
            assert level_area[j, BELOW] == pytest.approx(float(narrow), abs=CLOSE)
            support = bench.numbers.support[j]
            squared = oracle.integral(
                lambda jobs, j=j, s=speedup, support=support: sum(
                    s[i - 1] * (jobs[j][i - 1] - Fraction(float(bench.numbers.target[j, i]))) ** 2 for i in support
                )
            )
            assert level_area[j, SQUARED] == pytest.approx(float(squared), rel=CLOSE, abs=CLOSE)
            assert known or not support
            assert set(support) <= set(tables.pair[j].tolist())

    @given(scripted_data())
    def test_time_is_spent_in_the_bins_of_the_two_widths(self, data: dict[str, Any]) -> None:
        bench, oracle = assemble(parse_scenario(data)), Oracle(data)
        state: Any = started(bench.system)
        for run in runs(bench, None):
            state = run.state
        tables: Any = bench.system.tables  # type: ignore[attr-defined]
        for j in range(len(oracle.names)):
            found = {
                (int(a), int(b)): float(state.occupancy[j, a, b])
                for a, b in zip(*np.nonzero(state.occupancy[j]), strict=True)
            }
            expected: dict[tuple[int, ...], float] = {}
            for time, jobs in self.until(oracle, float(state.class_since[j])):
                pair = [jobs[j][i - 1] if i else 0 for i in tables.pair[j].tolist()]
                wide = 2 ** int(tables.bin_shift[j])
                place = tuple((many - low) // wide for many, low in zip(pair, tables.bin_low[j].tolist(), strict=True))
                if time:
                    expected[place] = expected.get(place, 0.0) + float(time)
            assert found == pytest.approx(expected, abs=CLOSE)

    def until(self, oracle: Oracle, end: float) -> Iterator[tuple[Fraction, Any]]:
        """The durations of states that ended by then: a class's present state is not yet in its integrals."""
        spent = Fraction(0)
        for time, jobs in oracle.stays():
            spent += time
            if float(spent) <= end:
                yield time, jobs

    @given(scripted_data(), st.sampled_from(["3/5", "9/10", "1"]))
    def test_distances_are_from_the_solution_of_the_program(self, data: dict[str, Any], load: str) -> None:
        """y* by enumerating all vertices of (P), for one class."""
        data["classes"] = data["classes"][:1]
        name = data["classes"][0]["name"]
        data["workload"]["load"] = load
        data["policy"] = {"name": "greedy"}
        for job in data["workload"]["arrivals"]:
            job["class"] = name
            job.pop("requested", None)
        bench = assemble(parse_scenario(data))
        oracle = Oracle(data)
        y = best_allocation(Fraction(load), oracle.speedups[0])
        found = [Fraction(float(jobs)) / oracle.servers for jobs in bench.numbers.target[0, 1:]]
        assert float(sum(found)) == pytest.approx(float(sum(y)))  # (P) may have several solutions
        assert float(sum(s * jobs for s, jobs in zip(oracle.speedups[0], found, strict=True))) == pytest.approx(
            float(Fraction(load))
        )

    @pytest.mark.slow
    @given(moldable_scenarios())
    def test_a_run_that_is_empty_again_has_its_books_in_order(self, scenario: Any) -> None:
        """Little's law and rate conservation, Ghanbarian et al. (2025), (3) and (4), which hold exactly for
        every interval that begins and ends without jobs.
        """
        bench = assemble(scenario)
        sizes: dict[int, float] = {}
        work = np.zeros(bench.numbers.classes)
        for run in runs(bench, 4 * EVENTS):
            state: Any = run.state
            if run.event.kind == ARRIVAL:
                sizes[run.event.job] = run.event.service
                if run.row["width"][0]:
                    work[run.event.type] += run.event.service
            if not state.number[JOBS]:
                rates = state.area @ bench.numbers.speedup_table.T
                assert state.area.sum(axis=1) == pytest.approx(state.time_sum[0], rel=CLOSE)
                assert np.diagonal(rates) == pytest.approx(work, rel=CLOSE)
                assert state.time_sum[0] == pytest.approx(state.time_sum[1], rel=1e-12)


class TestRandomRuns:
    @pytest.mark.slow
    @given(moldable_scenarios())
    def test_keep_every_invariant(self, scenario: Any) -> None:
        bench = assemble(scenario)
        assert bench.kind.violations(bench.system, started(bench.system)) == []
        for run in runs(bench):
            assert bench.kind.violations(bench.system, run.state) == []

    @given(scripted_data())
    @settings(max_examples=15)
    def test_keep_every_invariant_beside_a_script(self, data: dict[str, Any]) -> None:
        bench = assemble(parse_scenario(data))
        for run in runs(bench, None):
            assert bench.kind.violations(bench.system, run.state) == []
            assert run.state.number[BUSY] <= bench.numbers.servers
        assert not run.state.jobs.any()

    @given(moldable_scenarios())
    def test_no_job_ever_moves(self, scenario: Any) -> None:
        bench, places = assemble(scenario), {}
        for run in runs(bench):
            state: Any = run.state
            for record in np.flatnonzero(state.job_number >= 0).tolist():
                number = int(state.job_number[record])
                held = pieces_of(state, record)
                assert places.setdefault(number, held) == held

    @given(moldable_scenarios())
    def test_go_through_time_with_departures_before_arrivals(self, scenario: Any) -> None:
        order = [(run.event.time, run.event.kind == ARRIVAL, run.event.job) for run in runs(assemble(scenario))]
        assert order == sorted(order)


class TestTies:
    def test_departures_of_one_time_go_by_the_number_of_the_job(self) -> None:
        data = script(4, [(0, 2, 1), (0, 2, 1), (0, 2, 1), (2, 1, 4)])
        order = [(run.event.kind == ARRIVAL, run.event.job) for run in runs(assemble(parse_scenario(data)))]
        assert order[3:7] == [(False, 0), (False, 1), (False, 2), (True, 3)]

    def test_a_job_that_comes_at_the_time_of_a_departure_finds_its_servers(self) -> None:
        data = script(3, [(0, "5/3", 3), ("2/3", 1, 3), ("2/3", 1, 2)])
        rows = [run.row[0] for run in runs(assemble(parse_scenario(data)))]
        assert [int(row["width"]) for row in rows[:4]] == [3, 3, 3, 0]
        assert rows[1]["flags"] & FLAG_DEPARTED
        assert rows[3]["flags"] & FLAG_BLOCKED

    def test_equal_times_are_equal_although_floats_differ(self) -> None:
        """1/10 + 2/10 equals 3/10, which fails for sums of floating-point numbers."""
        data = script(1, [("1/10", "1/5", 1), ("3/10", 1, 1)])
        assert 0.1 + 0.2 > 0.3
        rows = [run.row[0] for run in runs(assemble(parse_scenario(data)))]
        assert [int(row["width"]) for row in rows] == [1, 1, 1, 1]


class TestServers:
    """The servers of a job, in cases worked out by hand."""

    def places(self, servers: int, jobs: list[tuple[Any, ...]]) -> dict[int, Any]:
        found = {}
        for run in runs(assemble(parse_scenario(script(servers, jobs)))):
            if run.row["width"][0] and run.event.kind == ARRIVAL:
                found[run.event.job] = pieces_of(run.state, int(run.row["server"][0]))
        return found

    def test_neighbours_from_the_first_server_on(self) -> None:
        assert self.places(9, [(0, 9, 2), (0, 9, 4), (0, 9, 1)]) == {0: ((0, 2),), 1: ((2, 4),), 2: ((6, 1),)}

    def test_the_shortest_gap_that_holds_it(self) -> None:
        """There is a gap of three before a gap of two: a job of two takes the latter."""
        jobs = [(0, 1, 3), (0, 99, 1), (0, 1, 2), (0, 99, 1), (2, 9, 2), (2, 9, 3)]
        assert self.places(7, jobs)[4] == ((4, 2),)
        assert self.places(7, jobs)[5] == ((0, 3),)

    def test_of_gaps_alike_the_one_that_came_last(self) -> None:
        jobs = [(0, "5/2", 3), (0, 99, 1), (0, 5, 3), (0, 99, 1), (3, 9, 3)]
        assert self.places(8, jobs)[4] == ((4, 3),)

    def test_several_pieces_where_no_gap_holds_it(self) -> None:
        """Gaps of two, one and one: the longest is taken first, then the shortest that holds the rest."""
        jobs = [(0, "1/5", 1), (0, 99, 1), (0, "1/2", 2), (0, 99, 1), (0, "1/3", 1), (1, 9, 4)]
        assert self.places(6, jobs)[5] == ((2, 2), (5, 1), (0, 1))

    def test_what_is_given_back_becomes_one_gap_with_its_neighbours(self) -> None:
        jobs = [(0, 2, 1), (0, 1, 1), (0, 3, 1), (4, 9, 3)]
        assert self.places(3, jobs)[3] == ((0, 3),)

    def test_a_class_takes_its_own_servers_first_and_then_common_ones(self) -> None:
        data = script(6, [])
        data["classes"] = [{"name": "a", "speedup": TABLE[:3]}, {"name": "b", "speedup": ["1"]}]
        data["policy"]["parameters"] = {"shares": {"a": "1/3", "b": "1/6"}, "rest": "common"}
        data["workload"]["arrivals"] = [
            {"time": 0, "size": 9, "class": "a", "requested": 3},
            {"time": 0, "size": 9, "class": "b", "requested": 1},
            {"time": 0, "size": 9, "class": "b", "requested": 1},
        ]
        *_, last = runs(assemble(parse_scenario(data)), 3)
        assert last.state.server_job.tolist() == [0, 0, 2, 0, 4, -1]
        assert last.state.free.tolist() == [0, 0, 1]


class TestTraces:
    @given(moldable_scenarios())
    @settings(max_examples=15)
    def test_of_random_arrivals_are_told_in_numbers(self, scenario: Any) -> None:
        bench = assemble(scenario)
        lines = list(bench.kind.trace_lines(bench.system, 30))
        met = [run for run in runs(assemble(scenario), 100) if run.event.kind == ARRIVAL][:30]
        for number, (line, run) in enumerate(zip(lines, met, strict=True)):
            j, width = run.event.type, int(run.row["width"][0])
            assert line["job"] == number
            assert (line["arrival"], line["size"]) == (run.event.time, run.event.service)
            assert (line["allocated"], line["blocked"]) == (width, not width)
            assert len(line["X_after"]) == bench.numbers.degrees[j]
            assert line.get("class", bench.numbers.class_names[0]) == bench.numbers.class_names[j]
            assert ("class" in line) == (bench.numbers.classes > 1)
            if width:
                lasts = line["size"] / float(bench.numbers.speedups[j][width - 1])
                assert line["departure"] == line["arrival"] + lasts
            else:
                assert line["departure"] is None

    @pytest.mark.parametrize(("name", "told"), [("a", "a"), ("17", 17), ("017", "017")])
    def test_names_of_jobs_are_kept(self, name: str, told: Any) -> None:
        data = script(5, [(0, 1, 1)])
        data["workload"]["arrivals"][0]["job"] = name
        bench = assemble(parse_scenario(data))
        (line,) = bench.kind.trace_lines(bench.system, np.inf)
        assert line["job"] == told


# Decisions that are impossible.

Decide = Callable[[Any], list[Record]]

IMPOSSIBLE: dict[str, tuple[Decide, str]] = {
    "nothing": (lambda job: [], "it neither gives servers to job 0 nor blocks it"),
    "none": (lambda job: [Allocate(servers=0)], "it gives job 0 0 servers, allowed: 1 to 5"),
    "fewer than none": (lambda job: [Allocate(servers=-1)], "gives job 0 -1 servers"),
    "more than it can use": (lambda job: [Allocate(servers=6)], "it gives job 0 6 servers, allowed: 1 to 5"),
    "more than are free": (lambda job: [Allocate(servers=4)], "it gives job 0 4 servers, but 3 are free"),
    "twice": (lambda job: [Allocate(servers=1), Allocate(servers=1)], "it decides of a job twice"),
    "servers and none": (lambda job: [Reject(), Allocate(servers=1)], "it decides of a job twice"),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_an_impossible_decision_is_refused_in_one_line(name: str) -> None:
    decide, sentence = IMPOSSIBLE[name]
    bench = assemble(parse_scenario(script(5, [(1, 1, 5)]) | {"servers": {"count": 5}}))
    policy: Any = bench.system.policy
    policy.arrival = lambda view, job: iter(decide(job))
    if name == "more than are free":
        bench = assemble(parse_scenario(script(5, [(0, 9, 2), (1, 1, 5)])))
        policy, usual = bench.system.policy, bench.system.policy.arrival
        policy.arrival = lambda view, job: iter(decide(job)) if job.number else usual(view, job)
        sentence = sentence.replace("job 0", "job 1")
    with pytest.raises(PolicyError) as raised:
        list(runs(bench))
    assert sentence in raised.value.line
    assert raised.value.where == "policy at time 1"
    assert len(raised.value.line.splitlines()) == 1


def test_the_state_counts_events() -> None:
    *_, last = runs(assemble(parse_scenario(script(5, [(0, 1, 5), (0, 1, 5), (9, 1, 1)]))))
    assert last.state.number[EVENT] == 5
