"""Servers of the plain grid as pixels: slots and shares, the slot at a point, and changed pixels."""

from __future__ import annotations

import os
import sys

if sys.platform == "linux" and not os.environ.get("DISPLAY"):
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtWidgets import QApplication

from slotscope.gui.kinds.reservation.servers_grid_view import GridLayout, GridRaster, GridWishes, fitting_grid, sprites
from slotscope.gui.kinds.reservation.servers_shapes import FRAME_FROM, PITCH, GridServers, shapes, slot_at
from slotscope.gui.painting.colour import argb
from slotscope.gui.painting.textures import RasterPalette, raster_palette
from tests.gui.painted import pixels_of
from tests.kinds.reservation.gui.servers_views import LIGHT

Size = tuple[int, int]


@pytest.fixture(scope="module", autouse=True)
def application(qapp: QApplication) -> QApplication:
    """Painting pixels needs an application, also where no widget is made."""
    return qapp


def make(
    slots: list[list[int]], jobs: list[list[int]], group: list[int] | None = None, weight: list[float] | None = None
) -> GridServers:
    return GridServers(
        np.array(slots),
        np.array(jobs),
        np.array(group or [0] * len(slots)),
        np.array(weight or [1 / (job_type + 2) for job_type in range(len(slots[0]))]),
    )


@st.composite
def server_sets(draw: st.DrawFn) -> GridServers:
    count, types = draw(st.integers(1, 9)), draw(st.integers(1, 3))
    rows = st.lists(st.integers(0, 9), min_size=types, max_size=types)
    slots = draw(st.lists(rows, min_size=count, max_size=count))
    jobs = [[draw(st.integers(0, n)) for n in row] for row in slots]
    group = draw(st.lists(st.integers(0, 2), min_size=count, max_size=count))
    return make(slots, jobs, group, draw(st.lists(st.floats(0.01, 1), min_size=types, max_size=types)))


SIZES = st.tuples(st.integers(1, 120), st.integers(1, 160))


def palette(servers: GridServers, ratio: float = 1.0) -> RasterPalette:
    return raster_palette(LIGHT, servers.weight.size, ratio)


def drawn(servers: GridServers, size: Size) -> npt.NDArray[np.uint32]:
    return sprites(servers, size, palette(servers))


def middle(box: npt.NDArray[np.int64]) -> tuple[int, int]:
    return int(box[1] + box[3]) // 2, int(box[0] + box[2]) // 2


# -- geometry --------------------------------------------------------------------------------


@given(server_sets(), SIZES, st.sampled_from([1, 2]))
def test_slots_are_disjoint_and_found_at_each_of_their_pixels(servers: GridServers, size: Size, scale: int) -> None:
    one = servers.chosen(np.array([0]))
    parts = shapes(one, size, size[1], scale)
    seen = np.zeros((size[1], size[0]), np.int64)
    slots = np.concatenate([parts.filled, parts.vacant]) if len(parts.vacant) else parts.filled
    for left, top, right, bottom in slots.tolist():
        assert 0 <= left < right <= size[0]
        assert 0 <= top < bottom <= size[1]
        seen[top:bottom, left:right] += 1
    assert seen.max(initial=0) <= 1
    single = len(parts.filled) + len(parts.vacant) == one.slots.sum() and not len(parts.share)
    for boxes, types, filled in ((parts.filled, parts.filled_type, True), (parts.vacant, parts.vacant_type, False)):
        for box, job_type in zip(boxes.tolist(), types.tolist(), strict=True):
            for x, y in ((box[0], box[1]), (box[2] - 1, box[3] - 1), (box[2] - 1, box[1])):
                found = slot_at(one, size, x, y, scale)
                if found is None:
                    assert not len(parts.vacant)  # filled slots are painted as shares
                    continue
                assert found[0] == job_type
                assert (found[1] < one.jobs[0, job_type]) == filled
                assert min(box[2] - box[0], box[3] - box[1]) >= (PITCH - 1) * scale
    if single and len(slots) and slot_at(one, size, int(slots[0, 0]), int(slots[0, 1]), scale) is not None:
        every = {slot_at(one, size, int(box[0]), int(box[1]), scale) for box in slots}
        assert every == {(j, k) for j, count in enumerate(one.slots[0].tolist()) for k in range(count)}


def test_heights_follow_weights() -> None:
    boxes = shapes(make([[2, 2]], [[0, 0]], weight=[0.1, 0.4]), (60, 150), 150).vacant
    heights = boxes[:, 3] - boxes[:, 1] + 1
    assert heights[2] / heights[0] == pytest.approx(4, rel=0.1)


def test_beside_slots_there_is_none() -> None:
    server = make([[1]], [[0]], weight=[0.25])
    assert slot_at(server, (80, 120), 0, 0) is None
    assert slot_at(server, (80, 120), 20, 10) is None
    assert slot_at(server, (80, 120), 20, 110) == (0, 0)


