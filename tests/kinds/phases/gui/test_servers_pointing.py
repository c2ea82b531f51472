"""The panel of servers with phases: what the step names, and what the mouse points at."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QRectF, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from slotscope.gui.intents import Select
from slotscope.gui.kinds.phases.servers_marks import PhaseMark, marks
from slotscope.gui.kinds.phases.servers_sections import ServerPlace
from slotscope.gui.kinds.phases.servers_words import job_lines, server_words
from slotscope.model.api import Session
from slotscope.model.kinds.phases.rows import FLAG_MATCHED, FLAG_OVERFLOW, FLAG_REQUESTED, FLAG_VIRTUAL
from slotscope.model.kinds.phases.state import FIRST_BACKUP, NEXT_VIRTUAL
from slotscope.model.kinds.phases.words import why_waiting
from slotscope.model.reporting.frame import Frame
from slotscope.model.reporting.records import Match, Overflow, Record, Request, SetTimer, VirtualArrival
from slotscope.model.reporting.records import Place as Placement
from tests.gui.painted import area, has, pixels, scene_in
from tests.kinds.phases.gui.servers_views import LIGHT, Made, filled, records_of, run, server_rect, shown

L, H = 0, 1


def only(frame: Frame, *records: Record) -> Frame:
    """The frame in the middle of an event, after only these sub-steps."""
    return replace(frame, records=records, last_records=(), running=False)


def stepped(session: Session, flag: int) -> Frame:
    """Step to the next event with a flag."""
    while True:
        session.step()
        if int(session.frame().rows[-1]["flags"]) & flag:
            return session.frame()


# What the step names.


def test_marks_name_what_the_records_name() -> None:
    made = Made().token(3, L).token(4, L)
    frame = made.frame()
    match = Match(job=7, position=0, values={"server": 2})
    request, timer = Request(server=1, jobs=(1, 0)), SetTimer(server=5, rate=0.5)
    assert marks(only(frame, match)) == (PhaseMark("run", ServerPlace(2)), PhaseMark("run", job=7))
    assert marks(only(frame, Placement(job=7, server=2))) == marks(only(frame, match))
    assert marks(only(frame, Overflow(job=8))) == (PhaseMark("rejection", job=8),)
    assert marks(only(frame, request)) == (
        PhaseMark("run", ServerPlace(1)),
        PhaseMark("run", ServerPlace(1), tokens=True),
    )
    assert marks(only(frame, timer)) == (PhaseMark("run", ServerPlace(5), tokens=True),)
    virtual = VirtualArrival(type=L, position=0, values={"server": 3})
    number = int(made.state.number[NEXT_VIRTUAL]) - 1
    assert marks(only(frame, virtual)) == (
        PhaseMark("migration", ServerPlace(3)),
        PhaseMark("migration", job=number, virtual=True),
    )
    missed = Record("missed_request", None, {"server": 6})
    assert marks(only(frame, missed)) == (PhaseMark("rejection", ServerPlace(6)),)
    limit = Record("limit", None, {"pool": 0, "type": L, "count": 2, "limit": 1})
    holders = tuple(PhaseMark("migration", ServerPlace(server), tokens=True) for server in (3, 4))
    assert marks(only(frame, limit)) == holders
    moved = Record("move", None, {"job": 9, "virtual": True, "server": 2, "pool": 0})
    assert marks(only(frame, moved)) == (PhaseMark("run", ServerPlace(2)), PhaseMark("run", job=9, virtual=True))
    beyond = Record("departure", None, {"job": 9, "server": FIRST_BACKUP - 1, "pool": 0})
    assert marks(only(frame, beyond))[0] == PhaseMark("run", ServerPlace(FIRST_BACKUP - 1, 0))
    whole = replace(frame, records=(), last_records=(limit, match), running=False)
    assert marks(whole) == (PhaseMark("run", ServerPlace(2)), PhaseMark("run", job=7))
    assert marks(replace(whole, running=True)) == ()


def test_a_job_that_took_a_token_is_outlined(qtbot: QtBot) -> None:
    frame = stepped(run("jrs-classroom", 50), FLAG_MATCHED)
    row = frame.rows[-1]
    assert PhaseMark("run", job=int(row["job"])) in marks(frame)
    panel = shown(qtbot, frame)
    stepping = pixels(panel)
    panel.set_frame(replace(frame, running=True))
    running, scene = pixels(panel), scene_in(panel)
    record = int(np.flatnonzero(frame.state.job_number == row["job"])[0])
    (rect,) = scene.job_rects(record)
    edge = area(stepping, QRectF(rect.left() + 8, rect.bottom() - 3, 20, 4))
    assert has(edge, LIGHT.run)
    assert not (stepping == running).all()


def test_after_a_run_the_row_of_the_last_event_tells_what_to_mark() -> None:
    session = run("jrs-two-phases", 400)
    seen = set()
    for _ in range(400):
        session.run(events=1)
        frame = replace(session.frame(), last_records=())
        row, found = frame.rows[-1], marks(frame)
        flags, server = int(row["flags"]), int(row["server"])
        if flags & FLAG_OVERFLOW:
            assert PhaseMark("rejection", ServerPlace(server, 0)) in found
            assert PhaseMark("rejection", job=int(row["job"])) in found
        if flags & FLAG_REQUESTED:
            assert PhaseMark("run", ServerPlace(server), tokens=True) in found
        if flags & FLAG_VIRTUAL:
            first = int(row["first_virtual"])
            assert PhaseMark("migration", job=first, virtual=True) in found
        seen.add(flags & (FLAG_OVERFLOW | FLAG_REQUESTED | FLAG_VIRTUAL))
    assert {FLAG_OVERFLOW, FLAG_REQUESTED, FLAG_REQUESTED | FLAG_VIRTUAL} <= seen


def test_every_sub_step_of_an_event_has_its_picture(qtbot: QtBot) -> None:
    session = run("jrs-two-phases", 300)
    panel = shown(qtbot, session.frame())
    pictures, kinds = set(), set()
    for _ in range(60):
        session.step_into()
        frame = session.frame()
        panel.set_frame(frame)
        pictures.add(pixels(panel).tobytes())
        if frame.records:
            kinds.add(frame.records[-1].kind)
            assert scene_in(panel).frame is frame
    assert len(pictures) > 20
    assert len(kinds) >= 3


def test_what_is_selected_anywhere_is_outlined(qtbot: QtBot) -> None:
    frame = filled(Made()).frame()
    panel = shown(qtbot, frame)
    plain = pixels(panel)
    panel.set_selection(Select(server=2))
    assert has(pixels(panel), LIGHT.run)
    panel.set_selection(Select(server=FIRST_BACKUP - 1))
    rect = server_rect(scene_in(panel), ServerPlace(FIRST_BACKUP - 1, 0))
    assert has(area(pixels(panel), rect.adjusted(-7, -7, 7, 7)), LIGHT.run)
    for record in records_of(frame.state):
        if not frame.state.job_virtual[record]:
            panel.set_selection(Select(job=int(frame.state.job_number[record])))
            assert not (pixels(panel) == plain).all()
    panel.set_selection(Select(server=99_999, job=99_999_999))
    assert (pixels(panel) == plain).all()
    panel.set_selection(Select())
    assert (pixels(panel) == plain).all()


# Pointing.


def test_click_selects_and_double_click_opens(qtbot: QtBot) -> None:
    made = Made().real(1, H).virtual(2, H).backup(H)
    panel = shown(qtbot, made.frame())
    scene = scene_in(panel)
    records = {
        (bool(made.state.job_virtual[record]), int(made.state.job_server[record])): record
        for record in records_of(made.state)
    }

    def point(virtual: bool, server: int) -> QPoint:
        return scene.job_rects(records[virtual, server])[0].center().toPoint()

    def click(at: QPoint) -> Select:
        with qtbot.waitSignal(panel.intent) as caught:
            qtbot.mouseClick(panel.view, Qt.MouseButton.LeftButton, pos=at)
        return caught.args[0]

    assert click(point(False, 1)) == Select(server=1, job=0)
    virtual = click(point(True, 2))  # virtual jobs have numbers of their own
    assert (virtual.server, virtual.job, virtual.thing.what) == (2, None, "virtual job")
    assert click(point(False, FIRST_BACKUP)) == Select(server=FIRST_BACKUP, job=1)
    empty = server_rect(scene, ServerPlace(5)).center().toPoint()
    assert click(empty) == Select(server=5)
    with qtbot.waitSignal(panel.intent) as caught:
        qtbot.mouseDClick(panel.view, Qt.MouseButton.LeftButton, pos=empty)
    assert caught.args == [Select(server=5, floating=True)]
    with qtbot.assertNotEmitted(panel.intent):
        qtbot.mouseClick(panel.view, Qt.MouseButton.LeftButton, pos=QPoint(450, 10))


def test_hover_tells_all_numbers_of_a_server(qtbot: QtBot) -> None:
    made = Made().no_timers().real(1, H, 4).virtual(1, L).token(1, L).token(1, H)
    made.state.clock[0] = 2.5
    frame = made.frame()
    panel = shown(qtbot, frame)
    scene = scene_in(panel)
    point = server_rect(scene, ServerPlace(1)).topRight().toPoint() + QPoint(-4, 4)
    event = QHelpEvent(QEvent.Type.ToolTip, point, panel.view.mapToGlobal(point))
    QApplication.sendEvent(panel.view, event)
    words = QToolTip.text()
    QToolTip.hideText()
    assert words == server_words(frame, ServerPlace(1))
    for part in (
        "server 2: observed configuration L + 4H",
        "real jobs 4H, virtual jobs L",
        "case ",
        "use 12 of 10, above capacity; h = 0.2",
        "paused: 2 tokens out",
        "token 1: type L, 2.5 old",
        "token 2: type H, 2.5 old",
        "job 0: phase H",
        "virtual job v1: phase L",
    ):
        assert part in words


def test_hover_tells_the_case_and_the_rate_of_the_timer() -> None:
    frame = Made().frame()
    facts = frame.info.facts
    words = server_words(frame, ServerPlace(0))
    assert "case 3" in words
    assert "a timer runs at 1 per unit of time" in words
    why = why_waiting(frame.state, frame.info.numbers, facts, 0)
    assert " ".join(words.split()).count(why) == 1
    session = run("jrs-two-phases", 3000)
    cases = set()
    for _ in range(30):
        session.run(events=20)
        frame = session.frame()
        for server in range(facts.normal_servers):
            observed = int(frame.state.observed[server])
            case = int(facts.rules.case[0, observed])
            words = server_words(frame, ServerPlace(server))
            assert f"case {case}" in words
            runs = frame.state.timer_number[server] >= 0
            assert ("a timer runs at" in words) == runs
            cases.add((case, bool(runs)))
    assert {(1, True), (1, False), (3, True)} <= cases


def test_hover_tells_of_a_job_and_its_token() -> None:
    frame = stepped(run("jrs-classroom", 50), FLAG_MATCHED)
    record = int(np.flatnonzero(frame.state.job_number == frame.rows[-1]["job"])[0])
    words = "\n".join(job_lines(frame, record))
    assert f"took token {int(frame.rows[-1]['token']) + 1}, which had waited for" in words
    assert f"job {int(frame.rows[-1]['job'])}: phase" in words
    assert "needs " in words
    made = Made().virtual(0, H)
    assert job_lines(made.frame(), records_of(made.state)[0])[1] == ("would need 3, but uses nothing")


def test_hover_tells_of_backup_servers(qtbot: QtBot) -> None:
    made = Made().backup(H)
    panel = shown(qtbot, made.frame())
    scene = scene_in(panel)
    busy = panel.view.words_at(server_rect(scene, ServerPlace(FIRST_BACKUP, 0)).center())
    assert busy.startswith("backup server 1\njob 0: phase H")
    assert busy.endswith("use 3 of 10")
    idle = panel.view.words_at(server_rect(scene, ServerPlace(FIRST_BACKUP - 1, 0)).center())
    assert idle == "backup server 2\nidle"


def test_a_token_is_found_where_it_is_drawn(qtbot: QtBot) -> None:
    frame = Made().token(2, L).token(2, H).frame()
    panel = shown(qtbot, frame)
    scene = scene_in(panel)
    for box, job_type in zip(scene.token_boxes(0, 2, 2), (L, H), strict=True):
        hit = scene.at(scene.rect(box).center())
        assert hit is not None
        assert (hit.place, hit.token) == (ServerPlace(2), job_type)
        assert "paused: 2 tokens" in panel.view.words_at(scene.rect(box).center())


# Zooming.
