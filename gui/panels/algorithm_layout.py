"""Where lines of pseudocode and the values of a run stand: beside each other or wrapped."""

from __future__ import annotations

from functools import lru_cache
from html import escape
from typing import Mapping, NamedTuple

from PySide6.QtCore import QPointF
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QPalette,
    QTextCursor,
    QTextDocument,
    QTextOption,
)

from slotscope.gui.panels.algorithm_values import Beside, Code
from slotscope.model.policies.common import PseudocodeLine
from slotscope.model.reporting.records import Line

_EDGE = 8.0  # pixels that stay free at the right
HEADING_LEFT = 8.0  #: where headings begin
_INDENT, _GAP, _NEXT = 0.7, 0.7, 0.6  # of a level, before values and between them, in rows
_READABLE = 0.3  # of the width, that a line which is cut keeps beside its values

#: A row that ends in an ellipsis is filled with letters, not with words.
_ANYWHERE = QTextOption()
_ANYWHERE.setWrapMode(QTextOption.WrapMode.WrapAnywhere)

#: Values that are remembered as they are set; then all are forgotten.
_MOST_REMEMBERED = 512


class SetText(QTextDocument):
    """Rich text as it is set; what each painting asks is found once a width."""

    _ascent: float | None = None

    def setTextWidth(self, width: float) -> None:
        super().setTextWidth(width)
        self._ascent = None

    @property
    def ascent(self) -> float:
        """From the top to the first base line."""
        if self._ascent is None:
            self.size()  # lays it out
            self._ascent = self.firstBlock().layout().lineAt(0).ascent()
        return self._ascent


class Value(NamedTuple):
    """A value, from the corner of its line's strip."""

    document: SetText
    base: QPointF  #: where its base line begins
    fresh: bool


class PlacedLine(NamedTuple):
    """One line with its values."""

    top: float
    height: float
    document: SetText
    values: tuple[Value, ...]
    heading: SetText | None = None  #: above it, where an algorithm begins

    @property
    def begin(self) -> float:
        """Its top, with the heading above it."""
        return self.top if self.heading is None else self.top - self.heading.size().height() - 3

    @property
    def bottom(self) -> float:
        """Where the next line may begin."""
        return self.top + self.height


class Text(NamedTuple):
    """The text of a line as it is set, without its values."""

    document: SetText
    height: float
    end: float  #: of its last row
    base: float  #: of its last row


#: A line's text, its values, and how high it is with them.
SetLine = tuple[SetText, tuple[Value, ...], float]


