"""The pixels of servers, written for Numba: every server, or only those that changed.

The functions at the top are the geometry of one server.  They run as plain Python for hit
tests; :mod:`gui.kinds.reservation.servers_shapes` does the same for many servers with NumPy, and tests hold
the two to the same pixels.
"""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from slotscope.model.jit import compiled, jitable

ROW = 8
PITCH = 4
TEXTURED = 6
THICK_FRAME_FROM = 24
FRAME_FROM = 6

_twin: list[Callable[..., Any]] = []


def activate() -> None:
    """Compile the kernel, or load it from the cache; from now on rasters draw with it.

    The first time on a machine this takes seconds: call it where that does not hurt.
    """
    if not _twin:
        twin = compiled(draw_servers)
        twin(*_smallest_arguments())
        _twin.append(twin)


def active() -> Callable[..., Any] | None:
    """The compiled kernel, or None as long as :func:`activate` has not been called."""
    return _twin[0] if _twin else None


def _smallest_arguments() -> tuple[Any, ...]:
    def arrays() -> tuple[Any, ...]:
        tables = np.zeros((1, 4), np.int32), np.zeros((1, 1), np.int32), np.zeros((1, 1), np.int32)
        return *tables, np.zeros(1, np.uint8)

    colours = np.zeros(3, np.uint32)
    tiles = np.zeros((3, 4, 4), np.uint32)
    return (
        np.zeros((1, 1), np.uint32),
        *arrays(),
        *arrays(),
        *(np.ones(1), 1.0),
        *(colours, tiles, tiles, colours, np.uint32(0), np.uint32(0)),
        *(1, True, np.zeros(1, np.int32)),
    )


@jitable
def frame_width(width: int, height: int, scale: int) -> int:
    """Thickness of the frame of a server of this size, in device pixels."""
    small = min(width, height)
    if small >= THICK_FRAME_FROM * scale:
        return 2 * scale
    if small >= FRAME_FROM * scale:
        return scale
    return 0


@jitable
def inset(frame: int, scale: int) -> int:
    """From a server's edge to its slots: thick frames keep one line of distance."""
    return frame + scale if frame > scale else frame


@jitable
def unit_height(configuration: Any, weight: Any, capacity: float, height: int) -> float:
    """Pixels per unit of weight: *capacity*, or the slots if they need more, fill *height*."""
    total = 0.0
    for job_type in range(configuration.shape[0]):
        total += configuration[job_type] * weight[job_type]
    return float(height / max(total, capacity))


