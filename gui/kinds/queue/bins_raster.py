"""Bins as pixels: first the look of every pixel row of every bin, then the pixel strips of those looks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from slotscope.gui.kinds.queue.bins_content import BinJobs, Floats, Integers, Levels, Slots
from slotscope.gui.kinds.queue.bins_layout import FLOOR as FLOOR_HEIGHT
from slotscope.gui.kinds.queue.bins_layout import LID as LID_HEIGHT
from slotscope.gui.kinds.queue.bins_layout import BinCell, BinLayout
from slotscope.gui.kinds.queue.colours import Look, look_color, look_tile
from slotscope.gui.painting.colour import argb, letter_ink, mix
from slotscope.gui.painting.textures import Pixels, dimmed_pixels, plain_tile, strip_of, texture_tile, wall_of
from slotscope.gui.pictures.cells import CellRaster, differing
from slotscope.gui.pictures.layout import level
from slotscope.gui.theme import Texture, Theme

#: Looks of a pixel row of a bin; from STYLES on, three looks (FILL, FLAT, WASTE) for each class of sizes.
OUTSIDE, FREE, RESERVED, FLOOR, LID, STYLES = range(6)
FILL, FLAT, WASTE = range(3)
#: Looks of a pixel row of the bar beside a bin: OUTSIDE, then these two for each virtual queue.
SLOT_EDGE, SLOT_INSIDE = range(2)
#: The number of colour steps for the share in use of small bins.
HEATS = 32
#: The least widths of a bin, in lines of a texture, for walls and for thick walls.
WALL_FROM, THICK_WALL_FROM = 8, 24
#: The share of the background mixed into the colours of a stalled server, and into the inside of a slot's outline.
DIM, FAINT = 0.6, 0.85
#: The share of a gauge's colour mixed into its track.
TRACK = 0.3
#: The number of palettes cached; each zoom level has its own.
MOST_PALETTES = 16
_COOLEST, _HOTTEST = 0.08, 0.8


@dataclass(frozen=True, eq=False)
class BinPalette:
    """The pixel strips for one width of bins and bars."""

    #: [2 K, P, W] the rows of a bin for each look, with period P; the looks for stalled servers follow the others
    strips: Pixels
    bars: Pixels | None  #: [2 (1 + 2 V), P, B] the same for a bar; None without bars
    heat: Pixels  #: [2 (OUTSIDE, LID, HEATS), 1, W] the rows of bins too small to show jobs
    #: ink, track: [2, classes] the colours of the gauge and its track on jobs of a class; second row: stalled servers
    ink: Pixels
    track: Pixels
    wall: int  #: width in pixels of a wall with the gap inside it
    background: int  #: the colour between the cells

    @property
    def looks(self) -> int:
        """K, the number of looks."""
        return len(self.strips) // 2


def heat_color(theme: Theme, share: float) -> str:
    """The colour of a small bin, by the share in use."""
    return mix(theme.panel, theme.run, _COOLEST + (_HOTTEST - _COOLEST) * share)


@lru_cache(maxsize=MOST_PALETTES)
def bin_palette(theme: Theme, classes: int, queues: tuple[Look, ...], width: int, bar: int, scale: int) -> BinPalette:
    """The strips of bins of *width* and bars of *bar* device pixels; *queues* [V] are the queues' looks."""
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
    """*pixels* with the share :data:`DIM` of the background mixed in; indices *but* of the first axis are unchanged."""
    result = dimmed_pixels(pixels, background, DIM)
    if but is not None:
        result[but] = pixels[but]
    return result


Looks = npt.NDArray[np.int16]
Flags = npt.NDArray[np.bool_]

#: The least height of jobs for a line between them, and their least size for textures, in lines of a texture.
PARTED, TEXTURED = 4, 6
#: Gauges of served time: least height and width of jobs that have one, and its height, in lines of a texture.
GAUGE_FROM, GAUGE_WIDTH_FROM, GAUGE = 10, 24, 3


