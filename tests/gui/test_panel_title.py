"""The title of a panel says whose it is as far as there is room, and what it is in any case."""

from __future__ import annotations

from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from slotscope.gui.docking.docks import PanelDock, PanelTitle
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
    title.resize(20, 30)
    title.name_policy("")
    assert title.text() == "Servers"


def test_a_fork_is_told_from_the_run_that_it_leaves(qtbot: QtBot) -> None:
    names = "Largest first, counting", "Largest first, counting, bf-js @91"
    title, window, theme = PanelTitle("Servers"), QMainWindow(), load_theme("light")
    dock = PanelDock(AlgorithmPanel(theme), theme, window)
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
