"""Policies side by side: the same jobs, synchronous clocks, exact rewind, and the first difference."""

from __future__ import annotations

from math import inf, nextafter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slotscope.model.api import Session
from slotscope.model.comparison.comparison import Comparison
from slotscope.model.comparison.differences import DIFFERENCES
from slotscope.model.comparison.file import load_run, save_run
from slotscope.model.comparison.runs import open_run
from slotscope.model.errors import UserError
from slotscope.model.kinds.reservation.rows import FLAG_ADMITTED
from slotscope.model.kinds.reservation.scenario.schema import ReservationScenario
from slotscope.model.kinds.spec import REJECTED
from slotscope.model.reporting.records import ARRIVAL, DEPARTURE, UPDATE
from slotscope.model.running.engine import Advance, Engine, Reason, Task
from slotscope.model.scenario.load import as_data, load_scenario, parse_scenario
from slotscope.model.systems.state import digest
from tests.kinds.reservation.strategies import scenarios
from tests.runs import ran

POLICIES = ("dra", "first-fit", "dra:reservation_factor=20")


def small(scenario: ReservationScenario, policies: tuple[str, ...]) -> Comparison:
    """A comparison on reference engines, so that nothing is compiled."""
    return Comparison.open(scenario, policies, kernel=False)


def arrivals_of(session: Session) -> np.ndarray:
    rows = session.timeline.rows(1, session.timeline.live_end)
    return rows[rows["kind"] == ARRIVAL]


