"""The title of a panel says whose it is as far as there is room, and what it is in any case."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from slotscope.gui.docking.panel_title import PanelTitle
from slotscope.gui.theme import fonts


def test_a_policy_s_name_is_cut_to_the_room_alone(qtbot: QtBot) -> None:
    title = PanelTitle("Servers")
    qtbot.addWidget(title)
    title.show()
    title.name_policy("VQS-BF, renew before")
    whole = "VQS-BF, renew before: Servers"
    title.resize(title.fontMetrics().horizontalAdvance(whole) + 2, 30)
    assert title.text() == whole
    title.setFont(fonts(lecture=True).heading)
    assert title.text() != whole and title.text().startswith("VQ") and title.text().endswith("…: Servers")
    title.resize(title.fontMetrics().horizontalAdvance(whole) + 2, 30)
    assert title.text() == whole
    title.resize(20, 30)
    title.name_policy("")
    assert title.text() == "Servers"
