"""A picture of servers that is kept up to date by drawing only what changed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QImage, QPainter

from slotscope.gui.kinds.reservation.servers_painted import Integers, PaintedServers
from slotscope.gui.kinds.reservation.servers_painter import paint_servers
from slotscope.gui.painting import kernel
from slotscope.gui.painting.textures import RasterPalette


class ServerRaster:
    """Draws :class:`PaintedServers` into pixels, with the compiled kernel once it is active."""

    def __init__(self, width: int, height: int, palette: RasterPalette) -> None:
        self._palette = palette
        self._shown: PaintedServers | None = None
        self.resize(width, height)

    def resize(self, width: int, height: int) -> None:
        """Start again with an empty picture of this size in device pixels."""
        self._pixels = np.empty((max(1, height), max(1, width)), dtype=np.uint32)
        self._image = _image_on(self._pixels)
        self.clear()

    @property
    def image(self) -> QImage:
        """The picture; it shares its pixels with this raster."""
        return self._image

    @property
    def palette(self) -> RasterPalette:
        """The pixels of job types, groups and background in use."""
        return self._palette

    def set_palette(self, palette: RasterPalette) -> None:
        """Start again with an empty picture in other colours."""
        self._palette = palette
        self.clear()

    def clear(self) -> None:
        """Forget the servers shown; the next drawing is a full one."""
        self._pixels.fill(self._palette.background)
        self._shown = None

    def draw(self, servers: PaintedServers) -> Integers:
        """Bring the picture up to date; returns the indices of the servers drawn anew.

        The arrays are copied where they differ, so the caller may go on changing them.
        """
        everything = self._shown is None or not _comparable(self._shown, servers)
        if everything:
            self.clear()
            self._shown = _copy(servers)
        assert self._shown is not None
        twin = kernel.active()
        if twin is None:
            return self._paint(servers, everything)
        changed = np.empty(len(servers.rects), dtype=np.int32)
        count = twin(
            self._pixels,
            *_arrays(servers),
            *_arrays(self._shown),
            servers.weight,
            float(servers.capacity),
            *self._colours(),
            self._palette.scale,
            everything,
            changed,
        )
        return changed[:count]

    def _colours(self) -> tuple[npt.NDArray[np.uint32] | np.uint32, ...]:
        palette = self._palette
        return (
            *(palette.colour, palette.tile, palette.vacant, palette.frame),
            *(np.uint32(palette.share), np.uint32(palette.background)),
        )

    def _paint(self, servers: PaintedServers, everything: bool) -> Integers:
        assert self._shown is not None
        old, new = _arrays(self._shown), _arrays(servers)
        differs = np.full(len(servers.rects), everything)
        for before, after in zip(old, new, strict=True):
            unlike = before != after
            differs |= unlike.any(axis=tuple(range(1, unlike.ndim)))
        chosen = np.flatnonzero(differs)
        painter = QPainter(self._image)
        if not everything:
            for x, y, width, height in self._shown.rects[chosen].tolist():
                self._pixels[max(0, y) : y + height, max(0, x) : x + width] = self._palette.background
        paint_servers(painter, servers, chosen, self._palette)
        painter.end()
        for before, after in zip(old, new, strict=True):
            before[chosen] = after[chosen]
        return chosen.astype(np.int32)


def _arrays(servers: PaintedServers) -> tuple[npt.NDArray[np.generic], ...]:
    return servers.rects, servers.configuration, servers.placement, servers.group


def _copy(servers: PaintedServers) -> PaintedServers:
    copies = {
        name: getattr(servers, name).copy() for name in ("rects", "configuration", "placement", "group", "weight")
    }
    return replace(servers, **copies)


def _comparable(old: PaintedServers, new: PaintedServers) -> bool:
    """Whether single servers can be compared: same number, types and slot heights."""
    return (
        old.configuration.shape == new.configuration.shape
        and old.capacity == new.capacity
        and np.array_equal(old.weight, new.weight)
    )


def _image_on(pixels: npt.NDArray[np.uint32]) -> QImage:
    height, width = pixels.shape
    # All pixels are opaque, and Qt copies the format without alpha several times faster.
    return QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGB32)
