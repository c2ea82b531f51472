"""The live picture of an experiment: its figures, which are filled while its parts run."""

from __future__ import annotations

import math
from html import escape

import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QPen, QResizeEvent
from PySide6.QtWidgets import QLabel, QTabBar, QWidget

from slotscope.gui.experiments.curves import Drawn, LogarithmicAxis, arrays, last_height
from slotscope.gui.experiments.words import told_apart, typeset
from slotscope.gui.panels.wording import significant
from slotscope.gui.plotting.axes import EndLabel, GridLines, LabelColumn, NumberAxis, keep_menu
from slotscope.gui.plotting.looks import Look, looks, meaning
from slotscope.gui.plotting.scales import SteppedRange
from slotscope.gui.theme import Theme, configure_plots, current_fonts
from slotscope.gui.widgets.rows import in_column
from slotscope.gui.window.figure import ABOVE_CURVES, across, crosses
from slotscope.model.lab.results import Curve, Figure

#: The largest share of the width for names at the ends of curves.
_LABEL_SHARE = 0.36

#: The margin at both ends of a logarithmic and of a linear x axis, as a share of the range; it keeps symbols whole.
_MARGIN = 0.06
_EDGE = 0.02

#: The y range includes intervals up to this multiple of the points' spread; longer ones are cut off.
_LONGEST_INTERVAL = 1.0


