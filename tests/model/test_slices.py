"""All long work runs in slices of a few milliseconds, and can be stopped between two of them."""

from __future__ import annotations

from math import inf
from typing import Any, Callable

import numpy as np
import pytest

from slotscope.model.api import Session
from slotscope.model.comparison import comparison as comparison_module
from slotscope.model.comparison import lockstep
from slotscope.model.comparison.companion import companion
from slotscope.model.comparison.comparison import Comparison
from slotscope.model.running import engine, slices, walk
from slotscope.model.running.engine import Advance, Reason, Task
from slotscope.model.running.slices import MOST_EVENTS, MOST_OF_A_RUN, SLICE_SECONDS, Slices
from slotscope.model.running.waiting import GivenUpError, waiting
from slotscope.model.systems.state import digest
from tests.runs import ran


class Clock:
    """A clock that only events advance; it counts the events between two readings."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, seconds_an_event: float) -> None:
        self.now = 0.0
        self.seconds_an_event = seconds_an_event
        self.looks: list[int] = [0]
        for module in (slices, walk, lockstep, comparison_module):
            monkeypatch.setattr(module, "monotonic", self.look)
        monkeypatch.setattr("slotscope.model.running.engine.SLOW_EVENT", float("inf"))

    def look(self) -> float:
        if self.looks[-1]:
            self.looks.append(0)
        return self.now

    def ran(self, events: int) -> None:
        self.now += events * self.seconds_an_event
        self.looks[-1] += events

    @property
    def most(self) -> int:
        """The most events that ran between two readings."""
        return max(self.looks)


class Timed:
    """An engine whose events advance the clock."""

    slice_seconds = SLICE_SECONDS

    def __init__(self, engine: Any, clock: Clock) -> None:
        self._engine, self._clock = engine, clock
        self.name, self.keyframe_every = engine.name, engine.keyframe_every

    def advance(self, state: Any, tape: Any, task: Task) -> Advance:
        result: Advance = self._engine.advance(state, tape, task)
        self._clock.ran(result.rows)
        return result


def slow(clock: Clock, policy: str = "dra") -> Session:
    session = Session.open("dra-classroom", policy, kernel=False)
    session.use_engine(Timed(session.bench.reference, clock))
    return session


def test_a_slice_grows_to_what_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, 1e-9)
    room = Slices()
    seen = []
    for _ in range(20):
        room.take(lambda most: seen.append(most) or clock.ran(most) or most)
    assert seen[:4] == [1, 2, 4, 8]
    assert seen[-1] == MOST_EVENTS
    clock.seconds_an_event = SLICE_SECONDS / 10
    for _ in range(2):
        room.take(lambda most: seen.append(most) or clock.ran(most) or most)
    assert seen[-1] == 10


def test_a_slice_is_at_once_as_long_as_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, SLICE_SECONDS / 10.25)
    room, seen = Slices(), list[int]()
    for budget in (*[3 * SLICE_SECONDS] * 6, 0.0, 3 * SLICE_SECONDS, inf, 2 * SLICE_SECONDS):
        room.take(lambda most: seen.append(most) or clock.ran(most) or most, budget)
    assert seen[-5:] == [30, 10, 30, 10, 20]


def test_what_nobody_looks_at_runs_in_few_and_long_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two slices a kernel needs Python's lock, which the window may hold while it draws."""
    clock = Clock(monkeypatch, 3 * SLICE_SECONDS / MOST_OF_A_RUN)
    session, tapes = Session.open("dra-classroom", kernel=False), list[int]()

    def quick(state: Any, tape: Any, _: Task) -> Advance:
        tape["event"] = np.arange(len(tape)) + state.number[0] + 1
        state.number[0] += len(tape)
        clock.ran(len(tape))
        tapes.append(len(tape))
        return Advance(state, len(tape), Reason.LIMIT, np.zeros((0, session.bench.system.sample_width)))

    timed = Timed(session.bench.reference, clock)
    monkeypatch.setattr(timed, "advance", quick)
    timed.keyframe_every = 10**9
    session.use_engine(timed)
    for _ in range(10):
        session.run(budget=3 * SLICE_SECONDS)
    assert tapes[-3:] == [MOST_OF_A_RUN] * 3
    session.run(budget=0.0)
    assert tapes[-1] == MOST_OF_A_RUN // 3


def test_a_slice_that_ran_nothing_teaches_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    Clock(monkeypatch, 1.0)
    room = Slices()
    room.room = 77
    assert room.take(lambda _: 0) == 0
    assert room.room == 77


def test_few_quick_events_at_a_pace_do_not_make_a_slice_long(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, SLICE_SECONDS / 3)
    room = Slices()
    for _ in range(30):
        room.take(lambda _: clock.ran(1) or 1)
    assert room.room <= 3