class Counting:
    """An engine that counts the events it runs."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.name, self.keyframe_every = engine.name, engine.keyframe_every
        self.slice_seconds = engine.slice_seconds
        self.events = 0

    def advance(self, state: object, tape: np.ndarray, task: Task) -> Advance:
        result = self._engine.advance(state, tape, task)
        self.events += result.rows
        return result


# The same jobs.


@given(scenarios(most_types=3, most_servers=5))
@settings(max_examples=15)
def test_all_lanes_meet_the_very_same_jobs(scenario: ReservationScenario) -> None:
    comparison = small(scenario, ("dra", "first-fit"))
    comparison.run(events=40)
    first, second = (arrivals_of(session) for session in comparison.sessions)
    count = min(len(first), len(second))
    for field in ("job", "time", "type"):
        assert first[field][:count].tolist() == second[field][:count].tolist()
    workloads = {id(session.bench.system.workload) for session in comparison.sessions}
    assert len(workloads) == 1


@given(scenarios(most_types=3, most_servers=5), st.integers(1, 60))
@settings(max_examples=15)
def test_a_lane_runs_as_it_would_alone(scenario: ReservationScenario, events: int) -> None:
    comparison = small(scenario, ("dra", "first-fit"))
    comparison.run(events=events)
    for session, policy in zip(comparison.sessions, ("dra", "first-fit"), strict=True):
        alone = ran(scenario, policy, events=session.timeline.event)
        assert digest(alone.timeline.state) == digest(session.timeline.state)


# Clocks in step.


def in_step(comparison: Comparison) -> bool:
    """Whether every lane has run all its events up to the clock, and all have had the same arrivals."""
    clock = comparison.timeline.time
    followed = all(
        (event := session.timeline.next_event) is None or event.time >= clock for session in comparison.sessions
    )
    return followed and len({lane.arrivals for lane in comparison.lanes}) == 1


def test_lanes_stay_in_step_whatever_the_slices() -> None:
    comparison = open_run("dra-vms", POLICIES)
    assert isinstance(comparison, Comparison)
    for events in (1, 17, 3000, 40_000):
        assert comparison.run(events=events) is Reason.LIMIT
        assert in_step(comparison)
    assert comparison.timeline.event == 43_018
    assert comparison.run(until=40.0) is Reason.TIME
    assert in_step(comparison)
    assert comparison.timeline.next_event.time > 40.0 >= comparison.timeline.time
    comparison.run(budget=0.01)
    assert in_step(comparison)


def test_frames_of_all_lanes_show_the_same_time() -> None:
    comparison = open_run("dra-vms", POLICIES)
    comparison.run(until=3.21)
    frame = comparison.frame()
    assert len(frame.companions) == 2
    assert {one.time for one in frame.lanes} == {comparison.timeline.time}
    titles = [one.info.policy_title for one in frame.lanes]
    assert frame.comparison.labels[1] == titles[1]
    assert frame.comparison.labels[2].startswith(titles[2])
    assert len(set(frame.comparison.labels)) == 3


def test_of_events_at_one_time_the_last_one_is_the_previous() -> None:
    """DRA keeps the slot for the dear job, which comes second; first fit has given it to the cheap one."""
    data = as_data(load_scenario("dra-classroom")) | {
        "resources": [{"name": "cpu"}],
        "servers": {"count": 1, "capacity": {"cpu": 2}},
        "job_types": [
            {"name": "cheap", "demand": {"cpu": 1}, "reward": 1, "workload": 1},
            {"name": "dear", "demand": {"cpu": 2}, "reward": 9, "workload": 1},
        ],
        "workload": {"kind": "scripted", "arrivals": [{"time": 1, "type": name} for name in ("cheap", "dear")]},
        "policy": {"name": "dra", "parameters": {"reservation_factor": 1}},
    }
    both = Comparison.open(parse_scenario(data), ("dra", "first-fit"), kernel=False)
    both.run(events=2)
    assert both.back_to("admission")
    assert [session.timeline.event for session in both.sessions] == [1, 1]


def test_the_stop_at_a_kind_counts_in_every_lane() -> None:
    comparison = open_run("dra-vms", POLICIES)
    assert comparison.run(stop=("rejection",)) is Reason.FLAG
    times = []
    for policy in POLICIES:
        alone = Session.open("dra-vms", policy)
        alone.run(stop=("rejection",))
        times.append(alone.timeline.time)
    assert comparison.timeline.time == min(times)
    place = comparison.timeline.event
    assert comparison.run(stop=("rejection",)) is Reason.FLAG
    assert comparison.timeline.event > place
    for _ in range(2):
        assert comparison.back_to("rejection")
    assert comparison.timeline.next_event.time == min(times)


# What differs.


def brute_force(comparison: Comparison, where: bool) -> int | None:
    """The first arrival that the lanes decide differently, found from all rows of all lanes."""
    tables = [arrivals_of(session) for session in comparison.sessions]
    for number in range(min(map(len, tables))):
        rows = [table[number] for table in tables]
        admitted = [bool(int(row["flags"]) & FLAG_ADMITTED) for row in rows]
        placed = [int(row["server"]) if here else REJECTED for row, here in zip(rows, admitted, strict=True)]
        if len(set(placed if where else admitted)) > 1:
            return number
    return None


@given(scenarios(most_types=3, most_servers=5), st.booleans(), st.integers(1, 80))
@settings(max_examples=25)
def test_the_first_difference_is_that_of_brute_force(scenario: ReservationScenario, where: bool, events: int) -> None:
    comparison = small(scenario, ("dra", "first-fit"))
    comparison.run(events=events)
    expected = brute_force(comparison, where)
    found = comparison.first_difference(where)
    assert (None if found is None else found.arrival) == expected
    assert comparison.go_to_first_difference(where) is (expected is not None)
    if found is None:
        return
    following = comparison.timeline.next_event
    assert (following.kind, following.time) == (ARRIVAL, found.time)
    assert comparison._moved.next_lanes() == (0, 1)
    comparison.step()
    for lane, session in enumerate(comparison.sessions):
        event = session.timeline.event
        row = session.timeline.rows(event, event)[0]
        assert row == found.rows[lane]
        assert found.admitted(lane) is bool(int(row["flags"]) & FLAG_ADMITTED)


@pytest.mark.slow
def test_a_million_events_in_the_first_difference_is_found_without_running_all_again() -> None:
    comparison = open_run("dra-vms", ("dra", "first-fit"))
    comparison.run(events=1_000_000)
    engines = []
    for session in comparison.sessions:
        engines.append(Counting(session.timeline.engine))
        session.use_engine(engines[-1])
    found = comparison.first_difference()
    assert comparison.go_to_first_difference()
    spacing = max(session.timeline._every for session in comparison.sessions)
    assert sum(engine.events for engine in engines) < 12 * spacing
    assert comparison.timeline.next_event.job == found.job
    comparison.to_live_end()
    assert comparison.timeline.event == 1_000_000
    assert sum(lane.record.bytes for lane in comparison.lanes) < 2 * 8 * 600_000


def test_next_and_previous_difference_mirror_each_other() -> None:
    comparison = open_run("dra-vms", ("dra", "first-fit"))
    kind = next(kind for kind, where in DIFFERENCES.items() if not where)
    met = []
    for _ in range(4):
        assert comparison.run(stop=(kind,)) is Reason.FLAG
        comparison.step_back()
        assert comparison.timeline.next_event.kind == ARRIVAL
        met.append(comparison.timeline.next_event.job)
        comparison.step()
    assert met == sorted(set(met))
    assert met[0] == comparison.first_difference().job
    for job in reversed(met):
        assert comparison.back_to(kind)
        assert comparison.timeline.next_event.job == job
    assert not comparison.back_to(kind)


def test_a_policy_against_itself_never_differs() -> None:
    comparison = open_run("dra-vms", ("dra", "dra"))
    comparison.run(events=5000)
    assert comparison.first_difference() is None
    assert comparison.first_difference(where=True) is None
    first, second = (digest(session.timeline.state) for session in comparison.sessions)
    assert first == second


def test_a_fork_is_compared_from_where_it_left() -> None:
    session = ran("dra-classroom", "dra", events=60)
    fork = session.continued(load_scenario("dra-classroom"))
    fork.run(events=30)
    comparison = Comparison.beside(fork, ["first-fit"], kernel=False)
    assert comparison.timeline.event == 90
    assert comparison.sessions[1].timeline.first_event == 60
    assert in_step(comparison)
    comparison.to_start()
    assert comparison._moved.events == (60, 60)


# Errors, files.


def test_wrong_policies_are_refused_in_one_line() -> None:
    for policies in (("dra", "nix"), ("dra", "dra:nix=1"), ("dra", "dra:reservation_factor=x")):
        with pytest.raises(UserError) as raised:
            open_run("dra-classroom", policies, kernel=False)
        assert len(raised.value.line.splitlines()) == 1
        assert policies[1] in raised.value.line
    with pytest.raises(UserError, match="found 4 policies"):
        open_run("dra-classroom", ("dra",) * 4, kernel=False)


def test_a_saved_comparison_stands_where_it_stood(tmp_path: Path) -> None:
    comparison = open_run("dra-vms", POLICIES)
    comparison.run(events=4000)
    comparison.step_into()
    save_run(comparison, tmp_path / "two.slotscope", layout="docks")
    again = load_run(tmp_path / "two.slotscope")
    assert isinstance(again, Comparison)
    assert again.layout == "docks"
    assert again._moved.events == comparison._moved.events
    assert again.timeline.substep == comparison.timeline.substep == 1
    assert again.labels == comparison.labels
    assert again.first_difference() == comparison.first_difference()
    assert len({id(one.bench.system.workload) for one in again.sessions}) == 1
    again.to_start()
    again.to_live_end()
    assert again._moved.events == comparison._moved.events


@pytest.mark.parametrize("damage", [b"", b"PK", b"nothing of the kind"])
def test_a_damaged_file_is_refused_in_one_line(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "two.slotscope"
    path.write_bytes(damage)
    with pytest.raises(UserError) as raised:
        load_run(path)
    assert len(raised.value.line.splitlines()) == 1
    assert str(path) in raised.value.line


def test_time_is_sought_to_just_before_and_just_after_an_event() -> None:
    session = ran("dra-vms", "dra", kernel=True, events=25_000)
    line = session.timeline
    for event in (24_000, 12_345, 3, 10_000, 10_001):
        row = line.rows(event, event)[0]
        line.seek_time(float(row["time"]))
        assert line.event == event
        line.seek_time(nextafter(float(row["time"]), -inf))
        assert line.event == event - 1
    line.seek_time(-1.0)
    assert line.event == 0


# Policies that fail.

FAULTY = """
from slotscope.model.kinds.reservation.policies.base import Admit, OwnPolicy, Reject


