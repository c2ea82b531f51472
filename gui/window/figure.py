"""Figures of experiments, drawn with pyqtgraph and saved as SVG or PNG."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QApplication, QGraphicsView

from slotscope.gui import theme as themes
from slotscope.gui.plotting.axes import keep_menu
from slotscope.gui.plotting.looks import Look, looks, meaning
from slotscope.gui.widgets.painted import InMemory, write_image
from slotscope.gui.window.application import application
from slotscope.model.draft import write_bytes
from slotscope.model.lab.results import Curve, Figure

WIDTH, HEIGHT, PNG_SCALE = 900, 560, 2.0
_PEN_WIDTH = 2.5
_BAND_OPACITY = 40

#: Size in pixels of the cross over a point, and its z-value.
_CROSS, ABOVE_CURVES = 14.0, 5.0

#: Up to so many points, a logarithmic axis has a tick label at each of them.
_MOST_TICKS = 10

#: Most characters of all names in a row of the legend; the gap around the legend in pixels; the largest share of
#: the plot's height that it may take; and the padding below and above all curves, as a share of the range.
_ROW, _LEGEND_GAP, _LEGEND_MOST, _PADDING = 80, 8, 0.5, 0.03


def write_svg(view: QGraphicsView, path: Path) -> None:
    """Write the contents of *view* as SVG.

    Raises UserError if the file cannot be written.
    """
    size = view.viewport().size()
    buffer, generator = InMemory(), QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(size)
    # pyqtgraph's axes replay a QPicture, which scales with the resolution.
    generator.setResolution(view.logicalDpiX())
    generator.setViewBox(QRectF(0, 0, size.width(), size.height()))
    painter = QPainter(generator)
    _render(view, painter, QRectF(0, 0, size.width(), size.height()))
    painter.end()
    write_bytes(path, buffer.written)


def write_png(view: QGraphicsView, path: Path, scale: float, background: str) -> None:
    """Write the contents of *view* as PNG, enlarged *scale* times in each direction.

    Raises UserError if the file cannot be written.
    """
    size = view.viewport().size()
    pixels = QSize(round(size.width() * scale), round(size.height() * scale))
    image = QImage(pixels, QImage.Format.Format_RGB32)
    image.fill(QColor(background))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
    _render(view, painter, QRectF(0, 0, pixels.width(), pixels.height()))
    painter.end()
    write_image(image, path)


def _render(view: QGraphicsView, painter: QPainter, target: QRectF) -> None:
    view.render(painter, target, view.viewport().rect())


def save_figure(figure: Figure, path: Path) -> None:
    """Save a figure; the path's ending, ``.svg`` or ``.png``, decides the format.

    Raises UserError if the file cannot be written.
    """
    app = application(offscreen=True)
    theme = themes.load_theme("light")
    themes.apply(app, theme)
    pg.setConfigOption("antialias", True)
    widget = figure_widget(figure, theme)
    try:
        if path.suffix == ".svg":
            write_svg(widget, path)
        else:
            write_png(widget, path, PNG_SCALE, theme.panel)
    finally:
        widget.close()


def figure_widget(figure: Figure, theme: themes.Theme) -> pg.PlotWidget:
    """A plot widget of a figure, laid out and shown."""
    widget = pg.PlotWidget(background=theme.panel)
    keep_menu(widget)
    widget.resize(WIDTH, HEIGHT)
    item = widget.getPlotItem()
    _frame(item, figure, theme)
    found = looks(figure.names)
    for curve in figure.curves:
        _draw(item, curve, found[curve.name], theme, figure.logarithmic_x)
    _cross_out(item, figure, theme)
    for name, height in figure.levels:
        _line(item, name, height, 0, theme.color(meaning(name) or "muted"))
    for name, place in figure.marks:
        _line(item, name, across(figure, place), 90, theme.muted)
    widget.show()
    QApplication.processEvents()
    _make_room(widget)
    _place_legend(item)
    QApplication.processEvents()
    return widget


def across(figure: Figure, place: float) -> float:
    """The coordinate of a number on the x axis."""
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
    if len(figure.curves) > 1 or figure.crossed_points:
        legend = item.addLegend(labelTextColor=theme.normal, labelTextSize="11pt", colCount=_columns(figure))
        # Otherwise the legend would keep its size in a PNG of twice the size.
        legend.setFlag(legend.GraphicsItemFlag.ItemIgnoresTransformations, False)


def _columns(figure: Figure) -> int:
    """Number of legend columns for which all names of a row fit side by side."""
    longest = max(len(curve.name) for curve in figure.curves)
    return max(1, min(len(figure.curves), _ROW // (longest + 4)))


def _make_room(widget: pg.PlotWidget) -> None:
    """Enlarge the widget if the legend is wider than the plot or takes more than half of its height."""
    item = widget.getPlotItem()
    if item.legend is None:
        return
    view, names = item.getViewBox(), item.legend.boundingRect()
    wider = names.width() + 2 * _LEGEND_GAP - view.width()
    higher = (names.height() + 2 * _LEGEND_GAP) / _LEGEND_MOST - view.height()
    if wider > 0 or higher > 0:
        widget.resize(WIDTH + math.ceil(max(0.0, wider)), HEIGHT + math.ceil(max(0.0, higher)))
        QApplication.processEvents()


def _place_legend(item: pg.PlotItem) -> None:
    """Extend the range upwards by the legend's height, so that the legend covers no curve."""
    legend = item.legend
    if legend is None:
        return
    view = item.getViewBox()
    low, high = view.childrenBounds(frac=(1.0, 1.0))[1] or view.viewRange()[1]
    needed = (legend.boundingRect().height() + 2 * _LEGEND_GAP) / view.height()
    view.setYRange(low, low + (high - low) / (1 - min(needed, _LEGEND_MOST)), padding=_PADDING)
    legend.anchor((0.5, 0), (0.5, 0), offset=(0, _LEGEND_GAP))


