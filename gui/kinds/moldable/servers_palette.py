"""The colours of servers: free, idle for ever, and jobs by their width as far as they are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from slotscope.gui.kinds.moldable.colours import width_color, width_tile
from slotscope.gui.painting.colour import argb, mix
from slotscope.gui.painting.textures import Pixels, plain_tile, texture_tile
from slotscope.gui.theme import Texture, Theme

#: Looks of a server; behind these come those of widths: WIDTHS + i.
FREE, IDLE, WIDTHS = 0, 1, 1
#: Servers too small to fill get stronger in so many steps.
STEPS = 8
#: How much of a job's colour is in what it has not yet executed, and in small servers at first.
EMPTY_SHARE, FIRST_STEP = 0.22, 0.35
#: How much of the outline's colour the lines between servers of a job have.
PARTING_SHARE = 0.55
#: So many palettes are kept.
MOST_PALETTES = 64


@dataclass(frozen=True, eq=False)
class MoldablePalette:
    """The pixels of some looks.

    Attributes
    ----------
    full:
        [K, P, P] what is filled, to be repeated.
    empty, edge, parting:
        [K] what is not yet filled, outlines, and lines between servers of a job.
    mark, under:
        The mark of a partial allocation, and its border.
    """

    full: Pixels
    empty: Pixels
    edge: Pixels
    parting: Pixels
    mark: int
    under: int


def empty_color(theme: Theme, width: int) -> str:
    """What a job on *width* servers has not yet executed."""
    return mix(theme.panel, width_color(theme, width), EMPTY_SHARE)


def step_color(theme: Theme, width: int, step: int) -> str:
    """The colour of a small server whose job is in one of :data:`STEPS` steps."""
    share = FIRST_STEP + (1 - FIRST_STEP) * step / (STEPS - 1)
    return mix(theme.panel, width_color(theme, width), share)


def free_color(theme: Theme) -> str:
    """A free server that is too small for an outline."""
    return mix(theme.panel, theme.grid, 0.7)


def idle_tile(theme: Theme, scale: int) -> Pixels:
    """The hatching of servers that belong to no pool."""
    return texture_tile(Texture.FALLING, theme.panel, theme.reserved, scale)


@lru_cache(maxsize=MOST_PALETTES)
def server_palette(theme: Theme, looks: tuple[int, ...], scale: int, outlined: bool, textured: bool) -> MoldablePalette:
    """The pixels of these looks; plain ones are without texture, so that one can write on them."""
    full, empty, edge = [], [], []
    for look in looks:
        if look == FREE:
            color = theme.panel if outlined else free_color(theme)
            full.append(plain_tile(color, scale))
            empty.append(color)
            edge.append(theme.empty)
        elif look == IDLE:
            full.append(idle_tile(theme, scale))
            empty.append(theme.panel)
            edge.append(theme.reserved)
        else:
            color = width_color(theme, look - WIDTHS)
            full.append(width_tile(theme, look - WIDTHS, scale) if textured else plain_tile(color, scale))
            empty.append(empty_color(theme, look - WIDTHS))
            edge.append(color)
    return MoldablePalette(
        full=np.array(full, np.uint32),
        empty=_pixels(empty),
        edge=_pixels(edge),
        parting=_pixels([mix(theme.panel, color, PARTING_SHARE) for color in edge]),
        mark=argb(theme.run),
        under=argb(theme.panel),
    )


@cache
def step_pixels(theme: Theme, look: int) -> Pixels:
    """[STEPS] the pixels of a small server."""
    if look == FREE:
        return _pixels([free_color(theme)] * STEPS)
    if look == IDLE:
        return _pixels([mix(theme.panel, theme.reserved, 0.5)] * STEPS)
    return _pixels([step_color(theme, look - WIDTHS, step) for step in range(STEPS)])


def _pixels(colors: list[str]) -> Pixels:
    return np.array([argb(color) for color in colors], np.uint32)
