"""Inspectors in the window: clicks in pictures of all kinds, floating inspectors, lanes, runs."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from slotscope.gui.docking.docks import PanelDock
from slotscope.gui.intents import Select
from slotscope.gui.main_window import MainWindow
from slotscope.gui.panels.inspector import HistoryModel, InspectorPanel
from slotscope.model.reporting.inspection import Thing
from tests.gui.windows import press, rest

pytestmark = pytest.mark.slow

LEFT = Qt.MouseButton.LeftButton
SCENARIOS = ("dra-classroom", "queues-classroom", "jrs-classroom", "moldable-classroom")
EVENT = 60


def open_at(qtbot: QtBot, window: MainWindow, scenario: str, event: int = EVENT) -> None:
    """Open a scenario at an event, with all its panels."""
    window.control.open(scenario)
    rest(qtbot, window, lambda: window.frame.info.scenario_name == scenario)
    window.control.go_to(event)
    rest(
        qtbot,
        window,
        lambda: window.frame.info.scenario_name == scenario and window.frame.event == event and window.area.complete,
    )


def picture(dock: PanelDock) -> QWidget:
    """The widget with the servers, which can be clicked."""
    found = [widget for widget in dock.panel.findChildren(QWidget) if hasattr(widget, "chosen") and widget.isVisible()]
    return found[0]


def click_a_server(window: MainWindow, dock: PanelDock, double: bool = False) -> Select:
    """Click at many points of a picture until a server is hit."""
    widget, asked = picture(dock), []
    dock.panel.intent.connect(asked.append)
    for y in range(widget.height() // 2, widget.height(), 9):
        for x in range(30, widget.width(), 40):
            (QTest.mouseDClick if double else QTest.mouseClick)(widget, LEFT, pos=QPoint(x, y))
            hits = [one for one in asked if isinstance(one, Select) and one.server is not None]
            if hits:
                dock.panel.intent.disconnect(asked.append)
                return hits[-1]
    raise AssertionError("no server was hit")


def floating(window: MainWindow) -> list[PanelDock]:
    return [dock for name, dock in window.docks.items() if name.startswith("inspector-of-")]


def searched(window: MainWindow, thing: Thing, lane: int = 0) -> bool:
    """Whether the frame has the history of a thing, with the search finished or stopped."""
    frame = window.frame if lane == 0 else window.frame.companions[lane - 1]
    found = frame.histories.get(thing)
    return found is not None and not found.searching


def shows(panel: InspectorPanel, window: MainWindow, thing: Thing, lane: int = 0) -> None:
    """Assert that the panel shows a thing as the lane's model describes it."""
    frame = window.frame if lane == 0 else window.frame.companions[lane - 1]
    said = frame.info.kind.inspector.describe(frame, thing)
    assert panel.heading.text() == said.title
    told = [told.event for told in frame.histories[thing].entries]
    model: HistoryModel = panel.history.model
    assert [model.entry(place).event for place in range(model.rowCount())] == told


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_click_inspects_and_a_double_click_floats(qtbot, window, scenario):
    open_at(qtbot, window, scenario)
    servers = window.docks[window.area.roles.servers]
    chosen = click_a_server(window, servers)
    docked = window.docks["inspector"]
    qtbot.waitUntil(lambda: docked.seen)
    thing = chosen.inspected
    rest(qtbot, window, lambda: searched(window, thing))
    qtbot.waitUntil(lambda: docked.panel.frame is window.frame)
    shows(docked.panel, window, thing)
    again = click_a_server(window, servers, double=True)
    (dock,) = floating(window)
    assert dock.isFloating() and again.floating
    rest(qtbot, window, lambda: searched(window, again.inspected))
    shows(dock.panel, window, again.inspected)
    # A click on an entry of the history goes to its event; the history stays complete.
    model = dock.panel.history.model
    if model.rowCount():
        event, count = model.entry(0).event, model.rowCount()
        view = dock.panel.history.view
        view.scrollToTop()
        place = view.visualRect(model.index(0, 3)).topLeft() + QPoint(6, 4)
        qtbot.mouseClick(view.viewport(), LEFT, pos=place)
        rest(qtbot, window, lambda: window.frame.event == event)
        rest(qtbot, window, lambda: dock.panel.history.model.rowCount() == count)
    dock.close()
    qtbot.waitUntil(lambda: not floating(window))


