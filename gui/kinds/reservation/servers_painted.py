"""What a raster of servers shows, where each server stands, and what lies under a point."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from slotscope.gui.painting.kernel import frame_width, inset, shows_slots, slot_columns, unit_height

Integers = npt.NDArray[np.int32]
Box = tuple[int, int, int, int]


class GridHit(NamedTuple):
    """What lies under a point; ``slot`` is None where single slots are not shown."""

    server: int
    job_type: int | None
    slot: int | None


@dataclass(frozen=True)
class PaintedServers:
    """L servers with J job types, ready to be drawn.

    Attributes
    ----------
    rects:
        int32[L, 4]: x, y, width, height in device pixels; they must not overlap.
    configuration, placement:
        int32[L, J]: slots per type, and how many of them are filled.
    group:
        uint8[L]: 0 Accept Group, 1 Reject Group, 2 neither.
    weight:
        float64[J], positive: the height of a slot, such as the type's dominant share.
    capacity:
        The weight that fills a server's height; a server whose slots weigh more is fitted.
    """

    rects: Integers
    configuration: Integers
    placement: Integers
    group: npt.NDArray[np.uint8]
    weight: npt.NDArray[np.float64]
    capacity: float = 1.0

    def __post_init__(self) -> None:
        count, types = self.configuration.shape
        for name, dtype, shape in (
            ("rects", np.int32, (count, 4)),
            ("configuration", np.int32, (count, types)),
            ("placement", np.int32, (count, types)),
            ("group", np.uint8, (count,)),
            ("weight", np.float64, (types,)),
        ):
            array = np.ascontiguousarray(getattr(self, name), dtype=dtype)
            if array.shape != shape:
                raise ValueError(f"{name} has the shape {array.shape}, not {shape}")
            object.__setattr__(self, name, array)
        if not (self.weight > 0).all() or not self.capacity > 0:
            raise ValueError("weights and capacity must be positive")

    def hit(self, x: int, y: int, scale: int = 1) -> GridHit | None:
        """The server, and its job type and slot, at the device pixel (*x*, *y*)."""
        left, top, width, height = self.rects.T
        inside = (left <= x) & (x < left + width) & (top <= y) & (y < top + height)
        if not inside.any():
            return None
        server = int(inside.argmax())
        box = self.inner_box(server, scale)
        if not (box[0] <= x < box[0] + box[2] and box[1] <= y < box[1] + box[3]):
            return GridHit(server, None, None)
        if self.shows_slots(server, scale):
            return self._slot_at(server, box, x, y, scale)
        return GridHit(server, self._share_at(server, box, y), None)

    def inner_box(self, server: int, scale: int = 1) -> Box:
        """x, y, width, height of the server inside its frame."""
        x, y, width, height = self.rects[server].tolist()
        edge = inset(frame_width(width, height, scale), scale)
        return x + edge, y + edge, width - 2 * edge, height - 2 * edge

    def shows_slots(self, server: int, scale: int = 1) -> bool:
        """Whether the server is large enough for its slots to be seen one by one."""
        box = self.inner_box(server, scale)
        if box[2] <= 0 or box[3] <= 0:
            return False
        slots = self.configuration[server]
        return bool(shows_slots(slots, self.weight, self.capacity, box[2], box[3], scale))

    def slot_box(self, server: int, job_type: int, slot: int, scale: int = 1) -> Box | None:
        """x, y, width, height of one slot with its gap, or None where it cannot be seen."""
        slots = int(self.configuration[server, job_type])
        if not 0 <= slot < slots or not self.shows_slots(server, scale):
            return None
        low, high = self._bands(server, self.inner_box(server, scale))[job_type]
        x, y, width, height = self.inner_box(server, scale)
        band = high - low
        columns = slot_columns(slots, band, scale)
        rows = (slots + columns - 1) // columns
        row, column = divmod(slot, columns)
        left, right = (width * (column + i) // columns for i in (0, 1))
        bottom, top = (low + band * (row + i) // rows for i in (0, 1))
        return x + left, y + height - top, right - left, top - bottom

    def _bands(self, server: int, box: Box) -> list[tuple[int, int]]:
        """From which to which height, counted from below, the slots of each type reach."""
        slots = self.configuration[server]
        unit = unit_height(slots, self.weight, self.capacity, box[3])
        ends = [0.0, *np.cumsum(slots * self.weight).tolist()]
        edges = [int(end * unit + 0.5) for end in ends]
        return list(pairwise(edges))

    def _slot_at(self, server: int, box: Box, x: int, y: int, scale: int) -> GridHit:
        height = box[1] + box[3] - 1 - y
        for job_type, (low, high) in enumerate(self._bands(server, box)):
            if low <= height < high:
                slots = int(self.configuration[server, job_type])
                band = high - low
                columns = slot_columns(slots, band, scale)
                rows = (slots + columns - 1) // columns
                row = ((height - low + 1) * rows - 1) // band
                column = ((x - box[0] + 1) * columns - 1) // box[2]
                slot = row * columns + column
                return GridHit(server, job_type, slot if slot < slots else None)
        return GridHit(server, None, None)

    def _share_at(self, server: int, box: Box, y: int) -> int | None:
        unit = unit_height(self.configuration[server], self.weight, self.capacity, box[3])
        ends = np.cumsum(self.placement[server] * self.weight)
        edges = np.minimum((ends * unit + 0.5).astype(int), box[3])
        above = np.flatnonzero(edges > box[1] + box[3] - 1 - y)
        return int(above[0]) if above.size else None


def layout_grid(servers: int, width: int, height: int, aspect: float = 0.6) -> Integers:
    """A grid in which *servers* cells of about *aspect* (width by height) are largest.

    Returns int32[L, 4]: x, y, width, height of each server in reading order, disjoint and
    inside *width* by *height* pixels.  Servers for which there is no pixel have no size.
    """
    if servers == 0:
        return np.zeros((0, 4), dtype=np.int32)
    columns = np.arange(1, servers + 1)
    rows = -(-servers // columns)
    size = np.minimum((width // columns) / aspect, height // rows)
    best = int(size.argmax())
    cell_width, cell_height = width // int(columns[best]), height // int(rows[best])
    gap = _gap(min(cell_width, cell_height))
    row, column = np.divmod(np.arange(servers), columns[best])
    rects = np.empty((servers, 4), dtype=np.int32)
    rects[:, 0] = column * cell_width
    rects[:, 1] = row * cell_height
    rects[:, 2] = max(0, cell_width - gap)
    rects[:, 3] = max(0, cell_height - gap)
    return rects


def _gap(cell: int) -> int:
    return 0 if cell < 4 else max(1, min(8, cell // 12))
