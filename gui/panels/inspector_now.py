"""What is known of a thing now, for the inspector: facts, a curve, a table."""

from __future__ import annotations

import html
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QIcon, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QScrollArea, QSizePolicy, QTableView, QWidget

from slotscope.gui.panels.decisions_model import Index
from slotscope.gui.panels.pages import linked_text
from slotscope.gui.panels.scenario_cells import type_pixmap
from slotscope.gui.plotting.scales import format_number
from slotscope.gui.theme import Theme
from slotscope.gui.widgets.curtain import Curtain
from slotscope.gui.widgets.rows import STRETCH, in_column
from slotscope.model.reporting.inspection import Description, Fact, FactSection, HistoryCurve, Table, TableLine, Thing

#: Most rows that a table shows without scrolling.
_MOST_LINES = 12
_HEIGHT, _MARGIN = 3.4, 10


class SmallCurve(QWidget):
    """Paints a :class:`model.reporting.inspection.HistoryCurve` as steps."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._curve: HistoryCurve | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def restyle(self, theme: Theme) -> None:
        self._theme = theme
        self.updateGeometry()
        self.update()

    def show_curve(self, curve: HistoryCurve) -> None:
        self._curve = curve
        self.setAccessibleName(curve.label)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, round(_HEIGHT * self.fontMetrics().height()))

    def paintEvent(self, _event: QPaintEvent) -> None:
        curve = self._curve
        if curve is None or not len(curve.times):
            return
        painter = QPainter(self)
        line = self.fontMetrics().height()
        most = float(curve.values.max())
        words = f"{curve.label} so far, at most {format_number(most)}"
        painter.setPen(QColor(self._theme.muted))
        painter.drawText(QPointF(_MARGIN, 0.8 * line), words)
        plot = QRectF(_MARGIN, 1.3 * line, self.width() - 2 * _MARGIN, self.height() - 1.8 * line)
        painter.setPen(QPen(QColor(self._theme.grid), 1))
        painter.drawLine(plot.bottomLeft(), plot.bottomRight())
        painter.setPen(QPen(QColor(self._theme.run), 1.2))
        painter.drawPolyline(self._steps(curve, plot, most or 1.0))
        painter.end()

    @staticmethod
    def _steps(curve: HistoryCurve, plot: QRectF, most: float) -> QPolygonF:
        """The polygon of the largest value in each column of pixels."""
        columns = max(2, int(plot.width()))
        edges = np.linspace(curve.times[0], curve.times[-1], columns + 1)
        starts = np.maximum(np.searchsorted(curve.times, edges[:-1], side="right") - 1, 0)
        values = np.maximum.reduceat(curve.values, starts)
        values[-1] = curve.values[-1]
        points = QPolygonF()
        for column, value in enumerate(values):
            height = plot.bottom() - plot.height() * float(value) / most
            points.append(QPointF(plot.left() + column, height))
            points.append(QPointF(plot.left() + column + 1, height))
        return points


class LinesModel(QAbstractTableModel):
    """The model of a table."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.table = Table("", (), ())
        self.icons: dict[tuple[int, str], QIcon] = {}
        self.muted: Any = None

    def set_table(self, table: Table) -> None:
        if table == self.table:
            return
        same = (table.columns, len(table.lines)) == (self.table.columns, len(self.table.lines))
        if not same:
            self.beginResetModel()
        self.table = table
        if not same:
            self.endResetModel()
        elif table.lines:
            last = self.index(len(table.lines) - 1, len(table.columns) - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def line(self, row: int) -> TableLine:
        return self.table.lines[row]

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.table.lines)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.table.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        line, column = self.line(index.row()), index.column()
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole}:
            return line.cells[column]
        if role == Qt.ItemDataRole.DecorationRole and column == 0:
            return self.icons.get((line.type, line.letter))
        if role == Qt.ItemDataRole.ForegroundRole and line.thing is None:
            return self.muted
        return _side(column) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self.table.columns[section]
        return _side(section) if role == Qt.ItemDataRole.TextAlignmentRole else None


def _side(column: int) -> Qt.AlignmentFlag:
    """Names are aligned left, numbers right."""
    side = Qt.AlignmentFlag.AlignRight if column > 1 else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


