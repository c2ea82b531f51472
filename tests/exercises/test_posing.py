"""Questions are graded by the reference: the policy's decision is right, one that violates a line is wrong."""

from __future__ import annotations

import re
from functools import cache
from typing import Iterator

import numpy as np
import pytest

from slotscope.gui.panel import EVERYTHING
from slotscope.gui.panels import panels_of
from slotscope.model.api import Session
from slotscope.model.comparison.comparison import Comparison
from slotscope.model.errors import UserError
from slotscope.model.exercises.deciding import asks_of
from slotscope.model.exercises.exercise import ask_here, next_exercise
from slotscope.model.exercises.posed import NONE, Posed, counted_answers, read_counts, verdict
from slotscope.model.exercises.posing import pose
from slotscope.model.exercises.question import QuizQuestion
from slotscope.model.kinds.rooms import ROOMS
from slotscope.model.kinds.spec import KINDS
from slotscope.model.reporting.records import ARRIVAL, DEPARTURE

SEEDS = (1, 2, 3)

#: For each question about a decision: a scenario and policy in which it comes up.
WHERE = (
    ("server", "dra-classroom", "dra"),
    ("server", "dra-classroom", "best-fit"),
    ("server", "dra-classroom", "power-of-d"),
    ("server", "queues-classroom", "bf-js"),
    ("server", "queues-classroom", "vqs"),
    ("server", "jrs-classroom", "jrs"),
    ("server", "jrs-classroom", "best-fit"),
    ("migration", "dra-classroom", "dra"),
    ("configuration", "dra-classroom", "dra"),
    ("configuration", "queues-classroom", "max-weight"),
    ("ranks", "dra-classroom", "dra"),
    ("job", "queues-classroom", "bf-s"),
    ("job", "queues-classroom", "vqs-bf"),
    ("token", "jrs-classroom", "jrs"),
    ("servers", "moldable-classroom", None),
    ("value:i_star", "dra-classroom", "dra"),
    ("value:jobs_left", "dra-classroom", "dra"),
    ("value:weight", "queues-classroom", "vqs"),
    ("value:most_free", "queues-classroom", "fifo-ff"),
    ("value:count", "jrs-classroom", "jrs"),
    ("value:request", "moldable-classroom", None),
)


def question_of(text: str) -> QuizQuestion:
    ask, _, of = text.partition(":")
    return QuizQuestion.model_validate({"ask": ask, "of": of})


@pytest.mark.parametrize(
    ("scenario", "policy", "told"),
    [
        ("jrs-classroom", "jrs", "tokens_of_type"),
        ("jrs-classroom", "first-fit", "fitting"),
        ("dra-classroom", "first-fit", "servers_scanned"),
        ("dra-classroom", "power-of-d", "sampled_with_room"),
    ],
)
def test_no_substep_tells_beforehand_whether_a_server_can_be_taken(scenario: str, policy: str, told: str) -> None:
    session, asked = Session.open(scenario, policy, kernel=False), 0
    for _ in range(60):
        made = ask_here(session, frozenset({"server"}))
        if made is not None:
            session.seek(made.event, made.posed.place)
            assert told not in {record.kind for record in session.timeline.records}
            session.step_into()
            asked += told in {record.kind for record in session.timeline.records}
        session.step()
    assert asked


def test_beside_others_a_question_says_whose_decision_it_is_about() -> None:
    alone = Session.open("dra-classroom", "first-fit", kernel=False)
    run = Comparison.beside(Session.open("dra-classroom", kernel=False), ("first-fit",), kernel=False)
    question = question_of("server")
    assert pose(run, question, 1).words == f"Under First fit: {pose(alone, question).words}"
    assert pose(run, question, 0).words.startswith("Under DRA: The ")
    written = question.model_copy(update={"text": "Who takes it?"})
    assert pose(run, written, 1).words == "Who takes it?"