class FigurePlot(pg.PlotWidget):  # type: ignore[misc]
    """The plot of one figure; showing it again with more points reuses its items."""

    #: (text): the names of all curves and levels, if they do not fit at the curves' ends; else empty
    named_below = Signal(str)

    def __init__(self, figure: Figure, theme: Theme, parent: QWidget | None = None) -> None:
        configure_plots(theme)
        axis = LogarithmicAxis if figure.logarithmic_x else NumberAxis
        self._bottom = axis("bottom", typeset(figure.x_label))
        self._left = NumberAxis("left", typeset(figure.y_label))
        self._column = LabelColumn(theme, current_fonts())
        axes = {"bottom": self._bottom, "left": self._left, "right": self._column}
        self.figure = figure
        self._theme = theme
        self._curves: dict[str, Drawn] = {}
        self._levels: dict[str, pg.InfiniteLine] = {}
        super().__init__(parent, axisItems=axes, enableMenu=False)
        keep_menu(self)
        self._marks: dict[str, pg.InfiniteLine] = {}
        self._range = SteppedRange(from_zero=False)
        self._across = SteppedRange(from_zero=False)
        self._rests = self._complete = False
        self._grid = GridLines(self._bottom, self._left, theme.grid)
        self._crosses = pg.ScatterPlotItem(useCache=False, antialias=True)
        self._prepare()
        self.set_theme(theme)

    def _prepare(self) -> None:
        plot = self.getPlotItem()
        plot.hideButtons()
        plot.showAxis("right")
        plot.disableAutoRange()
        plot.setContentsMargins(4, 8, 4, 4)
        plot.getViewBox().setDefaultPadding(0)
        plot.getViewBox().setMouseEnabled(x=False, y=False)
        plot.addItem(self._grid, ignoreBounds=True)
        self._crosses.setZValue(ABOVE_CURVES)
        plot.addItem(self._crosses, ignoreBounds=True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def matches(self, figure: Figure) -> bool:
        """Whether *figure* is the same figure, perhaps with other points."""
        mine = self.figure
        return (mine.name, mine.x_label, mine.y_label, mine.logarithmic_x) == (
            figure.name,
            figure.x_label,
            figure.y_label,
            figure.logarithmic_x,
        )

    def show_figure(self, figure: Figure, *, complete: bool) -> None:
        """Show the points so far; once *complete*, the colours are those of the saved picture."""
        self.figure, self._complete = figure, complete
        names = list(figure.names)
        for gone in set(self._curves) - {curve.name for curve in figure.curves}:
            self._curves.pop(gone).remove()
        wanted = looks(names if complete or figure.planned else self._in_order_of_appearance(names))
        for curve in figure.curves:
            self._show_curve(curve, wanted[curve.name])
        self._show_crosses()
        self._show_levels()
        self._show_marks()
        self._fit()

    def _in_order_of_appearance(self, names: list[str]) -> list[str]:
        """The names of known curves in order, then new ones: a known curve keeps its colour when another appears."""
        known = sorted(
            (name for name in names if name in self._curves), key=lambda name: self._curves[name].look.number
        )
        return known + [name for name in names if name not in self._curves]

    def _show_curve(self, curve: Curve, look: Look) -> None:
        drawn = self._curves.get(curve.name)
        if drawn is None:
            drawn = self._curves[curve.name] = Drawn(self.getPlotItem(), look)
            drawn.set_look(look, self._theme, current_fonts().scale)
        elif drawn.look != look:
            drawn.set_look(look, self._theme, current_fonts().scale)
        drawn.show(curve, self.figure.logarithmic_x)

    def _show_crosses(self) -> None:
        points = self.figure.crossed_points
        self._crosses.setData(
            x=[across(self.figure, x) for x, _ in points],
            y=[y for _, y in points],
            **crosses(self._theme, current_fonts().scale),
        )

    def _show_levels(self) -> None:
        for name, height in self.figure.levels:
            if name not in self._levels:
                self._levels[name] = pg.InfiniteLine(angle=0, pen=self._dashed(self._role(name)))
                self.getPlotItem().addItem(self._levels[name], ignoreBounds=True)
            self._levels[name].setPos(height)

    def _show_marks(self) -> None:
        """Show vertical lines at named x, with the names at different heights to avoid overlap."""
        for number, (name, place) in enumerate(self.figure.marks):
            if name not in self._marks:
                options = {"position": 0.05 + 0.08 * (number % 3), "color": self._theme.muted}
                line = pg.InfiniteLine(angle=90, pen=self._dashed("muted"), label=typeset(name), labelOpts=options)
                line.label.setFont(current_fonts().body)
                self._marks[name] = line
                self.getPlotItem().addItem(line, ignoreBounds=True)
            self._marks[name].setPos(math.log10(place) if self.figure.logarithmic_x else place)

    @staticmethod
    def _role(name: str) -> str:
        return meaning(name) or "muted"

    def _dashed(self, role: str) -> QPen:
        pen = QPen(QColor(self._theme.color(role)), 1.5 * current_fonts().scale, Qt.PenStyle.DashLine)
        pen.setCosmetic(True)
        return pen

    # Ranges.

    def _fit(self) -> None:
        points = [arrays(curve, self.figure.logarithmic_x) for curve in self.figure.curves]
        across = [float(x) for xs, _, _ in points for x in xs]
        across += [math.log10(x) if self.figure.logarithmic_x else x for _, x in self.figure.marks]
        if across:
            self._fit_across(min(across), max(across))
        heights = [float(y) for _, ys, _ in points for y in ys if math.isfinite(y)]
        heights += [height for _, height in self.figure.levels]
        if heights:
            low, high = min(heights), max(heights)
            most = (high - low) * _LONGEST_INTERVAL or abs(high) * 0.05
            ends = [(y - h, y + h) for _, ys, hs in points for y, h in zip(ys, hs, strict=True) if math.isfinite(y - h)]
            low = min(low, *(max(end, low - most) for end, _ in ends), low)
            high = max(high, *(min(end, high + most) for _, end in ends), high)
            self._range.fit(low, high)
        self.getPlotItem().setYRange(self._range.low, self._range.high, padding=0)
        self._left.fit()
        self._show_names()

    def _fit_across(self, low: float, high: float) -> None:
        """Fit the x range: it only grows while points arrive, but is exact for a single x, and once complete."""
        if self.figure.logarithmic_x:
            margin = (high - low) * _MARGIN or 0.1
            self.getPlotItem().setXRange(low - margin, high + margin, padding=0)
            return
        if not self._rests:
            self._across.fit(low, high)
        self._across.include(low, high)
        self._rests = low < high and not self._complete
        self._bottom.whole = all(x == round(x) for curve in self.figure.curves for x in curve.x)
        self.getPlotItem().setXRange(self._across.low, self._across.high, padding=_EDGE)

    def _show_names(self) -> None:
        """Write full names at the ends of curves if all fit there; otherwise signs, and the names below."""
        named = self._named()
        metrics = current_fonts().metrics
        widest = max((metrics.horizontalAdvance(whole) for whole, _, _, _ in named), default=0.0)
        at_ends = widest <= _LABEL_SHARE * self.width()
        self._column.set_theme(self._theme, current_fonts())  # resets the column to its minimum width
        self._column.set_labels(
            [EndLabel(whole if at_ends else short, height, color) for whole, short, height, color in named]
        )
        below = [
            f"<span style='color: {self._theme.ink(color)}'>{escape(whole)}</span>" for whole, _, _, color in named
        ]
        self.named_below.emit("" if at_ends else "&emsp; ".join(below))

    def _named(self) -> list[tuple[str, str, float, str]]:
        """(full name, sign, y of its end, colour) of each level and each curve."""
        levels = [
            (f"{typeset(name)} {significant(y)}", significant(y), y, self._theme.color(self._role(name)))
            for name, y in self.figure.levels
        ]
        short = told_apart([curve.name for curve in self.figure.curves])
        ends = ((curve.name, last_height(curve), self._curves[curve.name].look) for curve in self.figure.curves)
        curves = [
            (f"{look.sign} {short[name]}", look.sign, y, look.color(self._theme))
            for name, y, look in ends
            if y is not None
        ]
        return levels + curves

    def close(self) -> None:
        """Forget the items first: after pyqtgraph has deleted the axes, the widget is resized once more."""
        self._curves.clear()
        self._levels.clear()
        super().close()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit again, as names may fit at another width."""
        super().resizeEvent(event)
        if self._curves or self._levels:
            self._fit()

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme's colours and the current font sizes."""
        self._theme = theme
        fonts = current_fonts()
        self.setBackground(theme.panel)
        for axis in (self._bottom, self._left, self._column):
            axis.set_theme(theme, fonts)
        self._bottom.fit()
        self._grid.set_color(theme.grid)
        for drawn in self._curves.values():
            drawn.set_look(drawn.look, theme, fonts.scale)
        for curve in self.figure.curves:
            if curve.name in self._curves:
                self._curves[curve.name].show(curve, self.figure.logarithmic_x)
        self._show_crosses()
        for name, line in self._levels.items():
            line.setPen(self._dashed(self._role(name)))
        for line in self._marks.values():
            line.setPen(self._dashed("muted"))
            line.label.setColor(theme.muted)
            line.label.setFont(fonts.body)
        if self._curves or self._levels:
            self._fit()


class ResultPicture(QWidget):
    """The figures of a result, one at a time, or a sentence if there is none."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._figures: tuple[Figure, ...] = ()
        self._complete = False
        self.plot: FigurePlot | None = None
        self.tabs = QTabBar(drawBase=False)
        self.tabs.setAccessibleName("figures")
        self.tabs.currentChanged.connect(self._show)
        self.title = QLabel(wordWrap=True)
        self.note = QLabel(wordWrap=True, alignment=Qt.AlignmentFlag.AlignCenter)
        self.crossed = QLabel(wordWrap=True)
        self.crossed.hide()
        self.names = QLabel(wordWrap=True)
        self.names.hide()
        self._column = in_column(self, self.tabs, self.title, self.crossed, (self.note, 1), self.names, spacing=2)
        self.setAccessibleName("picture of the experiment")
        self.setMinimumHeight(120)
        self.set_theme(theme)

    def show_figures(self, figures: tuple[Figure, ...], note: str, *, complete: bool) -> None:
        """Show the figures so far; *note* is shown if there are no curves yet."""
        self._figures, self._complete = figures, complete
        self.note.setText(note)
        self._offer([figure.title for figure in figures])
        self._show()

    def _offer(self, titles: list[str]) -> None:
        if [self.tabs.tabText(number) for number in range(self.tabs.count())] != titles:
            self.tabs.blockSignals(True)
            while self.tabs.count():
                self.tabs.removeTab(0)
            for title in titles:
                self.tabs.addTab(title)
            self.tabs.blockSignals(False)
        self.tabs.setVisible(len(titles) > 1)

    def _show(self) -> None:
        figure = self._figures[max(self.tabs.currentIndex(), 0)] if self._figures else None
        self.title.setText(typeset(figure.title) if figure is not None else "")
        self.title.setVisible(len(self._figures) == 1)
        crossed = figure is not None and bool(figure.crossed_points)
        self.crossed.setText(f"crossed: {figure.crossed_out}" if figure and crossed else "")
        self.crossed.setVisible(crossed)
        if figure is None or not figure.curves:
            self._drop()
            return
        if self.plot is None or not self.plot.matches(figure):
            self._drop()
            self.plot = FigurePlot(figure, self._theme, self)
            self._column.insertWidget(self._column.indexOf(self.names), self.plot, 1)
            self.plot.named_below.connect(self._show_names)
        self.note.hide()
        self.plot.show_figure(figure, complete=self._complete)

    def _show_names(self, names: str) -> None:
        self.names.setText(names)
        self.names.setVisible(bool(names))

    def _drop(self) -> None:
        """Remove the plot and show the sentence in its place."""
        self._show_names("")
        self.note.show()
        if self.plot is not None:
            self._column.removeWidget(self.plot)
            self.plot.hide()
            self.plot.deleteLater()
            self.plot = None

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.title.setFont(current_fonts().heading)
        self.note.setStyleSheet(f"color: {theme.muted}")
        self.crossed.setStyleSheet(f"color: {theme.rejection}")
        if self.plot is not None:
            self.plot.set_theme(theme)
