"""Questions about things, answered from the changes that events make: the same answers as from each state."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import cycle
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from slotscope.model.api import Session
from slotscope.model.kinds.reservation.ranking import RANKS
from slotscope.model.kinds.rooms import ROOMS
from slotscope.model.questions import asking, looking, versions
from slotscope.model.questions.asking import answers, make_ready
from slotscope.model.questions.changes import StateLook
from slotscope.model.questions.meaning import Question
from slotscope.model.questions.syntax import QuestionError
from slotscope.model.questions.understanding import understood
from slotscope.model.questions.words import Words
from slotscope.model.running.engine import Task, started
from slotscope.model.systems import compiled, watching
from slotscope.model.systems.state import digest
from tests.random_questions import TwoClauses

SCENARIOS = {"dra-classroom": 3, "queues-classroom": 3, "jrs-classroom": 6, "moldable-classroom": 5}
EVENTS = 400


def asked(session: Session, question: Question, events: int = EVENTS) -> np.ndarray:
    return all_asked(session, [question], events)[0]


def all_asked(session: Session, questions: list[Question], events: int) -> list[np.ndarray]:
    """The answers to each question, from one pass over the events."""
    found = answers(session.bench.system, session.timeline, questions, 0, events)
    return [np.concatenate(parts) for parts in zip(*([*map(np.copy, part.values)] for part in found), strict=True)]


def ready(session: Session, text: str) -> Question:
    """A question whose compiled code is ready, so that runs record changes for it."""
    question = understood(text, session.info.words)
    make_ready(session.bench, session.timeline, [question])
    return question


def compared(session: Session, texts: dict[str, Question], events: int = EVENTS) -> list[np.ndarray]:
    """The answers to each question from changes, each in a pass of its own; checked against those from each state.

    Compiled code must be ready: without it both passes would read the states.
    """
    make_ready(session.bench, session.timeline, [*texts.values()])
    assert session.timeline.engine.watches
    with patch.object(asking, "SECONDS", 10.0):  # else many questions make for slices of one event
        expected = all_asked(session, [by_looking(question) for question in texts.values()], events)
    found = [asked(session, question, events) for question in texts.values()]
    for text, one, other in zip(texts, found, expected, strict=True):
        assert np.array_equal(one, other), text
    return found


def by_looking(question: Question) -> Question:
    """The same question, answered from each state."""
    return replace_looks(question, [StateLook(look.read) for look in question.looks])


def replace_looks(question: Question, looks: list[StateLook]) -> Question:
    other = replace(question)
    other.part, other.looks = question.part, looks
    return other


def questions(session: Session, number: random.Random, most: int) -> list[str]:
    """A question about each field of each thing, with likely values, at all events or at a few."""
    words, found = session.info.words, []
    for thing, fields in words.of_thing.items():
        for name, field in fields.items():
            member = f"[{number.randint(1, len(words.dimensions[field.index]))}]" if field.index else ""
            value = number.choice((0, 1, 2, 3, 5, 40))
            sign = number.choice("<=>")
            at = number.choice(("", "event % 3 = 0 and ", "event % 40 = 7 and "))
            found.append(f"{at}(count {thing} where {name}{member} {sign} {value} or {name}{member} = 1) % 3 != 0")
            if words.things[thing].there is None:
                found.append(f"{thing} {number.randint(1, most)} . {name}{member} changes")
    return found


def test_nothing_is_compiled_for_who_has_not_asked_for_that(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session.open("dra-classroom")
    question = understood("rejected and any server where empty > 0", session.info.words)
    with monkeypatch.context() as patched:
        patched.setattr(compiled, "at_hand", lambda _: False)
        patched.setattr(compiled, "watched", lambda *_: lambda *_: pytest.fail("it is called, and so compiled"))
        found = asked(session, question)
    session = Session.open("dra-classroom")
    make_ready(session.bench, session.timeline, [question])
    assert session.timeline.engine.watches
    assert found.any() and (found == asked(session, question)).all()


@pytest.mark.parametrize("policy", sorted(ROOMS["reservation"].policies))
def test_ranks_under_each_policy_are_those_of_each_state(policy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled code updates them, whatever the policy does to configurations, stamps and CRA's solution."""
    monkeypatch.setattr(Words, "has", lambda *_: True)
    session, number = Session.open("dra-classroom", policy), random.randint(1, 7)
    print("number", number)
    numbers = ("rank = 1", "rank = 2", "index = 2", "in_reject_group = 1", f"rank = {number} and index = {number}")
    texts = (f"(count server where {each}) % 2 = 1" for each in numbers)
    compared(session, {text: understood(text, session.info.words) for text in texts})
    assert asked(session, understood("any server where index = 2", session.info.words)).any()


