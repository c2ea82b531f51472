"""Sessions: history and its verification, forks, reopening, frames."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slotscope.model.api import Session
from slotscope.model.errors import ReplayError, ScenarioError, UserError
from slotscope.model.reporting.records import ARRIVAL
from slotscope.model.running.assembly import assemble
from slotscope.model.running.engine import Reason, ReferenceEngine
from slotscope.model.running.keyframes import HistoryRoom
from slotscope.model.running.timeline import Timeline
from slotscope.model.scenario.load import as_data, edited, load_scenario, parse_scenario
from slotscope.model.session.file import MOST_EARLIER
from slotscope.model.systems.state import copied, digest
from tests.kinds.reservation.invariants import violations
from tests.runs import ran
from tests.straight import KEYFRAME_BYTES, KEYFRAME_EVERY, session_of_7_1


@pytest.mark.slow
def test_keyframes_are_thinned_and_history_stays_whole() -> None:
    session, _ = session_of_7_1("reference")
    marks = []
    for _ in range(60):
        session.run(events=5)
        marks.append((session.timeline.event, session.timeline.mark()))
        extent = session.timeline.extent()
        assert len(extent.keyframes) < 9 or extent.bytes <= KEYFRAME_BYTES
    keyframes = session.timeline.extent().keyframes
    assert keyframes[0] == 0
    assert len(keyframes) < 300 / KEYFRAME_EVERY["reference"]
    for event, expected in reversed(marks):
        session.seek(event)
        assert session.timeline.mark() == expected
    assert session.timeline.extent().verified >= len(marks)


@pytest.mark.parametrize("engine", ["reference", "kernel"])
def test_a_replay_that_drifts_is_an_error_that_names_the_event(engine: str) -> None:
    """A keyframe is damaged on purpose: a replay from it must be detected as wrong."""
    session, _ = session_of_7_1(engine)
    session.run(events=23)
    session.timeline.mark()
    kept = session.timeline._keyframes
    last = kept.near(22)
    damaged = copied(kept.state(last))
    damaged.clock[0] += 1e-9
    damaged.tally[0, 0] += 1
    kept._frames = {0: kept._frames[0], last: replace(kept._frames[last], kept=damaged)}
    session.to_start()
    kept._passed_by.clear()  # else the run returns to its live end without a replay
    with pytest.raises(ReplayError) as raised:
        session.seek(23)
        session.seek(last)
        session.seek(23)
    assert len(raised.value.line.splitlines()) == 1
    assert "event" in raised.value.where


def test_back_to_stands_just_before_each_event_at_which_the_run_stopped() -> None:
    session, _ = session_of_7_1("kernel")
    places = []
    for _ in range(4):
        assert session.run(stop=("rejection",)) is Reason.FLAG
        places.append(session.timeline.event)
    assert places == sorted(set(places))
    for place in reversed(places):
        assert session.back_to("rejection")
        assert session.timeline.event == place - 1


def test_until_the_end_of_a_script() -> None:
    scenario = parse_scenario(
        {
            "servers": {"count": 1, "capacity": {"r": 1}},
            "job_types": [{"name": "a", "demand": {"r": 1}, "reward": 1}],
            "workload": {"kind": "scripted", "arrivals": [{"time": 1, "type": "a", "service": 2}]},
            "policy": {"name": "dra", "parameters": {"reservation_factor": 1}},
        }
    )
    session = Session.open(scenario, kernel=False)
    assert session.run() is Reason.END
    assert (session.timeline.event, session.timeline.time) == (2, 3.0)
    session.step()
    session.step_into()
    assert session.timeline.event == 2
    assert session.run(stop=("rejection",)) is Reason.END
    session.step_back_into()
    assert session.timeline.event == 1
    assert session.timeline.substep > 0
    session.step_into()
    assert session.timeline.event == 2


@pytest.mark.slow
@given(st.integers(0, 60), st.integers(1, 60))
@settings(max_examples=10)
def test_every_engine_may_take_over_anywhere(first: int, second: int) -> None:
    straight, _ = session_of_7_1("reference")
    straight.run(events=first + second)
    other, bench = session_of_7_1("kernel")
    other.run(events=first)
    other.use_engine(bench.reference)
    other.run(events=second)
    assert other.timeline.mark() == straight.timeline.mark()


def test_a_budget_of_time_ends_a_run_between_events() -> None:
    session, _ = session_of_7_1("kernel")
    assert session.run(budget=0.0) is Reason.LIMIT
    assert session.timeline.event > 0
    assert session.timeline.substep == 0


def test_the_log_of_a_reopened_run_has_no_gap(tmp_path: Path) -> None:
    """Rows of old events that were replayed are not taken for those just before the new ones."""
    straight, _ = session_of_7_1("reference")
    straight.run(events=55)
    session = ran("dra-vms", events=50)
    session.save(tmp_path / "run.slotscope")
    again = Session.load(tmp_path / "run.slotscope", kernel=False)
    again.seek(3)
    again.to_live_end()
    again.run(events=5)
    assert again.frame().rows.tolist() == straight.frame().rows.tolist()


def test_a_reopened_run_is_never_far_from_a_state_that_was_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ReferenceEngine, "keyframe_every", 10)
    session, path = Session.open("dra-classroom", kernel=False), tmp_path / "long.slotscope"
    session.run(events=700)
    session.save(path)
    again = Session.load(path, kernel=False)
    kept = again.timeline.extent().keyframes
    assert len(kept) > MOST_EARLIER
    assert max(np.diff(kept)) <= 700 / MOST_EARLIER + 20
    for event in (kept[7], 303):
        session.seek(event)
        again.seek(event)
        assert digest(again.timeline.state) == digest(session.timeline.state)


def test_a_fork_reopens_as_it_was(tmp_path: Path) -> None:
    """Jobs keep their numbers, although the new scenario starts with fewer of them."""
    scenario = parse_scenario(
        {
            "servers": {"count": 3, "capacity": {"r": 2}},
            "job_types": [{"name": "a", "demand": {"r": 1}, "reward": 3, "workload": 1}],
            "initial": {"start": "full", "type": "a"},
            "policy": {"name": "dra", "parameters": {"reservation_factor": 1}},
        }
    )
    session = ran(scenario, events=20)
    fork = session.continued(edited(scenario, {"initial": {"start": "empty"}}))
    fork.run(events=5)
    fork.save(tmp_path / "fork.slotscope")
    again = Session.load(tmp_path / "fork.slotscope", kernel=False)
    for each in (fork, again):
        each.run(events=30)
    assert digest(again.timeline.state) == digest(fork.timeline.state)


@pytest.mark.parametrize("first", ["dra", "first-fit"])
@pytest.mark.parametrize("second", ["dra", "first-fit"])
@pytest.mark.parametrize("third", ["dra", "first-fit"])
def test_a_fork_may_change_the_policy(first: str, second: str, third: str) -> None:
    """To another policy and back: the state stays valid, and both engines agree on what follows."""
    session = Session.open("dra-vms", policy=first)
    for policy in (second, third):
        session.run(events=700)
        session = session.continued(load_scenario("dra-vms"), policy)
        system = session.bench.system
        assert violations(system, session.timeline.state) == []
        twin = session.continued(session.bench.scenario)
        twin.timeline.seek(session.timeline.event)
        twin.use_engine(twin.bench.reference)
        other = session.continued(session.bench.scenario)
        for each in (twin, other):
            each.run(events=60)
            assert violations(each.bench.system, each.timeline.state) == []
        assert digest(twin.timeline.state) == digest(other.timeline.state)


def test_a_fork_goes_on_with_the_time_and_the_numbers_it_found() -> None:
    session, _ = session_of_7_1("kernel")
    session.run(events=500)
    fork = session.continued(load_scenario("dra-vms"))
    now, arrivals = session.timeline.time, int(session.timeline.state.number[1])
    fork.run(events=500)
    rows = fork.timeline.rows(501, 1000)
    assert (np.diff(rows["time"]) >= 0).all()
    assert rows["time"][0] >= now
    arrived = rows[rows["kind"] == ARRIVAL]
    assert arrived["job"].tolist() == list(range(arrivals, arrivals + len(arrived)))


def test_a_fork_keeps_its_first_state_however_far_it_goes() -> None:
    """Its first event may lie off the grid of keyframes; thinning must keep it all the same."""
    session, _ = session_of_7_1("reference")
    session.run(events=31)
    fork = session.continued(load_scenario("dra-vms"))
    start = fork.timeline.mark()
    bench = fork.bench
    bench.reference.keyframe_every = KEYFRAME_EVERY["reference"]
    fork.timeline = Timeline(bench.system, bench.reference, fork.timeline.state, room=HistoryRoom(KEYFRAME_BYTES))
    fork.run(events=200)
    assert fork.timeline.extent().keyframes[0] == 31
    fork.to_start()
    assert fork.timeline.event == 31
    assert fork.timeline.mark() == start
    fork.to_live_end()
    assert fork.timeline.event == 231


def test_a_fork_needs_the_same_servers_and_types() -> None:
    session, _ = session_of_7_1("reference")
    data = load_scenario("dra-vms").model_dump(mode="json", exclude_none=True)
    data["servers"]["count"] = 7
    with pytest.raises(ScenarioError, match="allowed when continuing"):
        session.continued(parse_scenario(data))


def test_a_fork_that_cannot_hold_the_jobs_is_refused() -> None:
    session, _ = session_of_7_1("kernel")
    session.run(events=5000)
    data = load_scenario("dra-vms").model_dump(mode="json", exclude_none=True)
    data["servers"]["capacity"] = {"vCPU": 2, "memory": 16}
    with pytest.raises(ScenarioError) as raised:
        session.continued(parse_scenario(data))
    assert len(raised.value.line.splitlines()) == 1


def test_measuring_from_the_middle_of_a_run_is_refused() -> None:
    session = Session.open("dra-vms")
    session.run(until=5)
    with pytest.raises(UserError, match="allowed"):
        session.measure(until=8, warmup=2)


def test_frames_do_not_change_when_the_run_goes_on() -> None:
    session, _ = session_of_7_1("kernel")
    session.run(events=50)
    frame = session.frame()
    before = (digest(frame.state), frame.rows.copy(), frame.samples.copy())
    session.run(events=5000)
    session.step_into()
    assert digest(frame.state) == before[0]
    assert (frame.rows == before[1]).all()
    assert (frame.samples == before[2]).all()
    with pytest.raises(ValueError, match="read-only"):
        frame.state.placement[0, 0] = 1


@pytest.mark.parametrize("name", ["dra-classroom", "queues-classroom", "jrs-classroom", "moldable-classroom"])
def test_the_log_at_rest_tells_the_same_however_it_came_there(name: str) -> None:
    """Rows shown before are reused without a replay, but a kernel's rows, which lack some fields, must not be."""
    session = ran(name, kernel=True, events=30)
    session.frame()
    for go in (session.step, session.step, session.step_back, lambda: session.run(events=1), session.step):
        go()
        found = session.frame().rows
        assert (found == session.timeline.rows(1, session.timeline.event)).all()


