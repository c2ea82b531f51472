"""Why, in the window: by a key, by the log's menu and by a right click, for every kind of system."""

from __future__ import annotations

from time import sleep

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from slotscope.gui.intents import AskWhy, Select
from slotscope.gui.main_window import MainWindow
from slotscope.model.phrase import Phrase
from slotscope.model.running.waiting import who_waits
from slotscope.model.whys.tables import OPEN
from tests.gui.windows import open_anew, press, rest

Key = Qt.Key

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm")]


@pytest.fixture
def window(shared_window: MainWindow) -> MainWindow:
    return shared_window


def stand(qtbot: QtBot, window: MainWindow, scenario: str, event: int) -> None:
    open_anew(qtbot, window, scenario)
    rest(qtbot, window, lambda: window.area.complete)
    window.control.go_to(event)
    rest(qtbot, window, lambda: window.frame is not None and window.frame.event == event)


def answered(qtbot: QtBot, window: MainWindow) -> str:
    """Wait for the answer, and return its text in the docked inspector."""
    rest(qtbot, window, lambda: window.frame.why is not None and window.frame.why.flip is not None)
    view = window.docks["inspector"].panel.why
    qtbot.waitUntil(view.isVisible)
    return view.text.text()


@pytest.mark.parametrize(
    ("scenario", "event"),
    (("dra-classroom", 47), ("queues-classroom", 87), ("jrs-classroom", 57), ("moldable-classroom", 51)),
)
def test_a_key_says_why_and_the_link_closes_it(qtbot: QtBot, window: MainWindow, scenario: str, event: int) -> None:
    stand(qtbot, window, scenario, event)
    window.carry_out(Select(server=0))
    press(qtbot, window, Key.Key_W)
    text = answered(qtbot, window)
    assert "server 1?" in text and OPEN in text and "candidate" not in text
    assert "flips it" in text
    inspector = window.docks["inspector"].panel
    alone = inspector.now.isHidden() and inspector.history.isHidden()
    assert alone or inspector.why.height() > 120  # the answer is not cut by the other parts
    window.docks["inspector"].panel.why.text.linkActivated.emit("close")
    rest(qtbot, window, lambda: window.frame is not None and window.frame.why is None)
    qtbot.waitUntil(lambda: not inspector.now.isHidden() and not inspector.history.isHidden())
    assert not window.docks["inspector"].panel.why.isVisible()


def test_escape_closes_the_answer_and_then_the_lecture(qtbot: QtBot, window: MainWindow) -> None:
    stand(qtbot, window, "dra-classroom", 47)
    press(qtbot, window, Key.Key_F5)
    qtbot.waitUntil(lambda: window.lecture.on)
    press(qtbot, window, Key.Key_5)
    press(qtbot, window, Key.Key_W)
    answered(qtbot, window)
    rest(qtbot, window, lambda: not window.control.goes_on)
    press(qtbot, window, Key.Key_Escape)
    rest(qtbot, window, lambda: window.frame.why is None)
    assert window.lecture.on and window.docks["lp"].isVisible() and not window.docks["inspector"].isVisible()
    press(qtbot, window, Key.Key_Escape)
    assert not window.lecture.on


def test_in_a_hall_it_stands_beside_the_servers(qtbot: QtBot, window: MainWindow) -> None:
    stand(qtbot, window, "dra-classroom", 47)
    press(qtbot, window, Key.Key_L)
    qtbot.waitUntil(lambda: window.lecture.on)
    press(qtbot, window, Key.Key_W)
    text = answered(qtbot, window)
    assert "Why is database job 36 rejected?" in text
    assert "line 18 (AG<sub>j</sub>)" in text
    assert window.docks["servers"].isVisible()


def chosen(menu: QMenu, text: str) -> None:
    next(action for action in menu.actions() if action.text() == text).trigger()
    menu.close()


def test_a_right_click_on_a_server_asks_about_it(qtbot: QtBot, window: MainWindow) -> None:
    stand(qtbot, window, "moldable-classroom", 51)
    view = window.docks["moldable-servers"].panel.view
    cells = [(x, y) for y in range(60, view.height() - 60, 12) for x in range(20, view.width() - 20, 12)]
    point = next(QPoint(x, y) for x, y in cells if view.scene.at(QPoint(x, y).toPointF()) is not None)
    qtbot.mouseClick(view, Qt.MouseButton.RightButton, pos=point)
    assert window.area.selection.inspected is not None
    asked = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, point, view.mapToGlobal(point))
    QApplication.sendEvent(view, asked)
    menu = next(menu for menu in window.docks["moldable-servers"].panel.findChildren(QMenu) if menu.isVisible())
    assert menu.actions()[0].text() == "Why here?"  # this kind of system has no waiting jobs
    menu.actions()[0].trigger()
    menu.close()
    assert "Why" in answered(qtbot, window)


def test_the_menu_key_and_enter_ask_about_what_is_selected(qtbot: QtBot, window: MainWindow) -> None:
    stand(qtbot, window, "dra-classroom", 47)
    panel = window.docks["servers"].panel
    middle = panel.rect().center()
    asked = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, middle, panel.mapToGlobal(middle))
    QApplication.sendEvent(panel, asked)
    menu = next(menu for menu in panel.findChildren(QMenu) if menu.isVisible() and not menu.title())
    qtbot.keyClick(menu, Key.Key_Return)
    assert "Why" in answered(qtbot, window)


def test_a_line_of_the_log_says_why_and_one_that_decides_nothing_says_so(qtbot: QtBot, window: MainWindow) -> None:
    stand(qtbot, window, "jrs-classroom", 57)
    log = window.docks["decisions"].panel
    rows = {log.model.entry(row).event: row for row in range(log.model.rowCount())}
    chosen(log.menu(rows[57]), "Why?")
    assert "job 25" in answered(qtbot, window)
    chosen(log.menu(rows[56]), "Why?")
    qtbot.waitUntil(lambda: "decides nothing" in window.status.said.text())
    chosen(log.menu(rows[57]), "Why?")
    qtbot.waitUntil(lambda: not window.status.said.text())
    assert "job 25" in answered(qtbot, window)


def test_the_answer_is_there_while_the_change_is_searched_and_esc_stops_that(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    def search_on(*_: object) -> None:
        while True:
            who_waits().look(Phrase("Trying changes"), None)
            sleep(0.01)

    stand(qtbot, window, "dra-classroom", 47)
    press(qtbot, window, Key.Key_W)
    answered(qtbot, window)
    monkeypatch.setattr("slotscope.model.api.with_flip", search_on)
    window.carry_out(Select(server=0))
    press(qtbot, window, Key.Key_W)
    text = window.docks["inspector"].panel.why.text
    qtbot.waitUntil(lambda: "server 1?" in text.text() and "Esc stops it" in text.text())
    press(qtbot, window, Key.Key_Escape)
    qtbot.waitUntil(lambda: "was stopped" in text.text())
    assert "server 1?" in text.text()


def test_a_policy_that_runs_no_more_is_told(qtbot: QtBot, window: MainWindow) -> None:
    """The menu of a comparison's panel may still be open when the comparison has ended."""
    stand(qtbot, window, "dra-classroom", 3)
    window.control.ask_why(AskWhy(), 1)
    qtbot.waitUntil(lambda: "policy 2 runs no more" in window.status.said.text())
