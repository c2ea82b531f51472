"""Figure 2: the optimum and the greedy reward over the workload alpha rho, with a draggable cursor."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import pyqtgraph as pg
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QPen
from PySide6.QtWidgets import QWidget

from slotscope.gui.panels.wording import GREEDY_PLAIN, OPTIMUM_PLAIN, significant
from slotscope.gui.plotting.cursor_drag import CursorDrag, special_near
from slotscope.gui.plotting.scales import step_up
from slotscope.gui.plotting.time_plot import PlotText, TimePlot
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.rows import in_column
from slotscope.model.kinds.reservation.programs.alpha_curve import AlphaCurve

_DOT = 8.0
_TEXT_MARGIN = 6.0  # empty margin of a text item, in pixels
_ROOM = 1.2  # end of the axis as a multiple of the last critical point
_LONGEST = 7
_LINES_NAMED = 3  # the cursor has a label from this height of the plot on, in heights of the label
#: Minimum height of the plot in pixels: usually, and in lecture mode, where the bars above must be visible, too.
_LEAST, _LEAST_IN_HALL = 190, 120


def alpha_text(alpha: Fraction) -> str:
    """*alpha* as a decimal number if three decimals are exact or the fraction is long, else as the fraction."""
    text = str(alpha)
    if (alpha * 1000).denominator == 1 or len(text) > _LONGEST:
        return significant(float(alpha))
    return text


class AlphaPlot(QWidget):
    """Both curves; ``chosen`` carries the alpha (a Fraction) that the user picks with the mouse."""

    chosen = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._curve: AlphaCurve | None = None
        self.alpha = Fraction(1)  #: the cursor's position
        self._top = 1.0
        self._marks: list[_Mark] = []
        text = PlotText("workload factor α", "reward")
        self.plot = TimePlot(theme, current_fonts(), text, parent=self)
        self._view = self.plot.getPlotItem().getViewBox()
        self.drag = CursorDrag(self.plot)
        self._dots = pg.ScatterPlotItem(size=_DOT, pen=None, useCache=False, antialias=True)
        self._cursor_text = pg.TextItem()
        self._prepare()
        in_column(self, self.plot)
        self.restyle(theme)

    def _prepare(self) -> None:
        self._view.sigResized.connect(self._place_texts)
        for item, height in ((self._dots, 110), (self._cursor_text, 120)):
            item.setZValue(height)
            self.plot.getPlotItem().addItem(item, ignoreBounds=True)
        self.drag.dragged.connect(self._choose)
        self.drag.returned.connect(lambda: self.chosen.emit(Fraction(1)))
        self.plot.setAccessibleName("rewards over the workload factor")
        self.plot.setToolTip(
            "Drag to see both programs at another workload; a double click returns to the present one."
        )

    def set_curve(self, curve: AlphaCurve) -> None:
        """Show another pair of curves, with the cursor at 1."""
        if self._curve is not None:
            for name in ("optimum", "greedy"):
                self.plot.remove(name)
        self._curve = curve
        self._top = step_up(_ROOM * max(1.0, float(curve.critical_high)))
        self.plot.set_x_range(0.0, self._top)
        for name, label, points in (("optimum", OPTIMUM_PLAIN, curve.optimum), ("greedy", GREEDY_PLAIN, curve.greedy)):
            pyramid = self.plot.add_curve(name, name, label=label)
            shown = [(float(a), float(value)) for a, value in points]
            shown.append((self._top, shown[-1][1]))
            pyramid.replace(*zip(*shown, strict=True))
        self._mark_critical(curve)
        self.plot.reset_view()
        self.set_alpha(Fraction(1))

    def _mark_critical(self, curve: AlphaCurve) -> None:
        plot = self.plot.getPlotItem()
        for mark in self._marks:
            plot.removeItem(mark.line)
            plot.removeItem(mark.text)
        self._marks = [
            _Mark(alpha, pg.InfiniteLine(float(alpha), angle=90), pg.TextItem(alpha_text(alpha)))
            for alpha in dict.fromkeys((curve.critical_low, curve.critical_high))
            if alpha
        ]
        for mark in self._marks:
            for item in (mark.line, mark.text):
                plot.addItem(item, ignoreBounds=True)
        self._style_marks()

    def set_alpha(self, alpha: Fraction) -> None:
        """Move the cursor, and mark both values at it on the curves."""
        if self._curve is None:
            return
        self.alpha = alpha
        self.plot.set_cursor(float(alpha))
        greedy, optimum = self._curve.value_at(alpha)
        spots = [
            {"pos": (float(alpha), float(value)), "brush": QColor(self._theme.color(role))}
            for value, role in ((optimum, "optimum"), (greedy, "greedy"))
        ]
        for mark in self._marks:
            place = float(mark.alpha), float(self._curve.value_at(mark.alpha)[1])
            spots.insert(0, {"pos": place, "brush": QColor(self._theme.muted)})
        self._dots.setData(spots)
        self._cursor_text.setText(f"α = {alpha_text(alpha)}")
        self._place_texts()

    # Looks.

    def restyle(self, theme: Theme) -> None:
        self._theme = theme
        self.plot.set_theme(theme, current_fonts())
        self.setMinimumHeight(_LEAST_IN_HALL if current_fonts().lecture else _LEAST)
        self._style_marks()
        self.set_alpha(self.alpha)

    def sizeHint(self) -> QSize:  # the plot's own hint grows with the plot
        return QSize(300, self.minimumHeight())

    def _style_marks(self) -> None:
        sizes, color = current_fonts(), QColor(self._theme.muted)
        pen = QPen(color, 1.0, Qt.PenStyle.DotLine)
        pen.setCosmetic(True)
        for mark in self._marks:
            mark.line.setPen(pen)
            mark.text.setColor(color)
            mark.text.setFont(sizes.body)
        self._cursor_text.setColor(QColor(self._theme.normal))
        self._cursor_text.setFont(sizes.body)
        self._dots.setSize(_DOT * sizes.scale)
        self._place_texts()

    def _place_texts(self) -> None:
        """Place the labels: of critical points at the bottom, of the cursor above them."""
        (left, right), (low, high) = self._view.viewRange()
        if min(self._view.width(), self._view.height()) <= 0:
            return
        across = (right - left) / self._view.width()
        for mark in self._marks:
            width = (mark.text.boundingRect().width() - _TEXT_MARGIN) * across
            # On the sides away from each other, if both fit there.
            first = mark is self._marks[0]
            fits = float(mark.alpha) - width > left, float(mark.alpha) + width < right
            before = fits[0] if first else not fits[1]
            mark.text.setAnchor((1, 1) if before else (0, 1))
            mark.text.setPos(float(mark.alpha), low)
        text = self._cursor_text.boundingRect()
        # In a low plot the label would cover the curves; alpha is also among the tiles.
        self._cursor_text.setVisible(self._view.height() >= _LINES_NAMED * text.height())
        fits = float(self.alpha) + text.width() * across < right
        self._cursor_text.setAnchor((0, 1) if fits else (1, 1))
        up = (high - low) / self._view.height() * text.height()
        self._cursor_text.setPos(float(self.alpha), low + up)

    def _choose(self, wanted: float, near: float) -> None:
        """Emit the alpha under the mouse: a special value if one is near, else a rounded number."""
        scale = 10 ** (3 - math.floor(math.log10(self._top)))
        rounded = Fraction(round(min(max(wanted, 0.0), self._top) * scale), scale)
        special = special_near(wanted, near, (Fraction(1), *(mark.alpha for mark in self._marks)))
        if self._curve is not None:
            self.chosen.emit(rounded if special is None else special)


class _Mark(NamedTuple):
    """A critical point: a dotted line and its label."""

    alpha: Fraction
    line: pg.InfiniteLine
    text: pg.TextItem
