"""The window as used: real keys and mouse events, and a real run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit
from pytestqt.qtbot import QtBot

from slotscope.gui.intents import Select
from slotscope.gui.main_window import MainWindow
from slotscope.gui.panel import Panel
from slotscope.gui.panels import panels_of
from slotscope.model.reporting.frame import Frame
from tests.gui.painted import colours_at
from tests.gui.windows import complete_window, hall, open_anew, press, rest

Key = Qt.Key
SHIFT, CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm")]


@pytest.fixture
def window(qtbot: QtBot, tidy_window: MainWindow) -> MainWindow:
    """A complete window at event 0 of dra-vms."""
    open_anew(qtbot, tidy_window, "dra-vms")
    rest(qtbot, tidy_window, lambda: tidy_window.frame.engine == "kernel")
    return tidy_window


def at(window: MainWindow, event: int, substeps: int = 0) -> Callable[[], bool]:
    """A check whether the frame shows this moment."""

    def check() -> bool:
        frame = window.frame
        return frame is not None and (frame.event, len(frame.records)) == (event, substeps)

    return check


def _event_shown(window: MainWindow, name: str) -> int:
    """The event that a panel shows; -1 if it has had no frame."""
    frame = window.docks[name].panel.frame
    return frame.event if frame is not None else -1


def test_every_panel_paints_something(qtbot: QtBot, window: MainWindow) -> None:
    window.control.go_to(500)
    rest(qtbot, window, at(window, 500))
    for dock in window.docks.values():
        dock.show()
        dock.raise_()
        qtbot.wait(60)
        assert len(colours_at(dock.panel.grab().toImage(), 7, 5)) > 3, f"{dock.panel.name} paints nothing"
    assert len(window.docks) == len(panels_of("reservation"))


def test_right_and_left_step_and_mirror_each_other(qtbot: QtBot, window: MainWindow) -> None:
    for event in (1, 2, 3):
        press(qtbot, window, Key.Key_Right)
        rest(qtbot, window, at(window, event))
    press(qtbot, window, Key.Key_Left)
    rest(qtbot, window, at(window, 2))
    press(qtbot, window, Key.Key_Home)
    rest(qtbot, window, at(window, 0))
    press(qtbot, window, Key.Key_End)
    rest(qtbot, window, at(window, 3))


def test_shift_right_steps_into_a_decision_and_back(qtbot: QtBot, window: MainWindow) -> None:
    for substeps in (1, 2, 3):
        press(qtbot, window, Key.Key_Right, SHIFT)
        rest(qtbot, window, at(window, 0, substeps))
    press(qtbot, window, Key.Key_Left, SHIFT)
    rest(qtbot, window, at(window, 0, 2))
    press(qtbot, window, Key.Key_Right)
    rest(qtbot, window, at(window, 1))
    assert window.frame is not None and window.frame.agreement is True


def test_space_runs_and_pauses(qtbot: QtBot, window: MainWindow) -> None:
    press(qtbot, window, Key.Key_Space)
    rest(qtbot, window, lambda: window.frame is not None and window.frame.event > 100)
    front = ("servers", "algorithm", "decisions", "reward", "lp")
    qtbot.waitUntil(lambda: all(_event_shown(window, name) > 100 for name in front))
    assert window.frame is not None and window.frame.running
    press(qtbot, window, Key.Key_Space)
    rest(qtbot, window, lambda: window.frame is not None and not window.frame.running)
    assert window.frame is not None
    stopped = window.frame.event
    qtbot.wait(100)
    assert window.frame.event == stopped


def test_panels_behind_tabs_are_not_drawn(qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither while running nor while paused; once they come to the front, they show the present frame."""
    drawn: list[tuple[str, Frame]] = []
    usual = Panel.set_frame
    monkeypatch.setattr(
        Panel, "set_frame", lambda panel, frame: (drawn.append((panel.name, frame)), usual(panel, frame))
    )

    def each_once(name: str) -> bool:
        frames = [id(frame) for shown, frame in drawn if shown == name]
        return len(frames) == len(set(frames)) > 0

    behind = {name for name, dock in window.docks.items() if not dock.seen}
    assert "server-grid" in behind
    for key, modifier, stands in (
        (Key.Key_Right, Qt.KeyboardModifier.NoModifier, at(window, 1)),
        (Key.Key_Right, SHIFT, at(window, 1, 1)),
    ):
        press(qtbot, window, key, modifier)
        rest(qtbot, window, stands)
    window.control.run_until(event=200)
    rest(qtbot, window, at(window, 200))
    assert "servers" in dict(drawn)
    assert not behind & dict(drawn).keys()
    window.docks["server-grid"].raise_()
    qtbot.waitUntil(lambda: _event_shown(window, "server-grid") == 200)
    assert each_once("server-grid")  # once per frame: the whole log may follow in another frame
    drawn.clear()
    press(qtbot, window, Key.Key_Right)
    rest(qtbot, window, at(window, 201))
    assert each_once("server-grid")
    assert "servers" not in dict(drawn)  # now behind a tab


