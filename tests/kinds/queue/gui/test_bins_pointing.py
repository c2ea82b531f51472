"""The panel of servers as bins: what the step names, and what the mouse points at."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from slotscope.gui.kinds.queue.bins import BinMark, marks
from slotscope.gui.kinds.queue.bins_words import block_words, server_words, size_on_block
from slotscope.model.reporting.frame import Frame
from slotscope.model.reporting.records import Evict, Place, Record, Renew, Stall
from tests.gui.painted import area, has, pixels, scene_in
from tests.kinds.queue.gui.bins_views import LIGHT, block_rects, run, shown, until_placed, with_stalled


def only(frame: Frame, *records: Record) -> Frame:
    """The frame in the middle of an event, after only these sub-steps."""
    return replace(frame, records=records, last_records=(), running=False)


# What the step names.


def test_marks_name_what_the_records_name() -> None:
    frame = run("queues-classroom", 100).frame()
    place = Place(job=7, server=2)
    renew, stall = Renew(server=1, configuration=0), Stall(server=0)
    looked = Record("scan", None, {"server": 2, "job": 9, "size": 3})
    assert marks(only(frame, place)) == (BinMark("run", job=7), BinMark("run", server=2))
    assert marks(only(frame, renew)) == (BinMark("migration", server=1),)
    assert marks(only(frame, stall)) == (BinMark("rejection", server=0),)
    assert marks(only(frame, Stall(server=0, stalled=False))) == (BinMark("run", server=0),)
    assert marks(only(frame, Evict(job=3, server=1))) == (BinMark("rejection", server=1),)
    assert marks(only(frame, looked)) == (BinMark("run", server=2), BinMark("run", job=9))
    assert marks(only(frame, place, looked)) == (BinMark("run", server=2), BinMark("run", job=9))
    whole = replace(frame, records=(), last_records=(looked, place, renew), running=False)
    assert marks(whole) == (BinMark("run", job=7), BinMark("migration", server=1))
    assert marks(replace(whole, running=True)) == ()


def test_a_job_that_was_just_placed_is_outlined_while_stepping(qtbot: QtBot) -> None:
    frame = until_placed(run("queues-classroom", 100))
    jobs = [record.job for record in frame.last_records if isinstance(record, Place)]
    panel = shown(qtbot, frame)
    stepping, scene = pixels(panel), scene_in(panel)
    panel.set_frame(replace(frame, running=True))
    running = pixels(panel)
    placed = scene.blocks_with(set(jobs))
    assert placed
    for block, rect in enumerate(block_rects(scene)):
        edge = QRectF(rect.left() + 20, rect.top(), 30, 3)
        assert has(area(stepping, edge), LIGHT.run) == (block in placed)
        assert not has(area(running, edge), LIGHT.run)


def test_the_server_that_is_looked_at_is_outlined(qtbot: QtBot) -> None:
    frame = run("queues-classroom", 100).frame()
    panel = shown(qtbot, replace(frame, running=True))
    plain = pixels(panel)
    panel.set_frame(only(frame, Record("scan", None, {"server": 1})))
    changed = np.argwhere(plain != pixels(panel))
    rect = scene_in(panel).server_rect(1)
    below = changed[changed[:, 0] > scene_in(panel).stage.top()]
    assert len(below)
    assert below[:, 1].min() >= rect.left() - 6
    assert below[:, 1].max() <= rect.right() + 6


# Pointing.


def test_hover_tells_of_the_job_and_of_the_server(qtbot: QtBot) -> None:
    frame = run("queues-classroom", 200, "vqs").frame()
    panel = shown(qtbot, frame)
    scene = scene_in(panel)
    assert scene.blocks is not None
    point = block_rects(scene)[0].center().toPoint()
    event = QHelpEvent(QEvent.Type.ToolTip, point, panel.view.mapToGlobal(point))
    QApplication.sendEvent(panel.view, event)
    words = QToolTip.text()
    QToolTip.hideText()
    assert words == block_words(frame, int(scene.blocks.record[0]))
    for part in ("job ", "size ", "VQ", "served", "on server"):
        assert part in words
    corner = QPointF(scene.layout.corner(0, 0)[0] + 12, scene.stage.bottom() - 4)
    words = panel.view.words_at(corner)
    assert words == server_words(frame, 0)
    active = int(frame.state.active[0])
    weight = int(frame.derived.weights[active])
    name = frame.info.facts.configuration_names[active]
    assert f"active configuration {name}, ⟨k, Q⟩ = {weight}" in words
    assert "in use of 1" in words


def test_hover_tells_what_is_reserved_and_what_is_stalled() -> None:
    frame = with_stalled()
    facts, state = frame.info.facts, frame.state
    for server, active in enumerate(state.active.tolist()):
        words = server_words(frame, server)
        assert ("2/3 reserved for VQ₁" in words) == bool(facts.configurations[active, 1])
        assert ("takes no job until it is empty" in words) == bool(state.stalled[server])


def test_long_lists_of_jobs_are_cut() -> None:
    frame = run("queues-small-jobs", 400).frame()
    server = int(frame.state.jobs_on.argmax())
    words = server_words(frame, server)
    assert f"and {int(frame.state.jobs_on[server]) - 8} more" in words
    assert len(words.splitlines()) == 11


def test_sizes_are_in_the_unit_of_the_scenario() -> None:
    frame = run("queues-bf-unstable", 300).frame()
    numbers = frame.info.numbers
    assert {size_on_block(numbers, value[0], 0) for value in numbers.values} == {"2", "5"}
    share = run("queues-small-jobs", 10).frame().info.numbers
    unit = int(share.largest[0])
    assert size_on_block(share, unit * 343 // 1000, 0) == "0.343"
    assert size_on_block(share, unit * 343 // 1000, 0, 2) == "0.34"
    assert size_on_block(share, unit * 5 // 100, 0) == "0.05"
