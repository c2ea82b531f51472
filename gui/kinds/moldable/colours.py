"""How a width and a class look, alike in all panels of moldable jobs.

The width i of a job, on how many servers it runs, has a colour and a texture, and its number where
there is room.  A class is told by its letter, and where only classes are compared by a colour from
the other end of the same circle.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial

from PySide6.QtCore import QRectF
from PySide6.QtGui import QBrush, QPainter

from slotscope.gui.painting.colour import mix
from slotscope.gui.painting.textures import Pixels, inked_tile, paint_mark, texture_scale, tile_brush
from slotscope.gui.theme import Theme, TypeStyle

#: How much of a colour is left each time that it comes again.
TURN = 0.62


@cache
def width_style(theme: Theme, width: int) -> TypeStyle:
    """Colour and texture of the jobs that run on *width* servers, 1, 2, ...

    Once all colours are used they come again, each time nearer to the strongest neutral.
    """
    style = theme.type_style(width - 1)
    turn = (width - 1) // len(theme.palette)
    return replace(style, color=mix(style.color, theme.run, 1 - TURN**turn))


def width_color(theme: Theme, width: int) -> str:
    """The colour of the jobs that run on *width* servers."""
    return width_style(theme, width).color


def class_color(theme: Theme, job_class: int) -> str:
    """The colour of a class, counted from 0, in pictures that do not tell widths apart."""
    return theme.type_style(len(theme.types) - 1 - job_class % len(theme.types)).color


@cache
def width_tile(theme: Theme, width: int, scale: int = 1) -> Pixels:
    """The texture of a width, to be repeated; lines are *scale* pixels wide."""
    style = width_style(theme, width)
    return inked_tile(style.texture, style.color, theme, scale)


@cache
def width_brush(theme: Theme, width: int, ratio: float = 1.0) -> QBrush:
    """Colour and texture of a width at a ratio of device pixels."""
    return tile_brush(width_tile(theme, width, texture_scale(ratio)), ratio)


def paint_width_mark(painter: QPainter, box: QRectF, theme: Theme, width: int) -> None:
    """Fill *box* with the look of the jobs that run on *width* servers."""
    paint_mark(painter, box, partial(width_brush, theme, width), width_color(theme, width))