class _Rows:
    """The look of each pixel row of columns [S, D, H], counted from the bottom."""

    def __init__(self, servers: int, resources: int, height: int) -> None:
        self._begin = np.zeros((servers, resources, height), np.int16)
        self._begin[:, :, 0] = OUTSIDE + 1

    def put(self, place: Integers, low: Integers, high: Integers, look: npt.ArrayLike) -> None:
        """Begin a look at row *low* [n, D] if it is below *high* [n, D]; another look must begin at *high*."""
        _, resources, height = self._begin.shape
        column = place[:, None] * resources + np.arange(resources)
        seen = np.flatnonzero((high > low) & (low < height))
        where = column.ravel()[seen] * height + low.ravel()[seen]
        looks = np.asarray(look, np.int16)
        if looks.ndim:
            looks = np.broadcast_to(looks, low.shape).ravel()[seen]
        self._begin.reshape(-1)[where] = looks + 1

    def looks(self) -> Looks:
        """[S, D, H] the look of each row: the one that began last at or below it."""
        rows = np.arange(self._begin.shape[2], dtype=np.int32)
        since = np.where(self._begin > 0, rows, 0)
        np.maximum.accumulate(since, axis=2, out=since)
        return np.take_along_axis(self._begin, since, axis=2) - np.int16(1)


def bin_rows(levels: Levels, place: Integers, job_class: Integers, stalled: Flags, cell: BinCell, scale: int) -> Looks:
    """[S, D, H] the looks of bins, floor and lid included; *job_class* [n] has the look of each job."""
    servers, resources = levels.capacity.shape
    floor, lid = FLOOR_HEIGHT * scale, LID_HEIGHT * scale
    rows = _Rows(servers, resources, floor + cell.tall + lid)
    every = np.arange(servers)
    bottom = np.zeros_like(levels.capacity)
    rows.put(every, bottom, bottom + floor, FLOOR)
    ceiling = levels.capacity + floor
    rows.put(every, levels.top + floor, ceiling, FREE)
    rows.put(every, ceiling, ceiling + lid, np.where(stalled, LID, OUTSIDE)[:, None])
    rows.put(every, ceiling + lid, ceiling + lid + 1, OUTSIDE)
    rows.put(every, levels.kept + floor, levels.reserve + floor, RESERVED)
    low, high = levels.low + floor, levels.high + floor
    part = np.where(high - low >= PARTED * scale, scale, 0)
    middle = np.minimum(levels.middle + floor, high - part)
    textured = (high - low >= TEXTURED * scale) & (cell.bin >= TEXTURED * scale)
    first = (STYLES + 3 * job_class)[:, None]
    rows.put(place, low, middle, np.where(textured, first + FILL, first + FLAT))
    rows.put(place, middle, high - part, first + WASTE)
    rows.put(place, high - part, high, FREE)
    return rows.looks()


def bar_rows(slots: Slots, largest: Integers, servers: int, cell: BinCell, scale: int) -> Looks:
    """[S, D, H] the looks of the bars: each slot of a configuration is an outline.

    The capacity *largest* [D] is ``cell.tall`` pixels high.
    """
    floor = FLOOR_HEIGHT * scale
    rows = _Rows(servers, slots.low.shape[1], floor + cell.tall + LID_HEIGHT * scale)
    low, high = (level(edge / largest, cell.tall) + floor for edge in (slots.low, slots.high))
    rows.put(slots.place, high, high + 1, OUTSIDE)  # unless another slot begins there
    part = np.where(high - low >= 2 * scale, scale, 0)
    end = high - part
    look = (1 + 2 * slots.queue)[:, None]
    edged = end - low >= 4 * scale
    rows.put(slots.place, low, end, look + SLOT_EDGE)
    rows.put(slots.place, low + scale, np.where(edged, end - scale, 0), look + SLOT_INSIDE)
    rows.put(slots.place, end - scale, np.where(edged, end, 0), look + SLOT_EDGE)
    rows.put(slots.place, end, high, OUTSIDE)
    return rows.looks()