@jitable
def slot_columns(slots: int, height: int, scale: int) -> int:
    """Number of slots side by side in a band of *height* pixels: as few as can be seen."""
    rows = max(1, min(slots, height // (ROW * scale)))
    return (slots + rows - 1) // rows


@jitable
def has_room(slots: int, width: int, height: int, scale: int) -> bool:
    """Whether each slot of a band of this size can be seen on its own."""
    if slots == 0:
        return True
    if width * height < slots * (PITCH * scale) ** 2:
        return False  # most small servers end here, before the costly divisions
    columns = slot_columns(slots, height, scale)
    rows = (slots + columns - 1) // columns
    return height // rows >= PITCH * scale and width // columns >= PITCH * scale


@jitable
def shows_slots(configuration: Any, weight: Any, capacity: float, width: int, height: int, scale: int) -> bool:
    """Whether a server of this inner size shows single slots, and not only shares."""
    unit = unit_height(configuration, weight, capacity, height)
    before = 0.0
    for job_type in range(configuration.shape[0]):
        after = before + configuration[job_type] * weight[job_type]
        band = int(after * unit + 0.5) - int(before * unit + 0.5)
        if not has_room(configuration[job_type], width, band, scale):
            return False
        before = after
    return True


@jitable
def _flat(pixels: Any, x0: int, y0: int, x1: int, y1: int, colour: Any) -> None:
    # Unsigned indices spare the compiled loop the check for negative ones: three times faster.
    left, right = np.uint64(max(x0, 0)), np.uint64(max(0, min(x1, pixels.shape[1])))
    for y in range(np.uint64(max(y0, 0)), np.uint64(max(0, min(y1, pixels.shape[0])))):
        for x in range(left, right):
            pixels[y, x] = colour


@jitable
def _tiled(pixels: Any, x0: int, y0: int, x1: int, y1: int, tile: Any) -> None:
    mask = np.uint64(tile.shape[0] - 1)
    left, right = np.uint64(max(x0, 0)), np.uint64(max(0, min(x1, pixels.shape[1])))
    for y in range(np.uint64(max(y0, 0)), np.uint64(max(0, min(y1, pixels.shape[0])))):
        for x in range(left, right):
            pixels[y, x] = tile[y & mask, x & mask]


@jitable
def _outline(pixels: Any, x0: int, y0: int, x1: int, y1: int, edge: int, colour: Any) -> None:
    _flat(pixels, x0, y0, x1, y0 + edge, colour)
    _flat(pixels, x0, y1 - edge, x1, y1, colour)
    _flat(pixels, x0, y0 + edge, x0 + edge, y1 - edge, colour)
    _flat(pixels, x1 - edge, y0 + edge, x1, y1 - edge, colour)


@jitable
def _filled(pixels: Any, x0: int, y0: int, x1: int, y1: int, colour: Any, tile: Any, scale: int) -> None:
    if x1 - x0 >= TEXTURED * scale and y1 - y0 >= TEXTURED * scale:
        _tiled(pixels, x0, y0, x1, y1, tile)
    else:
        _flat(pixels, x0, y0, x1, y1, colour)


@jitable
def _draw_band(
    pixels: Any, box: tuple[int, int, int, int], slots: int, jobs: int, colour: Any, tile: Any, vacant: Any, scale: int
) -> None:
    """The slots of one type, in rows from below; the first *jobs* of them are filled."""
    x, top, width, height = box
    columns = slot_columns(slots, height, scale)
    rows = (slots + columns - 1) // columns
    for slot in range(slots):
        row, column = slot // columns, slot % columns
        y0 = top + height - height * (row + 1) // rows + scale
        y1 = top + height - height * row // rows
        x0 = x + width * column // columns
        x1 = x + width * (column + 1) // columns - scale
        if slot < jobs:
            _filled(pixels, x0, y0, x1, y1, colour, tile, scale)
        else:
            _outline(pixels, x0, y0, x1, y1, scale, colour)
            _tiled(pixels, x0 + scale, y0 + scale, x1 - scale, y1 - scale, vacant)


@jitable
def _draw_slots(
    pixels: Any,
    box: tuple[int, int, int, int],
    configuration: Any,
    placement: Any,
    weight: Any,
    unit: float,
    colour: Any,
    tile: Any,
    vacant: Any,
    scale: int,
) -> None:
    x, top, width, height = box
    before = 0.0
    for job_type in range(configuration.shape[0]):
        slots = configuration[job_type]
        after = before + slots * weight[job_type]
        low = int(before * unit + 0.5)
        high = int(after * unit + 0.5)
        before = after
        if slots > 0:
            band = (x, top + height - high, width, high - low)
            jobs = placement[job_type]
            _draw_band(pixels, band, slots, jobs, colour[job_type], tile[job_type], vacant, scale)


@jitable
def _draw_shares(
    pixels: Any,
    box: tuple[int, int, int, int],
    configuration: Any,
    placement: Any,
    weight: Any,
    unit: float,
    colour: Any,
    tile: Any,
    share: Any,
    background: Any,
    scale: int,
) -> None:
    """A stack of what is filled, type by type, and on top of it what is empty."""
    x, top, width, height = box
    bottom = top + height
    before = 0.0
    low = 0
    for job_type in range(configuration.shape[0]):
        before += placement[job_type] * weight[job_type]
        high = min(height, int(before * unit + 0.5))
        if high > low:
            _filled(pixels, x, bottom - high, x + width, bottom - low, colour[job_type], tile[job_type], scale)
        low = max(low, high)
    for job_type in range(configuration.shape[0]):
        before += max(0, configuration[job_type] - placement[job_type]) * weight[job_type]
    high = min(height, int(before * unit + 0.5))
    _flat(pixels, x, bottom - high, x + width, bottom - low, share)
    _flat(pixels, x, top, x + width, bottom - max(low, high), background)


@jitable
def _draw_server(
    pixels: Any,
    rect: Any,
    configuration: Any,
    placement: Any,
    group: int,
    weight: Any,
    capacity: float,
    colour: Any,
    tile: Any,
    vacant: Any,
    frame: Any,
    share: Any,
    background: Any,
    scale: int,
) -> None:
    x, y, width, height = rect[0], rect[1], rect[2], rect[3]
    if width <= 0 or height <= 0:
        return
    edge = frame_width(width, height, scale)
    _outline(pixels, x, y, x + width, y + height, edge, frame[group])
    inner = inset(edge, scale)
    _outline(pixels, x + edge, y + edge, x + width - edge, y + height - edge, inner - edge, background)
    box = (x + inner, y + inner, width - 2 * inner, height - 2 * inner)
    unit = unit_height(configuration, weight, capacity, box[3])
    if shows_slots(configuration, weight, capacity, box[2], box[3], scale):
        _flat(pixels, box[0], box[1], box[0] + box[2], box[1] + box[3], background)
        _draw_slots(pixels, box, configuration, placement, weight, unit, colour, tile, vacant[group], scale)
    else:
        _draw_shares(pixels, box, configuration, placement, weight, unit, colour, tile, share, background, scale)
    if edge == 0 and group == 1:
        _flat(pixels, x, y, x + 1, y + height, frame[group])


@jitable
def _same(first: Any, second: Any) -> bool:
    differences = 0
    for place in range(first.shape[0]):
        differences += first[place] != second[place]
    return differences == 0


@jitable
def _keep(old: Any, new: Any) -> None:
    for place in range(new.shape[0]):
        old[place] = new[place]


def draw_servers(
    pixels: Any,
    rects: Any,
    configuration: Any,
    placement: Any,
    group: Any,
    old_rects: Any,
    old_configuration: Any,
    old_placement: Any,
    old_group: Any,
    weight: Any,
    capacity: float,
    colour: Any,
    tile: Any,
    vacant: Any,
    frame: Any,
    share: Any,
    background: Any,
    scale: int,
    everything: bool,
    changed: Any,
) -> int:
    """Draw each server that differs from its old values, then make those the new ones.

    Returns how many servers were drawn; their indices are written to *changed*.  With
    *everything*, all are drawn.  The place that a server left is cleared before anything
    is drawn, so rectangles may move onto each other's old places, but must not overlap.
    """
    count = 0
    for server in range(rects.shape[0]):
        moved = not _same(rects[server], old_rects[server])
        if not (
            everything
            or moved
            or group[server] != old_group[server]
            or not _same(placement[server], old_placement[server])
            or not _same(configuration[server], old_configuration[server])
        ):
            continue
        changed[count] = server
        count += 1
        if moved and not everything:
            x, y, width, height = old_rects[server]
            _flat(pixels, x, y, x + width, y + height, background)
    for place in range(count):
        server = changed[place]
        _draw_server(
            pixels,
            rects[server],
            configuration[server],
            placement[server],
            group[server],
            weight,
            capacity,
            colour,
            tile,
            vacant,
            frame,
            share,
            background,
            scale,
        )
        _keep(old_rects[server], rects[server])
        _keep(old_configuration[server], configuration[server])
        _keep(old_placement[server], placement[server])
        old_group[server] = group[server]
    return count
