"""The optimum: (P) and Theorem 1, D* over the load, reserved shares, and exact values."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Iterable

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from slotscope.gui.kinds.moldable.lp_ratios import RatioPlot, picture_heights
from slotscope.gui.kinds.moldable.lp_shares import SharesPlot
from slotscope.gui.kinds.moldable.lp_values import (
    ShownClass,
    curve_text,
    note,
    proof_lines,
    ratio_values,
    reference_table,
    share_values,
    shown_of,
    tiles,
    width_table,
)
from slotscope.gui.language.words import tr
from slotscope.gui.panels.bounds import BoundsPanel, busy_page, say
from slotscope.gui.panels.pages import rich_text
from slotscope.gui.panels.scenario_cells import Chooser
from slotscope.gui.plotting.cursor_drag import CursorDrag, special_near
from slotscope.gui.plotting.pyramid import Pyramid
from slotscope.gui.plotting.time_plot import PlotText, TimePlot
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.rows import in_column
from slotscope.model.reporting.frame import Frame

if TYPE_CHECKING:  # the solvers behind it take long to import
    from slotscope.model.kinds.moldable.programs.bounds import MoldableBounds

#: Least width in pixels, at the usual font size, for pictures beside the tables.
_TWO_COLUMNS = 880
_DOT, _KNOT = 9.0, 5.0
_MARGINS = (4, 8, 16, 4)  # at the right for half of the last number, if there is no label
_ROOM = 1.08  # upper end of the axis, relative to the curve
_HEADED = 3  # lines of a table's heading and a row: if less is visible, pictures get the room
_STEPS = 1000  # a dragged load is rounded to multiples of 1 / _STEPS


class LoadCurve(QWidget):
    """The curve of D* over the load; ``chosen`` is emitted with a dragged load (a Fraction), or None: the run's own."""

    chosen = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._present = Fraction(0)
        self._knots: tuple[Fraction, ...] = ()
        self.load, self._text = Fraction(0), ""  #: the cursor's load, and its label
        text = PlotText("load", "D*")
        self.plot = TimePlot(theme, current_fonts(), text, parent=self)
        self._curve: Pyramid = self.plot.add_curve("D*", "optimum")
        self._room: Pyramid = self.plot.add_curve("room", "grid")  # a single point that extends the axis
        self.drag = CursorDrag(self.plot)
        self._dots = pg.ScatterPlotItem(pen=None, useCache=False, antialias=True)
        self._dots.setZValue(110)
        self._prepare()
        in_column(self, self.plot)

    def _prepare(self) -> None:
        self.plot.getPlotItem().setContentsMargins(*_MARGINS)
        self.plot.getPlotItem().addItem(self._dots, ignoreBounds=True)
        self.plot.set_x_range(0.0, 1.0)
        self.drag.dragged.connect(self._choose)
        self.drag.returned.connect(lambda: self.chosen.emit(None))
        self.plot.setAccessibleName("least mean execution time over the load")
        self.plot.setToolTip(
            "The least mean execution time over the load; dots are where the widths change.\nDrag to see the optimum "
            "at another load; a double click returns to the present one."
        )

    def set_curve(
        self, curve: NDArray[np.float64], knots: tuple[Fraction, ...], present: Fraction, symbol: str
    ) -> None:
        """Show another curve [points, 2], with bends at *knots* and the cursor at *present*."""
        self.plot.forget()
        self._curve.replace(np.r_[0.0, curve[:, 0]], np.r_[curve[0, 1], curve[:, 1]])
        self._room.replace([0.0], [_ROOM * float(curve[:, 1].max())])
        self._knots, self._present = knots, present
        self.plot.getPlotItem().getAxis("bottom").set_name(f"load {symbol}")
        self.plot.refresh()

    def show_load(self, load: Fraction, text: str) -> None:
        """Move the cursor; *text* labels the curve's height there, if the cursor is on it."""
        self.load, self._text = load, text
        inside = 0 < load <= 1
        self.plot.set_cursor(float(load) if inside else None)
        spots = [
            {"pos": (float(knot), self.value_at(knot)), "size": _KNOT * self._scale, "brush": QColor(self._theme.muted)}
            for knot in self._knots
        ]
        if inside:
            height = self.value_at(load)
            self.plot.set_reference("here", height, "optimum", text)
            spots.append(
                {"pos": (float(load), height), "size": _DOT * self._scale, "brush": QColor(self._theme.optimum)}
            )
        else:
            self.plot.discard("here")
        self._dots.setData(spots)
        self.plot.refresh()

    def value_at(self, load: Fraction) -> float:
        """The curve's height at a load."""
        return float(np.interp(float(load), self._curve.x, self._curve.y))

    @property
    def _scale(self) -> float:
        return current_fonts().scale

    def restyle(self, theme: Theme) -> None:
        self._theme = theme
        self.plot.set_theme(theme, current_fonts())
        self.setMinimumHeight(picture_heights()[0])
        if len(self._curve):
            self.show_load(self.load, self._text)

    def sizeHint(self) -> QSize:  # a plot's own size hint grows with the plot
        return QSize(300, picture_heights()[1])

    def _choose(self, wanted: float, near: float) -> None:
        """Ask for the load under the mouse: rounded, or a special one nearby."""
        specials = (one for one in (self._present, *self._knots) if 0 < one <= 1)
        rounded = Fraction(min(max(round(wanted * _STEPS), 1), _STEPS), _STEPS)
        if len(self._curve):
            self.chosen.emit(special_near(wanted, near, specials) or rounded)


