"""Questions about what a user policy says and remembers, which work like all others."""

from __future__ import annotations

from pathlib import Path

import pytest

from slotscope.model.api import Session
from slotscope.model.comparison.companion import forked
from slotscope.model.forks.changes import Deviation
from slotscope.model.questions.asking import answers
from slotscope.model.questions.syntax import QuestionError
from slotscope.model.questions.tracks import Followed
from slotscope.model.questions.understanding import understood
from slotscope.model.running.engine import EventRun, started
from tests.runs import ran

EVENTS = 400
POLICY = """
from fractions import Fraction

from slotscope.model.kinds.reservation.policies.base import Admit, OwnPolicy, Reject, Remember, say


class Policy(OwnPolicy):
    title = "Counts"
    memory = 2

    def arrival(self, view, job):
        room = view.with_room(job.type)
        yield say("looked", room=len(room), whole=True, share=Fraction(len(room), 3))
        yield Remember(numbers=(view.memory[0] + len(room),))
        if len(room) > 2:
            yield say("looked_again", room=len(room) - 2)
            yield Admit(server=room[-1], values={"spare": len(room) - 1, "why": "there is room"})
        else:
            yield Reject()
"""


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    path: Path = tmp_path_factory.mktemp("own") / "counts.py"
    path.write_text(POLICY, encoding="utf-8")
    return ran("dra-classroom", policy=str(path), events=EVENTS)


def values(session: Session, text: str) -> list[float]:
    question = understood(text, session.info.words, truth=False)
    parts = answers(session.bench.system, session.timeline, [question], 0, EVENTS)
    return [float(value) for part in parts for value in part.values[0]]


def plain(session: Session, name: str) -> list[float]:
    """The last number of that name in each event's records, from a separate run."""
    system = session.bench.system
    state, found = started(system), []
    for _ in range(EVENTS):
        run = EventRun(system, state)
        run.finish()
        state = run.state
        said = [record.values[name] for record in run.records if name in record.values]
        found.append(float(said[-1]) if said else float("nan"))
    return found


@pytest.mark.parametrize("name", ["room", "share", "spare"])
@pytest.mark.slow
def test_what_was_said_is_the_last_number_of_that_name(session: Session, name: str) -> None:
    expected = plain(session, name)
    assert any(value == value for value in expected) and any(value != value for value in expected)
    assert repr(values(session, f"said[{name}]")) == repr(expected)
    assert repr(values(session, f"was said[{name}]")) == repr([float("nan"), *expected[:-1]])


@pytest.mark.slow
@pytest.mark.slow
def test_what_ought_to_hold_of_what_is_said_is_violated_only_where_it_was_said(session: Session) -> None:
    """At departures the policy says nothing, so they are no violation."""
    text = "said[room] >= 3 and said[room] < 6"
    session.tracks.want(Followed((), (text,)))
    session.tracks.search(60)
    said = plain(session, "room")
    wrong = [place + 1 for place, room in enumerate(said) if room < 3 or room >= 6]
    reading = session.frame().tracked.readings()[text]
    assert len(wrong) < len([room for room in said if room == room]) < EVENTS
    assert (reading.standing, reading.event) == ("violated", wrong[0])
    assert f"at {len(wrong)} events of {EVENTS}" in reading.sentence
    session.tracks.want(Followed())


def test_what_is_said_leaves_the_state_before_the_event_as_it_is(session: Session) -> None:
    event = "any server where filled > was filled"
    alone, beside = values(session, event), values(session, f"known(said[room]) and {event}")
    said = [room == room for room in plain(session, "room")]
    assert beside == [float(one and truth) for one, truth in zip(alone, said, strict=True)]
    assert any(beside)


def test_memory_is_a_field(session: Session) -> None:
    remembered = values(session, "memory[1]")
    gained = [0.0 if value != value else value for value in plain(session, "room")]
    assert remembered[-1] > 0 and remembered == sorted(remembered)
    assert remembered[-1] >= sum(gained)
    assert values(session, "memory[2]") == [0.0] * EVENTS


