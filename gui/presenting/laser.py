"""A laser pointer: a soft dot with a short trail that follows the mouse over everything in the window."""

from __future__ import annotations

from collections import deque
from time import monotonic

from PySide6.QtCore import QPointF, QRect, QRectF, Qt, QTimer
from PySide6.QtGui import QColor, QCursor, QPainter, QPaintEvent, QRadialGradient
from PySide6.QtWidgets import QWidget

from slotscope.gui.theme import Theme, current_fonts

#: Milliseconds between two looks at the mouse, and seconds after which the trail is gone.
_PERIOD, _TRAIL = 16, 0.25

#: Pixels of the dot's radius at the usual size of type, and how much further it glows.
_RADIUS, _GLOW = 7.0, 2.2


class LaserDot(QWidget):
    """Lies over the window and lets every click through; switched off it is hidden and no timer runs."""

    def __init__(self, window: QWidget, theme: Theme) -> None:
        super().__init__(window)
        self._over = window
        self.setObjectName("laser")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.theme = theme
        self._trail: deque[tuple[float, QPointF]] = deque()
        self._painted = QRect()
        self._timer = QTimer(self, interval=_PERIOD)
        self._timer.timeout.connect(self._follow)
        self.hide()

    @property
    def on(self) -> bool:
        """Whether it shines."""
        return self._timer.isActive()

    def toggle(self, on: bool) -> None:
        """Switch it on or off."""
        self._trail.clear()
        self.setVisible(on)
        if on:
            self._follow()
            self._timer.start()
        else:
            self._timer.stop()

    def _follow(self) -> None:
        """Look where the mouse is; what has not moved is not painted again."""
        if self.size() != self._over.size():
            self.resize(self._over.size())
        self.raise_()
        now, at = monotonic(), QPointF(self.mapFromGlobal(QCursor.pos()))
        moved = not self._trail or self._trail[-1][1] != at
        if moved:
            self._trail.append((now, at))
        old = len(self._trail)
        while len(self._trail) > 1 and self._trail[0][0] < now - _TRAIL:
            self._trail.popleft()
        if moved or len(self._trail) > 1 or len(self._trail) < old:
            self._repaint()

    def _repaint(self) -> None:
        reach = self._radius * _GLOW + 2
        dots = [QRectF(at, at).adjusted(-reach, -reach, reach, reach) for _, at in self._trail]
        area = QRectF()
        for dot in dots:
            area = area.united(dot)
        self.update(self._painted.united(area.toAlignedRect()))
        self._painted = area.toAlignedRect()

    @property
    def _radius(self) -> float:
        return _RADIUS * current_fonts().scale

    def paintEvent(self, _: QPaintEvent) -> None:
        """The trail, fainter and smaller the older it is, and the dot."""
        painter, now = QPainter(self), monotonic()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        *passed, last = self._trail or [(now, QPointF(-1, -1))]
        for then, at in passed:
            left = max(0.0, 1 - (now - then) / _TRAIL)
            color = QColor(self.theme.rejection)
            color.setAlphaF(0.5 * left)
            painter.setBrush(color)
            painter.drawEllipse(at, self._radius * left, self._radius * left)
        here = last[1]
        glow = QRadialGradient(here, self._radius * _GLOW)
        for place, alpha in ((0.0, 1.0), (1 / _GLOW, 0.95), (1 / _GLOW + 0.08, 0.4), (1.0, 0.0)):
            color = QColor(self.theme.rejection)
            color.setAlphaF(alpha)
            glow.setColorAt(place, color)
        painter.setBrush(glow)
        painter.drawEllipse(here, self._radius * _GLOW, self._radius * _GLOW)
