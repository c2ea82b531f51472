"""Animates the movements of a step, phase by phase; cancelled when another moment is shown.

A moving piece is copied from the picture of the new moment, and starts at its place in the old one.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEasingCurve, QObject, QRectF, Qt, QVariantAnimation, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPixmap

from slotscope.gui.kinds.reservation.servers_legend import dashed
from slotscope.gui.kinds.reservation.servers_scene import StackScene
from slotscope.gui.kinds.reservation.servers_steps import Movement


def flights(
    phases: tuple[tuple[Movement, ...], ...], old: StackScene, new: StackScene, image: QImage, door: QRectF
) -> list[list[Flight]]:
    """One flight for each movement whose start and end are visible, by phase.

    *image* is the stage of the new moment; arriving jobs start at *door*.
    """
    result = []
    for phase in phases:
        found = [_flight(item, old, new, image, door) for item in phase]
        result.append([flight for flight in found if flight is not None])
    return result


def _flight(item: Movement, old: StackScene, new: StackScene, image: QImage, door: QRectF) -> Flight | None:
    if item.kind == "reassign":
        start = old.rect(old.server_box(item.server))
        end = new.rect(new.server_box(item.server))
    else:
        slot = int(new.frame.state.placement[item.server, item.job_type]) - 1
        end = new.rect(new.slot_box(item.server, item.job_type, slot))
        start = door
        if item.kind == "migrate":
            last = int(old.frame.state.placement[item.source, item.job_type]) - 1
            start = old.rect(old.slot_box(item.source, item.job_type, last))
    stage = new.regions.stage.adjusted(-1, -1, 1, 1)
    if not stage.contains(end) or (start is not door and not stage.contains(start)):
        return None
    color = new.theme.run if item.kind == "admit" else new.theme.migration
    return Flight(start, end, _copied(new, image, end), _vacant(new, item, end), color)


def _copied(scene: StackScene, image: QImage, rect: QRectF) -> QPixmap:
    stage, ratio = scene.regions.stage, scene.ratio
    box = QRectF(
        (rect.x() - stage.x()) * ratio, (rect.y() - stage.y()) * ratio, rect.width() * ratio, rect.height() * ratio
    ).toAlignedRect()
    picture = QPixmap.fromImage(image.copy(box))
    picture.setDevicePixelRatio(ratio)
    return picture


def _vacant(scene: StackScene, item: Movement, rect: QRectF) -> QPixmap:
    ratio = scene.ratio
    picture = QPixmap(max(1, round(rect.width() * ratio)), max(1, round(rect.height() * ratio)))
    picture.setDevicePixelRatio(ratio)
    picture.fill(QColor(scene.theme.panel))
    painter = QPainter(picture)
    if item.kind == "reassign":
        painter.setPen(dashed(scene.theme))
    else:
        painter.setPen(QPen(QColor(scene.theme.type_style(item.job_type).color), 1))
    painter.drawRect(QRectF(0.5, 0.5, rect.width() - 1, rect.height() - 1))
    painter.end()
    return picture


#: Duration of a step with one phase, and of each phase if there are several; in milliseconds.
ALONE, TOGETHER = 300, 200
#: Minimum size of a flying picture in pixels.
LEAST = 12.0


@dataclass(frozen=True)
class Flight:
    """A picture that moves from *start* to *end*; until it arrives, its target is painted as *vacant*."""

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
        """Whether a flight is running."""
        return bool(self._phases)

    def start(self, phases: list[list[Flight]]) -> None:
        """Start the phases one after the other; the flights of a phase move together."""
        self.cancel()
        self._phases = [phase for phase in phases if phase]
        if self._phases:
            self._animation.setDuration(ALONE if len(self._phases) == 1 else TOGETHER)
            self._animation.start()

    def cancel(self) -> None:
        """Cancel all flights: everything is at its final place."""
        self._phases = []
        self._progress = 0.0
        self._animation.stop()

    def waiting(self) -> list[Flight]:
        """The flights that have not arrived, whose targets are still painted as vacant."""
        return [flight for phase in self._phases for flight in phase]

    def flying(self) -> list[tuple[QRectF, Flight]]:
        """The flights of the current phase, with their current rectangles."""
        if not self._phases:
            return []
        return [(_seen(_between(flight, self._progress)), flight) for flight in self._phases[0]]

    def paint_waiting(self, painter: QPainter) -> None:
        """Paint the targets of all flights that have not arrived as vacant."""
        for flight in self.waiting():
            painter.drawPixmap(flight.end, flight.vacant, QRectF(flight.vacant.rect()))

    def paint_flying(self, painter: QPainter) -> None:
        """Paint the flights of the current phase."""
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
    """*rect*, enlarged to at least ``LEAST`` pixels so that it is easy to follow."""
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
