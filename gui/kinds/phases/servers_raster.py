"""Servers as pixels: one sprite for all servers with the same jobs, then a sprite in every cell.

Under JRS thousands of servers share some hundred configurations, so that what takes time is to
copy pixels and not to find them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from slotscope.gui.kinds.phases.servers_cells import PhaseCell
from slotscope.gui.kinds.phases.servers_layout import PhaseLayout
from slotscope.gui.kinds.phases.servers_palette import (
    FILL,
    FILL_ABOVE,
    FLAT,
    FLOOR,
    FREE,
    HEATS,
    OUTSIDE,
    PARTING,
    PER_PHASE,
    PHASES,
    RIM,
    PhasePalette,
)
from slotscope.gui.kinds.phases.servers_sections import Indices, Integers, PhaseContent
from slotscope.gui.painting.textures import Pixels, pixels_of_looks
from slotscope.gui.pictures.cells import CellRaster, distinct
from slotscope.gui.pictures.layout import level

Looks = npt.NDArray[np.int16]
Floats = npt.NDArray[np.float64]

#: Jobs have a line between them from this height on, and textures from this size on.
PARTED, TEXTURED = 5, 6
#: Bins have a line at their rim from this height on.
RIM_FROM = 22


@dataclass(frozen=True, eq=False)
class JobBlocks:
    """Jobs on n servers, from server to server and on each from below, phase by phase.

    Attributes
    ----------
    place, phase, order:
        [m] the server, the phase, and which of the server's jobs in that phase it is.
    low, high:
        [m, D] its edges in device pixels above the floor.
    start:
        [n + 1] where the blocks of each server begin.
    """

    place: Integers
    phase: Integers
    order: Integers
    low: Integers
    high: Integers
    start: Integers

    def of(self, place: int) -> range:
        """The blocks of one server, from below."""
        return range(int(self.start[place]), int(self.start[place + 1]))


@dataclass(frozen=True, eq=False)
class Amounts:
    """What jobs need, and what a bin's height stands for; sums of units are exact.

    Attributes
    ----------
    demand:
        [I, D] units.
    full:
        [D] units that the whole height of a bin stands for.
    """

    demand: Integers
    full: Floats

    def level(self, units: Integers, tall: int) -> Integers:
        """[n, D] units as pixels of a bin that is so high."""
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
    """[n, H] the look of each row of a column, from below."""
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
    """*looks* with the rim at the capacity, and what is above it outside of the bin."""
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
    """[n, H, W] the bins of servers with this content, from above."""
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
    """[n, H, W] servers too small for jobs: grey by the real jobs' use, or an overrun."""
    bins = cell.bins(len(capacity))
    use = content.real @ amounts.demand
    share = np.minimum(use / capacity, 1).max(axis=1)
    step = np.rint(share * (HEATS - 1)).astype(np.int64)
    step[(use > capacity).any(axis=1)] = HEATS
    step[content.paused] += HEATS + 1
    colour = palette.heat[step]
    return np.repeat(np.repeat(colour[:, None, None], cell.floor + cell.tall, 1), bins, 2)


class PhaseRaster(CellRaster):
    """Draws the servers of one section into pixels; of those that it shows, what has changed."""

    def draw(
        self,
        layout: PhaseLayout,
        section: int,
        content: PhaseContent,
        amounts: Amounts,
        capacity: Integers,
        palette: PhasePalette,
    ) -> None:
        """Show *content* of the servers that can be seen."""
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
