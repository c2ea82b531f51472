"""The log: sentences, filters, following the run, going to events, breakpoints, export."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetricsF, QGuiApplication
from PySide6.QtWidgets import QApplication

from slotscope.gui.intents import BreakAt, GoTo, RunUntil, Say
from slotscope.gui.panels import decisions_view
from slotscope.gui.panels.decisions import DecisionsPanel
from slotscope.gui.panels.decisions_model import EVENT, MARKS, SENTENCE, TIME, LogModel, decimals_for, shown_time
from slotscope.gui.widgets import calm
from slotscope.gui.widgets.painted import svg_of
from slotscope.model.api import Session
from slotscope.model.kinds.reservation.rows import EVENT_ROW, FLAG_ADMITTED, FLAG_MIGRATED, FLAG_REJECTED
from slotscope.model.kinds.spec import kind_named
from slotscope.model.reporting.frame import Frame
from tests.gui.painted import colours, colours_in, pixels, pixels_of
from tests.gui.windows import on_screen
from tests.runs import ran


@pytest.fixture(scope="module")
def frames() -> dict[str, Frame]:
    """Frames of a run: at its start, running, paused, inside an event, and with a rejection in the log."""
    session = Session.open("dra-vms", kernel=False)
    found = {"start": session.frame()}
    session.run(events=1800)
    found["early"] = session.frame(running=True)
    session.run(events=200)
    found["running"] = session.frame(running=True)
    session.run(stop=("rejection",))
    found["paused"] = session.frame()
    for _ in range(5):
        session.step_into()
    found["inside"] = session.frame()
    session.step()
    found["after"] = session.frame()
    return found


@pytest.fixture
def panel(qtbot, theme):
    return on_screen(qtbot, DecisionsPanel(theme), 700, 300)


def at_end(panel) -> bool:
    bar = panel.view.verticalScrollBar()
    return bar.value() == bar.maximum()


def click(panel, qtbot, row: int) -> None:
    panel.view.scrollTo(panel.model.index(row, EVENT))
    place = panel.view.visualRect(panel.model.index(row, SENTENCE)).topLeft() + QPoint(8, 4)
    qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=place)


def choose(menu, text: str) -> None:
    next(action for action in menu.actions() if action.text() == text).trigger()


class TestRows:
    def test_each_event_has_its_number_time_and_sentence(self, panel, frames):
        frame = frames["paused"]
        panel.set_frame(frame)
        assert panel.model.rowCount() == len(frame.rows)
        last = panel.model.rowCount() - 1
        text = [panel.model.index(last, column).data() for column in (EVENT, TIME, SENTENCE)]
        assert text[0] == f"{frame.event:,}".replace(",", "\u202f")
        assert float(text[1]) == pytest.approx(frame.time, abs=1e-3)
        assert text[2] == frame.info.narrator.row(frame.rows[-1])
        assert "rejected" in text[2]

    def test_times_have_thin_spaces_and_no_more_digits_than_useful(self):
        assert shown_time(12345.678, 1) == "12\u202f345.7"
        assert decimals_for(0, 0.0) == 2
        assert decimals_for(1000, 1000.0) == 0
        assert decimals_for(1700, 1.0) == 4
        assert decimals_for(10**12, 1e-6) == 9

    def test_a_job_is_called_by_its_type_and_name(self, frames):
        assert frames["start"].info.narrator.job(17, 2) == "memory job 17"

    def test_the_row_of_the_present_event_is_marked(self, panel, frames):
        panel.set_frame(frames["paused"])
        rows = range(panel.model.rowCount())
        assert [row for row in rows if panel.model.entry(row).present] == [rows[-1]]

    def test_sub_steps_follow_as_a_live_section(self, panel, frames):
        frame = frames["inside"]
        panel.set_frame(frame)
        entries = [panel.model.entry(row) for row in range(panel.model.rowCount())]
        live = [entry for entry in entries if entry.step]
        assert [entry.step for entry in live] == list(range(1, len(frame.records) + 1))
        assert [entry.sentence for entry in live] == [frame.info.narrator.record(record) for record in frame.records]
        assert [entry.present for entry in live] == [False] * (len(live) - 1) + [True]
        assert {entry.event for entry in live} == {frame.event + 1}
        assert not any(entry.present for entry in entries if not entry.step)
        panel.set_frame(frames["after"])
        assert panel.model.rowCount() == len(frames["after"].rows)

    def test_sub_steps_stand_before_later_events(self, frames):
        frame, later = frames["inside"], frames["after"].rows[-1:]
        model = LogModel()
        model.set_run(frame.info.kind, frame.info.narrator)
        model.set_moment(frame.event, frame.time, frozenset())
        model.set_rows(np.concatenate([frame.rows[-2:], later]), frame.records)
        entries = [model.entry(place) for place in range(model.rowCount())]
        steps = len(frame.records)
        assert [entry.step for entry in entries] == [0, 0, *range(1, steps + 1), 0]
        assert [entry.event for entry in entries] == sorted(entry.event for entry in entries)
        assert entries[-1].sentence == frame.info.narrator.row(later[0])
        assert model.present_row() == steps + 1

    def test_the_present_event_is_known_among_later_ones(self, frames):
        frame = frames["paused"]
        model = LogModel()
        model.set_run(frame.info.kind, frame.info.narrator)
        model.set_moment(frame.event - 2, frame.time, frozenset())
        model.set_rows(frame.rows[-4:])
        assert model.present_row() == 1
        model.set_rows(frame.rows[-2:])
        assert model.present_row() == -1

    def test_a_row_that_is_counted_later_gets_another_sentence(self, frames):
        model = LogModel()
        model.set_run(frames["paused"].info.kind, frames["paused"].info.narrator)
        row = frames["paused"].rows[-1:].copy()
        counted = model.sentence(row[0])
        row["empty_slots"] = 97
        assert "97 empty slots" in model.sentence(row[0])
        assert model.sentence(row[0]) != counted

    def test_frames_emit_nothing(self, panel, frames):
        seen = []
        panel.intent.connect(seen.append)
        for frame in frames.values():
            panel.set_frame(frame)
        assert seen == []


class TestFilters:
    @pytest.mark.parametrize("flag", [mark.flag for mark in kind_named("reservation").vocabulary.marks])
    def test_a_chip_leaves_only_its_kind(self, panel, frames, qtbot, flag):
        frame = frames["paused"]
        panel.set_frame(frame)
        qtbot.mouseClick(panel.bar.chips[flag], Qt.MouseButton.LeftButton)
        expected = frame.rows["event"][(frame.rows["flags"] & flag) != 0]
        assert panel.model.rows["event"].tolist() == expected.tolist()
        assert panel.bar.count.text() == f"{len(expected)} of {len(frame.rows)}"
        qtbot.mouseClick(panel.bar.chips[flag], Qt.MouseButton.LeftButton)
        assert panel.model.rowCount() == len(frame.rows)
        assert panel.bar.count.text() == ""

    def test_two_chips_show_both_kinds(self, panel, frames, qtbot):
        frame = frames["paused"]
        panel.set_frame(frame)
        for flag in (FLAG_REJECTED, FLAG_MIGRATED):
            qtbot.mouseClick(panel.bar.chips[flag], Qt.MouseButton.LeftButton)
        both = (frame.rows["flags"] & (FLAG_REJECTED | FLAG_MIGRATED)) != 0
        assert 0 < panel.model.rowCount() == int(both.sum()) < len(frame.rows)

    def test_search_wants_every_word_in_the_sentence(self, panel, frames, qtbot):
        frame = frames["paused"]
        panel.set_frame(frame)
        qtbot.keyClicks(panel.bar.search, "Large admitted")
        expected = [
            int(row["event"])
            for row in frame.rows
            if "large" in (text := frame.info.narrator.row(row)) and "admitted" in text
        ]
        assert expected
        assert panel.model.rows["event"].tolist() == expected

    def test_filters_hold_for_the_next_frame(self, panel, frames, qtbot):
        panel.set_frame(frames["running"])
        qtbot.mouseClick(panel.bar.chips[FLAG_REJECTED], Qt.MouseButton.LeftButton)
        panel.set_frame(frames["paused"])
        assert panel.model.rows["event"].tolist()[-1] == frames["paused"].event
        assert ((panel.model.rows["flags"] & FLAG_REJECTED) != 0).all()

    def test_nothing_found_is_said(self, panel, frames, qtbot):
        panel.set_frame(frames["paused"])
        qtbot.keyClicks(panel.bar.search, "zebra")
        assert panel.model.rowCount() == 0
        note = "None of the last {} sentences has these words. Return asks it of all history."
        assert panel.view.empty_note == note.format(len(frames["paused"].rows))

    def test_chips_have_names_where_there_is_room(self, panel, frames, qtbot):
        panel.set_frame(frames["paused"])
        chip = panel.bar.chips[FLAG_ADMITTED]
        panel.resize(1400, 300)
        assert chip.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        panel.resize(420, 300)
        assert chip.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonIconOnly
        assert "admissions" in chip.toolTip()

    def test_what_is_searched_for_has_a_line_of_its_own_where_chips_leave_little_room(self, panel, frames, qtbot):
        panel.set_frame(frames["paused"])
        panel.resize(420, 300)
        bottom = panel.bar.chips[FLAG_ADMITTED].geometry().bottom()
        qtbot.waitUntil(lambda: panel.bar.search.y() < bottom)
        qtbot.keyClicks(panel.bar.search, "rejected and servers_with_room")
        qtbot.waitUntil(lambda: panel.bar.search.y() > bottom)
        assert panel.bar.search.width() > 380
        panel.bar.search.clear()


class TestFollowing:
    def test_the_log_follows_the_run(self, panel, frames, qtbot, monkeypatch):
        monkeypatch.setattr(calm, "monotonic", lambda: 100.0)  # however long the first update takes
        panel.set_frame(frames["early"])
        qtbot.waitUntil(lambda: panel.view.verticalScrollBar().maximum() > 0)
        qtbot.waitUntil(lambda: at_end(panel))
        panel.set_frame(frames["running"])
        assert panel.model.present == frames["early"].event  # not updated yet: nobody reads sixty logs a second
        qtbot.waitUntil(lambda: panel.model.present == frames["running"].event)
        qtbot.waitUntil(lambda: at_end(panel))

    def test_it_stands_still_while_the_user_reads_further_up(self, panel, frames, qtbot):
        panel.set_frame(frames["early"])
        qtbot.waitUntil(lambda: panel.view.verticalScrollBar().maximum() > 0)
        panel.view.verticalScrollBar().setValue(10)
        panel.set_frame(frames["running"])
        assert panel.model.present == frames["early"].event
        assert panel.follow.isVisible()
        assert panel.follow.text().startswith("200 newer")
        paused = replace(frames["running"], running=False)
        panel.set_frame(paused)
        assert panel.model.present == frames["early"].event
        panel.set_frame(frames["paused"])
        assert panel.model.present == frames["paused"].event
        assert not panel.follow.isVisible()
        qtbot.waitUntil(lambda: at_end(panel))

    def test_a_click_on_a_row_that_is_seen_in_part_scrolls_nothing_later(self, panel, frames, qtbot):
        panel.set_frame(frames["paused"])
        qtbot.wait(20)
        view, usual = panel.view, QApplication.doubleClickInterval()
        bar, room, going = view.verticalScrollBar(), view.viewport(), []
        panel.intent.connect(going.append)
        panel.resize(panel.width(), panel.height() + view.rowHeight(0) // 2)
        qtbot.waitUntil(lambda: at_end(panel) and view.rowViewportPosition(view.rowAt(1)) < 0)
        QApplication.setDoubleClickInterval(0)
        try:
            before = bar.value()
            qtbot.mouseClick(room, Qt.MouseButton.LeftButton, pos=QPoint(room.width() // 2, 1))
            qtbot.wait(300)
        finally:
            QApplication.setDoubleClickInterval(usual)
        assert [type(intent) for intent in going] == [GoTo]
        assert bar.value() == before and at_end(panel)
        view.setFocus()
        view.selectRow(0)
        view.setCurrentIndex(panel.model.index(3, SENTENCE))  # as keys do; this scrolls at once
        assert view.rowAt(1) <= 3 <= view.rowAt(room.height() - 1)

    def test_one_click_follows_again(self, panel, frames, qtbot):
        panel.set_frame(frames["early"])
        qtbot.waitUntil(lambda: panel.view.verticalScrollBar().maximum() > 0)
        panel.view.verticalScrollBar().setValue(10)
        panel.set_frame(frames["running"])
        qtbot.mouseClick(panel.follow, Qt.MouseButton.LeftButton)
        assert panel.model.present == frames["running"].event
        assert not panel.follow.isVisible()
        qtbot.waitUntil(lambda: at_end(panel))

    def test_a_paused_log_stays_where_the_user_scrolled(self, panel, frames, qtbot):
        panel.set_frame(frames["paused"])
        qtbot.waitUntil(lambda: panel.view.verticalScrollBar().maximum() > 0)
        panel.view.verticalScrollBar().setValue(10)
        panel.set_frame(replace(frames["paused"], message="solved"))
        qtbot.wait(20)
        assert panel.view.verticalScrollBar().value() == 10


class TestGoing:
    def test_a_click_goes_to_the_event(self, panel, frames, qtbot):
        panel.set_frame(frames["paused"])
        with qtbot.waitSignal(panel.intent) as caught:
            click(panel, qtbot, 7)
        assert caught.args == [GoTo(int(frames["paused"].rows[7]["event"]))]

    def test_a_click_on_a_sub_step_goes_into_the_event(self, panel, frames, qtbot):
        frame = frames["inside"]
        panel.set_frame(frame)
        with qtbot.waitSignal(panel.intent) as caught:
            click(panel, qtbot, len(frame.rows) + 2)
        assert caught.args == [GoTo(frame.event, 3)]

    def test_keys_walk_and_enter_goes(self, panel, frames, qtbot):
        panel.set_frame(frames["paused"])
        panel.view.setFocus()
        panel.view.setCurrentIndex(panel.model.index(20, EVENT))
        with qtbot.waitSignal(panel.intent) as caught:
            qtbot.keyClick(panel.view, Qt.Key.Key_Up)
            qtbot.keyClick(panel.view, Qt.Key.Key_Up)
            qtbot.keyClick(panel.view, Qt.Key.Key_Down)
            qtbot.keyClick(panel.view, Qt.Key.Key_Return)
        assert caught.args == [GoTo(int(frames["paused"].rows[19]["event"]))]

    @pytest.mark.parametrize(
        ("text", "wanted"), [("Go there", GoTo), ("Run until here", RunUntil), ("Break here", BreakAt)]
    )
    def test_the_menu_offers_what_a_line_is_good_for(self, panel, frames, qtbot, text, wanted):
        panel.set_frame(frames["paused"])
        event = int(frames["paused"].rows[3]["event"])
        with qtbot.waitSignal(panel.intent) as caught:
            choose(panel.menu(3), text)
        assert caught.args == [wanted(event)]

    def test_a_right_click_opens_the_menu(self, panel, frames, qtbot):
        panel.set_frame(frames["paused"])
        panel.view.customContextMenuRequested.emit(QPoint(200, 40))
        qtbot.waitUntil(lambda: QApplication.activePopupWidget() is not None)
        menu = QApplication.activePopupWidget()
        assert "Go there" in [action.text() for action in menu.actions()]
        menu.close()

    def test_lines_and_commands_are_copied(self, panel, frames, qtbot):
        frame = frames["paused"]
        panel.set_frame(frame)
        event = int(frame.rows[3]["event"])
        with qtbot.waitSignal(panel.intent) as caught:
            choose(panel.menu(3), "Copy the line")
        assert isinstance(caught.args[0], Say)
        assert frame.info.narrator.row(frame.rows[3]) in QGuiApplication.clipboard().text()
        choose(panel.menu(3), "Copy the command that opens this moment")
        assert QGuiApplication.clipboard().text() == (f"slotscope dra-vms --policy dra --seed 1 --event {event}")

    def test_breakpoints_stand_in_the_margin(self, panel, frames):
        frame = frames["paused"]
        event = int(frame.rows[-2]["event"])
        panel.set_frame(frame)
        row = panel.model.rowCount() - 2
        rect = panel.view.visualRect(panel.model.index(row, MARKS))
        before = panel.view.viewport().grab(rect).toImage()
        panel.set_frame(replace(frame, breakpoints=frozenset({event})))
        assert panel.model.entry(row).breakpoint
        assert panel.view.viewport().grab(rect).toImage() != before
        assert "Remove the breakpoint" in [item.text() for item in panel.menu(row).actions()]


class TestSaving:
    def test_json_lines_hold_every_field_and_the_sentence(self, panel, frames):
        frame = frames["paused"]
        panel.set_frame(frame)
        panel.bar.search.setText("zebra")  # hidden lines are saved, too
        lines = [json.loads(line) for line in panel.json_lines()]
        assert len(lines) == len(frame.rows)
        assert set(lines[-1]) == {*EVENT_ROW.names, "sentence"}
        assert lines[-1]["event"] == frame.event
        assert lines[-1]["trail"] == int(frame.rows[-1]["trail"])
        assert lines[-1]["sentence"] == frame.info.narrator.row(frame.rows[-1])

    def test_the_series_has_the_same_rows(self, panel, frames):
        assert panel.series() is None
        assert list(panel.json_lines()) == []
        panel.set_frame(frames["paused"])
        names, rows = panel.series()
        rows = list(rows)
        assert names == [*EVENT_ROW.names, "sentence"]
        assert len(rows) == len(frames["paused"].rows)
        assert all(len(row) == len(names) for row in rows)


class TestPicture:
    @pytest.mark.parametrize("size", [(420, 300), (700, 260), (1000, 300)])
    def test_it_is_not_blank(self, panel, frames, size):
        panel.resize(*size)
        panel.set_frame(frames["inside"])
        assert len(colours_in(pixels(panel.view.viewport())[::2, ::2])) > 20

    def test_the_empty_log_says_what_to_do(self, panel, frames):
        panel.set_frame(frames["start"])
        assert panel.view.empty_note == "No event yet: press Space to run, or Right to step."
        assert len(colours(panel.view.viewport())) > 2

    @pytest.mark.parametrize("width", range(140, 400, 10))
    def test_what_an_empty_log_says_is_cut_between_lines(self, panel, frames, width):
        panel.set_frame(frames["start"])
        panel.view.set_lecture(True)
        whole, note = panel.view.height_of(-1, width), panel.view.empty_note
        metrics = QFontMetricsF(panel.view.font())
        for height in (whole, whole - 12):
            panel.view.setFixedSize(width, height)
            svg = svg_of(panel.view.viewport())
            said = re.findall(r' y="([^"]+)"[^>]*>\s*([^<]+?)\s*</text>', svg)
            assert float(said[0][0]) - metrics.ascent() >= 0
            assert float(said[-1][0]) + metrics.descent() <= height
            words = " ".join(line for _, line in said)
            assert words == note if height == whole else note.startswith(words.removesuffix("…")) and words != note

    def test_a_mark_is_drawn_in_its_colour(self, panel, frames):
        panel.set_frame(frames["paused"])
        rect = panel.view.visualRect(panel.model.index(panel.model.rowCount() - 1, MARKS))
        image = panel.view.viewport().grab(rect).toImage()
        found = colours_in(pixels_of(image))
        assert panel.theme.rejection in found
        assert panel.theme.migration not in found

    def test_a_narrow_log_gives_the_time_s_room_to_the_sentence(self, panel, frames):
        panel.set_frame(frames["paused"])
        assert not panel.view.isColumnHidden(TIME)
        panel.resize(380, 300)
        assert panel.view.isColumnHidden(TIME)

    def test_beside_slides_marks_and_then_numbers_give_theirs(self, panel, frames):
        panel.set_frame(frames["paused"])
        panel.resize(380, 300)
        marks = panel.view.columnWidth(MARKS)
        panel.resize(230, 300)
        assert panel.view.columnWidth(MARKS) < marks and not panel.view.isColumnHidden(EVENT)
        panel.resize(160, 300)
        assert panel.view.isColumnHidden(EVENT)
        assert panel.view.columnWidth(SENTENCE) > 0.9 * panel.view.viewport().width()

    def test_the_number_of_an_event_in_the_making_has_its_room(self, panel, qtbot):
        session = ran("dra-vms", events=9)
        panel.view.set_lecture(True)
        panel.set_frame(session.frame())
        narrow = panel.view.columnWidth(EVENT)
        session.step_into()
        panel.set_frame(session.frame())
        assert panel.view.columnWidth(EVENT) > narrow

    def test_in_a_narrow_lane_of_a_hall_the_number_begins_the_sentence(self, panel, frames, monkeypatch):
        drawn = []
        monkeypatch.setattr(decisions_view, "paint_cut", lambda painter, rect, text: drawn.append(text))
        panel.set_frame(frames["paused"])
        panel.view.set_lecture(True)
        panel.resize(140, 300)
        panel.view.fit()
        panel.view.grab()
        entry = panel.model.entry(panel.model.present_row())
        assert panel.view.isColumnHidden(EVENT) and f"{entry.number}  {entry.sentence}" in drawn

    def test_the_whole_sentence_of_the_present_event_is_shown(self, panel, frames, qtbot):
        frame = frames["paused"]
        panel.resize(380, 300)
        panel.set_frame(frame)
        usual = panel.view.verticalHeader().defaultSectionSize()
        row = panel.model.rowCount() - 1
        assert panel.view.rowHeight(row) > usual
        panel.set_frame(frames["after"])
        heights = {panel.view.rowHeight(n) for n in range(panel.model.rowCount() - 1)}
        assert heights == {usual}

    def test_rows_are_measured_again_for_another_width_alone(self, panel, frames, monkeypatch):
        panel.set_frame(frames["paused"])
        fitted = []
        monkeypatch.setattr(panel.view, "fit", lambda: fitted.append(panel.view.width()))
        panel.resize(panel.width(), 240)
        assert not fitted
        panel.resize(480, 240)
        assert fitted
        monkeypatch.undo()
        panel.view.fit()
        monkeypatch.setattr(decisions_view, "sentence_lines", lambda *_: pytest.fail("counted again"))
        panel.view.fit()
