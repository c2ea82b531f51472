"""Every picture of servers places them correctly at any size and zoom."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.contract.servers import PICTURES, WISHES, Layout, ServersPicture, pairs
from tests.kinds.moldable.gui import servers_views as moldable
from tests.kinds.phases.gui import servers_views as phases

NAMES = [*PICTURES]
every = pytest.mark.parametrize("name", NAMES)


def drawn(data: st.DataObject, name: str, least: int = 64) -> Layout:
    """A random layout, zoomed and scrolled."""
    picture, room = PICTURES[name], (data.draw(st.integers(least, 2000)), data.draw(st.integers(least, 1200)))
    fit = picture.fitting(data.draw(WISHES[name]), *room)
    zoomed = fit.zoomed(data.draw(st.floats(1, fit.most_zoom)))
    return zoomed.seen_from(data.draw(st.integers(0, 3000)), data.draw(st.integers(0, 3000)))


def height_of(grid: Any, index: int) -> int:
    """The height of the row that contains a server."""
    row = index // grid.columns
    return int(grid.row_top(row + 1) - grid.row_top(row))


@every
@given(data=st.data())
def test_a_server_is_found_where_it_stands(name: str, data: st.DataObject) -> None:
    layout = drawn(data, name)
    for section, index in pairs(layout):
        grid, (x, y) = layout.grids[section], layout.corner(section, index)
        for at in ((x, y), (x + grid.cell.width - 1, y + height_of(grid, index) - 1)):
            found = layout.at(*at)
            assert found is not None
            assert found[0] == section
            assert 0 <= index - found[1] < grid.per
        left, top = layout.corners(section, np.array([index]))
        assert (left.tolist(), top.tolist()) == ([x], [y])


@every
@given(data=st.data())
def test_there_is_nothing_beside_the_servers(name: str, data: st.DataObject) -> None:
    layout = drawn(data, name)
    (left, top), (wide, high) = layout.origin, layout.content
    for x, y in ((left - 1, top + high // 2), (left + wide, top + high // 2), (left, top - 1), (left, top + high)):
        assert layout.at(x, y) is None


@every
@given(data=st.data())
def test_neighbours_stand_side_by_side_in_the_order_of_their_numbers(name: str, data: st.DataObject) -> None:
    layout = drawn(data, name)
    for section, grid in enumerate(layout.grids):
        left, top = layout.corners(section, np.arange(min(grid.count, 2 * grid.columns)))
        beside = np.diff(top) == 0
        steps = np.diff(left)[beside]
        assert ((steps == grid.cell.width) | ((steps == 0) & (grid.per > 1))).all()
        assert (np.diff(top)[~beside] == height_of(grid, 0)).all()
        assert (left[1:][~beside] == left[0]).all()


@every
@given(data=st.data())
def test_sections_with_their_captions_do_not_overlap(name: str, data: st.DataObject) -> None:
    layout = drawn(data, name)
    high, floor = layout.wishes.caption, layout.wishes.floor
    rooms = [max(grid.size[1], floor) for grid in layout.grids]  # a lower grid is centred in its room
    tops = [grid.top - (room - grid.size[1]) // 2 for grid, room in zip(layout.grids, rooms, strict=True)]
    boxes = [
        (grid.left, top - high, grid.left + grid.size[0], top + room)
        for grid, top, room in zip(layout.grids, tops, rooms, strict=True)
    ]
    for first, second in combinations(boxes, 2):
        assert first[3] <= second[1] or first[2] <= second[0]
    assert min(box[1] for box in boxes) == 0
    assert layout.content[1] == max(box[3] for box in boxes)
    assert layout.content[0] >= max(box[2] for box in boxes)


@every
@given(data=st.data())
def test_a_caption_stands_over_its_servers_and_stays_in_sight_sideways(name: str, data: st.DataObject) -> None:
    layout = drawn(data, name)
    captions = [layout.caption(section) for section in range(len(layout.grids))]
    for section, (x, y, wide, high) in enumerate(captions):
        corner, tall = layout.corner(section, 0), layout.grids[section].size[1]
        if layout.wishes.aside:  # the caption is then beside its servers, at most as high as a line of text
            assert x + wide == corner[0] and abs((2 * y + high) - (2 * corner[1] + min(tall, high))) <= 1
            line, room = layout.wishes.line, max(tall, layout.wishes.floor) + layout.wishes.between
            assert high == min(line, room) or (not high and tall < line and not layout.wishes.named)
            continue
        assert (y + high, high) == (corner[1], layout.wishes.caption)
        assert x == max(0, corner[0])
        assert 0 <= wide <= layout.width or x > layout.width
    for one, other in combinations(captions, 2):
        assert one[1] + one[3] <= other[1] or one[0] + one[2] <= other[0] or not one[3]


@pytest.mark.parametrize("name", ["moldable", "phases"])
@pytest.mark.parametrize(("counts", "height"), [((857, 1586, 556), 180), ((140,) * 11, 170)])
def test_captions_of_many_sections_leave_their_servers_the_height(
    name: str, counts: tuple[int, ...], height: int
) -> None:
    """Captions above the servers would take nearly all the height and leave a pixel or two per server."""
    made = {"moldable": moldable.wishes, "phases": phases.wishes}[name](counts)
    above = PICTURES[name].fitting(made, 800, height)
    beside = PICTURES[name].fitting(replace(made, brief=120), 800, height)
    assert not above.wishes.aside and beside.wishes.aside
    assert beside.content[0] <= 800 and beside.content[1] <= height
    assert beside.cell.height >= 5
    assert beside.wishes.named == (len(counts) * made.line <= height)
    areas = [layout.cell.width * layout.cell.height for layout in (above, beside)]
    assert above.content[1] > height or areas[1] >= 1.5 * areas[0]
    roomy = PICTURES[name].fitting(replace(made, brief=120), 1600, 1400)
    assert not roomy.wishes.aside


@every
@given(data=st.data())
def test_visible_are_the_servers_of_which_something_is_in_view(name: str, data: st.DataObject) -> None:
    layout = drawn(data, name)
    windows = [layout.window(section) for section in range(len(layout.grids))]
    visible = [set(layout.visible(section).tolist()) for section in range(len(layout.grids))]
    for section, index in pairs(layout):
        grid, (x, y) = layout.grids[section], layout.corner(section, index)
        seen = -grid.cell.width < x < layout.width and -height_of(grid, index) < y < layout.height
        (rows, cells), (row, column) = windows[section], divmod(index, grid.columns)
        assert (row in rows and column // grid.per in cells) == seen
        assert (index in visible[section]) == (seen and grid.per == 1)


@every
@given(data=st.data())
def test_without_zoom_all_servers_are_in_view(name: str, data: st.DataObject) -> None:
    picture = PICTURES[name]
    wishes = picture.wishes(data.draw(st.integers(1, picture.most)), 1)
    fit = picture.fitting(wishes, data.draw(st.integers(400, 2000)), data.draw(st.integers(300, 1200)))
    assert fit.content[0] <= fit.width
    assert fit.content[1] <= fit.height
    assert fit.seen_from(50, 50).offset == (0, 0)


@every
@given(data=st.data())
def test_the_view_does_not_leave_the_servers(name: str, data: st.DataObject) -> None:
    layout = drawn(data, name)
    (left, top), (wide, high) = layout.origin, layout.content
    assert left <= 0 or wide < layout.width
    assert top <= 0 or high < layout.height
    assert left + wide >= layout.width or wide < layout.width
    assert top + high >= layout.height or high < layout.height
    if wide < layout.width:
        assert abs(2 * left + wide - layout.width) <= 1


@every
@given(data=st.data(), x=st.floats(0, 1), y=st.floats(0, 1))
def test_zooming_keeps_what_is_under_the_mouse(name: str, data: st.DataObject, x: float, y: float) -> None:
    layout = drawn(data, name)
    at = int(x * (layout.width - 1)), int(y * (layout.height - 1))
    found = layout.at(*at)
    if found is None or layout.grids[0].per > 1:
        return
    closer = replace(layout, offset=(0, 0)).zoomed(2.0)
    moved = replace(closer, offset=closer.around(layout, *at))
    wide, high = moved.content
    if wide < moved.width or high < moved.height:  # content smaller than the view is centred
        return
    section, _ = found
    old, new = (one.grids[section].size for one in (layout, moved))
    before, after = (one.corner(section, 0) for one in (layout, moved))
    for pixel, start, size, there, now in zip(at, before, old, after, new, strict=True):
        assert there + (pixel - start) / size * now == pytest.approx(pixel, abs=1)


@every
def test_the_closest_view_is_of_one_server(name: str) -> None:
    picture: ServersPicture = PICTURES[name]
    for count in (1, 40, 3000):
        fit = picture.fitting(picture.wishes(count, 1), 900, 500)
        close = fit.zoomed(fit.most_zoom)
        assert close.grids[0].per == 1
        assert 0.5 < min(max(grid.cell.width / 900, grid.cell.height / 500) for grid in close.grids) <= 1.01
        assert close.zoomed(1.0).grids[0].columns == fit.grids[0].columns