def test_nothing_of_the_old_run_stays(qtbot, window):
    open_at(qtbot, window, "queues-classroom")
    window.carry_out(Select.of(Thing("queue", 1)))
    window.carry_out(Select(server=2, floating=True))
    assert len(floating(window)) == 1
    open_at(qtbot, window, "queues-vqs-unstable", 3)
    assert floating(window) == []
    panel = window.docks["inspector"].panel
    assert panel._note.text().startswith("Nothing selected")
    assert panel.selection == Select()
    assert not window.frame.histories


def test_another_policy_keeps_what_floats(qtbot, window):
    open_at(qtbot, window, "queues-classroom")
    window.carry_out(Select(server=2, floating=True))
    (dock,) = floating(window)
    window.control.open("queues-classroom", "bf-js")
    rest(qtbot, window, lambda: window.frame.info.policy_name == "bf-js")
    press(qtbot, window, Qt.Key.Key_Right)
    rest(qtbot, window, lambda: window.frame.event == 1 and searched(window, Thing("server", 2)))
    assert floating(window) == [dock]
    assert "active configuration" not in dock.panel.now.facts.text()


def test_a_lane_is_inspected_where_it_was_clicked(qtbot, window):
    open_at(qtbot, window, "moldable-classroom", 0)
    window.compare.compare(("greedy",))
    rest(qtbot, window, lambda: bool(window.frame.companions))
    window.control.run_until(event=EVENT)
    rest(qtbot, window, lambda: window.frame.event == EVENT and not window.frame.running)
    second = window.docks[f"{window.area.roles.servers}-2"]
    chosen = click_a_server(window, second)
    docked, thing = window.docks["inspector-2"], chosen.inspected
    assert docked.lane == 1 and docked.windowTitle().endswith(": Inspector")
    rest(qtbot, window, lambda: searched(window, thing, 1))
    rest(qtbot, window, lambda: docked.panel.frame is window.frame.companions[0])
    shows(docked.panel, window, thing, 1)
    click_a_server(window, second, double=True)
    (dock,) = floating(window)
    assert dock.lane == 1
    first = click_a_server(window, window.docks[window.area.roles.servers])
    assert window.docks["inspector"].panel.selection == first
    window.compare.compare(())
    rest(qtbot, window, lambda: not window.frame.companions)
    assert floating(window) == [] and "inspector-2" not in window.docks


def test_esc_stops_a_search_that_takes_long(qtbot, window, monkeypatch):
    open_at(qtbot, window, "moldable-classroom")
    monkeypatch.setattr("slotscope.model.reporting.history.FIRST_STRETCH", 1)
    monkeypatch.setattr("slotscope.model.reporting.history.FEW", 0)  # stretches stay short
    monkeypatch.setattr("slotscope.gui.running.searches.SLICE", 0.0)
    monkeypatch.setattr("slotscope.gui.running.searches.SHOWN", 0.0)
    thing = Thing("class", 0)
    window.control.go_to(400)
    rest(qtbot, window, lambda: window.frame.event == 400)
    window.carry_out(Select.of(thing))
    rest(qtbot, window, lambda: thing in window.frame.histories)
    press(qtbot, window, Qt.Key.Key_Escape)
    rest(qtbot, window, lambda: not window.frame.histories[thing].searching)
    found = window.frame.histories[thing]
    assert not found.complete and len(found.entries) < 200
    panel = window.docks["inspector"].panel
    qtbot.waitUntil(lambda: "search on</a>" in panel.history.how_far.text())
