"""Conditions on things that depend on the event, too, such as ``since < time - 1``, as steps for compiled code."""

from __future__ import annotations

from functools import partial, reduce
from typing import Iterator, NamedTuple

from slotscope.model.questions.operations import constant
from slotscope.model.questions.parts import EVENT, THING, TRUE, Meaning, joined

#: Steps of a condition: a value of the thing, one of the event, then what is done to the last one or two of them.
(OWN, OTHER, NEGATE, NOT, ABS, KNOWN, ADD, SUBTRACT, TIMES, DIVIDE, REMAINDER, LEAST, MOST) = range(13)
(EQUAL, UNEQUAL, LESS, LESS_EQUAL, MORE, MORE_EQUAL, AND, OR, TURNS) = range(13, 22)

#: By sign or function.
STEPS = {
    "negative": NEGATE,
    "not": NOT,
    "abs": ABS,
    "known": KNOWN,
    "+": ADD,
    "-": SUBTRACT,
    "*": TIMES,
    "/": DIVIDE,
    "%": REMAINDER,
    "min": LEAST,
    "max": MOST,
    "=": EQUAL,
    "!=": UNEQUAL,
    "<": LESS,
    "<=": LESS_EQUAL,
    ">": MORE,
    ">=": MORE_EQUAL,
    "and": AND,
    "or": OR,
    "turns": TURNS,
}


class Pairing(NamedTuple):
    """A condition as steps: values of the thing and of the event, and what is done to them, the last ones first.

    A remainder whose divisor is a value of the thing has reciprocals among these values (see :func:`_reciprocals`); its
    step gives the number of the first one, counted from 1.
    """

    steps: tuple[tuple[int, int], ...]  #: which, and of which of the values
    own: tuple[Meaning, ...]  #: values of things
    others: tuple[Meaning, ...]  #: values of the event
    only: tuple[Meaning, ...] = ()  #: what has to be true of a thing whatever the event is
    when: tuple[Meaning, ...] = ()  #: what has to be true of the event whatever the thing is


_ONE = Meaning(partial(constant, 1.0), truth=False)


def pairing_of(condition: Meaning) -> Pairing:
    """A condition on a thing that the event left as it was, and on the event, as steps."""
    steps: list[tuple[int, int]] = []
    own: list[Meaning] = []
    others: list[Meaning] = []

    def take(part: Meaning) -> None:
        if part.read <= EVENT or part.read == THING:
            known, step = (own, OWN) if part.read == THING else (others, OTHER)
            if part not in known:
                known.append(part)
            steps.append((step, known.index(part)))
            return
        part = in_steps(part)
        for each in part.parts:
            take(each)
        reciprocals = _reciprocals(part)
        steps.append((STEPS[part.sign], len(own) + 1 if reciprocals else 0))
        own.extend(reciprocals)

    conjuncts = [*_conjuncts(condition)]
    only = tuple(one for one in conjuncts if one.read == THING)
    when = tuple(one for one in conjuncts if one.read <= EVENT)
    mixed = [one for one in conjuncts if one.read > THING]
    take(reduce(partial(joined, "and"), mixed) if mixed else TRUE)
    return Pairing(tuple(steps), tuple(own), tuple(others), only, when)


def _reciprocals(remainder: Meaning) -> list[Meaning]:
    """What spares divisions in ``number % divisor``, if the divisor is a value of the thing: 1 / divisor.

    Where the number is the product of a value of the thing and one of the event, the former / divisor follows.
    """
    if remainder.sign != "%" or remainder.parts[1].read != THING:
        return []
    number, divisor = remainder.parts
    is_product = number.sign == "*" and any(one.read == EVENT for one in number.parts)
    factors = [one for one in number.parts if one.read == THING] if is_product else []
    return [joined("/", one, divisor) for one in (_ONE, *factors)]


def _conjuncts(part: Meaning) -> Iterator[Meaning]:
    """What all has to be true, for a part to be true; what is about the thing alone is one."""
    taken = part if part.read == THING else in_steps(part)
    if taken.sign != "and" or taken.read == THING:
        yield taken
        return
    for one in taken.parts:
        yield from _conjuncts(one)


def in_steps(part: Meaning) -> Meaning:
    """The same, by a sign that is one step."""
    if part.sign == "in":
        value, *items = part.parts
        return reduce(partial(joined, "or"), (joined("=", value, item) for item in items))
    if part.sign == "but not":
        now, was = part.parts
        return joined("and", now, joined("not", was))
    if part.sign == "changes":
        now, was, there = part.parts  # one that was not there was no other number
        return joined("and", there, joined("turns", now, was))
    return part
