"""One moment of the bins laid out in the panel: what is where, and where everything is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRectF

from gui.kinds.queue.bins_content import BinJobs, Integers, blocks_of, slots_of
from gui.kinds.queue.bins_layout import BinLayout
from gui.kinds.queue.bins_levels import Levels, levels_of
from gui.kinds.queue.bins_palette import bin_palette
from gui.kinds.queue.bins_raster import BinRaster, bar_rows, bin_rows, columns, draw_gauges, heat_rows
from gui.kinds.queue.colours import SizeClasses, size_classes
from gui.painting.stage import in_pixels, in_widget
from gui.theme import Theme
from model.frame import Frame
from model.kinds.queue.facts import QueueFacts
from model.kinds.queue.numbers import QueueNumbers
from model.kinds.queue.state import QueueState


class BinHit(NamedTuple):
    """What lies under a point: a server, and the record of a job on it."""

    server: int
    record: int | None


@dataclass(frozen=True, eq=False)
class BinScene:
    """Everything that painting and hit tests need of one moment.

    Attributes
    ----------
    servers:
        [S] those of which something can be seen.
    blocks, levels, job_class:
        Their jobs, and the class of each job's size; None where bins are too small for jobs.
    classes:
        Of the scenario's sizes.
    stage:
        Where the bins are in the widget.
    """

    frame: Frame
    layout: BinLayout
    servers: Integers
    blocks: BinJobs | None
    levels: Levels | None
    job_class: Integers
    classes: SizeClasses
    stage: QRectF
    theme: Theme
    ratio: float

    @property
    def state(self) -> QueueState:
        """The state shown."""
        state: QueueState = self.frame.state
        return state

    @property
    def numbers(self) -> QueueNumbers:
        """The run's constant numbers."""
        numbers: QueueNumbers = self.frame.info.numbers
        return numbers

    @property
    def facts(self) -> QueueFacts:
        """What is to be known of the policy."""
        facts: QueueFacts = self.frame.info.facts
        return facts

    def rect(self, box: tuple[int, int, int, int]) -> QRectF:
        """A box of the stage's device pixels in the widget's coordinates."""
        return in_widget(self.stage, self.ratio, box)

    def server_rect(self, server: int) -> QRectF:
        """The bins of a server."""
        share = float((self.numbers.capacity[server] / self.numbers.largest).max())
        return self.rect(self.layout.box(server, share))

    def block_box(self, block: int, resource: int) -> tuple[int, int, int, int]:
        """x, y, width, height of a job in the stage's device pixels."""
        blocks, levels = self.blocks, self.levels
        assert blocks is not None and levels is not None
        server = int(self.servers[blocks.place[block]])
        x, _ = self.layout.corner(server)
        low, high = int(levels.low[block, resource]), int(levels.high[block, resource])
        cell = self.layout.cell
        return x + cell.bin_left(resource), self.layout.floor(server) - high, cell.bin, high - low

    def place_of(self, server: int) -> int | None:
        """Which of the visible servers one is."""
        place = int(np.searchsorted(self.servers, server))
        return place if place < len(self.servers) and self.servers[place] == server else None

    def blocks_with(self, jobs: set[int]) -> list[int]:
        """The blocks of the jobs with these numbers, as far as they can be seen."""
        if self.blocks is None or not jobs:
            return []
        numbers = self.state.job_number[self.blocks.record]
        return np.flatnonzero(np.isin(numbers, list(jobs))).tolist()

    def at(self, position: QPointF) -> BinHit | None:
        """What is at a point of the widget."""
        pixel = in_pixels(self.stage, self.ratio, position)
        found = None if pixel is None else self.layout.at(*pixel)
        if pixel is None or found is None:
            return None
        x, y = pixel
        server, resource = found
        place = self.place_of(server)
        left, _, wide, _ = self.layout.box(server)
        if self.blocks is None or self.levels is None or place is None:
            return BinHit(server, None)
        if not left <= x < left + wide:
            return BinHit(server, None)
        height = self.layout.floor(server) - 1 - y
        block = self.levels.block_at(self.blocks, place, resource, height)
        return BinHit(server, None if block is None else int(self.blocks.record[block]))


def scene_of(frame: Frame, layout: BinLayout, stage: QRectF, theme: Theme, ratio: float) -> BinScene:
    """A moment in a layout."""
    servers = layout.visible()
    none = np.zeros(0, np.int64)
    state, numbers, facts = frame.state, frame.info.numbers, frame.info.facts
    classes = size_classes(numbers)
    if not layout.shows_jobs:
        return BinScene(frame, layout, servers, None, None, none, classes, stage, theme, ratio)
    blocks = blocks_of(state, numbers, facts, servers)
    levels = levels_of(blocks, numbers.capacity[servers], numbers.largest, layout.cell.tall)
    job_class = classes.of(blocks.size)
    return BinScene(frame, layout, servers, blocks, levels, job_class, classes, stage, theme, ratio)


def draw(scene: BinScene, raster: BinRaster, heights: Integers | None) -> None:
    """Bring the pixels up to date; *heights* are those of slots, see ``slot_heights``."""
    layout, cell, scale = scene.layout, scene.layout.cell, scene.layout.wishes.scale
    queues = scene.classes.of_queues(scene.numbers, scene.facts)
    palette = bin_palette(scene.theme, scene.classes.count, queues, cell.bin, cell.bar, scale)
    stalled = scene.state.stalled[scene.servers] != 0
    raster.begin(layout, palette.background)
    if scene.blocks is None or scene.levels is None:
        capacity = scene.numbers.capacity[scene.servers]
        used = scene.state.used[scene.servers] / np.maximum(capacity, 1)
        full = capacity / scene.numbers.largest
        looks = heat_rows(used, full, stalled, cell)
        picture = columns(looks, palette.heat, stalled)
        raster.draw(picture, cell.bin_left(0))
        return
    looks = bin_rows(scene.levels, scene.blocks.place, scene.job_class, stalled, cell, scale)
    picture = columns(looks, palette.strips, stalled)
    draw_gauges(picture, scene.levels, scene.blocks, scene.job_class, stalled, palette, scale)
    raster.draw(picture, cell.bin_left(0))
    if palette.bars is not None and heights is not None:
        slots = slots_of(scene.state, scene.facts, heights, scene.servers, cell.tall)
        looks = bar_rows(slots, scene.numbers.largest, len(scene.servers), cell, scale)
        raster.draw(columns(looks, palette.bars, stalled), cell.left)
