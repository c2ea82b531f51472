"""The pixels of bins: for every look a strip, one row of a bin from wall to wall."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from slotscope.gui.kinds.queue.colours import Look, look_color, look_tile
from slotscope.gui.painting.colour import argb, letter_ink, mix
from slotscope.gui.painting.textures import Pixels, dimmed_pixels, plain_tile, strip_of, texture_tile, wall_of
from slotscope.gui.theme import Texture, Theme

#: Looks of a row of a bin; from STYLES on there are three for each class of sizes.
OUTSIDE, FREE, RESERVED, FLOOR, LID, STYLES = range(6)
FILL, FLAT, WASTE = range(3)
#: Looks of a row of the bar beside a bin: OUTSIDE, then two for each virtual queue.
SLOT_EDGE, SLOT_INSIDE = range(2)
#: From black to white in so many steps: use where bins are small.
HEATS = 32
#: Walls are drawn from these widths of a bin on.
WALL_FROM, THICK_WALL_FROM = 8, 24
#: How much of the background is in the colours of a stalled server, and inside a slot's outline.
DIM, FAINT = 0.6, 0.85
#: How much of a gauge's colour is in what it runs in.
TRACK = 0.3
#: So many palettes are kept: each zoom has its own.
MOST_PALETTES = 16
_COOLEST, _HOTTEST = 0.08, 0.8


@dataclass(frozen=True, eq=False)
class BinPalette:
    """Strips for one width of bins and bars.

    Attributes
    ----------
    strips:
        [2 K, P, W] a row of a bin for each look, period P high; those of stalled servers
        follow the others.
    bars:
        [2 (1 + 2 V), P, B] the same of a bar; None without bars.
    heat:
        [2 (OUTSIDE, LID, HEATS), 1, W] the rows of bins too small for jobs.
    ink, track:
        [2, classes] what is drawn on jobs of a class: a gauge, and what it runs in.
    wall:
        Width of a wall with the gap inside it.
    background:
        What is between the cells.
    """

    strips: Pixels
    bars: Pixels | None
    heat: Pixels
    ink: Pixels
    track: Pixels
    wall: int
    background: int

    @property
    def looks(self) -> int:
        """K."""
        return len(self.strips) // 2


def heat_color(theme: Theme, share: float) -> str:
    """The colour of a small bin of which a share is in use."""
    return mix(theme.panel, theme.run, _COOLEST + (_HOTTEST - _COOLEST) * share)


@lru_cache(maxsize=MOST_PALETTES)
def bin_palette(theme: Theme, classes: int, queues: tuple[Look, ...], width: int, bar: int, scale: int) -> BinPalette:
    """The strips of bins of *width* and bars of *bar* device pixels; *queues* [V] are looks."""
    wall = wall_of(width, scale, WALL_FROM, THICK_WALL_FROM)
    inner = wall + (scale if wall > scale else 0)
    colors = [look_color(theme, look) for look in range(classes)]
    panel = plain_tile(theme.panel, scale)
    free = panel if wall else plain_tile(theme.grid, scale)
    tiles = [
        panel,
        free,
        _hatch(theme.reserved, theme.panel, scale),
        plain_tile(theme.muted, scale),
        plain_tile(theme.run, scale),
    ]
    for look, color in enumerate(colors):
        tiles += [look_tile(theme, look, scale), plain_tile(color, scale), _hatch(color, theme.panel, scale)]
    strips = np.stack([strip_of(tile, width) for tile in tiles])
    if wall:
        walled = [look for look in range(len(tiles)) if look not in (OUTSIDE, FLOOR, LID)]
        for side in (slice(0, inner), slice(width - inner, width)):
            strips[walled, :, side] = argb(theme.panel)
        for side in (slice(0, wall), slice(width - wall, width)):
            strips[walled, :, side] = argb(theme.muted)
    inks = [letter_ink(color) for color in colors]
    tracks = [mix(color, ink, TRACK) for color, ink in zip(colors, inks, strict=True)]
    ink, track = (np.array([argb(one) for one in found], np.uint32) for found in (inks, tracks))
    background = argb(theme.panel)
    lid = [LID]
    return BinPalette(
        np.concatenate([strips, _dimmed(strips, background, lid)]),
        _bars(theme, queues, bar, scale) if bar else None,
        _heat(theme, width),
        np.stack([ink, _dimmed(ink, background)]),
        np.stack([track, _dimmed(track, background)]),
        inner,
        background,
    )


def _bars(theme: Theme, queues: tuple[Look, ...], width: int, scale: int) -> Pixels:
    rows = [strip_of(plain_tile(theme.panel, scale), width)]
    side = scale if width >= 5 * scale else 0
    for look in queues:
        color = look_color(theme, look)
        edge = strip_of(plain_tile(color, scale), width)
        inside = strip_of(plain_tile(mix(color, theme.panel, FAINT), scale), width)
        for part in (slice(0, side), slice(width - side, width)):
            inside[:, part] = argb(color)
        rows += [edge, inside]
    bars = np.stack(rows)
    return np.concatenate([bars, _dimmed(bars, argb(theme.panel))])


def _heat(theme: Theme, width: int) -> Pixels:
    colors = [theme.panel, theme.run]
    colors += [heat_color(theme, step / (HEATS - 1)) for step in range(HEATS)]
    column = np.array([argb(color) for color in colors], np.uint32)
    rows = np.repeat(column[:, None, None], width, axis=2)
    return np.concatenate([rows, _dimmed(rows, argb(theme.panel), [1])])


def _hatch(color: str, panel: str, scale: int) -> Pixels:
    return texture_tile(Texture.FALLING, panel, color, scale)


def _dimmed(pixels: Pixels, background: int, but: list[int] | None = None) -> Pixels:
    """*pixels* with :data:`DIM` of the background in them, but for some of the first axis."""
    result = dimmed_pixels(pixels, background, DIM)
    if but is not None:
        result[but] = pixels[but]
    return result
