"""The first run of a window: a saved run does not wait for the compiler, and a stopped opening says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from slotscope.gui.main_window import MainWindow
from slotscope.gui.panel import Panel
from slotscope.gui.running import run_control
from slotscope.gui.running.warming import Warming
from slotscope.model.api import Session
from slotscope.model.comparison.comparison import Comparison
from slotscope.model.comparison.file import save_run
from slotscope.model.comparison.runs import lanes_of
from slotscope.model.phrase import Phrase
from slotscope.model.running.waiting import who_waits
from tests.gui.windows import press, rest


def words_of(note: QLabel, window: MainWindow) -> QRect:
    """The place of a note's text in the window."""
    words = note.fontMetrics().boundingRect(note.text())
    words.moveCenter(note.mapTo(window, note.rect().center()))
    return words


@pytest.mark.slow
@pytest.mark.parametrize("policies", [("dra",), ("dra", "first-fit")])
def test_a_saved_run_is_shown_before_anything_is_compiled(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, policies: tuple[str, ...]
) -> None:
    session, *others = (Session.open("dra-classroom", policy, 3) for policy in policies)
    run = Comparison([session, *others]) if others else session
    run.run(events=47)
    save_run(run, tmp_path / "saved.slotscope")
    monkeypatch.setattr(Warming, "ready", lambda _: False)  # on a first start this takes a minute
    window.control.open_session(tmp_path / "saved.slotscope")
    rest(qtbot, window, lambda: window.frame.event == 47)
    assert not any(lane.compiled for lane in lanes_of(window.worker.session))


@pytest.mark.slow
def test_what_is_stopped_before_anything_has_run_says_so(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slowly(_: Path, **__: Any) -> None:
        while True:
            who_waits().look(Phrase("Reading it"), None)

    monkeypatch.setattr(run_control, "load_run", slowly)
    window.control.open_session(tmp_path / "saved.slotscope")
    qtbot.waitUntil(lambda: "Reading it" in window.status.said.text())
    told = window.findChild(QLabel, "opening")
    notes = [panel._note for panel in window.findChildren(Panel) if panel._note.isVisible()]
    assert notes
    assert not any(told.geometry().intersects(words_of(note, window)) for note in notes)
    press(qtbot, window, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.status.said.text() == "Reading it: stopped")
