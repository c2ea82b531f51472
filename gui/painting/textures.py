"""Textures as small tiles of pixels, for pictures made of pixels and for what is painted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from typing import Callable

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter

from slotscope.gui.painting.colour import argb, mix
from slotscope.gui.theme import Texture, Theme

PERIOD = 4
INK = 0.62

Pixels = npt.NDArray[np.uint32]


@dataclass(frozen=True)
class RasterPalette:
    """Pixels (0xffrrggbb) for the servers of one scenario in one theme.

    ``colour`` and ``tile`` hold one colour and one tile per job type; ``vacant`` one tile
    per group for the inside of empty slots; ``frame`` one colour per group; ``scale`` is
    the number of device pixels per line of a texture.
    """

    colour: Pixels
    tile: Pixels
    vacant: Pixels
    frame: Pixels
    share: int
    background: int
    scale: int


def texture_mask(texture: Texture) -> npt.NDArray[np.bool_]:
    """Where the ink of *texture* is, as a square of :data:`PERIOD` pixels."""
    y, x = np.mgrid[0:PERIOD, 0:PERIOD]
    masks = {
        Texture.PLAIN: np.zeros_like(x, dtype=bool),
        Texture.RISING: (x + y) % PERIOD == 0,
        Texture.DOTS: (x < 2) & (y < 2),
        Texture.HORIZONTAL: y == 0,
        Texture.FALLING: (x - y) % PERIOD == 0,
        Texture.VERTICAL: x == 0,
        Texture.GRID: (x == 0) | (y == 0),
        Texture.CHECKS: (x < 2) ^ (y < 2),
    }
    return np.asarray(masks[texture], dtype=bool)


def texture_tile(texture: Texture, color: str, ink: str, scale: int = 1) -> Pixels:
    """A tile of *color* with the texture's lines in *ink*, each *scale* pixels wide."""
    mask = np.kron(texture_mask(texture), np.ones((scale, scale), dtype=bool))
    return np.where(mask, np.uint32(argb(ink)), np.uint32(argb(color)))


def inked_tile(texture: Texture, color: str, theme: Theme, scale: int = 1) -> Pixels:
    """A tile of *color* with lines that are nearer to the panel's."""
    return texture_tile(texture, color, mix(color, theme.panel, INK), scale)


def tile_brush(tile: Pixels, ratio: float = 1.0) -> QBrush:
    """A brush that repeats *tile* from the painter's origin on, at a ratio of device pixels."""
    height, width = tile.shape
    data = np.ascontiguousarray(tile).tobytes()
    image = QImage(data, width, height, 4 * width, QImage.Format.Format_RGB32).copy()
    image.setDevicePixelRatio(ratio)
    return QBrush(image)


def texture_scale(ratio: float) -> int:
    """Width of a texture's lines, a power of two, for this ratio of device pixels."""
    return 1 if ratio < 1.5 else 2 if ratio < 3 else 4


def device_ratio(painter: QPainter) -> float:
    """Device pixels for each of what is painted on."""
    device = painter.device()
    return device.devicePixelRatioF() if device is not None else 1.0


# Types of jobs: colour and texture, alike in all panels.


@cache
def type_tile(theme: Theme, job_type: int, scale: int = 1) -> Pixels:
    """The texture of a job type, to be repeated; lines are *scale* pixels wide."""
    style = theme.type_style(job_type)
    return inked_tile(style.texture, style.color, theme, scale)


@cache
def type_brush(theme: Theme, job_type: int, ratio: float = 1.0) -> QBrush:
    """Colour and texture of a job type at a ratio of device pixels."""
    return tile_brush(type_tile(theme, job_type, texture_scale(ratio)), ratio)


def paint_type_mark(painter: QPainter, box: QRectF, theme: Theme, job_type: int) -> None:
    """Fill *box* with the look of a job type."""
    paint_mark(painter, box, partial(type_brush, theme, job_type), theme.type_style(job_type).color)


def paint_mark(painter: QPainter, box: QRectF, brush: Callable[[float], QBrush], color: str) -> None:
    """Fill *box* with a brush, given for a ratio of device pixels, and frame it in *color*."""
    painter.save()
    painter.setBrushOrigin(box.topLeft())
    painter.fillRect(box, brush(device_ratio(painter)))
    painter.setPen(QColor(color))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(box)
    painter.restore()


def raster_palette(theme: Theme, job_types: int, ratio: float = 1.0) -> RasterPalette:
    """The pixels for *job_types* types in *theme* at this ratio of device pixels.

    Empty slots of Reject Group servers are reserved: they are hatched thinly.
    """
    scale = texture_scale(ratio)
    tiles = [type_tile(theme, job_type, scale) for job_type in range(job_types)]
    plain = texture_tile(Texture.PLAIN, theme.panel, theme.panel, scale)
    reserved = texture_tile(Texture.FALLING, theme.panel, theme.reserved, scale)
    return RasterPalette(
        colour=np.array([argb(theme.type_style(job_type).color) for job_type in range(job_types)], dtype=np.uint32),
        tile=np.array(tiles, dtype=np.uint32).reshape(job_types, PERIOD * scale, PERIOD * scale),
        vacant=np.array([plain, reserved, plain]),
        frame=np.array([argb(c) for c in (theme.empty, theme.reject_group, theme.grid)], dtype=np.uint32),
        share=argb(theme.empty),
        background=argb(theme.panel),
        scale=scale,
    )


# Strips: for every look one row of a column, from side to side.


def plain_tile(color: str, scale: int) -> Pixels:
    """A tile of one colour."""
    return texture_tile(Texture.PLAIN, color, color, scale)


def strip_of(tile: Pixels, width: int) -> Pixels:
    """A tile repeated to a row of this width."""
    return np.tile(tile, (1, -(-width // (PERIOD * (len(tile) // PERIOD)))))[:, :width].copy()


def wall_of(width: int, scale: int, least: int, thick: int) -> int:
    """Width of the walls of a bin of *width*, which has some from *least* on, in lines of a texture."""
    if width < least * scale:
        return 0
    return 2 * scale if width >= thick * scale else scale


def dimmed_pixels(pixels: Pixels, background: int, share: float) -> Pixels:
    """*pixels* with a share of the background in them."""
    shown = np.ascontiguousarray(pixels).view(np.uint8).astype(np.float64)
    under = np.array([background], np.uint32).view(np.uint8)
    mixed = shown.reshape(*pixels.shape, 4) * (1 - share) + under * share
    result: Pixels = np.round(mixed).astype(np.uint8).view(np.uint32).reshape(pixels.shape)
    return result


def pixels_of_looks(looks: npt.NDArray[np.int16], strips: Pixels, dimmed: npt.NDArray[np.bool_]) -> Pixels:
    """[n, ..., H, W] the pixels of columns from above, of whose rows [n, ..., H] are the looks from below.

    *strips* [2 K, P, W] have a row for each look, period P high, then those of *dimmed* [n] columns.
    """
    kinds, period, width = strips.shape
    index = looks[..., ::-1].astype(np.intp) * period + np.arange(looks.shape[-1]) % period
    index[dimmed] += kinds // 2 * period
    pixels: Pixels = np.take(strips.reshape(-1, width), index, axis=0, mode="clip")
    return pixels
