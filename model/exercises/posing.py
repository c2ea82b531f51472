"""Puts a question at the moment at which a run stands."""

from __future__ import annotations

from dataclasses import replace
from typing import Iterator

from slotscope.model.api import Session
from slotscope.model.comparison.comparison import Comparison
from slotscope.model.comparison.runs import Run, lanes_of
from slotscope.model.errors import UserError
from slotscope.model.exercises.deciding import At
from slotscope.model.exercises.later import pose_later
from slotscope.model.exercises.posed import Posed
from slotscope.model.exercises.question import LATER, QuizQuestion
from slotscope.model.exercises.room import asks_of
from slotscope.model.exercises.values import pose_value
from slotscope.model.phrase import Phrase


def pose(run: Run, question: QuizQuestion, lane: int = 0) -> Posed:
    """The question as it stands here, about a decision of the policy of a lane; the run stays where it is.

    Raises UserError if nothing of the kind is decided in the event that comes, or no such policy runs.
    """
    lanes = len(lanes_of(run))
    if lane >= lanes:
        raise no_such_policy(lane + 1, lanes, "policy")
    if question.ask in LATER:
        posed = pose_later(run, question, lane)
    else:
        posed = under_its_policy(_pose_decision(lanes_of(run)[lane], question), run, lane)
    return replace(posed, words=Phrase("{text}", text=question.text)) if question.text else posed


def no_such_policy(number: int, lanes: int, where: str) -> UserError:
    """A step speaks, in its key *where*, of a policy, from 1, of which fewer run."""
    said = Phrase("found {number}, allowed: from 1 to {lanes}, as many as run here", number=number, lanes=lanes)
    return UserError(said, where=where)


def under_its_policy(posed: Posed, run: Run, lane: int) -> Posed:
    """The question about a decision with whose it is, where several policies stand side by side."""
    if not isinstance(run, Comparison):
        return posed
    return replace(posed, words=Phrase("Under {policy}: {question}", policy=run.labels[lane], question=posed.words))


def at_present(session: Session) -> At:
    """The event that comes, or is in the making. Raises UserError if there is none, or a fork decides it."""
    line = session.timeline
    if line.next_event is None and not line.substep:
        raise UserError("nothing will happen any more; go back to a decision")
    if line.event + 1 in session.bench.forced:
        raise UserError(f"event {line.event + 1} is decided by a fork; allowed: one that a policy decides")
    return At.of(session.bench.kind, session.bench.at(line.event).system, line.fork_at(line.event), line.substep)


def events_ahead(session: Session) -> Iterator[At]:
    """The event that comes, or is in the making, and those after it that a policy decides; the run stays where it is.

    Raises UserError if there is none, or a fork decides it; later on, if the policy fails.
    """
    at, bench = at_present(session), session.bench
    while True:
        yield at
        before = at.happened.state
        system = bench.at(at.event + 1).system
        if system.next_event(before) is None or at.event + 2 in bench.forced:
            return
        at = At.of(bench.kind, system, before, 0)


def _pose_decision(session: Session, question: QuizQuestion) -> Posed:
    at, asks = at_present(session), asks_of(session.info.system)
    if question.ask == "value":
        posed = pose_value(at, question.of, asks.values)
    elif question.ask in asks.poses:
        posed = asks.poses[question.ask](at)
    else:
        known = ", ".join((*asks.poses, "value", *sorted(LATER)))
        raise UserError(f"found '{question.ask}', allowed in this kind of system: {known}", where="question.ask")
    if posed is None:
        raise UserError(
            f"nothing of this is decided in the rest of event {session.timeline.event + 1}; allowed: a moment before "
            "such a decision",
            where="question.ask",
        )
    return posed