@cache
def opened(scenario: str, policy: str | None, seed: int) -> Session:
    return Session.open(scenario, policy, seed, kernel=False)


def some_of(session: Session, question: QuizQuestion, events: int = 30, most: int = 6) -> Iterator[tuple[int, Posed]]:
    """Events at which the question can be posed with more than one answer, each with the posed question."""
    found = 0
    for event in range(events):
        session.seek(event)
        try:
            posed = pose(session, question)
        except UserError:
            continue
        if not (posed.effort and others(posed)):
            continue
        yield event, posed
        found += 1
        if found == most:
            return


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("asked", "scenario", "policy"), WHERE)
def test_what_the_policy_does_is_right_and_something_else_is_wrong(
    asked: str, scenario: str, policy: str | None, seed: int
) -> None:
    session, question, wrong = opened(scenario, policy, seed), question_of(asked), 0
    for event, posed in some_of(session, question, 120):
        assert verdict(posed, posed.taken).right, (event, posed.words)
        assert posed.read(posed.read(posed.taken)) == posed.read(posed.taken)
        for answer in others(posed):
            told = verdict(posed, answer)
            wrong += not told.right
            assert told.right or posed.taken in told.text
            assert f"it is {posed.taken}:" not in told.text, "what is right is said at the end"
        if posed.ask == "value":  # the question must name its server or job
            coming = session.timeline.next_event
            assert coming is not None
            assert session.info.narrator.event(coming) in f"{posed.words[:1].lower()}{posed.words[1:]}"
            assert told.right or bool(posed.alike) is ("leaves a choice" in told.text)
        if posed.decided:
            session.seek(event, posed.decided)
            assert len(session.timeline.records) == posed.decided > posed.place
    assert wrong, "no answer was ever wrong"


def others(posed: Posed) -> list[str]:
    """Possible answers, some of them wrong."""
    if posed.options:
        return list(posed.options)
    if posed.taken.startswith("("):
        return (
            [posed.taken.replace("(", "(1", 1)] if posed.ask == "value" else re.findall(r"\([\d, ]+\)", posed.allowed)
        )
    if posed.ask == "ranks":
        return [" ".join(reversed(posed.taken.split()))]
    if posed.ask in {"value", "servers"}:
        return ["0", "1"]
    pointed = [posed.pointed(number) for number in range(200) if posed.pointed(number)]
    return pointed if len(pointed) > 1 else []


def test_every_question_about_a_decision_is_tried() -> None:
    asked = {(asked.partition(":")[0], scenario.split("-")[0]) for asked, scenario, _ in WHERE}
    names = {"reservation": "dra", "queue": "queues", "phases": "jrs", "moldable": "moldable"}
    for system in KINDS:
        assert {(ask, names[system]) for ask in asks_of(system).poses} <= asked
        assert ROOMS[system].asks


@pytest.mark.parametrize("seed", SEEDS)
def test_a_server_is_right_exactly_where_the_paper_lets_the_job_go(seed: int) -> None:
    """Algorithm 2, lines 18 and 19, evaluated independently on the view of the system."""
    session = opened("dra-classroom", "dra", seed)
    tried = 0
    for event, posed in some_of(session, QuizQuestion(ask="server"), 60, 40):
        session.seek(event, posed.place)
        state, job_type = session.timeline.shown_state, session.timeline.event_in_the_making.type
        view = session.frame().derived
        empty = state.configuration[:, job_type] > state.placement[:, job_type]
        legal = {str(server + 1) for server in np.flatnonzero(empty & ~view.reject_group)} or {NONE}
        right = {answer for answer in posed.options if verdict(posed, answer).right}
        assert right == legal, event
        tried += len(legal) > 1
    assert tried, "the paper left no choice anywhere"