def test_a_panel_that_is_built_behind_a_tab_waits_until_it_is_seen(qtbot: QtBot, window: MainWindow) -> None:
    press(qtbot, window, Key.Key_Right)
    rest(qtbot, window, at(window, 1))
    window.area.remove("theory")
    window.panels._pending = [entry for entry in panels_of("reservation") if entry.name == "theory"]
    window.panels._build_next()
    theory = window.docks["theory"]
    assert theory.panel.frame is None
    QApplication.processEvents()  # Qt cannot raise a dock before its tab exists
    theory.raise_()
    qtbot.waitUntil(lambda: _event_shown(window, "theory") == 1)


def test_events_that_lie_far_apart_are_reached_at_real_time(qtbot: QtBot, window: MainWindow) -> None:
    window.control.open("dra-classroom")
    rest(qtbot, window, lambda: window.frame.info.scenario_name == "dra-classroom")  # type: ignore[union-attr]
    first = window.frame.next_event if window.frame is not None else None
    assert first is not None and first.time > 0.5  # far more than what counts as falling behind
    press(qtbot, window, Key.Key_Space)
    rest(qtbot, window, lambda: window.frame is not None and window.frame.event >= 1)


def test_ctrl_right_stops_just_before_the_next_rejection(qtbot: QtBot, window: MainWindow) -> None:
    window.transport.kind.setCurrentText("rejection")
    press(qtbot, window, Key.Key_Right, CTRL)
    rest(qtbot, window, lambda: window.frame is not None and window.frame.event > 0 and not window.frame.running)
    assert window.frame is not None
    before = window.frame.event
    press(qtbot, window, Key.Key_Right)
    rest(qtbot, window, at(window, before + 1))
    assert "rejected" in window.frame.info.narrator.row(window.frame.rows[-1])
    press(qtbot, window, Key.Key_Left, CTRL)
    rest(qtbot, window, at(window, before))


def test_keys_stay_with_a_field_while_typing(qtbot: QtBot, window: MainWindow) -> None:
    field = window.transport.seed.findChild(QLineEdit)
    assert field is not None
    field.setFocus()
    qtbot.keyClick(field, Key.Key_Home)
    qtbot.keyClick(field, Key.Key_Right)
    qtbot.wait(50)
    assert window.frame is not None and window.frame.event == 0


