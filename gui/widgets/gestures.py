"""Mouse wheel, pinch, drag, click and key events of a zoomable picture, turned into signals."""

from __future__ import annotations

from typing import Callable

from PySide6.QtCore import QEvent, QObject, QPointF, Qt, Signal
from PySide6.QtGui import QDropEvent, QHelpEvent, QKeyEvent, QMouseEvent, QNativeGestureEvent, QWheelEvent
from PySide6.QtWidgets import QToolTip, QWidget

#: Zoom factor of one wheel notch.
NOTCH = 1.25
#: Mouse buttons that select; the right one also opens the context menu.
POINTING = (Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton)
#: A press that moves less than this many pixels is a click.
CLICK = 4


def take_copy(event: QDropEvent) -> None:
    """Accept a drop as a copy even if a move is proposed: after a move the source would delete its file."""
    event.setDropAction(Qt.DropAction.CopyAction)
    event.accept()


class Gestures(QObject):
    """An event filter that turns a widget's input events into signals."""

    zoomed = Signal(float, QPointF)  #: (factor, point): zoom around a point
    dragged = Signal(QPointF)  #: (vector): move the picture
    clicked = Signal(QPointF)
    double_clicked = Signal(QPointF)
    reset = Signal()

    def __init__(self, widget: QWidget, words_at: Callable[[QPointF], str] | None = None) -> None:
        """*words_at* returns the tooltip at a point; None if the widget shows its own."""
        super().__init__(widget)
        self._widget, self._words_at = widget, words_at
        self._pressed: QPointF | None = None
        self._last = QPointF()
        self._dragging = False
        widget.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        widget.installEventFilter(self)
        self._handlers = {
            QEvent.Type.Wheel: self._wheel,
            QEvent.Type.NativeGesture: self._pinch,
            QEvent.Type.MouseButtonPress: self._press,
            QEvent.Type.MouseMove: self._move,
            QEvent.Type.MouseButtonRelease: self._release,
            QEvent.Type.MouseButtonDblClick: self._double,
            QEvent.Type.KeyPress: self._key,
            QEvent.Type.ToolTip: self._ask,
        }

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        handler = self._handlers.get(event.type()) if watched is self._widget else None
        return handler(event) if handler is not None else False  # type: ignore[operator]

    def _wheel(self, event: QWheelEvent) -> bool:
        notches = event.angleDelta().y() / 120
        if notches:
            self.zoomed.emit(NOTCH**notches, event.position())
        event.accept()
        return True

    def _pinch(self, event: QNativeGestureEvent) -> bool:
        if event.gestureType() != Qt.NativeGestureType.ZoomNativeGesture:
            return False
        self.zoomed.emit(1.0 + event.value(), event.position())
        return True

    def _press(self, event: QMouseEvent) -> bool:
        if event.button() == Qt.MouseButton.RightButton:
            self.clicked.emit(event.position())  # selects the thing that the context menu is about
        if event.button() != Qt.MouseButton.LeftButton:
            return False
        self._pressed = self._last = event.position()
        self._dragging = False
        self._widget.setFocus(Qt.FocusReason.MouseFocusReason)
        return True

    def _move(self, event: QMouseEvent) -> bool:
        if self._pressed is None:
            return False
        if (event.position() - self._pressed).manhattanLength() >= CLICK:
            self._dragging = True
        if self._dragging:
            self._widget.setCursor(Qt.CursorShape.ClosedHandCursor)
            self.dragged.emit(event.position() - self._last)
            self._last = event.position()
        return True

    def _release(self, event: QMouseEvent) -> bool:
        if event.button() != Qt.MouseButton.LeftButton or self._pressed is None:
            return False
        position, self._pressed = self._pressed, None
        self._widget.unsetCursor()
        if not self._dragging:
            self.clicked.emit(position)
        return True

    def _double(self, event: QMouseEvent) -> bool:
        if event.button() != Qt.MouseButton.LeftButton:
            return False
        # The first press of the pair was a click already; the second release is not one.
        self._pressed = None
        self.double_clicked.emit(event.position())
        return True

    def _key(self, event: QKeyEvent) -> bool:
        centre = QPointF(self._widget.rect().center())
        match event.key():
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                self.zoomed.emit(NOTCH, centre)
            case Qt.Key.Key_Minus:
                self.zoomed.emit(1 / NOTCH, centre)
            case Qt.Key.Key_0:
                self.reset.emit()
            case _:
                return False
        return True

    def _ask(self, event: QHelpEvent) -> bool:
        if self._words_at is None:
            return False
        QToolTip.showText(event.globalPos(), self._words_at(QPointF(event.pos())), self._widget)
        return True
