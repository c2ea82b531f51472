"""Exercises: decisions of a run that a student makes instead of the policy, one after the other."""

from __future__ import annotations

from typing import NamedTuple

from slotscope.model.api import Session
from slotscope.model.errors import UserError
from slotscope.model.exercises.posed import Posed
from slotscope.model.exercises.posing import at_present
from slotscope.model.exercises.question import QuizQuestion
from slotscope.model.exercises.room import asks_of
from slotscope.model.exercises.values import pose_value
from slotscope.model.waiting import who_waits

#: How hard a question may be: 1 (one condition decides) to 3.
LEVELS = (1, 2, 3)

#: Events that are looked at for a question.
MOST_EVENTS = 2000


class Exercise(NamedTuple):
    """A question with the moment that it is about: after *event*, so many sub-steps into the next."""

    question: QuizQuestion
    posed: Posed
    event: int


def ask_here(session: Session, asks: frozenset[str] = frozenset(), level: int = 0) -> Exercise | None:
    """The first question that the rest of the event at hand answers; None: there is none.

    Decisions come before values of variables.  *asks* are those wanted, empty: all; *level* how hard it is at least.

    Raises
    ------
    UserError
        If nothing happens any more, or a fork decides.
    """
    at, room = at_present(session), asks_of(session.info.system)
    found = [(QuizQuestion.model_validate({"ask": ask}), pose(at)) for ask, pose in room.poses.items()]
    values = [(QuizQuestion(ask="value", of=name), pose_value(at, name, room.values)) for name in room.values]
    for group in (found, values):
        fit = [
            Exercise(question, posed, session.timeline.event)
            for question, posed in group
            if posed is not None and posed.level >= level and (not asks or question.ask in asks)
        ]
        if fit:
            return min(fit, key=lambda one: one.posed.place)
    return None


def next_exercise(session: Session, asks: frozenset[str] = frozenset(), level: int = 0) -> Exercise:
    """Go on to the next moment at which a decision is to be made, and stand there.

    Raises
    ------
    UserError
        If none is found.
    """
    first = session.timeline.event
    for event in range(first, first + MOST_EVENTS):
        if session.timeline.next_event is None and not session.timeline.substep:
            break
        if (found := ask_here(session, asks, level)) is not None:
            session.seek(found.event, found.posed.place)
            return found
        who_waits().look("Looking for a decision", (event - first) / MOST_EVENTS)
        session.seek(event + 1)
    raise UserError("no such decision comes any more; allowed: another seed, or an easier exercise")
