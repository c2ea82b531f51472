"""The first window of a process: what is imported for it, in which thread, and how much at a time."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from slotscope.gui.app import close_at_signals
from slotscope.gui.kinds.rooms import PANEL_ROOMS
from slotscope.gui.panels import panels_of

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]

#: Builds the panels of each kind of system, and prints what was imported in which thread and turn.
_BUILDS = """
import json, sys, threading
from PySide6.QtCore import QEventLoop, QSettings, QTimer
from slotscope.gui.app import make_window
from slotscope.gui.docking.panel_docks import PanelDocks
from slotscope.gui.window.application import application, destroy

class Watch:
    def __init__(self):
        self.imported = []

    def find_spec(self, name, path=None, target=None):
        self.imported.append((name, threading.current_thread() is threading.main_thread(), turn[0]))

def counted(docks, build=PanelDocks.build):
    turn[0] += 1
    build(docks)

turn = [0]
PanelDocks.build = counted
watch = Watch()
sys.meta_path.insert(0, watch)
app = application(offscreen=True)
window = make_window(QSettings(sys.argv[1], QSettings.Format.IniFormat))
window.show()
watch.imported.clear()
for system in sys.argv[2:]:
    loop = QEventLoop()
    window.panels.completed.connect(loop.quit)
    window.panels.show_system(system)
    QTimer.singleShot(0, window.panels.build)
    loop.exec()
from PySide6 import QtCore
from pyqtgraph import QtCore as mirror
from shiboken6 import Shiboken
made = [each.__name__ for each in Shiboken.Object.__subclasses__()]
same = all(getattr(mirror, name) is getattr(QtCore, name) for name in dir(QtCore) if name.startswith("Q"))
told = {"imported": watch.imported, "modules": sorted(sys.modules), "made": made, "same": same, "all": dir(QtCore)}
print(json.dumps(told))
destroy(window)
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[list[object]]]:
    """The output of this process."""
    settings = tmp_path_factory.mktemp("start") / "settings.ini"
    words = [sys.executable, "-W", "error", "-c", _BUILDS, str(settings), *PANEL_ROOMS]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, list[list[object]]] = json.loads(done.stdout)
    return found


def test_what_uses_qt_is_imported_in_the_thread_of_the_window(told: dict[str, list[list[object]]]) -> None:
    """Else PySide creates classes while the window's thread is in Qt, and the process sometimes crashes."""
    roots = ("PySide6", "pyqtgraph", "slotscope.gui")
    of_qt = {str(name): in_main for name, in_main, _ in told["imported"] if str(name).startswith(roots)}
    panels = {entry.module for system in PANEL_ROOMS for entry in panels_of(system)}
    assert panels | {"pyqtgraph"} <= of_qt.keys()
    assert [name for name, in_main in of_qt.items() if not in_main] == []


def test_the_window_answers_between_two_panels_modules(told: dict[str, list[list[object]]]) -> None:
    panels = {entry.module for system in PANEL_ROOMS for entry in panels_of(system)}
    turns = [turn for name, _, turn in told["imported"] if name in panels or name == "pyqtgraph"]
    assert len(turns) == len(set(turns)) == len(panels) + 1


def test_no_panel_imports_a_solver(told: dict[str, list[list[object]]]) -> None:
    """Solvers run in separate processes; to import one takes as long as to build a window."""
    assert [name for name in told["modules"] if str(name).split(".")[0] in ("scipy", "pulp")] == []


def test_qt_makes_classes_that_are_used_alone_and_pyqtgraph_finds_all(told: dict[str, list[list[object]]]) -> None:
    """Creating all classes would take a twentieth of the starting time, and 5 MB."""
    assert "QLocale" in told["made"]
    assert "QBitArray" not in told["made"]
    assert "QBitArray" in told["all"]
    assert told["same"]


def test_a_signal_closes_no_window_under_a_painter(qtbot: QtBot) -> None:
    """A signal handler may run at any point of Python code, even while a picture is painted."""
    before = [signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)]
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    try:
        close_at_signals(window)
        signal.raise_signal(signal.SIGTERM)
        assert window.isVisible()
        qtbot.waitUntil(window.isHidden)
    finally:
        for one, handler in zip((signal.SIGINT, signal.SIGTERM), before, strict=True):
            signal.signal(one, handler)
