"""The tour: its statements about keys are true, it is offered once and does not disturb, and Esc leaves it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QKeySequence, QPixmap
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot

from slotscope.gui import app
from slotscope.gui.lessons.strip import TOUR
from slotscope.gui.main_window import MainWindow
from slotscope.gui.window.actions import COMMANDS
from slotscope.gui.window.splash import Splash
from slotscope.model.lessons.files import lesson_files, load_lesson
from tests.gui.test_keys import strike
from tests.gui.windows import complete_window, rest

Key = Qt.Key
#: The command of each key that the tour names.
KEYS = {
    "PageDown": "lesson_next",
    "PageUp": "lesson_back",
    "Esc": "stop",
    "Right": "step",
    "Left": "step_back",
    "Space": "run",
    ">": "faster",
    "<": "slower",
    "Shift+Right": "into",
    "Shift+Left": "back_into",
    "R": "reveal",
    "A": "ask_me",
    "W": "why",
    "F8": "lessons",
    "X": "exercise",
    "Ctrl+E": "experiments",
    "L": "lecture",
    "?": "shortcuts",
    "F1": "help",
}

#: Words in bold that are no keys of the window; Enter belongs to the field.
WORDS = {"orange", "Predict first", "Why not server 7?", "Enter"}


def test_the_keys_that_the_tour_names_do_what_it_says() -> None:
    named = {
        word for step in load_lesson(lesson_files()[TOUR]).steps for word in re.findall(r"\*\*(.+?)\*\*", step.text)
    }
    assert named == {*KEYS, *WORDS}
    given = {command.name: {key.replace("Pg", "Page") for key in command.all_keys} for command in COMMANDS}
    assert all(key in given[name] for key, name in KEYS.items())


def test_it_takes_two_minutes() -> None:
    """At 180 words per minute."""
    words = sum(len(step.text.split()) for step in load_lesson(lesson_files()[TOUR]).steps)
    assert 1.5 <= words / 180 <= 2.5


def close_page(window: MainWindow) -> None:
    """Close the page with the list of all lessons, the only open dialog."""
    (page,) = (one for one in window.findChildren(QDialog) if one.isVisible())
    page.close()


@pytest.mark.slow
@pytest.mark.usefixtures("warm")
def test_it_is_offered_once_and_esc_leaves_it(qtbot: QtBot, tmp_path: Path) -> None:
    with complete_window(qtbot, tmp_path) as window:
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        window.control.open("dra-vms", running=True)
        rest(qtbot, window, lambda: window.frame.event > 0)
        lessons = window.lessons
        lessons.offer.offer()
        assert lessons.offer.isVisible() and lessons.lesson is None and QApplication.focusWidget() is window
        strike(window, Key.Key_Escape)  # Esc first closes the offer, and does not stop the run
        assert lessons.offer.isHidden() and window.frame.playing
        lessons.offer.offer()
        assert lessons.offer.isHidden()
        window.settings.clear()
        window.welcome()  # at the first start nothing covers the run
        assert lessons.offer.isVisible() and not [one for one in window.findChildren(QDialog) if one.isVisible()]
        qtbot.mouseClick(lessons.offer.buttons["all"], Qt.MouseButton.LeftButton)
        assert lessons.offer.isHidden()
        close_page(window)
        window.welcome()  # from the second time on, all lessons are listed
        assert lessons.offer.isHidden()
        close_page(window)
        window.settings.clear()
        window.welcome()
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        qtbot.mouseClick(lessons.offer.buttons["begin"], Qt.MouseButton.LeftButton)
        rest(qtbot, window, lambda: (window.frame.info.scenario_name, window.frame.event) == ("dra-classroom", 14))
        assert lessons.lesson is not None and lessons.offer.isHidden()
        for number in range(1, len(lessons.lesson.steps)):
            lessons.questions.close()
            strike(window, Key.Key_PageDown)
            assert lessons.number == number
        rest(qtbot, window, lambda: window.frame.event == 18 and len(window.frame.lanes) == 1)
        strike(window, Key.Key_Escape)
        assert lessons.lesson is None and lessons.strip.isHidden()
        lessons.offer.offer()
        assert lessons.offer.isHidden()
        window.actions_by_name["tour"].trigger()  # again, from the Help menu
        assert lessons.lesson is not None and lessons.strip.isVisible()


@pytest.mark.slow
@pytest.mark.usefixtures("warm")
def test_a_lesson_has_the_room_of_the_offer_and_the_keys(qtbot: QtBot, tmp_path: Path) -> None:
    with complete_window(qtbot, tmp_path) as window:
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        offer = window.lessons.offer
        offer.offer()
        offer.buttons["all"].setFocus()
        window.lessons.open("dra-1-decision")
        assert offer.isHidden() and QApplication.focusWidget() is window
        rest(qtbot, window, lambda: window.frame.info.scenario_name == "dra-classroom")
        assert offer.offer()  # it is still unanswered


@pytest.mark.slow
@pytest.mark.parametrize(("asked", "shown"), [({"offer": True}, True), ({}, False)])
def test_only_a_start_without_a_scenario_offers_it(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, asked: dict[str, bool], shown: bool
) -> None:
    """With the program's own start, up to the event loop."""
    offered: list[bool] = []
    lectures: list[bool] = []
    settings = QSettings(str(tmp_path / "s.ini"), QSettings.Format.IniFormat)
    windows = []

    def ends(*_: object) -> int:
        (window,) = windows
        window.ready.emit()  # as after all panels are built
        offered.append(not window.lessons.offer.isHidden())
        lectures.append(window.lecture.returns)
        window.close()
        return 0

    made = app.make_window

    def keep(store: QSettings, theme: str | None = None) -> object:
        windows.append(made(store, theme))
        return windows[0]

    monkeypatch.setattr(app, "QSettings", lambda: settings)
    monkeypatch.setattr(app, "make_window", keep)
    monkeypatch.setattr(QApplication, "exec", ends)
    monkeypatch.setattr(app.signal, "signal", lambda *_: None)
    splash = Splash(QPixmap())
    splash.pressed.append(QKeySequence("F5"))
    monkeypatch.setattr(app, "show_splash", lambda *_: splash)
    monkeypatch.setattr(app, "install", lambda: None)
    assert app.main("dra-classroom", **asked) == 0
    assert offered == [shown]
    assert lectures == [True]  # keys pressed at the splash screen take effect once all panels are built
