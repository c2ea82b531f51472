"""What if, by keys and clicks: decide otherwise, continue under another policy, go back, name, and visit forks."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QTreeWidgetItem, QTreeWidgetItemIterator
from pytestqt.qtbot import QtBot

from slotscope.gui.intents import ApplyScenario, Select
from slotscope.gui.main_window import MainWindow
from slotscope.gui.window.forks_dialog import ForksDialog
from slotscope.model.comparison.companion import forked
from slotscope.model.comparison.comparison import Comparison
from slotscope.model.comparison.file import save_run
from slotscope.model.comparison.runs import lanes_of
from slotscope.model.forks.changes import Deviation
from slotscope.model.scenario.load import as_data
from tests.gui.windows import complete_window, open_anew, press, rest
from tests.model.test_moments import opened as opened_line
from tests.model.test_moments import place
from tests.runs import ran

Key, Button = Qt.Key, Qt.MouseButton
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm")]

#: Web job 11 of dra-classroom arrives after this event.
EVENT = 12


@pytest.fixture
def window(qtbot: QtBot, shared_window: MainWindow) -> MainWindow:
    """A complete window before an arrival in dra-classroom."""
    open_anew(qtbot, shared_window, "dra-classroom", "dra", seed=1)
    shared_window.control.go_to(EVENT)
    rest(qtbot, shared_window, lambda: shared_window.frame.event == EVENT)
    return shared_window


def opened(qtbot: QtBot, window: MainWindow) -> ForksDialog:
    press(qtbot, window, Key.Key_I)
    dialog = window.findChild(ForksDialog)
    assert dialog is not None and dialog.isVisible()
    qtbot.waitUntil(lambda: bool(dialog.place.text()))
    return dialog


def close(qtbot: QtBot, window: MainWindow, dialog: ForksDialog) -> None:
    qtbot.keyClick(dialog, Key.Key_Escape)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)


def reject(qtbot: QtBot, window: MainWindow, dialog: ForksDialog) -> None:
    """Fork with a rejection, by the keyboard and the mouse."""
    dialog.decision.setFocus()
    qtbot.keyClick(dialog.decision, Key.Key_Return)  # opens the list
    for key in (Key.Key_Home, Key.Key_Down):  # the entry after "put job 11 on server ..."
        qtbot.keyClick(dialog.decision.view(), key)
    qtbot.keyClick(dialog.decision.view(), Key.Key_Return)
    assert dialog.decision.currentText() == "reject job 11"
    assert not dialog.number.isVisible()
    qtbot.mouseClick(dialog.decide, Button.LeftButton)
    rest(qtbot, window, lambda: len(window.frame.companions) == 1)


def items(dialog: ForksDialog) -> dict[str, QTreeWidgetItem]:
    found, every = {}, QTreeWidgetItemIterator(dialog.tree)
    while (item := every.value()) is not None:
        found[item.text(0)] = item
        every += 1
    return found


def click(qtbot: QtBot, dialog: ForksDialog, name: str) -> None:
    box = dialog.tree.visualItemRect(items(dialog)[name])
    qtbot.mouseClick(dialog.tree.viewport(), Button.LeftButton, pos=box.center())


# This test comes first: it needs a window in which nothing has run.
def test_where_a_session_with_a_fork_was_opened_the_key_goes_back_to_what_the_fork_left(
    qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "forked.slotscope"
    left = ran("dra-classroom", seed=1, events=EVENT)
    other = forked(left, Deviation(EVENT, decision="reject"), kernel=False)
    save_run(Comparison.of([left, other]), path)
    with complete_window(qtbot, tmp_path) as window:
        window.open_path(path)
        rest(qtbot, window, lambda: window.frame is not None and len(window.frame.companions) == 1)
        press(qtbot, window, Key.Key_Z, CTRL | SHIFT)
        rest(qtbot, window, lambda: not window.frame.companions)
        assert window.worker.session.origin.policy == "dra"
        press(qtbot, window, Key.Key_Z, CTRL | SHIFT)
        rest(qtbot, window, lambda: len(window.frame.companions) == 1)
        assert window.frame.companions[0].event == EVENT


def test_the_other_choice_stands_beside_and_one_key_goes_back(qtbot: QtBot, window: MainWindow) -> None:
    left = window.worker.session
    dialog = opened(qtbot, window)
    assert "web job 11 arrives" in dialog.place.text()
    reject(qtbot, window, dialog)
    assert (window.frame.event, window.frame.companions[0].event) == (EVENT, EVENT)
    assert window.compare.labels == ("DRA", f"DRA, reject @{EVENT}")
    assert "goes back" in window.status.said.text()
    close(qtbot, window, dialog)
    press(qtbot, window, Key.Key_Right)
    rest(qtbot, window, lambda: window.frame.companions[0].event == EVENT + 1)
    first, other = window.frame, window.frame.companions[0]
    assert "rejected: the fork decides so" in other.info.narrator.row(other.rows[-1])
    assert "admitted" in first.info.narrator.row(first.rows[-1])
    press(qtbot, window, Key.Key_Left)
    rest(qtbot, window, lambda: window.frame.event == EVENT)
    press(qtbot, window, Key.Key_Z, CTRL | SHIFT)
    rest(qtbot, window, lambda: not window.frame.companions)
    assert window.worker.session is left
    assert window.frame.event == EVENT


def test_what_the_log_is_asked_stands_in_that_of_the_fork_too(qtbot: QtBot, window: MainWindow) -> None:
    """A search typed in the fork's log is kept, and a question asked there is also entered in the first log."""
    first, question = window.docks["decisions"].panel.bar, "admitted and event > 3"
    qtbot.keyClicks(first.search, question)
    qtbot.keyClick(first.search, Key.Key_Return)
    rest(qtbot, window, lambda: window.frame.asked is not None and not window.frame.asked.searching)
    dialog = opened(qtbot, window)
    reject(qtbot, window, dialog)
    close(qtbot, window, dialog)
    other = window.docks["decisions-2"].panel.bar
    qtbot.waitUntil(lambda: other.text == question)
    qtbot.waitUntil(lambda: "hit" in other.count.text())

    qtbot.keyClicks(other.search, " or departed")
    rest(qtbot, window, lambda: window.frame.asked is None)
    qtbot.waitUntil(lambda: first.text == "")
    assert other.text == f"{question} or departed"
    qtbot.keyClick(other.search, Key.Key_Return)
    qtbot.waitUntil(lambda: first.text == other.text)
    qtbot.keyClicks(first.search, "x")
    qtbot.waitUntil(lambda: other.text == "")
    qtbot.keyClicks(other.search, "job 1")
    qtbot.keyClicks(first.search, "y")
    rest(qtbot, window, lambda: window.frame.asked is None)
    assert (first.text, other.text) == (f"{question} or departedxy", "job 1")
    first.search.clear()


