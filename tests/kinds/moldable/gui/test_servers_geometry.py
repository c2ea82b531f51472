"""Positions and contents of servers of moldable jobs."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from slotscope.gui.kinds.moldable.servers_content import (
    PoolSection,
    content_of,
    pieces_of,
    record_of,
    sections_of,
    shares,
    strips_of,
)
from slotscope.gui.kinds.moldable.servers_layout import LEAST_HEIGHT, LEAST_WIDTH, MoldableLayout, fitting_servers
from tests.kinds.moldable.gui.servers_views import Made, filled, records_of, split, wishes


@st.composite
def layouts(draw: st.DrawFn) -> MoldableLayout:
    counts = draw(st.lists(st.integers(1, 3000), min_size=1, max_size=4))
    if draw(st.integers(0, 4)) == 0:
        counts[0] *= 200
    wish = wishes(tuple(counts), draw(st.sampled_from([1, 2])))
    fit = fitting_servers(wish, draw(st.integers(64, 2000)), draw(st.integers(64, 1200)))
    return fit.zoomed(draw(st.floats(1, fit.most_zoom)))


# Layout.


@given(layouts())
def test_the_parts_of_a_cell_fit_into_it(layout: MoldableLayout) -> None:
    cell, scale = layout.cell, layout.wishes.scale
    assert 0 < cell.block <= cell.width
    assert 0 < cell.tall <= cell.height
    assert 2 * cell.border < min(cell.block, cell.tall)
    if cell.fills:
        assert cell.tall >= LEAST_HEIGHT * scale
        assert cell.block >= LEAST_WIDTH * scale
    if cell.numbered:
        assert cell.tall + layout.wishes.line < cell.height
    if cell.written:
        assert cell.fills
        assert cell.block >= layout.wishes.digit
        assert not cell.textured


def test_what_is_shown_depends_on_the_room() -> None:
    few = fitting_servers(wishes((20,)), 760, 330)
    assert few.cell.numbered
    assert few.cell.written
    assert (few.grids[0].columns, few.grids[0].rows) == (10, 2)
    hundreds = fitting_servers(wishes((300,)), 760, 330)
    assert hundreds.cell.written
    assert not hundreds.cell.numbered
    thousand = fitting_servers(wishes((1000,)), 760, 330)
    assert thousand.cell.textured
    thousands = fitting_servers(wishes((4000,)), 760, 330)
    assert thousands.cell.fills
    assert not thousands.cell.textured
    many = fitting_servers(wishes((10_000,)), 760, 330)
    assert not many.cell.fills
    assert many.grids[0].per == 1
    most = fitting_servers(wishes((1_000_000,)), 760, 330)
    assert (most.cell.width, most.cell.height) == (1, 1)
    assert most.grids[0].per > 1
    close = most.zoomed(most.most_zoom)
    assert close.grids[0].per == 1
    assert close.cell.written
    assert close.cell.numbered


# Contents of the servers.


def test_sections_are_the_pools_and_then_what_belongs_to_none() -> None:
    assert sections_of(Made().facts, 20) == (PoolSection(0, 0, 20),)
    facts = Made("moldable-classes").facts
    found = sections_of(facts, 3000)
    assert [section.pool for section in found] == [0, 1, 2, -1]
    assert found[0].first == 0
    assert found[-1].end == 3000
    assert all(before.end == after.first for before, after in pairwise(found))
    for section in found:
        assert facts.pool_of(section.first) == section.pool
        assert facts.pool_of(section.end - 1) == section.pool
    common = Made("moldable-classes", parameters={"rest": "common"}, policy="greedy-p").facts
    assert [section.pool for section in sections_of(common, 3000)] == [0, 1, 2, 3]


def test_a_job_fills_all_its_servers_alike_and_with_time() -> None:
    made, record = split()
    content = content_of(made.state, 2.5, PoolSection(0, 0, 20), np.arange(20))
    mine = np.flatnonzero(content.record == record)
    assert mine.tolist() == [4, 5, 10, 15, 16]
    assert content.width[mine].tolist() == [5] * 5
    assert content.share.tolist() == [0.25] * 20
    assert content.left[mine].tolist() == [False, True, False, False, True]
    assert content.right[mine].tolist() == [True, False, False, True, False]
    assert not content.partial.any()
    at = [float(shares(made.state, np.array([record]), time)[0]) for time in (-1, 0, 5, 10, 12)]
    assert at == [0.0, 0.0, 0.5, 1.0, 1.0]
    made.state.job_departure[record] = made.state.job_arrival[record]
    assert float(shares(made.state, np.array([record]), 0.0)[0]) == 1.0


def test_pieces_are_all_servers_of_a_job() -> None:
    made, record = split()
    assert sorted(pieces_of(made.state, record)) == [(4, 2), (10, 1), (15, 2)]
    for seed in range(4):
        state = filled(Made("moldable-classes", 200), seed).state
        for job in records_of(state):
            servers = [server for start, length in pieces_of(state, job) for server in range(start, start + length)]
            assert sorted(servers) == np.flatnonzero(state.server_job == job).tolist()
            assert record_of(state, int(state.job_number[job])) == job
    assert record_of(made.state, 999_999) is None


@given(st.integers(1, 30), st.integers(0, 5))
def test_strips_cover_every_server_with_a_job_once(columns: int, seed: int) -> None:
    state = _FILLED[seed].state
    servers = len(state.server_job)
    content = content_of(state, 1.0, PoolSection(0, 0, servers), np.arange(servers))
    strips = strips_of(content, np.arange(servers), columns)
    covered = np.concatenate(
        [np.arange(start, start + length) for start, length in zip(strips.start, strips.length, strict=True)]
    )
    assert covered.tolist() == np.flatnonzero(state.server_job >= 0).tolist()
    for start, length, record in zip(strips.start, strips.length, strips.record, strict=True):
        assert (state.server_job[start : start + length] == record).all()
        assert start // columns == (start + length - 1) // columns


_FILLED = [filled(Made(servers=60), seed) for seed in range(6)]
