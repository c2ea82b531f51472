"""A widget is drawn once, at its final size, however deeply it is nested."""

from __future__ import annotations

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from slotscope.gui.widgets.motion import settle
from tests.gui.windows import on_screen

DEEP = 8


def test_a_wish_for_room_climbs_through_all_widgets_before_anything_is_shown(qtbot: QtBot) -> None:
    top = on_screen(qtbot, QWidget(), 200, 100)
    inner = top
    for _ in range(DEEP):
        layout = QVBoxLayout(inner)
        layout.setContentsMargins(0, 0, 0, 0)
        inner = QWidget()
        layout.addWidget(inner)
    settle(lambda: None)
    shown: list[int] = []
    inner.setMinimumHeight(300)
    settle(lambda: shown.append(top.height()))
    assert shown == [300]


def test_what_is_shown_is_shown_anew_where_it_asks_for_more_room(qtbot: QtBot) -> None:
    top = on_screen(qtbot, QWidget(), 200, 100)
    inner = QWidget()
    QVBoxLayout(top).addWidget(inner)
    settle(lambda: None)
    shown: list[int] = []

    def show() -> None:
        shown.append(inner.height())
        inner.setMinimumHeight(300)

    settle(show)
    assert shown[1:] == [300]


class _Growing(QWidget):
    def resizeEvent(self, event: QResizeEvent) -> None:
        self.setMinimumHeight(self.height() + 1)


def test_what_grows_for_ever_is_shown_all_the_same(qtbot: QtBot) -> None:
    top = on_screen(qtbot, QWidget(), 200, 100)
    QVBoxLayout(top).addWidget(_Growing())
    shown: list[int] = []
    settle(lambda: shown.append(top.height()))
    assert len(shown) == 1
