"""The numbers of an experiment beside the paper's."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from slotscope.gui.experiments.words import at_text, at_texts, numbers_of, what_text
from slotscope.gui.language.words import tr
from slotscope.gui.theme import current_fonts
from slotscope.model.lab.results import Row

COLUMNS = ("what", "at", "paper", "ours", "± (95 %)")
TIPS = (
    "What\nWhat was measured.",
    "At\nFor which parameters.",
    "Paper\nThe number that the paper gives, – where it gives none.",
    "Ours\nThe mean over the parts that are finished.",
    "±\nThe half-width of the 95 % interval: exact, or – while one run says nothing about it.",
)
_AT, _PAPER, _FIRST_NUMBER = 1, 2, 2

#: Pixels between a cell's edge and its text.
_PADDING = 7

Index = QModelIndex | QPersistentModelIndex


class NumbersModel(QAbstractTableModel):
    """Rows of a result as text."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[tuple[str, ...], ...] = ()
        self._tips: tuple[str, ...] = ()

    def show(self, rows: tuple[Row, ...]) -> None:
        """Show these; where there are as many as before, selection and place stay."""
        texts = tuple((what_text(row), told, *numbers_of(row)) for row, told in zip(rows, at_texts(rows), strict=True))
        tips = tuple(f"exactly {row.exact}" if row.exact else f"{what_text(row)}: {at_text(row)}" for row in rows)
        if len(texts) == len(self.rows):
            self.rows, self._tips = texts, tips
            if texts:
                last = self.index(len(texts) - 1, len(COLUMNS) - 1)
                self.dataChanged.emit(self.index(0, 0), last)
            return
        self.beginResetModel()
        self.rows, self._tips = texts, tips
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(COLUMNS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return self.rows[index.row()][index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() >= _FIRST_NUMBER:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tips[index.row()]
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Vertical:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return tr(COLUMNS[section])
        if role == Qt.ItemDataRole.ToolTipRole:
            return tr(TIPS[section])
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section >= _FIRST_NUMBER else (Qt.AlignmentFlag.AlignLeft)
            return side | Qt.AlignmentFlag.AlignVCenter
        return None


class NumbersTable(QTableView):
    """The table: what / at / paper / ours / half-width."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.numbers = NumbersModel()
        self.setModel(self.numbers)
        self.setAccessibleName("numbers beside the paper's")
        self.setAlternatingRowColors(True)
        self.setShowGrid(False)
        self.setStyleSheet(f"QTableView::item {{ padding: 0 {_PADDING}px; }}")
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(_AT, QHeaderView.ResizeMode.Stretch)
        header.setHighlightSections(False)
        header.sectionResized.connect(self._resized)
        self.restyle()

    def show_rows(self, rows: tuple[Row, ...]) -> None:
        """Show the numbers of a result."""
        place = self.verticalScrollBar().value()
        self.numbers.show(rows)
        self.setColumnHidden(_PAPER, all(row.paper is None for row in rows))
        self._fit_rows(self.columnWidth(_AT))
        self.verticalScrollBar().setValue(place)

    def _resized(self, column: int, _: int, width: int) -> None:
        if column == _AT:
            self._fit_rows(width)

    def _fit_rows(self, width: int) -> None:
        """What tells a row from others is never cut: where there is no room beside the numbers it takes more lines."""
        metrics, header = self.fontMetrics(), self.verticalHeader()
        room = QRect(0, 0, max(1, width - 2 * _PADDING - 2), 1 << 20)
        spare = header.defaultSectionSize() - metrics.height()
        for number, row in enumerate(self.numbers.rows):
            wide = metrics.horizontalAdvance(row[_AT]) > room.width()
            lines = (
                metrics.boundingRect(room, Qt.TextFlag.TextWordWrap, row[_AT]).height() if wide else metrics.height()
            )
            header.resizeSection(number, lines + spare)

    def restyle(self) -> None:
        """Follow another size of type."""
        self.setFont(current_fonts().body)
        self.horizontalHeader().setFont(current_fonts().body)
        self.verticalHeader().setDefaultSectionSize(round(1.45 * self.fontMetrics().height()))
        self._fit_rows(self.columnWidth(_AT))
