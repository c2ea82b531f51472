"""Rows of events as they are told, made by hand."""

from __future__ import annotations

from typing import Any

import numpy as np


def happened(flags: int, **values: Any) -> dict[str, Any]:
    """What stands in a row."""
    return {"flags": flags} | values


def row_of(dtype: np.dtype[Any], missing: str, **values: Any) -> np.void:
    """A row with these values; -1 in the other fields that may be *missing*, 0 elsewhere."""
    result = np.zeros(1, dtype)
    for name, value in {**dict.fromkeys(missing.split(), -1), **values}.items():
        result[name] = value
    found: np.void = result[0]
    return found
