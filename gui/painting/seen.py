"""What is too little to be seen: what has moved by less is not painted again."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

#: Parts of a pixel that are told apart; blending a line's edges knows no more.
PARTS = 16


def places(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> bytes:
    """Where points are, in pixels, as far as anybody sees it: equal where pictures of them are."""
    corners = np.rint(PARTS * np.column_stack([x, y]))
    moves = np.any(corners[1:] != corners[:-1], axis=1)
    return corners[np.r_[True, moves]].tobytes() if len(corners) else b""