def _draw(item: pg.PlotItem, curve: Curve, look: Look, theme: themes.Theme, logarithmic: bool) -> None:
    colour = look.color(theme)
    item.plot(
        curve.x,
        curve.y,
        pen=pg.mkPen(colour, width=_PEN_WIDTH, style=look.dashes),
        name=curve.name,
        symbol=look.symbol if curve.half_width else None,
        symbolSize=9,
        symbolBrush=colour,
        symbolPen=colour,
    )
    if curve.half_width:
        band = pg.mkColor(colour)
        band.setAlpha(_BAND_OPACITY)
        y, half = np.array(curve.y), np.nan_to_num(np.array(curve.half_width))
        # FillBetweenItem ignores the axis' log mode.
        x = np.log10(curve.x) if logarithmic else np.array(curve.x)
        item.addItem(pg.FillBetweenItem(pg.PlotCurveItem(x, y - half), pg.PlotCurveItem(x, y + half), brush=band))


def _cross_out(item: pg.PlotItem, figure: Figure, theme: themes.Theme) -> None:
    if points := figure.crossed_points:
        x, y = zip(*((across(figure, place), height) for place, height in points), strict=True)
        scatter = pg.ScatterPlotItem(x, y, name=figure.crossed_out, **crosses(theme))
        scatter.setZValue(ABOVE_CURVES)
        item.addItem(scatter)


def crosses(theme: themes.Theme, scale: float = 1.0) -> dict[str, Any]:
    """Scatter plot options of crosses: in the colour of rejection, with a rim."""
    return {"symbol": "x", "size": _CROSS * scale, "brush": theme.rejection, "pen": theme.panel}


def _line(item: pg.PlotItem, name: str, place: float, angle: int, colour: str) -> None:
    pen = pg.mkPen(colour, width=_PEN_WIDTH, style=Qt.PenStyle.DashLine)
    item.addItem(pg.InfiniteLine(place, angle, pen=pen, label=name, labelOpts={"color": colour, "position": 0.5}))
