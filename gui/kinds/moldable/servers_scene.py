"""The scene: one moment of the servers laid out in the panel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from PySide6.QtCore import QRectF

from slotscope.gui.kinds.moldable.servers_content import MoldableContent, PoolSection, content_of, pieces_of
from slotscope.gui.kinds.moldable.servers_layout import MoldableLayout
from slotscope.gui.kinds.moldable.servers_raster import IDLE, STEPS, PoolRaster, codes_of, tone_table, tones_of
from slotscope.gui.pictures.layout import Integers
from slotscope.gui.pictures.scene import CellScene
from slotscope.model.kinds.moldable.facts import MoldableFacts
from slotscope.model.kinds.moldable.numbers import MoldableNumbers
from slotscope.model.kinds.moldable.state import MoldableState


class MoldableHit(NamedTuple):
    """What is under a point: a server, and the record of the job on it."""

    server: int
    record: int | None = None


class ServerStrip(NamedTuple):
    """The part of a run of servers in one row, in widget coordinates."""

    rect: QRectF
    begins: bool  #: whether the run begins here, and not in the row above
    ends: bool  #: whether the run ends here


@dataclass(frozen=True, eq=False)
class MoldableScene(CellScene[MoldableState, MoldableNumbers, MoldableFacts]):
    """Everything that painting and hit tests need for one moment."""

    layout: MoldableLayout
    sections: tuple[PoolSection, ...]

    def _content(self, section: PoolSection, index: Integers) -> MoldableContent:
        return content_of(self.state, self.frame.time, section, index)

    # From servers and jobs to rectangles.

    def find(self, server: int) -> tuple[int, int] | None:
        """The section of a server, and its index there; None if there is none."""
        for number, section in enumerate(self.sections):
            if section.first <= server < section.end:
                return number, server - section.first
        return None

    def server_rect(self, server: int) -> QRectF | None:
        """The block of a server as if it were free; None if it has no place."""
        found = self.find(server)
        if found is None:
            return None
        cell, (x, y) = self.layout.cell, self.layout.corner(*found)
        return self.rect((x + cell.lead, y, cell.block, cell.tall))

    def strips(self, start: int, length: int) -> list[ServerStrip]:
        """The strips of *length* consecutive servers of one section, row by row."""
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
        """The strips of each piece of a job."""
        return [self.strips(*piece) for piece in pieces_of(self.state, record)]

    def section_rect(self, number: int) -> QRectF:
        """The rectangle of all servers of a section."""
        x, y = self.layout.corner(number, 0)
        return self.rect((x, y, *self.layout.grids[number].size))

    def _hit(self, number: int, index: int, x: int, y: int) -> MoldableHit:
        server = self.sections[number].first + index
        record = int(self.state.server_job[server])
        return MoldableHit(server, record if record >= 0 else None)


def draw(scene: MoldableScene, rasters: list[PoolRaster]) -> None:
    """Update the pixels, one raster per section."""
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
