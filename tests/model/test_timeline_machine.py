"""Random walks through time: wherever a run stands, it stands as a straight run would."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from model.api import Session, open_bench
from model.assembly import Bench, assemble
from model.engine import Engine, EventRun, Reason, started
from model.errors import ReplayError, ScenarioError, UserError
from model.records import ARRIVAL, EVENT_KINDS, EVENT_ROW, Record
from model.scenario.load import edited, load_scenario, parse_scenario
from model.scenario.reservation import ReservationScenario
from model.state import copied, digest
from model.timeline import Timeline
from tests.invariants import violations
from tests.strategies import scenarios

#: Events of a straight run, and how often the walks keep a copy of the state.
LENGTH = 70
KEYFRAME_EVERY = {"reference": 3, "kernel": 5}
KEYFRAME_BYTES = 40_000

KINDS = [kind for kind in EVENT_KINDS if kind != "preemption"]


class Straight:
    """What the reference does when nobody interferes: every event, every sub-step."""

    def __init__(self, scenario: ReservationScenario) -> None:
        system = assemble(scenario).system
        state = started(system)
        self.digests = [digest(state)]
        self.inside: list[list[str]] = []  #: digests after each sub-step of an event
        self.records: list[list[Record]] = []
        self.rows = np.zeros(LENGTH, EVENT_ROW)
        self.times = [float(state.clock[0])]
        self.samples = np.zeros((LENGTH + 1, system.sample_width))
        system.sample(state, self.samples[0])
        while len(self.records) < LENGTH and system.next_event(state) is not None:
            run = EventRun(system, copied(state))
            inside = []
            while run.step() is not None:
                inside.append(digest(run.state))
            self.rows[len(self.records)] = run.row[0]
            self.inside.append(inside)
            self.records.append(run.records)
            state = run.state
            self.digests.append(digest(state))
            self.times.append(float(state.clock[0]))
            system.sample(state, self.samples[len(self.records)])
        self.length = len(self.records)
        self.ends = self.length < LENGTH
        self.rows = self.rows[: self.length]

    def next_of(self, kind: str, after: int) -> int | None:
        """The first event of a kind beyond event *after*, or None."""
        flagged = (self.rows["flags"] & EVENT_KINDS[kind]) != 0
        found = self.rows["event"][flagged & (self.rows["event"] > after)]
        return int(found[0]) if len(found) else None

    def last_of(self, kind: str, until: int) -> int | None:
        """The last event of a kind up to event *until*, or None."""
        flagged = (self.rows["flags"] & EVENT_KINDS[kind]) != 0
        found = self.rows["event"][flagged & (self.rows["event"] <= until)]
        return int(found[-1]) if len(found) else None


def hurried(bench: Bench) -> Session:
    """A session that keeps many copies of the state in little memory, so that it thins them."""
    session = Session(bench)
    bench.reference.keyframe_every = KEYFRAME_EVERY["reference"]
    session.timeline = Timeline(bench.system, bench.reference, keyframe_bytes=KEYFRAME_BYTES)
    return session


def hurried_kernel(session: Session) -> Engine:
    """The compiled twin for a session's bench, with keyframes as close."""
    kernel = session.bench.kernel()
    kernel.keyframe_every = KEYFRAME_EVERY["kernel"]
    return kernel


