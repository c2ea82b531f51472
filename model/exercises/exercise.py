"""Exercises: decisions of a run that a student makes instead of the policy, one after the other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from slotscope.model.api import Session
from slotscope.model.comparison.runs import Run, lanes_of
from slotscope.model.errors import UserError
from slotscope.model.exercises.posed import Posed
from slotscope.model.exercises.posing import at_present
from slotscope.model.exercises.question import QuizQuestion
from slotscope.model.exercises.room import asks_of
from slotscope.model.exercises.values import pose_value
from slotscope.model.phrase import Phrase
from slotscope.model.running.origin import NO_LINE, Moment, opening_line
from slotscope.model.running.waiting import who_waits

#: The first decision of an exercise comes after so many events, from and to; which, the seed says.
_STARTS = (10, 100)

#: Events that are looked at for a question.
MOST_EVENTS = 2000


class Exercise(NamedTuple):
    """A question, put after *event* of the run; ``moment`` is the line that opens where, empty where none can."""

    question: QuizQuestion
    posed: Posed
    event: int
    moment: str = ""


def ask_here(session: Session, asks: frozenset[str] = frozenset(), level: int = 0) -> Exercise | None:
    """The first question that the rest of the event at hand answers; None: there is none.

    Decisions come before values of variables.  *asks* are those wanted, empty: all; *level* how hard it is at least.

    Raises
    ------
    UserError
        If nothing happens any more, or a fork decides.
    """
    at, room = at_present(session), asks_of(session.info.system)
    decisions = [QuizQuestion.model_validate({"ask": ask}) for ask in room.poses]
    values = [QuizQuestion(ask="value", of=name) for name in room.values]
    for group in (decisions, values):
        wanted = [one for one in group if not asks or one.ask in asks]
        made = [
            (one, room.poses[one.ask](at) if one.ask in room.poses else pose_value(at, one.of, room.values))
            for one in wanted
        ]
        fit = [(one, posed) for one, posed in made if posed is not None and posed.level >= level]
        if fit:
            question, posed = min(fit, key=lambda pair: pair[1].place)
            return Exercise(question, posed, session.timeline.event)
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
            raise UserError(Phrase("no such decision comes any more; allowed: another seed, or an easier exercise"))
        if (found := ask_here(session, asks, level)) is not None:
            session.seek(found.event, found.posed.place)
            return found
        who_waits().look(Phrase("Looking for a decision"), (event - first) / MOST_EVENTS)
        session.seek(event + 1)
    raise UserError(
        Phrase("no such decision in {count} events; allowed: an easier exercise, other decisions", count=MOST_EVENTS)
    )


def exercise_run(session: Session, seed: int) -> Session:
    """A run of the same scenario and policy with another seed, on its way for as many events as the seed says.

    Raises
    ------
    UserError
        If the scenario was edited, so that nobody could open it again.
    """
    origin = session.origin
    if not origin.source:
        raise UserError(f"exercises need a scenario that can be opened again; {NO_LINE}")
    run = Session.open(origin.source, origin.policy, seed, origin.trace, kernel=False)
    run.seek(int(np.random.default_rng(seed).integers(*_STARTS)))
    return run


def moment_line(run: Run) -> str:
    """The command that opens the moment at which a run stands; empty where none can."""
    lanes = lanes_of(run)
    inside = next((number for number, lane in enumerate(lanes) if lane.timeline.substep), 0)
    events = tuple(lane.timeline.event for lane in lanes)
    return opening_line([lane.origin for lane in lanes], Moment(events, lanes[inside].timeline.substep, inside))
