"""Animations in a widget: paused, advanced by hand, or finished."""

from __future__ import annotations

from typing import Callable, Iterator

from PySide6.QtCore import QAbstractAnimation, QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget

_RUNS, _HELD = QAbstractAnimation.State.Running, QAbstractAnimation.State.Paused

#: Rounds of events after which a widget whose layout never settles is shown as it is.
_MOST = 20


class LayoutWatch(QObject):
    """Tells whether processing events laid anything out; a layout request climbs one widget per round."""

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
    """Process events and call *show*, repeatedly, until neither causes a new layout."""
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
    """Finish all animations of a widget, except endless ones."""
    while moving := _moving(widget, _RUNS, _HELD):
        for motion in moving:
            motion.setCurrentTime(motion.totalDuration())


def lay_out(widget: QWidget) -> None:
    """Lay out and paint everything in a widget, and pause its animations at their beginning."""
    for _ in range(3):
        QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        QApplication.processEvents()
    for motion in _moving(widget, _RUNS):
        motion.pause()
        motion.setCurrentTime(0)


def steps(widget: QWidget, milliseconds: float) -> Iterator[None]:
    """Advance the paused animations by so many milliseconds per step, until all have finished."""
    while held := _moving(widget, _HELD):
        yield
        for motion in held:
            motion.setCurrentTime(min(motion.totalDuration(), round(motion.currentTime() + milliseconds)))
        for begun in _moving(widget, _RUNS):  # animations started by the end of another
            begun.pause()


def _moving(widget: QWidget, *states: QAbstractAnimation.State) -> list[QAbstractAnimation]:
    """The animations in one of these states, except endless ones."""
    every = widget.findChildren(QAbstractAnimation)
    return [motion for motion in every if motion.state() in states and motion.totalDuration() >= 0]