@pytest.mark.parametrize("seed", SEEDS)
def test_a_migration_is_right_from_a_server_of_highest_rank(seed: int) -> None:
    session = opened("dra-classroom", "dra", seed)
    for event, posed in some_of(session, QuizQuestion(ask="migration"), 60, 40):
        session.seek(event, posed.place)
        coming, state, groups = session.timeline.event_in_the_making, session.timeline.shown_state, None
        groups = session.frame().derived
        assert coming.kind == DEPARTURE
        holders = np.flatnonzero(groups.reject_group & (state.placement[:, coming.type] > 0))
        if groups.reject_group[coming.server] or not len(holders):
            legal = {NONE}
        else:
            best = groups.rank[holders].max()
            legal = {str(server + 1) for server in holders if groups.rank[server] == best}
        assert {answer for answer in posed.options if verdict(posed, answer).right} == legal


def test_a_question_that_cannot_be_put_says_why() -> None:
    session = opened("dra-classroom", "dra", 171)
    session.seek(14)
    assert session.timeline.next_event.kind != ARRIVAL
    for given, told in (
        ({"ask": "server"}, "nothing of this is decided in the rest of event 15"),
        ({"ask": "token"}, "question.ask: found 'token', allowed in this kind of system: server, migration"),
        ({"ask": "value", "of": "nothing"}, "question.of: found 'nothing', allowed: count, held"),
    ):
        with pytest.raises(UserError) as caught:
            pose(session, QuizQuestion.model_validate(given))
        assert told in caught.value.line
    session.seek(17)
    posed = pose(session, QuizQuestion(ask="server", text="Who?"))
    assert posed.words == "Who?"
    for text in ("", "0", "8", "server", "1 2"):
        with pytest.raises(UserError, match="allowed: the number of a server"):
            verdict(posed, text)
    assert not verdict(posed, " Server 7 ").right and verdict(posed, "NONE").right


def test_a_class_is_counted_beside_the_right_answer() -> None:
    session = opened("dra-classroom", "dra", 171)
    session.seek(17)
    posed = pose(session, QuizQuestion(ask="server"))
    counts = read_counts(posed, "server 7 = 3; none = 9; ")
    assert counted_answers(posed, counts) == "✓ none: 9 (75%) · ✗ 7: 3 (25%)"
    for text in ("7", "7 = x", "9 = 1", "7 = 1; 7 = 2"):
        with pytest.raises(UserError, match="found"):
            read_counts(posed, text)


def test_a_job_that_waits_is_asked_for_once() -> None:
    """Its decision is made at the slot's end, after the last sub-step."""
    session, asked = Session.open("queues-classroom", "bf-js", 1, kernel=False), []
    session.seek(54)
    for _ in range(6):
        found = next_exercise(session, frozenset({"server"}))
        asked.append((found.event, found.posed.words))
        session.seek(found.event + (not found.posed.decided), found.posed.decided)
    assert len(set(asked)) == len(asked) and any(words.startswith("Which server takes job 30") for _, words in asked)


def test_what_is_veiled_is_told_by_a_panel_and_is_what_is_asked_for() -> None:
    """Otherwise a question would hide nothing, or hide the picture that it is about."""
    veiled: dict[str, set[str]] = {}
    for asked, scenario, policy in WHERE:
        posed = {one.veils for _, one in some_of(opened(scenario, policy, 1), question_of(asked), 120)}
        veiled[asked] = veiled.get(asked, set()) | posed
    told = {what for entry in panels_of("reservation") for what in entry.load().tells} - {EVERYTHING}
    assert veiled["ranks"] == told != set()
    assert set().union(*veiled.values()) - {""} == told
    assert veiled["server"] | veiled["migration"] == {""}


def test_who_has_written_nothing_is_told_so_and_what_is_allowed() -> None:
    posed = next(posed for _, posed in some_of(opened("dra-classroom", None, 1), question_of("server")))
    for nothing in ("", "  "):
        with pytest.raises(UserError, match=r"^nothing is written yet, allowed: the number of a server"):
            verdict(posed, nothing)