class Now(QScrollArea):
    """Shows what is known of a thing; ``chosen`` is emitted with a thing that was clicked in it."""

    chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._things: dict[str, Thing] = {}
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.facts = linked_text((10, 0, 10, 4))
        self.facts.linkActivated.connect(lambda link: self.chosen.emit(self._things[link]))
        self.curve = SmallCurve(theme)
        self.model = LinesModel(self)
        self.table = self._table()
        inner = QWidget()
        in_column(inner, self.facts, self.curve, self.table, STRETCH, spacing=0)
        self.setWidget(inner)
        Curtain(self)

    def _table(self) -> QTableView:
        table = QTableView()
        table.setModel(self.model)
        table.setShowGrid(False)
        table.setFrameShape(QFrame.Shape.NoFrame)
        table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setTabKeyNavigation(False)
        table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        table.verticalHeader().hide()
        table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        table.horizontalHeader().setHighlightSections(False)
        table.clicked.connect(self._pick)
        table.activated.connect(self._pick)
        return table

    def restyle(self, theme: Theme) -> None:
        self._theme = theme
        self.curve.restyle(theme)
        height = round(QFontMetricsF(self.font()).height())
        self.table.setIconSize(QSize(height, height))
        self.table.verticalHeader().setDefaultSectionSize(height + 8)
        self.model.muted = self.palette().placeholderText()
        self.model.icons.clear()

    def show_description(self, description: Description, new: bool) -> None:
        """Show a description; that of a *new* thing is scrolled to the top."""
        self._things.clear()
        text = "".join(self._section(section) for section in description.sections)
        text = f"<table cellspacing='0'>{text}</table>" if text else ""
        if description.absent:
            text = html.escape(description.absent)
        if text != self.facts.text():
            self.facts.setText(text)
        self.curve.setVisible(description.curve is not None)
        if description.curve is not None:
            self.curve.show_curve(description.curve)
        self._show_table(description.table)
        if new:
            self.verticalScrollBar().setValue(0)

    def _show_table(self, table: Table | None) -> None:
        lines = 0 if table is None else len(table.lines)
        self.table.setVisible(lines > 0)
        if table is None or not lines:
            return
        for line in table.lines:
            if line.type >= 0 and (line.type, line.letter) not in self.model.icons:
                self.model.icons[line.type, line.letter] = self._mark(line.type, line.letter)
        self.table.setAccessibleName(table.name)
        self.model.set_table(table)
        row = self.table.verticalHeader().defaultSectionSize()
        head = self.table.horizontalHeader().sizeHint().height()
        self.table.setFixedHeight(head + row * min(lines, _MOST_LINES) + 4)

    def _mark(self, number: int, letter: str) -> QIcon:
        side, ratio = round(QFontMetricsF(self.font()).height()), self.devicePixelRatioF()
        return QIcon(type_pixmap(self._theme, number, side, ratio, self.font(), letter))

    # Words.

    def _section(self, section: FactSection) -> str:
        title = (
            (f"<tr><td colspan='2' style='padding-top: 6px'><b>{html.escape(section.title)}</b></td></tr>")
            if section.title
            else ""
        )
        return title + "".join(self._fact(fact) for fact in section.facts)

    def _fact(self, fact: Fact) -> str:
        value = html.escape(f"{fact.value} {fact.unit}".rstrip())
        if fact.meaning:
            ink = self._theme.ink(getattr(self._theme, fact.meaning))
            value = f"<span style='color: {ink}'>{value}</span>"
        if fact.thing is not None:
            link = str(len(self._things))
            self._things[link] = fact.thing
            ink = self._theme.ink(self._theme.focus)
            value = f"<a href='{link}' style='color: {ink}'>{value}</a>"
        label = html.escape(fact.label).replace(" ", "&nbsp;")
        return f"<tr><td style='color: {self._theme.muted}; padding-right: 12px'>{label}</td><td>{value}</td></tr>"

    # Going elsewhere.

    def _pick(self, index: QModelIndex) -> None:
        thing = self.model.line(index.row()).thing
        if thing is not None:
            self.chosen.emit(thing)
