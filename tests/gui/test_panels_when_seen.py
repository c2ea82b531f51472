"""A dock exists at once; its panel is built when first seen or needed, and then looks as if it had always existed."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from slotscope.gui.docking.docks import PanelPlace
from slotscope.gui.intents import Select
from slotscope.gui.main_window import MainWindow
from slotscope.gui.panels import panels_of
from slotscope.gui.presenting.pad import MarkPad
from slotscope.model.reporting.inspection import JOB, SERVER, Thing
from tests.contract.moments import SMALL
from tests.gui.painted import pixels
from tests.gui.windows import complete_window, press, rest

pytestmark = pytest.mark.usefixtures("warm")

#: The smallest size of window that is tested, and that of a common screen.
SIZES = ((640, 480), (1280, 720))


def stand(window: MainWindow, scenario: str) -> None:
    window.stand_at(scenario, (), None, (), 5.0, None)
    window.settle()


def built(window: MainWindow) -> set[str]:
    return {name for name, dock in window.docks.items() if dock.is_built}


def bring(qtbot: QtBot, window: MainWindow, name: str) -> None:
    """Raise a panel, and wait until it shows the present frame."""
    window.docks[name].raise_()
    qtbot.waitUntil(lambda: window.docks[name].seen)
    window.settle()


@pytest.mark.parametrize("system", SMALL)
def test_what_nobody_sees_is_not_built(qtbot: QtBot, tmp_path: Path, system: str) -> None:
    with complete_window(qtbot, tmp_path) as window:
        stand(window, SMALL[system])
        assert [*window.docks] == [entry.name for entry in panels_of(system)]
        seen = {name for name, dock in window.docks.items() if dock.seen}
        behind = window.docks.keys() - seen
        assert built(window) >= seen and {"inspector", "monitors", "scenario"} & behind
        assert not built(window) & {"track", "scenario"}
        press(qtbot, window, Qt.Key.Key_Right)
        rest(qtbot, window, lambda: not window.frame.running)
        assert built(window) >= seen and not built(window) & {"track", "scenario"}
        for name in ("track", "scenario"):
            bring(qtbot, window, name)
            assert window.docks[name].is_built and window.docks[name].panel.frame is window.frame


def every_panel(qtbot: QtBot, window: MainWindow) -> Iterator[tuple[str, np.ndarray]]:
    for name, dock in window.docks.items():
        bring(qtbot, window, name)
        yield name, pixels(dock)


def select(window: MainWindow) -> None:
    """Select a thing, then a line, which leaves inspectors unchanged."""
    window.area.select(Select.of(Thing(SERVER, 2)))
    window.area.select(Select(line=(0, 1)))


@pytest.mark.parametrize("system", SMALL)
def test_a_panel_shows_what_was_told_before_it_was_built(qtbot: QtBot, tmp_path: Path, system: str) -> None:
    pictures = []
    for early in (True, False):
        with complete_window(qtbot, tmp_path / str(early)) as window:
            window.resize(*SIZES[1])
            window.panels.show_system(system)
            if early:
                window.panels.finish()
                assert all(dock.panel for dock in window.docks.values())
            stand(window, SMALL[system])
            select(window)
            window.settle()
            assert (built(window) == {*window.docks}) is early
            pictures.append(dict(every_panel(qtbot, window)))
    before, later = pictures
    assert [name for name in before if not np.array_equal(before[name], later[name])] == []


def test_the_room_of_a_panel_is_held_for_it(qtbot: QtBot, window: MainWindow) -> None:
    """Nothing moves when a panel is built, however small the window is."""
    stand(window, "dra-classroom")
    for size in SIZES:
        window.resize(*size)
        window.settle()
        before = {name: dock.geometry() for name, dock in window.docks.items() if dock.seen}
        for dock in window.docks.values():
            dock.panel.ensurePolished()
        window.settle()
        assert {name: window.docks[name].geometry() for name in before} == before


def test_a_panel_in_a_window_of_its_own_is_seen_when_the_layout_comes_back(qtbot: QtBot, tmp_path: Path) -> None:
    for again in (False, True):
        with complete_window(qtbot, tmp_path) as window:
            stand(window, "dra-classroom")
            dock = window.docks["theory"]
            if again:
                assert dock.isFloating() and dock.seen and dock.panel.frame is window.frame
            else:
                bring(qtbot, window, "theory")
                dock.setFloating(True)
                window.settle()


def by_keys(window: MainWindow) -> list[tuple[str, str, str]]:
    """The widgets in the order of the Tab key: class, object name and accessible name."""
    found, part = [], window.nextInFocusChain()
    while part is not window:
        if part.focusPolicy() != Qt.FocusPolicy.NoFocus and not isinstance(part, PanelPlace):
            found.append((type(part).__name__, part.objectName(), part.accessibleName()))
        part = part.nextInFocusChain()
    return found


def test_keys_go_through_panels_in_their_order_whenever_they_were_built(qtbot: QtBot, tmp_path: Path) -> None:
    orders = []
    for turned in (False, True):
        with complete_window(qtbot, tmp_path / str(turned)) as window:
            for dock in sorted(window.docks.values(), key=lambda dock: dock.name, reverse=turned):
                assert dock.panel
            orders.append(by_keys(window))
            for dock in window.docks.values():
                first = orders[-1].index(("QToolButton", f"{dock.name}-camera", "Save picture"))
                inside = [name for kind, name, _ in orders[-1][:first] if name.startswith("panel-")]
                assert inside[-1] == f"panel-{dock.name}"
    assert orders[0] == orders[1]


def test_a_panel_is_built_in_the_theme_that_the_window_has_by_then(qtbot: QtBot, window: MainWindow) -> None:
    stand(window, "dra-classroom")
    window.toggle_theme()
    for name, dock in window.docks.items():
        bring(qtbot, window, name)
        assert dock.panel.theme is window.theme


def test_what_a_question_asks_for_is_hidden_by_a_panel_that_comes_later(qtbot: QtBot, window: MainWindow) -> None:
    stand(window, "dra-classroom")
    dock = window.docks["inspector"]
    window.area.veil(JOB)
    assert dock.veiled and not dock.is_built
    bring(qtbot, window, "inspector")
    assert dock.panel.veiled and dock.panel.shows_note
    window.area.veil("")
    assert not dock.veiled and not dock.panel.veiled


def test_who_holds_a_pen_can_draw_on_a_panel_that_comes_later(qtbot: QtBot, window: MainWindow) -> None:
    stand(window, "dra-classroom")
    window.lessons.presenter.pen.take("arrow")
    assert len(window.findChildren(MarkPad)) == len(built(window)) < len(window.docks)
    bring(qtbot, window, "theory")
    assert window.docks["theory"].panel.findChild(MarkPad) is not None
    window.lessons.presenter.pen.palette.close()
