"""Texts for screen readers: what a panel shows, from its own labels and its table."""

from __future__ import annotations

import math
import re
from collections import deque
from itertools import islice, takewhile
from typing import Any, Iterable

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QTextDocumentFragment
from PySide6.QtWidgets import QAbstractScrollArea, QLabel, QWidget

#: Most rows of a table that are read out; for more, the user saves the panel's data.
MOST_ROWS = 40
#: The first column of tables over time, of which only the current moment's row is read out.
OVER_TIME = "event"

_MARKUP, _MARKUP_OR_SIGN = re.compile(r"<\w+[^<]*>"), re.compile("[<&]")

Table = tuple[list[str], Iterable[Iterable[object]]]


def heard() -> bool:
    """Whether a screen reader is active: otherwise no texts are made."""
    return QAccessible.isActive()


def announce(speaker: QObject, words: str) -> None:
    """Have the screen reader speak this now."""
    if words and heard():
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(speaker, words))


def describe(widget: QWidget, words: str) -> None:
    """Set a widget's accessible description, if it has changed."""
    if widget.accessibleDescription() != words:
        widget.setAccessibleDescription(words)


def words_of(body: QWidget, table: Table | None, event: int) -> str:
    """The description of a panel after an event: texts of visible widgets, and its table."""
    parts = [_said_by(part) for part in body.findChildren(QWidget) if part.isVisibleTo(body)]
    if table is not None:
        parts.append(_read_out(*table, event))
    return "\n".join(dict.fromkeys(filter(None, parts)))


def _said_by(part: QWidget) -> str:
    if isinstance(part, QLabel):
        return plain(part)
    return part.accessibleDescription()


def plain(label: QLabel) -> str:
    """A label's text without markup."""
    text, kind = label.text(), label.textFormat()
    marked = kind is Qt.TextFormat.RichText or (kind is Qt.TextFormat.AutoText and _MARKUP.search(text))
    return without_markup(text) if marked else " ".join(text.split())


def without_markup(text: str) -> str:
    """The words of rich text, in one line."""
    if not _MARKUP_OR_SIGN.search(text):  # parsing a document takes long
        return " ".join(text.split())
    return " ".join(QTextDocumentFragment.fromHtml(text).toPlainText().split())


def _read_out(names: list[str], rows: Iterable[Iterable[Any]], event: int) -> str:
    if names[0] == OVER_TIME:  # after going back, rows continue beyond the moment
        told = deque(takewhile(lambda row: row[0] <= event, map(tuple, rows)), maxlen=1)
        return "\n".join(_row(names, row) for row in told)
    going_on = iter(rows)
    read = [_row(names, row) for row in islice(going_on, MOST_ROWS)]
    return "\n".join(read if next(going_on, None) is None else [*read, "..."])


def _row(names: list[str], row: Iterable[object]) -> str:
    pairs = zip(names, row, strict=True)
    return ", ".join(f"{name.replace('_', ' ')} {_value(value)}".strip() for name, value in pairs if _known(value))


def _known(value: object) -> bool:
    return value not in ("", None) and not (isinstance(value, float) and math.isnan(value))


def _value(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def name_areas(root: QWidget, name: str) -> None:
    """Name the scroll areas in *root*, and their viewports, for screen readers, unless they have names."""
    for area in root.findChildren(QAbstractScrollArea):
        for part in (area, area.viewport()):
            if not part.accessibleName():
                part.setAccessibleName(area.accessibleName() or name)
