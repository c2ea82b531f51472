"""Positions and contents of servers with phases, and the pixels of their rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotscope.gui.kinds.phases.servers_layout import LEAST_HEIGHT, LEAST_WIDTH, PhaseLayout, cell_of, fitting_servers
from slotscope.gui.kinds.phases.servers_raster import (
    FLOOR,
    FREE,
    PER_PHASE,
    PHASES,
    RIM,
    Amounts,
    PhaseRaster,
    blocks_of,
    column_rows,
    rimmed,
    server_palette,
    sprites,
)
from slotscope.gui.kinds.phases.servers_sections import (
    Gatherer,
    PhaseContent,
    ServerPlace,
    content_of,
    last_used,
    place_of,
    records_on,
    rounded_up,
)
from slotscope.gui.pictures.cells import distinct
from slotscope.model.kinds.phases.state import FIRST_BACKUP
from tests.gui.painted import pixels_of
from tests.kinds.phases.gui.servers_views import LIGHT, Made, filled, records_of, run, wishes


@st.composite
def layouts(draw: st.DrawFn) -> PhaseLayout:
    counts = draw(st.lists(st.integers(1, 1500), min_size=1, max_size=4))
    top = draw(st.sampled_from([1.08, 1.25, 2.5]))
    wish = wishes(tuple(counts), draw(st.integers(1, 3)), draw(st.booleans()), draw(st.sampled_from([1, 2])), top)
    fit = fitting_servers(wish, draw(st.integers(64, 2000)), draw(st.integers(64, 1200)))
    return fit.zoomed(draw(st.floats(1, fit.most_zoom)))


# Layout.


@given(layouts())
def test_the_parts_of_a_cell_fit_into_it(layout: PhaseLayout) -> None:
    for grid in layout.grids:
        cell = grid.cell
        assert cell.head >= cell.token >= 0
        assert 0 < cell.rim <= cell.tall
        assert cell.left + cell.bins(layout.wishes.resources) + cell.gap <= cell.width
        assert cell.head + cell.tall + cell.floor + cell.gap <= cell.height
        if cell.shows_jobs:
            assert cell.bin >= LEAST_WIDTH * layout.wishes.scale
            assert cell.tall >= LEAST_HEIGHT * layout.wishes.scale
            assert cell.real > cell.virtual


@pytest.mark.parametrize("height", [1, 2, 3, 4, 5])
def test_the_capacity_of_the_lowest_bin_is_above_its_floor(height: int) -> None:
    cell = cell_of(wishes((9,), top=2.5), 40, height)
    assert 0 < cell.rim <= cell.tall


def test_what_is_shown_depends_on_the_room() -> None:
    few = fitting_servers(wishes((3, 4)), 900, 500)
    assert few.grids[0].cell.labels == 3
    assert few.grids[1].cell.labels <= 1
    assert few.grids[1].cell.width == pytest.approx(few.grids[0].cell.width / 2, abs=1)
    many = fitting_servers(wishes((3000, 300)), 900, 500)
    assert many.grids[0].cell.shows_jobs
    assert many.grids[0].cell.labels == 0
    most = fitting_servers(wishes((60_000, 300)), 900, 500)
    assert not most.grids[0].cell.shows_jobs
    close = most.zoomed(most.most_zoom)
    assert close.grids[0].cell.shows_jobs
    assert close.grids[0].cell.labels == 3


def test_backup_servers_stand_beside_where_that_makes_all_larger() -> None:
    wide = fitting_servers(wishes((3, 4)), 1000, 350)
    assert wide.beside
    assert wide.grids[1].left > wide.grids[0].size[0]
    assert wide.grids[0].top == wide.grids[1].top
    x, y, width, _ = wide.caption(0)
    assert x + width < wide.caption(1)[0]
    assert y == wide.caption(1)[1]
    assert wide.at(*wide.corner(1, 3)) == (1, 3)
    x, y = wide.corner(1, 3)
    close = wide.zoomed(4.0)
    moved = replace(close, offset=close.around(wide, x, y))
    assert moved.corner(1, 3) == (pytest.approx(x, abs=1), pytest.approx(y, abs=1))
    tall = fitting_servers(wishes((3, 4)), 420, 700)
    assert not tall.beside
    assert tall.grids[1].top > tall.grids[0].size[1]
    assert not fitting_servers(wishes((40,)), 1000, 350).beside


# Contents of the servers.


def test_sections_are_the_pools_and_then_the_backup_servers() -> None:
    made = filled(Made("jrs-fixed-sizes"))
    facts = made.frame().info.facts
    sections = Gatherer(facts).sections(made.state)
    assert [section.pool for section in sections] == [0, 1, 2, -1]
    assert [section.backup for section in sections] == [False] * 3 + [True]
    for pool, section in enumerate(sections[:3]):
        assert len(section) == facts.plan.pools[pool].servers
        assert section.place(0) == ServerPlace(facts.first_server(pool))
        assert (facts.pool_of[section.server] == pool).all()
    for section in sections:
        for index in range(len(section)):
            assert section.index(section.place(index)) == index
    assert sections[0].index(ServerPlace(facts.first_server(1))) is None
    assert sections[0].index(ServerPlace(FIRST_BACKUP, 0)) is None


def test_every_job_is_on_its_server() -> None:
    session = run("jrs-fixed-sizes", 800)
    frame = session.frame()
    state, facts = frame.state, frame.info.facts
    sections = Gatherer(facts).sections(state)
    counted = 0
    for section in sections:
        content = content_of(state, section, np.arange(len(section)))
        for index in range(len(section)):
            place = section.place(index)
            for virtual, counts in ((False, content.real), (True, content.virtual)):
                records = records_on(state, place, virtual)
                phases = np.bincount(state.job_phase[records], minlength=3).tolist()
                assert phases == counts[index].tolist()
                assert all(place_of(state, record) == place for record in records)
                numbers = state.job_number[records].tolist()
                assert numbers == sorted(numbers)
                counted += len(records)
    assert counted == len(records_of(state))


def test_room_for_servers_without_number_changes_seldom() -> None:
    assert [rounded_up(count) for count in (1, 7, 9, 17, 80, 81)] == [1, 7, 10, 20, 80, 96]
    assert last_used(np.array([0, 2, 0, 1, 0])) == 4
    made = Made(policy="first-fit")
    gatherer = Gatherer(made.frame().info.facts)
    seen = [len(gatherer.sections(made.real(server, 0).state)[0]) for server in (0, 10, 20, 21, 15, 3)]
    assert seen == [4, 12, 24, 24, 24, 24]
    state = made.state._replace(jobs_on=np.zeros_like(made.state.jobs_on))
    assert len(gatherer.sections(state)[0]) == 4


def test_there_is_no_room_for_more_servers_than_an_earlier_state_knows() -> None:
    made = Made(policy="first-fit")
    gatherer = Gatherer(made.frame().info.facts)
    late = made.real(13, 0).state
    assert len(gatherer.sections(late)[0]) == 14
    early = late._replace(
        **{name: value[:8] for name, value in late._asdict().items() if len(value) == len(late.jobs_on)}
    )._replace(jobs_on=np.array([1, 1, 1, 1, 0, 0, 0, 0], np.int32))
    section = gatherer.sections(early)[0]
    assert len(section) == 8
    assert content_of(early, section, np.arange(len(section))).real.shape[0] == 8


# Pixels.


def test_each_row_of_a_column_has_the_look_of_what_is_there() -> None:
    cell = fitting_servers(wishes((1,)), 300, 500).grids[0].cell
    demand, capacity = np.array([[1], [3]]), np.array([10])
    amounts = Amounts(demand, capacity * cell.top)
    counts = np.array([[0, 0], [4, 1], [1, 4]], np.int32)
    blocks = blocks_of(counts, amounts, cell.tall)
    looks = column_rows(blocks, 0, cell, cell.real, 1)
    assert looks.shape == (3, cell.floor + cell.tall)
    assert set(looks[:, 0].tolist()) == {FLOOR}
    looks = looks[:, cell.floor :]
    assert set(looks[0].tolist()) == {FREE}
    for place in range(3):
        for block in blocks.of(place):
            low, high = int(blocks.low[block, 0]), int(blocks.high[block, 0])
            inside = {(look - PHASES) // PER_PHASE for look in looks[place, low : high - 1]}
            assert inside == {int(blocks.phase[block])}
    rows = column_rows(blocks, 0, cell, cell.real, 1)
    rows = rimmed(rows, cell, 2, 1)
    assert (rows[:, cell.floor + cell.rim] == RIM).all()
    above = rows[2, cell.floor + cell.rim + 2 :].tolist()
    assert {(look - PHASES) % PER_PHASE for look in above if look >= PHASES} <= {2, 3}
    assert any(look >= PHASES for look in above)  # 13 units in use of 10
    assert not any(look >= PHASES for look in rows[1, cell.floor + cell.rim :])


ROWS = [
    st.lists(st.lists(st.integers(0, most), min_size=6, max_size=6), min_size=1, max_size=30) for most in (1, 3, 2**40)
]


@given(st.one_of(ROWS))
def test_equal_rows_are_found_whatever_their_numbers(rows: list[list[int]]) -> None:
    array = np.array([*rows, rows[0], rows[-1]], np.int64)
    first, like = distinct(array)
    assert (array[first[like]] == array).all()
    known = [tuple(row) for row in array.tolist()]
    assert sorted(first.tolist()) == sorted({known.index(row) for row in known})


@pytest.mark.parametrize("changes", [1, 6, 40])
def test_only_what_changed_is_drawn_and_nothing_stale_is_left(changes: int) -> None:
    random = np.random.default_rng(changes)
    layout = fitting_servers(wishes((40, 4)), 700, 500)
    cell = layout.grids[0].cell
    amounts = Amounts(np.array([[1], [3]]), np.array([10]) * cell.top)
    palette = server_palette(LIGHT, 2, cell.real, cell.virtual, 1)
    counts = random.integers(0, 3, (4, 40, 2)).astype(np.int32)
    counts[3] = random.random((40, 2)) < 0.2

    def content() -> PhaseContent:
        real, virtual, _, tokens = counts.copy()
        return PhaseContent(real, virtual, tokens, counts[2, :, 0] > 0, tokens.any(axis=1))

    kept = PhaseRaster()
    for _ in range(5):
        kept.draw(layout, 0, content(), amounts, np.array([10]), palette)
        fresh = PhaseRaster()
        fresh.draw(layout, 0, content(), amounts, np.array([10]), palette)
        assert (pixels_of(kept.image) == pixels_of(fresh.image)).all()
        chosen = random.choice(40, changes, replace=False)
        counts[:2, chosen] = random.integers(0, 4, (2, changes, 2))
        counts[3, chosen] = random.random((changes, 2)) < 0.2


def test_a_sprite_is_in_each_cell() -> None:
    layout = fitting_servers(wishes((7, 4)), 300, 400)
    cell = layout.grids[0].cell
    amounts = Amounts(np.array([[1], [3]]), np.array([10]) * cell.top)
    palette = server_palette(LIGHT, 2, cell.real, cell.virtual, 1)
    counts = np.array([[place, 1] for place in range(7)], np.int32)
    none = np.zeros_like(counts)
    content = PhaseContent(counts, none, none, np.zeros(7, bool), np.zeros(7, bool))
    raster = PhaseRaster()
    raster.draw(layout, 0, content, amounts, np.array([10]), palette)
    picture = pixels_of(raster.image)
    expected = sprites(content, amounts, cell, palette, 1)
    for index in range(7):
        row, column = divmod(index, layout.grids[0].columns)
        y, x = row * cell.height + cell.head, column * cell.width + cell.left
        _, high, wide = expected.shape
        assert (picture[y : y + high, x : x + wide] == expected[index]).all()
