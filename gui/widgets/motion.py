"""What moves in a widget: held where it is, moved on by hand, or brought to rest."""

from __future__ import annotations

from typing import Iterator

from PySide6.QtCore import QAbstractAnimation, QEvent
from PySide6.QtWidgets import QApplication, QWidget

_RUNS, _HELD = QAbstractAnimation.State.Running, QAbstractAnimation.State.Paused


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
