"""The pixels of the plain grid: a picture of each state that servers are in, made once."""

from __future__ import annotations

from typing import Hashable

import numpy as np
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter

from slotscope.gui.kinds.reservation.servers_grid_layout import GridLayout
from slotscope.gui.kinds.reservation.servers_shapes import TEXTURED, Boxes, GridServers, Shapes, shapes
from slotscope.gui.painting.textures import Pixels, RasterPalette, tile_brush
from slotscope.gui.pictures.cells import CellRaster, distinct
from slotscope.gui.theme import Theme

#: Pixels of sprites that are remembered; then all are forgotten.
MOST_REMEMBERED = 4_000_000
#: A QPainter reaches no further down.
_TALLEST = 30_000


class GridRaster(CellRaster):
    """Draws servers into pixels; of those that it shows, what has changed."""

    def __init__(self) -> None:
        super().__init__()
        self._look: Hashable = None
        self._known: dict[bytes, Pixels] = {}

    def draw(self, layout: GridLayout, servers: GridServers, theme: Theme, palette: RasterPalette) -> None:
        """Show the servers that can be seen in a layout."""
        cell, codes = layout.cell, servers.codes
        rows, columns = self.place(layout)
        size, look = (cell.width, cell.height), (cell, theme, palette.scale, servers.weight.tobytes())
        changed = self.begin(len(rows), len(columns), size, look, palette.background, codes)
        if not len(changed):
            return
        if look != self._look:
            self._look, self._known = look, {}
        first, like = distinct(codes[changed])
        found = self._sprites(servers.chosen(changed[first]), cell.server, palette)
        self.fill(found, changed, like, len(columns), size, (0, 0))

    def _sprites(self, servers: GridServers, size: tuple[int, int], palette: RasterPalette) -> Pixels:
        names = [code.tobytes() for code in servers.codes]
        if (len(self._known) + len(names)) * size[0] * size[1] > MOST_REMEMBERED:
            self._known = {}
        fresh = [place for place, name in enumerate(names) if name not in self._known]
        if fresh:
            made = sprites(servers.chosen(np.array(fresh)), size, palette)
            self._known.update(zip((names[place] for place in fresh), made, strict=True))
        return np.stack([self._known[name] for name in names])


def sprites(servers: GridServers, size: tuple[int, int], palette: RasterPalette) -> Pixels:
    """[S, H, W] the pixels of servers of this width and height."""
    period = palette.vacant.shape[1]
    pitch = -(-size[1] // period) * period  # textures begin alike in all of them
    at_once = max(1, _TALLEST // pitch)
    parts = [
        np.arange(start, min(start + at_once, len(servers.group))) for start in range(0, len(servers.group), at_once)
    ]
    return np.concatenate([_sheet(servers.chosen(part), size, pitch, palette) for part in parts])[:, : size[1]]


def _sheet(servers: GridServers, size: tuple[int, int], pitch: int, palette: RasterPalette) -> Pixels:
    pixels = np.full((len(servers.group), pitch, size[0]), palette.background, np.uint32)
    image = QImage(pixels.data, size[0], len(pixels) * pitch, 4 * size[0], QImage.Format.Format_RGB32)
    painter = QPainter(image)
    _paint(painter, shapes(servers, size, pitch, palette.scale), palette)
    painter.end()
    return pixels


def _paint(painter: QPainter, parts: Shapes, palette: RasterPalette) -> None:
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
