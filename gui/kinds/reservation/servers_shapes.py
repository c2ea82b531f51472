"""The rectangles that a raster of servers consists of, found with NumPy.

This is the way to draw while the compiled kernel is not there yet, and for printing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from slotscope.gui.kinds.reservation.servers_painted import Integers, PaintedServers
from slotscope.gui.painting.kernel import FRAME_FROM, PITCH, ROW, THICK_FRAME_FROM

Boxes = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.intp]


class Shapes(NamedTuple):
    """Rectangles as int64[N, 4] (left, top, right, bottom), in the order of drawing.

    Attributes
    ----------
    outer, outer_group:
        The servers that have a frame, and their groups.
    inner:
        What is cleared inside the frames.
    filled, filled_type:
        Filled slots, or the shares that they take.
    vacant, vacant_type, vacant_group:
        Empty slots.
    share:
        The empty share of servers that are too small to show slots.
    mark:
        The edge by which a tiny server is known to be in the Reject Group.
    """

    outer: Boxes
    outer_group: npt.NDArray[np.uint8]
    inner: Boxes
    filled: Boxes
    filled_type: Indices
    vacant: Boxes
    vacant_type: Indices
    vacant_group: npt.NDArray[np.uint8]
    share: Boxes
    mark: Boxes


def shapes(servers: PaintedServers, chosen: Indices, scale: int = 1) -> Shapes:
    """The rectangles of the *chosen* servers, at *scale* device pixels per line."""
    chosen = chosen[(servers.rects[chosen, 2:] > 0).all(axis=1)]
    rects = servers.rects[chosen].astype(np.int64)
    group = servers.group[chosen]
    edge = _edges(rects, scale)
    outer = np.column_stack([rects[:, :2], rects[:, :2] + rects[:, 2:]])
    cleared = outer + edge[:, None] * np.array([1, 1, -1, -1])
    inner = cleared + np.where(edge > scale, scale, 0)[:, None] * np.array([1, 1, -1, -1])
    slots, jobs = servers.configuration[chosen], servers.placement[chosen]
    ends = np.cumsum(slots * servers.weight, axis=1)
    height = inner[:, 3] - inner[:, 1]
    unit = height / np.maximum(ends[:, -1:].max(axis=1, initial=0.0), servers.capacity)
    bands = _rounded(ends * unit[:, None])
    single = _shows_slots(slots, bands, inner, scale)
    seen = _slots(inner[single], slots[single], bands[single], scale)
    is_job = seen.slot < jobs[single][seen.server, seen.job_type]
    shares, share_type, empty = _shares(servers, inner, slots, jobs, unit, ~single)
    mark = outer[(edge == 0) & (group == 1)].copy()
    mark[:, 2] = mark[:, 0] + 1
    return Shapes(
        outer=outer[edge > 0],
        outer_group=group[edge > 0],
        inner=cleared,
        filled=np.concatenate([seen.boxes[is_job], shares]),
        filled_type=np.concatenate([seen.job_type[is_job], share_type]),
        vacant=seen.boxes[~is_job],
        vacant_type=seen.job_type[~is_job],
        vacant_group=group[single][seen.server[~is_job]],
        share=empty,
        mark=mark,
    )


def _edges(rects: Boxes, scale: int) -> Boxes:
    small = rects[:, 2:].min(axis=1)
    return np.where(small >= THICK_FRAME_FROM * scale, 2 * scale, np.where(small >= FRAME_FROM * scale, scale, 0))


def _rounded(values: npt.NDArray[np.float64]) -> Boxes:
    return (values + 0.5).astype(np.int64)


def _heights(bands: Boxes) -> Boxes:
    return np.diff(bands, axis=1, prepend=0)


def _columns(slots: Integers, height: Boxes, scale: int) -> Boxes:
    rows = np.maximum(1, np.minimum(slots, height // (ROW * scale)))
    return np.maximum(1, -(-slots // rows)).astype(np.int64)


def _shows_slots(slots: Integers, bands: Boxes, inner: Boxes, scale: int) -> Mask:
    height = _heights(bands)
    columns = _columns(slots, height, scale)
    rows = np.maximum(1, -(-slots // columns))
    width = (inner[:, 2] - inner[:, 0])[:, None]
    room = (height // rows >= PITCH * scale) & (width // columns >= PITCH * scale)
    return np.asarray((room | (slots == 0)).all(axis=1))


class _Slots(NamedTuple):
    boxes: Boxes
    server: Indices
    job_type: Indices
    slot: Indices


def _slots(inner: Boxes, slots: Integers, bands: Boxes, scale: int) -> _Slots:
    """Every single slot of servers that show them."""
    server, job_type = np.nonzero(slots)
    count = slots[server, job_type].astype(np.int64)
    owner = np.repeat(np.arange(len(count)), count)
    slot = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
    height = _heights(bands)
    band, n = height[server, job_type][owner], count[owner]
    columns = _columns(slots, height, scale)[server, job_type][owner]
    rows = -(-n // columns)
    row, column = np.divmod(slot, columns)
    place = inner[server][owner]
    width = place[:, 2] - place[:, 0]
    base = place[:, 3] - bands[server, job_type][owner] + band
    boxes = np.column_stack(
        [
            place[:, 0] + width * column // columns,
            base - band * (row + 1) // rows + scale,
            place[:, 0] + width * (column + 1) // columns - scale,
            base - band * row // rows,
        ]
    )
    return _Slots(boxes, server[owner], job_type[owner], slot)


def _shares(
    servers: PaintedServers, inner: Boxes, slots: Integers, jobs: Integers, unit: npt.NDArray[np.float64], chosen: Mask
) -> tuple[Boxes, Indices, Boxes]:
    """Stacked shares of servers that are too small for slots, and what is empty of them."""
    inner, slots, jobs = inner[chosen], slots[chosen], jobs[chosen]
    types = slots.shape[1]
    parts = np.column_stack([jobs, np.maximum(0, slots - jobs)]) * np.tile(servers.weight, 2)
    height = inner[:, 3] - inner[:, 1]
    ends = _rounded(np.cumsum(parts, axis=1) * unit[chosen][:, None])
    ends = np.minimum(ends, height[:, None])
    server, job_type = np.nonzero(np.diff(ends[:, :types], axis=1, prepend=0))
    boxes = inner[server].copy()
    boxes[:, 1] = inner[server, 3] - ends[server, job_type]
    below = np.where(job_type > 0, ends[server, job_type - 1], 0)
    boxes[:, 3] = inner[server, 3] - below
    empty = inner.copy()
    if types:
        empty[:, 1] = inner[:, 3] - ends[:, -1]
        empty[:, 3] = inner[:, 3] - ends[:, types - 1]
    return boxes, job_type, empty[empty[:, 3] > empty[:, 1]]
