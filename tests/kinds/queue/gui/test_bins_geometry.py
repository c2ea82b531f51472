"""The bins without pixels: their contents, heights and positions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotscope.gui.kinds.queue.bins_content import (
    BinJobs,
    blocks_of,
    levels_of,
    records_by_server,
    served_share,
    slot_heights,
    slots_of,
)
from slotscope.gui.kinds.queue.bins_layout import FLOOR as FLOOR_HEIGHT
from slotscope.gui.kinds.queue.bins_layout import LEAST_HEIGHT, LEAST_WIDTH, BinLayout, fitting_bins
from slotscope.gui.kinds.queue.bins_layout import LID as LID_HEIGHT
from slotscope.gui.kinds.queue.bins_raster import (
    FLOOR,
    FREE,
    LID,
    OUTSIDE,
    RESERVED,
    bar_rows,
    bin_palette,
    bin_rows,
    heat_rows,
)
from slotscope.gui.painting.textures import pixels_of_looks
from slotscope.model.kinds.queue.facts import records_on
from slotscope.model.kinds.queue.state import NOW
from slotscope.model.reporting.frame import Frame
from tests.kinds.queue.gui.bins_views import LIGHT, run, wishes, with_stalled

RUNS = [
    ("queues-classroom", "vqs-bf"),
    ("queues-classroom", "vqs"),
    ("queues-pools", "vqs"),
    ("queues-two-resources", "bf-js"),
    ("queues-bf-unstable", "max-weight"),
    ("queues-wide-jobs", "fifo-slots"),
]


def blocks_in(frame: Frame, servers: np.ndarray | None = None) -> BinJobs:
    numbers = frame.info.numbers
    chosen = np.arange(numbers.servers) if servers is None else servers
    return blocks_of(frame.state, numbers, frame.info.facts, chosen)


# Contents of the bins.


@pytest.mark.parametrize(("name", "policy"), RUNS)
def test_every_job_stands_once_and_in_order_of_placement(name: str, policy: str) -> None:
    session = run(name, 50, policy)
    for _ in range(8):
        session.run(events=40)
        frame = session.frame()
        numbers = frame.info.numbers
        order = np.random.default_rng(frame.event).permutation(numbers.servers)
        for servers in (np.arange(numbers.servers), order, order[: numbers.servers // 2]):
            records, place = records_by_server(frame.state, servers)
            expected = [(s, r) for s, server in enumerate(servers.tolist()) for r in records_on(frame.state, server)]
            assert list(zip(place.tolist(), records.tolist(), strict=True)) == expected


@pytest.mark.parametrize(("name", "policy"), RUNS)
def test_jobs_are_stacked_without_gaps_and_never_above_the_capacity(name: str, policy: str) -> None:
    session = run(name, 50, policy)
    for _ in range(8):
        session.run(events=40)
        frame = session.frame()
        blocks, capacity = blocks_in(frame), frame.info.numbers.capacity
        assert (blocks.top <= capacity).all()
        assert (blocks.size <= blocks.room).all()
        for server in range(len(capacity)):
            mine = list(blocks.of(server))
            below = np.zeros_like(capacity[server])
            for block in mine:
                inside = blocks.queue[block] == blocks.owner[server]
                if not inside and (below < blocks.reserve[server]).any():
                    below = blocks.reserve[server]
                assert (blocks.low[block] == below).all()
                below = blocks.low[block] + blocks.room[block]
            assert (blocks.top[server] == np.maximum(below, blocks.reserve[server])).all()
            rooms = blocks.room[mine].sum(axis=0)
            assert (rooms == frame.state.used[server]).all()


@pytest.mark.parametrize("name", ["queues-classroom", "queues-pools"])
def test_vqs_reserves_two_thirds_of_a_server_for_its_first_odd_queue(name: str) -> None:
    session = run(name, 100, "vqs")
    seen = set()
    for _ in range(80):
        session.run(events=5)
        frame = session.frame()
        facts, numbers, state = frame.info.facts, frame.info.numbers, frame.state
        blocks = blocks_in(frame)
        for server, active in enumerate(state.active.tolist()):
            capacity = int(numbers.capacity[server, 0])
            halvings = (int(numbers.largest[0]) // capacity).bit_length() - 1
            first = 2 * halvings + 1  # VQ_1 of a server of this size
            reserves = active >= 0 and bool(facts.configurations[active, first])
            assert blocks.owner[server] == (first if reserves else -1)
            assert 3 * int(blocks.reserve[server, 0]) == (2 * capacity if reserves else 0)
            own = [block for block in blocks.of(server) if blocks.queue[block] == first]
            if reserves:
                assert [int(blocks.low[block, 0]) for block in own] == [0] * len(own)
                assert int(blocks.kept[server, 0]) == sum(int(blocks.room[b, 0]) for b in own)
            seen.add((reserves, bool(own)))
    assert (True, True) in seen
    assert ((True, False) in seen) == (name == "queues-pools")


def test_only_vqs_reserves() -> None:
    for policy in ("vqs-bf", "max-weight", "bf-js"):
        blocks = blocks_in(run("queues-classroom", 300, policy).frame())
        assert not blocks.reserve.any()
        assert (blocks.owner == -1).all()


def test_the_served_share_is_that_of_the_service() -> None:
    frame = run("queues-classroom", 300).frame()
    state = frame.state
    records, _ = records_by_server(state, np.arange(frame.info.numbers.servers))
    assert len(records)
    for record, share in zip(records.tolist(), served_share(state, records), strict=True):
        service, departure = float(state.job_service[record]), float(state.job_departure[record])
        had = state.clock[NOW] - (departure - service)
        assert 0 <= had <= service
        assert share == pytest.approx(had / service)
    endless = state._replace(
        job_service=np.full_like(state.job_service, np.inf), job_departure=np.full_like(state.job_departure, np.inf)
    )
    assert np.isnan(served_share(endless, records)).all()


@pytest.mark.parametrize("policy", ["vqs", "max-weight"])
def test_the_slots_of_a_configuration_are_its_jobs_rounded_up_and_fit(policy: str) -> None:
    frame = run("queues-classroom", 200, policy).frame()
    facts, numbers = frame.info.facts, frame.info.numbers
    heights = slot_heights(numbers, facts)
    assert heights is not None
    for queue, height in enumerate(heights[:, 0].tolist()):
        ends = facts.intervals[queue][1:] if facts.intervals else numbers.values[queue]
        assert (height,) == ends
    for number, configuration in enumerate(facts.configurations):
        state = frame.state._replace(active=np.full_like(frame.state.active, number))
        slots = slots_of(state, facts, heights, np.arange(numbers.servers), 1000)
        for server in range(numbers.servers):
            mine = slots.place == server
            counts = np.bincount(slots.queue[mine], minlength=len(configuration))
            assert (counts == configuration).all()
            assert (slots.low[mine][1:] == slots.high[mine][:-1]).all()
            assert (slots.high[mine] <= numbers.largest).all()


def test_without_configurations_there_are_no_slots() -> None:
    frame = run("queues-classroom", 10, "bf-js").frame()
    assert slot_heights(frame.info.numbers, frame.info.facts) is None


# Positions of the bins.


@st.composite
def layouts(draw: st.DrawFn) -> BinLayout:
    wish = wishes(
        draw(st.integers(1, 3000)),
        draw(st.integers(1, 3)),
        draw(st.booleans()),
        draw(st.sampled_from([1, 2])),
        draw(st.booleans()),
    )
    fit = fitting_bins(wish, draw(st.integers(48, 2000)), draw(st.integers(48, 1200)))
    return fit.zoomed(draw(st.floats(1, fit.most_zoom))).seen_from(
        draw(st.integers(0, 3000)), draw(st.integers(0, 3000))
    )


@given(layouts())
def test_the_parts_of_a_cell_fit_into_it(layout: BinLayout) -> None:
    cell = layout.cell
    used = layout.wishes.resources * cell.pair - cell.between
    if layout.shows_jobs:
        assert cell.left + used <= cell.width
        scale = layout.wishes.scale
        assert cell.head + cell.tall + FLOOR_HEIGHT * scale + cell.label + cell.gap <= cell.height
        assert cell.head >= LID_HEIGHT * scale
        assert cell.bin >= LEAST_WIDTH * scale
        assert cell.tall >= LEAST_HEIGHT * scale
    assert 0 <= cell.labels <= len(layout.wishes.labels)
    assert (cell.bar > 0) <= layout.wishes.bars


@given(layouts(), st.integers(0, 2999))
def test_a_server_is_found_where_it_stands(layout: BinLayout, number: int) -> None:
    server = number % layout.wishes.servers
    counts, shares = zip(*layout.wishes.pools, strict=True)
    share = float(np.repeat(shares, counts)[server])
    x, y, wide, high = layout.box(server, share)
    found = layout.at(x + wide // 2, y + high // 2)
    if layout.shows_jobs:
        assert found == (0, server)
    for resource in range(layout.wishes.resources if layout.shows_jobs else 0):
        left = layout.corner(0, server)[0] + layout.cell.bin_left(resource)
        assert layout.at(left, y) == (0, server)
        assert layout.resource_at(server, left) == resource


def test_what_is_shown_depends_on_the_room() -> None:
    assert fitting_bins(wishes(1, bars=True), 900, 500).cell.labels == 3
    assert fitting_bins(wishes(5, bars=True), 900, 500).cell.bar > 20
    assert fitting_bins(wishes(1000), 900, 500).shows_jobs
    many = fitting_bins(wishes(10_000), 900, 500)
    assert not many.shows_jobs
    close = many.zoomed(many.most_zoom)
    assert close.shows_jobs
    assert close.cell.labels == 3
    assert 400 < close.cell.height <= 500


def test_rows_of_smaller_servers_are_lower_and_leave_their_room_to_the_others() -> None:
    alike = fitting_bins(wishes(24), 900, 500)
    mixed = fitting_bins(wishes(24, pooled=True), 900, 500)
    heights = np.diff(mixed.grids[0].edges)
    assert mixed.grids[0].columns == alike.grids[0].columns
    assert heights[0] > np.diff(alike.grids[0].edges)[0]
    assert heights[0] - heights[-1] == pytest.approx(0.75 * mixed.cell.tall, abs=1)
    assert 480 < mixed.content[1] <= 500


# Pixels of rows.


@pytest.mark.parametrize(("name", "policy"), RUNS)
def test_heights_are_to_scale(name: str, policy: str) -> None:
    frame = run(name, 300, policy).frame()
    numbers = frame.info.numbers
    blocks = blocks_in(frame)
    tall = 400
    levels = levels_of(blocks, numbers.capacity, numbers.largest, tall)
    share = blocks.room / numbers.largest
    assert np.abs((levels.high - levels.low) - share * tall).max() <= 1
    assert np.abs((levels.middle - levels.low) - blocks.size / numbers.largest * tall).max() <= 1
    assert np.abs(levels.capacity - numbers.capacity / numbers.largest * tall).max() <= 1
    for server in range(numbers.servers):
        for block in blocks.of(server):
            for resource in range(numbers.resources):
                low, high = int(levels.low[block, resource]), int(levels.high[block, resource])
                if high > low:
                    assert levels.block_at(blocks, server, resource, low) == block
                    assert levels.block_at(blocks, server, resource, high - 1) == block


def test_each_row_of_a_bin_has_the_look_of_what_is_there() -> None:
    frame = with_stalled()
    numbers, state = frame.info.numbers, frame.state
    blocks = blocks_in(frame)
    cell = fitting_bins(wishes(1), 300, 500).cell
    levels = levels_of(blocks, numbers.capacity, numbers.largest, cell.tall)
    style = blocks.queue.astype(np.int64)
    looks = bin_rows(levels, blocks.place, style, state.stalled != 0, cell, 1)
    assert looks.shape == (12, 1, 2 + cell.tall + 3)
    for server in range(12):
        rows = looks[server, 0].tolist()
        assert rows[:2] == [FLOOR, FLOOR]
        assert set(rows[-3:]) == {LID if state.stalled[server] else OUTSIDE}
        rows = rows[2:-3]
        kept, reserve, top = (int(edge[server, 0]) for edge in (levels.kept, levels.reserve, levels.top))
        assert set(rows[kept:reserve]) <= {RESERVED}
        assert set(rows[top:]) <= {FREE}
        for block in blocks.of(server):
            low, high = int(levels.low[block, 0]), int(levels.high[block, 0])
            inside = {(look - 5) // 3 for look in rows[low : high - 1]}
            assert inside == {int(style[block])}
            assert rows[high - 1] == FREE  # the line to the next job


def test_the_rows_of_bars_show_each_slot() -> None:
    frame = run("queues-classroom", 300).frame()
    facts, numbers = frame.info.facts, frame.info.numbers
    heights = slot_heights(numbers, facts)
    assert heights is not None
    cell = fitting_bins(wishes(3, bars=True), 900, 500).cell
    for number in range(len(facts.configurations)):
        state = frame.state._replace(active=np.full_like(frame.state.active, number))
        slots = slots_of(state, facts, heights, np.arange(3), cell.tall)
        rows = bar_rows(slots, numbers.largest, 3, cell, 1)[0, 0]
        drawn = (rows[1:] > 0) & (rows[:-1] == 0)
        assert drawn.sum() == facts.configurations[number].sum()
        assert (np.unique(rows[rows > 0] - 1) // 2).max() == slots.queue.max()


def test_small_bins_tell_their_use_by_darkness() -> None:
    cell = fitting_bins(wishes(10_000), 900, 500).cell
    share = np.array([[0.0], [0.3], [1.0], [1.0]])
    stalled = np.array([False, False, False, True])
    full = np.array([[1.0], [1.0], [0.5], [1.0]])
    rows = heat_rows(share, full, stalled, cell)[:, 0]
    assert (rows[0, :1] < rows[1, :1]).all()
    assert (rows[1, :1] < rows[2, :1]).all()
    assert rows[2, -1] == OUTSIDE
    assert rows[2, 0] > 1
    assert rows[3, -1] == 1
    palette = bin_palette(LIGHT, 1, (None,), cell.bin, 0, 1)
    pixels = pixels_of_looks(heat_rows(share, full, stalled, cell), palette.heat, stalled)
    brightness = [int((pixels[server, 0, -1, 0] >> 8) & 0xFF) for server in range(4)]
    assert brightness[0] > brightness[1] > brightness[2]
    assert brightness[3] > brightness[2]