class AllocationLPPanel(BoundsPanel):
    """The optimal numbers of servers for jobs, and the resulting execution time."""

    name = "allocation-lp"
    title = "Optimum"
    summary = "(P) and Theorem 1: the widths, p* and D*, also for other loads; exact references."
    needs = frozenset({"bounds", "moldable"})

    def build(self) -> None:
        """Create the three pages: results, progress, sentence."""
        super().build()
        self._class = 0
        self._wanted: Fraction | None = None  # a load chosen instead of the run's
        self.note = rich_text("what is missing")
        self.chooser = Chooser()
        self.chooser.setAccessibleName("class of jobs")
        self.chooser.setToolTip("Class: the pictures and the table below are about this one.")
        self.chooser.currentIndexChanged.connect(self._choose_class)
        self.ratios = RatioPlot(self.theme)
        self.curve = LoadCurve(self.theme)
        self.curve.chosen.connect(self._choose_load)
        self.shares = SharesPlot(self.theme)
        self.shares.picked.connect(self.chooser.setCurrentIndex)
        self.follow_theme(self.ratios, self.curve, self.shares)
        self.widths = rich_text("widths")
        self.proof = rich_text("checks of the solution")
        self.references = rich_text("what is known of policies")
        head = QWidget()
        in_column(head, self.tiles, self.note, spacing=2)
        self.build_pages(busy_page(tr("Computing the optimum …")), head)

    # Frames.

    def begin(self, frame: Frame) -> None:
        """Show another run's first class at its own load."""
        super().begin(frame)
        self._class, self._wanted = 0, None

    def knows(self, bounds: MoldableBounds) -> bool:
        """Whether any class is solved."""
        return bool(bounds.classes)

    def show_bounds(self, frame: Frame) -> None:
        """Show the classes' shares side by side, and the chosen class."""
        self._name_classes()
        self.shares.set_values(share_values(self.bounds))
        self.shares.setVisible(bool(self.shares.values))
        self._show_class()

    def _name_classes(self) -> None:
        names = [one.name for one in self.bounds.classes]
        self._class = min(self._class, len(names) - 1)
        self.chooser.setVisible(len(names) > 1)
        if names == [self.chooser.itemText(n) for n in range(self.chooser.count())]:
            return
        self.chooser.blockSignals(True)
        self.chooser.clear()
        self.chooser.addItems(names)
        self.chooser.setCurrentIndex(self._class)
        self.chooser.blockSignals(False)

    def _choose_class(self, place: int) -> None:
        if 0 <= place < len(self.bounds.classes) and place != self._class:
            self._class, self._wanted = place, None
            self._show_class()

    def _choose_load(self, load: Fraction | None) -> None:
        if load != self._wanted:
            self._wanted = load
            self._show_load()

    @property
    def shown(self) -> ShownClass:
        """The chosen class and load."""
        return shown_of(self.bounds, self._class, self._wanted)

    def _show_class(self) -> None:
        """Update to another class, or other bounds."""
        one = self.bounds.classes[self._class]
        present = shown_of(self.bounds, self._class, None)
        knots = tuple(load for load, _ in one.knots if load)
        self.curve.set_curve(one.curve, knots, present.load, present.symbol)
        self._show_load()

    def _show_load(self) -> None:
        """Update the pictures and texts to another load."""
        shown = self.shown
        self.tiles.set_texts(tiles(self.bounds, shown))
        self.ratios.set_values(ratio_values(shown))
        self.curve.show_load(shown.load, curve_text(shown))
        self.write()

    def write(self) -> None:
        """Write sentences and tables."""
        bounds, shown, theme = self.bounds, self.shown, self.theme
        say(
            (self.note, note(bounds, shown, theme)),
            (self.widths, width_table(shown, theme)),
            (self.proof, proof_lines(bounds, shown, theme)),
            (self.references, reference_table(bounds, theme)),
        )

    # The window.

    def arrange(self) -> None:
        """Place everything in one column, or the tables beside the pictures."""
        growing = [self.shares, self.ratios, self.curve]
        pictures: list[QWidget] = [self.shares, self.chooser, self.ratios, self.curve]
        tables: list[QWidget] = [self.widths, self.references, self.proof]
        self.curve.setMinimumHeight(picture_heights()[0])
        if self.wide:
            self.area.arrange(pictures, tables, growing)
            return
        self.area.arrange([*pictures, *tables], growing=growing)
        spare = self.area.viewport().height() - self.area.least_height(pictures)
        if 0 < spare < _HEADED * self.fontMetrics().height():
            self.curve.setMinimumHeight(picture_heights()[0] + spare)

    def series(self) -> tuple[list[str], Iterable[Iterable[object]]] | None:
        """The optimum: a row per class and width."""
        if self.bounds is None or not self.bounds.solved:
            return None
        names = ["class", "i", "speedup", "y", "p", "y_exact", "p_exact"]
        return names, (
            [one.name, i, float(s), float(y), float(p), str(y), str(p)]
            for one in self.bounds.classes
            for i, (s, y, p) in enumerate(zip(one.speedup, one.y, one.p, strict=True), 1)
        )