def test_a_grid_uses_the_room() -> None:
    for count in (5, 180, 1000, 10_000):
        layout = fitting_grid(GridWishes((count,), 1000, 1), 1600, 900)
        used = np.prod(layout.cell.server) * count
        assert used > 0.6 * min(1600 * 900, count * 420**2 * 0.6)


# -- pixels ----------------------------------------------------------------------------------


def test_filled_and_empty_slots_have_their_types_colour() -> None:
    servers = make([[2, 1]], [[1, 1]], weight=[0.3, 0.3])
    parts, picture = shapes(servers, (60, 120), 120), drawn(servers, (60, 120))[0]
    assert picture[middle(parts.filled[0])] == argb(LIGHT.types[0])
    assert picture[middle(parts.vacant[0])] == argb(LIGHT.panel)
    row, column = middle(parts.filled[1])
    textured = picture[row : row + 4, column : column + 4]
    assert argb(LIGHT.types[1]) in textured
    assert len(np.unique(textured)) == 2
    left, _, _, bottom = parts.vacant[0].tolist()
    assert picture[bottom - 1, left + 3] == argb(LIGHT.types[0])


def test_the_reject_group_is_framed_and_its_empty_slots_hatched() -> None:
    servers = make([[1], [1], [1]], [[0], [0], [0]], [0, 1, 2], weight=[0.8])
    picture = drawn(servers, (60, 100))
    assert picture[:, 0, 0].tolist() == [argb(LIGHT.empty), argb(LIGHT.reject_group), argb(LIGHT.grid)]
    for server, hatched in ((0, False), (1, True), (2, False)):
        assert (argb(LIGHT.reserved) in picture[server, 30:90, 6:54]) == hatched


def test_tiny_servers_show_shares() -> None:
    servers = make([[10, 10]], [[10, 0]], weight=[0.05, 0.05])
    column = drawn(servers, (8, 42))[0, 1:41, 4]
    assert (column[20:] == argb(LIGHT.types[0])).all()
    assert (column[:20] == argb(LIGHT.empty)).all()
    assert slot_at(servers, (8, 42), 4, 35) is None


def test_the_smallest_servers_still_show_their_group() -> None:
    picture = drawn(make([[1], [1]], [[1], [1]], [1, 0]), (FRAME_FROM - 1, FRAME_FROM - 1))
    assert (picture[:, :, 0] == argb(LIGHT.reject_group)).all(axis=1).tolist() == [True, False]


@given(server_sets(), SIZES, st.sampled_from([1.0, 2.0]))
def test_a_server_looks_the_same_whatever_is_drawn_with_it(servers: GridServers, size: Size, ratio: float) -> None:
    looks = palette(servers, ratio)
    together = sprites(servers, size, looks)
    assert together.shape == (len(servers.group), size[1], size[0])
    for server in range(len(servers.group)):
        np.testing.assert_array_equal(together[server], sprites(servers.chosen(np.array([server])), size, looks)[0])


def test_more_servers_than_a_painter_reaches_are_drawn_all() -> None:
    count = 1500
    picture = drawn(make([[4]] * count, [[n % 5] for n in range(count)]), (20, 40))
    np.testing.assert_array_equal(picture[-5:], picture[:5])


# -- changes -----------------------------------------------------------------------------------


def layout_of(servers: GridServers, size: Size) -> GridLayout:
    return fitting_grid(GridWishes((len(servers.group),), 14, 1), *size)


def show(raster: GridRaster, servers: GridServers, size: Size) -> npt.NDArray[np.uint32]:
    raster.draw(layout_of(servers, size), servers, LIGHT, palette(servers))
    return pixels_of(raster.image)


@given(st.data())
def test_drawing_changes_is_like_drawing_all(data: st.DataObject) -> None:
    size = data.draw(st.tuples(st.integers(12, 220), st.integers(12, 160)))
    servers = data.draw(server_sets())
    raster = GridRaster()
    show(raster, servers, size)
    for _ in range(3):
        kept = np.array(data.draw(st.lists(st.booleans(), min_size=len(servers.group), max_size=len(servers.group))))
        jobs, group = np.where(kept[:, None], servers.jobs, 0), np.where(kept, servers.group, 1)
        servers = servers._replace(jobs=jobs, group=group)
        np.testing.assert_array_equal(show(raster, servers, size), show(GridRaster(), servers, size))


def test_the_callers_arrays_may_change_in_place() -> None:
    servers, raster = make([[4]] * 3, [[0]] * 3), GridRaster()
    before = show(raster, servers, (220, 160))
    servers.jobs[1] = 3
    assert (show(raster, servers, (220, 160)) != before).any()


def test_another_number_of_servers_starts_a_new_picture() -> None:
    raster, few = GridRaster(), make([[4]] * 2, [[4]] * 2)
    show(raster, make([[4]] * 9, [[4]] * 9), (220, 160))
    np.testing.assert_array_equal(show(raster, few, (220, 160)), show(GridRaster(), few, (220, 160)))