def test_forking_again_at_one_event_leads_back_past_what_has_not_gone_on(qtbot: QtBot, window: MainWindow) -> None:
    left = window.worker.session
    dialog = opened(qtbot, window)
    reject(qtbot, window, dialog)
    dialog.policy.setText("best-fit")
    qtbot.mouseClick(dialog.go_on, Button.LeftButton)
    qtbot.waitUntil(lambda: set(items(dialog)) == {"dra", "reject", "best-fit"})
    close(qtbot, window, dialog)
    press(qtbot, window, Key.Key_Z, CTRL | SHIFT)
    rest(qtbot, window, lambda: not window.frame.companions)
    assert window.worker.session is left
    press(qtbot, window, Key.Key_Z, CTRL | SHIFT)
    rest(qtbot, window, lambda: len(window.frame.companions) == 1)
    assert window.frame.companions[0].info.policy_name == "best-fit"


def test_what_a_fork_made_of_its_events_is_a_step_of_the_way_back(qtbot: QtBot, window: MainWindow) -> None:
    dialog = opened(qtbot, window)
    reject(qtbot, window, dialog)
    window.control.go_to(EVENT + 1)
    rest(qtbot, window, lambda: window.frame.event == EVENT + 1)
    beside = window.worker.session
    dialog.policy.setText("best-fit")
    qtbot.mouseClick(dialog.go_on, Button.LeftButton)
    rest(qtbot, window, lambda: window.worker.session is not beside)
    close(qtbot, window, dialog)
    press(qtbot, window, Key.Key_Z, CTRL | SHIFT)
    rest(qtbot, window, lambda: window.worker.session is beside)