@pytest.mark.parametrize(
    ("kind", "scenario"),
    [("queue", "queues-classroom"), ("phases", "jrs-classroom"), ("moldable", "moldable-classroom")],
)
def test_memory_is_a_field_in_every_kind(tmp_path: Path, kind: str, scenario: str) -> None:
    template = Path(f"resources/policies/{kind}_template.py").read_text(encoding="utf-8")
    path = tmp_path / "remembers.py"
    text = template.replace("    # memory = 2", "    memory = 2").replace(" import ", " import Remember, ", 1)
    path.write_text(text.replace("yield say(", "yield Remember(start=1, numbers=(view.event,)); yield say("))
    session = Session.open(scenario, policy=str(path), kernel=False)
    question = understood("memory[2] changes", session.info.words)
    assert any(part.values[0].any() for part in answers(session.bench.system, session.timeline, [question], 0, 20))


def test_names_are_read_from_the_text(session: Session) -> None:
    texts = [word.text for word in session.info.words.all()]
    assert [text for text in texts if text.startswith("said")] == [
        "said[room]",
        "said[whole]",
        "said[share]",
        "said[spare]",
        "said[why]",
    ]
    assert fault("said[rom] > 1", session).endswith(
        "found 'rom', which the policy does not say; it says: room, whole, share, spare, why"
    )
    for text in ("said > 1", "said[6] > 1"):
        assert fault(text, session).endswith("allowed: said[room], said[whole], said[share], said[spare], said[why]")
    assert fault("said[room] > 1", Session.open("dra-classroom", kernel=False)).endswith(
        "found 'room', which the policy does not say; it says no values"
    )


def fault(text: str, session: Session) -> str:
    with pytest.raises(QuestionError) as found:
        understood(text, session.info.words)
    return found.value.line


def test_after_a_fork_to_a_policy_that_remembers_nothing_memory_is_missing(session: Session) -> None:
    """Expressions tracked in the original run are tracked in the fork, too, and must not fail there."""
    left = ran("dra-classroom", policy=session.origin.policy, events=40)
    fork = forked(left, Deviation(40, "first-fit", "", ""), left.compiled)
    fork.run(events=20)
    fork.tracks.want(Followed(("memory[1]",), ()))
    fork.tracks.search(60)
    tracked = fork.tracks.found()
    assert tracked is not None
    assert tracked.last == 60
    assert not tracked.fault


def test_a_question_that_holds_nowhere_tells_what_the_policy_never_says(session: Session) -> None:
    """A comparison with a missing number is always false, so no hits alone would look like an answer."""

    def missing(text: str) -> list[str]:
        session.questions.want(text)
        while session.questions.due:
            session.questions.search(0.01)
        asked = session.questions.found()
        assert asked is not None and not asked.fault and not asked.hits
        return [str(one) for one in asked.missing]

    told = "said[why] is missing: the policy says no number of that name in the first 400 events"
    assert missing("rejected and (said[ why ] > 3 or said[room] > 1000)") == [told]
    assert missing("said[room] > 1000") == missing("time < 0") == []
    session.questions.want("said[why] > 3 or said[room] > 0")
    while session.questions.due:
        session.questions.search(0.01)
    asked = session.questions.found()
    assert asked is not None and asked.hits and not asked.missing


def test_a_question_that_holds_nowhere_tells_that_its_number_is_beyond_all_values(session: Session) -> None:
    session.questions.want("type = 70 and said[room] > 1000")
    while session.questions.due:
        session.questions.search(0.01)
    asked = session.questions.found()
    assert asked is not None and not asked.fault and not asked.hits
    assert [str(one).rpartition(", so that ")[2] for one in asked.missing] == ["type = 70 holds nowhere"]
