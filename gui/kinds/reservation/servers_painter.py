"""Servers drawn with QPainter: the same pixels as the kernel, without compiled code."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QBrush, QColor, QPainter

from slotscope.gui.kinds.reservation.servers_painted import PaintedServers
from slotscope.gui.kinds.reservation.servers_shapes import Boxes, Shapes, shapes
from slotscope.gui.painting.kernel import TEXTURED
from slotscope.gui.painting.textures import RasterPalette, tile_brush


def paint_servers(
    painter: QPainter, servers: PaintedServers, chosen: npt.NDArray[np.intp], palette: RasterPalette
) -> None:
    """Draw the *chosen* servers with *painter*, whose unit must be a device pixel."""
    parts = shapes(servers, chosen, palette.scale)
    painter.setPen(Qt.PenStyle.NoPen)
    for group, colour in enumerate(palette.frame.tolist()):
        _fill(painter, parts.outer[parts.outer_group == group], _flat(colour))
    _fill(painter, parts.inner, _flat(palette.background))
    _paint_jobs(painter, parts, palette)
    _paint_vacant(painter, parts, palette)
    _fill(painter, parts.share, _flat(palette.share))
    _fill(painter, parts.mark, _flat(int(palette.frame[1])))


def _paint_jobs(painter: QPainter, parts: Shapes, palette: RasterPalette) -> None:
    size = (parts.filled[:, 2:] - parts.filled[:, :2]).min(axis=1)
    textured = size >= TEXTURED * palette.scale
    for job_type, colour in enumerate(palette.colour.tolist()):
        mine = parts.filled_type == job_type
        _fill(painter, parts.filled[mine & ~textured], _flat(colour))
        _fill(painter, parts.filled[mine & textured], tile_brush(palette.tile[job_type]))


def _paint_vacant(painter: QPainter, parts: Shapes, palette: RasterPalette) -> None:
    for job_type, colour in enumerate(palette.colour.tolist()):
        _fill(painter, parts.vacant[parts.vacant_type == job_type], _flat(colour))
    inside = parts.vacant + palette.scale * np.array([1, 1, -1, -1])
    for group, tile in enumerate(palette.vacant):
        _fill(painter, inside[parts.vacant_group == group], tile_brush(tile))


def _flat(colour: int) -> QBrush:
    return QBrush(QColor.fromRgb(colour))


def _fill(painter: QPainter, boxes: Boxes, brush: QBrush) -> None:
    if not len(boxes):
        return
    painter.setBrush(brush)
    sizes = boxes[:, 2:] - boxes[:, :2]
    rows = np.column_stack([boxes[:, :2], sizes]).tolist()
    painter.drawRects([QRect(*row) for row in rows])
