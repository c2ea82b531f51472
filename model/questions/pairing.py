"""Conditions that read a thing and the event, such as ``since < time - 1``, as postfix code for a stack machine."""

from __future__ import annotations

from functools import partial, reduce
from typing import Iterator, NamedTuple

from slotscope.model.questions.operations import constant
from slotscope.model.questions.parts import EVENT, THING, TRUE, Meaning, joined

#: Steps of a condition: push a value of the thing, push one of the event, then operators on the top one or two.
(OWN, OTHER, NEGATE, NOT, ABS, KNOWN, ADD, SUBTRACT, TIMES, DIVIDE, REMAINDER, LEAST, MOST) = range(13)
(EQUAL, UNEQUAL, LESS, LESS_EQUAL, MORE, MORE_EQUAL, AND, OR, TURNS) = range(13, 22)

#: The step of each operator or function.
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
    """A condition in postfix order: values of the thing and of the event are pushed, operators take the last ones.

    A remainder whose divisor is a value of the thing has reciprocals among *own* (see :func:`_reciprocals`); its step
    gives the index of the first one, counted from 1.
    """

    steps: tuple[tuple[int, int], ...]  #: the step, and the index of the value that it pushes
    own: tuple[Meaning, ...]  #: values of the thing
    others: tuple[Meaning, ...]  #: values of the event
    only: tuple[Meaning, ...] = ()  #: conjuncts that read the thing alone
    when: tuple[Meaning, ...] = ()  #: conjuncts that read the event alone


_ONE = Meaning(partial(constant, 1.0), truth=False)


def pairing_of(condition: Meaning) -> Pairing:
    """Compile to steps a condition on a thing that the event left unchanged, and on the event."""
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
    """Quotients precomputed for ``number % divisor`` where the divisor is a value of the thing: 1 / divisor.

    Where the number is the product of a value of the thing and one of the event, the former / divisor follows.
    """
    if remainder.sign != "%" or remainder.parts[1].read != THING:
        return []
    number, divisor = remainder.parts
    is_product = number.sign == "*" and any(one.read == EVENT for one in number.parts)
    factors = [one for one in number.parts if one.read == THING] if is_product else []
    return [joined("/", one, divisor) for one in (_ONE, *factors)]


def _conjuncts(part: Meaning) -> Iterator[Meaning]:
    """The conjuncts of a condition; a part that reads the thing alone is not split."""
    taken = part if part.read == THING else in_steps(part)
    if taken.sign != "and" or taken.read == THING:
        yield taken
        return
    for one in taken.parts:
        yield from _conjuncts(one)


def in_steps(part: Meaning) -> Meaning:
    """The same part, rewritten so that its operator is a single step."""
    if part.sign == "in":
        value, *items = part.parts
        return reduce(partial(joined, "or"), (joined("=", value, item) for item in items))
    if part.sign == "but not":
        now, was = part.parts
        return joined("and", now, joined("not", was))
    if part.sign == "changes":
        now, was, there = part.parts  # a thing that was not there has not changed
        return joined("and", there, joined("turns", now, was))
    return part
