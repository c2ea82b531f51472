"""The pseudocode in a low panel: the header above it gives way."""

from __future__ import annotations

from itertools import pairwise

import pytest
from pytestqt.qtbot import QtBot

from slotscope.gui.panel import LEAST
from slotscope.gui.panels.algorithm import AlgorithmPanel
from slotscope.gui.theme import Theme
from tests.gui.windows import on_screen
from tests.runs import ran


@pytest.mark.parametrize("width", [LEAST[0], 700])
def test_the_header_of_a_low_panel_stands_above_the_pseudocode(qtbot: QtBot, theme: Theme, width: int) -> None:
    panel = on_screen(qtbot, AlgorithmPanel(theme), 700, 300)
    panel.set_frame(ran("dra-vms", events=600).frame())
    for height in range(LEAST[1], 320, 10):
        panel.resize(width, height)
        qtbot.wait(1)
        head = [label for label in (panel.where, panel.sentence) if not label.isHidden()]
        code = panel.view.geometry().top()
        assert all(label.geometry().bottom() < code for label in head), height
        assert all(over.geometry().bottom() < under.geometry().top() for over, under in pairwise(head)), height
