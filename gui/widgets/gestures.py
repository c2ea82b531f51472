"""Wheel, pinch, drag, click and keys on a picture that zooms, as signals."""

from __future__ import annotations

from typing import Callable

from PySide6.QtCore import QEvent, QObject, QPointF, Qt, Signal
from PySide6.QtGui import QDropEvent, QHelpEvent, QKeyEvent, QMouseEvent, QNativeGestureEvent, QWheelEvent
from PySide6.QtWidgets import QToolTip, QWidget

#: Zoom by one notch of a wheel.
NOTCH = 1.25
#: What points at a thing: also what opens the menu about it.
POINTING = (Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton)
#: A press that moves less than this is a click.
CLICK = 4


def take_copy(event: QDropEvent) -> None:
    """Take what is dragged as a copy, also where it might be moved: its owner would then delete it."""
    event.setDropAction(Qt.DropAction.CopyAction)
    event.accept()


class Gestures(QObject):
    """Watches a widget and says what the user wants of its picture."""

    zoomed = Signal(float, QPointF)  #: by a factor, around a point
    dragged = Signal(QPointF)  #: by so much
    clicked = Signal(QPointF)
    double_clicked = Signal(QPointF)
    reset = Signal()

    def __init__(self, widget: QWidget, words_at: Callable[[QPointF], str] | None = None) -> None:
        """*words_at* makes the tooltips, unless the widget shows its own."""
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
            self.clicked.emit(event.position())  # what is below the menu that opens is selected
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
        # The first press of the pair was a click already; the second release is none.
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
