"""The way back from a fork: the panels that were in front are in front again, wherever the focus was meanwhile."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from slotscope.gui.main_window import MainWindow
from slotscope.gui.running import forks
from tests.gui.windows import complete_window, press, rest

Key = Qt.Key
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm")]


def fronts(window: MainWindow) -> set[str]:
    return {name for name, dock in window.docks.items() if dock.seen}


@pytest.mark.parametrize(
    ("scenario", "policy"),
    [
        ("jrs-classroom", "first-fit"),
        ("dra-classroom", "best-fit"),
        ("queues-classroom", "bf-js"),
        ("moldable-classroom", "greedy"),
    ],
)
@pytest.mark.parametrize("keys", ["beside", "track", "hall"])
def test_what_stood_in_front_does_so_again(qtbot: QtBot, tmp_path: Path, scenario: str, policy: str, keys: str) -> None:
    with complete_window(qtbot, tmp_path, height=720) as window:
        window.resize(1280, 720)
        window.control.open(scenario)
        rest(qtbot, window, lambda: window.frame.info.scenario_name == scenario and window.area.complete)
        window.control.go_to(20)
        rest(qtbot, window, lambda: window.frame.event == 20)
        before = fronts(window)
        assert "track" not in before
        beside = window.area.roles.beside
        assert beside in before
        window.docks[beside].panel.setFocus()
        window.worker.post(partial(forks.fork, policy=policy))
        rest(qtbot, window, lambda: len(window.frame.companions) == 1)
        qtbot.waitUntil(lambda: "comparison" in window.docks and window.docks["comparison"].seen)
        assert window.focusWidget() is window, "behind a tab they bring that to the front once a dialog closes"
        if keys == "hall":
            press(qtbot, window, Key.Key_L)
            qtbot.waitUntil(lambda: window.lecture.on)
        elif keys == "beside":
            window.lanes.bring(beside, 0)
            window.docks[beside].panel.setFocus()
            assert window.focusWidget() is window.docks[beside].panel
        else:
            window.lanes.bring(keys, 0)
            inside = window.docks[keys].panel.findChildren(type(window.docks["track"].panel.entry.field)) or [
                window.docks[keys].panel
            ]
            inside[0].setFocus()
        press(qtbot, window, Key.Key_Z, CTRL | SHIFT)
        rest(qtbot, window, lambda: not window.frame.companions)
        if keys == "hall":
            press(qtbot, window, Key.Key_L)
            qtbot.waitUntil(lambda: not window.lecture.on)
        qtbot.waitUntil(lambda: fronts(window) == before)
