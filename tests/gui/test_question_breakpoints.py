"""Breakpoints at a condition, by keys: typed into the common list, reached, reported, removed."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from slotscope.gui.main_window import MainWindow
from slotscope.gui.window.breakpoints_dialog import BreakpointsDialog
from tests.gui.windows import press, rest

Key = Qt.Key
CTRL = Qt.KeyboardModifier.ControlModifier

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm")]


@pytest.fixture
def window(qtbot: QtBot, window: MainWindow) -> MainWindow:
    """A complete window at event 0 of dra-classroom."""
    window.control.open("dra-classroom")
    rest(qtbot, window, lambda: window.frame is not None and window.frame.info.scenario_name == "dra-classroom")
    return window


def opened(qtbot: QtBot, window: MainWindow) -> BreakpointsDialog:
    press(qtbot, window, Key.Key_B, CTRL)
    dialog = window.findChild(BreakpointsDialog)
    assert dialog is not None and dialog.isVisible()
    return dialog


def typed(qtbot: QtBot, dialog: BreakpointsDialog, text: str) -> None:
    dialog.field.clear()
    qtbot.keyClicks(dialog.field, text)
    qtbot.keyClick(dialog.field, Key.Key_Return)


def close(qtbot: QtBot, window: MainWindow, dialog: BreakpointsDialog) -> None:
    qtbot.keyClick(dialog, Key.Key_Escape)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)


def lines(dialog: BreakpointsDialog) -> list[str]:
    return [dialog.listed.item(row).text() for row in range(dialog.listed.count())]


def test_one_that_can_hold_nowhere_says_so_where_it_is_entered(qtbot: QtBot, window: MainWindow) -> None:
    dialog = opened(qtbot, window)
    for text in ("type = 7", "type = 2"):
        typed(qtbot, dialog, text)
    qtbot.waitUntil(lambda: dialog.listed.count() == 2)
    note = "type is from 1 to 3 (web, database, training), so that type = 7 holds nowhere"
    assert lines(dialog) == [f"type = 7\n{note}", "type = 2"]
    close(qtbot, window, dialog)


def test_a_long_question_is_wrapped_and_how_often_it_holds_is_seen(qtbot: QtBot, window: MainWindow) -> None:
    dialog = opened(qtbot, window)
    dialog.times.setValue(3)
    typed(qtbot, dialog, "type = training and rejected and servers_with_room >= 1 and time > 100 and not migrated")
    qtbot.waitUntil(lambda: dialog.listed.count() == 1)
    item, room = dialog.listed.item(0), dialog.listed.viewport().rect()
    assert item.text().endswith("(every 3 hits)")
    needed = dialog.listed.fontMetrics().horizontalAdvance(item.text())
    assert needed > room.width()  # so it takes more than one line
    assert dialog.listed.visualItemRect(item).width() <= room.width()
    assert dialog.listed.visualItemRect(item).height() > 1.8 * dialog.listed.fontMetrics().height()


def test_enter_beside_the_number_of_times_adds_it_too(qtbot: QtBot, window: MainWindow) -> None:
    dialog = opened(qtbot, window)
    qtbot.keyClicks(dialog.field, "admitted")
    dialog.times.setFocus()
    for key in (Key.Key_Up, Key.Key_Up, Key.Key_Return):
        qtbot.keyClick(dialog.times, key)
    qtbot.waitUntil(lambda: lines(dialog) == ["admitted  (every 3 hits)"])
    assert not dialog.field.text() and dialog.times.value() == 1


def test_down_goes_from_the_field_to_the_list(qtbot: QtBot, window: MainWindow) -> None:
    dialog = opened(qtbot, window)
    for text in ("rejected", "migrated"):
        typed(qtbot, dialog, text)
    qtbot.waitUntil(lambda: lines(dialog) == ["rejected", "migrated"])
    qtbot.keyClick(dialog.field, Key.Key_Down)
    assert dialog.focusWidget() is dialog.listed and dialog.listed.currentRow() == 0
    qtbot.keyClick(dialog.listed, Key.Key_Down)
    assert dialog.listed.currentRow() == 1


def test_a_run_stops_before_an_event_where_a_question_holds(qtbot: QtBot, window: MainWindow) -> None:
    dialog = opened(qtbot, window)
    dialog.times.setValue(3)
    typed(qtbot, dialog, "rejectd")
    qtbot.waitUntil(lambda: "nearest: rejected" in dialog.fault.text())
    assert dialog.field.text() == "rejectd"  # the typed text stays, so that it can be corrected
    assert dialog.times.value() == 3
    dialog.times.setValue(1)
    typed(qtbot, dialog, "rejected")
    qtbot.waitUntil(lambda: lines(dialog) == ["rejected"])
    assert not dialog.field.text() and not dialog.fault.text()
    typed(qtbot, dialog, "5000")
    qtbot.waitUntil(lambda: len(lines(dialog)) == 2)
    close(qtbot, window, dialog)
    press(qtbot, window, Key.Key_E)
    rest(qtbot, window, lambda: "rejected" in window.frame.message)  # type: ignore[union-attr]
    frame = window.frame
    assert frame is not None and not frame.playing
    assert frame.message.startswith(f"Breakpoint before event {frame.event + 1}")
    press(qtbot, window, Key.Key_Right)
    rest(qtbot, window, lambda: window.frame.event == frame.event + 1)  # type: ignore[union-attr]
    assert "rejected" in frame.info.narrator.row(window.frame.rows[-1])
    again = opened(qtbot, window)
    qtbot.waitUntil(lambda: len(lines(again)) == 2)
    again.listed.setCurrentRow(1)
    again.listed.setFocus()
    qtbot.keyClick(again.listed, Key.Key_Delete)
    qtbot.waitUntil(lambda: len(lines(again)) == 1)
    close(qtbot, window, again)
    press(qtbot, window, Key.Key_E)
    rest(qtbot, window, lambda: window.frame.event == 4999 and not window.frame.playing)  # type: ignore[union-attr]


def test_counted_switched_off_and_kept_in_a_session(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    dialog = opened(qtbot, window)
    dialog.times.setFocus()
    dialog.times.selectAll()
    qtbot.keyClicks(dialog.times, "5")
    typed(qtbot, dialog, "rejected")
    qtbot.waitUntil(lambda: lines(dialog) == ["rejected  (every 5 hits)"])
    assert dialog.times.value() == 1
    typed(qtbot, dialog, "40")
    typed(qtbot, dialog, "monitor capacity")
    qtbot.waitUntil(lambda: len(lines(dialog)) == 3)
    dialog.listed.setFocus()
    dialog.listed.setCurrentRow(0)
    qtbot.keyClick(dialog.listed, Key.Key_Space)
    qtbot.waitUntil(lambda: 40 not in window.worker.breakpoints.active)
    assert lines(dialog)[0] == "event 40"
    close(qtbot, window, dialog)
    press(qtbot, window, Key.Key_E)
    rest(qtbot, window, lambda: "rejected, hit 5" in window.frame.message)  # type: ignore[union-attr]
    path = tmp_path / "run.slotscope"
    window.control.save(path, "")
    qtbot.waitUntil(path.exists)
    kept = window.worker.breakpoints.listed().entries
    window.control.clear_breakpoints()
    window.open_path(path)
    rest(qtbot, window, lambda: window.frame.breakpoints == {"rejected", "monitor capacity"})  # type: ignore[union-attr]
    assert window.worker.breakpoints.listed().entries == kept
    window.control.clear_breakpoints()
    press(qtbot, window, Key.Key_Z, CTRL | Qt.KeyboardModifier.ShiftModifier)
    press(qtbot, window, Key.Key_Z, CTRL | Qt.KeyboardModifier.ShiftModifier)
    rest(qtbot, window, lambda: not window.frame.breakpoints)  # type: ignore[union-attr]  # they do not come back
