"""The row of an event under a reference: filled field by field, as a kernel fills its own."""

from __future__ import annotations

from typing import Any, Mapping

import numpy as np

#: In the flags of a row of any kind: somebody has decided otherwise than the policy.
FLAG_FORCED = 1 << 15


def fill_row(row: np.ndarray, told: Mapping[str, Any]) -> None:
    """Fill *row* [1] from its fields by name: at once, as that is much faster than one by one."""
    assert row.dtype.names is not None
    row[0] = tuple([told[name] for name in row.dtype.names])
