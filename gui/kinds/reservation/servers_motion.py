"""Moves what a step moves: phase after phase, and gone as soon as another moment is shown."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEasingCurve, QObject, QRectF, Qt, QVariantAnimation, Signal
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap

#: Milliseconds of a step with one phase, and of each phase where there are more.
ALONE, TOGETHER = 300, 200
#: What flies is shown at least this large.
LEAST = 12.0


@dataclass(frozen=True)
class Flight:
    """A picture that goes from one place to another; until then its target looks vacant."""

    start: QRectF
    end: QRectF
    picture: QPixmap
    vacant: QPixmap
    color: str


class Motion(QObject):
    """Runs the phases of one step."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._phases: list[list[Flight]] = []
        self._progress = 0.0
        self._animation = QVariantAnimation(self)
        self._animation.setStartValue(0.0)
        self._animation.setEndValue(1.0)
        self._animation.setEasingCurve(QEasingCurve.Type.InOutCubic)
        self._animation.valueChanged.connect(self._advance)
        self._animation.finished.connect(self._finish)

    @property
    def active(self) -> bool:
        """Whether something is on its way."""
        return bool(self._phases)

    def start(self, phases: list[list[Flight]]) -> None:
        """Let everything of each phase move at once, one phase after the other."""
        self.cancel()
        self._phases = [phase for phase in phases if phase]
        if self._phases:
            self._animation.setDuration(ALONE if len(self._phases) == 1 else TOGETHER)
            self._animation.start()

    def cancel(self) -> None:
        """Everything is where it belongs, at once."""
        self._phases = []
        self._progress = 0.0
        self._animation.stop()

    def waiting(self) -> list[Flight]:
        """Flights whose target is still vacant."""
        return [flight for phase in self._phases for flight in phase]

    def flying(self) -> list[tuple[QRectF, Flight]]:
        """Where the flights of the present phase are."""
        if not self._phases:
            return []
        return [(_seen(_between(flight, self._progress)), flight) for flight in self._phases[0]]

    def paint_waiting(self, painter: QPainter) -> None:
        """Show the targets of what has not arrived yet as vacant."""
        for flight in self.waiting():
            painter.drawPixmap(flight.end, flight.vacant, QRectF(flight.vacant.rect()))

    def paint_flying(self, painter: QPainter) -> None:
        """Show what is on its way."""
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for rect, flight in self.flying():
            painter.drawPixmap(rect, flight.picture, QRectF(flight.picture.rect()))
            painter.setPen(QPen(QColor(flight.color), 2))
            painter.drawRect(rect.adjusted(-1, -1, 1, 1))

    def _advance(self, value: float) -> None:
        if self._phases:
            self._progress = value
            self.changed.emit()

    def _finish(self) -> None:
        self._phases = self._phases[1:]
        self._progress = 0.0
        if self._phases:
            self._animation.start()
        self.changed.emit()


def _seen(rect: QRectF) -> QRectF:
    """*rect*, large enough to be followed with the eyes."""
    width, height = (max(0.0, LEAST - side) / 2 for side in (rect.width(), rect.height()))
    return rect.adjusted(-width, -height, width, height)


def _between(flight: Flight, progress: float) -> QRectF:
    def mixed(start: float, end: float) -> float:
        return start + (end - start) * progress

    start, end = flight.start, flight.end
    return QRectF(
        mixed(start.x(), end.x()),
        mixed(start.y(), end.y()),
        mixed(start.width(), end.width()),
        mixed(start.height(), end.height()),
    )
