"""What a plot shows, number by number."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from slotscope.gui.plotting.time_plot import TimePlot


def points_of(plot: TimePlot, name: str) -> NDArray[np.float64]:
    """[n, 2] all points of a curve, not only those drawn; none where the plot has no such curve."""
    series = plot._series.get(name)
    return np.zeros((0, 2)) if series is None else np.c_[series.curve.pyramid.x, series.curve.pyramid.y]


def lines_of(plot: TimePlot) -> dict[str, float]:
    """The heights of the lines across a plot."""
    return {name: line.value for name, line in plot._references.items()}
