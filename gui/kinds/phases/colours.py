"""How a phase looks, alike in all panels: colour, texture and letter; virtual jobs are hatched."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPen

from slotscope.gui.painting.colour import mix
from slotscope.gui.painting.textures import INK, Pixels, texture_scale, texture_tile
from slotscope.gui.theme import Texture, Theme

#: How much of a phase's colour is between the lines of a virtual job's hatching.
VEIL = 0.16


def phase_color(theme: Theme, phase: int) -> str:
    """The colour of a phase, and of the job type and the tokens that are called like it."""
    return theme.type_style(phase).color


def phase_colours(theme: Theme, count: int) -> list[QColor]:
    """The colours of the first *count* phases."""
    return [QColor(phase_color(theme, phase)) for phase in range(count)]


def phase_ink(theme: Theme, phase: int) -> str:
    """The phase's colour, legible as text on a panel."""
    return theme.ink(phase_color(theme, phase))


@cache
def phase_tile(theme: Theme, phase: int, scale: int = 1) -> Pixels:
    """The texture of real jobs in a phase, to be repeated; lines are *scale* pixels wide."""
    style = theme.type_style(phase)
    return texture_tile(style.texture, style.color, mix(style.color, theme.panel, INK), scale)


@cache
def virtual_tile(theme: Theme, phase: int, scale: int = 1) -> Pixels:
    """The hatching of virtual jobs in a phase: lines in its colour, next to nothing between."""
    color = phase_color(theme, phase)
    return texture_tile(Texture.FALLING, mix(theme.panel, color, VEIL), color, scale)


@cache
def phase_brush(theme: Theme, phase: int, ratio: float = 1.0) -> QBrush:
    """Colour and texture of real jobs in a phase at a ratio of device pixels."""
    return _brush(phase_tile(theme, phase, texture_scale(ratio)), ratio)


@cache
def virtual_brush(theme: Theme, phase: int, ratio: float = 1.0) -> QBrush:
    """The hatching of virtual jobs in a phase at a ratio of device pixels."""
    return _brush(virtual_tile(theme, phase, texture_scale(ratio)), ratio)


def _brush(tile: Pixels, ratio: float) -> QBrush:
    side = tile.shape[0]
    image = QImage(tile.tobytes(), side, side, 4 * side, QImage.Format.Format_RGB32).copy()
    image.setDevicePixelRatio(ratio)
    return QBrush(image)


def paint_phase_mark(painter: QPainter, box: QRectF, theme: Theme, phase: int, virtual: bool = False) -> None:
    """Fill *box* with the look of a real or a virtual job in a phase."""
    device = painter.device()
    ratio = device.devicePixelRatioF() if device is not None else 1.0
    painter.save()
    painter.setBrushOrigin(QPointF(box.topLeft()))
    painter.fillRect(box, (virtual_brush if virtual else phase_brush)(theme, phase, ratio))
    painter.setPen(QPen(QColor(phase_color(theme, phase))))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(box)
    painter.restore()