class Walk(RuleBasedStateMachine):
    """A session beside a straight run; ``event`` and ``substep`` say where it must stand."""

    session: Session
    straight: Straight

    @initialize(scenario=scenarios(most_types=3, most_servers=6))
    def open(self, scenario: ReservationScenario) -> None:
        self.scenario = scenario
        self.straight = Straight(scenario)
        self.session = hurried(assemble(scenario))
        self.kernel = hurried_kernel(self.session)
        self.event = self.substep = self.live_end = 0
        self.unsampled = range(0)  #: events of a saved past, whose samples may be missing

    @property
    def bench(self) -> Bench:
        return self.session.bench

    # Where the walk may go.

    def left(self) -> int:
        """Events of the straight run that lie ahead."""
        return self.straight.length - self.event

    def arrive(self, event: int, substep: int = 0) -> None:
        self.event, self.substep = event, substep
        self.live_end = max(self.live_end, event)

    @rule()
    @precondition(lambda self: self.left() > 0)
    def step(self) -> None:
        self.session.step()
        self.arrive(self.event + 1)
        assert self.session.frame().agreement in {
            None if self.session.timeline.engine is self.bench.reference else True
        }

    @rule(times=st.integers(1, 8))
    def step_into(self, times: int) -> None:
        for _ in range(times):
            if not self.left():
                break
            self.session.step_into()
            if self.substep == len(self.straight.records[self.event]):
                self.arrive(self.event + 1)
                assert self.session.frame().agreement is not False
            else:
                self.substep += 1

    @rule()
    def step_back(self) -> None:
        self.session.step_back()
        self.arrive(self.event if self.substep else max(0, self.event - 1))

    @rule(times=st.integers(1, 8))
    def step_back_into(self, times: int) -> None:
        for _ in range(times):
            self.session.step_back_into()
            if self.substep:
                self.substep -= 1
            elif self.event:
                self.event -= 1
                self.substep = len(self.straight.records[self.event])

    @rule(events=st.integers(0, LENGTH))
    def run(self, events: int) -> None:
        events = min(events, self.left())
        reason = self.session.run(events=events)
        assert reason is Reason.LIMIT
        if events:
            self.arrive(self.event + events)

    @rule(share=st.floats(0, 1))
    @precondition(lambda self: self.left() > 1)
    def run_until(self, share: float) -> None:
        """Until a time between the present one and the end of the straight run."""
        now, end = self.session.timeline.time, self.straight.times[-1]
        until = now + share * (end - now)
        if until >= end:
            return
        first = self.event + (self.substep > 0)
        self.session.run(until=until)
        beyond = [n for n in range(first, self.straight.length) if self.straight.times[n + 1] > until]
        self.arrive(beyond[0])

    @rule(share=st.floats(0, 1), substep=st.integers(0, 12))
    def seek(self, share: float, substep: int) -> None:
        event = round(share * self.straight.length)
        self.session.seek(event, substep)
        inside = self.straight.records[event] if event < self.straight.length else []
        if event == LENGTH:
            self.session.seek(event)
        self.arrive(event, min(substep, len(inside)))

    @rule()
    def to_start(self) -> None:
        self.session.to_start()
        self.arrive(0)

    @rule()
    def to_live_end(self) -> None:
        self.session.to_live_end()
        self.arrive(self.live_end)

    @rule(kind=st.sampled_from(KINDS))
    def back_to(self, kind: str) -> None:
        found = self.straight.last_of(kind, self.event)
        assert self.session.back_to(kind) is (found is not None)
        if found is not None:
            self.arrive(found - 1)

    @rule(kind=st.sampled_from(KINDS))
    @precondition(lambda self: self.left() > 0)
    def run_to(self, kind: str) -> None:
        found = self.straight.next_of(kind, self.event + 1)
        if found is None:
            return
        assert self.session.run_to(kind) is Reason.FLAG
        self.arrive(found)
        self.arrive(found - 1)

    @rule()
    def change_engine(self) -> None:
        running = self.session.timeline.engine
        reference = self.bench.reference
        self.session.use_engine(self.kernel if running is reference else reference)

    @rule(events=st.integers(1, 10))
    def fork(self, events: int) -> None:
        """A fork starts from the last whole event and leaves this run as it is."""
        if self.scenario.workload.kind != "poisson":
            with pytest.raises(ScenarioError):
                self.session.fork(self.scenario)
            return
        ends = []
        for _ in range(2):
            other = self.session.fork(self.scenario)
            assert digest(other.timeline.state) == self.straight.digests[self.event]
            assert other.timeline.first_event == self.event
            other.run(events=events)
            ends.append(digest(other.timeline.state))
            other.to_start()
            assert digest(other.timeline.state) == self.straight.digests[self.event]
        assert ends[0] == ends[1]

    @rule()
    def save_and_reopen(self) -> None:
        """The reopened run stands at the same place; its live end is where it was saved."""
        compiled = self.session.timeline.engine is self.kernel
        with TemporaryDirectory() as folder:
            path = Path(folder) / "walk.slotscope"
            self.session.save(path, layout="panels")
            self.session = Session.load(path, kernel=False)
        assert self.session.layout == "panels"
        self.bench.reference.keyframe_every = KEYFRAME_EVERY["reference"]
        self.kernel = hurried_kernel(self.session)
        if compiled:
            self.session.use_engine(self.kernel)
        self.live_end = self.event
        self.unsampled = range(1, self.event + 1)

    @rule(share=st.floats(0, 1), length=st.integers(1, 30))
    def read_the_log(self, share: float, length: int) -> None:
        """Rows of any past stretch, made again without moving the run."""
        first = 1 + round(share * self.live_end)
        rows = self.session.timeline.rows(first, first + length)
        expected = self.straight.rows[first - 1 : min(first + length, self.live_end)]
        assert rows["event"].tolist() == expected["event"].tolist()
        assert rows["trail"].tolist() == expected["trail"].tolist()
        assert rows["servers_with_room"].tolist() == expected["servers_with_room"].tolist()

    # Where it must stand.

    @invariant()
    def stands_where_it_should(self) -> None:
        line = self.session.timeline
        assert (line.event, line.substep) == (self.event, self.substep)
        assert digest(line.state) == self.straight.digests[self.event]
        if self.substep:
            assert list(line.records) == self.straight.records[self.event][: self.substep]
            expected = self.straight.inside[self.event][self.substep - 1]
            assert digest(line.shown_state) == expected
        else:
            assert line.records == ()
            assert digest(line.shown_state) == self.straight.digests[self.event]

    @invariant()
    def history_is_whole(self) -> None:
        extent = self.session.timeline.extent()
        assert extent.event == self.event
        assert extent.live_end == self.live_end
        assert extent.live_end_time == self.straight.times[self.live_end]
        assert extent.keyframes[0] == 0
        assert all(event <= self.live_end for event in extent.keyframes)

    @invariant()
    def the_frame_shows_it(self) -> None:
        frame = self.session.frame()
        assert (frame.event, frame.time) == (self.event, self.session.timeline.time)
        assert frame.rows["event"].tolist() == list(range(max(1, self.event - 399), self.event + 1))
        assert frame.rows["trail"].tolist() == self.straight.rows["trail"][: self.event].tolist()
        sampled = frame.samples[:, 0].astype(int)
        assert frame.samples.tolist() == self.straight.samples[sampled].tolist()
        expected = range(self.live_end + 1)
        assert sampled.tolist() == [n for n in expected if n not in self.unsampled or n in sampled]
        if self.event < self.straight.length:
            assert frame.next_event is not None
            row = self.straight.rows[self.event]
            assert (frame.next_event.kind, frame.next_event.time) == (row["kind"], row["time"])
        elif self.straight.ends:
            assert frame.next_event is None


