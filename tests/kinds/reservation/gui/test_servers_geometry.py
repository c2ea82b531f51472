"""Positions of servers, slots and captions, and the pixels of stacks."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication

from slotscope.gui.kinds.reservation.servers_columns import assign_places
from slotscope.gui.kinds.reservation.servers_grid_view import GridWishes, fitting_grid
from slotscope.gui.kinds.reservation.servers_legend import StackLegend
from slotscope.gui.kinds.reservation.servers_slots import Strip, slot_boxes, strip_picture
from slotscope.gui.kinds.reservation.servers_stack_layout import (
    LEAST_STRIP,
    Share,
    StackLayout,
    StackScale,
    calm_scale,
    fitting_scale,
    scale_at,
    spans,
    zoomed_scale,
)
from slotscope.gui.kinds.reservation.servers_stack_raster import StackContent, StackRaster
from slotscope.gui.painting.colour import argb
from slotscope.gui.painting.textures import raster_palette
from slotscope.gui.pictures.legend import flow
from slotscope.gui.theme import fonts
from tests.kinds.reservation.gui.servers_views import DARK, LIGHT


@pytest.fixture(scope="module", autouse=True)
def application(qapp: QApplication) -> QApplication:
    """Drawing letters needs an application, also where no widget is made."""
    return qapp


# Geometry.

SHARES = st.lists(
    st.one_of(st.builds(Share, st.sampled_from([1.0, 0.7, 0.45])), st.builds(Share, st.just(0.0), st.integers(5, 40))),
    min_size=1,
    max_size=20,
)


@given(SHARES, st.integers(50, 2000), st.floats(1, 8))
def test_columns_are_disjoint_and_inside(shares: list[Share], room: int, widening: float) -> None:
    columns = spans(shares, room, gap=10, least=20, most=300, widening=widening)
    assert columns[0].left == 0
    for first, second in pairwise(columns):
        assert first.left + first.width == second.left
    for span in columns:
        assert 1 <= span.stack <= span.width
    free = room - sum(item.fixed for item in shares if not item.share)
    parts = sum(item.share for item in shares)
    if widening == 1.0 and free * 0.45 >= 20 * parts:
        assert columns[-1].left + columns[-1].width <= room


@given(st.integers(1, 20_000), st.integers(20, 3000), st.sampled_from([1, 2, 4]))
def test_the_fitting_scale_fits_and_is_the_largest(tallest: int, room: int, line: int) -> None:
    scale = fitting_scale(tallest, room, line)
    assert scale.height(tallest) <= max(room, 1)
    assert scale.is_bar(line) == (scale.unit < LEAST_STRIP * line)
    if not scale.is_bar(line) and scale.strip < 96 * line:
        assert (scale.strip + 1) * tallest > room


@given(st.floats(0.01, 90), st.floats(0.01, 90), st.floats(1.01, 3))
def test_zooming_in_and_out_is_monotone(unit: float, fit: float, factor: float) -> None:
    least = scale_at(min(unit, fit))
    scale = scale_at(max(unit, fit))
    larger = zoomed_scale(scale, factor, least)
    smaller = zoomed_scale(scale, 1 / factor, least)
    assert larger.unit > scale.unit or (scale.strip, scale.group) == (96, 1)
    assert least.unit <= smaller.unit <= scale.unit


def test_the_scale_stays_calm_while_stacks_grow() -> None:
    scale, changes = None, 0
    for tallest in range(10, 180):
        found = calm_scale(scale, fitting_scale(tallest, 600))
        assert found.height(tallest) <= 600
        changes += found != scale
        scale = found
    assert changes < 20


LAYOUTS = st.builds(
    lambda counts, scale, down, across: StackLayout(
        width=600,
        height=400,
        base=395,
        scale=scale,
        columns=spans([Share(1.0)] * len(counts), 600, 8, 20, 200),
        counts=tuple(counts),
        offset=(across, down),
    ),
    st.lists(st.integers(0, 300), min_size=1, max_size=8),
    st.one_of(
        st.builds(StackScale, st.integers(3, 40), st.just(1)),
        st.builds(StackScale, st.integers(2, 8), st.integers(2, 50)),
    ),
    st.integers(0, 500),
    st.integers(0, 50),
)


@given(LAYOUTS)
def test_hit_is_the_inverse_of_layout(layout: StackLayout) -> None:
    for column, count in enumerate(layout.counts):
        for place in {0, count // 3, count // 2, count - 1} if count else ():
            x, y, width, height = layout.box(column, place)
            hit = layout.hit(x + width // 2, y + height // 2)
            if not 0 <= y + height // 2 < layout.height:
                assert hit is not None
                assert hit.place is None
                continue
            assert hit is not None
            assert hit.column == column
            assert hit.place is not None
            assert hit.place // layout.scale.group == place // layout.scale.group


@given(LAYOUTS)
def test_strips_of_a_stack_are_disjoint_and_reach_its_height(layout: StackLayout) -> None:
    for column, count in enumerate(layout.counts):
        boxes = [layout.box(column, i) for i in range(0, count, layout.scale.group)]
        for low, high in pairwise(boxes):
            assert high[1] + high[3] <= low[1]
        if boxes:
            assert boxes[-1][1] == layout.level(count)


@given(
    st.lists(st.integers(0, 14), min_size=1, max_size=6),
    st.integers(20, 400),
    st.integers(3, 96),
    st.booleans(),
    st.sampled_from([1, 2]),
)
def test_slots_are_disjoint_and_inside_their_server(
    slots: list[int], width: int, height: int, several: bool, line: int
) -> None:
    weight = [1.0, 0.3, 0.5, 0.2, 0.9, 0.4][: len(slots)]
    strip = Strip(width, height * line, several, line)
    boxes = slot_boxes(slots, weight, strip)
    taken = np.zeros((strip.height, strip.width), int)
    for box in boxes:
        assert 0 <= box.left <= box.right <= strip.width
        assert 0 <= box.top < box.bottom <= strip.height
        taken[box.top : box.bottom, box.left : box.right] += 1
    assert taken.max(initial=0) <= 1
    if any(box.slot is not None for box in boxes):
        assert len(boxes) == sum(slots)
    else:
        assert [box.job_type for box in boxes] == [j for j, k in enumerate(slots) if k]


CONFIGURATIONS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), unique=True, max_size=6)


@given(st.lists(CONFIGURATIONS, min_size=2, max_size=6))
def test_other_configurations_keep_their_columns(moments: list[list[tuple[int, int]]]) -> None:
    places = assign_places((), moments[0])
    for before, now in pairwise(moments):
        after = assign_places(places, now)
        assert sorted(k for k in after if k is not None) == sorted(now)
        for configuration in set(before) & set(now):
            assert after.index(configuration) == places.index(configuration)
        places = after


@given(
    st.integers(1, 3000),
    st.integers(60, 1500),
    st.integers(60, 1000),
    st.floats(1, 12),
    st.integers(0, 4000),
    st.integers(0, 4000),
)
def test_grid_cells_are_disjoint_and_found_again(
    servers: int, width: int, height: int, zoom: float, x: int, y: int
) -> None:
    layout = fitting_grid(GridWishes((servers,), 14, 1, 30), width, height).zoomed(zoom).seen_from(x, y)
    cell, seen = layout.cell, layout.visible()
    left, top = layout.corners(0, seen)
    for server, x_there, y_there in zip(seen[:50].tolist(), left[:50].tolist(), top[:50].tolist(), strict=True):
        assert layout.at(x_there, y_there) == (0, server)
    assert len({*zip((left // cell.width).tolist(), (top // cell.height).tolist(), strict=True)}) == len(seen)
    assert ((left < width) & (top < height)).all()
    assert cell.server[0] <= cell.width
    assert cell.server[1] + cell.label <= cell.height
    left, top = layout.corners(0, np.arange(servers))
    inside = (left < width) & (top < height) & (left + cell.width > 0) & (top + cell.height > 0)
    assert np.flatnonzero(inside).tolist() == seen.tolist()


@given(st.lists(st.floats(5, 200), min_size=1, max_size=30), st.floats(200, 900))
def test_the_legend_wraps_without_overlap(widths: list[float], room: float) -> None:
    places = flow(widths, room, StackLegend.between)
    for (first, second), width in zip(pairwise(places), widths, strict=False):
        assert first is not None
        assert second is not None
        assert second[0] == first[0] + 1 or second[1] >= first[1] + width
    assert all(p is not None and p[1] + w <= room for p, w in zip(places, widths, strict=True))


# Pixels of stacks.


@given(st.data())
def test_drawing_what_changed_gives_the_same_pixels_as_drawing_all(data: st.DataObject) -> None:
    strip = Strip(60, data.draw(st.sampled_from([3, 5, 20])), False, 1)
    palette = raster_palette(LIGHT, 2)
    slots = (3, 2)
    picture = strip_picture(slots, [0.5, 1.0], strip, LIGHT, palette, QFont())
    scale = StackScale(strip.height, data.draw(st.sampled_from([1, 4])) if strip.height == 3 else 1)
    columns = spans([Share(1.0)] * 2, 160, 20, 20, 80)

    def moment() -> tuple[StackContent, ...]:
        contents = []
        for _ in columns:
            count = data.draw(st.integers(0, 30))
            jobs = np.array(
                [data.draw(st.tuples(*(st.integers(0, k) for k in slots))) for _ in range(count)], np.int32
            ).reshape(-1, 2)
            reserved = np.zeros(count, bool)
            reserved[-1:] = data.draw(st.booleans())
            contents.append(StackContent(picture, jobs, reserved))
        return tuple(contents)

    followed, fresh = StackRaster(), StackRaster()
    for raster in (followed, fresh):
        raster.resize(160, 200, 1, argb(LIGHT.panel))
    for _ in range(3):
        contents = moment()
        counts = tuple(len(content.jobs) for content in contents)
        layout = StackLayout(160, 200, 198, scale, columns, counts, (0, data.draw(st.just(0))))
        followed.draw(layout, contents)
    fresh.draw(layout, contents)
    assert followed.image == fresh.image
    assert followed.draw(layout, contents) == 0


@pytest.mark.parametrize(("width", "larger"), [(60, True), (19, False), (12, False)])
def test_letters_of_a_hall_are_as_large_as_its_text_where_slots_have_room(
    qapp: QApplication, width: int, larger: bool
) -> None:
    """Letters grow in lecture mode where the slot has room; a narrow slot has a small letter, a narrower one none."""
    palette, inked = raster_palette(LIGHT, 2), []
    for lecture in (False, True):
        strip = Strip(width, 40, False, 1)
        vacant = strip_picture((1,), [1.0], strip, LIGHT, palette, fonts(lecture).body).vacant
        inside = vacant[6:-6, 4:-4]
        rows = np.flatnonzero((inside != inside[0, 0]).any(axis=1))
        inked.append(len(rows) and rows[-1] - rows[0])
    assert inked[1] > 1.3 * inked[0] > 0 if larger else inked[0] == inked[1]


def test_filled_slots_look_filled_and_empty_ones_empty() -> None:
    strip = Strip(90, 24, False, 1)
    palette = raster_palette(DARK, 2)
    picture = strip_picture((2, 1), [1.0, 1.0], strip, DARK, palette, QFont())
    jobs = np.array([[0, 0], [1, 0], [2, 1]], float)
    strips = picture.strips(jobs, np.array([False, False, False]))
    assert (strips[0] == picture.vacant).all()
    assert (strips[2] == picture.full).all()
    for box in picture.boxes:
        inside = np.s_[box.top : box.bottom, box.left : box.right]
        expected = picture.full if (box.job_type, box.slot) == (0, 0) else picture.vacant
        assert (strips[1][inside] == expected[inside]).all()
        assert not (picture.full[inside] == picture.vacant[inside]).all()
        assert not (picture.reserved[inside] == picture.vacant[inside]).all()


@given(st.integers(60, 240), st.integers(14, 60), st.integers(1, 12))
def test_all_slots_of_a_type_have_letters_of_one_size_or_none_has(width: int, height: int, slots: int) -> None:
    strip = Strip(width, height, False, 1)
    picture = strip_picture((slots, 1), [1.0, 2.0], strip, LIGHT, raster_palette(LIGHT, 2), QFont())
    sizes: dict[int, set[int]] = {0: set(), 1: set()}
    for box in picture.boxes:
        inside = picture.vacant[box.top + 1 : box.bottom - 1, box.left + 1 : box.right - 1]
        rows = np.flatnonzero((inside != inside[:1, :1]).any(axis=1))
        sizes[box.job_type].add(int(rows[-1] - rows[0] + 1) if len(rows) else 0)
    assert all(len(found) == 1 for found in sizes.values())
