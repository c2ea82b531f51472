"""What is too little to be seen: parts of a plot that have moved by less are not painted again."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg

#: Parts of a pixel that are told apart; blending a line's edges knows no more.
PARTS = 16


def places(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> bytes:
    """Where points are, in pixels, as far as anybody sees it: equal where pictures of them are."""
    corners = np.rint(PARTS * np.column_stack([x, y]))
    moves = np.any(corners[1:] != corners[:-1], axis=1)
    return corners[np.r_[True, moves]].tobytes() if len(corners) else b""


class SteadyLine(pg.InfiniteLine):  # type: ignore[misc]
    """An upright or level line that is moved once it can be seen to move."""

    _wanted: float | None = None  #: where it is to stand, which is too near to be seen

    def put(self, value: float) -> None:
        """Stand at a value, as far as anybody sees it."""
        view = self.getViewBox()
        across, up = (0.0, 0.0) if view is None else view.viewPixelSize()
        if PARTS * abs(value - self.value()) < (across if self.angle else up):
            self._wanted = value
        else:
            self.setPos(value)

    def setPos(self, place: Any) -> None:
        self._wanted = None
        super().setPos(place)

    def viewTransformChanged(self) -> None:
        """Enlarged, the rest of the way may be seen."""
        super().viewTransformChanged()
        if self._wanted is not None:
            self.setPos(self._wanted)
