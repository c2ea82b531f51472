"""The splash screen is visible before anything heavy is imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from slotscope.gui.main_window import MainWindow
from slotscope.gui.theme import load_theme
from slotscope.gui.window.splash import show_splash
from tests.gui.painted import colours_in, pixels_of

ROOT = Path(__file__).resolve().parents[2]

HEAVY = ("numpy", "pydantic", "numba", "pyqtgraph", "pulp", "scipy", "slotscope.model.api")


def test_it_shows_the_name_and_the_slots(qapp: QApplication, qtbot: QtBot) -> None:
    theme = load_theme("dark")
    splash = show_splash(qapp, theme)
    qtbot.addWidget(splash)
    assert splash.windowHandle().isExposed()
    colours = colours_in(pixels_of(splash.pixmap().toImage())[::4])
    assert {theme.panel, *theme.types[:4]} <= colours
    assert len(colours) > 12  # text is antialiased


def test_it_has_the_keys_until_the_window_comes(qapp: QApplication, qtbot: QtBot, window: MainWindow) -> None:
    splash = show_splash(qapp, load_theme("light"))
    qtbot.addWidget(splash)
    qtbot.waitUntil(splash.isActiveWindow)
    qtbot.keyClick(splash, Qt.Key.Key_F5)
    qtbot.keyClick(splash, Qt.Key.Key_Z)  # a key without a command
    for keys in splash.pressed:
        window.actions_by_name.press(keys)
    assert window.lecture.on


def test_nothing_heavy_is_needed_for_it() -> None:
    code = f"import sys, gui.app\nprint([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_no_enum_of_qt_is_made_for_it() -> None:
    """All enums of the namespace would be created at once, which takes a tenth of the time to the first picture."""
    code = """
import sys
import gui.app as app
from PySide6 import QtCore
made = app.application()
app.show_splash(made, app.themes.load_theme("light"))
print("Qt" in vars(QtCore))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
