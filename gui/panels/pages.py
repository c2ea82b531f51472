"""Widgets that several panels have alike: a text in rich type, tables in it, and rows whose height stays."""

from __future__ import annotations

from typing import Generic, Sequence, TypeVar

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.chart import Chart
from slotscope.gui.widgets.rows import Margins

Row = TypeVar("Row")

#: Pixels between a number of a table and the column before it, besides the padding of both, however narrow it is.
_APART = 5


def rich_text(name: str) -> QLabel:
    """A label for some lines of rich text, to be selected and copied."""
    label = QLabel(textFormat=Qt.TextFormat.RichText, wordWrap=True)
    label.setContentsMargins(10, 2, 10, 4)
    label.setAccessibleName(name)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def linked_text(margins: Margins, parent: QWidget | None = None) -> QLabel:
    """A text in rich type whose links can be followed, by keys, too."""
    label = QLabel(parent, wordWrap=True, textFormat=Qt.TextFormat.RichText)
    by_keys = Qt.TextInteractionFlag.LinksAccessibleByKeyboard
    label.setTextInteractionFlags(Qt.TextInteractionFlag.LinksAccessibleByMouse | by_keys)
    label.setContentsMargins(*margins)
    return label


def inked(text: str, ink: str) -> str:
    """Rich text in a colour."""
    return f'<span style="color:{ink}">{text}</span>'


def table_of(heads: Sequence[str], rows: Sequence[Sequence[str]], theme: Theme, words: int = 1, note: str = "") -> str:
    """Rows below muted headings over the whole width, if there are any, in rich text, and a *note* below them.

    So many *words* of each row stand at the left, then numbers at the right.
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
    """Rows that a subclass paints; the height is that of the most there have been."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme, name, QSizePolicy.Policy.Fixed)
        self.rows: tuple[Row, ...] = ()  #: what is shown
        self._most_rows = 0

    def begin(self) -> None:
        """Forget the rows of another scenario."""
        self.rows, self._most_rows = (), 0

    def set_rows(self, rows: tuple[Row, ...]) -> None:
        """Show these; nothing around them jumps where they get fewer."""
        before, self.rows = self._appearance(), rows
        if len(rows) > self._most_rows:
            self._most_rows = len(rows)
            self.updateGeometry()
        if self._appearance() != before:
            self.update()

    def _appearance(self) -> object:
        """What decides how the rows look."""
        return self.rows

    def sizeHint(self) -> QSize:
        return QSize(200, round((self._most_rows + 1) * self._row_height() + 6))

    def _row_height(self) -> float:
        return self._metrics().height() + (2 if current_fonts().lecture else 6)
