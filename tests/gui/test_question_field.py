"""The field for questions alone: the effect of Enter while names are offered."""

from __future__ import annotations

from typing import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from slotscope.gui.widgets.question_field import QuestionField
from slotscope.model.api import Session

Key = Qt.Key


@pytest.fixture(scope="module")
def session() -> Session:
    return Session.open("dra-classroom", kernel=False)


@pytest.fixture
def field(qtbot: QtBot, session: Session) -> Iterator[QuestionField]:
    field = QuestionField()
    qtbot.addWidget(field)
    field.set_words(session.info.words)
    field.resize(300, 30)
    field.show()
    field.setFocus()
    yield field
    field.list.hide()


def offered(qtbot: QtBot, field: QuestionField, text: str) -> None:
    qtbot.keyClicks(field, text)
    qtbot.waitUntil(field.list.isVisible)


@pytest.mark.parametrize("text", ("rejected", "serv", "empty_slots[2] > 0 and reject"))
def test_enter_means_what_stands_there_where_no_name_was_chosen(qtbot: QtBot, field: QuestionField, text: str) -> None:
    entered: list[str] = []
    field.returnPressed.connect(lambda: entered.append(field.text()))
    field.returnPressed.connect(field.clear)
    offered(qtbot, field, text)
    qtbot.keyClick(field.list, Key.Key_Return)
    assert entered == [text]
    assert not field.text() and not field.list.isVisible()


def test_a_name_that_was_chosen_is_taken_and_nothing_entered_yet(qtbot: QtBot, field: QuestionField) -> None:
    entered: list[str] = []
    field.returnPressed.connect(lambda: entered.append(field.text()))
    offered(qtbot, field, "not rejec")
    qtbot.keyClick(field.list, Key.Key_Down)
    qtbot.keyClick(field.list, Key.Key_Return)
    assert field.text().startswith("not reject") and field.text() != "not rejec" and not entered
    qtbot.keyClick(field, Key.Key_Return)
    assert entered == [field.text()]


def test_a_click_beside_the_list_closes_it_and_is_one(qtbot: QtBot, session: Session) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    field, button = QuestionField(window), QPushButton("Save", window)
    field.set_words(session.info.words)
    button.move(400, 0)
    window.resize(600, 200)
    window.show()
    field.setFocus()
    clicks: list[bool] = []
    button.clicked.connect(lambda: clicks.append(True))
    offered(qtbot, field, "rej")
    QTest.mousePress(
        field.list, Qt.MouseButton.LeftButton, pos=field.list.mapFromGlobal(button.mapToGlobal(QPoint(9, 9)))
    )
    qtbot.waitUntil(button.isDown)
    assert not field.list.isVisible() and button.hasFocus()
    QTest.mouseRelease(button, Qt.MouseButton.LeftButton, pos=QPoint(9, 9))
    assert len(clicks) == 1 and field.text() == "rej"
    field.setFocus()
    offered(qtbot, field, "e")
    QTest.mousePress(field.list.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(9, 9))
    assert field.list.isVisible()  # clicks in the list still choose a name
    field.list.hide()
