"""The looks of widths and classes, the same in all panels of moldable jobs.

The width i of a job, the number of servers that it runs on, has a colour, a texture, and its number where there is
room.  A class has a letter, and where only classes are compared, a colour from the other end of the same palette.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial

from PySide6.QtCore import QRectF
from PySide6.QtGui import QBrush, QPainter

from slotscope.gui.painting.colour import mix
from slotscope.gui.painting.textures import Pixels, inked_tile, paint_mark, texture_scale, tile_brush
from slotscope.gui.theme import Theme, TypeStyle

#: Share of a colour that remains at each repetition of the palette.
TURN = 0.62


@cache
def width_style(theme: Theme, width: int) -> TypeStyle:
    """Colour and texture of the jobs that run on *width* servers, 1, 2, ...

    After the last colour the palette repeats, each time nearer to the strongest neutral.
    """
    style = theme.type_style(width - 1)
    turn = (width - 1) // len(theme.palette)
    return replace(style, color=mix(style.color, theme.run, 1 - TURN**turn))


def width_color(theme: Theme, width: int) -> str:
    """The colour of the jobs that run on *width* servers."""
    return width_style(theme, width).color


def class_color(theme: Theme, job_class: int) -> str:
    """The colour of a class, counted from 0, in pictures that do not distinguish widths."""
    return theme.type_style(len(theme.types) - 1 - job_class % len(theme.types)).color


@cache
def width_tile(theme: Theme, width: int, scale: int = 1) -> Pixels:
    """The texture of a width as a repeatable tile; lines are *scale* pixels wide."""
    style = width_style(theme, width)
    return inked_tile(style.texture, style.color, theme, scale)


@cache
def width_brush(theme: Theme, width: int, ratio: float = 1.0) -> QBrush:
    """A brush of a width's colour and texture for a device pixel ratio."""
    return tile_brush(width_tile(theme, width, texture_scale(ratio)), ratio)


def paint_width_mark(painter: QPainter, box: QRectF, theme: Theme, width: int) -> None:
    """Fill *box* with the look of the jobs that run on *width* servers."""
    paint_mark(painter, box, partial(width_brush, theme, width), width_color(theme, width))