TestWalk = Walk.TestCase
TestWalk.settings = settings(max_examples=20, stateful_step_count=25)


class LongWalk(Walk):
    """The same, far longer."""


@pytest.mark.slow
class TestLongWalk(LongWalk.TestCase):  # type: ignore[name-defined,misc]
    settings = settings(max_examples=150, stateful_step_count=60)


def session_of_7_1(engine: str) -> tuple[Session, Bench]:
    bench = open_bench(load_scenario("dra-vms"))
    session = hurried(bench)
    if engine == "kernel":
        session.use_engine(hurried_kernel(session))
    return session, bench


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
    """A keyframe is damaged on purpose: the replay from it must not go unnoticed."""
    session, _ = session_of_7_1(engine)
    session.run(events=23)
    session.timeline.mark()
    frames = session.timeline._keyframes
    last = max(event for event in frames if event < 23)
    damaged = copied(frames[last].state)
    damaged.clock[0] += 1e-9
    damaged.tally[0, 0] += 1
    frames[last] = replace(frames[last], state=damaged)
    session.timeline._keyframes = {0: frames[0], last: frames[last]}
    session.to_start()
    with pytest.raises(ReplayError) as raised:
        session.seek(23)
        session.seek(last)
        session.seek(23)
    assert len(raised.value.line.splitlines()) == 1
    assert "event" in raised.value.where


def test_run_to_goes_on_to_the_next_one_and_back_to_undoes_it() -> None:
    session, _ = session_of_7_1("kernel")
    places = []
    for _ in range(4):
        assert session.run_to("rejection") is Reason.FLAG
        places.append(session.timeline.event)
    assert places == sorted(set(places))
    for place in reversed(places[:-1]):
        assert session.back_to("rejection")
        assert session.timeline.event == place


