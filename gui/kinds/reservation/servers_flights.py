"""The moving pictures of one step: cut out of the new moment, started from the old one."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPixmap

from slotscope.gui.kinds.reservation.servers_legend import dashed
from slotscope.gui.kinds.reservation.servers_motion import Flight
from slotscope.gui.kinds.reservation.servers_scene import StackScene
from slotscope.gui.kinds.reservation.servers_steps import Movement


def flights(
    phases: tuple[tuple[Movement, ...], ...], old: StackScene, new: StackScene, image: QImage, door: QRectF
) -> list[list[Flight]]:
    """One flight for each movement that can be seen from its start to its end.

    *image* is the new moment's stage; arriving jobs come in at *door*.
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
