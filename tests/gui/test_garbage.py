"""Widgets in reference cycles are destroyed in the window's thread, whichever thread allocates."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Iterator
from weakref import ref

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QGraphicsGridLayout,
    QGraphicsWidget,
    QLayout,
    QWidget,
    QWidgetItem,
)
from pytestqt.qtbot import QtBot
from shiboken6 import getAllValidWrappers, getCppPointer, isValid

from slotscope.gui.docking.dock_area import DockWindow
from slotscope.gui.plotting.time_plot import PlotText, TimePlot
from slotscope.gui.theme import current_fonts, load_theme
from slotscope.gui.window.application import Collector, application, collect_due, collector_of
from tests.gui.clearing import clear_away, put_aside
from tests.gui.windows import complete_window, rest

ROOT = Path(__file__).resolve().parents[2]

#: Containers allocated at once: more than enough to trigger a collection of the oldest generation.
MANY = 150_000

#: Milliseconds until a test times out.
PATIENCE = 10_000

Deaths = list[threading.Thread]


class Circular(QWidget):
    """A widget in a reference cycle, which only the collector can destroy; it records the thread that does so."""

    def __init__(self, deaths: Deaths) -> None:
        super().__init__()
        self.itself = self
        self.destroyed.connect(lambda: deaths.append(threading.current_thread()), Qt.ConnectionType.DirectConnection)


class Dock(QDockWidget):
    """A dock of a class that is defined in Python."""


@pytest.fixture
def automatic() -> Iterator[None]:
    """Enable Python's automatic collection, as in a program that has just started."""
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    gc.collect()
    gc.enable()
    yield
    gc.disable()
    gc.set_threshold(*before)


@pytest.fixture
def owner(qapp: QApplication) -> Iterator[QObject]:
    """The owner of a collector; both are destroyed after the test."""
    made = QObject()
    yield made
    made.deleteLater()


def allocated_elsewhere() -> list[list[int]]:
    """Allocate in another thread as much as a run does in minutes."""
    kept: list[list[int]] = []
    thread = threading.Thread(target=lambda: kept.extend([n] for n in range(MANY)), name="run")
    thread.start()
    thread.join()
    return kept


def test_a_widget_in_a_circle_dies_in_the_windows_thread(automatic: None, owner: QObject, qtbot: QtBot) -> None:
    deaths: Deaths = []
    collector_of(owner)
    Circular(deaths)
    kept = allocated_elsewhere()  # nothing of it is freed meanwhile
    assert not deaths
    qtbot.waitUntil(lambda: bool(deaths), timeout=PATIENCE)
    assert deaths == [threading.main_thread()]
    assert len(kept) == MANY


def test_there_is_one_collector(qtbot: QtBot) -> None:
    app = application()
    assert application() is app
    assert len(app.findChildren(Collector)) == 1


def test_as_much_is_collected_as_python_would_have(monkeypatch: pytest.MonkeyPatch) -> None:
    collected: list[int] = []
    monkeypatch.setattr(gc, "get_threshold", lambda: (700, 10, 10))
    monkeypatch.setattr(gc, "collect", collected.append)
    for counts in ((700, 10, 10), (701, 3, 3), (9000, 11, 3), (701, 11, 11)):
        monkeypatch.setattr(gc, "get_count", lambda counts=counts: counts)
        collect_due()
    assert collected == [0, 1, 2]


#: A program that freezes an object in a reference cycle, drops it, and prints when it is destroyed.
_SETTLES = """
import gc, weakref
from slotscope.gui.window.application import application
from slotscope.gui.window.application import collector_of

class Node:
    def __init__(self):
        self.itself = self

app = application(offscreen=True)
print(gc.isenabled())
node = Node()
gone = weakref.ref(node)
collector_of(app).settle()
del node
gc.collect()
print(gone() is None)
collector_of(app).settle()
print(gone() is None)
"""


