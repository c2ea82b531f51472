"""Scenarios with a trace open with an excerpt; the window takes files by dialog and drop, and remembers them."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QPushButton
from pytestqt.qtbot import QtBot

from slotscope.gui.main_window import MainWindow
from slotscope.gui.running.warming import Warming
from slotscope.model.scenario.load import load_scenario, scenario_text
from slotscope.model.traces.excerpts import EXAMPLE
from tests.gui.windows import open_anew, rest
from tests.model.trace_files import google_2019, short_log

pytestmark = pytest.mark.slow

#: The text of the button while no trace is chosen.
EXCERPT = "trace: azure-2017-jobs.csv.gz"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return short_log(tmp_path)


@pytest.fixture
def window(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tidy_window: MainWindow) -> MainWindow:
    monkeypatch.setattr(Warming, "want", lambda *_: None)
    open_anew(qtbot, tidy_window, "moldable-classroom")
    return tidy_window


def select(window: MainWindow, scenario: str) -> None:
    """Choose a scenario as a click in the combo box does."""
    box = window.transport.scenario
    box.setCurrentIndex(box.findData(scenario))
    box.activated.emit(box.currentIndex())


def open_swf(qtbot: QtBot, window: MainWindow) -> None:
    select(window, "moldable-swf")
    rest(qtbot, window, lambda: runs(window) == "moldable-swf")


def runs(window: MainWindow) -> str:
    assert window.frame is not None
    return window.frame.info.scenario_name


def test_a_trace_is_chosen_and_remembered(qtbot: QtBot, window: MainWindow, log: Path) -> None:
    button, box = window.transport.trace, window.transport.scenario
    assert not button.isVisible()
    open_swf(qtbot, window)
    assert button.isVisible()
    assert button.text() == EXCERPT

    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    dialog = window.findChild(QFileDialog, "files")
    assert dialog.isVisible()
    assert dialog.windowModality() is Qt.WindowModality.WindowModal  # the run continues
    dialog.reject()
    assert button.text() == EXCERPT
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    dialog = [one for one in window.findChildren(QFileDialog) if one.isVisible()][-1]
    dialog.filesSelected.emit([str(log)])
    dialog.accept()
    rest(qtbot, window, lambda: button.text() == "trace: short.swf")
    assert box.currentData() == "moldable-swf"

    select(window, "moldable-classroom")
    rest(qtbot, window, lambda: runs(window) == "moldable-classroom")
    assert not button.isVisible()
    open_swf(qtbot, window)
    assert "Reading the trace" not in window.status.said.text()


def test_a_trace_that_cannot_be_read_is_asked_for_anew(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.swf"
    wrong.write_text("no log\n")
    open_swf(qtbot, window)
    window.traces.choose([str(wrong)])
    qtbot.waitUntil(lambda: "wrong.swf" in window.status.said.text())
    assert runs(window) == "moldable-swf"
    assert window.transport.trace.text() == "Choose a trace for moldable-swf ..."


def test_a_file_whose_trace_is_gone_asks_for_it_and_remembers_it(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario = load_scenario("moldable-swf")
    named = scenario.model_copy(update={"workload": scenario.workload.model_copy(update={"paths": ("gone.swf",)})})
    (tmp_path / "named.toml").write_text(scenario_text(named))
    window.traces.open(str(tmp_path / "named.toml"))
    qtbot.waitUntil(lambda: "gone.swf" in window.status.said.text())
    assert runs(window) == "moldable-classroom"
    assert window.transport.trace.text() == "Choose a trace for named ..."
    assert drop(window, log)
    rest(qtbot, window, lambda: runs(window) == "named")
    monkeypatch.chdir(tmp_path)
    select(window, "moldable-classroom")
    rest(qtbot, window, lambda: runs(window) == "moldable-classroom")
    window.traces.open("named.toml")
    rest(qtbot, window, lambda: runs(window) == "named")
    assert window.transport.trace.text() == "trace: short.swf"


def drop(window: MainWindow, path: Path) -> bool:
    """Drag a file over the window and drop it, with the events of the platform; return whether it was accepted."""
    data = urls(path)
    action, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    place = window.rect().center()
    native = window.windowHandle()
    dragged = QDragEnterEvent(place, action, data, left, none)
    dragged.setAccepted(False)
    QApplication.sendEvent(native, dragged)
    if dragged.isAccepted():
        QApplication.sendEvent(native, QDropEvent(place.toPointF(), action, data, left, none))
    return dragged.isAccepted()


def test_a_trace_is_dropped_on_the_window_and_remembered(qtbot: QtBot, window: MainWindow, log: Path) -> None:
    assert not drop(window, log)  # this scenario takes no trace
    open_swf(qtbot, window)
    assert drop(window, log)
    rest(qtbot, window, lambda: window.transport.trace.text() == "trace: short.swf")
    select(window, "moldable-classroom")
    rest(qtbot, window, lambda: runs(window) == "moldable-classroom")
    open_swf(qtbot, window)
    assert window.transport.trace.text() == "trace: short.swf"


def test_a_dropped_file_of_jobs_is_told_by_its_content(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    open_swf(qtbot, window)
    instance = tmp_path / "instance.json"
    instance.write_text("{}")
    assert not window.traces.dropped(urls(instance))
    assert window.traces.dropped(urls(google_2019(tmp_path / "events.json")))
    assert drop(window, EXAMPLE)
    rest(qtbot, window, lambda: window.transport.trace.text() == "trace: jobs.csv")


def urls(path: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    return data


def test_azure_plays_an_excerpt_until_a_folder_is_chosen(qtbot: QtBot, window: MainWindow) -> None:
    select(window, "jrs-azure")
    rest(qtbot, window, lambda: runs(window) == "jrs-azure")
    assert window.transport.trace.text() == "trace: azure-2017"
    qtbot.mouseClick(window.transport.trace, Qt.MouseButton.LeftButton)
    dialog = window.findChild(QFileDialog, "files")
    assert dialog.fileMode() == QFileDialog.FileMode.Directory
    assert dialog.findChildren(QPushButton)
    dialog.reject()
