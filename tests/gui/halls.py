"""A window on a projector of 1280x720, at a moment and in lecture mode."""

from __future__ import annotations

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from slotscope.gui.main_window import MainWindow
from slotscope.model.running.origin import Moment
from tests.gui.windows import press

PROJECTOR = (1280, 720)
#: Least font size in points that can be read in the last row.
READ = 16


def stand(
    qtbot: QtBot, window: MainWindow, scenario: str, policies: tuple[str, ...], event: int, substep: int = 0
) -> None:
    """Go to a moment after an event, or within the next one, in lecture mode."""
    window.stand_at(scenario, policies, None, (), None, Moment((event,), substep))
    qtbot.waitUntil(lambda: window.area.complete)
    if not window.lecture.on:
        press(qtbot, window, Qt.Key.Key_L)
    qtbot.wait(50)
    window.settle()


def bring(qtbot: QtBot, window: MainWindow, key: Qt.Key) -> None:
    press(qtbot, window, key)
    qtbot.wait(50)
    qtbot.waitUntil(window.updatesEnabled)


def shown(window: MainWindow) -> set[str]:
    return {name for name, dock in window.docks.items() if not dock.isHidden()}
