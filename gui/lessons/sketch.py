"""A curve that the user continues with the mouse, or with the arrow keys, point by point."""

from __future__ import annotations

from contextlib import suppress
from itertools import takewhile
from typing import Iterable, Sequence

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from slotscope.gui.language.words import tr
from slotscope.gui.theme import Theme, current_fonts, load_theme
from slotscope.gui.widgets.spoken import announce
from slotscope.model.errors import UserError
from slotscope.model.exercises.posed import Posed, Reader, Sketch, plain
from slotscope.model.reporting.explain import full_time

#: The picture's height in lines of text, the same in lecture mode, and the margin around the curve in pixels.
_LINES, _LINES_IN_HALL, _MARGIN = 7, 5, 8

#: The share of the height by which an arrow key moves a point.
_STEP = 0.05

_MOVES = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, 1), Qt.Key.Key_Down: (0, -1)}


class SketchPad(QWidget):
    """Shows the known curve, and lets the user draw its continuation."""

    drawn = Signal(str)  #: the values at the wanted times, separated by blanks
    finished = Signal()  #: the user has finished the curve (Enter)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("sketch")
        self.setAccessibleName(tr("The curve: drag, or use the arrow keys"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._theme = load_theme("light")
        self._sketch: Sketch | None = None
        self._read: Reader | None = None
        self._values: list[float] = []  # drawn by the user, one per wanted time
        self._right: list[float] = []
        self._point, self._answered = 0, False
        self.set_theme(self._theme)
        self.hide()

    def ask(self, posed: Posed) -> None:
        """Show the curve of a question, if it has one."""
        self._sketch, self._read, self._answered, self._point = posed.sketch, posed.read, False, 0
        if posed.sketch is not None:
            last = float(posed.sketch.values[-1]) if len(posed.sketch.values) else 0.0
            self._values = [last] * len(posed.sketch.wanted)
            self._right = [float(value) for value in posed.taken.split()]
        self.setVisible(posed.sketch is not None)
        self.update()

    def take(self, typed: str) -> None:
        """Draw the typed values instead, if there is one for each wanted time."""
        if self._sketch is not None and self._read is not None:
            with suppress(UserError):
                self._values = [float(part) for part in self._read(typed).split()]
                self.update()

    def show_answer(self) -> None:
        """Show the true continuation beside the drawn one."""
        self._answered = True
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        fonts = current_fonts()
        self.setFont(fonts.body)
        self.setFixedHeight((_LINES_IN_HALL if fonts.lecture else _LINES) * self.fontMetrics().height())

    # Drawing.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Move the point nearest to the pointer to the pointer's height."""
        self._draw_at(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move each point that the pointer passes."""
        self._draw_at(event.position())

    def event(self, event: QEvent) -> bool:
        """Claim the arrow keys, which would otherwise step the run."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() in _MOVES:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and right choose a point; up and down move it and the equal points that follow; Enter finishes."""
        if self._sketch is None or self._answered:
            super().keyPressEvent(event)
        elif event.key() in _MOVES:
            along, up = _MOVES[Qt.Key(event.key())]
            self._point = min(max(self._point + along, 0), len(self._values) - 1)
            height = self._values[self._point]
            level = takewhile(lambda n: self._values[n] == height, range(self._point, len(self._values)))
            self._set(level, height + up * _STEP * self._sketch.top)
            time = full_time(float(self._sketch.wanted[self._point]))
            announce(self, f"t = {time}: {plain(self._values[self._point])}")
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.finished.emit()
        else:
            super().keyPressEvent(event)

    def _draw_at(self, at: QPointF) -> None:
        if self._sketch is None or self._answered:
            return
        across = [abs(self._at(time, 0.0).x() - at.x()) for time in self._sketch.wanted]
        box = self._box()
        self._point = int(np.argmin(across))
        self._set([self._point], (box.bottom() - at.y()) / box.height() * self._sketch.top)

    def _set(self, points: Iterable[int], value: float) -> None:
        assert self._sketch is not None
        for point in list(points):
            self._values[point] = min(max(value, 0.0), self._sketch.top)
        self.drawn.emit(" ".join(map(plain, self._values)))
        self.update()

    # Painting.

    def _box(self) -> QRectF:
        left = self.fontMetrics().horizontalAdvance("0000.0 ")
        return QRectF(self.rect()).adjusted(left, _MARGIN, -_MARGIN, -self.fontMetrics().height())

    def _at(self, time: float, value: float) -> QPointF:
        assert self._sketch is not None
        box, end = self._box(), float(self._sketch.wanted[-1])
        return QPointF(box.left() + box.width() * time / end, box.bottom() - box.height() * value / self._sketch.top)

    def paintEvent(self, _: QPaintEvent) -> None:
        """Draw the known curve, the user's continuation and, once answered, the true one."""
        sketch = self._sketch
        if sketch is None:
            return
        painter, theme, box = QPainter(self), self._theme, self._box()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.muted)))
        painter.drawLine(box.bottomLeft(), box.bottomRight())
        painter.drawLine(box.bottomLeft(), box.topLeft())
        for value in (0.0, sketch.top):
            painter.drawText(QPointF(2, self._at(0, value).y() + _MARGIN), full_time(value))
        below = QRectF(0, box.bottom(), self.width() - _MARGIN, self.height() - box.bottom())
        painter.drawText(below, Qt.AlignmentFlag.AlignRight, f"t = {full_time(float(sketch.wanted[-1]))}")
        now = (sketch.times[-1], sketch.values[-1]) if len(sketch.times) else (0.0, 0.0)
        self._line(painter, theme.run, sketch.times, sketch.values)
        wanted = [now[0], *sketch.wanted]
        if self._answered:
            self._line(painter, theme.run, wanted, [now[1], *self._right])
        self._line(painter, theme.focus, wanted, [now[1], *self._values], Qt.PenStyle.DashLine)
        for number, (time, value) in enumerate(zip(sketch.wanted, self._values, strict=True)):
            size = 5.0 if number == self._point and self.hasFocus() else 3.0
            painter.drawEllipse(self._at(float(time), value), size, size)

    def _line(
        self,
        painter: QPainter,
        color: str,
        times: Sequence[float] | np.ndarray,
        values: Sequence[float] | np.ndarray,
        style: Qt.PenStyle = Qt.PenStyle.SolidLine,
    ) -> None:
        painter.setPen(QPen(QColor(color), 2, style))
        points = [self._at(float(time), float(value)) for time, value in zip(times, values, strict=True)]
        painter.drawPolyline(QPolygonF(points))
