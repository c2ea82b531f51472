"""The pixels of the cells of servers of moldable jobs."""

from __future__ import annotations

import numpy as np
import pytest

from slotscope.gui.kinds.moldable.servers_content import PoolSection, content_of
from slotscope.gui.kinds.moldable.servers_layout import MoldableLayout, fitting_servers
from slotscope.gui.kinds.moldable.servers_raster import (
    IDLE,
    LEVEL,
    LOOK,
    MEETS,
    OPEN,
    PARTIAL,
    STEPS,
    WIDTHS,
    PoolRaster,
    blended,
    codes_of,
    sprites,
    step_color,
    tone_table,
    tones_of,
)
from slotscope.gui.painting.colour import argb
from tests.gui.painted import pixels_of
from tests.kinds.moldable.gui.servers_views import LIGHT, Made, filled, records_of, wishes


def _codes(layout: MoldableLayout, made: Made, time: float) -> np.ndarray:
    index, columns = np.arange(made.numbers.servers), layout.grids[0].columns
    content = content_of(made.state, time, PoolSection(0, 0, len(index)), index)
    return codes_of(content, layout.cell, False, index % columns == columns - 1)


@pytest.mark.parametrize("scale", [1, 2])
@pytest.mark.parametrize("servers", [12, 60, 1200, 20_000])
def test_only_what_changed_is_drawn_and_nothing_stale_is_left(servers: int, scale: int) -> None:
    made = filled(Made(servers=servers))
    layout = fitting_servers(wishes((servers,), scale), 700 * scale, 300 * scale)
    kept, different = PoolRaster(), set()
    for turn in range(5):
        codes = _codes(layout, made, 1 + 0.1 * turn)
        kept.draw(layout, 0, codes, LIGHT)
        fresh = PoolRaster()
        fresh.draw(layout, 0, codes, LIGHT)
        assert (pixels_of(kept.image) == pixels_of(fresh.image)).all()
        different.add(pixels_of(kept.image).tobytes())
        made.leave(records_of(made.state)[-1])
        made.job(1, came=1.0, lasts=1.0 + turn)
    assert len(different) > 3


def test_a_block_is_filled_up_to_its_level() -> None:
    layout = fitting_servers(wishes((20,)), 760, 330)
    cell = layout.cell
    color, empty = argb(LIGHT.types[1]), None
    for level in (0, 10, cell.tall // 2, cell.tall):
        codes = np.zeros((1, 3), np.int64)
        codes[0, [LOOK, LEVEL]] = 2 + WIDTHS, level
        column = sprites(codes, cell, LIGHT, 1)[0, :, cell.width // 2]
        inside = column[cell.border : cell.tall - cell.border]
        assert (inside == color).sum() == min(max(0, level - cell.border), len(inside))
        if level < cell.tall:
            empty = inside[0]
            assert (inside[: cell.tall - level - cell.border] == empty).all()
    assert empty not in (color, argb(LIGHT.panel), None)


def test_a_job_is_one_block_open_where_it_goes_on_in_the_next_row() -> None:
    made = Made()
    made.job(5)
    layout = fitting_servers(wishes((20,)), 760, 330)
    cell = layout.cell
    codes = _codes(layout, made, 5.0)
    assert codes[:6, MEETS].tolist() == [2, 3, 3, 3, 1, 0]
    joined, opened = codes[1:2].copy(), codes[1:2].copy()
    opened[0, MEETS] |= OPEN
    background = argb(LIGHT.panel)
    row = cell.tall - cell.border - 12  # within the filled part, between the short lines
    for code in (joined, opened):
        line = sprites(code, cell, LIGHT, 1)[0, row]
        assert (line == line[0]).all()
        assert line[0] != background
    ends = sprites(codes[4:5], cell, LIGHT, 1)[0, row]
    assert (ends[-cell.trail :] == background).all()
    low = cell.tall - cell.border - 2
    assert sprites(joined, cell, LIGHT, 1)[0, low, -1] != sprites(opened, cell, LIGHT, 1)[0, low, -1]


def test_a_partial_allocation_has_a_corner_at_its_last_server() -> None:
    made = Made()
    made.job(2, asked=4)
    made.job(2)
    layout = fitting_servers(wishes((20,)), 760, 330)
    codes = _codes(layout, made, 5.0)
    assert ((codes[:, MEETS] & PARTIAL) > 0).tolist() == [False, True] + [False] * 18
    pictures = sprites(codes, layout.cell, LIGHT, 1)
    marked = (pictures == argb(LIGHT.run)).any(axis=(1, 2))
    assert marked.tolist() == [False, True] + [False] * 18


def test_servers_that_share_a_pixel_are_mixed() -> None:
    table = np.array([0xFF000000, 0xFFFF8040, 0xFF102030], np.uint32)
    place = np.array([[0, 1, 1, 1], [2, 2, 2, 2]])
    assert blended(table, place, 2).tolist() == [[0xFF804020, 0xFFFF8040], [0xFF102030] * 2]
    made = Made(servers=8)
    made.job(3)
    made.job(2)
    tones, colors = tones_of(made.state, 5.0), tone_table(made.state, LIGHT)
    mine = [f"#{int(pixel) & 0xFFFFFF:06x}" for pixel in colors[tones]]
    half = STEPS // 2
    assert mine[:5] == [step_color(LIGHT, 3, half)] * 3 + [step_color(LIGHT, 2, half)] * 2
    assert mine[5:] == [mine[7]] * 3
    assert mine[7] not in {step_color(LIGHT, 3, half), LIGHT.panel}
    assert len(colors) > IDLE * STEPS


def test_a_section_that_is_out_of_view_has_no_pixels() -> None:
    layout = fitting_servers(wishes((5_000, 5_000)), 71, 24).zoomed(4.0).seen_from(0, 0)
    assert layout.grids[1].per > 1 and not layout.window(1)[0]
    raster = PoolRaster()
    raster.draw_blended(layout, 1, np.zeros(5_000, np.int64), np.zeros(2, np.uint32))
    assert raster._pixels.shape[0] == 0


@pytest.mark.parametrize("zoom", [1.0, 1.4, 2.0])
def test_pixels_of_several_servers_are_those_servers(zoom: float) -> None:
    servers, tall = 5_000, 20
    fit = fitting_servers(wishes((servers,)), 71, tall)
    layout = fit.zoomed(zoom).seen_from(9, 3)
    grid = layout.grids[0]
    assert grid.per > 1
    table = np.append(np.arange(servers, dtype=np.uint32), np.uint32(0))
    raster = PoolRaster()
    raster.draw_blended(layout, 0, np.arange(servers), table)
    picture, (left, top) = pixels_of(raster.image), raster.origin
    for x, y in ((0, 2), (30, 8), (60, 14)):
        found = layout.at(x, y)
        assert found is not None
        first = found[1]
        last = min(first + grid.per, (first // grid.columns + 1) * grid.columns, servers)
        mine = np.zeros(grid.per, np.int64)
        mine[: last - first] = np.arange(first, last)
        wanted = sum(int((((mine >> shift) & 255).sum() + grid.per // 2) // grid.per) << shift for shift in (0, 8, 16))
        assert int(picture[y - top, x - left]) & 0xFFFFFF == wanted