def test_a_click_on_a_fork_that_is_shown_goes_to_where_it_left_and_the_key_goes_back_to_the_run(
    qtbot: QtBot, window: MainWindow
) -> None:
    left = window.worker.session
    dialog = opened(qtbot, window)
    reject(qtbot, window, dialog)
    beside = window.worker.session
    close(qtbot, window, dialog)
    press(qtbot, window, Key.Key_Right)
    rest(qtbot, window, lambda: window.frame.event == EVENT + 1)
    dialog = opened(qtbot, window)
    qtbot.waitUntil(lambda: "reject" in items(dialog))
    click(qtbot, dialog, "reject")
    rest(qtbot, window, lambda: window.frame.event == EVENT)
    assert window.worker.session is beside and window.frame.companions[0].extent.live_end == EVENT + 1
    close(qtbot, window, dialog)
    press(qtbot, window, Key.Key_Z, CTRL | SHIFT)
    rest(qtbot, window, lambda: not window.frame.companions)
    assert window.worker.session is left


def test_an_unknown_policy_is_answered_with_those_of_the_kind(qtbot: QtBot, window: MainWindow) -> None:
    dialog = opened(qtbot, window)
    dialog.policy.setText("bestfit")
    qtbot.mouseClick(dialog.go_on, Button.LeftButton)
    qtbot.waitUntil(lambda: "did you mean 'best-fit'?" in dialog.fault.text())
    assert "vqs" not in dialog.fault.text()
    assert "jrs" not in dialog.fault.text()


def test_while_the_run_goes_on_nothing_is_decided_of_an_event_that_is_past(qtbot: QtBot, window: MainWindow) -> None:
    dialog = opened(qtbot, window)
    assert dialog.decide.isEnabled()
    press(qtbot, window, Key.Key_Space)
    qtbot.waitUntil(lambda: not dialog.decide.isEnabled() and "Pause" in dialog.place.text())
    assert dialog.decision.currentText() == "" and not dialog.number.isVisible()
    press(qtbot, window, Key.Key_I)  # pauses the run here, in the same dialog
    rest(qtbot, window, lambda: not window.frame.playing)
    qtbot.waitUntil(lambda: dialog.place.text().startswith(f"After event {window.frame.event},"))
    assert [one for one in window.findChildren(ForksDialog) if one.isVisible()] == [dialog]


def test_while_the_run_goes_on_the_sheet_does_not_speak_of_an_event_that_is_past(
    qtbot: QtBot, window: MainWindow
) -> None:
    dialog = opened(qtbot, window)
    while dialog.decide.isEnabled():  # up to an event without a decision: a departure
        event = window.frame.event + 1
        window.control.go_to(event)
        rest(qtbot, window, lambda event=event: window.frame.event == event)
        qtbot.waitUntil(lambda event=event: dialog.place.text().startswith(f"After event {event},"))
    press(qtbot, window, Key.Key_Space)
    qtbot.waitUntil(lambda: window.frame.playing and "Pause" in dialog.place.text())


def test_a_right_click_offers_what_can_be_decided_of_the_server(qtbot: QtBot, window: MainWindow) -> None:
    window.carry_out(Select(server=1))
    view = window.docks["servers"].panel
    point = view.rect().center()
    QApplication.sendEvent(view, QContextMenuEvent(QContextMenuEvent.Reason.Mouse, point, view.mapToGlobal(point)))
    menu = next(menu for menu in view.findChildren(QMenu) if menu.isVisible() and not menu.title())
    offers = next(action.menu() for action in menu.actions() if action.text() == "What if ...")
    assert offers.actions()[-1].text() == "Others ...", "it is there before the run tells the others"
    rest(qtbot, window, lambda: len(offers.actions()) > 1)
    assert [action.text() for action in offers.actions()] == ["put job 11 on server 2", "reject job 11", "Others ..."]
    offers.actions()[1].trigger()
    menu.close()
    rest(qtbot, window, lambda: len(window.frame.companions) == 1)
    assert window.compare.labels[1] == f"DRA, reject @{EVENT}"


