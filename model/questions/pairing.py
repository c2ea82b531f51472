"""Conditions on things that depend on the event, too, such as ``since < time - 1``, as steps for compiled code."""

from __future__ import annotations

from typing import Iterator, NamedTuple

from slotscope.model.questions.operations import Run
from slotscope.model.questions.parts import EVENT, THEN, THING, Meaning

#: Steps of a condition: a value of the thing, one of the event, then what is done to the last one or two of them.
(OWN, OTHER, ADD, SUBTRACT, NEGATE, EQUAL, UNEQUAL, LESS, LESS_EQUAL, MORE, MORE_EQUAL, AND, OR, NOT) = range(14)

_STEPS = {
    "+": ADD,
    "-": SUBTRACT,
    "negative": NEGATE,
    "=": EQUAL,
    "!=": UNEQUAL,
    "<": LESS,
    "<=": LESS_EQUAL,
    ">": MORE,
    ">=": MORE_EQUAL,
    "and": AND,
    "or": OR,
    "not": NOT,
}

#: Steps that one condition may have.
MOST_STEPS = 64


class Pairing(NamedTuple):
    """A condition as steps: values of the thing and of the event, and what is done to them, the last ones first."""

    steps: tuple[tuple[int, int], ...]  #: which, and of which of the values
    own: tuple[Run, ...]  #: values of things
    others: tuple[Run, ...]  #: values of the event
    only: tuple[Run, ...] = ()  #: what has to be true of a thing whatever the event is


def pairing_of(part: Meaning) -> Pairing | None:
    """A condition on a thing and the event as steps; None if something else than a sign joins the two."""
    conjuncts = [*_conjuncts(part)]
    only = tuple(one.run for one in conjuncts if one.read == THING)
    steps: list[tuple[int, int]] = []
    own: list[Run] = []
    others: list[Run] = []

    def take(one: Meaning) -> bool:
        if one.read <= EVENT or one.read == THING:
            runs, step = (own, OWN) if one.read == THING else (others, OTHER)
            steps.append((step, len(runs)))
            runs.append(one.run)
            return True
        if one.sign not in _STEPS or not all(map(take, one.parts)):
            return False
        steps.append((_STEPS[one.sign], 0))
        return True

    for number, one in enumerate(each for each in conjuncts if each.read != THING):
        if one.read & THEN or not take(one):
            return None
        steps += [(AND, 0)] * (number > 0)
    return Pairing(tuple(steps), tuple(own), tuple(others), only) if 0 < len(steps) <= MOST_STEPS else None


def _conjuncts(part: Meaning) -> Iterator[Meaning]:
    """What all has to be true, for a part to be true."""
    for one in part.parts if part.sign == "and" else ():
        yield from _conjuncts(one)
    if part.sign != "and":
        yield part