@pytest.mark.parametrize("seconds", [0.5, SLICE_SECONDS, SLICE_SECONDS / 20])
def test_a_slow_policy_looks_at_the_clock_after_a_few_milliseconds(
    seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(monkeypatch, seconds)
    session = slow(clock)
    session.run(events=300)
    assert session.timeline.event == 300
    assert clock.most <= max(1, SLICE_SECONDS / seconds)


@pytest.mark.parametrize(("budget", "most"), [(inf, 40), (3 * SLICE_SECONDS, 12), (0.0, 4)])
def test_an_engine_that_is_best_left_alone_is_so_for_as_long_as_nobody_looks(
    budget: float, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(monkeypatch, SLICE_SECONDS / 4)
    monkeypatch.setattr(Timed, "slice_seconds", 10 * SLICE_SECONDS)
    session = slow(clock)
    while session.timeline.event < 300:
        session.run(events=300 - session.timeline.event, budget=budget)
    assert clock.most == most


def test_a_budget_ends_a_slow_run_after_one_event(monkeypatch: pytest.MonkeyPatch) -> None:
    session = slow(Clock(monkeypatch, 0.5))
    for event in range(1, 5):
        assert session.run(budget=0.004) is Reason.LIMIT
        assert session.timeline.event == event


def test_going_far_back_and_forth_is_done_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, SLICE_SECONDS / 8)
    session = slow(clock)
    session.seek(400)
    session.seek(390)
    session.seek_time = session.timeline.seek_time
    session.seek_time(session.timeline.time / 2)
    assert session.previous_of("departure")
    session.timeline.rows(1, 300)
    assert clock.most <= 8


@pytest.mark.slow
def test_the_previous_event_of_a_kind_is_looked_for_near_by(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, 1e-9)
    session = slow(clock)
    session.run(events=2000)
    clock.looks = [0]
    session.previous_of("departure")
    assert sum(clock.looks) <= session.timeline.engine.keyframe_every


def stopping_after(looks: int) -> Any:
    """Cancel the work after a number of checks."""
    left = iter(range(looks))
    return waiting(lambda _: None, lambda: next(left, None) is None)


@pytest.mark.parametrize("looks", [0, 1, 7, 20])
def test_a_seek_that_is_stopped_stands_at_an_event_it_has_reached(looks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    session = slow(Clock(monkeypatch, SLICE_SECONDS / 4))
    with stopping_after(looks), pytest.raises(GivenUpError) as stopped:
        session.seek(350)
    assert "Going to event 350: stopped at" in stopped.value.line
    reached = session.timeline.event
    assert 0 < reached < 350
    straight = ran("dra-classroom", "dra", events=reached)
    assert digest(session.timeline.state) == digest(straight.timeline.state)
    session.seek(350)
    straight.run(events=350 - reached)
    assert digest(session.timeline.state) == digest(straight.timeline.state)


def test_a_frame_whose_log_was_given_up_has_none_and_the_next_sub_step_has(monkeypatch: pytest.MonkeyPatch) -> None:
    session = slow(Clock(monkeypatch, 0.1))
    session.run(events=300)
    session.timeline.recent = type(session.timeline.recent)(session.bench.system.row_dtype)
    with stopping_after(5):
        assert len(session.frame().rows) == 0
    session.step_into()
    frame = session.frame()
    assert (frame.event, int(frame.rows[-1]["event"])) == (300, 300)


def in_step(comparison: Comparison) -> bool:
    clock = comparison.timeline.time
    return all(
        lane.timeline.time <= clock and (lane.timeline.next_event is None or lane.timeline.next_event.time >= clock)
        for lane in comparison.sessions
    )


@pytest.mark.parametrize("looks", [0, 3, 12])
def test_lanes_that_are_stopped_on_the_way_stand_together(looks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, SLICE_SECONDS / 4)
    comparison = Comparison.of([slow(clock), slow(clock, "first-fit")])
    with stopping_after(looks), pytest.raises(GivenUpError):
        comparison.seek(500)
    assert in_step(comparison)
    assert comparison.timeline.event < 500


def test_bringing_lanes_together_is_told_and_stopped_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """A first request stops the way to event 500, a second one the way back to a common place."""
    clock = Clock(monkeypatch, SLICE_SECONDS / 4)
    comparison = Comparison.of([slow(clock), slow(clock, "first-fit")])
    told: list[str] = []
    monkeypatch.setattr("slotscope.model.running.waiting.PERIOD", -1.0)

    def wishes() -> int:  # when the first lane has arrived, and while it goes back
        looks = sum("Going to time" in text for text in told)
        return (looks >= 100) + (looks >= 102)

    with waiting(told.append, wishes), pytest.raises(GivenUpError) as stopped:
        comparison.seek(500)
    assert sum("Going to time" in text for text in told) == 102
    assert stopped.value.line == (
        "stopped before the policies met again: all stand at the start, and their history is kept"
    )
    assert comparison.timeline.event == 0 and in_step(comparison)
    reached = comparison.sessions[0].timeline.extent().live_end
    assert reached > 0
    comparison.seek(reached)
    assert comparison.timeline.event == reached and in_step(comparison)


def test_one_that_is_stopped_catching_up_holds_all_back(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, SLICE_SECONDS / 4)
    session = slow(clock)
    session.run(events=600)
    late = companion(session, "first-fit", kernel=False)
    late.use_engine(Timed(late.bench.reference, clock))
    told: list[str] = []
    monkeypatch.setattr("slotscope.model.running.waiting.PERIOD", -1.0)
    with waiting(told.append, lambda: len(told) >= 9):
        comparison = Comparison.of([session, late])
    assert told[0].startswith("First fit: catching up: ")
    assert in_step(comparison)
    assert 0 < comparison.timeline.event < 600


def test_a_slice_of_lanes_is_as_short_as_that_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, 0.3)
    comparison = Comparison.of([slow(clock), slow(clock, "first-fit")])
    before = comparison.timeline.event
    comparison.run(budget=0.004)
    assert comparison.timeline.event - before == 1


def test_lanes_at_which_nobody_looks_run_in_long_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch, SLICE_SECONDS / 40)
    comparison = Comparison.of([slow(clock), slow(clock, "first-fit")])
    for _ in range(10):
        clock.looks = [0]
        comparison.run(budget=3 * SLICE_SECONDS)
    assert 80 < clock.most <= 120


