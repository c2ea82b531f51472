"""The pixels of servers: for every look a strip, one row of a column from side to side."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from slotscope.gui.kinds.phases.colours import phase_color, virtual_tile
from slotscope.gui.painting.colour import argb, mix
from slotscope.gui.painting.textures import Pixels, dimmed_pixels, plain_tile, strip_of, type_tile, wall_of
from slotscope.gui.theme import Theme

#: Looks of a row of a column; from PHASES on there are several for each phase.
OUTSIDE, FREE, FLOOR, RIM, OVER, PARTING, PHASES = range(7)
#: Of a phase: the texture, the colour alone, and the same above the rim.
FILL, FLAT, FILL_ABOVE, FLAT_ABOVE = range(4)
PER_PHASE = 4
#: Servers too small for jobs are grey by their use in so many steps.
HEATS = 24
#: Walls are drawn from these widths of a bin on.
WALL_FROM, THICK_WALL_FROM = 13, 28
#: How much of the background is in the colours of a paused server.
DIM = 0.55
#: So many palettes are kept: each zoom has its own.
MOST_PALETTES = 24
_COOLEST, _HOTTEST = 0.1, 0.85


@dataclass(frozen=True, eq=False)
class PhasePalette:
    """Strips for one width of bins.

    Attributes
    ----------
    real, virtual:
        [2 K, P, W] a row of a column for each look, period P high; those of paused servers
        follow the others.  ``virtual`` is None where those have no column.
    heat:
        [2 (HEATS + 1)] the pixels of servers too small for jobs, the last one for an overrun.
    background:
        What is between the cells.
    """

    real: Pixels
    virtual: Pixels | None
    heat: Pixels
    background: int


def heat_color(theme: Theme, share: float) -> str:
    """The colour of a tiny server of which a share is in use; above 1 that of an overrun."""
    if share > 1:
        return theme.rejection
    return mix(theme.panel, theme.run, _COOLEST + (_HOTTEST - _COOLEST) * share)


def dimmed(color: str, theme: Theme) -> str:
    """A colour as it is on a paused server."""
    return mix(color, theme.panel, DIM)


@lru_cache(maxsize=MOST_PALETTES)
def server_palette(theme: Theme, phases: int, real: int, virtual: int, scale: int) -> PhasePalette:
    """The strips of bins whose columns are so many device pixels wide."""
    wall = wall_of(real + virtual, scale, WALL_FROM, THICK_WALL_FROM)
    background = argb(theme.panel)
    first = _real_strips(theme, phases, real, wall, scale, not virtual)
    second = _virtual_strips(theme, phases, virtual, wall, scale) if virtual else None
    heats = [heat_color(theme, step / (HEATS - 1)) for step in range(HEATS)]
    heat = np.array([argb(color) for color in (*heats, heat_color(theme, 2))], np.uint32)
    return PhasePalette(
        _with_dimmed(first, background),
        None if second is None else _with_dimmed(second, background),
        _with_dimmed(heat, background),
        background,
    )


def _common(theme: Theme, scale: int, wall: int) -> list[Pixels]:
    free = theme.panel if wall else theme.grid
    return [plain_tile(color, scale) for color in (theme.panel, free, theme.muted, theme.run, theme.rejection, free)]


def _real_strips(theme: Theme, phases: int, width: int, wall: int, scale: int, closed: bool) -> Pixels:
    tiles = _common(theme, scale, wall)
    for phase in range(phases):
        plain = plain_tile(phase_color(theme, phase), scale)
        over = tiles[OVER]
        tiles += [type_tile(theme, phase, scale), plain, over, over]
    strips = np.stack([strip_of(tile, width) for tile in tiles])
    if wall:
        inner = wall + (scale if wall > scale else 0)
        walled = [
            FREE,
            PARTING,
            *(PHASES + PER_PHASE * phase + look for phase in range(phases) for look in (FILL, FLAT)),
        ]
        _walls(strips, walled, inner, argb(theme.panel), closed)
        _walls(strips, walled, wall, argb(theme.muted), closed)
    return strips


def _virtual_strips(theme: Theme, phases: int, width: int, wall: int, scale: int) -> Pixels:
    """The column beside: jobs as hatched outlines, and the wall at the right of the bin."""
    tiles = _common(theme, scale, wall)
    tiles[OVER] = tiles[OUTSIDE]
    for phase in range(phases):
        tiles += [virtual_tile(theme, phase, scale)] * PER_PHASE  # however small, never filled
    strips = np.stack([strip_of(tile, width) for tile in tiles])
    room = width - wall - (scale if wall > scale else 0)
    if wall and room > 4 * scale:
        for phase in range(phases):
            mine = slice(PHASES + PER_PHASE * phase, PHASES + PER_PHASE * (phase + 1))
            strips[mine, :, :scale] = argb(theme.panel)
            strips[mine, :, scale : 2 * scale] = argb(phase_color(theme, phase))
            strips[mine, :, room - scale : room] = argb(phase_color(theme, phase))
            strips[mine, :, room:] = argb(theme.panel)
    if wall:
        below = [
            FREE,
            PARTING,
            *(PHASES + PER_PHASE * phase + look for phase in range(phases) for look in (FILL, FLAT)),
        ]
        strips[below, :, width - wall :] = argb(theme.muted)
    return strips


def _walls(strips: Pixels, looks: list[int], width: int, pixel: int, closed: bool) -> None:
    strips[looks, :, :width] = pixel
    if closed:
        strips[looks, :, strips.shape[2] - width :] = pixel


def _with_dimmed(pixels: Pixels, background: int) -> Pixels:
    """*pixels*, and after them the same with :data:`DIM` of the background in them."""
    return np.concatenate([pixels, dimmed_pixels(pixels, background, DIM)])
