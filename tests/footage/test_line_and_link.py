"""The command line and the link that a key copies: they open the same moment, or the window says why they cannot."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from slotscope.gui.language.words import speak
from slotscope.gui.main_window import MainWindow
from slotscope.gui.widgets.fault_words import FaultLine
from slotscope.model.cli.arguments import parse
from slotscope.model.reporting.frame import Frame
from tests.footage.test_sharing import CTRL, SHIFT, Key, said_by, window
from tests.gui.windows import shared_window

__all__ = ["shared_window", "window"]


def test_line_and_link_open_the_moment(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.keyClick(window, Key.Key_L, CTRL)
    copied = QGuiApplication.clipboard().mimeData()
    line, link = copied.text(), copied.html()
    assert line == "slotscope dra-classroom --policy dra --seed 171 --event 18"
    qtbot.keyClick(window, Key.Key_L, CTRL | SHIFT)
    alone = QGuiApplication.clipboard().text()
    assert alone == "slotscope://open?scenario=dra-classroom&policy=dra&seed=171&event=18"
    assert alone.replace("&", "&amp;") in link and f">{line}<" in link
    assert vars(parse(line.split()[1:])) == vars(parse([alone]))


def test_there_is_no_link_to_what_others_have_not(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = said_by(window)
    monkeypatch.setattr("slotscope.gui.sharing.control.link_of", lambda *_: "")
    QGuiApplication.clipboard().setText("mine")
    window.actions_by_name["copy_link"].trigger()
    assert QGuiApplication.clipboard().text() == "mine"
    assert said[-1].startswith("Nothing is copied: a link names built-in scenarios")


def test_a_run_that_no_command_opens_is_told_so_in_german(
    qapp: QApplication, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = said_by(window)
    monkeypatch.setattr(Frame, "opening_line", "")
    speak(qapp, "de")
    try:
        window.actions_by_name["copy_line"].trigger()
        window.lessons.adding.ask()
        window.lessons.adding.write()
        fault = window.lessons.adding.findChild(FaultLine)
        assert fault is not None and fault.text().startswith("kein Befehl öffnet einen geänderten")
    finally:
        speak(qapp, "en")
        window.lessons.adding.close()
    assert said[-1].startswith("Nichts ist kopiert: kein Befehl öffnet einen geänderten oder abgezweigten Lauf")
