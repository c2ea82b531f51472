"""Questions in the window: answered by typing and by pointing, held back, stepped out, revealed to a class."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from slotscope.gui.intents import Select
from slotscope.gui.main_window import MainWindow
from tests.gui.test_keys import strike
from tests.gui.windows import complete_window, rest, warm

Key = Qt.Key
__all__ = ["warm"]
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm")]

LESSON = """
title = "Predict"
learn = "What comes next."
[[steps]]
moment = "slotscope dra-classroom --policy dra --seed 171 --event 17"
text = "A training job comes."
question = { ask = "server" }
[[steps]]
moment = "slotscope dra-classroom --policy dra --seed 171 --event 14.1"
text = "It leaves a slot."
question = { ask = "migration" }
[[steps]]
moment = "slotscope queues-classroom --policy max-weight --seed 3 --event 51"
text = "A server is empty."
question = { ask = "value", of = "lengths" }
"""


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> Iterator[MainWindow]:
    with complete_window(qtbot, tmp_path) as made:
        made.activateWindow()
        qtbot.waitUntil(made.isActiveWindow)
        path = tmp_path / "mine.toml"
        path.write_text(LESSON, "utf-8")
        made.lessons.open(path)
        qtbot.waitUntil(lambda: made.lessons.questions.open)
        yield made


def place(window: MainWindow) -> tuple[int, int]:
    return window.frame.event, len(window.frame.records)


def test_a_student_answers_with_the_keyboard(qtbot: QtBot, window: MainWindow) -> None:
    line = window.lessons.questions.line
    qtbot.waitUntil(line.answer.hasFocus)
    assert "Which server takes it, or none?" in line.words.text() and not line.verdict.isVisible()
    QTest.keyClicks(line.answer, "server 9")
    strike(window, Key.Key_Return)
    assert "found 'server 9', allowed: the number of a server" in line.fault.text()
    window.setFocus()
    for key in (Key.Key_Right, Key.Key_Space, Key.Key_E):  # the run is held back
        strike(window, key)
    strike(window, Key.Key_PageDown)
    assert "Commit an answer first" in line.fault.text()
    qtbot.wait(200)
    assert place(window) == (17, 0) and window.lessons.number == 0
    strike(window, Key.Key_A)
    assert line.answer.hasFocus()
    line.answer.clear()
    QTest.keyClicks(line.answer, "7")
    strike(window, Key.Key_Return)
    assert line.verdict.text().startswith("✗ Not so: server 7 has no empty slot of type training")
    assert "Algorithm 2, line 18" in line.verdict.text()
    rest(qtbot, window, lambda: place(window) == (17, 2))
    strike(window, Key.Key_PageDown)
    rest(qtbot, window, lambda: place(window) == (14, 1))


def test_a_click_on_a_server_answers(qtbot: QtBot, window: MainWindow) -> None:
    window.lessons.questions.close()
    strike(window, Key.Key_PageDown)
    qtbot.waitUntil(lambda: window.lessons.questions.open)
    line = window.lessons.questions.line
    window.carry_out(Select(server=3))
    assert line.answer.text() == ""  # only what somebody points at in a panel answers
    window.docks["servers"].panel.intent.emit(Select(server=6, job=12))
    assert line.answer.text() == "7"
    qtbot.mouseClick(line.buttons["commit"], Qt.MouseButton.LeftButton)
    assert line.verdict.text().startswith("✓ Right: job 12 of server 7 migrates")
    rest(qtbot, window, lambda: place(window) == (14, 2))


def test_a_hall_counts_and_reveals(qtbot: QtBot, window: MainWindow) -> None:
    strike(window, Key.Key_Escape)
    window.setFocus()
    strike(window, Key.Key_L)
    qtbot.waitUntil(lambda: window.lecture.on and window.lessons.questions.line.counts.isVisible())
    line = window.lessons.questions.line
    line.counts.setFocus()
    QTest.keyClicks(line.counts, "none = 12; 7 = 30; 2")
    strike(window, Key.Key_Return)
    assert "found '2', allowed: answers with how many gave them" in line.fault.text() and window.lessons.questions.open
    line.counts.setText("none = 12; 7 = 30")
    strike(window, Key.Key_PageDown)
    assert "✗ 7: 30 (71%) · ✓ none: 12 (29%)" in line.verdict.text() and line.verdict.text().startswith("none: ")
    rest(qtbot, window, lambda: place(window) == (17, 2))
    strike(window, Key.Key_PageDown)
    rest(qtbot, window, lambda: place(window) == (14, 1))


def test_who_steps_past_the_decision_has_seen_the_answer(qtbot: QtBot, window: MainWindow) -> None:
    window.control.step()
    qtbot.waitUntil(lambda: not window.lessons.questions.open)
    assert window.lessons.questions.line.verdict.text().startswith("none: ")


def test_ask_me_this_asks_for_the_decision_that_comes(qtbot: QtBot, window: MainWindow) -> None:
    window.lessons.end()
    assert not window.lessons.questions.open and window.lessons.questions.line.isHidden()
    strike(window, Key.Key_A)
    qtbot.waitUntil(lambda: window.lessons.questions.open)
    strike(window, Key.Key_Escape)
    assert window.lessons.questions.line.words.text().startswith("The training job")
