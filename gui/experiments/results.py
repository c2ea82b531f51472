"""The results of an experiment so far: picture, numbers, and notes."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QSplitter,
    QTabBar,
    QTableView,
    QTextBrowser,
    QWidget,
)

from slotscope.gui.experiments.picture import ResultPicture
from slotscope.gui.experiments.words import at_text, at_texts, numbers_of, typeset, what_text
from slotscope.gui.language.words import tr
from slotscope.gui.theme import Theme, current_fonts, view_palette
from slotscope.gui.widgets.rows import in_column
from slotscope.model.lab.results import Result, Row

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
    """The rows of a result as a table model of texts."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[tuple[str, ...], ...] = ()
        self._tips: tuple[str, ...] = ()

    def show(self, rows: tuple[Row, ...]) -> None:
        """Show these rows; if their number is unchanged, selection and scroll position are kept."""
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
    """The table with the columns what, at, paper, ours, half-width."""

    def __init__(self) -> None:
        super().__init__()
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
        """Set the rows' heights: parameters that do not fit beside the numbers are wrapped, never cut."""
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
        self.setFont(current_fonts().body)
        self.horizontalHeader().setFont(current_fonts().body)
        self.verticalHeader().setDefaultSectionSize(round(1.45 * self.fontMetrics().height()))
        self._fit_rows(self.columnWidth(_AT))


#: The least width in pixels for numbers and notes side by side, at the usual font size.
_BOTH = 840


class Results(QWidget):
    """The picture, and below it numbers and notes, side by side if they fit, else in tabs."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.picture = ResultPicture(theme)
        self.table = NumbersTable()
        self.notes = QTextBrowser()
        self.notes.setAccessibleName(tr("notes on the numbers"))
        self.notes.setFrameShape(QFrame.Shape.NoFrame)
        self.notes.document().setDocumentMargin(8)
        self.tabs = QTabBar(drawBase=False)
        self.tabs.setAccessibleName(tr("numbers or notes"))
        for name, tip in (
            (tr("Numbers"), tr("The numbers beside the paper's.")),
            (tr("Notes"), tr("What the paper says, and what was chosen.")),
        ):
            self.tabs.setTabToolTip(self.tabs.addTab(name), f"{name}\n{tip}")
        self.tabs.currentChanged.connect(self._arrange)
        below = QWidget()
        in_column(
            below, self.tabs, (split(Qt.Orientation.Horizontal, (self.table, 68), (self.notes, 32)), 1), spacing=0
        )
        in_column(self, split(Qt.Orientation.Vertical, (self.picture, 60), (below, 40)))
        self.set_theme(theme)

    def show_result(self, result: Result | None, note: str, *, complete: bool) -> None:
        """Show a result, perhaps a partial one; *note* is shown if there is no curve yet."""
        figures = result.figures if result is not None else ()
        self.picture.show_figures(figures, note, complete=complete)
        self.table.show_rows(result.rows if result is not None else ())
        notes = "\n\n".join(map(typeset, result.notes)) if result is not None else ""
        if notes != self.notes.toPlainText():
            self.notes.setPlainText(notes)

    def set_theme(self, theme: Theme) -> None:
        self.picture.set_theme(theme)
        self.table.restyle()
        self.notes.setPalette(view_palette(theme))
        self._arrange()

    def _arrange(self) -> None:
        narrow = self.width() < _BOTH * current_fonts().scale
        self.tabs.setVisible(narrow)
        self.table.setVisible(not narrow or self.tabs.currentIndex() == 0)
        self.notes.setVisible(not narrow or self.tabs.currentIndex() == 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show numbers and notes side by side or in tabs, depending on the width."""
        super().resizeEvent(event)
        self._arrange()


def split(orientation: Qt.Orientation, *parts: tuple[QWidget, int]) -> QSplitter:
    """A splitter of (widget, share); shares are the initial proportions and the stretch factors."""
    splitter = QSplitter(orientation, childrenCollapsible=False)
    for place, (widget, share) in enumerate(parts):
        splitter.addWidget(widget)
        splitter.setStretchFactor(place, share)
    splitter.setSizes([10 * share for _, share in parts])
    return splitter
