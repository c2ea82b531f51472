"""What a step moves and names in the panels of servers, and what it leaves in place."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from slotscope.gui.intents import Select
from slotscope.gui.kinds.reservation.servers import ServerGridPanel, ServersPanel
from slotscope.gui.kinds.reservation.servers_columns import figure_of
from slotscope.gui.kinds.reservation.servers_marks import APART
from slotscope.gui.kinds.reservation.servers_stacks import StackView
from slotscope.gui.kinds.reservation.servers_steps import Movement, marks, movements
from slotscope.gui.kinds.reservation.servers_words import HAT
from slotscope.gui.painting.text import Symbols
from slotscope.gui.widgets import calm
from slotscope.model.api import Session
from slotscope.model.kinds.reservation.rows import FLAG_MIGRATED, FLAG_REASSIGNED, FLAG_REJECTED
from slotscope.model.reporting.frame import Frame
from slotscope.model.scenario.load import as_data, load_scenario, parse_scenario
from tests.gui.painted import area, has, pixels
from tests.kinds.reservation.gui.servers_views import LIGHT, SIZE, before_event, classroom, shown, stacks


def with_other_columns(session: Session) -> Frame:
    """The next running frame in which GPA finds other configurations."""
    before = session.frame().state.greedy_configuration
    for _ in range(2000):
        session.run(events=1)
        frame = session.frame(running=True)
        if (frame.state.greedy_configuration != before).any():
            return frame
    raise AssertionError("the columns never change")


def greedy_columns(view: StackView) -> list[tuple[int, ...]]:
    assert view.scene is not None
    figure = view.scene.figure
    return [column.configuration for column in figure.columns[: figure.greedy] if column]


@pytest.mark.parametrize("still", [0.1, 1000.0])
def test_the_order_of_columns_stands_still_for_a_moment_while_running(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, still: float
) -> None:
    monkeypatch.setattr(calm, "STILL", still)
    data = as_data(load_scenario("dra-vms"))
    data["servers"]["count"] = 12
    session = Session.open(parse_scenario(data), kernel=False)
    view = stacks(qtbot, session.frame())
    view.set_frame(with_other_columns(session))
    first = greedy_columns(view)
    second = with_other_columns(session)
    found = [tuple(row) for row in second.state.greedy_configuration.tolist()]
    assert first != found
    view.set_frame(second)
    if still < 1:
        qtbot.waitUntil(lambda: greedy_columns(view) == found)
        return
    # The columns stay, but their contents are those of the present moment.
    assert greedy_columns(view) == first
    assert view.scene.frame is second
    for server, column in enumerate(view.scene.figure.column.tolist()):
        shown_there = view.scene.figure.columns[column]
        assert shown_there is not None
        assert shown_there.configuration == tuple(second.state.configuration[server])
    view.set_frame(session.frame())
    assert greedy_columns(view) == found


# Movement.


def test_movements_are_what_changed_between_two_moments() -> None:
    session = classroom(10)
    before = session.frame()
    kinds = set()
    for _ in range(150):
        session.step()
        after = session.frame()
        moves = [move for phase in movements(before, after) for move in phase]
        kinds |= {move.kind for move in moves}
        changed = (before.state.stamp != after.state.stamp).nonzero()[0].tolist()
        assert sorted(m.server for m in moves if m.kind == "reassign") == changed
        difference = after.state.placement - before.state.placement
        for move in moves:
            if move.kind == "admit":
                assert difference[move.server, move.job_type] == 1
            elif move.kind == "migrate":
                assert difference[move.source, move.job_type] == -1
        assert movements(before, replace(after, running=True)) == ()
        assert movements(after, before) == ()
        before = after
    assert kinds == {"admit", "migrate", "reassign"}


def test_each_substep_moves_what_it_decides() -> None:
    session = before_event(classroom(5), FLAG_MIGRATED)
    moved = []
    before = session.frame()
    while True:
        session.step_into()
        after = session.frame()
        moved += [move for phase in movements(before, after) for move in phase]
        before = after
        if not after.records:
            break
    assert [move.kind for move in moved if move.kind == "migrate"] == ["migrate"]
    assert all(isinstance(move, Movement) for move in moved)


@pytest.mark.parametrize("flag", [FLAG_MIGRATED, FLAG_REASSIGNED])
def test_what_moves_arrives_and_leaves_no_stale_picture(qtbot: QtBot, flag: int) -> None:
    session = before_event(classroom(5), flag)
    view = stacks(qtbot, session.frame())
    session.step()
    after = session.frame()
    view.set_frame(after)
    assert view.moving
    moving = pixels(view)
    qtbot.waitUntil(lambda: not view.moving)
    arrived = pixels(view)
    assert not (moving == arrived).all()
    view.set_frame(after)
    assert not view.moving
    assert (arrived == pixels(view)).all()


def test_a_new_moment_ends_all_movement_at_once(qtbot: QtBot) -> None:
    session = before_event(classroom(5), FLAG_MIGRATED)
    view = stacks(qtbot, session.frame())
    session.step()
    view.set_frame(session.frame())
    assert view.moving
    session.run(events=1)
    running = session.frame(running=True)
    view.set_frame(running)
    assert not view.moving
    assert view.event_line.words == ""
    at_once = pixels(view)
    QTest.qWait(450)
    assert (pixels(view) == at_once).all()
    view.resize(SIZE[0] + 40, SIZE[1])
    view.resize(*SIZE)
    fresh = stacks(qtbot, running)
    assert view.scene.figure.places == fresh.scene.figure.places
    assert (pixels(view) == pixels(fresh)).all()


def test_what_a_step_names_is_outlined_in_its_colour(qtbot: QtBot) -> None:
    session = before_event(classroom(5), FLAG_MIGRATED)
    view = stacks(qtbot, session.frame())
    session.step()
    frame = session.frame()
    view.set_frame(frame)
    qtbot.waitUntil(lambda: not view.moving)
    named = {mark.server for mark in marks(frame) if mark.role == "migration"}
    row = frame.rows[-1]
    assert {int(row["server"]), int(row["source"])} <= named
    assert has(area(pixels(view), view.scene.regions.stage), LIGHT.migration)
    view.set_frame(replace(frame, running=True))
    assert not has(area(pixels(view), view.scene.regions.stage), LIGHT.migration)


@pytest.mark.parametrize("kind", [ServersPanel, ServerGridPanel])
def test_a_rejection_is_said_and_shown_in_red(qtbot: QtBot, kind: type[ServersPanel] | type[ServerGridPanel]) -> None:
    session = before_event(classroom(5), FLAG_REJECTED)
    panel = shown(qtbot, kind, session.frame())
    assert not has(pixels(panel), LIGHT.rejection)
    session.step()
    frame = session.frame()
    panel.set_frame(frame)
    view = panel.stacks if isinstance(panel, ServersPanel) else panel.view
    assert "rejected" in view.event_line.words
    assert view.event_line.rejects
    assert has(pixels(panel), LIGHT.rejection)
    # The servers that the sentence counts, each with the reason why it was passed over.
    job_type, found = int(frame.rows[-1]["type"]), {one.server: one.reasons for one in frame.passed_over}
    assert len(found) == int(frame.rows[-1]["servers_with_room"])
    for server, why in found.items():
        has_slot = frame.state.configuration[server, job_type] > frame.state.placement[server, job_type]
        assert ("Reject Group" in why) == bool(has_slot)
        assert frame.derived.reject_group[server] or not has_slot


def test_gpa_is_followed_while_it_is_stepped_through(qtbot: QtBot) -> None:
    session = classroom(60)
    view = stacks(qtbot, session.frame())
    open_columns = 0
    while True:
        session.step_into()
        frame = session.frame()
        view.set_frame(frame)
        if not frame.records:
            break
        figure = figure_of(frame)
        record = frame.records[-1]
        if record.kind in {"configuration_found", "count_found"}:
            column = figure.columns[record.values["i"] - 1]
            assert column is not None
            assert column.configuration == record.values["configuration"]
            assert column.wanted == record.values.get("count")
            open_columns += column.wanted is None
            later = figure.columns[record.values["i"] : figure.greedy]
            assert not any(item.settled for item in later if item is not None)
    assert open_columns > 0


@pytest.mark.parametrize("kind", [ServersPanel, ServerGridPanel])
def test_a_server_with_room_that_must_not_take_the_job_says_why(
    qtbot: QtBot, kind: type[ServersPanel] | type[ServerGridPanel], monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[str, QRectF]] = []
    draw_in = Symbols.draw_in

    def noted(self: Symbols, painter: QPainter, rect: QRectF, text: str, color: str, align: float = 0.0) -> None:
        told.append((text, QRectF(rect)))
        draw_in(self, painter, rect, text, color, align)

    session = classroom(5)
    panel = shown(qtbot, kind, session.frame())
    while True:
        session = before_event(session, FLAG_REJECTED)
        session.step()
        if session.frame().passed_over:
            break
    monkeypatch.setattr(Symbols, "draw_in", noted)
    frame = session.frame()
    panel.set_frame(frame)
    panel.grab()
    (server, why, refused), *_ = frame.passed_over
    assert refused
    plates = [rect for text, rect in told if text in why]
    assert plates
    view = panel.stacks if isinstance(panel, ServersPanel) else panel.view
    box = (
        view.scene.rect(view.scene.server_box(server))
        if isinstance(panel, ServersPanel)
        else view.scene.server_rect(server)
    )
    assert any(box.adjusted(-1, -1, 1, 1).contains(plate) for plate in plates)


def test_servers_of_a_small_system_carry_their_numbers(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    told = texts_drawn(monkeypatch)
    view = stacks(qtbot, classroom(60).frame())
    view.grab()
    servers = view.scene.frame.info.numbers.servers
    assert {str(number + 1) for number in range(servers)} <= {text for text, _ in told}


def test_numbers_of_servers_come_before_the_name_of_the_line_of_servers_wanted(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = texts_drawn(monkeypatch)
    view = stacks(qtbot, classroom(14).frame())
    view.set_selection(Select(server=5))
    found = set()
    for height in range(150, 420, 7):
        view.resize(620, height)
        told.clear()
        view.grab()
        scene = view.scene
        if scene is None:
            continue
        high = scene.rect(scene.server_box(2)).height() >= scene.text.height
        servers = [(text, rect) for text, rect in told if text.isdigit() and rect.top() > scene.regions.stage.top()]
        assert sorted(text for text, _ in servers) == (list("1234567") if high else ["6"]), height
        beside = [rect for _, rect in servers] + [rect for text, rect in told if text == HAT]
        assert not any(a.intersects(b) for i, a in enumerate(beside) for b in beside[:i]), height
        found.add(high)
    assert found == {True, False}


def texts_drawn(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, QRectF]]:
    """The texts drawn from now on, and the rectangles of their letters."""
    told: list[tuple[str, QRectF]] = []
    draw = Symbols.draw

    def noted(self: Symbols, painter: QPainter, x: float, y: float, text: str, color: str) -> float:
        room = (1 - APART) / 2 * self.height
        told.append((text, QRectF(x, y + room, self.width(text), APART * self.height - 0.01)))
        return draw(self, painter, x, y, text, color)

    monkeypatch.setattr(Symbols, "draw", noted)
    return told