def test_the_program_puts_aside_what_is_there_until_all_settles_again() -> None:
    done = subprocess.run([sys.executable, "-c", _SETTLES], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", "True"]


#: Starts the program, prints which generations are collected among how many objects, and closes.
_STARTS = """
import gc
from PySide6.QtCore import QTimer
from slotscope.gui import app

def collect(*generation, collect=gc.collect):
    print("young" if generation else "all", len(gc.get_objects()), flush=True)
    return collect(*generation)

def make_window(*given, make=app.make_window):
    window = make(*given)
    window.ready.connect(lambda: QTimer.singleShot(0, window.close))
    window.worker.opened.connect(lambda _: print("opened 0"))
    return window

gc.collect = collect
app.make_window = make_window
app.application(offscreen=True)
app.main("dra-classroom")
"""


@pytest.mark.slow
def test_a_start_is_looked_through_once_when_the_window_is_complete(tmp_path: Path) -> None:
    own = os.environ | {"XDG_CONFIG_HOME": str(tmp_path)}
    command = [sys.executable, "-c", _STARTS]
    done = subprocess.run(command, cwd=ROOT, env=own, capture_output=True, text=True, check=True)
    looked = [(what, int(many)) for what, many in map(str.split, done.stdout.splitlines())]
    assert [what for what, _ in looked if what != "young"] == ["opened", "all"]
    names = [what for what, _ in looked]
    assert max((many for _, many in looked[: names.index("all")]), default=0) < dict(looked)["all"] / 2


def test_clearing_away_leaves_to_qt_what_qt_has_made(qapp: QApplication) -> None:
    """Otherwise a layout of graphics items would destroy its own hidden window a second time."""
    before = {id(window): window for window in QApplication.topLevelWidgets()}
    item = QGraphicsWidget()
    layout = QGraphicsGridLayout(item)
    layout.addItem(QGraphicsWidget(), 0, 0)
    layout.activate()
    hidden = [window for window in QApplication.topLevelWidgets() if id(window) not in before]
    ours = QWidget()
    gone: list[str] = []
    ours.destroyed.connect(lambda: gone.append("ours"))
    for window in hidden:
        window.destroyed.connect(lambda: gone.append("Qt's"))
    clear_away()
    assert hidden
    assert gone == ["ours"]


def test_a_plot_takes_its_menus_along(qtbot: QtBot) -> None:
    """Even while Python keeps objects that pyqtgraph created for it."""
    theme = load_theme("light")
    before = len(QApplication.allWidgets())
    plot = TimePlot(theme, current_fonts(), PlotText("x", "y"))
    assert len(QApplication.allWidgets()) > before + len(plot.getPlotItem().ctrlMenu.actions())
    plot.deleteLater()
    qtbot.waitUntil(lambda: len(QApplication.allWidgets()) == before)
    assert not isValid(plot)


def test_a_dock_that_was_taken_out_is_let_go_of(qtbot: QtBot) -> None:
    """Even if it was still found among the children of its window."""
    window = DockWindow()
    qtbot.addWidget(window)
    dock = Dock(window)
    gone = ref(dock)
    window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
    window.removeDockWidget(dock)
    dock.deleteLater()
    window.findChildren(Dock)
    del dock
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert gone() is None


def test_clearing_away_empties_also_what_was_put_aside(qapp: QApplication) -> None:
    widget, held = Circular([]), QObject()
    widget.held, gone = held, ref(held)
    put_aside()
    del widget, held
    clear_away()
    assert gone() is None


@pytest.mark.slow
@pytest.mark.usefixtures("warm")
def test_no_item_of_a_layout_is_known_that_is_gone(qtbot: QtBot, tmp_path: Path) -> None:
    """A new object at the same address would be mistaken for it: a panel got a layout item instead of its viewport."""
    with complete_window(qtbot, tmp_path) as window:
        for scenario in ("queues-classroom", "jrs-classroom", "moldable-classroom", "dra-classroom"):
            window.control.open(scenario)
            rest(qtbot, window, lambda s=scenario: window.frame.info.scenario_name == s and window.area.complete)
        window.lecture.toggle()
        window.lessons.open("dra-1-decision", 1)
        rest(qtbot, window, lambda: window.frame.event == 14)
        window.lecture.toggle()
        window.lessons.end()
        window.settle()
        known = [one for one in getAllValidWrappers() if isinstance(one, QWidgetItem)]
        there = {
            getCppPointer(layout.itemAt(place))
            for layout in window.findChildren(QLayout)
            for place in range(layout.count())
        }
        assert known
        assert not [one for one in known if getCppPointer(one) not in there]
