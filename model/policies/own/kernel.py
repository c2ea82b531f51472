"""What kernels of one's own are given beside the state, and what their loops raise."""

from __future__ import annotations

from typing import Any

import numpy as np

from slotscope.model.policies.own.sound import NotADecisionError, found


class ImpossibleDecisionError(Exception):
    """A kernel of one's own has decided what cannot be: raised in compiled code."""


def arrays(value: Any, what: str, _: Any) -> tuple[np.ndarray, ...] | np.ndarray:
    """An array of numbers or a tuple of such, as copies that nobody can change.

    Raises NotADecisionError if it is anything else.
    """
    if type(value) is tuple:
        return tuple(_array(item, what) for item in value)
    return _array(value, what)


def _array(value: Any, what: str) -> np.ndarray:
    if type(value) is not np.ndarray or value.dtype.kind not in "biuf":
        raise NotADecisionError(f"{what} is {found(value)}, allowed: a NumPy array of numbers, or a tuple of those")
    array = np.array(value, order="C")
    array.flags.writeable = False
    return array
