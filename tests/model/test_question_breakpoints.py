"""A run stops just before an event that a question asks for, wherever slices end, and never runs past it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from slotscope.model.api import Session
from slotscope.model.comparison.companion import companion, forked
from slotscope.model.measures.monitors import Reading
from slotscope.model.questions.asking import answers
from slotscope.model.questions.breakpoints import Breakpoint, Breakpoints, WatchedLane
from slotscope.model.questions.syntax import QuestionError
from slotscope.model.questions.understanding import understood
from slotscope.model.questions.words import Words
from slotscope.model.running.engine import Reason
from tests.forking import at

#: Questions for each kind of system; some read rows, some samples, some the state.
ASKED = [
    ("dra-classroom", "rejected and servers_with_room >= 1"),
    ("dra-classroom", "rejected and any server where in_reject_group = 1 and empty > 0"),
    ("queues-vqs-unstable", "waiting > 30 becomes true"),
    ("jrs-two-phases", "overflowed and not was overflowed"),
    ("moldable-sublinear", "busy > 150 becomes true"),
]


def watching(scenario: str, *questions: str, kernel: bool = True) -> tuple[Session, Breakpoints]:
    session = Session.open(scenario, kernel=kernel)
    breakpoints = Breakpoints()
    breakpoints.watch(session.bench, session.timeline)
    for question in questions:
        breakpoints.add(question)
    return session, breakpoints


def go(session: Session, breakpoints: Breakpoints, last: int) -> int:
    """Run on as the window does; return the event after which the run stops."""
    breakpoints.begin()
    while session.timeline.event < last:
        room = breakpoints.room()
        left = last - session.timeline.event
        if session.run(events=left if room is None else min(left, room)) is Reason.END or breakpoints.told():
            break
    return session.timeline.event


@cache
def hits(scenario: str, question: str, last: int) -> list[int]:
    session = Session.open(scenario, kernel=False)
    asked = (understood(question, Words(session.bench.kind.vocabulary, session.bench.system)),)
    parts = answers(session.bench.system, session.timeline, asked, 0, last)
    return [event for part in parts for event in part.hits(0)["event"].tolist()]


@pytest.mark.parametrize(("scenario", "question"), ASKED)
@pytest.mark.slow
def test_every_hit_is_stopped_before_and_none_is_passed(scenario: str, question: str) -> None:
    last = 500
    expected = hits(scenario, question, last)
    assert expected
    # A hit at the next event does not stop the run, which is already just before it.
    stops, passed = [], 0
    for event in expected:
        if event > passed + 1:
            stops.append(event - 1)
            passed = event - 1
    session, breakpoints = watching(scenario, question, kernel=False)
    found = []
    while (here := go(session, breakpoints, last)) < last:
        found.append(here)
        assert session.timeline.live_end == here
        assert question in breakpoints.told()
    assert found == [stop for stop in stops if stop < last]


def test_numbers_and_questions_are_one_list() -> None:
    session, breakpoints = watching("dra-classroom", "1,000", "rejected")
    assert breakpoints.listed().events == (1000,)
    assert breakpoints.listed().questions == ("rejected",)
    first = hits("dra-classroom", "rejected", 1000)[0]
    assert go(session, breakpoints, 2000) == first - 1
    breakpoints.remove("rejected")
    assert go(session, breakpoints, 2000) == 999
    assert breakpoints.told() == "Breakpoint before event 1000."
    assert go(session, breakpoints, 2000) == 2000


def test_the_first_of_two_questions_stops_the_run() -> None:
    for questions in (("event = 30", "event = 31"), ("event = 31", "event = 30")):
        session, breakpoints = watching("dra-classroom", *questions)
        assert go(session, breakpoints, 1000) == 29
        assert breakpoints.told().endswith("event = 30")


def test_a_faulty_question_is_refused_and_changes_nothing() -> None:
    _, breakpoints = watching("dra-classroom", "rejected")
    with pytest.raises(QuestionError, match="rejected"):
        breakpoints.add("rejectd")
    assert breakpoints.listed().questions == ("rejected",)


def test_a_question_sleeps_in_a_run_that_has_no_such_thing() -> None:
    _, breakpoints = watching("dra-classroom", "rejected")
    other = Session.open("queues-vqs-unstable", kernel=False)
    breakpoints.watch(other.bench, other.timeline)
    assert breakpoints.listed().asleep == {"rejected"}
    assert breakpoints.room() is None
    again = Session.open("dra-classroom", kernel=False)
    breakpoints.watch(again.bench, again.timeline)
    assert not breakpoints.listed().asleep


def test_one_that_is_set_while_the_run_goes_counts_from_there() -> None:
    session, breakpoints = watching("dra-classroom")
    assert go(session, breakpoints, 500) == 500
    breakpoints.add("rejected")
    after = [event for event in hits("dra-classroom", "rejected", 2000) if event > 502]
    assert go(session, breakpoints, 2000) == after[0] - 1


@pytest.mark.slow
@pytest.mark.parametrize(("times", "last"), [(2, 200), (7, 500), (50, 1000)])
def test_a_run_stops_each_so_manieth_time_wherever_it_went_before(times: int, last: int) -> None:
    expected = hits("dra-classroom", "rejected", last)
    session, breakpoints = watching("dra-classroom", kernel=False)
    breakpoints.add("rejected", times)
    found = []
    while (here := go(session, breakpoints, last)) < last:
        found.append(here + 1)
        assert f"hit {times * len(found)}" in breakpoints.told()
        session.seek(max(0, here - 40))  # back, and forward again step by step: each hit counts once
        while session.timeline.event < here:
            session.step()
    assert found == [event for event in expected[times - 1 :: times] if event < last]


def test_times_are_counted_from_where_it_was_set() -> None:
    session, breakpoints = watching("dra-classroom")
    session.run(events=500)
    breakpoints.add("rejected", 3)
    later = [event for event in hits("dra-classroom", "rejected", 2000) if event > 500]
    assert go(session, breakpoints, 2000) == later[2] - 1
    assert breakpoints.listed().entries == (Breakpoint("rejected", 3, 500),)
    other = Session.open("dra-classroom", seed=2, kernel=False)
    breakpoints.watch(other.bench, other.timeline)
    assert breakpoints.listed().entries == (Breakpoint("rejected", 3, 0),)


def test_what_was_before_it_was_set_does_not_count_where_one_goes_back() -> None:
    session, breakpoints = watching("dra-classroom")
    session.run(events=500)
    breakpoints.add("rejected", 3)
    session.to_start()
    later = [event for event in hits("dra-classroom", "rejected", 2000) if event > 500]
    assert go(session, breakpoints, 2000) == later[2] - 1
    assert go(session, breakpoints, 2000) == later[5] - 1


def test_one_that_is_off_is_kept_and_stops_nothing() -> None:
    session, breakpoints = watching("dra-classroom", "700", "rejected")
    breakpoints.switch("rejected", False)
    assert breakpoints.active == {700}
    assert go(session, breakpoints, 2000) == 699
    breakpoints.switch(700, False)
    assert breakpoints.room() is None
    session.to_start()
    breakpoints.toggle(700)  # set again in the log's margin
    assert go(session, breakpoints, 2000) == 699
    breakpoints.toggle(700)
    assert breakpoints.listed().events == ()


def test_one_that_is_set_at_a_slow_pace_for_the_very_next_event_holds_nothing_up() -> None:
    session, breakpoints = watching("dra-classroom")
    first = hits("dra-classroom", "rejected", 2000)[0]
    session.run(events=first - 1)
    breakpoints.begin()  # no hit has been passed yet
    breakpoints.add("rejected")
    assert breakpoints.room() != 0


def test_monitors_are_in_the_list() -> None:
    session, breakpoints = watching("dra-classroom", "monitor capacity")
    with pytest.raises(QuestionError, match="found the monitor 'capacities', nearest: capacity"):
        breakpoints.add("monitor capacities")
    assert breakpoints.room() is None
    found = {one.name: Reading(one, "violated", 1, 3, "why") for one in session.bench.kind.monitors}
    known = [found["conservation"]]
    breakpoints.watch(session.bench, session.timeline, [WatchedLane(session.timeline, lambda: known)])
    session.run(events=3)
    assert not breakpoints.violated()
    known.append(found["capacity"])
    assert "Violated after event 3" in breakpoints.violated()
    breakpoints.switch("monitor capacity", False)
    assert not breakpoints.violated()


def test_a_session_keeps_them_all(tmp_path: Path) -> None:
    path = tmp_path / "run.slotscope"
    session, breakpoints = watching("dra-classroom", "1000", "rejected", "monitor capacity")
    session.run(events=300)
    breakpoints.add("admitted", 12)
    breakpoints.switch("rejected", False)
    session.breakpoints = kept = breakpoints.listed().entries
    session.save(path)
    again = Session.load(path, kernel=False)
    assert again.breakpoints == kept
    again.save(tmp_path / "again.slotscope")
    assert Session.load(tmp_path / "again.slotscope", kernel=False).breakpoints == kept
    fresh = Breakpoints()
    fresh.watch(again.bench, again.timeline)
    fresh.restore(again.breakpoints)
    assert fresh.listed() == breakpoints.listed()
    assert go(again, fresh, 1000) == go(session, breakpoints, 1000)
    later = [event for event in hits("dra-classroom", "admitted", 1000) if event > 300]
    assert again.timeline.event == later[11] - 1


def test_hits_go_on_being_counted_beside_a_fork_and_anew_in_another_run() -> None:
    session, breakpoints = watching("dra-classroom")
    session.run(events=300)
    breakpoints.add("rejected", 5)
    session.run(events=20)
    beside = companion(session, session.origin.policy, session.compiled)
    breakpoints.watch(beside.bench, beside.timeline)
    assert [one.since for one in breakpoints.listed().entries] == [300]
    for other in (forked(session, at(320, policy="first-fit"), session.compiled), session):  # to a fork and back
        breakpoints.watch(other.bench, other.timeline)
        assert [one.since for one in breakpoints.listed().entries] == [300]
    for other, events in ((Session.open("dra-classroom"), 200), (Session.open("dra-classroom", seed=3), 400)):
        breakpoints.watch(session.bench, session.timeline)
        breakpoints.add("rejected", 5)
        other.run(events=events)
        breakpoints.watch(other.bench, other.timeline)
        assert [one.since for one in breakpoints.listed().entries] == [0]


def test_those_of_a_file_that_its_run_does_not_understand_sleep(tmp_path: Path) -> None:
    path = tmp_path / "run.slotscope"
    session = Session.open("dra-classroom", kernel=False)
    session.breakpoints = (Breakpoint("no such thing ("), Breakpoint("monitor nothing"))
    session.save(path)
    again = Session.load(path, kernel=False)
    breakpoints = Breakpoints()
    breakpoints.watch(again.bench, again.timeline)
    breakpoints.restore(again.breakpoints)
    assert breakpoints.listed().asleep == {"no such thing (", "monitor nothing"}
    assert breakpoints.room() is None
