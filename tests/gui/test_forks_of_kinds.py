"""What if, in the kinds besides the loss system: forced, edited, named, saved, opened again, and left by a key."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from slotscope.gui.intents import ApplyScenario
from slotscope.gui.main_window import MainWindow
from slotscope.gui.widgets.choice_menu import ChoiceMenu
from slotscope.model.comparison.runs import lanes_of
from slotscope.model.forks.changes import Choice, offered
from slotscope.model.forks.tree import Fork
from slotscope.model.scenario.load import as_data
from slotscope.model.systems.base import PolicySystem
from slotscope.model.systems.state import digest
from tests.forking import RUNS, straight
from tests.gui.test_forks import begun_name, click, close, items, opened
from tests.gui.windows import complete_window, open_anew, press, rest
from tests.runs import ran

Key = Qt.Key
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm")]

#: For each kind: its policy with another parameter, and an edit of the scenario that leaves the jobs the same.
WAYS: dict[str, tuple[str, tuple[Any, ...], Any]] = {
    "queue": ("vqs-bf:renew=before", ("run", "warmup"), 400),
    "phases": ("jrs:token_limit=0", ("cost", "budget"), 0.2),
    "moldable": ("greedy-p:load=0.5", ("run", "warmup"), 400),
}


def edited(data: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    place: Any = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return data


def before_a_decision(kind: str) -> int:
    """The number of events before the first decision, from event 30 on, in the classroom scenario of a kind."""
    session = ran(*RUNS[kind][:2], events=30)
    while not session.bench.at(session.timeline.event).system.choices(session.timeline.state):
        session.step()
    return session.timeline.event


@pytest.mark.parametrize("kind", WAYS)
def test_forks_of_each_sort_are_kept_named_and_left_by_one_key(qtbot: QtBot, kind: str, tmp_path: Path) -> None:
    event, file = before_a_decision(kind), tmp_path / "forks.slotscope"
    with complete_window(qtbot, tmp_path) as window:
        open_anew(qtbot, window, *RUNS[kind][:2])
        window.control.go_to(event)
        rest(qtbot, window, lambda: window.frame.event == event)
        tree = made(qtbot, window, kind)
        window.control.save(file, "")
        qtbot.waitUntil(lambda: str(file) in window.status.said.text())
    with complete_window(qtbot, tmp_path) as again:
        again.open_path(file)
        rest(qtbot, again, lambda: again.frame is not None and len(again.frame.companions) == 1)
        assert lanes_of(again.worker.session)[0].forks.entries() == tree
        assert again.compare.labels[1] == "by hand"
        press(qtbot, again, Key.Key_Z, CTRL | SHIFT)
        rest(qtbot, again, lambda: not again.frame.companions)
        assert digest(again.worker.session.timeline.state) == straight(*RUNS[kind][:2]).at(event)


@pytest.mark.parametrize("kind", RUNS)
def test_decisions_are_found_only_for_a_menu_that_asks_and_are_those_of_its_event(
    qtbot: QtBot, kind: str, shared_window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, found = shared_window, []

    def noted(system: PolicySystem, state: Any, find: Any = PolicySystem.choices) -> tuple[Choice, ...]:
        found.append(find(system, state))
        return found[-1]

    event = before_a_decision(kind)
    open_anew(qtbot, window, *RUNS[kind][:2])
    monkeypatch.setattr(PolicySystem, "choices", noted)
    window.control.go_to(event - 1)
    rest(qtbot, window, lambda: window.frame.event == event - 1)
    press(qtbot, window, Key.Key_Right)
    rest(qtbot, window, lambda: window.frame.event == event)
    assert not found and not window.frame.choices, "nobody has asked"
    panel = window.docks[window.area.roles.servers].panel
    point = panel.rect().center()
    QApplication.sendEvent(panel, QContextMenuEvent(QContextMenuEvent.Reason.Other, point, panel.mapToGlobal(point)))
    menu = panel.findChildren(ChoiceMenu)[-1]
    rest(qtbot, window, lambda: bool(found) and bool(window.frame.choices))
    line = window.worker.session.timeline
    wanted = window.worker.session.bench.at(event).system.whatif.choices(window.worker.session.bench.system, line.state)
    assert found == [wanted]
    offers = [words for words, _ in offered(wanted)]
    assert offers and [action.text() for action in menu.actions()] == [*offers, "Others ..."]
    menu.take(window.frame)
    assert len(menu.actions()) == len(offers) + 1, "told once"
    menu.parent().close()
    press(qtbot, window, Key.Key_Left)
    rest(qtbot, window, lambda: window.frame.event == event - 1)
    assert len(found) == 1 and not window.frame.choices, "nobody asks any more"


def test_a_menu_offers_nothing_of_another_event(qtbot: QtBot) -> None:
    session = ran(*RUNS["reservation"][:2], events=before_a_decision("reservation"))
    frame = session.frame()
    menu = QMenu()
    qtbot.addWidget(menu)
    offers = ChoiceMenu(menu, frame, -1, -1)
    here = session.frame(offering=True)
    offers.take(replace(here, event=here.event + 1))
    offers.take(replace(here, info=replace(here.info)))
    assert [action.text() for action in offers.actions()] == ["Others ..."]
    offers.take(here)
    assert len(offers.actions()) > 1


def made(qtbot: QtBot, window: MainWindow, kind: str) -> tuple[Fork, ...]:
    """Make forks by a forced decision, which is then named, by another parameter and by an edit; return the tree."""
    left, event = window.worker.session, window.frame.event
    policy, path, value = WAYS[kind]
    dialog = opened(qtbot, window)
    dialog.decision.setCurrentIndex(dialog.decision.count() - 1)  # wait, a backup server, or block
    qtbot.mouseClick(dialog.decide, Qt.MouseButton.LeftButton)
    rest(qtbot, window, lambda: len(window.frame.companions) == 1)
    forced = lanes_of(window.worker.session)[1].origin.policy
    assert forced.startswith(f"{RUNS[kind][1]}@{event}:")
    qtbot.keyClicks(dialog.policy, policy)
    qtbot.keyClick(dialog.policy, Key.Key_Return)
    rest(qtbot, window, lambda: lanes_of(window.worker.session)[1].origin.policy == f"{RUNS[kind][1]}@{event}={policy}")
    close(qtbot, window, dialog)
    data = edited(as_data(left.bench.scenario), path, value)
    window.area.asked.emit(ApplyScenario(data, True, True), 0)
    rest(qtbot, window, lambda: "+" in lanes_of(window.worker.session)[1].origin.policy)
    dialog = opened(qtbot, window)
    qtbot.waitUntil(lambda: len(items(dialog)) == 4)
    name = next(name for name, item in items(dialog).items() if item.data(0, Qt.ItemDataRole.UserRole) == forced)
    click(qtbot, dialog, name)
    rest(qtbot, window, lambda: lanes_of(window.worker.session)[1].origin.policy == forced)
    qtbot.waitUntil(lambda: items(dialog)[name].font(0).bold())  # the tree has been filled again
    qtbot.keyClick(begun_name(qtbot, dialog, "by hand"), Key.Key_Return)
    qtbot.waitUntil(lambda: "by hand" in items(dialog))
    qtbot.waitUntil(lambda: window.compare.labels[1] == "by hand")
    tree = lanes_of(window.worker.session)[0].forks.entries()
    close(qtbot, window, dialog)
    return tree
