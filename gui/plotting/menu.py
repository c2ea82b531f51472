"""The menu that pyqtgraph makes for each plot, also where none is offered."""

from __future__ import annotations

import pyqtgraph as pg


def keep_menu(plot: pg.PlotWidget) -> None:
    """Let the menu die with its plot: it has no owner, and would stay, with six more below it.

    It becomes no child of the plot: nobody can use it, whoever looks for the plot's controls must not find it.
    """
    plot.destroyed.connect(plot.getPlotItem().ctrlMenu.deleteLater)
