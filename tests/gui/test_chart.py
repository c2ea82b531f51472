"""Clicks in charts."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from slotscope.gui.theme import load_theme
from slotscope.gui.widgets.chart import Chart
from tests.gui.windows import on_screen

Button = Qt.MouseButton


class LeftHalf(Chart):
    """A chart with something to click in its left half."""

    def __init__(self) -> None:
        super().__init__(load_theme("light"), "halves")
        self.told: list[bool] = []

    def pick(self, point: QPointF, double: bool) -> bool:
        found = point.x() < self.width() / 2
        if found:
            self.told.append(double)
        return found


class Owner(QWidget):
    """Receives the clicks that the chart ignores."""

    def __init__(self, chart: Chart) -> None:
        super().__init__()
        QVBoxLayout(self).addWidget(chart)
        self.left = 0

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.left += 1


@pytest.mark.parametrize(
    ("button", "x", "told", "left"),
    [(Button.LeftButton, 10, 1, 0), (Button.RightButton, 10, 1, 0), (Button.MiddleButton, 10, 0, 1)]
    + [(button, 150, 0, 1) for button in (Button.LeftButton, Button.RightButton)],
)
def test_a_click_tells_what_is_there_and_others_are_left_to_the_owner(
    qtbot: QtBot, button: Qt.MouseButton, x: int, told: int, left: int
) -> None:
    chart = LeftHalf()
    owner = on_screen(qtbot, Owner(chart), 200, 100)
    qtbot.mouseClick(chart, button, pos=QPoint(x, 10))
    assert (chart.told, owner.left) == ([False] * told, left)
    qtbot.mouseDClick(chart, button, pos=QPoint(x, 10))
    assert (chart.told[told:], owner.left) == ([True] * told, 2 * left)
