"""Servers as pixels: one sprite per set of jobs, copied into the cells of all servers with these jobs.

Under JRS thousands of servers share some hundred configurations, so the time goes into copying pixels, not into
computing them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from slotscope.gui.kinds.phases.colours import phase_color, virtual_tile
from slotscope.gui.kinds.phases.servers_layout import PhaseCell, PhaseLayout
from slotscope.gui.kinds.phases.servers_sections import Indices, Integers, PhaseContent
from slotscope.gui.painting.colour import argb, mix
from slotscope.gui.painting.textures import (
    Pixels,
    dimmed_pixels,
    pixels_of_looks,
    plain_tile,
    strip_of,
    type_tile,
    wall_of,
)
from slotscope.gui.pictures.cells import CellRaster, distinct
from slotscope.gui.pictures.layout import level
from slotscope.gui.theme import Theme

#: Looks of a row of a column; from PHASES on there are several per phase.
OUTSIDE, FREE, FLOOR, RIM, OVER, PARTING, PHASES = range(7)
#: Looks of a phase: the texture, the plain colour, and the same above the rim.
FILL, FLAT, FILL_ABOVE, FLAT_ABOVE = range(4)
PER_PHASE = 4
#: Number of grey levels of use for servers too small for jobs.
HEATS = 24
#: Least widths of a bin for thin and for thick walls.
WALL_FROM, THICK_WALL_FROM = 13, 28
#: Share of the background in the colours of a paused server.
DIM = 0.55
#: Number of cached palettes: each zoom has its own.
MOST_PALETTES = 24
_COOLEST, _HOTTEST = 0.1, 0.85


@dataclass(frozen=True, eq=False)
class PhasePalette:
    """Pixel strips for one width of bins."""

    #: real, virtual: [2 K, P, W] a row of a column for each look, with period P in height; first normal, then paused
    #: servers.  ``virtual`` is None if virtual jobs have no column.
    real: Pixels
    virtual: Pixels | None
    heat: Pixels  #: [2 (HEATS + 1)] the pixels of servers too small for jobs, the last one for an overrun
    background: int  #: the colour between cells


def heat_color(theme: Theme, share: float) -> str:
    """The colour of a tiny server with this share in use; a share above 1 is an overrun."""
    if share > 1:
        return theme.rejection
    return mix(theme.panel, theme.run, _COOLEST + (_HOTTEST - _COOLEST) * share)


def dimmed(color: str, theme: Theme) -> str:
    """A colour as shown on a paused server."""
    return mix(color, theme.panel, DIM)


@lru_cache(maxsize=MOST_PALETTES)
def server_palette(theme: Theme, phases: int, real: int, virtual: int, scale: int) -> PhasePalette:
    """The strips of bins whose columns have these widths in device pixels."""
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
    """The column of virtual jobs: hatched outlines, and the wall at the right of the bin."""
    tiles = _common(theme, scale, wall)
    tiles[OVER] = tiles[OUTSIDE]
    for phase in range(phases):
        tiles += [virtual_tile(theme, phase, scale)] * PER_PHASE  # hatched even if tiny
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
    """*pixels*, followed by the same mixed with :data:`DIM` of the background."""
    return np.concatenate([pixels, dimmed_pixels(pixels, background, DIM)])


Looks = npt.NDArray[np.int16]
Floats = npt.NDArray[np.float64]

#: Least height of jobs with a line between them, and least size of jobs with textures.
PARTED, TEXTURED = 5, 6
#: Least height of bins with a line at the rim.
RIM_FROM = 22


@dataclass(frozen=True, eq=False)
class JobBlocks:
    """The jobs on n servers, server by server and from bottom to top, phase by phase."""

    #: place, phase, order: [m] index of the server, phase, and number of the job among the server's in that phase
    place: Integers
    phase: Integers
    order: Integers
    #: low, high: [m, D] edges in device pixels above the floor
    low: Integers
    high: Integers
    start: Integers  #: [n + 1] index of each server's first block

    def of(self, place: int) -> range:
        """The blocks of one server, from bottom to top."""
        return range(int(self.start[place]), int(self.start[place + 1]))


@dataclass(frozen=True, eq=False)
class Amounts:
    """The demands of jobs, and what a bin's height stands for; sums of units are exact."""

    demand: Integers  #: [I, D] units
    full: Floats  #: [D] units for which a bin's whole height stands

    def level(self, units: Integers, tall: int) -> Integers:
        """[n, D] units as pixels of a bin of height *tall*."""
        return level(units / self.full, tall)


def blocks_of(counts: Indices, amounts: Amounts, tall: int) -> JobBlocks:
    """The blocks of *counts* [n, I] jobs in bins that are *tall* pixels high."""
    phases = counts.shape[1]
    flat = counts.ravel()
    which = np.repeat(np.arange(flat.size), flat)
    place, phase = np.divmod(which, phases)
    start = np.concatenate([[0], np.cumsum(counts.sum(axis=1))]).astype(np.int64)
    first = np.cumsum(flat) - flat
    need = amounts.demand[phase]
    total = np.concatenate([np.zeros_like(need[:1]), np.cumsum(need, axis=0)])
    if not len(need):
        total = np.zeros((1, amounts.demand.shape[1]), np.int64)
    base = total[start[:-1]][place]
    low = amounts.level(total[:-1] - base, tall)
    high = amounts.level(total[1:] - base, tall)
    return JobBlocks(place, phase, np.arange(len(which)) - first[which], low, high, start)