def test_the_line_that_reproduces_a_moment() -> None:
    session = ran("dra-vms", seed=5, events=40)
    line: Any = session.info.opening_line(session.timeline.event).split()
    assert line[:2] == ["slotscope", "dra-vms"]
    options = dict(zip(line[2::2], line[3::2], strict=True))
    again = Session.open(line[1], options["--policy"], int(options["--seed"]))
    again.seek(int(options["--event"]))
    assert digest(again.timeline.state) == digest(session.timeline.state)


EMPTY_SLOT: dict[str, Any] = {
    "system": "queue",
    "run": {"until": 40, "time_unit": "slot"},
    "servers": {"count": 1, "capacity": {"size": "1"}},
    "policy": {"name": "vqs", "parameters": {"stall": True}},
    "workload": {
        "kind": "scripted",
        "arrivals": [{"slot": 0, "size": "2/3", "service": 3}, {"slot": 0, "size": "1/3", "service": 6}],
    },
}


def test_an_event_without_sub_steps_is_a_step_of_its_own() -> None:
    """A stalled server waits for a slot in which the policy does nothing."""
    session = Session(assemble(parse_scenario(EMPTY_SLOT)))
    sub_steps = {}
    while session.timeline.next_event is not None:
        session.step()
        assert session.timeline.event == len(sub_steps) + 1
        sub_steps[session.timeline.time] = len(session.last_records)
    assert sub_steps[2.0] == 0
    assert sub_steps[1.0] and sub_steps[6.0]


@pytest.mark.parametrize("scenario", ["jrs-classroom", "moldable-classroom"])
def test_the_log_at_rest_needs_no_second_run_where_rows_tell_all(
    scenario: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = ran(scenario, kernel=True, events=700)
    again = session.timeline.rows(301, 700)
    monkeypatch.setattr(Timeline, "rows", lambda *_: pytest.fail("they are run again"))
    assert session.frame().rows.tobytes() == again.tobytes()


def test_slots_of_many_jobs_have_states_at_hand() -> None:
    scenario = load_scenario("queues-wide-jobs")
    servers = as_data(scenario)["servers"]
    few, many = (Session.open(edited(scenario, {"servers": servers | {"count": count}})) for count in (10, 10_000))
    for session in (few, many):
        session.run(events=300)
    assert few.timeline.extent().keyframes == (0,)
    rate = float(many.bench.numbers.arrival_rate)
    apart = np.diff(many.timeline.extent().keyframes)
    assert len(apart) >= 2 and (rate * apart <= 20_000).all()
