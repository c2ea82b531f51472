"""Selection in the window of experiments, and the fields of its form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from slotscope.gui.experiments.form import SWEEP
from slotscope.gui.experiments.window import ExperimentsWindow
from slotscope.model.api import Session
from slotscope.model.lab.sweep import Sweep, axis
from tests.gui.experiments_windows import Key, choose, click, finish, shown_experiments, sweep, write

pytestmark = pytest.mark.slow


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> Iterator[ExperimentsWindow]:
    """The window alone, with dra-classroom open and an empty folder for results."""
    yield from shown_experiments(qtbot, tmp_path)


def test_what_is_marked_is_what_was_pressed_and_what_runs(
    qtbot: QtBot, window: ExperimentsWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A press changes the form, and thus which entry is below the pointer when it moves and the button is released."""
    ran: list[str] = []
    monkeypatch.setattr(window.laboratory, "look", lambda *_: None)
    monkeypatch.setattr(window.laboratory, "start", lambda order: ran.append(order.name))
    window.resize(window.minimumWidth(), window.minimumHeight())
    viewport, left, none = window.list.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    qtbot.wait(50)
    bar = window.list.verticalScrollBar()
    for step in range(60):
        bar.setValue(step * bar.maximum() * 7 // 60 % max(1, bar.maximum()))
        place = QPoint(40, step * 11 % viewport.height())
        pressed = window.list.itemAt(place)
        qtbot.mousePress(viewport, left, (none, Qt.KeyboardModifier.ControlModifier)[step % 2], place)
        qtbot.mouseMove(viewport, place + QPoint(0, 1))
        qtbot.mouseRelease(viewport, left, none, place)
        assert [window.list.currentItem()] == [pressed] == window.list.selectedItems()
        if (key := window.list.current()) != SWEEP:
            qtbot.keyClick(window.list, Key.Key_F5)
            assert ran[-1] == key
            window.running = ""


def test_a_sweep_begins_at_the_seed_that_is_written(qtbot: QtBot, window: ExperimentsWindow) -> None:
    sweep(qtbot, window, "servers.count = 5, 7", "20")
    form = window.form

    def seeds() -> set[int]:
        order = form.order()
        assert order is not None
        return {part.seed for part in order.plan().parts(order.scale, order.options)}

    assert form.seed.line.placeholderText() == "171"
    assert seeds() == {171, 172, 173, 174}
    write(qtbot, form.seed.line, "7")
    assert seeds() == {7, 8, 9, 10}
    for wrong in ("-1", "x", "1.5", str(2**63 - 3), "9" * 5000):
        form.seed.line.setText(wrong)
        assert form.order() is None
        assert "allowed: a whole number from 0 to 9223372036854775804" in form.seed.fault.text()
    form.seed.line.setText(str(2**63 - 4))
    assert form.order() is not None


@pytest.mark.parametrize(
    ("values", "policies", "until", "field", "said"),
    [
        ("", "dra", "", "values", "found nothing to vary"),
        ("servers.count", "dra", "", "values", "such as servers.count=20,60"),
        ("servers.cuont = 3, 4", "dra", "", "values", "cuont"),
        ("servers.count = 3, 0", "dra", "", "values", "servers.count"),
        ("servers.count = 3, 4", "drra", "", "policies", "did you mean 'dra'"),
        ("servers.count = 3, 4", "dra", "soon", "until", "found 'soon'"),
        ("servers.count = 3, 4", "dra", "-1", "until", "a time above 0"),
    ],
)
def test_faults_stand_beside_their_field(
    qtbot: QtBot, window: ExperimentsWindow, values: str, policies: str, until: str, field: str, said: str
) -> None:
    sweep(qtbot, window, values, until)
    write(qtbot, window.form.policies.area, policies)
    click(qtbot, window.bar.run)
    finish(qtbot, window)
    shown = {one.editor.accessibleName(): one.fault.text() for one in window.form.fields if one.fault.isVisible()}
    wanted = getattr(window.form, field)
    assert list(shown) == [wanted.editor.accessibleName()]
    assert said in wanted.fault.text()
    assert "--" not in wanted.fault.text()
    assert QApplication.activeModalWidget() is None
    write(qtbot, wanted.editor, "40")
    assert not wanted.fault.isVisible()


def test_a_folder_that_is_none(qtbot: QtBot, window: ExperimentsWindow, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path, said in (
        ("", "found nothing"),
        (tmp_path / "file", "allowed: a folder"),
        (tmp_path / "file" / "below", "cannot be made"),
    ):
        write(qtbot, window.form.folder.line, str(path))
        click(qtbot, window.bar.run)
        assert said in window.form.folder.fault.text()
        assert not window.laboratory.busy


@pytest.mark.parametrize(
    "scenario", ["dra-classroom", "queues-classroom", "jrs-classroom", "moldable-classroom", "moldable-linear"]
)
def test_what_a_sweep_proposes_can_be_varied(window: ExperimentsWindow, scenario: str) -> None:
    info = Session.open(scenario, kernel=False).info
    window.follow(info)
    lines = window.form.values.area.placeholderText().splitlines()
    assert len(lines) == 2
    assert len(Sweep("sweep", info.scenario, tuple(map(axis, lines)), (), 1, 1).points) == 9


def test_an_experiment_without_a_trace_runs_on_the_excerpt(qtbot: QtBot, window: ExperimentsWindow) -> None:
    choose(qtbot, window, "queues-fig1")
    assert window.form.trace.line.placeholderText() == "one of ten jobs of Google's first file"
    write(qtbot, window.form.trace.line, "")
    click(qtbot, window.bar.run)
    finish(qtbot, window)
    result = json.loads(Path(window.form.folder.text, "queues-fig1.json").read_text())
    assert "The trace is an excerpt, one of ten jobs of Google's first file" in result["notes"][-1], result["notes"]


def test_a_trace_that_is_none_is_told_beside_its_field(qtbot: QtBot, window: ExperimentsWindow, tmp_path: Path) -> None:
    choose(qtbot, window, "dra-fig5")
    fault = window.form.trace.fault
    write(qtbot, window.form.trace.line, str(tmp_path / "gone"))
    click(qtbot, window.bar.run)
    assert "a file or folder that exists" in fault.text()
    (tmp_path / "wrong").write_text("no trace\n")
    write(qtbot, window.form.trace.line, str(tmp_path / "wrong"))
    click(qtbot, window.bar.run)
    finish(qtbot, window)
    assert fault.isVisible()
    assert "wrong" in fault.text()
