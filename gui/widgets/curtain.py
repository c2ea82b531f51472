"""In lecture mode, covers what the edges of a scroll area would cut: pages show whole parts, and hint at more."""

from __future__ import annotations

from typing import Iterator

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent, QTextBlock, QTextDocument
from PySide6.QtWidgets import QLabel, QScrollArea, QWidget

from slotscope.gui.language.words import tr
from slotscope.gui.theme import current_fonts

#: The first pixel of a part of the content, and the first below it, from the content's top.
Span = tuple[int, int]

#: A paragraph of at most so many lines is kept whole, like a sentence.
_SHORT = 3


class Curtain(QWidget):
    """Lies over the viewport of a scroll area, and passes the mouse through."""

    def __init__(self, area: QScrollArea) -> None:
        super().__init__(area.viewport())
        self.setObjectName("curtain")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._area = area
        self._top, self._end = 0, 0  # the uncovered part of the viewport
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._fit)
        bar = area.verticalScrollBar()
        bar.valueChanged.connect(self._fit)
        bar.rangeChanged.connect(self._soon.start)
        area.viewport().installEventFilter(self)
        self._content().installEventFilter(self)
        self.hide()

    def eventFilter(self, _: QObject, event: QEvent) -> bool:
        """Fit again after the content or the viewport was resized or laid out."""
        if event.type() in {QEvent.Type.Resize, QEvent.Type.LayoutRequest}:
            self._soon.start()
        return False

    @property
    def shown(self) -> Span:
        """The uncovered part of the viewport, from top to end."""
        return self._top, self._end

    @property
    def page(self) -> int:
        """Pixels from the top of this page to the top of the next one."""
        return self._end if self.isVisible() else self._area.viewport().height()

    def _content(self) -> QWidget:
        content = self._area.widget()
        assert content is not None
        return content

    def _fit(self) -> None:
        bar, room = self._area.verticalScrollBar(), self._area.viewport().rect()
        begin, end = bar.value(), bar.value() + room.height()
        scrolls = current_fonts().lecture and bar.maximum() > 0
        self._top, self._end = 0, room.height()
        if scrolls:
            parts = list(self.parts())
            self._end = _whole(parts, end, begin) - begin
            self._top = _begins(parts, begin, begin + self._end) - begin
        self.setGeometry(room)
        self.setVisible(scrolls)
        self.raise_()
        self.update()

    def parts(self) -> Iterator[Span]:
        """The parts that must not be cut: widgets without children, short paragraphs, and lines of text."""
        content = self._content()
        for part in content.findChildren(QWidget):
            if part.layout() is None and part.isVisibleTo(content) and not _is_inside(part, content):
                top = part.mapTo(content, QPoint()).y()
                if isinstance(part, QLabel) and part.textFormat() == Qt.TextFormat.RichText:
                    yield from _lines(part, top)
                else:
                    yield top, top + part.height()

    def paintEvent(self, _: QPaintEvent) -> None:
        """Paint over what is cut, and below it a hint that there is more."""
        painter, room = QPainter(self), self.rect()
        ground = self._area.palette().window()
        painter.fillRect(QRect(0, 0, room.width(), self._top), ground)
        below = room.adjusted(0, self._end, 0, 0)
        painter.fillRect(below, ground)
        bar = self._area.verticalScrollBar()
        if bar.value() < bar.maximum() and below.height() >= painter.fontMetrics().height():
            painter.setPen(self._area.palette().placeholderText().color())
            painter.drawText(below.adjusted(10, 0, -10, 0), Qt.AlignmentFlag.AlignTop, tr("▾ more"))


def curtain_of(area: QWidget) -> Curtain | None:
    """The curtain of a scroll area, if it has one."""
    return area.findChild(Curtain)


def _is_inside(part: QWidget, content: QWidget) -> bool:
    """Whether a widget belongs to another one that paints its own parts, such as a plot."""
    around = part.parentWidget()
    while around is not None and around is not content and around.layout() is not None:
        around = around.parentWidget()
    return around is not content


def _whole(parts: list[Span], end: int, begin: int) -> int:
    """The last pixel up to *end* at which no part is cut; *end* if a part fills the whole page."""
    at = end
    while cut := [first for first, last in parts if first < at < last]:
        at = min(cut)
    return at if at > begin else end


def _begins(parts: list[Span], begin: int, end: int) -> int:
    """The first pixel from *begin* at which no part is cut; what is above was on the previous page."""
    at = begin
    while cut := [last for first, last in parts if first < at < last]:
        at = max(cut)
    return at if at < end else begin


def _lines(label: QLabel, top: int) -> Iterator[Span]:
    """The spans of the lines of a label's rich text."""
    text = QTextDocument(documentMargin=0, defaultFont=label.font())
    text.setHtml(label.text())
    text.setTextWidth(label.contentsRect().width())
    high = round(text.size().height())
    spare = label.contentsRect().height() - high if label.alignment() & Qt.AlignmentFlag.AlignBottom else 0
    if label.alignment() & Qt.AlignmentFlag.AlignVCenter:
        spare = (label.contentsRect().height() - high) // 2
    top += label.contentsRect().top() + spare
    block = text.begin()
    while block.isValid():
        yield from _lines_of(text, block, top)
        block = block.next()


def _lines_of(text: QTextDocument, block: QTextBlock, top: int) -> Iterator[Span]:
    where, layout = text.documentLayout().blockBoundingRect(block), block.layout()
    if layout.lineCount() <= _SHORT:
        yield top + int(where.top()), top + int(where.top()) + round(where.height())
    for number in range(layout.lineCount()):
        line = layout.lineAt(number)
        first = top + int(where.top() + line.y())
        yield first, first + round(line.height())
