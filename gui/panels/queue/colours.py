"""How a virtual queue looks, alike in all panels: colour, texture and number."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPen

from gui.painting.colour import mix
from gui.painting.textures import INK, Pixels, texture_scale, texture_tile
from gui.theme import Texture, Theme

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@dataclass(frozen=True)
class QueueStyle:
    """The look of a virtual queue and of its jobs."""

    color: str
    texture: Texture
    label: str  #: its number, to be written where colours do not tell; empty for the only queue


def queue_style(theme: Theme, queue: int, queues: int) -> QueueStyle:
    """The style of virtual queue *queue*, counted from 0, of so many.

    Where all jobs wait in one queue there is nothing to tell apart: they are grey.
    """
    if queues <= 1:
        return QueueStyle(theme.types[-1], Texture.PLAIN, "")
    style = theme.type_style(queue)
    return QueueStyle(style.color, style.texture, str(queue))


def queue_ink(theme: Theme, queue: int, queues: int) -> str:
    """The queue's colour, legible as text on a panel."""
    return theme.ink(queue_style(theme, queue, queues).color)


@cache
def queue_tile(theme: Theme, queue: int, queues: int, scale: int = 1) -> Pixels:
    """The texture of the queue's jobs, to be repeated; lines are *scale* pixels wide."""
    style = queue_style(theme, queue, queues)
    return texture_tile(style.texture, style.color, mix(style.color, theme.panel, INK), scale)


@cache
def queue_brush(theme: Theme, queue: int, queues: int, ratio: float = 1.0) -> QBrush:
    """Colour and texture of the queue's jobs at a ratio of device pixels."""
    tile = queue_tile(theme, queue, queues, texture_scale(ratio))
    side = tile.shape[0]
    image = QImage(tile.tobytes(), side, side, 4 * side, QImage.Format.Format_RGB32).copy()
    image.setDevicePixelRatio(ratio)
    return QBrush(image)


def paint_queue_mark(painter: QPainter, box: QRectF, theme: Theme, queue: int, queues: int) -> None:
    """Fill *box* with the look of the queue's jobs."""
    device = painter.device()
    ratio = device.devicePixelRatioF() if device is not None else 1.0
    painter.save()
    painter.setBrushOrigin(QPointF(box.topLeft()))
    painter.fillRect(box, queue_brush(theme, queue, queues, ratio))
    painter.setPen(QPen(QColor(queue_style(theme, queue, queues).color)))
    painter.setBrush(QBrush())
    painter.drawRect(box)
    painter.restore()


def subscript(number: int) -> str:
    """A number as it stands below the line after a symbol."""
    return str(number).translate(_SUBSCRIPTS)


def queue_name(queue: int, queues: int) -> str:
    """VQ₃, or Q where there is only one queue."""
    return f"VQ{subscript(queue)}" if queues > 1 else "Q"
