"""The title of a panel names the policy as far as there is space, and always the panel."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMainWindow, QMenu, QToolButton
from pytestqt.qtbot import QtBot

from slotscope.gui.docking.docks import PanelDock
from slotscope.gui.docking.title_bar import PanelTitle, TitleBar
from slotscope.gui.panels.algorithm import AlgorithmPanel
from slotscope.gui.theme import fonts, load_theme


def test_a_policy_s_name_is_cut_to_the_room_alone(qtbot: QtBot) -> None:
    title = PanelTitle("Servers")
    qtbot.addWidget(title)
    title.show()
    title.name_policy("VQS-BF, renew before")
    whole = "VQS-BF, renew before: Servers"
    title.resize(title.fontMetrics().horizontalAdvance(whole) + 2, 30)
    assert title.text() == whole
    title.setFont(fonts(lecture=True).heading)
    assert title.text() == "V…e: Servers"
    title.resize(title.fontMetrics().horizontalAdvance(whole) + 2, 30)
    assert title.text() == whole
    title.resize(title.fontMetrics().horizontalAdvance("V…e: Serv…") + 2, 30)
    assert title.text() == "V…e: Serv…"
    title.resize(20, 30)
    title.name_policy("")
    assert title.text() == "Servers"


def test_a_fork_is_told_from_the_run_that_it_leaves(qtbot: QtBot) -> None:
    names = "Largest first, counting", "Largest first, counting, bf-js @91"
    title, window, theme = PanelTitle("Servers"), QMainWindow(), load_theme("light")
    dock = PanelDock(AlgorithmPanel, theme, window)
    qtbot.addWidget(title)
    qtbot.addWidget(window)
    title.show()
    title.resize(title.fontMetrics().horizontalAdvance(f"{names[0]}: Servers") - 20, 30)
    cut = []
    for name in names:
        title.name_policy(name)
        dock.name_policy(name)
        cut += [title.text(), dock.windowTitle()]
    assert all("…" in text for text in cut) and len(set(cut)) == 4


def test_buttons_give_way_to_a_long_title_and_wait_in_a_menu(qtbot: QtBot) -> None:
    window, theme = QMainWindow(), load_theme("light")
    dock = PanelDock(AlgorithmPanel, theme, window)
    qtbot.addWidget(window)
    window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
    window.resize(300, 300)
    window.show()
    title, bar = dock.findChild(PanelTitle), dock.findChild(TitleBar)

    def seen() -> set[str]:
        buttons = dock.titleBarWidget().findChildren(QToolButton)
        return {button.objectName().removeprefix("algorithm-") for button in buttons if button.isVisible()}

    every = {"camera", "copy", "csv", "out", "cancel"}
    qtbot.waitUntil(lambda: seen() == every)
    dock.name_policy("First fit, mine")
    qtbot.waitUntil(lambda: seen() == {"copy", "", "cancel"})
    dock.name_policy("DRA without migration")
    qtbot.waitUntil(lambda: seen() == {"", "cancel"})
    room = title.width()
    bar.more.click()
    (menu,) = bar.findChildren(QMenu)
    texts = [action.text() for action in menu.actions()]
    assert texts == ["Save picture", "Copy picture", "Save data", "Float or dock"]
    menu.actions()[-1].trigger()
    assert dock.isFloating()
    menu.close()
    dock.setFloating(False)
    window.resize(700, 300)
    qtbot.waitUntil(lambda: seen() == every)
    assert title.text() == "DRA without migration: Algorithm" and title.width() > room