def test_a_line_of_the_log_opens_the_sheet_before_its_event(qtbot: QtBot, window: MainWindow) -> None:
    log = window.docks["decisions"].panel
    row = next(row for row in range(log.model.rowCount()) if log.model.entry(row).event == EVENT - 3)
    menu = log.menu(row)
    next(action for action in menu.actions() if action.text() == "What if ...").trigger()
    menu.close()
    dialog = window.findChild(ForksDialog)
    assert dialog is not None
    qtbot.waitUntil(lambda: dialog.place.text().startswith(f"After event {EVENT - 4},"))


def test_what_is_impossible_is_said_in_the_sheet_and_nothing_is_forked(qtbot: QtBot, window: MainWindow) -> None:
    dialog = opened(qtbot, window)
    dialog.number.setFocus()
    dialog.number.selectAll()
    qtbot.keyClicks(dialog.number, "7")
    qtbot.mouseClick(dialog.decide, Button.LeftButton)
    qtbot.waitUntil(lambda: "which has no empty slot" in dialog.fault.text())
    assert not window.frame.companions and not dialog.tree.topLevelItemCount()
    qtbot.keyClicks(dialog.policy, "best-fti")
    qtbot.keyClick(dialog.policy, Key.Key_Return)
    qtbot.waitUntil(lambda: "did you mean 'best-fit'" in dialog.fault.text())
    assert not window.frame.companions and window.frame.event == EVENT
    qtbot.keyClicks(dialog.policy, "best-fit")  # replaces the misspelt name
    assert dialog.policy.text() == "best-fit"


def test_what_is_wrong_with_another_command_is_not_said_in_the_sheet(qtbot: QtBot, window: MainWindow) -> None:
    dialog = opened(qtbot, window)
    window.control.open("dra-clasroom")
    qtbot.waitUntil(lambda: "did you mean" in window.status.said.text())
    rest(qtbot, window, lambda: window.frame.event == EVENT)
    assert not dialog.fault.text()


def test_another_policy_goes_on_and_in_the_past_there_is_the_one_it_left(qtbot: QtBot, window: MainWindow) -> None:
    dialog = opened(qtbot, window)
    qtbot.keyClicks(dialog.policy, "best-fit")
    qtbot.keyClick(dialog.policy, Key.Key_Return)
    rest(qtbot, window, lambda: len(window.frame.companions) == 1)
    close(qtbot, window, dialog)
    assert window.frame.companions[0].info.policy_name == "best-fit"
    press(qtbot, window, Key.Key_Left)
    rest(qtbot, window, lambda: window.frame.event == EVENT - 1)
    assert window.frame.companions[0].info.policy_name == "dra"
    assert not [name for name, dock in window.docks.items() if dock.panel.fault is not None]


def begun_name(qtbot: QtBot, dialog: ForksDialog, text: str) -> QLineEdit:
    """Begin to edit the current fork's name, and type *text*."""
    qtbot.keyClick(dialog.tree, Key.Key_F2)
    editor = dialog.tree.findChild(QLineEdit)
    assert editor is not None
    editor.selectAll()
    qtbot.keyClicks(editor, text)
    return editor


