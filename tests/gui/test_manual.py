"""F1 opens the help page for the present run, and commands in pages open what they name."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QApplication, QDialog, QTextBrowser
from pytestqt.qtbot import QtBot

from slotscope.gui.window.manual import OPENS, PAGES, page_of, text_of, window_command
from slotscope.model.api import Session
from slotscope.model.scenario.files import scenario_files
from slotscope.model.scenario.load import load_scenario
from tests.gui.windows import complete_window, press, rest
from tests.help_pages import commands, page

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm")]


@pytest.mark.parametrize(
    ("scenario", "name"),
    [
        ("dra-vms", "lecturer"),
        ("dra-classroom", "dra"),
        ("queues-pools", "queues"),
        ("queues-classroom", "queues"),
        ("jrs-burst", "tokens"),
        ("jrs-deadlock", "tokens"),
        ("moldable-classes", "moldable"),
        ("moldable-sublinear", "moldable"),
    ],
)
def test_each_run_has_its_page(scenario: str, name: str) -> None:
    assert page_of(Session.open(scenario, kernel=False).info) == name
    assert name in PAGES


@pytest.mark.parametrize("name", PAGES)
def test_every_link_of_a_page_names_a_scenario_of_the_program(name: str) -> None:
    text, opened = text_of(name)
    assert text.count(f"]({OPENS}") == len(opened)
    for options in opened:
        assert options.command == "window"
        assert options.scenario in scenario_files()
        assert load_scenario(options.scenario)


@pytest.mark.parametrize("name", PAGES)
def test_links_are_shown_as_words(qapp: QApplication, name: str) -> None:
    document = QTextDocument()
    document.setMarkdown(text_of(name)[0])
    assert f"]({OPENS}" not in document.toPlainText()


def test_all_moments_of_a_page_are_links() -> None:
    for name in ("queues", "moldable"):
        of_window = [one for one in commands(page(name)) if window_command(one)]
        assert of_window
        text, _ = text_of(name)
        for command in of_window:
            assert f"[`{command}`]({OPENS}" in text


@pytest.mark.parametrize(
    "command",
    [
        "slotscope dra-classroom --policy my_policy.py",
        "slotscope run dra-vms",
        "slotscope my.toml",
        "dra-google --trace FILES",
        "slotscope dra-vms --nonsense",
        "slotscope 'dra-vms",
        "slotscope",
        "dra-vms --policy dra:retry",
    ],
)
def test_a_link_opens_no_file_and_runs_no_other_command(command: str) -> None:
    found = window_command(command)
    assert found is None or not found.policies[0].endswith(".py")
    if ".py" in command or "--trace" in command or "run " in command:
        assert found is None


def test_f1_shows_the_page_and_a_click_opens_what_it_names(qtbot: QtBot, tmp_path: Path) -> None:
    with complete_window(qtbot, tmp_path) as window:
        window.control.open("queues-classroom")
        rest(qtbot, window, lambda: window.frame.info.system == "queue")
        press(qtbot, window, Qt.Key.Key_F1)
        (sheet,) = window.findChildren(QDialog)
        browser = sheet.findChild(QTextBrowser)
        assert browser is not None
        assert "no job is turned away" in browser.toPlainText()
        _, opened = text_of("queues")
        place = next(n for n, one in enumerate(opened) if len(one.policies) == 3)
        browser.anchorClicked.emit(QUrl(f"{OPENS}{place}"))
        rest(qtbot, window, lambda: len(window.frame.companions) == 2)
        assert window.frame.info.scenario_name == "queues-vqs-unstable"
        assert sheet.isVisible()
