"""The servers of moldable jobs: what the step names, and what the mouse points at."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, QRectF
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from slotscope.gui.intents import Select
from slotscope.gui.kinds.moldable import servers
from slotscope.gui.kinds.moldable.servers import MoldableServersPanel
from slotscope.gui.kinds.moldable.servers_content import pieces_of
from slotscope.gui.kinds.moldable.servers_legend import listed_widths
from slotscope.gui.kinds.moldable.servers_marks import MoldableMark, marks
from slotscope.gui.kinds.moldable.servers_words import job_lines, job_name, server_words
from slotscope.model.api import Session
from slotscope.model.kinds.moldable.rows import FLAG_ADMITTED, FLAG_BLOCKED, FLAG_DEPARTED
from slotscope.model.reporting.frame import Frame
from tests.gui.painted import area, has, pixels, scene_in
from tests.kinds.moldable.gui.servers_views import LIGHT, Made, run, server_rect, share_of, shown, split


def stepped(session: Session, flag: int) -> Frame:
    """Step to the next event with a flag."""
    while True:
        session.step()
        if int(session.frame().rows[-1]["flags"]) & flag:
            return session.frame()


def around(rect: QRectF) -> QRectF:
    return rect.adjusted(-2, -2, 2, 2)


# What the step names.


def test_a_job_that_comes_is_outlined(qtbot: QtBot) -> None:
    frame = stepped(run(events=60), FLAG_ADMITTED)
    row = frame.rows[-1]
    assert marks(frame) == (MoldableMark("job", int(row["job"]), 0),)
    panel = shown(qtbot, frame)
    strip = scene_in(panel).job_strips(int(row["server"]))[0][0]
    edge = QRectF(strip.rect.left() - 1, strip.rect.center().y(), 4, 20)
    assert has(area(pixels(panel), edge), LIGHT.run)
    panel.set_frame(replace(frame, running=True))
    assert not has(area(pixels(panel), edge), LIGHT.run)


def test_a_blocked_arrival_flashes_and_is_said(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "FLASH", 60_000)
    frame = stepped(run(events=20), FLAG_BLOCKED)
    assert marks(frame) == (MoldableMark("blocked", int(frame.rows[-1]["job"]), 0),)
    panel = shown(qtbot, frame)
    flash = pixels(panel)
    assert has(flash, LIGHT.rejection)
    panel.view._flash.setInterval(1)
    qtbot.waitUntil(lambda: not panel.view._flash.isActive())
    calm = pixels(panel)
    assert has(calm, LIGHT.rejection)
    stage = scene_in(panel).stage
    assert (area(flash, stage) != area(calm, stage)).mean() > 0.5
    panel.set_frame(replace(frame, running=True))
    running = pixels(panel)
    assert not has(area(running, stage), LIGHT.rejection)
    state = frame.state
    for record in np.flatnonzero(state.job_number >= 0).tolist():
        for strip in (strip for strips in scene_in(panel).job_strips(record) for strip in strips):
            inside = strip.rect.adjusted(4, 4, -4, -4)
            assert (area(calm, inside) == area(running, inside)).all()  # nothing covers the text on a job
    panel.set_frame(frame)
    assert panel.view._flash.isActive()
    panel.set_frame(frame)  # the same moment again, as when bounds arrive
    panel.view._flash.stop()
    panel.set_frame(frame)
    assert not panel.view._flash.isActive()


def test_only_the_pools_of_a_blocked_job_are_framed(qtbot: QtBot) -> None:
    frame = stepped(run("moldable-classes", 300, servers=60), FLAG_BLOCKED)
    panel = shown(qtbot, frame)
    panel.view._flash.stop()
    scene, picture = scene_in(panel), pixels(panel)
    job_class = int(frame.rows[-1]["type"])
    for number, section in enumerate(scene.sections):
        rect = scene.section_rect(number)
        edge = QRectF(rect.left() - 2, rect.center().y() - 3, 4, 6)
        assert has(area(picture, edge), LIGHT.rejection) == (section.pool == job_class)


def test_a_job_that_has_left_leaves_a_faint_outline(qtbot: QtBot) -> None:
    session = run(events=60)
    while True:
        before = session.frame()
        session.step()
        frame = session.frame()
        if int(frame.rows[-1]["flags"]) & FLAG_DEPARTED:
            break
    row = frame.rows[-1]
    where = ((int(row["server"]), int(row["width"])),)
    assert marks(frame) == marks(frame, before) == (MoldableMark("ghost", int(row["job"]), 0, where),)
    panel = shown(qtbot, frame)
    ghost = pixels(panel)
    panel.set_frame(replace(frame, running=True))
    plain = pixels(panel)
    strip = scene_in(panel).strips(*where[0])[0]
    assert (area(ghost, strip.rect) != area(plain, strip.rect)).mean() > 0.005
    inside = strip.rect.adjusted(6, 6, -server_rect(scene_in(panel), 0).width() - 6, -6)
    if inside.width() > 0:
        assert share_of(area(ghost, inside), LIGHT.panel) > 0.9


def test_the_ghost_of_a_job_in_pieces_is_in_all_of_them_or_nowhere() -> None:
    made, record = split()
    whole = replace(made.frame(1.0), event=30)
    pieces = tuple(pieces_of(made.state, record))
    row = np.zeros(1, whole.rows.dtype)
    row["flags"], row["job"], row["server"], row["width"] = FLAG_DEPARTED, 20, record, 5
    then = replace(whole, state=type(made.state)(*(field.copy() for field in made.state)))
    made.leave(record)
    gone = replace(whole, state=made.state, event=31, rows=row, running=False)
    assert marks(gone, then) == (MoldableMark("ghost", 20, 0, pieces),)
    assert marks(gone) == (MoldableMark("ghost", 20, 0, ()),)
    assert marks(gone, gone, marks(gone, then)) == (MoldableMark("ghost", 20, 0, pieces),)


def test_every_sub_step_of_an_event_has_its_marks(qtbot: QtBot) -> None:
    session = run("moldable-classes", 400, servers=60)
    panel = shown(qtbot, session.frame())
    seen = set()
    for _ in range(120):
        session.step_into()
        frame = session.frame()
        panel.set_frame(frame)
        panel.grab()
        found = panel.view._marks
        assert len(found) == 1
        if frame.records:
            assert frame.event_in_the_making is not None
            assert found[0].job == frame.event_in_the_making.job
            kind = frame.records[-1].kind
            wanted = {"allocate": "job", "reject": "blocked", "departure": "ghost"}
            assert found[0].kind == wanted.get(kind, "pools")
            seen.add(kind)
    assert {"arrival", "request", "allocate", "reject", "departure"} <= seen


def test_all_pieces_of_a_job_are_outlined_and_joined(qtbot: QtBot) -> None:
    made, record = split()
    panel = shown(qtbot, made.frame(5.0))
    plain = pixels(panel)
    panel.set_selection(Select(job=20))
    picture, scene = pixels(panel), scene_in(panel)
    for strips in scene.job_strips(record):
        for strip in strips:
            assert has(area(picture, around(strip.rect)), LIGHT.focus)
    changed = picture != plain
    for strips in scene.job_strips(record):
        for strip in strips:
            area(changed, around(strip.rect))[:] = False
    assert changed.any(), "lines from piece to piece"
    rects = [server_rect(scene, server) for server in range(20)]
    assert not any(area(changed, rect.adjusted(3, 3, -3, -3)).any() for rect in rects), "names of others are crossed"


# Pointing.


def asked(panel: MoldableServersPanel, point: QPointF) -> str:
    """The text of the tooltip at a point."""
    at = point.toPoint()
    event = QHelpEvent(QEvent.Type.ToolTip, at, panel.view.mapToGlobal(at))
    QApplication.sendEvent(panel.view, event)
    words = QToolTip.text()
    QToolTip.hideText()
    return words


def test_hover_tells_all_numbers(qtbot: QtBot) -> None:
    made = Made()
    record = made.job(2, asked=3)
    frame = made.frame(2.0)
    panel = shown(qtbot, frame)
    scene = scene_in(panel)
    assert asked(panel, server_rect(scene, 1).center()) == "\n".join(job_lines(frame, record))
    free = server_words(frame, 5, scene.sections[0])
    assert asked(panel, server_rect(scene, 5).center()) == free
    session = run(events=30)
    panel.set_frame(session.frame())
    sentence = session.frame().info.narrator.row(session.frame().rows[-1])
    assert asked(panel, QPointF(60, 10)).lower() == sentence.lower()


def test_the_job_under_the_mouse_is_outlined(qtbot: QtBot) -> None:
    made, record = split()
    frame = replace(made.frame(5.0), running=False, event=0)
    panel = shown(qtbot, frame)
    plain = pixels(panel)
    scene = scene_in(panel)
    qtbot.mouseMove(panel.view, server_rect(scene, 10).center().toPoint())
    qtbot.waitUntil(lambda: panel.view.hovered() == record)
    picture = pixels(panel)
    for server in (4, 10, 16):
        edge = around(server_rect(scene, server))
        assert share_of(area(picture, edge), LIGHT.muted) > share_of(area(plain, edge), LIGHT.muted)
    QApplication.sendEvent(panel.view, QEvent(QEvent.Type.Leave))
    assert panel.view.hovered() is None
    assert (pixels(panel) == plain).all()


def test_scripted_jobs_have_their_names(qtbot: QtBot) -> None:
    workload = {"kind": "scripted", "load": "0.8", "arrivals": [{"time": 0, "size": 3, "requested": 2, "job": "first"}]}
    session = run(events=1, workload=workload)
    info = session.frame().info
    assert job_name(info, 0) == "job first"
    panel = shown(qtbot, session.frame())
    words = asked(panel, server_rect(scene_in(panel), 0).center())
    assert words.startswith("job first\nasked for 2 servers, got them all\ninherent size 3 minutes")


def test_of_many_widths_those_that_are_asked_for_are_listed() -> None:
    classes = [{"speedup": {"law": "power", "exponent": "0.5", "degree": 40}}]
    info = run(servers=400, classes=classes).frame().info
    assert listed_widths(info) == [i for i, _ in info.facts.distributions[0]]
    assert len(listed_widths(info)) <= 2


# Zooming.
