"""Servers as pixels: a sprite per width, fill level and neighbourhood, copied into the cells."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from slotscope.gui.kinds.moldable.colours import width_color, width_tile
from slotscope.gui.kinds.moldable.servers_content import Flags, Floats, Integers, MoldableContent, shares
from slotscope.gui.kinds.moldable.servers_layout import MoldableCell, MoldableLayout
from slotscope.gui.painting.colour import argb, mix
from slotscope.gui.painting.textures import Pixels, plain_tile, texture_tile
from slotscope.gui.pictures.cells import CellRaster, distinct
from slotscope.gui.theme import Texture, Theme
from slotscope.model.kinds.moldable.state import MoldableState

#: Looks of a server; those of width i are WIDTHS + i.
FREE, IDLE, WIDTHS = 0, 1, 1
#: Number of colour steps for servers too small to be filled.
STEPS = 8
#: Shares of a job's colour in its unexecuted part, and in the first step of small servers.
EMPTY_SHARE, FIRST_STEP = 0.22, 0.35
#: Share of the outline's colour in the lines between a job's servers.
PARTING_SHARE = 0.55
#: Number of cached palettes.
MOST_PALETTES = 64


@dataclass(frozen=True, eq=False)
class MoldablePalette:
    """The pixels of some looks."""

    full: Pixels  #: [K, P, P] tiles of the filled part
    #: empty, edge, parting: [K] colours of the unfilled part, of outlines, and of lines between a job's servers
    empty: Pixels
    edge: Pixels
    parting: Pixels
    #: mark, under: colours of the mark of a partial allocation, and of its border
    mark: int
    under: int


def empty_color(theme: Theme, width: int) -> str:
    """The colour of the unexecuted part of a job on *width* servers."""
    return mix(theme.panel, width_color(theme, width), EMPTY_SHARE)


def step_color(theme: Theme, width: int, step: int) -> str:
    """The colour of a small server whose job is at one of :data:`STEPS` steps."""
    share = FIRST_STEP + (1 - FIRST_STEP) * step / (STEPS - 1)
    return mix(theme.panel, width_color(theme, width), share)


def free_color(theme: Theme) -> str:
    """The colour of a free server that is too small for an outline."""
    return mix(theme.panel, theme.grid, 0.7)


def idle_tile(theme: Theme, scale: int) -> Pixels:
    """The hatching of servers in no pool."""
    return texture_tile(Texture.FALLING, theme.panel, theme.reserved, scale)


@lru_cache(maxsize=MOST_PALETTES)
def server_palette(theme: Theme, looks: tuple[int, ...], scale: int, outlined: bool, textured: bool) -> MoldablePalette:
    """The pixels of these looks; unless *textured* without texture, so that text can be written on them."""
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


#: Where a block is joined to its neighbours; OPEN: its job continues in the next row.
LEFT, RIGHT, OPEN, PARTIAL = 1, 2, 4, 8
#: Lengths of the lines between a job's servers above and below texts: a share of the height, and the minimum.
PARTING, LEAST_PARTING = 0.06, 2
#: Bits per colour channel in sums of colours.
_FIELD = 20
#: Columns of the codes.
LOOK, LEVEL, MEETS = range(3)
#: The mark of a partial allocation: its side as a share of the block's height, and its minimum and
#: maximum in lines of a texture.
MARK_SHARE, LEAST_MARK, LARGEST_MARK = 0.3, 4, 14


def levels(share: Floats, cell: MoldableCell) -> Integers:
    """The fill levels of blocks in pixels, or the colour steps of small ones."""
    if not cell.fills:
        return np.minimum((share * STEPS).astype(np.int64), STEPS - 1)
    return np.floor(share * cell.tall + 0.5).astype(np.int64)


def codes_of(content: MoldableContent, cell: MoldableCell, idle: bool, ends_row: Flags) -> Integers:
    """[S, 3] everything that servers' pixels depend on: columns LOOK, LEVEL, MEETS."""
    look = np.where(content.width > 0, content.width + WIDTHS, IDLE if idle else FREE)
    meets = content.left * LEFT + content.right * RIGHT
    if cell.fills:
        meets = meets + (content.right & ends_row) * OPEN
        meets += (content.partial & ~content.right) * PARTIAL
    else:
        meets = np.zeros_like(look) if cell.lead + cell.trail == 0 else meets
    return np.column_stack([look, levels(content.share, cell), meets]).astype(np.int64)


