"""Keys and the wheel: what they operate, what they must not affect, and how a run comes back."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QLineEdit, QMenu, QWidget
from pytestqt.qtbot import QtBot

from slotscope.gui.intents import ApplyScenario, Select
from slotscope.gui.main_window import MainWindow
from slotscope.gui.panels import SENTENCES
from slotscope.gui.window.actions import BRING, COMMANDS
from slotscope.model.api import Session
from slotscope.model.running.origin import Moment
from slotscope.model.scenario.load import as_data
from tests.gui import overflowing
from tests.gui.painted import wheel
from tests.gui.windows import open_anew, rest

Key = Qt.Key
CTRL, SHIFT, ALT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)
PLAIN = Qt.KeyboardModifier.NoModifier

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm")]


@pytest.fixture
def window(qtbot: QtBot, tidy_window: MainWindow) -> MainWindow:
    """A window at event 12 of dra-classroom, as after a start: nothing has been clicked."""
    open_anew(qtbot, tidy_window, "dra-classroom", moment=Moment((12,)))
    rest(qtbot, tidy_window, lambda: tidy_window.frame.event == 12)
    return tidy_window


def strike(window: QWidget, key: Qt.Key, modifier: Qt.KeyboardModifier = PLAIN) -> None:
    """Send a key as the window system does, to the widget that has the focus."""
    QTest.keyClick(window.windowHandle(), key, modifier)


def settled(qtbot: QtBot, window: MainWindow) -> tuple[str, str, int, int]:
    """Scenario, policy, seed and event of the run after the worker has done all its work."""
    done: list[bool] = []
    window.worker.post(lambda worker: done.append(True))
    qtbot.waitUntil(lambda: bool(done))
    qtbot.wait(30)
    run = window.worker.session
    assert run is not None
    return run.name, run.origin.policy, run.info.seed, run.timeline.event


START = ("dra-classroom", "dra", 171, 12)


def test_the_picture_has_the_focus_at_start(qtbot: QtBot, window: MainWindow) -> None:
    assert QApplication.focusWidget() is window
    for key in (Key.Key_Down, Key.Key_Up, Key.Key_Q, Key.Key_Return):
        strike(window, key)
    assert settled(qtbot, window) == START


def test_a_box_that_is_closed_ignores_keys_and_the_wheel(qtbot: QtBot, window: MainWindow) -> None:
    bar = window.transport
    before = bar.kind.currentText()
    for box in (bar.scenario, bar.policy, bar.kind):
        box.setFocus()
        wheel(box, QPointF(box.rect().center()), -1)
        for key in (Key.Key_Down, Key.Key_Q, Key.Key_J, Key.Key_F):
            strike(window, key)
    bar.scenario.clearFocus()
    wheel(bar.seed, QPointF(bar.seed.rect().center()), -1)
    assert settled(qtbot, window) == START
    assert bar.kind.currentText() == before


def test_page_keys_are_a_presenter_s(qtbot: QtBot, window: MainWindow) -> None:
    for focus in (window, window.transport.scenario):
        focus.setFocus()
        strike(window, Key.Key_PageDown)
        rest(qtbot, window, lambda: window.frame.event == 13)
        strike(window, Key.Key_PageUp)
        rest(qtbot, window, lambda: window.frame.event == 12)
    assert settled(qtbot, window) == START


def test_page_keys_are_a_presenter_s_in_a_panel_s_own_window(qtbot: QtBot, window: MainWindow) -> None:
    """As on a second screen, after a click; each key steps once, also when the panel is docked and floated again."""
    dock = window.docks["algorithm"]
    for floating in (True, False, True):
        dock.setFloating(floating)
        rest(qtbot, window, lambda floating=floating: dock.isFloating() == floating)
        shown = dock if floating else window
        shown.activateWindow()
        qtbot.waitUntil(shown.isActiveWindow)
        dock.panel.setFocus()
        for key, event in ((Key.Key_PageDown, 13), (Key.Key_PageUp, 12)):
            strike(shown, key)
            rest(qtbot, window, lambda event=event: window.frame.event == event)
    assert settled(qtbot, window) == START


def test_a_seed_changes_while_it_is_edited(qtbot: QtBot, window: MainWindow) -> None:
    field = window.transport.seed.findChild(QLineEdit)
    assert field is not None
    qtbot.mouseClick(field, Qt.MouseButton.LeftButton)
    field.selectAll()
    for key in (Key.Key_4, Key.Key_2):
        strike(window, key)
    strike(window, Key.Key_Return)
    rest(qtbot, window, lambda: window.frame.info.seed == 42)
    assert QApplication.focusWidget() is window
    field.setFocus()
    strike(window, Key.Key_PageUp)
    rest(qtbot, window, lambda: window.frame.info.seed == 52)
    assert settled(qtbot, window)[3] == 0


def test_a_list_that_is_open_keeps_its_keys(qtbot: QtBot, window: MainWindow) -> None:
    box = window.transport.scenario
    place = box.currentIndex()
    box.setFocus()
    strike(window, Key.Key_Return)
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is not None)
    for key in (Key.Key_Right, Key.Key_L, Key.Key_Escape):
        assert QApplication.activePopupWidget() is not None
        strike(window, key)
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is None)
    box.setFocus()
    strike(window, Key.Key_Down, ALT)
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is not None)
    strike(window, Key.Key_Down)
    strike(window, Key.Key_Return)
    rest(qtbot, window, lambda: window.frame.info.scenario_name == box.itemText(place + 1))


def test_a_menu_that_is_open_keeps_its_keys(qtbot: QtBot, window: MainWindow) -> None:
    bar = window.menu_bar
    first, second, *_ = bar.actions()
    for keys in ((Key.Key_Right, Key.Key_Left), (Key.Key_L, Key.Key_D, Key.Key_PageDown)):
        qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.actionGeometry(first).center())
        qtbot.waitUntil(first.menu().isVisible)
        for key in keys:
            strike(window, key)
            assert QApplication.activePopupWidget() is not None
        strike(window, Key.Key_Escape)
        strike(window, Key.Key_Escape)
        qtbot.waitUntil(lambda: QApplication.activePopupWidget() is None)
    assert not window.lecture.on and not window.theme.dark
    assert settled(qtbot, window) == START
    bar.setActiveAction(second)
    window.transport.kind.showPopup()
    window.transport.kind.hidePopup()


@pytest.mark.parametrize("key", [Key.Key_F1, Key.Key_Question])
def test_escape_closes_a_sheet_first_then_stops(qtbot: QtBot, window: MainWindow, key: Qt.Key) -> None:
    strike(window, Key.Key_Space)
    rest(qtbot, window, lambda: window.frame.running)
    strike(window, key)
    (sheet,) = window.findChildren(QDialog)
    qtbot.waitUntil(sheet.isActiveWindow)
    strike(sheet, Key.Key_Escape)
    qtbot.waitUntil(lambda: not window.findChildren(QDialog))
    assert window.worker.drive.running
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    strike(window, Key.Key_Escape)
    rest(qtbot, window, lambda: not window.frame.running)


def test_escape_leaves_a_field_and_the_next_key_is_the_windows(qtbot: QtBot, window: MainWindow) -> None:
    search = window.docks["decisions"].panel.bar.search
    QTest.mouseClick(search, Qt.MouseButton.LeftButton)
    QTest.keyClicks(search, "rejected")
    strike(window, Key.Key_Return)
    strike(window, Key.Key_Escape)
    assert not search.hasFocus()
    assert search.text() == "rejected"
    qtbot.waitUntil(lambda: not window.worker.busy)
    strike(window, Key.Key_Space)
    rest(qtbot, window, lambda: window.frame.running)
    QTest.mouseClick(search, Qt.MouseButton.LeftButton)
    strike(window, Key.Key_Escape)
    rest(qtbot, window, lambda: not window.frame.running)


@pytest.mark.qt_log_ignore("grabbing the (keyboard|mouse)", extend=True)
@pytest.mark.parametrize("closed_by", ["escape", "click", "command"])
def test_a_menu_leaves_the_keys_to_the_field_that_has_them(qtbot: QtBot, window: MainWindow, closed_by: str) -> None:
    """The click gave the focus to the window, and Esc to the menu bar: what was typed next triggered commands."""
    search, bar = window.docks["decisions"].panel.bar.search, window.menu_bar
    search.clear()
    QTest.mouseClick(search, Qt.MouseButton.LeftButton)
    menu = bar.actions()[0].menu()
    assert isinstance(menu, QMenu)
    place = bar.actionGeometry(bar.actions()[0]).center()
    QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=place)
    qtbot.waitUntil(menu.isVisible)
    if closed_by == "escape":
        strike(menu, Key.Key_Escape)
    elif closed_by == "click":
        QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=place)
    else:
        line = window.actions_by_name["copy_line"]
        QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(line).center())
    qtbot.waitUntil(menu.isHidden)
    qtbot.waitUntil(lambda: window.focusWidget() is search and not bar.activeAction())
    search.clear()


def test_escape_from_the_window_closes_the_sheet_that_stands_over_it(qtbot: QtBot, window: MainWindow) -> None:
    strike(window, Key.Key_F1)
    assert window.findChildren(QDialog)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    strike(window, Key.Key_Escape)
    qtbot.waitUntil(lambda: not window.findChildren(QDialog))


def test_escape_closes_the_inspector_in_front_only(qtbot: QtBot, window: MainWindow) -> None:
    window.carry_out(Select(server=1, floating=True))
    name = next(name for name in window.docks if name.startswith("inspector-"))
    dock = window.docks[name]
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    strike(window, Key.Key_Escape)
    assert dock.isVisible()
    dock.activateWindow()
    qtbot.waitUntil(dock.isActiveWindow)
    strike(dock, Key.Key_Escape)
    assert name not in window.docks  # a floating inspector is removed when it is closed


# A scenario, its policy and its seed.


def choose(window: MainWindow, box_name: str, text: str) -> None:
    """Choose an entry of a combo box as a click in its list does."""
    box = getattr(window.transport, box_name)
    box.setCurrentIndex(box.findText(text))
    box.activated.emit(box.currentIndex())


def test_another_scenario_brings_its_own_policy_and_seed(qtbot: QtBot, window: MainWindow) -> None:
    window.control.open("queues-classroom", "vqs", seed=5)
    rest(qtbot, window, lambda: window.frame.info.scenario_name == "queues-classroom")
    window.compare.compare(("bf-js",))
    rest(qtbot, window, lambda: len(window.frame.companions) == 1)
    choose(window, "scenario", "queues-vqs-unstable")
    rest(qtbot, window, lambda: window.frame.info.scenario_name == "queues-vqs-unstable")
    assert settled(qtbot, window) == ("queues-vqs-unstable", "vqs", 1, 0)
    assert not window.frame.companions
    choose(window, "policy", "bf-js")
    rest(qtbot, window, lambda: window.frame.info.policy_name == "bf-js")
    choose(window, "scenario", "queues-classroom")
    rest(qtbot, window, lambda: window.frame.info.scenario_name == "queues-classroom")
    assert settled(qtbot, window)[1:3] == ("vqs-bf", 1)


def test_policies_beside_stay_under_another_seed(qtbot: QtBot, window: MainWindow) -> None:
    window.compare.compare(("first-fit",))
    rest(qtbot, window, lambda: len(window.frame.companions) == 1)
    window.transport.seed.setValue(7)
    rest(qtbot, window, lambda: window.frame.info.seed == 7)
    assert [part.info.policy_name for part in window.frame.companions] == ["first-fit"]


def test_a_run_that_was_replaced_comes_back(qtbot: QtBot, window: MainWindow) -> None:
    choose(window, "scenario", "queues-classroom")
    rest(qtbot, window, lambda: window.frame.info.scenario_name == "queues-classroom")
    said = "Ctrl+Shift+Z goes back to dra-classroom (dra, seed 171) at event 12."
    qtbot.waitUntil(lambda: said in window.status.said.text())
    choose(window, "scenario", "moldable-classroom")  # replaces a run that has not begun
    rest(qtbot, window, lambda: window.frame.info.scenario_name == "moldable-classroom")
    strike(window, Key.Key_Z, CTRL | SHIFT)
    rest(qtbot, window, lambda: window.frame.info.scenario_name == "dra-classroom")
    assert settled(qtbot, window) == START
    assert window.frame.event == 12
    strike(window, Key.Key_Right)
    rest(qtbot, window, lambda: window.frame.event == 13)
    strike(window, Key.Key_Z, CTRL | SHIFT)
    rest(qtbot, window, lambda: window.frame.info.scenario_name == "moldable-classroom")
    strike(window, Key.Key_Z, CTRL | SHIFT)
    rest(qtbot, window, lambda: window.frame.event == 13)


def test_what_cannot_be_opened_leaves_the_boxes_as_they_were(qtbot: QtBot, window: MainWindow) -> None:
    choose(window, "policy", "best-fit")
    rest(qtbot, window, lambda: window.frame.info.policy_name == "best-fit")
    window.control.open("no-such-scenario")
    qtbot.waitUntil(lambda: "no-such-scenario" in window.status.said.text())
    assert window.transport.policy.currentData() == "best-fit"
    assert window.transport.scenario.currentData() == "dra-classroom"


def test_a_scenario_of_a_file_can_be_chosen_again(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(Path("resources/scenarios/dra-example-1.toml").read_text("utf-8"), "utf-8")
    window.open_path(path)
    rest(qtbot, window, lambda: window.frame.info.scenario_name == "mine")
    choose(window, "scenario", "dra-classroom")
    rest(qtbot, window, lambda: window.frame.info.scenario_name == "dra-classroom")
    choose(window, "scenario", "mine")
    rest(qtbot, window, lambda: window.frame.info.scenario_name == "mine")


# The line that opens a moment.


def test_the_copied_line_is_of_all_policies_and_of_the_sub_step(qtbot: QtBot, window: MainWindow) -> None:
    window.compare.compare(("first-fit",))
    rest(qtbot, window, lambda: len(window.frame.companions) == 1)
    window.compare.follow(1)
    for substeps in (1, 2):
        strike(window, Key.Key_Right, SHIFT)
        rest(qtbot, window, lambda n=substeps: len(window.frame.companions[0].records) == n)
    strike(window, Key.Key_L, CTRL)
    assert QGuiApplication.clipboard().text() == (
        "slotscope dra-classroom --policy dra --policy first-fit --seed 171 --event 12,12.2"
    )


def test_of_an_edited_run_it_is_said_what_to_save(qtbot: QtBot, window: MainWindow) -> None:
    QGuiApplication.clipboard().setText("mine")
    before = window.worker.session
    window.control.apply(ApplyScenario(as_data(window.info.scenario), True))  # type: ignore[union-attr]
    qtbot.waitUntil(lambda: window.worker.session is not before)
    rest(qtbot, window, lambda: not window.frame.opening_line)
    strike(window, Key.Key_L, CTRL)
    assert QGuiApplication.clipboard().text() == "mine"
    assert "save it with Ctrl+S" in window.status.said.text()


# Dialogs and data.


def test_other_parameters_are_proposed_for_the_policy_that_runs(qtbot: QtBot, window: MainWindow) -> None:
    for scenario, told in (("jrs-classroom", "jrs:"), ("moldable-classroom", "greedy-p:"), ("dra-classroom", "dra:")):
        window.control.open(scenario)
        rest(qtbot, window, lambda name=scenario: window.frame.info.scenario_name == name)
        dialog = window.compare.ask_variant()
        field = dialog.findChild(QLineEdit)
        assert field is not None and field.placeholderText().startswith(told)
        Session.open(scenario, field.placeholderText(), kernel=False)
        dialog.close()


def test_a_fault_makes_no_dialog_wider_than_the_window(qtbot: QtBot, window: MainWindow) -> None:
    strike(window, Key.Key_U)
    (dialog,) = window.findChildren(QDialog)
    field = dialog.findChild(QLineEdit)
    assert field is not None
    field.setText("what is this " * 40)
    QTest.keyClick(field, Key.Key_Return)
    qtbot.wait(50)
    assert dialog.isVisible() and dialog.width() <= window.width()
    dialog.close()


@pytest.mark.parametrize(("typed", "said"), [("12", "at event 12 already"), ("t = 0.5", "already; the line of")])
def test_who_would_run_until_what_is_past_is_told(qtbot: QtBot, window: MainWindow, typed: str, said: str) -> None:
    strike(window, Key.Key_U)
    (dialog,) = window.findChildren(QDialog)
    field, fault = dialog.findChild(QLineEdit), dialog.findChild(QLabel, "fault")
    assert field is not None and fault is not None
    field.setText(typed)
    QTest.keyClick(field, Key.Key_Return)
    assert dialog.isVisible() and said in fault.text()
    field.setText("13")
    QTest.keyClick(field, Key.Key_Return)
    rest(qtbot, window, lambda: window.frame.event == 13)


@pytest.mark.parametrize("width", [460, 800])
def test_a_fault_is_seen_whole_beside_its_field(qtbot: QtBot, window: MainWindow, width: int) -> None:
    strike(window, Key.Key_U)
    (dialog,) = window.findChildren(QDialog)
    field, fault = dialog.findChild(QLineEdit), dialog.findChild(QLabel, "fault")
    assert field is not None and fault is not None
    dialog.resize(width, dialog.height())
    field.setText("that is no time " * 20)
    QTest.keyClick(field, Key.Key_Return)
    qtbot.waitUntil(lambda: fault.height() >= fault.heightForWidth(fault.width()) > 2 * fault.fontMetrics().height())
    dialog.close()


def test_servers_are_saved_as_a_table(window: MainWindow, tmp_path: Path) -> None:
    window.docks["servers"].save_series(tmp_path / "servers.csv")
    first, *rows = (tmp_path / "servers.csv").read_text().splitlines()
    assert first.startswith("server,slots of web,")
    assert [row.split(",")[0] for row in rows] == [str(n) for n in range(1, 8)]


def test_no_key_belongs_to_two_commands() -> None:
    """Qt triggers neither of two commands with the same key."""
    keys = [key for command in (*COMMANDS, BRING) for key in command.all_keys]
    assert sorted(keys) == sorted(set(keys))


@pytest.mark.parametrize("lecture", [False, True])
def test_a_key_leads_to_the_log_s_search_and_what_is_typed_is_asked(
    qtbot: QtBot, window: MainWindow, lecture: bool
) -> None:
    """In lecture mode the search is visible only while it is being edited; the question remains."""
    log = window.docks[SENTENCES].panel
    if lecture:
        strike(window, Key.Key_L)
        rest(qtbot, window, lambda: window.lecture.on and not log.bar.isVisible())
    strike(window, Key.Key_F, CTRL)
    qtbot.waitUntil(lambda: log.bar.search.hasFocus() and log.bar.isVisible())
    qtbot.waitUntil(lambda: log.view.height() > log.view.minimumSizeHint().height())
    assert not overflowing.cut(log.bar)
    QTest.keyClicks(log.bar.search, "event < 3")
    strike(window, Key.Key_Return)
    rest(qtbot, window, lambda: window.frame.asked is not None and window.frame.asked.text == "event < 3")
    strike(window, Key.Key_Escape)
    qtbot.waitUntil(lambda: log.bar.isVisible() != lecture)
    assert settled(qtbot, window) == START and window.lecture.on == lecture
    assert window.frame is not None and window.frame.asked is not None


def test_what_only_a_search_has_brought_up_goes_down_where_nothing_is_asked(qtbot: QtBot, window: MainWindow) -> None:
    log = window.docks[SENTENCES].panel

    def tall() -> bool:
        return bool(log.height() > 3 * log.minimumHeight())

    log.bar.search.clear()  # the question would otherwise apply to this run, too
    strike(window, Key.Key_L)
    rest(qtbot, window, lambda: window.lecture.on and not log.bar.isVisible() and not tall())
    for typed in ("", "web", "0 > 1\r"):  # words are dropped when the field is left; the condition never holds
        strike(window, Key.Key_F, CTRL)
        rest(qtbot, window, lambda: log.bar.search.hasFocus() and tall())
        QTest.keyClicks(log.bar.search, typed)
        if typed.endswith("\r"):
            rest(qtbot, window, lambda: window.frame.asked is not None)
        strike(window, Key.Key_Escape)
        rest(qtbot, window, lambda: not log.bar.isVisible() and not tall())
    strike(window, Key.Key_3)
    rest(qtbot, window, tall)
    strike(window, Key.Key_F, CTRL)
    qtbot.waitUntil(log.bar.search.hasFocus)
    strike(window, Key.Key_Escape)
    rest(qtbot, window, lambda: not log.bar.isVisible())
    assert tall() and window.lecture.on


def test_a_hall_has_the_log_where_what_was_asked_means_nothing_to_the_run(qtbot: QtBot, window: MainWindow) -> None:
    log = window.docks[SENTENCES].panel
    strike(window, Key.Key_L)
    rest(qtbot, window, lambda: window.lecture.on)
    strike(window, Key.Key_F, CTRL)
    qtbot.waitUntil(log.bar.search.hasFocus)
    QTest.keyClicks(log.bar.search, "overflowed")  # a word of another kind of system
    strike(window, Key.Key_Return)
    rest(qtbot, window, log.mistake.isVisible)
    strike(window, Key.Key_Escape)
    rest(qtbot, window, lambda: not log.mistake.isVisible() and len(log.model.rows) > 0)
    strike(window, Key.Key_F, CTRL)
    rest(qtbot, window, lambda: log.mistake.isVisible() and log.bar.search.text() == "overflowed")
    log.bar.search.clear()
    QTest.keyClicks(log.bar.search, "event > 99")
    strike(window, Key.Key_Return)
    strike(window, Key.Key_Escape)
    rest(qtbot, window, lambda: log.view.empty_note == "event > 99? It held at no event so far.")


def test_who_asks_for_a_decision_while_events_rush_past_stops_the_run(qtbot: QtBot, window: MainWindow) -> None:
    questions, worker = window.lessons.questions, window.worker
    for _ in range(40):  # an event without a decision is reported, and the run stops there, too
        begun = settled(qtbot, window)[3]
        strike(window, Key.Key_E)
        qtbot.waitUntil(lambda begun=begun: worker.session.timeline.event > begun)
        strike(window, Key.Key_A)
        qtbot.waitUntil(lambda: not questions.stands or questions.open)
        stood = settled(qtbot, window)[3]
        qtbot.wait(100)
        assert settled(qtbot, window)[3] == stood
        if questions.open:
            break
    assert questions.open and questions._exercise is not None and questions._exercise.event == stood
