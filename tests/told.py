"""Rows of events, made by hand for tests of their sentences."""

from __future__ import annotations

from typing import Any

import numpy as np


def happened(flags: int, **values: Any) -> dict[str, Any]:
    """The values of a row."""
    return {"flags": flags} | values


def row_of(dtype: np.dtype[Any], missing: str, **values: Any) -> np.void:
    """A row with these values; in other fields -1 if they may be *missing*, else 0."""
    result = np.zeros(1, dtype)
    for name, value in {**dict.fromkeys(missing.split(), -1), **values}.items():
        result[name] = value
    found: np.void = result[0]
    return found