def heat_rows(share: Floats, full: Floats, stalled: Flags, cell: BinCell) -> Looks:
    """[S, D, H] the looks of small bins, by the *share* [S, D] in use.

    *full* [S, D] are their capacities as shares of a largest server.
    """
    servers, resources = share.shape
    rows = _Rows(servers, resources, cell.tall)
    every = np.arange(servers)
    bottom = np.zeros((servers, resources), np.int64)
    top = np.maximum(1, level(full, cell.tall))
    rows.put(every, bottom, top, 2 + np.rint(share * (HEATS - 1)).astype(np.int64))
    rows.put(every, top, top + 1, OUTSIDE)
    rows.put(every, top - 1, np.where(stalled[:, None], top, 0), 1)
    return rows.looks()


class BinRaster(CellRaster):
    """Draws bins into pixels."""

    def start(self, layout: BinLayout, palette: BinPalette) -> None:
        """Start a picture; the background between the bins is drawn only if layout or palette changed."""
        rows, columns = self.place(layout)
        tops = layout.grids[0].edges[rows.start : rows.stop + 1]
        self._cell = layout.cell
        self._columns = len(columns)
        self._tops = (tops - tops[0]).tolist()
        key = palette, layout.cell, self._columns, tuple(self._tops), len(layout.visible())
        if key != self._key:
            self._key, self._coded = key, np.zeros((0, 0), np.int64)
            height, width = self._tops[-1], self._columns * layout.cell.width
            self._pixels = np.full((max(1, height), max(1, width)), palette.background, np.uint32)

    def fresh(self, coded: Integers) -> Integers:
        """The cells to draw: those whose content changed, or all; *coded* [S, k] encodes the content of each."""
        before, self._coded = self._coded, coded
        return differing(coded, before) if before.shape == coded.shape else np.arange(len(coded))

    def draw(self, picture: Pixels, left: int, places: Integers) -> None:
        """Copy columns [S, D, H, W] into the cells at ascending *places*; *left* is the x of the first resource."""
        cell, columns = self._cell, self._columns
        _, resources, height, width = picture.shape
        rows, column = np.divmod(places, columns)
        starts = np.flatnonzero(np.diff(rows, prepend=-1))
        for row, start, end in zip(rows[starts].tolist(), starts, np.append(starts, len(rows))[1:], strict=True):
            top, foot = self._tops[row : row + 2]
            cells = self._pixels[top:foot].reshape(foot - top, columns, cell.width)
            bottom = foot - top - cell.gap - cell.label
            high = min(height, bottom)  # rows of smaller servers are lower; the part cut off is empty
            for resource in range(resources):
                x = left + resource * cell.pair
                mine = picture[start:end, resource, height - high :].transpose(1, 0, 2)
                cells[bottom - high : bottom, column[start:end], x : x + width] = mine


def draw_gauges(
    picture: Pixels,
    levels: Levels,
    blocks: BinJobs,
    job_class: Integers,
    stalled: Flags,
    palette: BinPalette,
    scale: int,
) -> None:
    """Draw into columns of bins each job's gauge, a line from the left as long as the served share of its service."""
    height, width = picture.shape[2:]
    if width < GAUGE_WIDTH_FROM * scale:
        return
    tall = levels.middle - levels.low >= GAUGE_FROM * scale
    chosen, resource = np.nonzero(tall & np.isfinite(blocks.served)[:, None])
    inner = width - 2 * palette.wall
    end = palette.wall + np.rint(blocks.served[chosen] * inner).astype(np.int64)
    x = np.arange(width)
    place = blocks.place[chosen]
    kind = stalled[place].astype(np.intp), job_class[chosen]
    rows = np.where(x < end[:, None], palette.ink[kind][:, None], palette.track[kind][:, None])
    inside = slice(palette.wall, width - palette.wall)
    base = height - 1 - levels.low[chosen, resource] - (FLOOR_HEIGHT + 1) * scale
    for line in range(GAUGE * scale):
        picture[place, resource, base - line, inside] = rows[:, inside]