def test_an_event_after_a_slow_one_is_stopped_in_the_middle(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session.open("dra-classroom", "dra", kernel=False)
    monkeypatch.setattr("slotscope.model.running.engine.SLOW_EVENT", -1.0)  # all are slow
    session.run(events=20)
    before = digest(session.timeline.state)
    with stopping_after(0), pytest.raises(GivenUpError) as stopped:
        session.run(events=20)
    assert stopped.value.line == "stopped within event 21"
    assert digest(session.timeline.state) == before
    session.run(events=20)
    straight = ran("dra-classroom", "dra", events=40)
    assert digest(session.timeline.state) == digest(straight.timeline.state)


def test_the_first_event_is_told_and_stopped_in_the_middle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its duration is unknown beforehand: with many servers, half a minute."""
    session = Session.open("queues-classroom", "bf-js", kernel=False)
    before, told = digest(session.timeline.state), list[str]()
    monkeypatch.setattr("slotscope.model.running.engine.SLOW_EVENT", -1.0)  # all are slow
    monkeypatch.setattr("slotscope.model.running.waiting.PERIOD", -1.0)
    with waiting(told.append, lambda: len(told)), pytest.raises(GivenUpError) as stopped:
        session.run(events=20)
    assert told == ["Within event 1: 1 sub-steps so far (Esc stops it)"]
    assert stopped.value.line == "stopped within event 1"
    assert digest(session.timeline.state) == before


def test_a_slow_event_is_left_to_the_kernel_that_takes_over(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session.open("queues-classroom", "bf-js", kernel=False)
    monkeypatch.setattr("slotscope.model.running.engine.SLOW_EVENT", -1.0)  # all are slow
    ended: list[str] = []
    monkeypatch.setattr(engine, "_told_of", watched(engine._told_of, ended))

    def wishes() -> int:
        if len(ended) == 3:
            session.use_kernel()
        return 0

    with waiting(lambda _: None, wishes):
        session.run(events=40)
    assert ended == ["finished", "finished", "left"]
    straight = ran("queues-classroom", "bf-js", events=40)
    assert digest(session.timeline.state) == digest(straight.timeline.state)


def watched(happened: Callable[..., Any], ran: list[str]) -> Callable[..., Any]:
    """Record in *ran* for each event of the reference whether it was finished or left."""

    def happening(*arguments: Any) -> Any:
        ran.append("left")
        after = happened(*arguments)
        ran[-1] = "finished"
        return after

    return happening


def test_a_step_is_stopped_at_the_sub_step_it_has_reached() -> None:
    session = ran("dra-classroom", "dra", events=14)
    with stopping_after(0), pytest.raises(GivenUpError):
        session.step()
    assert (session.timeline.event, session.timeline.substep) == (14, 1)
    session.step()
    assert (session.timeline.event, session.timeline.substep) == (15, 0)


@pytest.mark.parametrize("to_take", [True, False])
def test_slices_end_where_states_are_kept_only_if_the_run_takes_them(to_take: bool) -> None:
    timeline = Session.open("dra-classroom").timeline
    every = timeline.engine.keyframe_every
    room = Slices(every // 3 * 2, clock=lambda: 0.0)
    stretches = timeline.onwards(timeline.fork_at(0), 5 * every, own=room, to_take=to_take)
    ends = np.cumsum([len(stretch.rows) for stretch in stretches])
    assert ends[-1] == 5 * every
    assert {every * kept for kept in range(1, 5)} <= {*ends.tolist()} if to_take else every not in ends
