"""While another run is opened, which takes long on a slow machine, a note shows that the picture is of the old run."""

from __future__ import annotations

from threading import Event
from time import monotonic
from typing import Any, Iterator

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from slotscope.gui.main_window import MainWindow
from slotscope.gui.running.goals import GoalProgress
from slotscope.model.api import Session
from slotscope.model.running.waiting import GivenUpError, who_waits
from tests.gui.windows import open_anew, press, rest
from tests.limits import PATIENCE


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Event]:
    """An event that blocks the opening of runs until it is set."""
    gate, opened = Event(), Session.open

    def slowly(*arguments: Any, **choices: Any) -> Session:
        end = monotonic() + PATIENCE / 1000
        while not gate.wait(0.01):
            assert monotonic() < end
            if who_waits().stop():
                raise GivenUpError("opening was given up")
        return opened(*arguments, **choices)

    gate.set()
    monkeypatch.setattr(Session, "open", slowly)
    yield gate
    gate.set()


@pytest.fixture
def window(qtbot: QtBot, gate: Event, shared_window: MainWindow) -> MainWindow:
    open_anew(qtbot, shared_window, "dra-classroom")
    assert shared_window.transport.policy.currentText() == "dra"
    gate.clear()
    return shared_window


def note_of(window: MainWindow) -> QLabel:
    return window.findChild(QLabel, "opening")


def choose(window: MainWindow, scenario: str) -> None:
    """Choose a scenario in its combo box, which shows it at once."""
    box = window.transport.scenario
    box.setCurrentIndex(box.findData(scenario))
    box.activated.emit(box.currentIndex())


@pytest.mark.slow
@pytest.mark.parametrize("lecture", [False, True])
def test_the_old_picture_says_what_is_being_opened(
    qtbot: QtBot, window: MainWindow, gate: Event, lecture: bool
) -> None:
    if lecture:
        press(qtbot, window, Qt.Key.Key_L)
        qtbot.waitUntil(window.status.isHidden)
    note = note_of(window)
    assert not note.isVisible()
    choose(window, "dra-example-1")
    qtbot.waitUntil(lambda: note.isVisible() and window.updatesEnabled())
    assert note.text() == "Opening dra-example-1"
    servers = window.docks[window.area.roles.servers]
    assert note.geometry().center() == servers.geometry().center()
    assert note.width() >= note.sizeHint().width()
    before = servers.geometry()
    window.resize(window.width() - 200, window.height() - 100)
    qtbot.waitUntil(lambda: servers.geometry() != before and note.geometry().center() == servers.geometry().center())
    assert window.info.scenario_name == "dra-classroom"
    gate.set()
    rest(qtbot, window, lambda: window.info.scenario_name == "dra-example-1")
    qtbot.waitUntil(lambda: not note.isVisible())


@pytest.mark.slow
def test_a_policy_that_is_chosen_opens_the_same_scenario(qtbot: QtBot, window: MainWindow, gate: Event) -> None:
    note = note_of(window)
    window.control.run_again("first-fit", 1)
    qtbot.waitUntil(note.isVisible)
    assert note.text() == "Opening dra-classroom"
    gate.set()
    rest(qtbot, window, lambda: window.info.policy_name == "first-fit")
    qtbot.waitUntil(lambda: not note.isVisible())


@pytest.mark.slow
def test_the_space_bar_runs_what_is_being_opened(qtbot: QtBot, window: MainWindow, gate: Event) -> None:
    choose(window, "dra-example-1")
    qtbot.waitUntil(note_of(window).isVisible)
    press(qtbot, window, Qt.Key.Key_Space)
    gate.set()
    rest(qtbot, window, lambda: window.info.scenario_name == "dra-example-1" and window.frame.playing)
    window.control.pause()
    rest(qtbot, window, lambda: not window.frame.playing)


@pytest.mark.slow
def test_what_is_refused_is_opened_no_more(qtbot: QtBot, window: MainWindow, gate: Event) -> None:
    note = note_of(window)
    window.control.open("no-such-scenario")
    qtbot.waitUntil(note.isVisible)
    gate.set()
    qtbot.waitUntil(lambda: "no-such-scenario" in window.status.said.text())
    qtbot.waitUntil(lambda: not note.isVisible())
    assert window.info.scenario_name == "dra-classroom"


@pytest.mark.slow
def test_what_takes_long_in_the_same_run_is_not_told_over_its_picture(
    qtbot: QtBot, window: MainWindow, gate: Event
) -> None:
    told: list[str] = []
    window.worker.progressed.connect(lambda progress: told.append(progress.text))
    window.control.go_to(3_000)
    rest(qtbot, window, lambda: window.frame.event == 3_000)
    assert not note_of(window).isVisible()


@pytest.mark.slow
def test_a_hall_is_told_all_that_takes_long(qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no line below the panels; and the note is not cut if it is wider than the servers."""
    press(qtbot, window, Qt.Key.Key_L)
    qtbot.waitUntil(window.status.isHidden)
    note = note_of(window)
    monkeypatch.setattr(note, "sizeHint", lambda: QSize(window.width() - 10, 40))
    window.control.run_until(event=10**12)
    qtbot.waitUntil(note.isVisible, timeout=PATIENCE)
    qtbot.waitUntil(lambda: note.width() == window.width() - 10, timeout=PATIENCE)
    assert window.rect().contains(note.geometry())
    qtbot.waitUntil(lambda: note.text().startswith("Running to event 1"), timeout=PATIENCE)
    press(qtbot, window, Qt.Key.Key_Escape)
    qtbot.waitUntil(note.isHidden, timeout=PATIENCE)


def test_what_is_told_once_is_told_in_whichever_mode_comes(qtbot: QtBot, window: MainWindow) -> None:
    note = note_of(window)
    window.worker.progressed.emit(GoalProgress("Compiling the policy"))
    assert note.isHidden()
    for shown in (note.isVisible, note.isHidden):
        press(qtbot, window, Qt.Key.Key_L)
        qtbot.waitUntil(shown, timeout=PATIENCE)
    assert note.text() == "Compiling the policy"
