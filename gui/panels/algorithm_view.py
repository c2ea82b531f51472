"""Pseudocode, painted: the current line stays in view, values stand beside their lines."""

from __future__ import annotations

from typing import Mapping, NamedTuple

from PySide6.QtCore import (
    QAbstractAnimation,
    QEasingCurve,
    QEvent,
    QPoint,
    QPointF,
    QPropertyAnimation,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QFont,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QLinearGradient,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QResizeEvent,
    QTextDocument,
)
from PySide6.QtWidgets import QAbstractScrollArea, QToolTip, QWidget

from gui.panels.algorithm_values import Beside, Code
from gui.theme import Theme
from model.records import Line

_SCROLL_TIME = 180  # ms
_DIMMED = 0.38


class Picture(NamedTuple):
    """What the pseudocode shows at one moment."""

    current: Line | None = None
    beside: Mapping[Line, Mapping[str, Beside]] = {}
    dimmed: bool = False
    selected: Line | None = None


class PseudocodeView(QAbstractScrollArea):
    """Lines of pseudocode, painted; the current one stays in view."""

    line_chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.code = Code(())
        self.picture = Picture()
        self.headings = False
        self._documents: list[QTextDocument] = []
        self._tops: list[float] = []
        self._row = 0.0
        self._ascent = 0.0
        self._glide = QPropertyAnimation(self.verticalScrollBar(), b"value", self)
        self._glide.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._glide.setDuration(_SCROLL_TIME)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName("pseudocode")

    # What is shown.

    def set_code(self, code: Code) -> None:
        """Show another algorithm."""
        self.code = code
        self.headings = len({line.line.algorithm for line in code.lines}) > 1
        self.verticalScrollBar().setValue(0)
        self.typeset()

    def set_picture(self, picture: Picture) -> None:
        """Show another moment; nothing is painted if nothing changed."""
        if picture == self.picture:
            return
        moved = picture.current != self.picture.current
        selected = picture.selected != self.picture.selected
        self.picture = picture
        if moved and picture.current is not None:
            self.bring_into_view(picture.current)
        elif selected and picture.selected is not None:
            self.bring_into_view(picture.selected)
        self.viewport().update()

    def typeset(self) -> None:
        """Set all lines in the present type."""
        font = self._type()
        self._documents = [document_of(line.text, font) for line in self.code.lines]
        metrics = QFontMetricsF(font)
        heights = [document.size().height() for document in self._documents]
        self._ascent = max([_ascent(document) for document in self._documents],
                           default=metrics.ascent())  # fmt: skip
        self._row = max([*heights, metrics.height()]) + 3
        self._tops, top, before = [], 4.0, None
        for line in self.code.lines:
            if self.headings and line.line.algorithm != before:
                top += self._row * (1.15 if before is None else 1.6)
            elif line.indent == 0 and before is not None:
                top += self._row * 0.35
            before = line.line.algorithm
            self._tops.append(top)
            top += self._row
        self._set_range()
        self.viewport().update()

    def _type(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * 1.08)
        return font

    # Scrolling.

    def _set_range(self) -> None:
        height = self.viewport().height()
        whole = (self._tops[-1] + self._row + 6) if self._tops else 0
        bar = self.verticalScrollBar()
        bar.setRange(0, max(0, round(whole - height)))
        bar.setPageStep(height)
        bar.setSingleStep(round(self._row))

    def bring_into_view(self, line: Line) -> None:
        """Scroll as little as will show *line*, and the values found there, with some room."""
        place = self.code.place.get(line)
        if place is None:
            return
        bar, room = self.verticalScrollBar(), self.viewport().height()
        tops = [self._tops[place], *self._fresh_tops()]
        margin = self._row * 1.2
        if max(tops) - min(tops) + self._row + 2 * margin > room:
            tops, margin = [self._tops[place]], min(margin, max(0.0, (room - self._row) / 2))
        running = self._glide.state() == QAbstractAnimation.State.Running
        seen = self._glide.endValue() if running else bar.value()
        target = min(max(seen, max(tops) + self._row + margin - room), min(tops) - margin)
        target = round(min(max(target, bar.minimum()), bar.maximum()))
        if target == seen:
            return
        self._glide.stop()
        if not self.isVisible():
            bar.setValue(target)
            return
        self._glide.setStartValue(bar.value())
        self._glide.setEndValue(target)
        self._glide.start()

    def _fresh_tops(self) -> list[float]:
        """Tops of the lines beside which the last sub-step's values stand."""
        return [self._tops[self.code.place[line]] for line, items in self.picture.beside.items()
                if any(item.fresh for item in items.values())]  # fmt: skip

    def scrollContentsBy(self, _dx: int, _dy: int) -> None:
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._set_range()
        shown = self.picture.current or self.picture.selected
        if shown is not None:
            self.bring_into_view(shown)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.typeset()

    # Painting.

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), QColor(self.theme.panel))
        if self.picture.dimmed:
            painter.setOpacity(_DIMMED)
        painter.translate(0, -self.verticalScrollBar().value())
        first = self.verticalScrollBar().value() - 2 * self._row
        last = first + self.viewport().height() + 4 * self._row
        column = self._value_column()
        for place, top in enumerate(self._tops):
            if first <= top <= last:
                self._paint_line(painter, place, column)
        painter.end()

    def _gutter(self) -> float:
        longest = max((line.line.number for line in self.code.lines), default=0)
        digits = "0" * max(2, len(str(longest)))
        return QFontMetricsF(self._type()).horizontalAdvance(digits) + 16

    def _indent(self, place: int) -> float:
        return self._gutter() + self.code.lines[place].indent * self._row * 0.7

    def _value_column(self) -> float:
        """Where values stand below each other, if the panel is wide enough for that."""
        ends = [
            self._indent(place) + self._documents[place].idealWidth()
            for place, line in enumerate(self.code.lines)
            if line.line in self.picture.beside
        ]
        return min(max(ends, default=0.0) + self._row, 0.5 * self.viewport().width())

    def _paint_line(self, painter: QPainter, place: int, column: float) -> None:
        line, top = self.code.lines[place].line, self._tops[place]
        strip = QRectF(0, top, self.viewport().width(), self._row)
        before = self.code.lines[place - 1].line.algorithm if place else None
        if self.headings and line.algorithm != before:
            self._paint_heading(painter, line.algorithm, top)
        self._paint_ground(painter, line, strip)
        known = line in self.picture.beside
        ink = self.theme.normal if known or line == self.picture.current else self.theme.muted
        painter.setFont(self._type())
        painter.setPen(QColor(self.theme.muted))
        painter.drawText(QPointF(self._gutter() - 10 - painter.fontMetrics().horizontalAdvance(
            str(line.number)), top + 1 + self._ascent), str(line.number))  # fmt: skip
        document, left = self._documents[place], self._indent(place)
        draw_document(painter, document, QPointF(left, top + 1 + self._ascent), self.theme.normal)
        end = left + document.idealWidth()
        if known:
            end = self._paint_values(painter, line, max(column, end + self._row * 0.7), top, ink)
        if end > strip.right():
            self._paint_edge(painter, line, strip)

    def _paint_heading(self, painter: QPainter, algorithm: int, top: float) -> None:
        font = self._type()
        font.setBold(True)
        painter.setFont(font)
        painter.setPen(QColor(self.theme.muted))
        text = self.code.heading(algorithm)
        painter.drawText(QPointF(8, top - self._row + 1 + self._ascent), text)

    def _ground(self, line: Line) -> str:
        if line == self.picture.current:
            return self.theme.selection
        return self.theme.raised if line in self.picture.beside else self.theme.panel

    def _paint_ground(self, painter: QPainter, line: Line, strip: QRectF) -> None:
        bar = QRectF(strip.x(), strip.y(), 3, strip.height())
        painter.fillRect(strip, QColor(self._ground(line)))
        if line == self.picture.current:
            painter.fillRect(bar, QColor(self.theme.run))
        elif line in self.picture.beside:
            painter.fillRect(bar, QColor(self.theme.border))
        if line == self.picture.selected:
            painter.setPen(QPen(QColor(self.theme.focus), 1))
            painter.drawRect(strip.adjusted(0.5, 0.5, -0.5, -0.5))

    def _paint_values(
        self, painter: QPainter, line: Line, left: float, top: float, ink: str
    ) -> float:
        """Draw the values beside a line from *left* on; returns where they end."""
        for item in self.picture.beside[line].values():
            document = document_of(item.text, self._type())
            color = ink if item.fresh else self.theme.muted
            draw_document(painter, document, QPointF(left, top + 1 + self._ascent), color)
            left += document.idealWidth() + self._row * 0.6
        return left - self._row * 0.6

    def _paint_edge(self, painter: QPainter, line: Line, strip: QRectF) -> None:
        """Let what is cut off at the right fade away instead of ending in half a sign."""
        fade = QRectF(strip.right() - self._row, strip.y() + 1, self._row, strip.height() - 2)
        ground = QColor(self._ground(line))
        clear = QColor(ground)
        clear.setAlpha(0)
        gradient = QLinearGradient(fade.topLeft(), fade.topRight())
        gradient.setColorAt(0, clear)
        gradient.setColorAt(1, ground)
        painter.fillRect(fade, gradient)

    # Pointing.

    def line_at(self, position: QPoint) -> Line | None:
        """The line at a position of the viewport."""
        y = position.y() + self.verticalScrollBar().value()
        for place, top in enumerate(self._tops):
            if top <= y < top + self._row:
                return self.code.lines[place].line
        return None

    def place_of(self, line: Line) -> QPoint:
        """The middle of a line, in the viewport's coordinates."""
        top = self._tops[self.code.place[line]] - self.verticalScrollBar().value()
        return QPoint(round(self._gutter() + self._row), round(top + self._row / 2))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        line = self.line_at(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and line is not None:
            self.line_chosen.emit(line)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if step is None or event.modifiers() or not self.code.lines:
            super().keyPressEvent(event)
            return
        known = self.picture.selected or self.picture.current
        place = self.code.place.get(known, -1 if step > 0 else 0) if known else -1
        place = min(max(place + step, 0), len(self.code.lines) - 1)
        self.line_chosen.emit(self.code.lines[place].line)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            line = self.line_at(event.pos())
            QToolTip.showText(event.globalPos(), self.tip(line) if line else "", self.viewport())
            return True
        return super().viewportEvent(event)

    def tip(self, line: Line) -> str:
        """One sentence about a line."""
        values = self.picture.beside.get(line)
        visited = "visited in this event" if values is not None else "not visited in this event"
        name = f"{self.code.heading(line.algorithm)}, line {line.number}" if self.headings \
            else f"Line {line.number}"  # fmt: skip
        shown = "; ".join(item.text for item in values.values()) if values else ""
        text = self.code.lines[self.code.place[line]].text
        return f"<p>{name}, {visited}</p><p>{text}</p>{f'<p>{shown}</p>' if shown else ''}"


def document_of(text: str, font: QFont) -> QTextDocument:
    """One line of rich text."""
    document = QTextDocument()
    document.setDocumentMargin(0)
    document.setDefaultFont(font)
    document.setHtml(f"<span style='white-space: pre'>{text}</span>")
    return document


def draw_document(painter: QPainter, document: QTextDocument, base: QPointF, color: str) -> None:
    """Draw a line of rich text from its base line."""
    context = QAbstractTextDocumentLayout.PaintContext()
    palette = QPalette()
    palette.setColor(QPalette.ColorRole.Text, QColor(color))
    context.palette = palette
    painter.save()
    painter.translate(base.x(), base.y() - _ascent(document))
    document.documentLayout().draw(painter, context)
    painter.restore()


def _ascent(document: QTextDocument) -> float:
    document.documentLayout()
    document.size()
    return document.firstBlock().layout().lineAt(0).ascent()
