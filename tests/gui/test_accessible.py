"""The window without sight or mouse: accessible names and descriptions, announcements, keys."""

from __future__ import annotations

from unicodedata import normalize

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QSlider,
    QTabBar,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from slotscope.gui.intents import Select
from slotscope.gui.main_window import MainWindow
from slotscope.gui.panel import Panel
from slotscope.gui.panels.wording import sentence
from slotscope.gui.widgets import spoken
from slotscope.gui.widgets.focus_ring import FocusRing
from slotscope.gui.widgets.painted import image_of, svg_of
from slotscope.model.lessons.files import find_lesson, load_lesson
from slotscope.model.policies import POLICIES_OF
from slotscope.model.running.origin import Moment
from tests.contract.moments import SMALL
from tests.gui.accessible import listening, nameless, tree
from tests.gui.windows import press, rest


@pytest.fixture
def window(shared_window: MainWindow) -> MainWindow:
    return shared_window


def test_each_step_is_announced_once_and_only_to_who_listens(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(spoken.QAccessible, "updateAccessibility", lambda event: said.append(event.message()))
    window.control.open("dra-classroom")
    rest(qtbot, window, lambda: window.frame.info.scenario_name == "dra-classroom")
    described = _descriptions(window)
    press(qtbot, window, Qt.Key.Key_Right)
    rest(qtbot, window, lambda: window.frame.event == 1)
    assert not said
    assert _descriptions(window) == described
    with listening():
        press(qtbot, window, Qt.Key.Key_Right)
        rest(qtbot, window, lambda: window.frame.event == 2)
        assert said.count(sentence(window.frame)) == 1
        window.area.show_frame(window.frame)
        assert said.count(sentence(window.frame)) == 1
        assert _descriptions(window) != described
        log = window.docks["decisions"].panel.accessibleDescription()
        assert sentence(window.frame)[1:] in log and "trail" not in log  # without columns meant for files only
        assert sentence(window.frame) in window.docks["servers"].panel.accessibleDescription()


def test_gone_back_the_moment_is_read_and_not_the_end_of_all_history(window: MainWindow, qtbot: QtBot) -> None:
    window.control.open("dra-classroom", None, None, Moment((60,)))
    rest(qtbot, window, lambda: window.frame.info.scenario_name == "dra-classroom" and window.frame.event == 60)
    window.control.go_to(10)
    rest(qtbot, window, lambda: window.frame.event == 10)
    for name in ("reward", "groups", "decisions"):
        window.docks[name].raise_()
        qtbot.waitUntil(lambda name=name: window.docks[name].panel.frame is window.frame)
        assert "event 10, " in window.docks[name].panel.described()


def test_behind_a_tab_nothing_is_described_that_is_past(window: MainWindow, qtbot: QtBot) -> None:
    window.control.open("dra-classroom")
    rest(qtbot, window, lambda: window.frame.info.scenario_name == "dra-classroom")
    reward, groups = (window.docks[name] for name in ("reward", "groups"))
    with listening():
        reward.raise_()
        qtbot.waitUntil(lambda: reward.seen and bool(reward.panel.accessibleDescription()))
        groups.raise_()
        qtbot.waitUntil(lambda: groups.seen and bool(groups.panel.accessibleDescription()))
        window.area.select(Select(server=1))  # panels behind tabs also get the selection
        assert not reward.panel.accessibleDescription()
        reward.raise_()
        qtbot.waitUntil(lambda: bool(reward.panel.accessibleDescription()))


def _descriptions(window: MainWindow) -> dict[str, str]:
    return {name: dock.panel.accessibleDescription() for name, dock in window.docks.items()}


def test_panels_are_reached_by_tab_and_show_it(window: MainWindow) -> None:
    window.setFocus()
    reached: set[str] = set()
    for _ in range(300):
        QTest.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Tab)
        focused = QApplication.focusWidget()
        if isinstance(focused, Panel):
            assert focused.ring.isVisible()
            assert next(dock.seen for dock in window.docks.values() if dock.panel is focused)
            reached.add(focused.name)
        elif focused is window:
            break
    assert reached == {*window.docks}
    window.setFocus()


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["dra-classroom", "queues-classroom", "jrs-classroom", "moldable-classroom"])
def test_whoever_goes_by_tab_sees_where_the_keys_are(window: MainWindow, qtbot: QtBot, scenario: str) -> None:
    """Also after a run of another kind, whose tab bars Qt keeps, and if nothing is selected in a picture."""
    window.control.open("dra-vms" if scenario != "dra-classroom" else "queues-classroom")
    rest(qtbot, window, lambda: window.frame is not None and window.frame.info.scenario_name != scenario)
    window.control.open(scenario, None, None, Moment((10,)))
    rest(qtbot, window, lambda: window.frame.info.scenario_name == scenario and window.frame.event == 10)
    window.settle()
    window.setFocus()
    reached = 0
    for _ in range(300):
        QTest.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Tab)
        focused = QApplication.focusWidget()
        assert focused is not None
        if focused is window:
            break
        window.settle()
        named = f"{type(focused).__name__} {focused.objectName()} {focused.accessibleName()}"
        place = QRect(focused.mapTo(window, QPoint()), focused.size())
        assert focused.isVisible() and not place.intersected(window.rect()).isEmpty(), named
        drawn = isinstance(focused, QAbstractButton | QAbstractSpinBox | QComboBox | QLineEdit | QSlider | QTabBar)
        assert drawn or any(ring.isVisible() for ring in focused.findChildren(FocusRing)), named
        reached += 1
    assert reached > len(window.docks)


