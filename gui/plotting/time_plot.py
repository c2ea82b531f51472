"""A plot of live series over time (or another quantity), for panels to use."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QWidget

from slotscope.gui.plotting.axes import EndLabel, GridLines, LabelColumn, NumberAxis, PlotAxis, keep_menu
from slotscope.gui.plotting.curve import PyramidBand, PyramidCurve, SteadyLine
from slotscope.gui.plotting.pyramid import Pyramid
from slotscope.gui.plotting.scales import SteppedRange, time_axis
from slotscope.gui.theme import Fonts, Theme, configure_plots

Role = str | int

#: Line styles of lanes, which differ in colour as well.
LANE_STYLES = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine)
#: Least height in pixels, at the usual font size, for a label of the time axis.
_LEAST_NAMED = 110
_ABOVE_AND_BELOW = 12


@dataclass(frozen=True)
class PlotText:
    """Labels of the axes; *y_short* replaces *y* where room is short; *whole* tells that *y* is a count."""

    x: str
    y: str
    y_short: str = ""
    whole: bool = False


@dataclass
class _Reference:
    line: SteadyLine
    role: Role
    text: str
    value: float


@dataclass
class _Series:
    curve: PyramidCurve
    role: Role
    text: str


class TimePlot(pg.PlotWidget):  # type: ignore[misc]
    """Curves, bands, reference lines and a cursor; ranges change rarely and in steps.

    A role is the name of one of the theme's colours (``"run"``, ``"optimum"``) or the index of a job type.  Change
    series freely, then call :meth:`refresh` once per frame.
    """

    picked = Signal(float)  #: (x) x of a click

    _prepared = False

    def __init__(
        self, theme: Theme, fonts: Fonts, text: PlotText, *, from_zero: bool = True, parent: QWidget | None = None
    ) -> None:
        configure_plots(theme)
        self._fonts, self._text = fonts, text
        self._bottom = NumberAxis("bottom", text.x)
        self._left = NumberAxis("left", text.y, text.whole)
        self._column = LabelColumn(theme, fonts)
        axes = {"bottom": self._bottom, "left": self._left, "right": self._column, "top": PlotAxis("top")}
        super().__init__(parent, axisItems=axes, enableMenu=False)
        keep_menu(self)
        self._theme = theme
        self._series: dict[str, _Series] = {}
        self._bands: dict[str, tuple[PyramidBand, Role]] = {}
        self._references: dict[str, _Reference] = {}
        self._x_range = SteppedRange(from_zero=False)
        self._from_zero = from_zero
        self._y_range = SteppedRange(0.0, 0.0, from_zero=from_zero)
        self._span: float | None = None
        self._by_hand = False
        self._fits_anew = False  # whether to set the x range even if unchanged, to keep room for its last number
        self._grid = GridLines(self._bottom, self._left, theme.grid)
        self._cursor = SteadyLine(angle=90, movable=False)
        self._prepare()
        self._prepared = True
        self._dress()

    def _prepare(self) -> None:
        """Switch off pyqtgraph's own controls, and connect ours."""
        plot = self.getPlotItem()
        plot.hideButtons()
        plot.hideAxis("top")
        plot.disableAutoRange()
        plot.setContentsMargins(4, _ABOVE_AND_BELOW - 4, 4, 4)
        view = plot.getViewBox()
        view.setDefaultPadding(0)
        view.setMouseEnabled(x=True, y=False)
        view.sigRangeChangedManually.connect(self._take_by_hand)
        self.scene().sigMouseClicked.connect(self._click)
        plot.addItem(self._grid, ignoreBounds=True)
        plot.addItem(self._cursor, ignoreBounds=True)
        self._cursor.setZValue(100)
        self._cursor.hide()
        self._apply_ranges()

    # -- what is shown -------------------------------------------------------------------

    def add_curve(
        self, name: str, role: Role, *, label: str = "", style: Qt.PenStyle = Qt.PenStyle.SolidLine
    ) -> Pyramid:
        """Add a curve, labelled at its end with *label*; returns its points, to be changed in place."""
        pyramid = Pyramid()
        curve = PyramidCurve(pyramid, self._theme.color(role), style)
        curve.set_look(self._theme.color(role), self._fonts.scale)
        self._series[name] = _Series(curve, role, label)
        self.getPlotItem().addItem(curve, ignoreBounds=True)
        return pyramid

    def add_band(self, name: str, role: Role) -> PyramidBand:
        """Add a band, such as mean plus and minus half-width, behind the curves."""
        band = PyramidBand(self._theme.color(role))
        band.setZValue(-50)
        self._bands[name] = band, role
        self.getPlotItem().addItem(band, ignoreBounds=True)
        return band

    def remove(self, name: str) -> None:
        """Remove the curve, band or reference line of this name; raises KeyError if there is none."""
        items = [self._series.pop(name).curve] if name in self._series else []
        items += [self._bands.pop(name)[0]] if name in self._bands else []
        items += [self._references.pop(name).line] if name in self._references else []
        if not items:
            raise KeyError(name)
        for item in items:
            self.getPlotItem().removeItem(item)

    def discard(self, *names: str) -> None:
        """Remove the items with these names, if they exist."""
        for name in names:
            if name in self._series or name in self._bands or name in self._references:
                self.remove(name)

    def band(self, name: str) -> PyramidBand | None:
        """The band of this name; None if there is none."""
        return self._bands[name][0] if name in self._bands else None

    def set_time_unit(self, unit: str) -> None:
        """Label the time axis with its unit, if it has one."""
        self.set_quantity(x=time_axis(unit))

    def set_quantity(self, *, x: str = "", y: str = "", whole: bool | None = None) -> None:
        """Change the labels of the axes, and whether *y* is a count."""
        counts = self._text.whole if whole is None else whole
        text = replace(self._text, x=x or self._text.x, y=y or self._text.y, whole=counts)
        if text == self._text:
            return
        self._text = text
        self._left.whole = counts
        self._y_range.from_zero = counts or self._from_zero
        self._bottom.set_name(self._text.x)
        self._fit()

    def set_label(self, name: str, label: str) -> None:
        """Change the label at a curve's end."""
        self._series[name].text = label

    def set_reference(self, name: str, value: float | None, role: Role, text: str) -> None:
        """Show a horizontal line with *text* at its right end; the range always includes it. None removes the line."""
        if value is None:
            self.discard(name)
            return
        reference = self._references.get(name)
        if reference is None:
            reference = _Reference(SteadyLine(angle=0), role, text, value)
            self._references[name] = reference
            self.getPlotItem().addItem(reference.line, ignoreBounds=True)
            reference.line.setPen(self._dashed(self._theme.color(role)))
        elif reference.role != role:
            reference.line.setPen(self._dashed(self._theme.color(role)))
        reference.role, reference.text, reference.value = role, text, value
        reference.line.put(value)

    def has_reference(self, name: str) -> bool:
        """Whether a reference line of this name is shown."""
        return name in self._references

    def set_cursor(self, x: float | None) -> None:
        """Show the cursor at *x*; None hides it."""
        self._cursor.setVisible(x is not None)
        if x is not None:
            self._cursor.put(x)

    def set_now(self, x: float) -> None:
        """Extend the range to the present, *x*."""
        self._x_range.include(x, x)

    # -- ranges --------------------------------------------------------------------------

    def set_x_range(self, low: float, high: float) -> None:
        """Start with this x range; it still grows if points lie beyond."""
        self._x_range = SteppedRange(low, high, from_zero=False)
        self._apply_ranges()

    def follow(self, span: float | None) -> None:
        """Show only the last *span* of x, moved in steps of a fifth of it; None shows all."""
        self._span = span
        self.refresh()

    def reset_view(self) -> None:
        """Drop a range chosen with the mouse, and fit the ranges to all points."""
        self._by_hand = False
        self._x_range.reset()
        self._y_range.reset()
        self.refresh()

    def fit_anew(self) -> None:
        """Let the next drawing determine ranges and label width; a range chosen with the mouse is kept."""
        if not self._by_hand:
            self._x_range.reset()
            self._y_range.reset()
        self._column.forget()
        self._fits_anew = True

    def forget(self) -> None:
        """Remove what another run showed and new ranges must not fit: points, bands, reference lines, labels."""
        for series in self._series.values():
            series.curve.pyramid.truncate(0)
        self.discard(*self._bands, *self._references)
        self._column.forget()
        self.reset_view()

    def refresh(self) -> None:
        """Update ranges and repaint after changes to series; once per frame, after all of them."""
        curves = [series.curve for series in self._series.values()]
        for pyramid in (curve.pyramid for curve in curves):
            if len(pyramid):
                self._x_range.include(float(pyramid.x[0]), float(pyramid.x[-1]))
        self._include_heights()
        if not self._by_hand:
            self._apply_ranges()
        for item in (*(band for band, _ in self._bands.values()), *curves):
            item.changed()
        self._column.set_labels(self._end_labels())

    def _include_heights(self) -> None:
        bounds = [series.curve.pyramid.extremes() for series in self._series.values()]
        bounds += [band.low.extremes() for band, _ in self._bands.values()]
        bounds += [band.high.extremes() for band, _ in self._bands.values()]
        bounds += [(line.value, line.value) for line in self._references.values()]
        known = [bound for bound in bounds if bound is not None]
        if not known:
            return
        low, high = min(bound[0] for bound in known), max(bound[1] for bound in known)
        if self._y_range.low == self._y_range.high:
            self._y_range.fit(low, high)
        else:
            self._y_range.include(low, high)

    def _apply_ranges(self) -> None:
        plot = self.getPlotItem()
        wanted = self._window(), (self._y_range.low, self._y_range.high)
        current = plot.getViewBox().viewRange()
        if list(wanted[0]) != current[0] or self._fits_anew:
            self._fits_anew = False
            plot.setXRange(*wanted[0], padding=0)
            self._column.keep(self._bottom.overhang())
        if wanted[1][0] < wanted[1][1] and list(wanted[1]) != current[1]:
            plot.setYRange(*wanted[1], padding=0)
            self._fit()

    def _window(self) -> tuple[float, float]:
        low, high = self._x_range.low, self._x_range.high
        ends = [s.curve.pyramid.x[-1] for s in self._series.values() if len(s.curve.pyramid)]
        if self._span is None or not ends:
            return low, high
        step = self._span / 5
        end = max(low + self._span, (float(max(ends)) // step + 1) * step)
        return end - self._span, end

    def _end_labels(self) -> list[EndLabel]:
        labels = [EndLabel(line.text, line.value, self._theme.color(line.role)) for line in self._references.values()]
        last = self.getPlotItem().getViewBox().viewRange()[0][1]
        for series in self._series.values():
            value = series.curve.pyramid.at(last)
            if series.text and value is not None and math.isfinite(value):
                labels.append(EndLabel(series.text, value, self._theme.color(series.role)))
        return labels

    # -- theme, mouse, export ------------------------------------------------------------

    def set_theme(self, theme: Theme, fonts: Fonts | None = None) -> None:
        """Apply another theme's colours, and other font sizes if given."""
        looks = theme, fonts or self._fonts
        if looks != (self._theme, self._fonts):
            self._theme, self._fonts = looks
            self._dress()

    def _dress(self) -> None:
        theme = self._theme
        self.setBackground(theme.panel)
        self._bottom.set_theme(theme, self._fonts)
        self._left.set_theme(theme, self._fonts)
        self._fit()
        self._column.set_theme(theme, self._fonts)
        self._grid.set_color(theme.grid)
        width = self._fonts.scale
        self._cursor.setPen(_pen(theme.muted, Qt.PenStyle.SolidLine, width))
        self._cursor.setHoverPen(_pen(theme.focus, Qt.PenStyle.SolidLine, width))
        for series in self._series.values():
            series.curve.set_look(theme.color(series.role), self._fonts.scale)
        for band, role in self._bands.values():
            band.set_color(theme.color(role))
        for line in self._references.values():
            line.line.setPen(self._dashed(theme.color(line.role)))
        self.refresh()

    def _dashed(self, color: str) -> QPen:
        return _pen(color, Qt.PenStyle.DashLine, self._fonts.scale)

    def _take_by_hand(self, *_: object) -> None:
        self._by_hand = True

    def _click(self, event: object) -> None:
        view = self.getPlotItem().getViewBox()
        position: QPointF = event.scenePos()  # type: ignore[attr-defined]
        left = event.button() == Qt.MouseButton.LeftButton  # type: ignore[attr-defined]
        if left and view.sceneBoundingRect().contains(position):
            self.picked.emit(float(view.mapSceneToView(position).x()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Lay out the axes; in a low plot the labels give way to the curves."""
        plot = self.getPlotItem()
        if plot is None or not self._prepared:  # resized before construction is complete, or after closing
            return
        named = self.height() >= _LEAST_NAMED * self._fonts.scale
        self._bottom.fit(named=named)
        self._column.keep(self._bottom.overhang())
        beside = self.height() - self._bottom.minimumHeight() - _ABOVE_AND_BELOW
        names = [name for name in (self._text.y, self._text.y_short) if 0 < self._left.length_of(name) <= beside]
        if names:
            self._left.set_name(names[0])
        plot.layout.activate()  # the left axis' height determines its numbers, and so its width
        self._left.fit(named=bool(names))
        plot.layout.activate()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        super().mouseDoubleClickEvent(event)
        self.reset_view()


def _pen(color: str, style: Qt.PenStyle, width: float) -> QPen:
    pen = QPen(QColor(color), width, style)
    pen.setCosmetic(True)
    return pen