def sprites(codes: Integers, cell: MoldableCell, theme: Theme, scale: int) -> Pixels:
    """[n, H, W] the blocks of servers with these codes; W is the width of a cell."""
    looks, like = np.unique(codes[:, LOOK], return_inverse=True)
    if not cell.fills:
        table = np.stack([step_pixels(theme, look) for look in looks.tolist()])
        colour = table[like, codes[:, LEVEL]]
        shape = len(codes), cell.tall, cell.width
        picture = np.broadcast_to(colour[:, None, None], shape).copy()
    else:
        palette = server_palette(theme, tuple(looks.tolist()), scale, cell.border > 0, cell.textured)
        picture = _filled(codes, like, palette, cell)
        _outline(picture, codes[:, MEETS], like, palette, cell, scale)
    _part(picture, codes[:, MEETS], cell, argb(theme.panel))
    return picture


def _filled(codes: Integers, like: Integers, palette: MoldablePalette, cell: MoldableCell) -> Pixels:
    period = palette.full.shape[1]
    times = -(-cell.tall // period), -(-cell.width // period)
    full = np.tile(palette.full, (1, *times))[:, : cell.tall, : cell.width]
    level = np.where(codes[:, LOOK] == IDLE, cell.tall, codes[:, LEVEL])
    filled = np.arange(cell.tall) >= cell.tall - level[:, None]
    picture: Pixels = np.where(filled[:, :, None], full[like], palette.empty[like][:, None, None])
    return picture


def _outline(
    picture: Pixels, meets: Integers, like: Integers, palette: MoldablePalette, cell: MoldableCell, scale: int
) -> None:
    """Draw outlines around blocks, lines between a job's servers, and marks of partial allocations."""
    edge, border, end = palette.edge[like], cell.border, cell.width - cell.trail
    left, right = (meets & LEFT) > 0, (meets & RIGHT) > 0
    if border:
        joined = np.flatnonzero(right & ((meets & OPEN) == 0))
        for rows in _parting(cell):
            picture[joined, rows, -scale:] = palette.parting[like[joined]][:, None, None]
        picture[:, :border] = picture[:, -border:] = edge[:, None, None]
        picture[~right, :, end - border : end] = edge[~right][:, None, None]
        picture[~left, :, cell.lead : cell.lead + border] = edge[~left][:, None, None]
    marked = np.flatnonzero(meets & PARTIAL)
    if len(marked):
        _mark(picture, marked, palette, cell, scale)


def _parting(cell: MoldableCell) -> tuple[slice, ...]:
    """The rows of lines between a job's servers; they leave out the rows of texts."""
    border, tall = cell.border, cell.tall
    if not cell.written:
        return (slice(border, tall - border),)
    part = border + max(LEAST_PARTING, round(PARTING * tall))
    return slice(border, part), slice(tall - part, tall - border)


def mark_side(cell: MoldableCell, scale: int) -> int:
    """Width and height of the corner that marks a partial allocation."""
    side = max(LEAST_MARK * scale, min(round(MARK_SHARE * cell.tall), LARGEST_MARK * scale))
    return min(side, cell.tall, cell.block)


def _mark(picture: Pixels, marked: Integers, palette: MoldablePalette, cell: MoldableCell, scale: int) -> None:
    """Draw a corner at the top right in the strongest neutral."""
    side, end = mark_side(cell, scale), cell.width - cell.trail
    steps = np.arange(side)
    corner = steps[None, :] - steps[:, None]
    part = picture[marked, :side, end - side : end]
    part[:, (corner >= -scale) & (corner < 0)] = palette.under
    part[:, corner >= 0] = palette.mark
    picture[marked, :side, end - side : end] = part


def _part(picture: Pixels, meets: Integers, cell: MoldableCell, background: int) -> None:
    """Clear the gaps between blocks that are not joined."""
    if cell.trail:
        picture[(meets & RIGHT) == 0, :, cell.width - cell.trail :] = background
    if cell.lead:
        picture[(meets & LEFT) == 0, :, : cell.lead] = background


class PoolRaster(CellRaster):
    """Draws the servers of one section into pixels, of the visible ones those that have changed."""

    def draw(self, layout: MoldableLayout, section: int, codes: Integers, theme: Theme) -> None:
        """Draw the visible servers, given their codes."""
        cell, scale = layout.cell, layout.wishes.scale
        rows, columns = self.place(layout, section)
        size = cell.width, cell.height
        changed = self.begin(len(rows), len(columns), size, (cell, theme, scale), argb(theme.panel), codes)
        if len(changed):
            first, like = distinct(codes[changed])
            found = sprites(codes[changed[first]], cell, theme, scale)
            self.fill(found, changed, like, len(columns), size, (0, 0))

    def draw_blended(self, layout: MoldableLayout, section: int, tones: Integers, table: Pixels) -> None:
        """Draw several servers per pixel, in the mean of their colours.

        *tones* [n] are the indices in *table* for all servers of the section; the last colour in *table* is the
        background's.
        """
        rows, cells = self.place(layout, section)
        grid = layout.grids[section]
        seen = tones[rows.start * grid.columns : rows.stop * grid.columns]
        place = np.full((len(rows), grid.across * grid.per), len(table) - 1, np.int64)
        whole = np.full(len(rows) * grid.columns, len(table) - 1, np.int64)
        whole[: len(seen)] = seen
        wide = min(grid.columns, place.shape[1])
        place[:, :wide] = whole.reshape(len(rows), grid.columns)[:, :wide]
        chosen = place[:, cells.start * grid.per : cells.stop * grid.per]
        self._pixels = blended(table, chosen, grid.per)
        self._key = None


def tones_of(state: MoldableState, time: float) -> Integers:
    """[n] the look of each server where servers are too small to be told apart."""
    record = np.flatnonzero(state.server_job == np.arange(len(state.server_job)))
    step = np.minimum((shares(state, record, time) * STEPS).astype(np.int64), STEPS - 1)
    tone = np.full(len(state.server_job) + 1, FREE * STEPS, np.int64)
    tone[record] = (state.job_width[record] + WIDTHS) * STEPS + step
    return tone[state.server_job]  # -1, a free server, picks the last one


def tone_table(state: MoldableState, theme: Theme) -> Pixels:
    """The colours of :func:`tones_of`; widths that no job has are left out."""
    widths = np.flatnonzero(state.jobs.sum(axis=0))
    table = np.zeros(((state.jobs.shape[1] + WIDTHS), STEPS), np.uint32)
    for look in (FREE, IDLE, *(widths + WIDTHS).tolist()):
        table[look] = step_pixels(theme, look)
    return np.append(table.ravel(), np.uint32(argb(theme.panel)))


def blended(table: Pixels, place: Integers, per: int) -> Pixels:
    """[rows, columns] the means of *per* adjacent colours in a row, of those at *place* in *table*."""
    spread = sum(
        (
            ((table >> np.uint32(8 * channel)) & np.uint32(255)).astype(np.uint64) << np.uint64(_FIELD * channel)
            for channel in range(3)
        ),
        np.zeros(len(table), np.uint64),
    )
    sums = np.zeros((place.shape[0], place.shape[1] // per), np.uint64)
    for offset in range(per):
        sums += spread[place[:, offset::per]]
    result = np.full(sums.shape, 0xFF000000, np.uint32)
    for channel in range(3):
        field = (sums >> np.uint64(_FIELD * channel)) & np.uint64((1 << _FIELD) - 1)
        mean = (field.astype(np.uint32) + np.uint32(per // 2)) // np.uint32(per)
        result |= mean << np.uint32(8 * channel)
    return result