def test_forks_are_listed_named_kept_and_gone_to(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    dialog = opened(qtbot, window)
    reject(qtbot, window, dialog)
    qtbot.waitUntil(lambda: set(items(dialog)) == {"dra", "reject"})
    assert items(dialog)["reject"].parent() is items(dialog)["dra"]
    assert items(dialog)["reject"].font(0).bold()
    click(qtbot, dialog, "dra")
    rest(qtbot, window, lambda: not window.frame.companions)
    click(qtbot, dialog, "reject")
    rest(qtbot, window, lambda: len(window.frame.companions) == 1)
    qtbot.waitUntil(lambda: items(dialog)["reject"].font(0).bold())
    qtbot.keyClick(begun_name(qtbot, dialog, "turned away"), Key.Key_Return)  # renames the fork that was clicked
    qtbot.waitUntil(lambda: "turned away" in items(dialog))
    qtbot.waitUntil(lambda: window.compare.labels[1] == "turned away")
    assert "turned away" in window.windowTitle()
    window.compare.fill_menu()
    assert "turned away" in [one.text() for one in window.compare.menu.actions() if one.isChecked()]
    rest(qtbot, window, lambda: window.frame.comparison.labels[1] == "turned away")
    path = tmp_path / "forks.slotscope"
    window.control.save(path, "")
    qtbot.waitUntil(lambda: str(path) in window.status.said.text())
    assert window.frame.event == EVENT
    window.open_path(path)
    rest(qtbot, window, lambda: "Opened" in window.frame.message)
    qtbot.waitUntil(lambda: "turned away" in items(dialog))


def test_a_fork_that_a_click_has_shown_can_be_removed_and_the_key_brings_it_back(
    qtbot: QtBot, window: MainWindow
) -> None:
    dialog = opened(qtbot, window)
    for count, policy in enumerate(("dra:reservation_factor=1", "dra:reservation_factor=12"), 2):
        dialog.policy.setText(policy)
        qtbot.keyClick(dialog.policy, Key.Key_Return)
        qtbot.waitUntil(lambda count=count: len(items(dialog)) == count)
    first, other = list(items(dialog))[1:]
    dialog.tree.setFocus()
    dialog.tree.setCurrentItem(items(dialog)[first])  # its text begins the text of the other fork, which is shown
    qtbot.keyClick(dialog.tree, Key.Key_Delete)
    qtbot.waitUntil(lambda: first not in items(dialog))
    assert len(lanes_of(window.worker.present)) == 2 and not dialog.fault.text()
    click(qtbot, dialog, other)
    qtbot.keyClick(dialog.tree, Key.Key_Delete)
    qtbot.waitUntil(lambda: other not in items(dialog))
    rest(qtbot, window, lambda: len(lanes_of(window.worker.present)) == 1)
    root = next(iter(items(dialog)))
    dialog.tree.setCurrentItem(items(dialog)[root])
    qtbot.keyClick(dialog.tree, Key.Key_Delete)
    qtbot.waitUntil(lambda: "cannot be removed" in dialog.fault.text())
    close(qtbot, window, dialog)
    press(qtbot, window, Key.Key_Z, CTRL | SHIFT)
    rest(qtbot, window, lambda: len(lanes_of(window.worker.present)) == 2)
    qtbot.waitUntil(lambda: len(window.worker.lane(0).forks.entries()) == 2)


def test_a_name_that_is_typed_is_not_lost_where_another_run_is_shown(qtbot: QtBot, window: MainWindow) -> None:
    dialog = opened(qtbot, window)
    reject(qtbot, window, dialog)
    rest(qtbot, window, lambda: len(window.frame.companions) == 1)
    click(qtbot, dialog, "dra")
    rest(qtbot, window, lambda: not window.frame.companions)
    click(qtbot, dialog, "reject")
    qtbot.waitUntil(lambda: items(dialog)["reject"].font(0).bold())
    editor = begun_name(qtbot, dialog, "turned")
    with qtbot.waitSignal(window.worker.forks_told, check_params_cb=lambda offer: offer.shown == ("dra",)):
        press(qtbot, window, Key.Key_Z, CTRL | SHIFT)
    assert items(dialog)["reject"].font(0).bold()  # the tree has not changed
    qtbot.keyClicks(editor, " away")
    qtbot.keyClick(editor, Key.Key_Return)
    qtbot.waitUntil(lambda: "turned away" in items(dialog) and not items(dialog)["turned away"].font(0).bold())


def test_the_copied_line_opens_the_fork(qtbot: QtBot, window: MainWindow) -> None:
    dialog = opened(qtbot, window)
    reject(qtbot, window, dialog)
    close(qtbot, window, dialog)
    for events in (1, 2, 3):
        press(qtbot, window, Key.Key_Right)
        rest(qtbot, window, lambda n=events: window.frame.event == EVENT + n)
    press(qtbot, window, Key.Key_L, CTRL)
    line = QGuiApplication.clipboard().text()
    assert f"dra@{EVENT}:reject" in line
    again = opened_line(line)
    assert isinstance(again, Comparison)
    assert place(again) == place(window.worker.session)


def test_a_fork_of_a_fork_leaves_the_one_that_is_followed(qtbot: QtBot, window: MainWindow) -> None:
    dialog = opened(qtbot, window)
    reject(qtbot, window, dialog)
    window.compare.follow(1)
    window.control.step()
    rest(qtbot, window, lambda: window.frame.event == EVENT + 1)
    qtbot.keyClicks(dialog.policy, "first-fit")
    qtbot.keyClick(dialog.policy, Key.Key_Return)
    rejected = f"dra@{EVENT}:reject"
    wanted = [rejected, f"{rejected}@{EVENT + 1}=first-fit"]
    qtbot.waitUntil(lambda: [lane.origin.policy for lane in lanes_of(window.worker.session)] == wanted)
    qtbot.waitUntil(lambda: set(items(dialog)) == {"dra", "reject", "first-fit"})
    assert items(dialog)["first-fit"].parent() is items(dialog)["reject"]


def test_an_edit_goes_on_beside_or_is_refused_in_one_line(qtbot: QtBot, window: MainWindow) -> None:
    data = as_data(window.frame.info.scenario)
    data["job_types"][0]["reward"] = 9
    window.area.asked.emit(ApplyScenario(data, True, True), 0)
    rest(qtbot, window, lambda: len(window.frame.companions) == 1)
    assert window.frame.companions[0].info.scenario.job_types[0].reward == 9
    press(qtbot, window, Key.Key_Z, CTRL | SHIFT)
    rest(qtbot, window, lambda: not window.frame.companions)
    data["seed"] = 99
    window.area.asked.emit(ApplyScenario(data, True, True), 0)
    qtbot.waitUntil(lambda: "other arrivals, sizes or service" in window.status.said.text())
    assert not window.frame.companions


def test_what_is_refused_is_told_where_it_was_asked_until_something_else_is_typed(
    qtbot: QtBot, window: MainWindow
) -> None:
    window.docks["scenario"].raise_()
    form = window.docks["scenario"].panel
    qtbot.waitUntil(form.isVisible)
    window.control.step_into()
    rest(qtbot, window, lambda: len(window.frame.records) == 1)
    speed = form._by_path()["job_types[0].workload"]
    speed.set_text("0.5")
    form.validate()
    qtbot.mouseClick(form.fork, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "other arrivals, sizes or service" in form.message.text())
    window.control.step()
    rest(qtbot, window, lambda: not window.frame.records)
    qtbot.waitUntil(lambda: "other arrivals" not in window.status.said.text())
    assert "other arrivals, sizes or service" in form.message.text()
    speed.set_text("0.6")
    form.validate()
    assert "other arrivals" not in form.message.text()


@pytest.mark.parametrize("at", ["the number", "the button"])
def test_a_decision_is_made_by_keys_alone(qtbot: QtBot, window: MainWindow, at: str) -> None:
    """With Enter: the space bar belongs to the run in every window."""
    dialog = opened(qtbot, window)
    qtbot.waitUntil(dialog.number.isVisible)
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    dialog.decision.setFocus()
    for _ in range(1 + (at == "the button")):
        qtbot.keyClick(QApplication.focusWidget(), Key.Key_Tab)
    assert QApplication.focusWidget() is (dialog.decide if at == "the button" else dialog.number)
    qtbot.keyClick(QApplication.focusWidget(), Key.Key_Return)
    rest(qtbot, window, lambda: len(window.frame.companions) == 1)
    close(qtbot, window, dialog)
