"""Layout of pseudocode lines and the values beside them, wrapped to a width."""

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

_EDGE = 8.0  # right margin in pixels
HEADING_LEFT = 8.0  #: x of headings
_INDENT, _GAP, _NEXT = 0.7, 0.7, 0.6  # widths of an indentation level, before values and between them, in row heights
_READABLE = 0.3  # share of the width that an elided line keeps beside its values

#: A row that ends in an ellipsis is filled up to the last letter, not word.
_ANYWHERE = QTextOption()
_ANYWHERE.setWrapMode(QTextOption.WrapMode.WrapAnywhere)

#: Size of the cache of typeset values, which is cleared when full.
_MOST_REMEMBERED = 512


class SetText(QTextDocument):
    """A rich text document that caches what each paint needs, per width."""

    _ascent: float | None = None

    def setTextWidth(self, width: float) -> None:
        super().setTextWidth(width)
        self._ascent = None

    @property
    def ascent(self) -> float:
        """Distance from the top to the first baseline."""
        if self._ascent is None:
            self.size()  # lays it out
            self._ascent = self.firstBlock().layout().lineAt(0).ascent()
        return self._ascent


class Value(NamedTuple):
    """A typeset value, positioned relative to its line's top left corner."""

    document: SetText
    base: QPointF  #: start of its baseline
    fresh: bool


class PlacedLine(NamedTuple):
    """One positioned line with its values."""

    top: float
    height: float
    document: SetText
    values: tuple[Value, ...]
    heading: SetText | None = None  #: above the line, if an algorithm begins here

    @property
    def begin(self) -> float:
        """Top of the line, heading included."""
        return self.top if self.heading is None else self.top - self.heading.size().height() - 3

    @property
    def bottom(self) -> float:
        """Where the next line may begin."""
        return self.top + self.height


class Text(NamedTuple):
    """The typeset text of a line, without values."""

    document: SetText
    height: float
    end: float  #: x of its last row's end
    base: float  #: y of its last row's baseline


#: A line's text, its values, and the height of both.
SetLine = tuple[SetText, tuple[Value, ...], float]


class CodeLayout:
    """Pseudocode typeset in a font and wrapped to a width; values follow their line, or are placed below it."""

    def __init__(
        self, code: Code, font: QFont, width: float, headings: bool, tight: bool = False, brief: bool = False
    ) -> None:
        """*tight*: rows are only as high as text without subscripts and superscripts.

        *brief*: long lines other than the current one are elided to their first row.
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
        """Wrap all lines to another width, without typesetting them again."""
        if width == self._width:
            return
        self._width = width
        self._texts = [self._text(document, self.indent(place)) for place, document in enumerate(self._plain)]
        self._cuts: dict[tuple[int, int], Text] = {}
        self._set_headings: dict[int, SetText] = {}
        self._set_lines: dict[int, tuple[object, SetLine]] = {}

    def indent(self, place: int) -> float:
        """x of a line's text."""
        return self.gutter + self._code.lines[place].indent * self.row * _INDENT

    def _wrapped(self, document: SetText, left: float) -> SetText:
        document.setTextWidth(max(self.row, self._width - _EDGE - left))
        return document

    def _text(self, document: SetText, left: float) -> Text:
        """Wrap a text that begins at x = *left*."""
        height = self._height(self._wrapped(document, left))
        rows = document.firstBlock().layout()
        first, last = rows.lineAt(0), rows.lineAt(rows.lineCount() - 1)
        below = last.y() + last.ascent() - first.y() - first.ascent()
        return Text(document, height, left + last.naturalTextWidth(), 1 + self.ascent + below)

    def _cut(self, place: int, values: float) -> Text:
        """The first row of a line, elided to leave room for *values* pixels of values if enough of it stays legible."""
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
        """Lay out all lines from top to bottom with these values; the *current* line is never elided."""
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
        """A line with its values, from the cache if nothing has changed, as for most lines."""
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
        """Height of a text, at least one row."""
        height = document.size().height()  # size() lays the text out
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
        """x at which values are aligned below each other, if the panel is wide enough."""
        ends = [self._texts[place].end for place, line in enumerate(self._code.lines) if line.line in beside]
        return min(max(ends, default=0.0) + self.row, 0.5 * self._width)

    def _row_of(self, found: Mapping[str, Beside]) -> float:
        """Total width of values beside each other."""
        return sum(self._value(item.text)[1] for item in found.values()) + self.row * _NEXT * (len(found) - 1)

    def _values(
        self, place: int, found: Mapping[str, Beside], column: float, text: Text
    ) -> tuple[tuple[Value, ...], float]:
        """The positioned values of a line, and the line's height with them."""
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
            if most >= self.gutter:  # rather further left than on one more row
                left = min(left, most)
        start, values = left, []
        for item, document, width, high in zip(items, documents, widths, heights, strict=True):
            if left > start and left + width > self._width - _EDGE:
                left, y, height = start, y + self.row, height + self.row
            if left + width > self._width - _EDGE:  # a value wider than the panel
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
        """A value on one line, its width and its height; cached, as most stay the same from frame to frame."""
        if text not in self._set_values:
            if len(self._set_values) >= _MOST_REMEMBERED:
                self._set_values.clear()
            document = document_of(text, self._font)
            self._set_values[text] = document, document.idealWidth(), max(self.row, self._height(document))
        return self._set_values[text]


def _printed(line: PseudocodeLine) -> dict[str, Beside]:
    """What the paper prints, shown beside a line that departs from it."""
    return {"printed": Beside(f"<i>in print:</i>&nbsp; {line.printed}", False)} if line.printed else {}


def document_of(text: str, font: QFont) -> SetText:
    """Rich text, on one line until a width is set."""
    document = SetText(documentMargin=0, defaultFont=font)
    document.setHtml(f"<span style='white-space: pre-wrap'>{text}</span>")
    return document


def draw_document(painter: QPainter, document: SetText, base: QPointF, color: str) -> None:
    """Draw rich text with its first line's baseline at *base*."""
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
