"""The rectangles that make up pictures of servers with slots, computed for all servers at once."""

from __future__ import annotations

from typing import NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

#: In lines of a texture, the minimum sizes for: a slot in full height (ROW), a slot shown on its own (PITCH), a
#: textured
#: filling (TEXTURED), a server's frame (FRAME_FROM), and a thick frame.
ROW, PITCH, TEXTURED, FRAME_FROM, THICK_FRAME_FROM = 8, 4, 6, 6, 24

Integers = npt.NDArray[np.int64]
Boxes = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.intp]

#: Added to a box (left, top, right, bottom), moves its edges inwards by one.
_INWARDS = np.array([1, 1, -1, -1])


class GridServers(NamedTuple):
    """S servers with J job types."""

    #: slots, jobs: [S, J] slots per type, and how many of them are filled
    slots: Integers
    jobs: Integers
    group: Integers  #: [S] 0: Accept Group, 1: Reject Group, 2: neither
    #: [J], positive: a slot's height as a share of the server's; slots that exceed a server in sum are scaled to fit
    weight: npt.NDArray[np.float64]

    def chosen(self, index: Indices) -> GridServers:
        """The servers at some indices."""
        return GridServers(self.slots[index], self.jobs[index], self.group[index], self.weight)

    @property
    def codes(self) -> Integers:
        """[S, 2 J + 1] everything that distinguishes two servers' pictures of the same size."""
        return np.column_stack([self.slots, self.jobs, self.group]).astype(np.int64)


class Shapes(NamedTuple):
    """Rectangles as int64[N, 4] (left, top, right, bottom), in the order of drawing."""

    #: outer, outer_group: servers with a frame, and their groups
    outer: Boxes
    outer_group: Integers
    inner: Boxes  #: the area cleared inside the frames
    #: filled, filled_type: filled slots, or filled shares, and their job types
    filled: Boxes
    filled_type: Indices
    #: vacant, vacant_type, vacant_group: empty slots
    vacant: Boxes
    vacant_type: Indices
    vacant_group: Integers
    share: Boxes  #: the empty share of servers that are too small for slots
    mark: Boxes  #: an edge that marks tiny servers of the Reject Group


def shapes(servers: GridServers, size: tuple[int, int], pitch: int, scale: int = 1) -> Shapes:
    """The rectangles of servers of *size* (width, height), one below the other at a distance of *pitch* pixels.

    *scale* is the width of a texture's line in device pixels.
    """
    outer = np.zeros((len(servers.group), 4), np.int64)
    outer[:, 1] = pitch * np.arange(len(outer))
    outer[:, 2:] = outer[:, :2] + size
    edge = _edge(size, scale)
    cleared = outer + edge * _INWARDS
    inside = _inside(servers, outer, scale)
    inner, single = inside.inner, inside.single
    seen = _slots(inner[single], servers.slots[single], inside.bands[single], scale)
    is_job = seen.slot < servers.jobs[single][seen.server, seen.job_type]
    shares, share_type, empty = _shares(servers, inside)
    mark = outer[servers.group == 1] if edge == 0 else outer[:0]
    return Shapes(
        outer=outer if edge else outer[:0],
        outer_group=servers.group if edge else servers.group[:0],
        inner=cleared,
        filled=np.concatenate([seen.boxes[is_job], shares]),
        filled_type=np.concatenate([seen.job_type[is_job], share_type]),
        vacant=seen.boxes[~is_job],
        vacant_type=seen.job_type[~is_job],
        vacant_group=servers.group[single][seen.server[~is_job]],
        share=empty,
        mark=np.column_stack([mark[:, :2], mark[:, 0] + 1, mark[:, 3]]),
    )


def slot_at(server: GridServers, size: tuple[int, int], x: int, y: int, scale: int = 1) -> tuple[int, int] | None:
    """Job type and slot at a pixel of one server's picture, gaps included; None if no slot is shown there."""
    inside = _inside(server, np.array([[0, 0, *size]]), scale)
    if not inside.single[0]:
        return None
    seen = _slots(inside.inner, server.slots, inside.bands, scale)
    left, top, right, bottom = (seen.boxes + scale * np.array([0, -1, 1, 0])).T
    found = np.flatnonzero((left <= x) & (x < right) & (top <= y) & (y < bottom))
    return (int(seen.job_type[found[0]]), int(seen.slot[found[0]])) if len(found) else None


class _Inside(NamedTuple):
    """The areas inside the frames of servers."""

    inner: Boxes
    unit: npt.NDArray[np.float64]  #: [S] pixels per unit of weight
    bands: Boxes  #: [S, J] upper end of each type's slots, in pixels from below
    single: Mask  #: [S] whether single slots fit; otherwise only shares are shown


def _inside(servers: GridServers, outer: Boxes, scale: int) -> _Inside:
    edge = _edge((outer[:1, 2:] - outer[:1, :2]).ravel(), scale)
    inner = outer + (edge + scale if edge > scale else edge) * _INWARDS
    ends = np.cumsum(servers.slots * servers.weight, axis=1)
    unit = (inner[:, 3] - inner[:, 1]) / np.maximum(ends[:, -1:].max(axis=1, initial=0.0), 1.0)
    bands = _rounded(ends * unit[:, None])
    return _Inside(inner, unit, bands, _shows_slots(servers.slots, bands, inner, scale))


def _edge(size: Sequence[int] | Boxes, scale: int) -> int:
    """Thickness of the frame of a server of this size, in pixels."""
    small = min(size, default=0)
    return 2 * scale if small >= THICK_FRAME_FROM * scale else scale if small >= FRAME_FROM * scale else 0


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
    """The boxes of all single slots, for servers that show them."""
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


def _shares(servers: GridServers, inside: _Inside) -> tuple[Boxes, Indices, Boxes]:
    """The boxes of stacked shares, their job types, and the empty shares, for servers too small for slots."""
    small = ~inside.single
    inner, slots, jobs = inside.inner[small], servers.slots[small], servers.jobs[small]
    types = slots.shape[1]
    parts = np.column_stack([jobs, np.maximum(0, slots - jobs)]) * np.tile(servers.weight, 2)
    height = inner[:, 3] - inner[:, 1]
    ends = _rounded(np.cumsum(parts, axis=1) * inside.unit[small][:, None])
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
