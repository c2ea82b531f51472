"""The numbers that a plot shows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from pytestqt.qtbot import QtBot

from slotscope.gui.intents import GoTo
from slotscope.gui.panel import Panel
from slotscope.gui.plotting.time_plot import TimePlot


def points_of(plot: TimePlot, name: str) -> NDArray[np.float64]:
    """[n, 2] all points of a curve, not only those drawn; empty if the plot has no such curve."""
    series = plot._series.get(name)
    return np.zeros((0, 2)) if series is None else np.c_[series.curve.pyramid.x, series.curve.pyramid.y]


def lines_of(plot: TimePlot) -> dict[str, float]:
    """The heights of the horizontal lines of a plot."""
    return {name: line.value for name, line in plot._references.items()}


def time_reached(qtbot: QtBot, panel: Panel, plot: TimePlot, x: float, y: float) -> float:
    """The time of the event to which a click on a panel's plot goes."""
    place = plot.mapFromScene(plot.getPlotItem().getViewBox().mapViewToScene(QPointF(x, y)))
    with qtbot.waitSignal(panel.intent) as caught:
        qtbot.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=place)
    (intent,) = caught.args
    assert isinstance(intent, GoTo) and panel.frame is not None
    events, times = panel.frame.samples.T[:2]
    return float(times[events == intent.event][0])
