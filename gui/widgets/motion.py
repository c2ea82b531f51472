"""What moves in a widget: held where it is, moved on by hand, or brought to rest."""

from __future__ import annotations

from typing import Callable, Iterator

from PySide6.QtCore import QAbstractAnimation, QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget

_RUNS, _HELD = QAbstractAnimation.State.Running, QAbstractAnimation.State.Paused

#: Rounds of events after which what asks for another size for ever is shown at the one it has.
_MOST = 20


class LayoutWatch(QObject):
    """Whether a round of events lays anything out; a request climbs by one widget a round."""

    _LAYS_OUT = (QEvent.Type.LayoutRequest, QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.Hide)

    def process(self) -> bool:
        self._seen = False
        app = QApplication.instance()
        assert app is not None
        app.installEventFilter(self)
        QApplication.processEvents()
        app.removeEventFilter(self)
        return self._seen

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self._seen = self._seen or event.type() in self._LAYS_OUT
        return False


def settle(show: Callable[[], None]) -> None:
    """Let everything be laid out, then shown at its size and painted, until that lays out nothing more."""
    watch, shown = LayoutWatch(), False
    for _ in range(_MOST):
        if watch.process():
            shown = False
        elif shown:
            return
        else:
            show()
            shown = True
    show()


def come_to_rest(widget: QWidget) -> None:
    """Nothing moves any more that comes to an end."""
    while moving := _moving(widget, _RUNS, _HELD):
        for motion in moving:
            motion.setCurrentTime(motion.totalDuration())


def lay_out(widget: QWidget) -> None:
    """Let everything in a widget be laid out and painted, and hold what moves where it begins."""
    for _ in range(3):
        QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        QApplication.processEvents()
    for motion in _moving(widget, _RUNS):
        motion.pause()
        motion.setCurrentTime(0)


def steps(widget: QWidget, milliseconds: float) -> Iterator[None]:
    """What is held moves on by so much time at each step, until nothing moves."""
    while held := _moving(widget, _HELD):
        yield
        for motion in held:
            motion.setCurrentTime(min(motion.totalDuration(), round(motion.currentTime() + milliseconds)))
        for begun in _moving(widget, _RUNS):  # what begins where another one ends
            begun.pause()


def _moving(widget: QWidget, *states: QAbstractAnimation.State) -> list[QAbstractAnimation]:
    """What is in one of these states, and comes to an end."""
    every = widget.findChildren(QAbstractAnimation)
    return [motion for motion in every if motion.state() in states and motion.totalDuration() >= 0]
