"""What has to be so for a condition to be true of a thing at an event, where that takes fewer steps to tell.

What a divisor leaves of a number is known exactly by a dozen steps.  Whether it is near a number of the event's is
known by three, see :mod:`slotscope.model.questions.fixed_point`.  Few things are as near, and only of those it is
asked exactly.
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

#: Whether a remainder, the first part, is about the third one, or below it, or above it; the second is the divisor.
NEAR, NEAR_OR_LESS, NEAR_OR_MORE = range(100, 103)

#: The same as NEAR where each thing has a divisor of its own; ``of`` is the number of the value 1 / divisor.
NEAR_BY_OWN = 103

NEARNESS = (NEAR, NEAR_OR_LESS, NEAR_OR_MORE)

#: What a comparison of a remainder with a number makes of it, and of that number with a remainder.
_NEAR = {
    EQUAL: (NEAR, NEAR),
    LESS: (NEAR_OR_LESS, NEAR_OR_MORE),
    LESS_EQUAL: (NEAR_OR_LESS, NEAR_OR_MORE),
    MORE: (NEAR_OR_MORE, NEAR_OR_LESS),
    MORE_EQUAL: (NEAR_OR_MORE, NEAR_OR_LESS),
}


class StepTree(NamedTuple):
    """A step of a condition, and those whose values it takes."""

    step: int
    of: int = 0  #: which value of the thing, or of the event
    parts: tuple[StepTree, ...] = ()

    def has(self, step: int) -> bool:
        """Whether it is, or takes, such a step."""
        return self.step == step or any(part.has(step) for part in self.parts)


def tree_of(steps: tuple[tuple[int, int], ...]) -> StepTree:
    """The last step of a condition, which takes all others."""
    stack: list[StepTree] = []
    for step, of in steps:
        count = 0 if step in (OWN, OTHER) else 1 if step in (NEGATE, NOT, ABS, KNOWN) else 2
        taken = tuple(stack[len(stack) - count :])
        del stack[len(stack) - count :]
        stack.append(StepTree(step, of, taken))
    return stack.pop()


def maybe(node: StepTree, so: bool = True) -> StepTree | None:
    """What is true wherever a condition is true, or wherever it is not *so*; None: nothing that is told sooner."""
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
    """The test that a remainder is near a number, where its divisor is a value of the event or of the thing."""
    for at, (one, other) in enumerate((node.parts, node.parts[::-1])):
        if one.step != REMAINDER or any(part.has(REMAINDER) for part in (one.parts[0], other)):
            continue
        number, divisor = one.parts
        if divisor.step == OTHER == other.step:
            return StepTree(_NEAR[node.step][at], 0, (number, divisor, other))
        if node.step == EQUAL and one.of:
            return StepTree(NEAR_BY_OWN, one.of - 1, (number, divisor, other))
    return None