def test_until_the_end_of_a_script() -> None:
    scenario = parse_scenario({
        "servers": {"count": 1, "capacity": {"r": 1}},
        "job_types": [{"name": "a", "demand": {"r": 1}, "reward": 1}],
        "workload": {"kind": "scripted", "arrivals": [{"time": 1, "type": "a", "service": 2}]},
        "policy": {"name": "dra", "parameters": {"reservation_factor": 1}},
    })  # fmt: skip
    session = Session.open(scenario, kernel=False)
    assert session.run() is Reason.END
    assert (session.timeline.event, session.timeline.time) == (2, 3.0)
    session.step()
    session.step_into()
    assert session.timeline.event == 2
    assert session.run_to("rejection") is Reason.END
    session.step_back_into()
    assert session.timeline.event == 1
    assert session.timeline.substep > 0
    session.step_into()
    assert session.timeline.event == 2


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
    """Old events that were walked again do not pass for those just before the new ones."""
    straight, _ = session_of_7_1("reference")
    straight.run(events=55)
    session = Session.open("dra-vms", kernel=False)
    session.run(events=50)
    session.save(tmp_path / "run.slotscope")
    again = Session.load(tmp_path / "run.slotscope", kernel=False)
    again.seek(3)
    again.to_live_end()
    again.run(events=5)
    assert again.frame().rows.tolist() == straight.frame().rows.tolist()


def test_a_fork_reopens_as_it_was(tmp_path: Path) -> None:
    """Jobs keep their numbers, although the new scenario starts with fewer of them."""
    scenario = parse_scenario({
        "servers": {"count": 3, "capacity": {"r": 2}},
        "job_types": [{"name": "a", "demand": {"r": 1}, "reward": 3, "workload": 1}],
        "initial": {"start": "full", "type": "a"},
        "policy": {"name": "dra", "parameters": {"reservation_factor": 1}},
    })  # fmt: skip
    session = Session.open(scenario, kernel=False)
    session.run(events=20)
    fork = session.fork(edited(scenario, {"initial": {"start": "empty"}}))
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
    """There and back again: the state stays sound, and both engines agree on what follows."""
    session = Session.open("dra-vms", policy=first)
    for policy in (second, third):
        session.run(events=700)
        session = session.fork(load_scenario("dra-vms"), policy)
        system = session.bench.system
        assert violations(system, session.timeline.state) == []
        twin = session.fork(session.bench.scenario)
        twin.timeline.seek(session.timeline.event)
        twin.use_engine(twin.bench.reference)
        other = session.fork(session.bench.scenario)
        for each in (twin, other):
            each.run(events=60)
            assert violations(each.bench.system, each.timeline.state) == []
        assert digest(twin.timeline.state) == digest(other.timeline.state)


def test_a_fork_goes_on_with_the_time_and_the_numbers_it_found() -> None:
    session, _ = session_of_7_1("kernel")
    session.run(events=500)
    fork = session.fork(load_scenario("dra-vms"))
    now, arrivals = session.timeline.time, int(session.timeline.state.number[1])
    fork.run(events=500)
    rows = fork.timeline.rows(501, 1000)
    assert (np.diff(rows["time"]) >= 0).all()
    assert rows["time"][0] >= now
    arrived = rows[rows["kind"] == ARRIVAL]
    assert arrived["job"].tolist() == list(range(arrivals, arrivals + len(arrived)))


def test_a_fork_needs_the_same_servers_and_types() -> None:
    session, _ = session_of_7_1("reference")
    data = load_scenario("dra-vms").model_dump(mode="json", exclude_none=True)
    data["servers"]["count"] = 7
    with pytest.raises(ScenarioError, match="allowed when continuing"):
        session.fork(parse_scenario(data))


def test_a_fork_that_cannot_hold_the_jobs_is_refused() -> None:
    session, _ = session_of_7_1("kernel")
    session.run(events=5000)
    data = load_scenario("dra-vms").model_dump(mode="json", exclude_none=True)
    data["servers"]["capacity"] = {"vCPU": 2, "memory": 16}
    with pytest.raises(ScenarioError) as raised:
        session.fork(parse_scenario(data))
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


def test_the_line_that_reproduces_a_moment() -> None:
    session = Session.open("dra-vms", seed=5, kernel=False)
    session.run(events=40)
    line: Any = session.reproduction_line().split()
    assert line[:2] == ["slotscope", "dra-vms"]
    options = dict(zip(line[2::2], line[3::2], strict=True))
    again = Session.open(line[1], options["--policy"], int(options["--seed"]))
    again.seek(int(options["--event"]))
    assert digest(again.timeline.state) == digest(session.timeline.state)