def test_the_history_bar_goes_anywhere(qtbot: QtBot, window: MainWindow) -> None:
    window.control.go_to(0)
    window.worker.post(lambda worker: worker.walk(lambda session: session.run(events=20_000)))
    rest(qtbot, window, at(window, 20_000))
    bar = window.transport.history
    target = bar.event_at(bar.width() / 2)
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=QPoint(bar.width() // 2, 8))
    rest(qtbot, window, at(window, target))
    assert window.frame is not None and window.frame.extent.live_end == 20_000


def test_a_breakpoint_stops_just_before_its_event(qtbot: QtBot, window: MainWindow) -> None:
    window.control.toggle_breakpoint(50)
    window.control.run_until(event=100)
    rest(qtbot, window, lambda: at(window, 49)() and not window.frame.running)  # type: ignore[union-attr]
    window.control.run_until(event=100)
    rest(qtbot, window, at(window, 100))


def test_another_policy_meets_the_same_jobs(qtbot: QtBot, window: MainWindow) -> None:
    window.control.go_to(200)
    rest(qtbot, window, at(window, 200))
    window.transport.policy.setCurrentText("first-fit")
    window.transport.policy.activated.emit(window.transport.policy.currentIndex())
    rest(
        qtbot,
        window,
        lambda: window.frame is not None and window.frame.info.policy_name == "first-fit" and window.frame.event == 0,
    )
    groups = window.docks["groups"].panel
    window.docks["groups"].raise_()
    qtbot.wait(60)
    assert groups.frame is window.frame
    assert "does not apply" in groups._note.text()


def test_a_click_inspects(qtbot: QtBot, window: MainWindow) -> None:
    assert not window.docks["inspector"].seen  # at first behind another tab
    window.carry_out(Select(server=3))
    qtbot.waitUntil(lambda: window.docks["inspector"].seen)
    assert window.docks["inspector"].panel.selection.server == 3


def test_a_double_click_opens_an_inspector_of_its_own(qtbot: QtBot, window: MainWindow) -> None:
    window.carry_out(Select(server=3, floating=True))
    (name,) = [name for name in window.docks if name.startswith("inspector-")]
    dock = window.docks[name]
    assert dock.isFloating()
    press(qtbot, window, Key.Key_Right)
    rest(qtbot, window, at(window, 1))
    assert dock.panel.frame is window.frame


def test_a_broken_scenario_leaves_the_run_as_it_was(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    window.control.go_to(30)
    rest(qtbot, window, at(window, 30))
    broken = tmp_path / "broken.toml"
    broken.write_text("system = 'reservation'\n[servers]\ncount = 0\n")
    window.open_path(broken)
    qtbot.waitUntil(lambda: "servers" in window.status.said.text())
    assert window.frame is not None
    assert (window.frame.event, window.frame.info.scenario_name) == (30, "dra-vms")


def test_a_session_saves_and_reopens_where_it_stood(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    window.control.go_to(321, 4)
    rest(qtbot, window, at(window, 321, 4))
    path = tmp_path / "here.slotscope"
    window.control.save(path, "")
    qtbot.waitUntil(path.exists)
    window.control.to_start()
    rest(qtbot, window, at(window, 0))
    window.open_path(path)
    rest(qtbot, window, at(window, 321, 4))


def test_lecture_mode_hides_what_a_hall_need_not_see(qtbot: QtBot, window: MainWindow) -> None:
    size = window.font().pointSizeF()
    press(qtbot, window, Key.Key_L)
    qtbot.wait(100)
    hidden = {name for name, dock in window.docks.items() if dock.isHidden()}
    assert hidden == set(window.docks) - hall(window)
    assert window.font().pointSizeF() > 1.4 * size
    press(qtbot, window, Key.Key_L)
    qtbot.wait(100)
    assert not window.docks["algorithm"].isHidden()


def test_themes_change_and_layouts_come_back(qtbot: QtBot, window: MainWindow) -> None:
    press(qtbot, window, Key.Key_D)
    assert window.theme.dark
    window.docks["reward"].close()
    assert window.docks["reward"].isHidden()
    window.reset_layout()
    assert not window.docks["reward"].isHidden()
    press(qtbot, window, Key.Key_Z, CTRL)
    assert window.docks["reward"].isHidden()


@pytest.mark.parametrize("key", [Key.Key_F1, Key.Key_Question])
def test_help_opens(qtbot: QtBot, window: MainWindow, key: Qt.Key) -> None:
    press(qtbot, window, key)
    qtbot.waitUntil(lambda: bool(window.findChildren(QDialog)))
    (sheet,) = window.findChildren(QDialog)
    assert sheet.isVisible()
    sheet.close()


def test_panels_save_pictures_and_series(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    window.control.go_to(400)
    rest(qtbot, window, at(window, 400))
    qtbot.wait(60)
    dock = window.docks["reward"]
    for name in ("reward.png", "reward.svg"):
        dock.save_picture(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 1000
    dock.save_series(tmp_path / "reward.csv")
    assert len((tmp_path / "reward.csv").read_text().splitlines()) > 100
    window.docks["decisions"].save_series(tmp_path / "log.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [row["event"] for row in rows] == list(range(1, 401))
    assert all(row["sentence"] for row in rows)
    dock.save_picture(tmp_path / "absent" / "reward.svg")
    assert "cannot be written" in window.status.said.text()


def test_that_the_run_is_compiled_is_not_said_over_a_refusal(window: MainWindow) -> None:
    window.say("x.toml: no such file")
    window.worker.compiled.emit(True)
    assert window.status.said.text() == "x.toml: no such file"
    window.worker.compiled.emit(False)
    assert "failed" in window.status.said.text()
    window.say("")
    window.worker.compiled.emit(True)
    assert "full speed" in window.status.said.text()


def test_what_is_being_opened_is_told_and_no_box_names_what_does_not_run(qtbot: QtBot, tmp_path: Path) -> None:
    with complete_window(qtbot, tmp_path) as window:
        assert (window.transport.scenario.currentText(), window.transport.policy.currentText()) == ("", "")
        said: list[str] = []
        window.worker.progressed.connect(lambda progress: said.append(progress.text))
        window.control.open("dra-classroom")
        rest(qtbot, window, lambda: window.transport.policy.currentText() == "dra")
        qtbot.waitUntil(lambda: said == ["Opening dra-classroom", ""])
        assert "Opening" not in window.status.said.text()
