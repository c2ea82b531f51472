"""A line across a plot that stays where it is painted as long as nobody would see it move."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg

from slotscope.gui.painting.seen import PARTS


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
