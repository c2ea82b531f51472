"""A moment always looks the same after a jump to it, whatever was shown before."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from slotscope.gui.main_window import MainWindow
from slotscope.gui.panel import Panel
from tests.gui.painted import pixels
from tests.gui.windows import rest

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm")]


@pytest.mark.parametrize(
    ("scenario", "panel"),
    [
        ("dra-classroom", "reward"),
        ("queues-classroom", "queue-curves"),
        ("jrs-classroom", "tokens"),
        ("moldable-classroom", "allocations"),
        ("moldable-classroom", "blocking"),
    ],
)
def test_numbers_and_curves_are_as_wide_as_if_the_panel_were_new(
    qtbot: QtBot, window: MainWindow, scenario: str, panel: str
) -> None:
    """After a hundred thousand events, whose counts have more digits."""
    window.control.open(scenario)
    rest(qtbot, window, lambda: window.frame.info.scenario_name == scenario and window.area.complete)
    window.control.go_to(100_000)
    rest(qtbot, window, lambda: window.frame.event == 100_000)
    window.settle()
    window.control.go_to(40)
    rest(qtbot, window, lambda: window.frame.event == 40)
    window.settle()
    shown: Panel = window.docks[panel].panel
    leapt = pixels(shown)
    shown.forget()
    shown.set_frame(window.frame)
    window.settle()
    assert np.array_equal(leapt, pixels(shown))
