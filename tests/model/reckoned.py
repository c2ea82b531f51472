"""Conditions compiled to steps, evaluated by NumPy."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from slotscope.model.questions.operations import OPERATIONS
from slotscope.model.questions.pairing import OTHER, OWN, STEPS

_SIGNS = {step: sign for sign, step in STEPS.items()}


def by_numpy(steps: Sequence[tuple[int, int]], own: Sequence[Any], others: Sequence[Any]) -> Any:
    """Where a condition is true; values of things and of events are broadcast against each other."""
    stack: list[Any] = []
    for step, which in steps:
        if step in (OWN, OTHER):
            stack.append(np.asarray((own if step == OWN else others)[which]))
        elif _SIGNS[step] in ("negative", "not", "abs", "known"):
            stack.append(OPERATIONS[_SIGNS[step]](stack.pop()))
        else:
            other, one = stack.pop(), stack.pop()
            stack.append(OPERATIONS[_SIGNS[step]](one, other))
    (found,) = stack
    return found
