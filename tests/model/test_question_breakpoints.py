"""A run stops just before what was asked for, wherever its slices end, and never runs past it."""

from __future__ import annotations

import pytest

from slotscope.model.api import Session
from slotscope.model.engine import Reason
from slotscope.model.questions.asking import answers
from slotscope.model.questions.breakpoints import Breakpoints
from slotscope.model.questions.meaning import understood
from slotscope.model.questions.syntax import QuestionError
from slotscope.model.questions.words import Words

#: A question for each kind of system; some read rows, some samples, some the state.
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
    """Run on as the window does; the event that the run stands after."""
    breakpoints.begin()
    while session.timeline.event < last:
        room = breakpoints.room()
        left = last - session.timeline.event
        if session.run(events=left if room is None else min(left, room)) is Reason.END or breakpoints.told():
            break
    return session.timeline.event


def hits(scenario: str, question: str, last: int) -> list[int]:
    session = Session.open(scenario, kernel=False)
    asked = (understood(question, Words(session.bench.kind.vocabulary, session.bench.system)),)
    parts = answers(session.bench.system, session.timeline, asked, 0, last)
    return [event for part in parts for event in part.hits(0)["event"].tolist()]


@pytest.mark.parametrize(("scenario", "question"), ASKED)
def test_every_hit_is_stopped_before_and_none_is_passed(scenario: str, question: str) -> None:
    last = 3000
    expected = hits(scenario, question, last)
    assert expected
    # A hit at the very next event is passed over: the run stands before it already.
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