class Policy(OwnPolicy):
    title = "Fails at its {number}th job"
    reserves_slots = False
    memory = 0

    def arrival(self, view, job):
        room = view.with_room(job.type)
        if job.number == {number} - 1:
            yield Admit(server=10**6)
        elif len(room):
            yield Admit(server=room[0])
        else:
            yield Reject()

    def departure(self, view, job):
        yield from ()
"""


@pytest.fixture
def faulty(tmp_path: Path) -> Path:
    path = tmp_path / "faulty.py"
    path.write_text(FAULTY.format(number=40))
    return path


@pytest.mark.parametrize("first", [True, False])
def test_a_policy_that_fails_stops_all_lanes_just_before_that_event(faulty: Path, first: bool) -> None:
    policies = (str(faulty), "first-fit") if first else ("first-fit", str(faulty))
    comparison = open_run("dra-classroom", policies, kernel=False)
    with pytest.raises(UserError):
        comparison.run(events=1000)
    place = comparison._moved.events
    following = comparison.timeline.next_event
    assert (following.kind, following.job) == (ARRIVAL, 39)
    assert comparison._moved.next_lanes() == (0, 1)
    for move in (comparison.step, lambda: comparison.run(until=100.0)):
        with pytest.raises(UserError):
            move()
        assert comparison._moved.events == place
        assert in_step(comparison)
    comparison.step_back()
    comparison.step()
    assert comparison._moved.events == place
    assert comparison.first_difference() is None


def test_of_two_policies_that_fail_the_earlier_one_counts(faulty: Path, tmp_path: Path) -> None:
    other = tmp_path / "earlier.py"
    other.write_text(FAULTY.format(number=30))
    comparison = open_run("dra-classroom", (str(faulty), str(other)), kernel=False)
    with pytest.raises(UserError):
        comparison.run(events=1000)
    assert comparison.timeline.next_event.job == 29
    assert in_step(comparison)


def test_a_follower_that_fails_takes_the_step_back(faulty: Path) -> None:
    comparison = open_run("dra-classroom", ("first-fit", str(faulty)), kernel=False)
    with pytest.raises(UserError):
        comparison.run(events=1000)
    place = comparison._moved.events
    with pytest.raises(UserError):
        for _ in range(50):
            comparison.step_into()
    assert comparison._moved.events == place


# Several events at one time.


def test_departures_come_before_updates_and_updates_before_arrivals_in_all_lanes():
    """In any lane: one policy has updates at integer times, at which jobs also arrive and leave."""
    data = dict(as_data(load_scenario("dra-example-2")))
    data["initial"] = {"start": "empty"}
    data["workload"] = {
        "kind": "scripted",
        "arrivals": [
            {"time": 1, "type": "valuable", "job": "a", "service": 4},
            {"time": 5, "type": "cheap", "job": "b", "service": 9},
        ],
    }
    for policies in (("dra-periodic", "first-fit"), ("first-fit", "dra-periodic")):
        comparison = Comparison.open(parse_scenario(data), policies, kernel=False)
        seen = []
        while (event := comparison.timeline.next_event) is not None and event.time <= 5:
            seen.append((event.time, event.kind, len(comparison.frame().comparison.next_lanes)))
            comparison.step()
        assert seen == [
            (1, UPDATE, 1),
            (1, ARRIVAL, 2),
            *((time, UPDATE, 1) for time in (2, 3, 4)),
            (5, DEPARTURE, 2),
            (5, UPDATE, 1),
            (5, ARRIVAL, 2),
        ]


def test_a_run_ends_at_its_last_event_also_among_several_at_one_time():
    """Even if the first slices are short: all initial jobs leave at time 1."""
    data = dict(as_data(load_scenario("dra-example-2")))
    data["initial"] = {"start": "full", "type": "valuable"}
    data["workload"] = {"kind": "scripted", "arrivals": []}
    data["job_types"] = [kind | {"service": {"distribution": "deterministic", "mean": 1}} for kind in data["job_types"]]
    for events in (1, 2, 3):
        comparison = Comparison.open(parse_scenario(data), ("first-fit", "best-fit"), kernel=False)
        assert comparison.run(events=events) is Reason.LIMIT
        assert [session.timeline.event for session in comparison.sessions] == [events, events]
        assert comparison.timeline.time == 1
