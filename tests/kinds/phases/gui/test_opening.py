"""A plan that takes long to solve: the window says so, and Esc stops it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from slotscope.model.kinds.phases.programs import store
from slotscope.model.scenario.load import write_scenario
from tests.gui.windows import complete_window, press, rest
from tests.kinds.phases.scenarios import many_configurations


def test_a_plan_is_told_and_given_up(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("slotscope.model.running.waiting.PERIOD", 0.05)
    monkeypatch.setattr(store, "folder", lambda: tmp_path / "plans")
    store.forget()
    path = tmp_path / "large.toml"
    write_scenario(path, many_configurations())
    with complete_window(qtbot, tmp_path) as window:
        window.control.open("jrs-classroom")
        rest(qtbot, window, lambda: window.frame.info.scenario_name == "jrs-classroom" and window.area.complete)
        said: list[str] = []
        window.worker.progressed.connect(lambda progress: said.append(progress.text))
        window.control.open(str(path))
        solving = "Solving the single-server problem"
        qtbot.waitUntil(lambda: any(text.startswith(solving) for text in said))
        assert said[0] == "Opening large.toml"
        press(qtbot, window, Qt.Key.Key_Escape)
        qtbot.waitUntil(lambda: window.status.said.text() == "Solving the single-server problem: stopped")
        assert window.frame is not None
        assert window.frame.info.scenario_name == "jrs-classroom"
    store.forget()
