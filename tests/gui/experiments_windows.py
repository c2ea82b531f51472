"""The window of experiments for tests, and how tests operate it with keys and mouse."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator

from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from slotscope.gui.experiments.form import SWEEP
from slotscope.gui.experiments.window import ExperimentsWindow
from slotscope.gui.theme import load_theme
from slotscope.model.api import Session

Key = Qt.Key

#: Milliseconds to wait for the end of an experiment.
PATIENCE = 180_000


def shown_experiments(qtbot: QtBot, tmp_path: Path) -> Iterator[ExperimentsWindow]:
    """The window alone, with dra-classroom open and an empty folder for results; closed at the end."""
    settings = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    settings.setValue("experiments/folder", str(tmp_path / "results"))
    settings.setValue("experiments/workers", 2)
    made = ExperimentsWindow(settings, load_theme("light"))
    qtbot.addWidget(made)
    made.resize(1280, 720)
    made.follow(Session.open("dra-classroom", kernel=False).info)
    made.show()
    qtbot.waitExposed(made)
    made.look()
    yield made
    made.shut_down()


def click(qtbot: QtBot, widget: QWidget) -> None:
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)


def choose(qtbot: QtBot, window: ExperimentsWindow, key: str) -> None:
    """Click an entry of the list."""
    items = (window.list.item(row) for row in range(window.list.count()))
    entry = window.list.entry(key)
    item = next(item for item in items if item.data(Qt.ItemDataRole.UserRole) == entry)
    window.list.scrollToItem(item)
    place = window.list.visualItemRect(item).center()
    qtbot.mouseClick(window.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert window.list.current() == key


def write(qtbot: QtBot, field: QWidget, text: str) -> None:
    """Replace the text of a field, key by key."""
    field.setFocus()
    qtbot.keyClick(field, Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(field, Key.Key_Delete)
    for line, words in enumerate(text.split("\n")):
        if line:
            qtbot.keyClick(field, Key.Key_Return)
        qtbot.keyClicks(field, words)


def sweep(qtbot: QtBot, window: ExperimentsWindow, values: str, until: str) -> None:
    """Choose the sweep and fill in its form."""
    choose(qtbot, window, SWEEP)
    write(qtbot, window.form.values.area, values)
    write(qtbot, window.form.until.line, until)


def finish(qtbot: QtBot, window: ExperimentsWindow) -> None:
    qtbot.waitUntil(lambda: not window.laboratory.busy, timeout=PATIENCE)
