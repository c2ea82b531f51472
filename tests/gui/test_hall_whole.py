"""On a projector of 1280x720 nothing is cut in lecture mode, in any panel and in either language."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea
from pytestqt.qtbot import QtBot

from slotscope.gui.docking.docks import lane_name
from slotscope.gui.main_window import MainWindow
from slotscope.gui.panels import COMPARISON, SENTENCES, panels_of
from slotscope.gui.presenting.pad import base_of
from slotscope.gui.widgets.curtain import Curtain, curtain_of
from slotscope.model.lessons.files import lesson_files, load_lesson
from tests.gui.halls import PROJECTOR, stand
from tests.gui.overflowing import cut, scrolled_sideways, shortened
from tests.gui.test_lecture import CLASSROOMS, LEAST, moment_of, sentence_is_whole
from tests.gui.windows import IN_EACH_LANGUAGE, at_rest, press

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm"), IN_EACH_LANGUAGE]

#: Scenarios, policies and events: for each kind its classroom, alone and in a comparison, and a scenario of many pools
#: with long names.
STANDS = (
    *((scenario, (), event) for scenario, event in CLASSROOMS),
    ("dra-classroom", ("dra", "first-fit"), 30),
    ("queues-classroom", ("vqs", "bf-js"), 20),
    ("jrs-classroom", ("jrs", "first-fit"), 14),
    ("moldable-classroom", ("greedy-p", "greedy"), 7),
    ("jrs-azure", (), 40),
)


@pytest.fixture
def window(tidy_window: MainWindow) -> MainWindow:
    tidy_window.resize(*PROJECTOR)
    return tidy_window


@pytest.mark.parametrize(("scenario", "policies", "event"), STANDS)
def test_nothing_is_cut_in_any_panel(
    qtbot: QtBot, window: MainWindow, scenario: str, policies: tuple[str, ...], event: int
) -> None:
    """In the panels of each policy shown; and the servers of a classroom are high enough."""
    stand(qtbot, window, scenario, policies, event)
    if "classroom" in scenario:
        servers = window.area.roles.servers
        boxes = [base_of(window.docks[lane_name(servers, lane)].panel, (0, 0)) for lane in range(len(policies) or 1)]
        assert all(box is not None and box.height() >= LEAST for box in boxes), boxes
    for name in [entry.load().name for entry in (*panels_of(window.area.system), *(COMPARISON,) * bool(policies))]:
        for lane in range(window.lanes.lanes_of(name)):
            if name not in (window.area.roles.servers, SENTENCES):
                window.lecture.put_beside(name, lane)
            qtbot.wait(30)
            window.settle()
            _is_whole(qtbot, window, lane_name(name, lane))


def test_what_is_solved_late_has_its_width(qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine the optimum arrives after the layout; then a page of numbers replaces the busy indicator."""
    solve = window._solve
    monkeypatch.setattr(window, "_solve", lambda _: None)
    window.lessons.open("moldable-2-optimum")
    press(qtbot, window, Qt.Key.Key_L)
    at_rest(qtbot, window, lambda: window.lecture.on and window.frame.event == 30)
    window.settle()
    panel = window.docks["allocation-lp"].panel
    before = panel.width()
    assert window.info is not None and not panel.known
    solve(window.info)
    at_rest(qtbot, window, lambda: panel.known)
    qtbot.waitUntil(lambda: panel.width() > before and not scrolled_sideways(panel))


def test_what_is_said_of_each_step_of_a_lesson_is_whole(qtbot: QtBot, window: MainWindow) -> None:
    """Sentences of one and of two lines alternate."""
    window.lessons.open("dra-1-decision", 3)
    press(qtbot, window, Qt.Key.Key_L)
    steps = load_lesson(lesson_files()["dra-1-decision"], "en").steps
    for number in range(3, len(steps)):
        moment = steps[number].place(Path()).moment
        at_rest(qtbot, window, lambda moment=moment: moment_of(window) == [(moment.events[0], moment.substep or 0)])
        qtbot.waitUntil(lambda: sentence_is_whole(window), timeout=5000)
        press(qtbot, window, Qt.Key.Key_PageDown)


def test_the_offer_of_the_tour_is_whole_and_a_hall_does_not_see_it(qtbot: QtBot, window: MainWindow) -> None:
    assert window.lessons.offer.offer()
    window.settle()
    assert cut(window) == []
    stand(qtbot, window, "dra-classroom", (), 30)
    assert window.lecture.on and window.lessons.offer.isHidden()
    window.welcome()
    assert window.lessons.offer.isHidden()
    press(qtbot, window, Qt.Key.Key_L)
    window.welcome()  # the offer has not been answered yet
    assert window.lessons.offer.isVisible()


def _is_whole(qtbot: QtBot, window: MainWindow, name: str) -> None:
    panel = window.docks[name].panel
    with shortened() as found:
        panel.set_theme(panel.theme)
        window.settle()
        panel.grab()
    assert (name, found, cut(window), scrolled_sideways(panel)) == (name, [], [], [])
    for area in panel.findChildren(QScrollArea):
        if area.isVisible() and area.verticalScrollBar().maximum() > 0:
            curtain = curtain_of(area)
            assert curtain is not None, (name, area)
            pages_are_whole(qtbot, area, curtain)


def pages_are_whole(qtbot: QtBot, area: QScrollArea, curtain: Curtain) -> None:
    """On each page nothing is cut, nothing is skipped, and the last page reaches the end."""
    bar, content = area.verticalScrollBar(), area.widget()
    assert content is not None
    bar.setValue(0)
    qtbot.waitUntil(curtain.isVisible)
    seen = 0
    while True:
        first, last = bar.value() + curtain.shown[0], bar.value() + curtain.shown[1]
        assert first <= seen < last, "something is passed over"
        parts = list(curtain.parts())
        assert not [part for part in parts if part[0] < first < part[1] or part[0] < last < part[1]]
        seen = last
        if bar.value() == bar.maximum():
            break
        bar.setValue(bar.value() + curtain.page)
    assert seen >= max(last for _, last in parts)
    bar.setValue(0)
