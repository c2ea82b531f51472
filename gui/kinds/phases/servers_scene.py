"""The scene: one moment of the servers laid out in the panel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Sequence

import numpy as np
from PySide6.QtCore import QRectF

from slotscope.gui.kinds.phases.servers_layout import PhaseLayout
from slotscope.gui.kinds.phases.servers_raster import (
    Amounts,
    JobBlocks,
    PhasePalette,
    PhaseRaster,
    blocks_of,
    server_palette,
)
from slotscope.gui.kinds.phases.servers_sections import (
    Integers,
    PhaseContent,
    PhaseSection,
    ServerPlace,
    content_of,
    place_of,
    records_on,
)
from slotscope.gui.pictures.layout import Box
from slotscope.gui.pictures.scene import CellScene
from slotscope.model.kinds.phases.facts import PhaseFacts
from slotscope.model.kinds.phases.numbers import PhaseNumbers
from slotscope.model.kinds.phases.state import PhaseState


class PhaseHit(NamedTuple):
    """What is under a point: a server, and the record of a job or the type of a token on it."""

    place: ServerPlace
    record: int | None = None
    token: int | None = None


@dataclass(frozen=True, eq=False)
class PhaseScene(CellScene[PhaseState, PhaseNumbers, PhaseFacts]):
    """Everything that painting and hit tests need for one moment."""

    layout: PhaseLayout
    sections: tuple[PhaseSection, ...]

    def amounts(self, number: int) -> Amounts:
        """The jobs' demands, and what the height of a section's bins stands for."""
        full = self.numbers.capacity.astype(np.float64) * self.layout.grids[number].cell.top
        return Amounts(self.numbers.demand, full)

    def _content(self, section: PhaseSection, index: Integers) -> PhaseContent:
        return content_of(self.state, section, index)

    def palette(self, number: int) -> PhasePalette:
        """The pixel strips of a section."""
        cell = self.layout.grids[number].cell
        scale = self.layout.wishes.scale
        return server_palette(self.theme, self.numbers.phases, cell.real, cell.virtual, scale)

    # From servers and jobs to rectangles.

    def find(self, place: ServerPlace) -> tuple[int, int] | None:
        """The section of a server, and its index there; None if there is none."""
        for number, section in enumerate(self.sections):
            index = section.index(place)
            if index is not None:
                return number, index
        return None

    def blocks(self, place: ServerPlace, virtual: bool = False) -> JobBlocks:
        number, index = self.find(place) or (0, 0)
        content = content_of(self.state, self.sections[number], np.array([index]))
        counts = content.virtual if virtual else content.real
        return blocks_of(counts, self.amounts(number), self.layout.grids[number].cell.tall)

    def block_box(self, number: int, index: int, blocks: JobBlocks, block: int, resource: int, virtual: bool) -> Box:
        """The box (x, y, width, height) of a server's job in the stage's device pixels."""
        cell = self.layout.grids[number].cell
        x = self.layout.corner(number, index)[0] + cell.left + resource * cell.pair
        low, high = (min(int(edge[block, resource]), cell.tall) for edge in (blocks.low, blocks.high))
        y = self.layout.ground(number, index) - high
        if virtual:
            return x + cell.real, y, cell.virtual, high - low
        return x, y, cell.real, high - low

    def job_rects(self, record: int) -> list[QRectF]:
        """The rectangles of a job, one per resource; empty if jobs are not drawn individually."""
        place = place_of(self.state, record)
        found = None if place is None else self.find(place)
        if place is None or found is None or not self.layout.grids[found[0]].cell.shows_jobs:
            return []
        virtual = bool(self.state.job_virtual[record])
        if virtual and not self.layout.grids[found[0]].cell.virtual:
            return []
        blocks = self.blocks(place, virtual)
        phase = int(self.state.job_phase[record])
        mine = [other for other in records_on(self.state, place, virtual) if self.state.job_phase[other] == phase]
        same = (blocks.phase == phase) & (blocks.order == mine.index(record))
        block = int(np.flatnonzero(same)[0])
        resources = range(self.numbers.resources)
        return [self.rect(self.block_box(*found, blocks, block, d, virtual)) for d in resources]

    def token_boxes(self, number: int, index: int, count: int) -> list[Box]:
        """The boxes of *count* tokens of a server, or of its timer, in the stage's device pixels."""
        x, y = self.layout.corner(number, index)
        side = self.layout.grids[number].cell.token
        return [(x + left, y, side, side) for left in self.token_lefts(number, count)]

    def token_lefts(self, number: int, count: int) -> list[int]:
        """The x offsets of *count* tokens from their cell's left edge."""
        cell = self.layout.grids[number].cell
        wide, side = cell.bins(self.numbers.resources), cell.token
        pitch = min(side + max(1, side // 6), (wide - side) // max(1, count - 1))
        first = cell.left + max(0, (wide - side - pitch * (count - 1)) // 2)
        return [first + pitch * token for token in range(count)]

    # From points to servers and jobs.

    def _hit(self, number: int, index: int, x: int, y: int) -> PhaseHit:
        place = self.sections[number].place(index)
        token = self._token_at(number, index, place, x, y)
        if token is not None:
            return PhaseHit(place, token=token)
        return PhaseHit(place, self._record_at(number, index, place, x, y))

    def _token_at(self, number: int, index: int, place: ServerPlace, x: int, y: int) -> int | None:
        if place.is_backup or not self.layout.grids[number].cell.token:
            return None
        types = token_types(self.state.tokens[place.server].tolist())
        boxes = self.token_boxes(number, index, len(types))
        for job_type, (left, top, wide, high) in reversed(list(zip(types, boxes, strict=True))):
            if left <= x < left + wide and top <= y < top + high:
                return job_type
        return None

    def _record_at(self, number: int, index: int, place: ServerPlace, x: int, y: int) -> int | None:
        cell = self.layout.grids[number].cell
        inside = x - self.layout.corner(number, index)[0] - cell.left
        resource, within = divmod(inside, cell.pair)
        in_bin = 0 <= resource < self.numbers.resources and within < cell.bin
        if not cell.shows_jobs or not in_bin:
            return None
        virtual = within >= cell.real
        blocks, height = self.blocks(place, virtual), self.layout.ground(number, index) - 1 - y
        for block in blocks.of(0):
            if blocks.low[block, resource] <= height < blocks.high[block, resource]:
                phase, order = int(blocks.phase[block]), int(blocks.order[block])
                there = [
                    record for record in records_on(self.state, place, virtual) if self.state.job_phase[record] == phase
                ]
                return there[order] if order < len(there) else None
        return None


def token_types(counts: Sequence[int]) -> list[int]:
    """The type of each token of a server, in the order of types."""
    return [job_type for job_type, count in enumerate(counts) for _ in range(count)]


def draw(scene: PhaseScene, rasters: list[PhaseRaster]) -> None:
    """Update the pixels, one raster per section."""
    while len(rasters) < len(scene.sections):
        rasters.append(PhaseRaster())
    for number, shown in enumerate(scene.shown):
        rasters[number].draw(
            scene.layout, number, shown.content, scene.amounts(number), scene.numbers.capacity, scene.palette(number)
        )
