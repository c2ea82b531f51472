"""The verdict on an answer is shown as long as it is about what is shown."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from slotscope.gui.main_window import MainWindow
from tests.gui.windows import open_anew, press, rest

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm")]

EVENT = 16


@pytest.fixture
def window(qtbot: QtBot, shared_window: MainWindow) -> MainWindow:
    """A window before a decision."""
    window = shared_window
    open_anew(qtbot, window, "dra-classroom")
    rest(qtbot, window, lambda: window.area.complete)
    window.control.go_to(EVENT)
    rest(qtbot, window, lambda: window.frame.event == EVENT)
    return window


def test_a_verdict_goes_where_the_run_has_left_its_decision(qtbot: QtBot, window: MainWindow) -> None:
    line = window.lessons.questions.line
    press(qtbot, window, Qt.Key.Key_A)
    qtbot.waitUntil(lambda: window.lessons.questions.open)
    press(qtbot, window, Qt.Key.Key_R)
    rest(qtbot, window, lambda: bool(window.frame.records) or window.frame.event > EVENT)
    assert line.isVisible()
    window.control.go_to(EVENT)  # back to just before the decision
    rest(qtbot, window, lambda: window.frame.event == EVENT and not window.frame.records)
    assert line.isVisible()
    window.control.go_to(EVENT + 9)
    rest(qtbot, window, lambda: window.frame.event == EVENT + 9)
    assert not line.isVisible() and not window.lessons.questions.stands
