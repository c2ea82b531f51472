"""Widgets that several panels share: rich text, tables in it, and rows that keep their height."""

from __future__ import annotations

from typing import Generic, Sequence, TypeVar

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.chart import Chart
from slotscope.gui.widgets.rows import Margins

Row = TypeVar("Row")

#: Least pixels between a number in a table and the column before it, besides both cells' padding.
_APART = 5


def rich_text(name: str) -> QLabel:
    """A label for some lines of rich text, which can be selected and copied."""
    label = QLabel(textFormat=Qt.TextFormat.RichText, wordWrap=True)
    label.setContentsMargins(10, 2, 10, 4)
    label.setAccessibleName(name)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def linked_text(margins: Margins, parent: QWidget | None = None) -> QLabel:
    """A rich text label whose links can be followed by mouse and keyboard."""
    label = QLabel(parent, wordWrap=True, textFormat=Qt.TextFormat.RichText)
    by_keys = Qt.TextInteractionFlag.LinksAccessibleByKeyboard
    label.setTextInteractionFlags(Qt.TextInteractionFlag.LinksAccessibleByMouse | by_keys)
    label.setContentsMargins(*margins)
    return label


def inked(text: str, ink: str) -> str:
    """Rich text in a colour."""
    return f'<span style="color:{ink}">{text}</span>'


def table_of(heads: Sequence[str], rows: Sequence[Sequence[str]], theme: Theme, words: int = 1, note: str = "") -> str:
    """Rows below muted headings over the whole width, as rich text, and a *note* below; no table without rows.

    The first *words* columns are aligned left, the others, numbers, right.
    """
    muted = [inked(text, theme.muted) for text in heads]
    lines = "".join(_table_line(cells, words) for cells in (muted, *rows))
    table = f'<table width="100%" cellspacing="0" cellpadding="2">{lines}</table>' if rows else ""
    return table + (f'<p style="color:{theme.muted}; margin:4px 2px">{note}</p>' if note else "")


def _table_line(cells: Sequence[str], words: int) -> str:
    left, right = 'align="left"', f'align="right" style="padding-left: {_APART}px"'
    written = "".join(f"<td {left if place < words else right}>{cell}</td>" for place, cell in enumerate(cells))
    return f"<tr>{written}</tr>"


class SteadyRows(Chart, Generic[Row]):
    """A widget of rows painted by a subclass; its height fits the largest number of rows so far."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme, name, QSizePolicy.Policy.Fixed)
        self.rows: tuple[Row, ...] = ()  #: the rows shown
        self._most_rows = 0

    def begin(self) -> None:
        """Forget the rows of the last scenario, and their number."""
        self.rows, self._most_rows = (), 0

    def set_rows(self, rows: tuple[Row, ...]) -> None:
        """Show these rows; with fewer rows the height stays, so that nothing around them moves."""
        before, self.rows = self._appearance(), rows
        if len(rows) > self._most_rows:
            self._most_rows = len(rows)
            self.updateGeometry()
        if self._appearance() != before:
            self.update()

    def _appearance(self) -> object:
        """Everything that determines how the rows are painted."""
        return self.rows

    def sizeHint(self) -> QSize:
        return QSize(200, round((self._most_rows + 1) * self._row_height() + 6))

    def _row_height(self) -> float:
        return self._metrics().height() + (2 if current_fonts().lecture else 6)
