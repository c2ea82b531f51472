"""The mark of a job type in tables and beside curves: colour and texture, then its letter."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPen

from slotscope.gui.painting.colour import mix
from slotscope.gui.painting.textures import INK, texture_scale, texture_tile
from slotscope.gui.theme import Theme


@cache
def type_brush(theme: Theme, job_type: int, ratio: float = 1.0) -> QBrush:
    """Colour and texture of a job type at a ratio of device pixels."""
    style = theme.type_style(job_type)
    ink = mix(style.color, theme.panel, INK)
    tile = texture_tile(style.texture, style.color, ink, texture_scale(ratio))
    side = tile.shape[0]
    image = QImage(tile.tobytes(), side, side, 4 * side, QImage.Format.Format_RGB32).copy()
    image.setDevicePixelRatio(ratio)
    return QBrush(image)


def paint_type_mark(painter: QPainter, box: QRectF, theme: Theme, job_type: int) -> None:
    """Fill *box* with the look of a job type."""
    device = painter.device()
    ratio = device.devicePixelRatioF() if device is not None else 1.0
    painter.save()
    painter.setBrushOrigin(QPointF(box.topLeft()))
    painter.fillRect(box, type_brush(theme, job_type, ratio))
    painter.setPen(QPen(QColor(theme.type_style(job_type).color)))
    painter.setBrush(QBrush())
    painter.drawRect(box)
    painter.restore()
