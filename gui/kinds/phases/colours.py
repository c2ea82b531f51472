"""The looks of phases, the same in all panels: colour, texture and letter; virtual jobs are hatched."""

from __future__ import annotations

from functools import cache, partial

from PySide6.QtCore import QRectF
from PySide6.QtGui import QBrush, QPainter

from slotscope.gui.painting.colour import mix
from slotscope.gui.painting.textures import Pixels, paint_mark, texture_scale, texture_tile, tile_brush, type_brush
from slotscope.gui.theme import Texture, Theme

#: Share of a phase's colour between the lines of a virtual job's hatching.
VEIL = 0.16


def phase_color(theme: Theme, phase: int) -> str:
    """The colour of a phase, and of the job type and the tokens of the same name."""
    return theme.type_style(phase).color


def phase_ink(theme: Theme, phase: int) -> str:
    """The phase's colour, legible as text on a panel."""
    return theme.ink(phase_color(theme, phase))


@cache
def virtual_tile(theme: Theme, phase: int, scale: int = 1) -> Pixels:
    """The hatching of virtual jobs in a phase: lines in its colour on a faint background."""
    color = phase_color(theme, phase)
    return texture_tile(Texture.FALLING, mix(theme.panel, color, VEIL), color, scale)


@cache
def virtual_brush(theme: Theme, phase: int, ratio: float = 1.0) -> QBrush:
    """A brush of the hatching of virtual jobs in a phase, for a device pixel ratio."""
    return tile_brush(virtual_tile(theme, phase, texture_scale(ratio)), ratio)


def paint_phase_mark(painter: QPainter, box: QRectF, theme: Theme, phase: int, virtual: bool = False) -> None:
    """Fill *box* with the look of a real or a virtual job in a phase."""
    paint_mark(painter, box, partial(virtual_brush if virtual else type_brush, theme, phase), phase_color(theme, phase))
