"""The panel of servers as bins: what it paints, and what the mouse points at."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF
from pytestqt.qtbot import QtBot

from slotscope.gui.kinds.queue.bins import entries
from slotscope.gui.kinds.queue.bins_raster import heat_color
from slotscope.gui.kinds.queue.bins_text import BinText
from slotscope.gui.kinds.queue.bins_words import server_words
from slotscope.gui.kinds.queue.colours import COLOURS, look_color, size_classes
from slotscope.gui.painting.colour import argb
from slotscope.gui.pictures.marks import placed_reason
from slotscope.gui.theme import load_theme
from slotscope.model.api import Session
from slotscope.model.kinds.queue.programs.partition import Partition
from tests.gui.painted import area, colours_in, has, pixels, scene_in, type_of
from tests.kinds.queue.gui.bins_views import LIGHT, block_rects, filled, run, shown, with_stalled

# Pictures.


@pytest.mark.parametrize("size", [(900, 500), (1300, 800), (420, 340)])
@pytest.mark.parametrize("policy", ["vqs", "vqs-bf", "max-weight", "bf-js", "fifo-ff"])
def test_jobs_have_the_colours_of_their_sizes(qtbot: QtBot, policy: str, size: tuple[int, int]) -> None:
    frame = run("queues-classroom", 300, policy).frame()
    panel = shown(qtbot, frame, size)
    picture, scene = pixels(panel), scene_in(panel)
    assert scene.blocks is not None
    partition = Partition(4)  # the smallest size is 1/10
    look = partition.queue_of(scene.blocks.size[:, 0], int(frame.info.numbers.largest[0]))
    for rect, one in zip(block_rects(scene), look.tolist(), strict=True):
        inside = area(picture, rect.adjusted(3, 3, -3, -3))
        assert has(inside, look_color(LIGHT, one))


@pytest.mark.parametrize("scenario", ["queues-google", "queues-alibaba", "queues-small-jobs"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_sizes_have_colours_of_their_own(scenario: str, theme: str) -> None:
    """There may be more size classes than colours, with jobs of only a few; textures need room to be told apart."""
    info = run(scenario, policy="bf-js").frame().info
    told = [one.look for one in entries(info.numbers, info.facts, jobs=True, stalls=False) if one.mark == "jobs"]
    assert 2 <= len(told) <= COLOURS == len(load_theme(theme).palette)
    assert len({look_color(load_theme(theme), look) for look in told}) == len(told)


def test_before_the_first_slot_all_bins_are_empty(qtbot: QtBot) -> None:
    frame = run("queues-classroom").frame()
    panel = shown(qtbot, frame)
    scene = scene_in(panel)
    assert scene.blocks is not None
    assert not len(scene.blocks.record)
    assert has(pixels(panel), LIGHT.muted)
    words = server_words(frame, 0)
    assert "no active configuration yet" in words
    assert words.endswith("no job")


def test_room_lost_to_rounding_is_hatched(qtbot: QtBot) -> None:
    session = run("queues-classroom", 100, "vqs-bf", parameters={"j": 3})
    panel = shown(qtbot, session.frame())
    seen = 0
    while seen < 3:
        session.run(events=5)
        panel.set_frame(session.frame(running=True))
        scene = scene_in(panel)
        blocks, levels = scene.blocks, scene.levels
        assert blocks is not None and levels is not None
        picture = pixels(panel)
        for block in np.flatnonzero((blocks.room > blocks.size).any(axis=1)).tolist():
            x, y, width, _ = scene.block_box(block, 0)
            high = int(levels.high[block, 0] - levels.middle[block, 0])
            waste = area(picture, scene.rect((x, y + 1, width, high - 2)).adjusted(4, 0, -4, -1))
            color = look_color(LIGHT, int(scene.job_class[block]))
            assert colours_in(waste) == {LIGHT.panel, color}
            assert (waste == argb(LIGHT.panel)).mean() > 0.6
            seen += 1


def test_what_vqs_reserves_is_hatched_where_it_is_empty(qtbot: QtBot) -> None:
    session = run("queues-pools", 200, "vqs")
    panel = shown(qtbot, session.frame(), (1300, 900))
    seen = set()
    for _ in range(12):
        session.run(events=20)
        panel.set_frame(session.frame(running=True))
        scene = scene_in(panel)
        levels = scene.levels
        assert levels is not None
        picture = pixels(panel)
        for place, server in enumerate(scene.servers.tolist()):
            low, high = int(levels.kept[place, 0]), int(levels.reserve[place, 0])
            x = scene.layout.corner(0, server)[0] + scene.layout.cell.bin_left(0)
            box = (x + 4, scene.layout.floor(server) - high, scene.layout.cell.bin - 8, high - low)
            if high - low > 6:
                assert has(area(picture, scene.rect(box)), LIGHT.reserved)
            seen.add(high - low > 6)
    assert seen == {True, False}
    panel.set_frame(run("queues-pools", 400, "vqs-bf").frame(running=True))
    stage = area(pixels(panel), scene_in(panel).stage)
    assert not has(stage, LIGHT.reserved)


def test_stalled_servers_are_dimmed_and_have_a_lid(qtbot: QtBot) -> None:
    frame = replace(with_stalled(), running=True)
    panel = shown(qtbot, frame, (1300, 800))
    picture, scene = pixels(panel), scene_in(panel)
    assert scene.blocks is not None and scene.levels is not None
    for block, rect in enumerate(block_rects(scene)):
        place = int(scene.blocks.place[block])
        stalled = bool(frame.state.stalled[scene.servers[place]])
        inside = area(picture, rect.adjusted(4, 4, -4, -4))
        color = look_color(LIGHT, int(scene.job_class[block]))
        assert has(inside, color) != stalled
    for place, server in enumerate(scene.servers.tolist()):
        x = scene.layout.corner(0, server)[0] + scene.layout.cell.bin_left(0)
        top = scene.layout.floor(server) - int(scene.levels.capacity[place, 0])
        lid = area(picture, scene.rect((x + 4, top - 2, scene.layout.cell.bin - 8, 1)))
        assert has(lid, LIGHT.run) == bool(frame.state.stalled[server])
    stalled = int(np.flatnonzero(frame.state.stalled)[0])
    assert "stalled" in server_words(frame, stalled)


def test_a_gauge_tells_how_much_service_a_job_has_had(qtbot: QtBot) -> None:
    frame = run("queues-wide-jobs", 400, "bf-js").frame(running=True)
    panel = shown(qtbot, frame)
    picture, scene = pixels(panel), scene_in(panel)
    blocks = scene.blocks
    assert blocks is not None
    assert len(set(blocks.served.tolist())) > 3
    for block, rect in enumerate(block_rects(scene)):
        line = picture[round(rect.bottom()) - 2, round(rect.left()) + 3 : round(rect.right()) - 3]
        ends = np.flatnonzero(np.diff(line.astype(np.int64)))
        assert len(ends) <= 1
        if len(ends):
            assert (ends[0] + 1) / len(line) == pytest.approx(blocks.served[block], abs=0.02)
        else:
            assert blocks.served[block] in (pytest.approx(0, abs=0.02), pytest.approx(1, abs=0.02))


def test_smaller_servers_are_lower(qtbot: QtBot) -> None:
    frame = run("queues-pools", 50).frame()
    scene = scene_in(shown(qtbot, frame, (1300, 800)))
    heights = [scene.server_rect(server).height() - 2 for server in (0, 2, 13)]
    assert heights[1] == pytest.approx(heights[0] / 2, abs=1)
    assert heights[2] == pytest.approx(heights[0] / 4, abs=1)


def test_each_resource_has_a_column(qtbot: QtBot) -> None:
    frame = run("queues-two-resources", 500).frame()
    panel = shown(qtbot, frame, (1300, 800))
    scene = scene_in(panel)
    blocks = scene.blocks
    assert blocks is not None
    left, right = block_rects(scene, 0), block_rects(scene, 1)
    largest = frame.info.numbers.largest
    for block in range(len(left)):
        assert left[block].right() < right[block].left()
        for rects, resource in ((left, 0), (right, 1)):
            share = blocks.room[block, resource] / largest[resource]
            assert rects[block].height() == pytest.approx(share * scene.layout.cell.tall, abs=1)
    words = server_words(frame, 0)
    assert "CPU" in words
    assert "memory" in words
    assert any(
        item.mark == "resources" for item in entries(frame.info.numbers, frame.info.facts, jobs=True, stalls=False)
    )


def test_the_active_configuration_stands_beside_the_bin(qtbot: QtBot) -> None:
    session = run("queues-classroom", 200, "vqs")
    panel = shown(qtbot, session.frame())
    for _ in range(10):
        session.run(events=10)
        frame = session.frame(running=True)
        panel.set_frame(frame)
        picture, scene = pixels(panel), scene_in(panel)
        cell = scene.layout.cell
        for server, active in enumerate(frame.state.active.tolist()):
            box = scene.layout.corner(0, server)[0] + cell.left, 40, cell.bar, cell.tall
            bar = colours_in(area(picture, scene.rect(box)))
            for queue, count in enumerate(frame.info.facts.configurations[active].tolist()):
                assert (look_color(LIGHT, queue) in bar) == bool(count)


def test_policies_without_configurations_have_no_bars(qtbot: QtBot) -> None:
    scene = scene_in(shown(qtbot, run("queues-classroom", 50, "bf-js").frame()))
    assert scene.layout.cell.bar == 0
    assert scene.layout.cell.labels == 1


def test_ten_thousand_servers_are_a_raster_of_their_use(qtbot: QtBot) -> None:
    frame = filled(run("queues-wide-jobs", servers=10_000).frame(running=True))
    panel = shown(qtbot, frame)
    scene = scene_in(panel)
    assert scene.blocks is None
    picture = pixels(panel)
    share = frame.state.used[:, 0] / frame.info.numbers.capacity[:, 0]
    for server in (int(share.argmin()), int(share.argmax())):
        point = scene.server_rect(server).center().toPoint()
        pixel = f"#{int(picture[point.y(), point.x()]) & 0xFFFFFF:06x}"
        step = round(float(share[server]) * 31) / 31
        assert pixel == heat_color(LIGHT, step)
        hit = scene.at(QPointF(point))
        assert hit is not None
        assert hit.server == server
    panel.view.zoom(1e9, scene.server_rect(4321).center())
    close = scene_in(panel)
    assert close.blocks is not None
    assert 4321 in close.servers
    assert len(close.servers) < 20


@pytest.mark.parametrize(
    ("scenario", "policy", "event", "size", "frees"),
    [("queues-classroom", "vqs", 27, (663, 366), 2), ("queues-bf-unstable", "bf-js", 370, (663, 180), 0)],
)
def test_the_reason_in_a_server_covers_no_part_of_what_is_written(
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    scenario: str,
    policy: str,
    event: int,
    size: tuple[int, int],
    frees: int,
) -> None:
    said: list[tuple[str, QPointF]] = []
    monkeypatch.setattr(BinText, "_draw", lambda self, at, words, wide, color: said.append((words, at)))
    session = Session.open(scenario, policy, 1, kernel=False)
    session.seek(event)
    with type_of(lecture=True):
        panel = shown(qtbot, session.frame(), size)
        panel.grab()
        scene, text = scene_in(panel), panel.view._text
        plates = [placed_reason(scene.server_rect(one.server), one.reasons, text)[1] for one in scene.frame.passed_over]
        assert plates and sum(words.endswith("free") for words, _ in said) == frees
        for words, at in said:
            box = QRectF(0, 0, text.width(words), 0.7 * text.height)  # the height of digits
            box.moveCenter(at)
            assert not any(box.intersects(plate) for plate in plates), words


def test_smaller_sizes_that_the_last_queue_takes_are_told(qtbot: QtBot) -> None:
    info = run("queues-classroom", 1, "vqs", parameters={"j": 3}).frame().info
    looks = size_classes(info.numbers).looks
    told = {item.words: item.look for item in entries(info.numbers, info.facts, jobs=True, stalls=False)}
    assert (told["VQ₅ (0, 1/6]"], told["VQ₅ (1/12, 1/8]"]) == looks[5:7]
    short = entries(info.numbers, info.facts, jobs=True, stalls=False, intervals=False)
    assert {item.words: item.look for item in short}["VQ₅ ≤ 1/8"] == looks[6]


def test_the_legend_explains_what_is_there(qtbot: QtBot) -> None:
    def kinds(name: str, policy: str, stalls: bool = False, jobs: bool = True) -> list[str]:
        parameters = {"j": 3} if policy.startswith("vqs") else {}
        info = run(name, 1, policy, parameters=parameters).frame().info
        return [item.mark for item in entries(info.numbers, info.facts, jobs, stalls)]

    assert kinds("queues-classroom", "vqs") == [*["jobs"] * 7, "gauge", "slot", "reserved"]
    assert kinds("queues-classroom", "vqs-bf", True) == [*["jobs"] * 7, "gauge", "slot", "lid"]
    assert kinds("queues-wide-jobs", "bf-js") == [*["jobs"] * 7, "gauge"]
    assert kinds("queues-wide-jobs", "bf-js", True, jobs=False) == ["heat", "lid"]


@pytest.mark.parametrize("servers", [700, 703])
def test_small_bins_are_drawn_anew_where_they_changed_and_nothing_stale_is_left(qtbot: QtBot, servers: int) -> None:
    frame = run("queues-wide-jobs", 5, servers=servers).frame()
    panel = shown(qtbot, filled(frame), (300, 220))
    assert scene_in(panel).blocks is None
    for seed in (2, 2, 3):
        now = filled(frame, seed)
        now.state.used[: servers - 3 * seed] = filled(frame).state.used[: servers - 3 * seed]  # only few servers change
        panel.set_frame(now)
        assert (pixels(panel) == pixels(shown(qtbot, now, (300, 220)))).all()
