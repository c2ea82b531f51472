"""The map's widget: a cached picture of the policy, and the servers that move over it."""

from __future__ import annotations

from typing import Callable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPixmap, QResizeEvent

from slotscope.gui.kinds.phases.policy_map_layout import NONE, MapLayout, laid_out
from slotscope.gui.kinds.phases.policy_map_legend import PolicyMapLegend, paint_dots
from slotscope.gui.kinds.phases.policy_map_painting import MapPainter, slice_name
from slotscope.gui.kinds.phases.policy_map_values import MapValues
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.chart import Chart

_LEAST_LINES, _USUAL_LINES = 8, 18  # minimum and preferred height in lines of text
MARGIN = 4.0
#: With smaller cells, in pixels, the legend is brief.
_LEGIBLE = 28
TOO_SMALL = "There is no room for this many configurations; enlarge the panel."


class MapView(Chart):
    """Cells, arrows and legend of one pool, with its servers on top.

    ``cell_clicked`` is emitted with a cell and whether by a double click; *words_of* returns the tooltip of a cell, or
    with None of the picture.
    """

    cell_clicked = Signal(int, bool)
    words_of: Callable[[int | None], str]

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "map of the policy")
        self.values: MapValues | None = None  #: the policy's values shown
        self._names: tuple[str, ...] = ()
        self._layout: MapLayout | None = None
        self.still_picture: QPixmap | None = None
        self._legend: PolicyMapLegend  # the legend for the present layout
        self.counts: NDArray[np.int64] = np.zeros(0, np.int64)  #: [N] the number of servers shown in each cell
        self.marked: tuple[tuple[int, str], ...] = ()  #: outlined cells, each with its colour's role

    # What is shown.

    def set_values(self, values: MapValues, names: tuple[str, ...]) -> None:
        """Show another policy or pool, or other axes."""
        self.values, self._names = values, names
        self.counts = np.zeros(len(values.cells), np.int64)
        self.marked = ()
        self._forget()

    def set_servers(self, counts: NDArray[np.int64], marked: tuple[tuple[int, str], ...]) -> None:
        """Show these numbers of servers in cells [N], and outline the *marked* cells."""
        if marked != self.marked or not np.array_equal(counts, self.counts):
            self.counts, self.marked = counts, marked
            self.update()

    def restyle(self, theme: Theme) -> None:
        super().restyle(theme)
        self._forget()

    def _forget(self) -> None:
        self._layout = self.still_picture = None
        self.update()

    # Places.

    def sizeHint(self) -> QSize:
        return QSize(320, round(_USUAL_LINES * self._metrics().height()))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, round(_LEAST_LINES * self._metrics().height()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._forget()

    @property
    def places(self) -> MapLayout | None:
        """The layout for the present size; None before there are values."""
        if self._layout is None and self.values is not None:
            self._arrange(self.values)
        return self._layout

    def _arrange(self, values: MapValues) -> None:
        """Lay out with the full legend if cells are legible beside it, else with a brief one if that helps."""
        self._legend = PolicyMapLegend(self._theme, values, self._names)
        self._layout = found = self._beside(self._legend, values)
        legible, without = _LEGIBLE * current_fonts().scale, found.legend.isEmpty()
        if found.side < legible or without:
            brief = PolicyMapLegend(self._theme, values, self._names, brief=True)
            other = self._beside(brief, values)
            if not other.legend.isEmpty() and other.side >= (legible if without else found.side + 1):
                self._legend, self._layout = brief, other

    def _beside(self, legend: PolicyMapLegend, values: MapValues) -> MapLayout:
        metrics = self._metrics()
        room = QSizeF(self.width() - 2 * MARGIN, self.height() - 2 * MARGIN)
        return laid_out(values.cells, room, legend.size(metrics), metrics.height(), self._heading(metrics))

    def _heading(self, metrics: QFontMetricsF) -> float:
        """Width of a slice's heading."""
        assert self.values is not None
        cells = self.values.cells
        if cells.third == NONE:
            return 0.0
        return metrics.horizontalAdvance(slice_name(self._names, cells, cells.slices - 1)) + 4

    # Painting.

    def paint(self, painter: QPainter) -> None:
        layout, values = self.places, self.values
        if layout is None or values is None:
            return
        if not layout.side:
            painter.setPen(QColor(self._theme.muted))
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(self.rect(), flags, TOO_SMALL)
            return
        painter.drawPixmap(0, 0, self._painted(layout, values))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(MARGIN, MARGIN)
        servers = int(self.counts.sum())
        for cell in np.flatnonzero(self.counts).tolist():
            count = int(self.counts[cell])
            paint_dots(painter, layout.box(cell), count, self._theme, servers)
        for cell, role in self.marked:
            pen = QPen(QColor(self._theme.color(role)), 2.2 * current_fonts().scale)
            pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(layout.box(cell).adjusted(1, 1, -1, -1))

    def _painted(self, layout: MapLayout, values: MapValues) -> QPixmap:
        """The constant picture, painted once per size and theme."""
        ratio = self.devicePixelRatioF()
        if self.still_picture is not None and self.still_picture.devicePixelRatioF() == ratio:
            return self.still_picture
        picture = QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(QColor(self._theme.panel))
        painter = QPainter(picture)
        painter.setFont(current_fonts().body)
        painter.translate(MARGIN, MARGIN)
        MapPainter(painter, self._theme, layout, values, self._names).all()
        if not layout.legend.isEmpty():
            self._legend.paint(painter, layout.legend)
        painter.end()
        self.still_picture = picture
        return picture

    # The mouse.

    def cell_at(self, point: QPointF) -> int | None:
        """The cell at a point of the widget; None if there is none."""
        layout = self.places
        if layout is None or not layout.side:
            return None
        return layout.cell_at(point - QPointF(MARGIN, MARGIN))

    def pick(self, point: QPointF, double: bool) -> bool:
        """Select the cell at a point."""
        cell = self.cell_at(point)
        if cell is not None:
            self.cell_clicked.emit(cell, double)
        return cell is not None

    def tip_at(self, point: QPointF) -> str:
        """The tooltip from the panel."""
        return self.words_of(self.cell_at(point))