def test_no_picture_of_a_panel_has_the_frame_of_the_focus(window: MainWindow) -> None:
    panel = window.docks["algorithm"].panel
    window.setFocus()
    pixels, vectors = image_of(panel), svg_of(panel)
    panel.setFocus(Qt.FocusReason.TabFocusReason)
    assert panel.ring.isVisible()
    assert (image_of(panel), svg_of(panel)) == (pixels, vectors)
    assert panel.ring.isVisible()
    window.setFocus()


@pytest.mark.slow
@pytest.mark.parametrize("lesson", ["dra-1-decision", "queues-1-slot", "jrs-1-token", "moldable-1-blocking"])
def test_a_lesson_is_done_by_keys_alone(window: MainWindow, qtbot: QtBot, lesson: str) -> None:
    """Step by step to the last, with every question answered."""
    window.lessons.open(lesson)
    steps = load_lesson(find_lesson(lesson)).steps
    questions, asked = window.lessons.questions, 0
    for number, step in enumerate(steps):
        qtbot.waitUntil(lambda number=number: window.lessons.number == number)
        if step.question is not None:
            qtbot.waitUntil(lambda: questions.open)
            asked += 1
            press(qtbot, window, Qt.Key.Key_A)
            answer = QApplication.focusWidget()
            assert answer is questions.line.answer
            assert questions.posed is not None
            QTest.keyClicks(answer, normalize("NFKC", questions.posed.taken))  # keyboards have no subscript digits
            QTest.keyClick(answer, Qt.Key.Key_Return)
            qtbot.waitUntil(lambda: not questions.open)
            assert questions.line.verdict.text()
        press(qtbot, window, Qt.Key.Key_PageDown)
    assert asked
    window.lessons.end()


@pytest.mark.slow
@pytest.mark.parametrize("count", [0, 2])
@pytest.mark.parametrize("system", SMALL)
def test_whatever_can_be_used_has_a_name(window: MainWindow, qtbot: QtBot, system: str, count: int) -> None:
    """With one policy, and with two and every panel that the second one can have."""
    window.stand_at(SMALL[system], tuple(POLICIES_OF[system])[:count], None, (), None, None)
    qtbot.waitUntil(lambda: window.area.complete and len(window.lanes.labels) == count)
    for name in [*window.docks]:
        for lane in range(window.lanes.lanes_of(window.docks[name].panel.name)):
            window.lanes.dock_of(window.docks[name].panel.name, lane)
    window.settle()
    assert sum(1 for _ in tree(window)) > 300
    assert nameless(window) == []


def test_a_nameless_button_would_be_found(window: MainWindow) -> None:
    planted = QToolButton(window.transport)
    assert [path for path in nameless(window) if path.endswith("/QToolButton")]
    planted.setAccessibleName("Planted")
    assert not [path for path in nameless(window) if path.endswith("/QToolButton")]
    planted.setParent(None)
    planted.deleteLater()


@pytest.mark.parametrize("command", ["until", "breakpoints", "what_if", "shortcuts", "help", "lessons", "experiments"])
def test_dialogs_and_sheets_have_names_for_all(window: MainWindow, qtbot: QtBot, command: str) -> None:
    before = {id(top) for top in QApplication.topLevelWidgets() if top.isVisible()}
    window.actions_by_name[command].trigger()
    qtbot.waitUntil(lambda: bool(_opened(before)))
    for top in _opened(before):
        assert top.windowTitle()
        assert nameless(top) == []
        top.close()


def _opened(before: set[int]) -> list[QWidget]:
    return [top for top in QApplication.topLevelWidgets() if top.isVisible() and id(top) not in before]