def column_rows(blocks: JobBlocks, resource: int, cell: PhaseCell, width: int, scale: int) -> Looks:
    """[n, H] the look of each row of a column, from bottom to top."""
    servers, height = len(blocks.start) - 1, cell.floor + cell.tall
    jobs = np.diff(blocks.start)
    low, high = (np.minimum(edge[:, resource], cell.tall) for edge in (blocks.low, blocks.high))
    part = np.where(high - low >= PARTED * scale, scale, 0)
    end = np.cumsum(2 * jobs + 2)
    begin = end - (2 * jobs + 2)
    length, look = np.zeros(int(end[-1]), np.int64), np.full(int(end[-1]), FREE, np.int16)
    length[begin], look[begin] = cell.floor, FLOOR
    at = begin[blocks.place] + 1 + 2 * (np.arange(len(low)) - blocks.start[blocks.place])
    textured = (high - low >= TEXTURED * scale) & (width >= TEXTURED * scale)
    look[at] = PHASES + PER_PHASE * blocks.phase + np.where(textured, FILL, FLAT)
    length[at], length[at + 1], look[at + 1] = high - low - part, part, PARTING
    top = np.zeros(servers, np.int64)
    np.maximum.at(top, blocks.place, high)
    length[end - 1] = cell.tall - top
    return np.repeat(look, length).reshape(servers, height)


def rimmed(looks: Looks, cell: PhaseCell, phases: int, scale: int) -> Looks:
    """*looks* with the rim at the capacity, and everything above it as outside the bin."""
    above = np.arange(PHASES + PER_PHASE * phases, dtype=np.int16)
    above[[FREE, PARTING]] = OUTSIDE
    for phase in range(phases):
        first = PHASES + PER_PHASE * phase
        above[first : first + 2] = first + FILL_ABOVE + np.arange(2)
    rim = cell.floor + cell.rim
    looks[:, rim:] = above[looks[:, rim:]]
    thick = scale * (2 if cell.tall >= 60 * scale else 1)
    if cell.tall >= RIM_FROM * scale:
        looks[:, rim : rim + thick] = RIM
    return looks


def sprites(content: PhaseContent, amounts: Amounts, cell: PhaseCell, palette: PhasePalette, scale: int) -> Pixels:
    """[n, H, W] the bins of servers with this content, from top to bottom."""
    phases, resources = amounts.demand.shape
    shape = len(content.real), cell.floor + cell.tall, cell.bins(resources)
    picture = np.full(shape, palette.background, np.uint32)
    columns = [(content.real, palette.real, 0, cell.real)]
    if palette.virtual is not None:
        columns.append((content.virtual, palette.virtual, cell.real, cell.virtual))
    for counts, strips, left, width in columns:
        blocks = blocks_of(counts, amounts, cell.tall)
        for resource in range(resources):
            looks = column_rows(blocks, resource, cell, width, scale)
            looks = rimmed(looks, cell, phases, scale)
            x = left + resource * cell.pair
            picture[:, :, x : x + width] = pixels_of_looks(looks, strips, content.paused)
    return picture


def heat_sprites(
    content: PhaseContent, amounts: Amounts, cell: PhaseCell, palette: PhasePalette, capacity: Integers
) -> Pixels:
    """[n, H, W] servers too small for jobs: grey by the real jobs' use, or an overrun's colour."""
    bins = cell.bins(len(capacity))
    use = content.real @ amounts.demand
    share = np.minimum(use / capacity, 1).max(axis=1)
    step = np.rint(share * (HEATS - 1)).astype(np.int64)
    step[(use > capacity).any(axis=1)] = HEATS
    step[content.paused] += HEATS + 1
    colour = palette.heat[step]
    return np.repeat(np.repeat(colour[:, None, None], cell.floor + cell.tall, 1), bins, 2)


class PhaseRaster(CellRaster):
    """Draws the servers of one section into pixels, of the visible ones those that have changed."""

    def draw(
        self,
        layout: PhaseLayout,
        section: int,
        content: PhaseContent,
        amounts: Amounts,
        capacity: Integers,
        palette: PhasePalette,
    ) -> None:
        """Draw *content*, that of the visible servers."""
        cell, scale = layout.grids[section].cell, layout.wishes.scale
        rows, columns = self.place(layout, section)
        coded = np.column_stack([content.real, content.virtual, content.paused]).astype(np.int64)
        size = cell.width, cell.height
        changed = self.begin(len(rows), len(columns), size, (cell, palette), palette.background, coded)
        if not len(changed):
            return
        first, like = distinct(coded[changed])
        some = content.of(changed[first])
        if cell.shows_jobs:
            found = sprites(some, amounts, cell, palette, scale)
        else:
            found = heat_sprites(some, amounts, cell, palette, capacity)
        self.fill(found, changed, like, len(columns), size, (cell.left, cell.head))
