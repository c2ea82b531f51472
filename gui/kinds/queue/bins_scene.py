"""The scene of one moment: the bins' content and layout, for painting and hit tests."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QRectF

from slotscope.gui.kinds.queue.bins_content import BinJobs, Levels, blocks_of, levels_of, slots_of
from slotscope.gui.kinds.queue.bins_layout import BinLayout
from slotscope.gui.kinds.queue.bins_raster import (
    BinPalette,
    BinRaster,
    bar_rows,
    bin_palette,
    bin_rows,
    draw_gauges,
    heat_rows,
)
from slotscope.gui.kinds.queue.colours import SizeClasses, size_classes
from slotscope.gui.painting.textures import pixels_of_looks
from slotscope.gui.pictures.layout import Integers
from slotscope.gui.pictures.scene import CellScene
from slotscope.model.kinds.queue.facts import QueueFacts
from slotscope.model.kinds.queue.numbers import QueueNumbers
from slotscope.model.kinds.queue.state import QueueState


class BinHit(NamedTuple):
    """What is under a point: a server, and the record of a job on it."""

    server: int
    record: int | None


@dataclass(frozen=True, eq=False)
class BinScene(CellScene[QueueState, QueueNumbers, QueueFacts]):
    """Everything that painting and hit tests need for one moment."""

    layout: BinLayout

    @cached_property
    def classes(self) -> SizeClasses:
        """The classes of the scenario's sizes."""
        return size_classes(self.numbers)

    def _content(self, section: QueueNumbers, index: Integers) -> BinJobs | None:
        if not self.layout.shows_jobs:
            return None
        return blocks_of(self.state, section, self.facts, index)

    @property
    def servers(self) -> Integers:
        """[S] the servers that are at least partly visible."""
        return self.shown[0].index

    @property
    def blocks(self) -> BinJobs | None:
        """The jobs on the visible servers; None if the bins are too small to show jobs."""
        blocks: BinJobs | None = self.shown[0].content
        return blocks

    @cached_property
    def levels(self) -> Levels | None:
        """The edges of those jobs in pixels; None if the bins are too small to show jobs."""
        if self.blocks is None:
            return None
        capacity, largest = self.numbers.capacity[self.servers], self.numbers.largest
        return levels_of(self.blocks, capacity, largest, self.layout.cell.tall)

    @cached_property
    def job_class(self) -> Integers:
        """[n] the look of each job's size."""
        return np.zeros(0, np.int64) if self.blocks is None else self.classes.of(self.blocks.size)

    def server_rect(self, server: int) -> QRectF:
        share = float((self.numbers.capacity[server] / self.numbers.largest).max())
        return self.rect(self.layout.box(server, share))

    def block_box(self, block: int, resource: int) -> tuple[int, int, int, int]:
        """The box (x, y, width, height) of a job in the stage's device pixels."""
        blocks, levels = self.blocks, self.levels
        assert blocks is not None and levels is not None
        server = int(self.servers[blocks.place[block]])
        x, _ = self.layout.corner(0, server)
        low, high = int(levels.low[block, resource]), int(levels.high[block, resource])
        cell = self.layout.cell
        return x + cell.bin_left(resource), self.layout.floor(server) - high, cell.bin, high - low

    def place_of(self, server: int) -> int | None:
        """The index of a server among the visible ones; None if it is not visible."""
        place = int(np.searchsorted(self.servers, server))
        return place if place < len(self.servers) and self.servers[place] == server else None

    def blocks_with(self, jobs: set[int]) -> list[int]:
        """The visible blocks of the jobs with these numbers."""
        if self.blocks is None or not jobs:
            return []
        numbers = self.state.job_number[self.blocks.record]
        return np.flatnonzero(np.isin(numbers, list(jobs))).tolist()

    def _hit(self, number: int, index: int, x: int, y: int) -> BinHit:
        place = self.place_of(index)
        left, _, wide, _ = self.layout.box(index)
        if self.blocks is None or self.levels is None or place is None or not left <= x < left + wide:
            return BinHit(index, None)
        height = self.layout.floor(index) - 1 - y
        block = self.levels.block_at(self.blocks, place, self.layout.resource_at(index, x), height)
        return BinHit(index, None if block is None else int(self.blocks.record[block]))


def draw(scene: BinScene, raster: BinRaster, heights: Integers | None) -> None:
    """Update the pixels of *raster*; *heights* [V, D] are the slot heights, see ``slot_heights``."""
    layout, cell, scale = scene.layout, scene.layout.cell, scene.layout.wishes.scale
    queues = scene.classes.of_queues(scene.numbers, scene.facts)
    palette = bin_palette(scene.theme, scene.classes.count, queues, cell.bin, cell.bar, scale)
    stalled = scene.state.stalled[scene.servers] != 0
    raster.start(layout, palette)
    if scene.blocks is None or scene.levels is None:
        _draw_heat(scene, raster, palette)
        return
    looks = bin_rows(scene.levels, scene.blocks.place, scene.job_class, stalled, cell, scale)
    picture = pixels_of_looks(looks, palette.strips, stalled)
    draw_gauges(picture, scene.levels, scene.blocks, scene.job_class, stalled, palette, scale)
    every = np.arange(len(scene.servers))
    raster.draw(picture, cell.bin_left(0), every)
    if palette.bars is not None and heights is not None:
        slots = slots_of(scene.state, scene.facts, heights, scene.servers, cell.tall)
        looks = bar_rows(slots, scene.numbers.largest, len(scene.servers), cell, scale)
        raster.draw(pixels_of_looks(looks, palette.bars, stalled), cell.left, every)


def _draw_heat(scene: BinScene, raster: BinRaster, palette: BinPalette) -> None:
    """Draw the share in use of bins too small to show jobs; only those bins in which it changed."""
    state, cell, servers = scene.state, scene.layout.cell, scene.servers
    capacity = scene.numbers.capacity[servers]
    chosen = raster.fresh(np.column_stack([state.used[servers], capacity, state.stalled[servers]]))
    capacity, used, stalled = capacity[chosen], state.used[servers][chosen], state.stalled[servers][chosen] != 0
    looks = heat_rows(used / np.maximum(capacity, 1), capacity / scene.numbers.largest, stalled, cell)
    raster.draw(pixels_of_looks(looks, palette.heat, stalled), cell.bin_left(0), chosen)
