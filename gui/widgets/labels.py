"""Labels that fit the available room: text is elided or scrolled, and a new layout requested only if unavoidable."""

from __future__ import annotations

import re

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent, QPalette, QResizeEvent, QTextLayout
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QSizePolicy, QWidget


def sentence_lines(text: str, font: QFont, width: float) -> list[str]:
    """Break *text* into lines of at most this width."""
    layout = QTextLayout(text, font)
    layout.beginLayout()
    lines: list[str] = []
    while (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        lines.append(text[line.textStart() : line.textStart() + line.textLength()])
    layout.endLayout()
    return lines


def cut_lines(text: str, font: QFont, width: float, height: float) -> list[str]:
    """Break *text* into as many lines as fit; the rest is elided."""
    metrics = QFontMetricsF(font)
    room = max(1, int(height / metrics.height() + 0.1))
    lines = [text]
    if room > 1 and metrics.horizontalAdvance(text) > width:
        lines = sentence_lines(text, font, width)
        lines[room - 1 :] = ["".join(lines[room - 1 :])] if len(lines) >= room else []
    return [metrics.elidedText(line.rstrip(), Qt.TextElideMode.ElideRight, width) for line in lines]


def paint_cut(painter: QPainter, rect: QRectF, text: str) -> None:
    """Draw *text* from the top of *rect*, elided to fit."""
    _paint_lines(painter, rect.topLeft(), cut_lines(text, painter.font(), rect.width(), rect.height()))


def _paint_lines(painter: QPainter, corner: QPointF, lines: list[str]) -> None:
    metrics = QFontMetricsF(painter.font())
    for number, line in enumerate(lines):
        painter.drawText(corner + QPointF(0, metrics.ascent() + number * metrics.height()), line)


class CutLabel(QLabel):
    """A label of one line that requests no width, and elides its text if it is too narrow.

    It stores the text itself, as QLabel.setText would in each frame lay out everything around the label, up to the
    window with all its docks.
    """

    def __init__(self) -> None:
        super().__init__()
        self._text = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def text(self) -> str:
        return self._text

    def put(self, text: str) -> None:
        if self.accessibleName() == self._text:  # not if the name was set separately
            self.setAccessibleName(text)
        self._text = text
        if self.sizePolicy().horizontalPolicy() != QSizePolicy.Policy.Ignored:
            self.updateGeometry()
        self.update()

    def say(self, text: str) -> None:
        """Show this text, with the whole of it as tooltip."""
        if text != self.text():
            self.put(text)
            self.setToolTip(text)

    def sizeHint(self) -> QSize:
        margins = self.contentsMargins()
        return QSize(self.wanted, self.fontMetrics().height() + margins.top() + margins.bottom())

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())

    @property
    def wanted(self) -> int:
        """Width in pixels at which the text is not elided, on one line."""
        margins = self.contentsMargins()
        return self.fontMetrics().horizontalAdvance(self.text()) + margins.left() + margins.right() + 2

    @property
    def shown(self) -> list[str]:
        """The lines that fit, as painted."""
        room = self.contentsRect()
        return cut_lines(self.text(), self.font(), room.width(), room.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        room, lines = QRectF(self.contentsRect()), self.shown
        if self.alignment() & Qt.AlignmentFlag.AlignVCenter:
            spare = room.height() - len(lines) * QFontMetricsF(self.font()).height()
            room.adjust(0, spare / 2, 0, 0)
        _paint_lines(QPainter(self), room.topLeft(), lines)


#: Least number of visible lines.
_FEWEST = 2


class ScrolledWords(QScrollArea):
    """A word-wrapped label that scrolls, for a column; call ``updateGeometry`` after changing its text."""

    def __init__(self, label: QLabel, parent: QWidget) -> None:
        super().__init__(parent)
        self._label = label
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Maximum)
        label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.setWidget(label)
        label.setAutoFillBackground(False)
        self.viewport().setAutoFillBackground(False)

    def sizeHint(self) -> QSize:
        return QSize(self.width(), self._label.heightForWidth(self.width()))

    def minimumSizeHint(self) -> QSize:
        least = _FEWEST * self._label.fontMetrics().lineSpacing()
        return QSize(0, min(least, self.sizeHint().height()))

    def viewportEvent(self, event: QEvent) -> bool:
        """Hide the scroll bar if the text fits without it: Qt would keep one that only its own width requires."""
        if event.type() in {QEvent.Type.Resize, QEvent.Type.LayoutRequest}:
            fits, policy = self._label.heightForWidth(self.width()) <= self.height(), Qt.ScrollBarPolicy
            self.setVerticalScrollBarPolicy(policy.ScrollBarAlwaysOff if fits else policy.ScrollBarAsNeeded)
        return super().viewportEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()


_MARKUP_OR_DIGIT = re.compile(r"(<[^>]*>)|\d")
_MARKUP = re.compile("[<&]")

#: Size of the cache of text sizes, which is cleared when full.
MOST_REMEMBERED = 64


def shape_of(text: str) -> str:
    """What determines the size of a text, plain or rich: all digits have the same width."""
    return _MARKUP_OR_DIGIT.sub(lambda found: found[1] or "0", text)


class SizedLabel(QLabel):
    """A label of fixed size, that of its text.

    Whenever the text of a label without a fixed size changes, Qt lays out everything around it, up to the window with
    all its docks; but numbers change in every frame, and their sizes hardly ever.  A *rich* label interprets markup,
    and uses plain text if there is none: Qt creates a document for rich text, which takes ten times as long and widens
    thin spaces.
    """

    def __init__(self, parent: QWidget | None = None, rich: bool = False) -> None:
        super().__init__(parent)
        self._rich, self._ink = rich, ""
        self._measure = QLabel()  # measures texts: the label's own size hint is never below its fixed size
        self._sizes: dict[str, QSize] = {}  #: sizes by a text's shape, see :func:`shape_of`

    def show_text(self, text: str) -> None:
        """Show another text; use this instead of ``setText``."""
        if text == self.text():
            return
        self.setTextFormat(self._form_of(text))
        self.setText(text)
        selected = self.textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByMouse
        if selected or self.textFormat() == Qt.TextFormat.RichText:
            self.sizeHint()  # lays the document out: if Qt did that while painting, it would repaint once more
        self._fit()

    def set_ink(self, color: str) -> None:
        """Set the text colour."""
        if color != self._ink:
            self._ink, palette = color, self.palette()
            palette.setColor(QPalette.ColorRole.WindowText, QColor(color))
            self.setPalette(palette)

    def _form_of(self, text: str) -> Qt.TextFormat:
        return Qt.TextFormat.RichText if self._rich and _MARKUP.search(text) else Qt.TextFormat.PlainText

    def size_of(self, text: str) -> QSize:
        """The label's size with this text, whether or not it is shown."""
        shape = shape_of(text)
        known = self._sizes.get(shape)
        if known is None or not text:  # an empty label's size depends on whether it ever had a text
            if len(self._sizes) >= MOST_REMEMBERED:
                self._sizes.clear()
            self._measure.setFont(self.font())
            self._measure.setTextFormat(self._form_of(text))
            self._measure.setText(text)
            known = self._sizes[shape] = self._measure.sizeHint()
        return known

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._sizes.clear()
            self._fit()

    def _fit(self) -> None:
        self.setFixedSize(self.size_of(self.text()))
