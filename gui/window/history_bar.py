"""The scrubber: all of history as one bar, with keyframes and the run's position."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from slotscope.gui.language.words import tr
from slotscope.gui.painting.kept import PARTS
from slotscope.gui.theme import Theme, current_fonts
from slotscope.model.reporting.frame import Frame

_MARGIN = 10.0
#: At most so many keyframes have a tick.
MOST_TICKS = 200


class HistoryBar(QWidget):
    """Shows the run's position between the first event and the live end.

    Dragging or clicking emits ``sought`` with an event number.
    """

    sought = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("history")
        self.setAccessibleName(tr("History"))
        self._tell("")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._theme = theme
        self._frame: Frame | None = None
        self._dragged: int | None = None
        self._painted: tuple[object, ...] = ()  # what was painted last, see :meth:`_look`

    def _tell(self, refused: str) -> None:
        """Set the tooltip, including why the disk has *refused* more history, if it has."""
        about = tr(
            "History\nDrag to any moment of the run; ticks below are keyframes, those above hits of the log's question."
        )
        full = tr(
            "The disk takes no more of the history ({reason}): keyframes are further apart, and going back is slower."
        )
        self._refused = refused
        self.setToolTip(f"{about}\n{full.format(reason=refused)}" if refused else about)

    def sizeHint(self) -> QSize:
        """The preferred size: a thin bar."""
        return QSize(400, 22)

    def set_theme(self, theme: Theme) -> None:
        """Apply another theme."""
        self._theme = theme
        self.update()

    def set_frame(self, frame: Frame) -> None:
        self._frame = frame
        if frame.extent.refused != self._refused:
            self._tell(frame.extent.refused)
        if self._look() != self._painted:
            self.update()

    def _span(self) -> tuple[int, int]:
        if self._frame is None:
            return 0, 1
        first = self._frame.extent.keyframes[0]
        return first, max(first + 1, self._frame.extent.live_end)

    def x_of(self, event: float) -> float:
        """The x coordinate of an event on the bar."""
        first, last = self._span()
        return _MARGIN + (self.width() - 2 * _MARGIN) * (event - first) / (last - first)

    def event_at(self, x: float) -> int:
        """The event nearest to an x coordinate on the bar."""
        first, last = self._span()
        share = (x - _MARGIN) / max(1.0, self.width() - 2 * _MARGIN)
        return round(first + (last - first) * min(max(share, 0.0), 1.0))

    def paintEvent(self, _: QPaintEvent) -> None:
        """Paint groove, keyframes, the part that has been run, and the handle."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        middle = self.height() / 2
        groove = QRectF(_MARGIN, middle - 2, self.width() - 2 * _MARGIN, 4)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._theme.border))
        painter.drawRoundedRect(groove, 2, 2)
        if self._frame is None:
            return
        self._painted, here = self._look(), self._here()
        painter.setBrush(QColor(self._theme.muted))
        painter.drawRoundedRect(groove.adjusted(0, 0, here - groove.right(), 0), 2, 2)
        if not current_fonts().lecture:  # keyframes mean nothing to an audience
            self._paint_keyframes(painter, middle)
        self._paint_hits(painter, middle)
        painter.setPen(QPen(QColor(self._theme.panel), 1.5))
        painter.setBrush(QColor(self._theme.focus))
        painter.drawEllipse(QPointF(here, middle), 7, 7)

    def _here(self) -> float:
        """The x coordinate of the handle."""
        event = 0 if self._frame is None else self._frame.event
        return self.x_of(event if self._dragged is None else self._dragged)

    def _ticks(self) -> NDArray[np.float64]:
        """The x coordinates of the keyframes' ticks, thinned out if there are too many."""
        events = () if self._frame is None else self._frame.extent.keyframes
        first, last = self._span()
        scale = (self.width() - 2 * _MARGIN) / (last - first)
        shown = np.array(events[:: -(-len(events) // MOST_TICKS) or 1], np.float64)
        return np.asarray(_MARGIN + scale * (shown - first), np.float64)

    def _look(self) -> tuple[object, ...]:
        """All that is painted, rounded to what the eye can tell apart; a repaint is due when it changes."""
        return round(PARTS * self._here()), np.round(PARTS * self._ticks()).tobytes(), self.hit_places()

    def _paint_keyframes(self, painter: QPainter, middle: float) -> None:
        painter.setPen(QPen(QColor(self._theme.muted), 1))
        painter.drawLines([QLineF(x, middle + 4, x, middle + 8) for x in self._ticks().tolist()])

    def hit_places(self) -> list[float]:
        """The x coordinates of the hits of the log's question, whole pixels, without duplicates."""
        if self._frame is None or self._frame.asked is None:
            return []
        first, last = self._span()
        scale = (self.width() - 2 * _MARGIN) / (last - first)
        places = np.unique(np.round(_MARGIN + scale * (self._frame.asked.events - first)))
        return [float(place) for place in places]

    def _paint_hits(self, painter: QPainter, middle: float) -> None:
        painter.setPen(QPen(QColor(self._theme.focus), 1))
        painter.drawLines([QLineF(place, middle - 9, place, middle - 4) for place in self.hit_places()])

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Seek to the clicked event."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._seek(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Seek to the event under the mouse while the left button is down."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._seek(event.position().x())

    def mouseReleaseEvent(self, _: QMouseEvent) -> None:
        """End the drag: the handle follows frames again."""
        self._dragged = None
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ignore keys: they belong to the transport."""
        event.ignore()

    def _seek(self, x: float) -> None:
        target = self.event_at(x)
        if target != self._dragged:
            self._dragged = target
            self.sought.emit(target)
            self.update()
