"""One moment of the servers laid out in the panel: what is where, and where everything is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRectF

from gui.kinds.moldable.servers_content import Integers, MoldableContent, PoolSection, content_of, pieces_of
from gui.kinds.moldable.servers_layout import MoldableGrid, MoldableLayout
from gui.kinds.moldable.servers_palette import IDLE, STEPS
from gui.kinds.moldable.servers_raster import PoolRaster, codes_of, tone_table, tones_of
from gui.painting.stage import in_pixels, in_widget
from gui.theme import Theme
from model.frame import Frame
from model.kinds.moldable.facts import MoldableFacts
from model.kinds.moldable.numbers import MoldableNumbers
from model.kinds.moldable.state import MoldableState

Box = tuple[int, int, int, int]


class MoldableHit(NamedTuple):
    """What lies under a point: a server, and the record of the job on it."""

    server: int
    record: int | None = None


class ServerStrip(NamedTuple):
    """A part of a run of servers in one row, in the widget's coordinates."""

    rect: QRectF
    begins: bool  #: whether the run begins here and does not come from the row above
    ends: bool  #: whether it ends here


@dataclass(frozen=True, eq=False)
class ShownPoolSection:
    """What can be seen of one section.

    Attributes
    ----------
    index:
        [S] which of the section's servers, ascending; none where they share pixels.
    content:
        What is on them.
    """

    section: PoolSection
    grid: MoldableGrid
    index: Integers
    content: MoldableContent


@dataclass(frozen=True, eq=False)
class MoldableScene:
    """Everything that painting and hit tests need of one moment.

    Attributes
    ----------
    sections:
        As in the layout.
    stage:
        Where the servers are in the widget.
    """

    frame: Frame
    layout: MoldableLayout
    sections: tuple[PoolSection, ...]
    stage: QRectF
    theme: Theme
    ratio: float

    @property
    def state(self) -> MoldableState:
        """The state shown."""
        state: MoldableState = self.frame.state
        return state

    @property
    def numbers(self) -> MoldableNumbers:
        """The run's constant numbers."""
        numbers: MoldableNumbers = self.frame.info.numbers
        return numbers

    @property
    def facts(self) -> MoldableFacts:
        """What is to be known of the policy."""
        facts: MoldableFacts = self.frame.info.facts
        return facts

    @cached_property
    def shown(self) -> tuple[ShownPoolSection, ...]:
        """What can be seen of each section."""
        return tuple(self._shown(number) for number in range(len(self.sections)))

    def _shown(self, number: int) -> ShownPoolSection:
        section, grid = self.sections[number], self.layout.grids[number]
        rows, columns = self.layout.window(number)
        chosen = np.zeros(0, np.int64)
        if grid.per == 1:
            index = np.add.outer(np.array(rows) * grid.columns, np.array(columns)).ravel()
            chosen = index[index < grid.count].astype(np.int64)
        content = content_of(self.state, self.frame.time, section, chosen)
        return ShownPoolSection(section, grid, chosen, content)

    # From servers and jobs to rectangles.

    def rect(self, box: Box) -> QRectF:
        """A box of the stage's device pixels in the widget's coordinates."""
        return in_widget(self.stage, self.ratio, box)

    def find(self, server: int) -> tuple[int, int] | None:
        """The section of a server, and where it is in it."""
        for number, section in enumerate(self.sections):
            if section.first <= server < section.end:
                return number, server - section.first
        return None

    def server_rect(self, server: int) -> QRectF | None:
        """The block of a server as if it were free; None where it has no place."""
        found = self.find(server)
        if found is None:
            return None
        cell, (x, y) = self.layout.cell, self.layout.corner(*found)
        return self.rect((x + cell.lead, y, cell.block, cell.tall))

    def strips(self, start: int, length: int) -> list[ServerStrip]:
        """Where so many neighbouring servers of one section are, row by row."""
        found = self.find(start)
        if found is None:
            return []
        number, index = found
        columns, end = self.layout.grids[number].columns, index + length
        result: list[ServerStrip] = []
        while index < end:
            stop = min(end, (index // columns + 1) * columns)
            begins, ends = not result, stop == end
            result.append(ServerStrip(self._strip_rect(number, index, stop, begins, ends), begins, ends))
            index = stop
        return result

    def _strip_rect(self, number: int, first: int, stop: int, begins: bool, ends: bool) -> QRectF:
        cell, (x, y) = self.layout.cell, self.layout.corner(number, first)
        right = self.layout.corner(number, stop - 1)[0] + cell.width
        left, right = x + cell.lead * begins, right - cell.trail * ends
        return self.rect((left, y, right - left, cell.tall))

    def job_strips(self, record: int) -> list[list[ServerStrip]]:
        """Where a job is: the strips of each of its pieces."""
        return [self.strips(*piece) for piece in pieces_of(self.state, record)]

    def section_rect(self, number: int) -> QRectF:
        """All servers of a section."""
        x, y = self.layout.corner(number, 0)
        return self.rect((x, y, *self.layout.grids[number].size))

    # From points to servers and jobs.

    def at(self, position: QPointF) -> MoldableHit | None:
        """What is at a point of the widget."""
        pixel = in_pixels(self.stage, self.ratio, position)
        found = None if pixel is None else self.layout.at(*pixel)
        if found is None:
            return None
        server = self.sections[found[0]].first + found[1]
        record = int(self.state.server_job[server])
        return MoldableHit(server, record if record >= 0 else None)


def draw(scene: MoldableScene, rasters: list[PoolRaster]) -> None:
    """Bring the pixels up to date: one raster for each section."""
    while len(rasters) < len(scene.sections):
        rasters.append(PoolRaster())
    if scene.layout.grids[0].per > 1:
        _draw_blended(scene, rasters)
        return
    for number, shown in enumerate(scene.shown):
        columns = shown.grid.columns
        ends_row = shown.index % columns == columns - 1
        codes = codes_of(shown.content, scene.layout.cell, shown.section.pool < 0, ends_row)
        rasters[number].draw(scene.layout, number, codes, scene.theme)


def _draw_blended(scene: MoldableScene, rasters: list[PoolRaster]) -> None:
    tones = tones_of(scene.state, scene.frame.time)
    table = tone_table(scene.state, scene.theme)
    for number, section in enumerate(scene.sections):
        if section.pool < 0:
            tones[section.first : section.end] = IDLE * STEPS
        rasters[number].draw_blended(scene.layout, number, tones[section.first : section.end], table)