class CodeLayout:
    """Pseudocode set in a type, wrapped to a width; values stand after the line they belong to, or below it."""

    def __init__(
        self, code: Code, font: QFont, width: float, headings: bool, tight: bool = False, brief: bool = False
    ) -> None:
        """*tight*: rows stand as close as those without raised and lowered letters.

        *brief*: long lines but the current one end in an ellipsis on their first row.
        """
        self._code, self._font, self._headings, self._brief = code, font, headings, brief
        metrics = QFontMetricsF(font)
        longest = max((line.line.number for line in code.lines), default=0)
        self.gutter = metrics.horizontalAdvance("0" * max(2, len(str(longest)))) + 16
        self._plain = [document_of(line.text, font) for line in code.lines]
        self._tight = tight
        self.ascent, self.row = metrics.ascent(), metrics.height()
        if not tight:
            self.ascent = max((one.ascent for one in self._plain), default=self.ascent)
            self.row = max([*(one.size().height() for one in self._plain), self.row]) + 3
        self._set_values: dict[str, tuple[SetText, float, float]] = {}
        self._width = -1.0  # none yet
        self.wrap(width)

    def wrap(self, width: float) -> None:
        """Wrap all lines to another width; they stay set in their type."""
        if width == self._width:
            return
        self._width = width
        self._texts = [self._text(document, self.indent(place)) for place, document in enumerate(self._plain)]
        self._cuts: dict[tuple[int, int], Text] = {}
        self._set_headings: dict[int, SetText] = {}
        self._set_lines: dict[int, tuple[object, SetLine]] = {}

    def indent(self, place: int) -> float:
        """Where a line begins."""
        return self.gutter + self._code.lines[place].indent * self.row * _INDENT

    def _wrapped(self, document: SetText, left: float) -> SetText:
        document.setTextWidth(max(self.row, self._width - _EDGE - left))
        return document

    def _text(self, document: SetText, left: float) -> Text:
        """A text that begins there, wrapped."""
        height = self._height(self._wrapped(document, left))
        rows = document.firstBlock().layout()
        first, last = rows.lineAt(0), rows.lineAt(rows.lineCount() - 1)
        below = last.y() + last.ascent() - first.y() - first.ascent()
        return Text(document, height, left + last.naturalTextWidth(), 1 + self.ascent + below)

    def _cut(self, place: int, values: float) -> Text:
        """The first row of a line, as far as it leaves room for *values* of so many pixels and can still be read."""
        left = self.indent(place)
        room = self._width - _EDGE - left
        if room - values > _READABLE * self._width:
            room -= values
        key = place, int(room)
        if key not in self._cuts:
            document = document_of(self._code.lines[place].text, self._font)
            document.setDefaultTextOption(_ANYWHERE)
            document.setTextWidth(room)
            document.size()  # lays it out
            end = document.firstBlock().layout().lineAt(0).textLength()
            cursor = QTextCursor(document)
            while document.size() and document.firstBlock().layout().lineCount() > 1 and end > 0:
                end -= 1
                cursor.setPosition(end)
                cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
                cursor.insertText("…")
            self._cuts[key] = self._text(document, left)
        return self._cuts[key]

    def placed(self, beside: Mapping[Line, Mapping[str, Beside]], current: Line | None = None) -> list[PlacedLine]:
        """All lines from top to bottom, with these values; the *current* one is always whole."""
        column = self._column(beside)
        result: list[PlacedLine] = []
        top, before = 4.0, None
        for place, line in enumerate(self._code.lines):
            heading = None
            if self._headings and line.line.algorithm != before:
                heading = self._heading(line.line.algorithm)
                top += self.row * (0.15 if before is None else 0.6) + heading.size().height() + 3
            elif line.indent == 0 and before is not None:
                top += self.row * 0.35
            before = line.line.algorithm
            document, values, height = self._line(place, beside.get(line.line, {}), column, line.line == current)
            result.append(PlacedLine(top, height, document, values, heading))
            top += height
        return result

    def _line(self, place: int, values: Mapping[str, Beside], column: float, current: bool) -> SetLine:
        """A line with its values, as it was set before if it was: most stay as they are from moment to moment."""
        given = values, column, current
        known = self._set_lines.get(place)
        if known is None or known[0] != given:
            known = self._set_lines[place] = given, self._with_values(place, values, column, current)
        return known[1]

    def _with_values(self, place: int, values: Mapping[str, Beside], column: float, current: bool) -> SetLine:
        found = _printed(self._code.lines[place]) | dict(values)
        text, whole = self._texts[place], not self._brief or current
        if not whole and text.height > self.row:
            text = self._cut(place, self._row_of(found) + self.row * _GAP)
        return text.document, *self._values(place, found, column, text)

    def _height(self, document: SetText) -> float:
        """How high the strip of a text is, at least a row."""
        height = document.size().height()  # asking for it lays the text out
        lines = document.firstBlock().layout().lineCount()
        return self.row * lines if self._tight else max(self.row, height + 3)

    def _heading(self, algorithm: int) -> SetText:
        if algorithm not in self._set_headings:
            bold = QFont(self._font)
            bold.setBold(True)
            document = document_of(escape(self._code.heading(algorithm)), bold)
            self._set_headings[algorithm] = self._wrapped(document, HEADING_LEFT)
        return self._set_headings[algorithm]

    def _column(self, beside: Mapping[Line, Mapping[str, Beside]]) -> float:
        """Where values stand below each other, if the panel is wide enough for that."""
        ends = [self._texts[place].end for place, line in enumerate(self._code.lines) if line.line in beside]
        return min(max(ends, default=0.0) + self.row, 0.5 * self._width)

    def _row_of(self, found: Mapping[str, Beside]) -> float:
        """How wide values are beside each other."""
        return sum(self._value(item.text)[1] for item in found.values()) + self.row * _NEXT * (len(found) - 1)

    def _values(
        self, place: int, found: Mapping[str, Beside], column: float, text: Text
    ) -> tuple[tuple[Value, ...], float]:
        """The values of a line, and how high it is with them."""
        height = text.height
        if not found:
            return (), height
        items = [*found.values()]
        documents, widths, heights = zip(*(self._value(item.text) for item in items), strict=True)
        near = text.end + self.row * _GAP
        left, most = max(column, near), self._width - _EDGE - self._row_of(found)
        if near <= most:
            left = min(left, most)
            y = text.base
        else:
            left, y, height = self.indent(place) + self.row, height + self.ascent, height + self.row
            if most >= self.gutter:  # further left rather than on one more row
                left = min(left, most)
        start, values = left, []
        for item, document, width, high in zip(items, documents, widths, heights, strict=True):
            if left > start and left + width > self._width - _EDGE:
                left, y, height = start, y + self.row, height + self.row
            if left + width > self._width - _EDGE:  # one that is wider than the panel
                wrapped = self._wrapped(document_of(item.text, self._font), left)
                values.append(Value(wrapped, QPointF(left, y), item.fresh))
                more = self._height(wrapped) - self.row
            else:
                values.append(Value(document, QPointF(left, y), item.fresh))
                more = high - self.row
            y, height = y + more, height + more
            left += width + self.row * _NEXT
        return tuple(values), height

    def _value(self, text: str) -> tuple[SetText, float, float]:
        """A value on one line, its width and its height: most stay as they are from moment to moment."""
        if text not in self._set_values:
            if len(self._set_values) >= _MOST_REMEMBERED:
                self._set_values.clear()
            document = document_of(text, self._font)
            self._set_values[text] = document, document.idealWidth(), max(self.row, self._height(document))
        return self._set_values[text]


def _printed(line: PseudocodeLine) -> dict[str, Beside]:
    """What the paper prints, beside a line that departs from it."""
    return {"printed": Beside(f"<i>in print:</i>&nbsp; {line.printed}", False)} if line.printed else {}


def document_of(text: str, font: QFont) -> SetText:
    """Rich text, on one line as long as no width is set."""
    document = SetText(documentMargin=0, defaultFont=font)
    document.setHtml(f"<span style='white-space: pre-wrap'>{text}</span>")
    return document


def draw_document(painter: QPainter, document: SetText, base: QPointF, color: str) -> None:
    """Draw rich text from the base line of its first line."""
    top = base.y() - document.ascent
    painter.translate(base.x(), top)
    document.documentLayout().draw(painter, _ink(color))
    painter.translate(-base.x(), -top)


@lru_cache(maxsize=64)
def _ink(color: str) -> QAbstractTextDocumentLayout.PaintContext:
    context = QAbstractTextDocumentLayout.PaintContext()
    palette = QPalette()
    palette.setColor(QPalette.ColorRole.Text, QColor(color))
    context.palette = palette
    return context