def test_a_server_that_begins_or_ends_a_job_has_another_one() -> None:
    session = Session.open("moldable-classroom")
    for text, other in (
        ("server 7 . job changes", "server 7 . busy changes"),
        ("any server where job changes", "admitted or departed"),
        ("any server where job changes and known(job)", "admitted"),
    ):
        found, expected = (asked(session, understood(each, session.info.words)) for each in (text, other))
        assert np.array_equal(found, expected), text
        assert found.any()


@pytest.mark.parametrize("told", [False, True])
@pytest.mark.parametrize(("scenario", "servers"), SCENARIOS.items())
def test_changes_answer_as_states_do(scenario: str, servers: int, told: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if changes are recorded at each event, as in large systems."""
    if told:
        monkeypatch.setattr(watching, "BYTES_FOR_AN_EVENT", -1)
    monkeypatch.setattr(looking, "MOST_BYTES", 4000)  # so that states are read in many batches
    seed = random.randrange(2**32)
    print("seed", seed)
    session = Session.open(scenario)
    texts = {text: understood(text, session.info.words) for text in questions(session, random.Random(seed), servers)}
    alone = {text: question for text, question in texts.items() if question.looks[0].of_things is not None}
    compared(session, alone)
    assert len(alone) > 5


def mixed(session: Session, number: random.Random) -> list[str]:
    """For each field of each thing a question that compares it with the event and the state, now and before."""
    words, found = session.info.words, []
    own = {name: field for name, field in words.fields.items() if not field.index and name != "said"}
    for thing, fields in words.of_thing.items():
        for name, field in fields.items():
            one = f"{name}[{number.randint(1, len(words.dimensions[field.index]))}]" if field.index else name
            other, another = number.choice(list(own)), number.choice(list(own))
            at = number.choice(("", "event % 3 = 0 and ", "event % 40 = 7 and ", "was "))
            found += [
                f"{at}((count {thing} where {one} {number.choice('<=>')} {other}) % 2 = 1)",
                f"{at}(any {thing} where {one} > {other} % 3 and {one} < {another})",
                f"{at}((count {thing} where was {one} <= {other} and {one} + 1 > was {another} % 4) % 2 = 1)",
                f"{at}((count {thing} where {one} > {other} becomes true) % 2 = 1)",
                f"{at}((count {thing} where {one} * {other} > max({another}, {one})) % 2 = 1)",
                f"{at}((count {thing} where {one} > 0 and not {another} - {one} > 2 - {other}) % 2 = 1)",
                f"{at}(any {thing} where {number.choice(list(words.happenings))} and {one} = 1)",
                f"{at}((count {thing} where {one} changes or {one} + 1 > was {another} % 4) % 2 = 1)",
                f"{at}(any {thing} where was {one} < {other} % 4 or {one} > {another} becomes true)",
                f"{at}(any {thing} where not was {one} > 1 and {one} in (2, {other}, {another} % 3))",
                f"{at}((count {thing} where {one} % {other} < 2 and not {one} - {another} changes) % 2 = 1)",
                f"{at}(any {thing} where was min({one}, {other}) < {one} / {another} or abs({one} - {other}) < 2)",
                f"{at}(any {thing} where was {other} > 2 or {other} changes and known({another}))",
                f"{at}((count {thing} where {other} > {another} becomes true) != was {other})",
                f"{thing} {number.randint(1, 30)} . {one} {at and 'changes'}{'' if at else f'> {other}'}",
            ]
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("scenario", "events"), [("jrs-two-phases", 1200), *((name, EVENTS) for name in SCENARIOS)])
def test_things_are_compared_with_the_event_as_states_do(
    scenario: str, events: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also with few states at a time, and when the table of jobs grows."""
    monkeypatch.setattr(looking, "MOST_BYTES", 4000)
    seed = random.randrange(2**32)
    print("seed", seed)
    session, known = Session.open(scenario), {}
    for text in mixed(session, random.Random(seed)):
        try:
            question = understood(text, session.info.words)
        except QuestionError:  # no thing of that number, or named values compared with others
            continue
        if all(look.of_things is not None for look in question.looks):
            known[text] = question
    assert len(known) >= 20
    assert sum(found.any() for found in compared(session, known, events)) > len(known) / 4


def test_of_a_thing_that_changes_at_each_event_each_way_that_it_was_is_read_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Reading all versions at each event would take time and memory quadratic in a slice's length."""
    session, found = Session.open("queues-vqs-unstable"), []
    question = ready(session, "any server where max(last_departure, time % 1) > time - 0.5")
    counted = versions.counted_by_event
    monkeypatch.setattr(versions, "counted_by_event", lambda *given: (found.append(given[1].own), counted(*given))[1])
    assert asked(session, question, 20_000).any()
    assert sum(own.size for own in found) <= 5 * 20_000


@pytest.mark.parametrize("policy", sorted(ROOMS["moldable"].policies))
def test_the_jobs_of_servers_under_each_policy_are_those_of_each_state(policy: str) -> None:
    """At each event, and at a few, between which a record may be reused for another job."""
    session, number = Session.open("moldable-classroom", policy), random.randint(1, 30)
    print("number", number)
    often = ("(count server where job % 3 = 1) % 2 = 1", f"any server where job = {number}", "server 2 . job > 9")
    words = session.info.words
    texts = {at + text: understood(at + text, words) for at in ("", "event % 40 = 7 and ") for text in often}
    for text, found in zip(texts, compared(session, texts), strict=True):
        assert found.any() or "job = " in text


#: Questions of two clauses about things, numbers of the event and of the state.
TWO_CLAUSES = (
    ("dra-classroom", "any server where jobs[1] > 0 and jobs[1] < was Y[1] and type = 1"),
    ("dra-classroom", "any server where jobs[1] = greedy_servers[1]"),
    ("dra-classroom", "(any server where empty > 1) and any job where server = 2"),
    ("dra-classroom", "any server where rank = 2 and empty < Y[1]"),
    ("queues-classroom", "any server where used[1] < 0.5 and jobs >= idle"),
    ("queues-classroom", "(any job where arrival < time - 3) and any server where jobs > waiting"),
    ("jrs-classroom", "any server where all_jobs < tokens[1] or all_tokens > backup_jobs"),
    ("moldable-classroom", "any job where leaves < time + 1 and width > X[1]"),
    ("moldable-classroom", "job 12 . width = width and known(job 12 . leaves)"),
)


@pytest.mark.parametrize(("scenario", "text"), TWO_CLAUSES)
def test_no_state_is_looked_at_alone(scenario: str, text: str) -> None:
    session = Session.open(scenario)
    question = ready(session, text)
    stops: list[int] = []
    counted = [StateLook(lambda t, r=look.read: (stops.append(1), r(t))[1], look.of_things) for look in question.looks]
    found = asked(session, replace_looks(question, counted))
    assert len(stops) <= question.depth * len(question.looks)  # of the state at the start
    assert found.any()
    assert np.array_equal(found, asked(session, by_looking(question)))


def pairs(session: Session, number: random.Random) -> list[str]:
    """For each field of each thing a question that compares it with the event before, at all events or at a few."""
    words, found = session.info.words, []
    for thing, fields in words.of_thing.items():
        for name, field in fields.items():
            member = f"[{number.randint(1, len(words.dimensions[field.index]))}]" if field.index else ""
            one = f"{name}{member}"
            kinds = (f"{one} changes", f"{one} > 1 becomes true", f"{one} < 3 becomes false", f"was {one} >= {one}")
            at = number.choice(("", "event % 3 = 0 and ", "event % 40 = 7 and ", "was "))
            found += [f"{at}((count {thing} where {kind}) % 2 = 1)" for kind in kinds]
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("scenario", "events"), [("jrs-two-phases", 1200), *((name, EVENTS) for name in SCENARIOS)])
def test_changes_say_what_an_event_did_to_each_thing(
    scenario: str, events: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when a job takes the place of one that left, and when the table of jobs grows."""
    monkeypatch.setattr(looking, "MOST_BYTES", 4000)
    seed = random.randrange(2**32)
    print("seed", seed)
    session = Session.open(scenario)
    texts = {text: understood(text, session.info.words) for text in pairs(session, random.Random(seed))}
    known = {text: question for text, question in texts.items() if question.looks[0].of_things is not None}
    assert len(known) >= 8
    assert sum(found.any() for found in compared(session, known, events)) > len(known) / 3


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["jrs-two-phases", *SCENARIOS])
def test_random_questions_of_two_clauses_find_what_looks_find(scenario: str) -> None:
    seed = random.randrange(2**32)
    print("seed", seed)
    session = Session.open(scenario)
    drawn = TwoClauses(session.info.words, random.Random(seed))
    texts = {text: understood(text, session.info.words) for text in (drawn.question() for _ in range(30))}
    compared(session, {text: question for text, question in texts.items() if question.looks})


OF_THE_STATE = (
    ("dra-classroom", "dra", "greedy_servers[1] + greedy_servers[2] changes"),
    ("queues-classroom", "vqs", "idle > 0"),
    ("moldable-classroom", "greedy-p", "X[2] + below_i1[1] > 1"),
)


@pytest.mark.parametrize(("scenario", "policy", "text"), OF_THE_STATE)
@pytest.mark.parametrize("at", ["", "event % 7 = 3 and "])
def test_numbers_of_the_state_are_read_from_many_at_once(scenario: str, policy: str, text: str, at: str) -> None:
    session = Session.open(scenario, policy)
    question = understood(at + text, session.info.words)
    looks: list[int] = []
    counted = [StateLook(lambda t, r=look.read: (looks.append(1), r(t))[1], look.of_things) for look in question.looks]
    make_ready(session.bench, session.timeline, [question])
    found = asked(session, replace_looks(question, counted))
    assert len(looks) <= question.depth * len(question.looks)  # of the state at the start
    assert np.array_equal(found, asked(session, by_looking(question)))
    assert found.any()


def test_changes_are_read_across_slices_and_where_the_state_grows() -> None:
    """The table of jobs starts with few rows, so it must grow."""
    session = Session.open("jrs-two-phases")
    question = understood("(count job where moves > 0) > 20 becomes true", session.info.words)
    places = [len(session.timeline.state.job_number)]
    found = asked(session, question, 3000)
    session.run(events=3000)
    places.append(len(session.timeline.state.job_number))
    assert places[1] > places[0]
    assert np.array_equal(found, asked(session, by_looking(question), 3000))
    assert found.any()


@pytest.mark.parametrize("at", ["", "rejected and ", "event % 40 = 7 and was "])
def test_changes_are_told_across_a_forced_decision_and_where_rules_change(at: str) -> None:
    session = Session.open("dra-classroom", policy="dra@30:reject@200=first-fit")
    text = "((count server where jobs[1] + jobs[2] + jobs[3] > 0) + (count server where rank = 1 or index = 2)) % 2 = 1"
    question = understood(at + text, session.info.words)
    found = asked(session, question)
    assert np.array_equal(found, asked(session, by_looking(question)))
    assert found.any()


def test_many_events_that_are_open_and_few_take_turns() -> None:
    """A slice with few open events is run again; with many, its first run records the changes."""
    session = Session.open("dra-classroom")
    text = "(event < 900 and event % 50 = 0 or event > 1700) and (count server where empty > 0) % 2 = 0"
    question = understood(text, session.info.words)
    found = asked(session, question, 3000)
    assert np.array_equal(found, asked(session, by_looking(question), 3000))
    assert found[:900].any()
    assert found[1700:].any()


def test_events_at_which_the_rest_says_it_all_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the rest is false beside ``and``, or true beside ``or``."""
    session, events = Session.open("dra-classroom"), list[int]()
    again = looking.StateLooks._again

    def recorded(self: Any, state: Any, rows: np.ndarray, *told: Any) -> Any:
        events.extend(rows["event"].tolist())
        return again(self, state, rows, *told)

    monkeypatch.setattr(looking.StateLooks, "_again", recorded)
    monkeypatch.setattr(asking, "SECONDS", 10.0)
    anything = "any server where empty > 3 and jobs[1] > 0"
    for text in (f"event % 10 = 3 and ({anything})", f"event % 10 != 3 or ({anything})"):
        asked(session, ready(session, text))
        assert events, text
        assert {event % 10 for event in events} == {3}, text
        events.clear()
        compared(session, {text: understood(text, session.info.words)})
        events.clear()


@pytest.mark.parametrize(
    ("text", "always"),
    [
        ("(count server where empty > 1) >= 0", True),
        ("0 <= (count job where server > 2)", True),
        ("(count server where empty > 1 and rejected) < 8", True),
        ("(count server where empty > 1) != 8", True),
        ("(count server where empty > 1) > 7", False),
        ("not (count job where server > 2) = -1", None),  # whether a number is negative is not known
        ("(count job where server > 2) < 0", False),
        ("was (count server where empty > 1) >= 0", None),  # the next slice reads the last event
    ],
)
def test_numbers_of_things_that_can_be_no_other_are_not_counted(
    text: str, always: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Session.open("dra-classroom")
    question = ready(session, text)
    found = asked(session, question)
    assert found.tolist() == asked(session, by_looking(question)).tolist()
    assert always is None or (found == always).all()
    looks = set[int]()
    monkeypatch.setattr(
        looking, "column_of", lambda look, *told: looks.add(id(look)) or versions.column_of(look, *told)
    )
    asked(session, question)
    assert len(looks) == (always is None)
    both = ready(session, f"(any server where empty = 1) and ({text})")
    looks.clear()
    asked(session, both)
    assert len(looks) <= 1 + (always is None)
    assert always is not None or len(looks) > 1


@pytest.mark.parametrize("scenario", ["dra-classroom", "moldable-classroom"])
@pytest.mark.parametrize("busy", [(False,), (True,), (True, True, False)])
def test_changes_are_told_while_events_run_or_left_to_who_looks(
    scenario: str, busy: tuple[bool, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both ways give the same answers; which one is taken depends on whether the evaluating threads are busy."""
    own, look = asking._Asker._watch_to_tell, looking.StateLooks._look_at_changes
    session, told, turns = Session.open(scenario), list[bool](), cycle(busy)

    def to_tell(self: Any) -> int | None:
        return own(self) if next(turns) else None

    def looked(self: Any, *given: Any) -> bool:
        told.append(given[-1])
        return look(self, *given)

    monkeypatch.setattr(asking, "SECONDS", 1e-6)  # for many slices, however fast the machine
    monkeypatch.setattr(asking._Asker, "_watch_to_tell", to_tell)
    monkeypatch.setattr(looking.StateLooks, "_look_at_changes", looked)
    field = "empty > 1" if scenario == "dra-classroom" else "busy = 1"
    text = f"((count server where {field}) + (count job where since > time - 5)) % 2 = 1"
    found = compared(session, {text: understood(text, session.info.words)})
    assert found[0].any()
    assert False in told
    assert (True in told) == any(busy)


@pytest.mark.parametrize("text", ["empty > 0", "rank = 1 and empty > 0"])
def test_nothing_is_looked_up_where_changes_say_it_all(text: str) -> None:
    session = Session.open("dra-classroom")
    question = understood(f"rejected and any server where {text}", session.info.words)
    looks: list[int] = []
    (look,) = question.looks
    counted = StateLook(lambda table: (looks.append(1), look.read(table))[1], look.of_things)
    asked(session, replace_looks(question, [counted]))
    assert not looks


def test_two_states_run_in_turn_on_one_engine_and_each_keeps_its_index(monkeypatch: pytest.MonkeyPatch) -> None:
    """The run's state, and the copy on which questions are evaluated."""
    session = Session.open("dra-classroom")
    engine, system, tape = session.bench.kernel(), session.bench.system, np.zeros(7, session.bench.system.row_dtype)
    built: list[int] = []
    build = engine.build
    monkeypatch.setattr(engine, "build", lambda state: (built.append(1), build(state))[1])
    first, second = started(system), started(system)
    for _ in range(20):
        first, second = (engine.advance(state, tape, Task()).state for state in (first, second))
    assert digest(first) == digest(second)
    assert len(built) < 20  # once each, and when GPA's best is needed, or the state grows


def test_a_slice_ends_at_its_last_event_however_much_changes() -> None:
    """If many changes ended slices early, the rest up to the next keyframe would run in many short slices."""
    session = Session.open("dra-vms")
    engine, state = session.bench.kernel(), started(session.bench.system)
    tape, task, most = np.zeros(64, session.bench.system.row_dtype), Task(watch=("index",), derived=RANKS), 0
    for _ in range(300):
        result = engine.advance(state, tape, task)
        assert result.rows == len(tape)
        state, most = result.state, max(most, len(result.changes.event))
    assert most > 4 * len(tape) + 2 * session.bench.numbers.servers
