"""The window changes with the kind of system: docks, menus, layouts, breakpoints."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from slotscope.gui.main_window import MainWindow
from slotscope.gui.panels import panels_of
from slotscope.gui.panels.scenario_form import ScenarioPanel
from slotscope.gui.theme import load_theme
from slotscope.model.api import Session
from slotscope.model.comparison.differences import DIFFERENCES
from slotscope.model.kinds.spec import kind_named
from slotscope.model.policies import POLICIES_OF
from slotscope.model.scenario.load import as_data
from tests.gui.overflowing import cut
from tests.gui.windows import hall, rest
from tests.own_policies import source, write

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm")]


def show(qtbot: QtBot, window: MainWindow, scenario: str) -> None:
    """Open a scenario and wait until all its panels exist."""
    window.control.open(scenario)
    rest(qtbot, window, lambda: window.frame.info.scenario_name == scenario and window.area.complete)


def has_the_panels_of(window: MainWindow, system: str) -> bool:
    built = [*window.docks]
    return built == [entry.name for entry in panels_of(system)]


def test_another_kind_of_system_brings_its_docks_and_choices(qtbot, window):
    show(qtbot, window, "dra-vms")
    assert has_the_panels_of(window, "reservation")
    show(qtbot, window, "queues-classroom")
    assert has_the_panels_of(window, "queue")
    assert all(dock.isVisible() or dock.property("group") for dock in window.docks.values())
    bar = window.transport
    assert bar.event_kinds == tuple(kind_named("queue").vocabulary.event_kinds)
    policies = [bar.policy.itemData(place) for place in range(bar.policy.count())]
    assert [name for name in policies if name in POLICIES_OF["queue"]] == [*POLICIES_OF["queue"]]
    assert not set(policies) & set(POLICIES_OF["reservation"])
    window.compare.fill_menu()
    offered = {action.text() for action in window.compare.menu.actions()}
    assert set(POLICIES_OF["queue"]) - {window.frame.info.policy_name} <= offered
    assert not offered & set(POLICIES_OF["reservation"])
    shown = [action.text() for action in window.view_menu.actions()]
    titles = [dock.windowTitle() for dock in window.docks.values()]
    assert [text for text in shown if text in titles][-len(titles) :] == titles
    show(qtbot, window, "dra-vms")
    assert has_the_panels_of(window, "reservation")
    assert bar.event_kinds == tuple(kind_named("reservation").vocabulary.event_kinds)


def test_the_choices_of_another_kind_of_system_have_room_in_their_boxes(qtbot, window):
    window.resize(1600, 900)
    for scenario in ("dra-vms", "jrs-classroom", "moldable-classroom"):
        show(qtbot, window, scenario)
        for box in (window.transport.policy, window.transport.kind):
            longest = max(map(box.itemText, range(box.count())), key=box.fontMetrics().horizontalAdvance)
            box.setCurrentText(longest)
            QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
            assert longest not in cut(box.parentWidget())


def test_each_kind_of_system_keeps_its_own_layout(qtbot, window):
    show(qtbot, window, "dra-vms")
    window.docks["algorithm"].close()
    mine = window.area.layouts.text()
    show(qtbot, window, "queues-classroom")
    assert window.docks["algorithm"].isVisible()
    assert not window.area.layouts.restore(mine)
    assert window.settings.value("layout/reservation")
    window.docks["decisions"].close()
    show(qtbot, window, "dra-vms")
    assert not window.docks["algorithm"].isVisible()
    assert window.docks["decisions"].isVisible()
    window.reset_layout()
    assert window.docks["algorithm"].isVisible()


def test_lecture_mode_goes_on_with_the_other_kind_s_panels(qtbot, window):
    show(qtbot, window, "dra-vms")
    window.lecture.toggle()
    show(qtbot, window, "queues-classroom")
    assert window.lecture.on
    visible = {name for name, dock in window.docks.items() if dock.isVisible()}
    assert visible == hall(window)


def test_queues_side_by_side_and_back_to_the_loss_system(qtbot, window):
    show(qtbot, window, "queues-classroom")
    window.compare.compare(("bf-js",))
    rest(qtbot, window, lambda: len(window.frame.companions) == 1 and "bins-2" in window.docks)
    assert not set(DIFFERENCES) & set(window.transport.event_kinds)
    comparison = window.docks["comparison"].panel
    window.control.go_to(60)
    rest(qtbot, window, lambda: window.frame.event == 60)
    window.settle()
    assert not comparison.buttons["first"].isVisible()
    show(qtbot, window, "dra-vms")
    assert not window.frame.companions
    assert has_the_panels_of(window, "reservation")


def test_a_comparison_can_be_opened_over_another_kind_of_system(qtbot, window):
    show(qtbot, window, "dra-vms")
    window.control.open("queues-classroom", "bf-js", beside=("vqs-bf",))
    rest(qtbot, window, lambda: len(window.frame.companions) == 1 and "bins-2" in window.docks)
    assert window.area.system == "queue"
    assert window.docks["bins-2"].panel.frame is not None


def test_the_policy_in_the_box_is_left_behind_with_its_kind_of_system(qtbot, window):
    window.control.open("dra-vms", "first-fit")
    rest(qtbot, window, lambda: window.frame.info.policy_name == "first-fit")
    box = window.transport.scenario
    box.setCurrentIndex(box.findData("queues-classroom"))
    box.activated.emit(box.currentIndex())
    rest(qtbot, window, lambda: window.frame.info.system == "queue")
    assert window.frame.info.policy_name in POLICIES_OF["queue"]


def test_a_queue_s_scenario_is_edited_in_the_form(qtbot):
    session = Session.open("queues-pools", kernel=False)
    panel = ScenarioPanel(load_theme("light"))
    qtbot.addWidget(panel)
    panel.set_frame(session.frame())
    assert panel.data() == as_data(session.bench.scenario)
    assert not panel.edited
    cells = {cell.path: cell for cell in panel._cells}
    cells["workload", "intensity"].set_text("0.8")
    cells["servers", "pools", 1, "count"].set_text("9")
    cells["jobs", 1, "size", "values"].set_text("1.2, 1.4, 1.6")
    found = panel.validate().scenario
    assert (float(found.workload.intensity), found.servers.pools[1].count) == (0.8, 9)
    assert len(found.jobs[1].size.values) == 3
    cells["jobs", 1, "share"].set_text("-1")
    assert panel.validate().scenario is None
    assert cells["jobs", 1, "share"].error.text()


def dropped(window: MainWindow, path: Path) -> bool:
    """Whether the window accepts a file that is dragged over it."""
    path.write_text("")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    event = QDragEnterEvent(
        QPoint(5, 5), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    event.ignore()
    QApplication.sendEvent(window, event)
    return event.isAccepted()


@pytest.mark.parametrize("scenario", ["dra-classroom", "queues-classroom", "jrs-classroom", "moldable-classroom"])
def test_a_file_is_offered_and_taken_in_every_kind(qtbot, window, tmp_path, scenario):
    show(qtbot, window, scenario)
    box = window.transport.policy
    names = [box.itemText(place) for place in range(box.count())][-2:]
    assert names == ["From a file ...", "New from template ..."]
    assert all(box.model().item(box.count() - place).isEnabled() for place in (1, 2))
    window.compare.fill_menu()
    assert next(one for one in window.compare.menu.actions() if one.text() == "From a file ...").isEnabled()
    assert dropped(window, tmp_path / "mine.py")


def test_a_file_that_runs_does_not_hold_back_another_kind(qtbot, window, tmp_path):
    path = write(tmp_path, source())
    window.control.open("dra-classroom", path)
    rest(qtbot, window, lambda: window.frame.info.policy_name == path)
    box = window.transport.scenario
    box.setCurrentIndex(box.findData("queues-classroom"))
    box.activated.emit(box.currentIndex())
    rest(qtbot, window, lambda: window.frame.info.scenario_name == "queues-classroom")
