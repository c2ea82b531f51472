"""Exercises: decisions of a run that a student makes in place of the policy, one after the other."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import Iterator, Mapping, NamedTuple

import numpy as np

from slotscope.model.api import Session
from slotscope.model.comparison.runs import Run, lanes_of
from slotscope.model.errors import PolicyError, UserError
from slotscope.model.exercises.deciding import At, asks_of
from slotscope.model.exercises.posed import Posed
from slotscope.model.exercises.posing import at_present, events_ahead
from slotscope.model.exercises.question import QuizQuestion
from slotscope.model.exercises.values import values_ahead
from slotscope.model.phrase import Phrase
from slotscope.model.running.origin import NO_LINE, Moment, opening_line
from slotscope.model.running.waiting import GivenUpError, who_waits

#: The bounds of the number of events before an exercise's first decision, which depends on the seed.
_STARTS = (10, 100)

#: For each difficulty, the number of deciding events of which the hardest decision is taken; 0: the next decision.
DIFFICULTIES: Mapping[str, int] = {"any": 0, "harder": 5, "hardest": 20}

#: The most events searched for a decision, and after the first one found for harder ones.
MOST_EVENTS, MORE_EVENTS = 2000, 200

_LOOKING = Phrase("Looking for a decision")


class Exercise(NamedTuple):
    """A question after *event* of the run; ``moment`` is the command that opens its place, empty if there is none."""

    question: QuizQuestion
    posed: Posed
    event: int
    moment: str = ""


def ask_here(session: Session, asks: frozenset[str] = frozenset()) -> Exercise | None:
    """The first question that the rest of the current event answers; None if there is none.

    *asks* are the questions to choose from; if empty, all.
    Raises UserError if there is no next event, or a fork decides it.
    """
    return _first(at_present(session), asks, 0)


def _first(at: At, asks: frozenset[str], effort: int) -> Exercise | None:
    """The first question that the rest of an event answers, with at least so much effort.

    Decisions take precedence over values of variables.
    """
    room = asks_of(at.system.name)
    made = [(ask, pose(at)) for ask, pose in room.poses.items() if not asks or ask in asks]
    fit = [(ask, posed) for ask, posed in made if posed is not None and posed.effort >= effort]
    if fit:
        ask, posed = min(fit, key=lambda pair: pair[1].place)
        return Exercise(QuizQuestion.model_validate({"ask": ask}), posed, at.event)
    for name, posed in values_ahead(at, room.values) if not asks or "value" in asks else ():
        if posed.effort >= effort:
            return Exercise(QuizQuestion(ask="value", of=name), posed, at.event)
    return None


def _in_turn(at: At, asks: frozenset[str]) -> Iterator[Exercise]:
    """The questions of an event with something to choose, each posed where the one before it is answered."""
    while (made := _first(at, asks, 1)) is not None:
        yield made
        if not made.posed.decided:
            return
        at = at._replace(taken=made.posed.decided)


def next_exercise(session: Session, asks: frozenset[str] = frozenset(), among: int = 0) -> Exercise:
    """Move to the next decision, or to the hardest one of the next *among* deciding events.

    Hardness is compared within the run, so that a decision is found wherever there is something to choose.
    Raises UserError if none is found; then the run does not move.
    """
    found = _ahead(session, asks, among)
    best = max(found, key=lambda one: one.posed.effort) if among else found[0]
    session.seek(best.event, best.posed.place)
    if not among or len(found) == 1 or len({one.posed.effort for one in found}) > 1:
        return best
    words = Phrase(
        "{question} (The next {count} decisions are equally hard.)", question=best.posed.words, count=len(found)
    )
    return best._replace(posed=replace(best.posed, words=words))


def _ahead(session: Session, asks: frozenset[str], count: int) -> list[Exercise]:
    """The decisions with something to choose, in the next *count* deciding events, and at least one.

    If there is none, the first decision without a choice; with a *count* of 0, only the first decision.
    """
    found: list[Exercise] = []
    certain: list[Exercise] = []
    first, deciding = session.timeline.event, 0
    try:
        for at in events_ahead(session):
            made = list(islice(_in_turn(at, asks), None if count else 1))
            found += made
            deciding += bool(made)
            if not certain and (one := _first(at, asks, 0)) is not None:
                certain.append(one)
            passed = at.event + 1 - first
            if deciding >= max(count, 1) or passed == (MORE_EVENTS if found else MOST_EVENTS):
                break
            who_waits().look(_LOOKING, passed / MOST_EVENTS)
    except GivenUpError:
        raise GivenUpError(Phrase("{doing}: stopped", doing=_LOOKING)) from None  # the run has not moved
    except PolicyError:
        if not found and not certain:
            raise
    if found or certain:
        return found or certain
    raise UserError(
        Phrase("no such decision comes (events looked at: {count}); allowed: another one, another seed", count=passed)
    )


def exercise_run(session: Session, seed: int) -> Session:
    """A run of the same scenario and policy with another seed, advanced by a number of events that the seed decides.

    A run with fewer events stands at its beginning.
    Raises UserError if the scenario was edited, so that it cannot be opened again.
    """
    origin = session.origin
    if not origin.source:
        raise UserError(Phrase("exercises need a scenario that can be opened again; {why}", why=NO_LINE))
    run = Session.open(origin.source, origin.policy, seed, origin.trace, kernel=False)
    run.seek(int(np.random.default_rng(seed).integers(*_STARTS)))
    if run.timeline.next_event is None:
        run.seek(0)
    return run


def moment_line(run: Run) -> str:
    """The command that opens the moment at which a run stands; empty if no command can."""
    lanes = lanes_of(run)
    inside = next((number for number, lane in enumerate(lanes) if lane.timeline.substep), 0)
    events = tuple(lane.timeline.event for lane in lanes)
    return opening_line([lane.origin for lane in lanes], Moment(events, lanes[inside].timeline.substep, inside))
