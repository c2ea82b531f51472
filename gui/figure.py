"""Pictures of experiments, drawn with pyqtgraph and saved as SVG or PNG."""

from __future__ import annotations

from itertools import cycle
from pathlib import Path

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt

from gui import theme as themes
from gui.application import application
from gui.plotting.export import write_png, write_svg
from model.lab.results import Curve, Figure

WIDTH, HEIGHT, PNG_SCALE = 900, 560, 2.0
_PEN_WIDTH = 2.5
_BAND_OPACITY = 40

#: Points of a logarithmic axis that each have their number.
_MOST_TICKS = 10

#: Curves from which a legend has a second column.
_MOST_ROWS = 6

#: About how much of a picture's width, and for each row of its height, a legend takes.
_LEGEND_WIDTH, _LEGEND_ROW = 0.25, 0.045


def save_figure(figure: Figure, path: Path) -> None:
    """Save a figure; the path's ending, ``.svg`` or ``.png``, decides the format.

    Raises
    ------
    UserError
        If the file cannot be written.
    """
    app = application(offscreen=True)
    theme = themes.load_theme("light")
    themes.apply(app, theme)
    pg.setConfigOption("antialias", True)
    widget = pg.PlotWidget(background=theme.panel)
    widget.resize(WIDTH, HEIGHT)
    item = widget.getPlotItem()
    _frame(item, figure, theme)
    others = cycle((theme.run, *theme.types))
    for curve in figure.curves:
        role = meaning(curve.name)
        colour = theme.color(role) if role else next(others)
        _draw(item, curve, colour, figure.logarithmic_x)
    for name, height in figure.levels:
        _line(item, name, height, 0, theme.color(meaning(name) or "muted"))
    for name, place in figure.marks:
        _line(item, name, across(figure, place), 90, theme.muted)
    widget.show()
    app.processEvents()
    try:
        if path.suffix == ".svg":
            write_svg(widget, path)
        else:
            write_png(widget, path, PNG_SCALE, theme.panel)
    finally:
        widget.close()


def meaning(name: str) -> str:
    """The theme's colour with the fixed meaning of what a curve or level shows; may be empty."""
    if "U^(g)" in name:
        return "greedy"
    return "optimum" if "optimum" in name or "U*" in name else ""


def across(figure: Figure, place: float) -> float:
    """Where a number stands along the axis."""
    return float(np.log10(place)) if figure.logarithmic_x else place


def _frame(item: pg.PlotItem, figure: Figure, theme: themes.Theme) -> None:
    item.setTitle(figure.title, color=theme.normal, size="13pt")
    item.setLogMode(x=figure.logarithmic_x, y=False)
    item.showGrid(x=True, y=True, alpha=0.25)
    for side, text in (("bottom", figure.x_label), ("left", figure.y_label)):
        item.setLabel(side, text, color=theme.normal)
        item.getAxis(side).enableAutoSIPrefix(False)
        item.getAxis(side).setPen(theme.muted)
        item.getAxis(side).setTextPen(theme.normal)
    places = sorted({place for curve in figure.curves for place in curve.x})
    if figure.logarithmic_x and len(places) <= _MOST_TICKS:
        ticks = [(across(figure, place), f"{place:g}") for place in places]
        item.getAxis("bottom").setTicks([ticks])
    if len(figure.curves) > 1:
        legend = item.addLegend(offset=_corner(figure), labelTextColor=theme.normal,
                                labelTextSize="11pt", colCount=_columns(figure))  # fmt: skip
        # A picture of twice the size is to have a legend of twice the size.
        legend.setFlag(legend.GraphicsItemFlag.ItemIgnoresTransformations, False)


def _columns(figure: Figure) -> int:
    return 1 if len(figure.curves) <= _MOST_ROWS else 2


def _corner(figure: Figure) -> tuple[int, int]:
    """The offset of a legend in the corner where it hides least; of equals the lower right one."""
    y = [height for curve in figure.curves for height in curve.y]
    y += [height for _, height in figure.levels]
    low, high = np.nanmin(y), np.nanmax(y)
    x = [place for curve in figure.curves for place in curve.x]
    ends = np.array([min(x), max(x)])
    lines = [(np.array(curve.x), curve.y) for curve in figure.curves]
    lines += [(ends, (height, height)) for _, height in figure.levels]
    if figure.logarithmic_x:
        lines, ends = [(np.log10(line), heights) for line, heights in lines], np.log10(ends)
    columns = _columns(figure)
    width, height = _LEGEND_WIDTH * columns, _LEGEND_ROW * (len(figure.curves) / columns + 1)

    def hidden(corner: tuple[int, int]) -> int:
        right, lower = corner[0] < 0, corner[1] < 0
        aside = np.linspace(1 - width if right else 0, 1 if right else width, 32)
        found = 0
        for line, heights in lines:
            level = np.interp(ends[0] + aside * (ends[1] - ends[0]), line, heights)
            share = (level - low) / ((high - low) or 1.0)
            found += int(((share < height) if lower else (share > 1 - height)).sum())
        return found

    return min(((-20, -20), (-20, 20), (20, 20), (20, -20)), key=hidden)


def _draw(item: pg.PlotItem, curve: Curve, colour: str, logarithmic: bool) -> None:
    symbol = "o" if curve.half_width else None
    item.plot(curve.x, curve.y, pen=pg.mkPen(colour, width=_PEN_WIDTH), name=curve.name,
              symbol=symbol, symbolSize=7, symbolBrush=colour, symbolPen=colour)  # fmt: skip
    if curve.half_width:
        band = pg.mkColor(colour)
        band.setAlpha(_BAND_OPACITY)
        y, half = np.array(curve.y), np.nan_to_num(np.array(curve.half_width))
        # Curves inside a band know nothing of the axis' scale.
        x = np.log10(curve.x) if logarithmic else np.array(curve.x)
        item.addItem(pg.FillBetweenItem(
            pg.PlotCurveItem(x, y - half), pg.PlotCurveItem(x, y + half), brush=band
        ))  # fmt: skip


def _line(item: pg.PlotItem, name: str, place: float, angle: int, colour: str) -> None:
    pen = pg.mkPen(colour, width=_PEN_WIDTH, style=Qt.PenStyle.DashLine)
    item.addItem(pg.InfiniteLine(
        place, angle, pen=pen, label=name, labelOpts={"color": colour, "position": 0.5}
    ))  # fmt: skip
