"""Export of events as a table: all policies are included, progress is shown, Esc stops it."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pyarrow.parquet
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from slotscope.gui.app import screenshot
from slotscope.gui.docking.dock_area import DockArea
from slotscope.gui.main_window import MainWindow
from slotscope.gui.panels import panels_of
from slotscope.model.errors import UserError
from slotscope.model.running.origin import Moment
from tests.gui.windows import choose_file, open_anew, press, rest

pytestmark = pytest.mark.slow

KEYS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def window(shared_window: MainWindow) -> MainWindow:
    return shared_window


def export(qtbot: QtBot, window: MainWindow, path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Press the keys of the command and choose a file."""
    press(qtbot, window, Qt.Key.Key_E, KEYS)
    choose_file(window, path, kind)
    window.activateWindow()  # as a window manager does after the dialog has closed
    qtbot.waitUntil(window.isActiveWindow)


def said(window: MainWindow, text: str) -> bool:
    return text in window.status.said.text()


@pytest.mark.parametrize("scenario", ["dra-classroom", "queues-classroom", "jrs-classroom", "moldable-classroom"])
def test_every_event_so_far_is_written(
    scenario: str, qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_anew(qtbot, window, scenario, seed=3)
    rest(qtbot, window, lambda: window.frame.engine == "kernel")
    window.control.go_to(70)
    rest(qtbot, window, lambda: window.frame.event == 70)
    press(qtbot, window, Qt.Key.Key_Left)
    rest(qtbot, window, lambda: window.frame.event == 69)
    export(qtbot, window, tmp_path / "events", "Parquet (*.parquet)", monkeypatch)
    qtbot.waitUntil(lambda: said(window, "70 events written to"))
    table = pyarrow.parquet.read_table(tmp_path / "events.parquet")
    assert table["event"].to_pylist() == list(range(1, 71))
    assert window.frame.event == 69  # the run has not moved


def test_of_several_policies_each_has_its_rows(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_anew(qtbot, window, "dra-classroom", "dra", seed=3, beside=("first-fit",))
    rest(qtbot, window, lambda: window.frame.engine == "kernel" and len(window.frame.companions) == 1)
    window.control.go_to(80)
    rest(qtbot, window, lambda: window.frame.event == 80)
    export(qtbot, window, tmp_path / "events.csv", "CSV (*.csv)", monkeypatch)
    qtbot.waitUntil(lambda: said(window, "events written to"))
    with (tmp_path / "events.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    counts = Counter(row["policy"] for row in rows)
    lanes = (window.frame, *window.frame.companions)
    assert len(counts) == 2
    assert sorted(counts.values()) == sorted(lane.extent.live_end for lane in lanes)


def test_what_cannot_be_written_is_said_and_the_run_goes_on(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_anew(qtbot, window, "dra-classroom", seed=3)
    rest(qtbot, window, lambda: window.frame.engine == "kernel")
    window.control.go_to(10)
    rest(qtbot, window, lambda: window.frame.event == 10)
    export(qtbot, window, tmp_path / "no" / "events.csv", "CSV (*.csv)", monkeypatch)
    qtbot.waitUntil(lambda: said(window, "cannot be written"))
    press(qtbot, window, Qt.Key.Key_Right)
    rest(qtbot, window, lambda: window.frame.event == 11)


def test_esc_stops_it_and_leaves_the_file_that_stood_there(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("slotscope.model.running.waiting.PERIOD", 0.0)
    open_anew(qtbot, window, "dra-vms", seed=3)
    rest(qtbot, window, lambda: window.frame.engine == "kernel")
    window.control.go_to(3_000_000)
    rest(qtbot, window, lambda: window.frame.event == 3_000_000)
    (tmp_path / "events.csv").write_text("before", encoding="utf-8")
    window.control.export(tmp_path / "events.csv")
    qtbot.waitUntil(lambda: said(window, "Running past events again"))
    assert said(window, "(Esc stops it)")
    press(qtbot, window, Qt.Key.Key_Escape)
    rest(qtbot, window, lambda: window.frame.event == 3_000_000)
    qtbot.waitUntil(lambda: said(window, "stopped"))
    assert [(one.name, one.read_text("utf-8")) for one in tmp_path.iterdir()] == [("events.csv", "before")]


def test_a_screenshot_builds_the_panels_of_its_kind_and_no_others(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[str] = []
    make = DockArea.make
    monkeypatch.setattr(DockArea, "make", lambda area, panel: built.append(panel.name) or make(area, panel))
    screenshot("moldable-classroom", event=Moment((5,)), out=tmp_path / "a.png")
    assert built == [entry.name for entry in panels_of("moldable")]


def test_a_screenshot_that_cannot_be_written_says_why(qapp: QApplication, tmp_path: Path) -> None:
    (tmp_path / "a file").write_text("", encoding="utf-8")
    out = tmp_path / "a file" / "a.png"
    with pytest.raises(UserError, match=r"a\.png: cannot be written: Not a directory"):
        screenshot("dra-classroom", event=Moment((5,)), out=out, size=(900, 600), panel="decisions")
