"""Weakens a condition with remainders to a necessary condition that is cheaper to test.

An exact remainder takes a dozen instructions.  Whether it is near a value of the event takes three, see
:mod:`slotscope.model.questions.fixed_point`.  Few things are that near, and only for those the exact condition is
evaluated.
"""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple

from slotscope.model.questions.pairing import (
    ABS,
    AND,
    EQUAL,
    KNOWN,
    LESS,
    LESS_EQUAL,
    MORE,
    MORE_EQUAL,
    NEGATE,
    NOT,
    OR,
    OTHER,
    OWN,
    REMAINDER,
)

#: Steps with three operands, number, divisor and end: whether the remainder is near the end, or also below, or above.
NEAR, NEAR_OR_LESS, NEAR_OR_MORE = range(100, 103)

#: As NEAR, if each thing has a divisor of its own; ``of`` is the index of the value 1 / divisor among the thing's.
NEAR_BY_OWN = 103

NEARNESS = (NEAR, NEAR_OR_LESS, NEAR_OR_MORE)

#: The step for each comparison of a remainder with a number, and of a number with a remainder.
_NEAR = {
    EQUAL: (NEAR, NEAR),
    LESS: (NEAR_OR_LESS, NEAR_OR_MORE),
    LESS_EQUAL: (NEAR_OR_LESS, NEAR_OR_MORE),
    MORE: (NEAR_OR_MORE, NEAR_OR_LESS),
    MORE_EQUAL: (NEAR_OR_MORE, NEAR_OR_LESS),
}


class StepTree(NamedTuple):
    """A step of a condition, as a tree with its operands."""

    step: int
    of: int = 0  #: the index of the thing's, or the event's, value that it reads
    parts: tuple[StepTree, ...] = ()

    def has(self, step: int) -> bool:
        """Whether the tree contains such a step."""
        return self.step == step or any(part.has(step) for part in self.parts)


def tree_of(steps: tuple[tuple[int, int], ...]) -> StepTree:
    """The tree of a condition in postfix steps."""
    stack: list[StepTree] = []
    for step, of in steps:
        count = 0 if step in (OWN, OTHER) else 1 if step in (NEGATE, NOT, ABS, KNOWN) else 2
        taken = tuple(stack[len(stack) - count :])
        del stack[len(stack) - count :]
        stack.append(StepTree(step, of, taken))
    return stack.pop()


def maybe(node: StepTree, so: bool = True) -> StepTree | None:
    """A necessary condition, without exact remainders, for the condition to be true (*so*) or false; None: no such."""
    if not node.has(REMAINDER):
        return node if so else StepTree(NOT, 0, (node,))
    if node.step == NOT:
        return maybe(node.parts[0], not so)
    if node.step in (AND, OR):
        parts = [maybe(part, so) for part in node.parts]
        known = [part for part in parts if part is not None]
        if (node.step == AND) is so:
            return reduce(lambda one, other: StepTree(AND, 0, (one, other)), known) if known else None
        return StepTree(OR, 0, (known[0], known[1])) if len(known) == len(parts) else None
    return _near(node) if so and node.step in _NEAR else None


def _near(node: StepTree) -> StepTree | None:
    """The approximate test for a comparison of a remainder whose divisor is a value of the event or of the thing."""
    for at, (one, other) in enumerate((node.parts, node.parts[::-1])):
        if one.step != REMAINDER or any(part.has(REMAINDER) for part in (one.parts[0], other)):
            continue
        number, divisor = one.parts
        if divisor.step == OTHER == other.step:
            return StepTree(_NEAR[node.step][at], 0, (number, divisor, other))
        if node.step == EQUAL and one.of:
            return StepTree(NEAR_BY_OWN, one.of - 1, (number, divisor, other))
    return None
