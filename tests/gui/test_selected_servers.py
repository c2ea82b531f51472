"""A selected server has corner brackets, one that a step names has a frame: in every kind of picture."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from slotscope.gui.intents import Select
from slotscope.gui.painting.colour import argb
from slotscope.gui.theme import load_theme
from tests.gui.painted import pixels
from tests.gui.windows import on_screen
from tests.runs import ran

PICTURES = {
    "stacks": ("slotscope.gui.kinds.reservation.servers", "ServersPanel", "dra-classroom", 60),
    "grid": ("slotscope.gui.kinds.reservation.servers", "ServerGridPanel", "dra-classroom", 60),
    "bins": ("slotscope.gui.kinds.queue.bins", "ServerBinsPanel", "queues-classroom", 90),
    "phases": ("slotscope.gui.kinds.phases.servers", "PhaseServersPanel", "jrs-classroom", 100),
    "moldable": ("slotscope.gui.kinds.moldable.servers", "MoldableServersPanel", "moldable-classroom", 30),
}


@pytest.mark.parametrize("theme", ("dark", "light"))
@pytest.mark.parametrize("name", PICTURES)
def test_a_selection_is_no_frame(qtbot: QtBot, name: str, theme: str) -> None:
    module, panel_class, scenario, events = PICTURES[name]
    session = ran(scenario, events=events)
    looks = load_theme(theme)
    panel = on_screen(qtbot, getattr(import_module(module), panel_class)(looks), 900, 600)
    panel.set_frame(session.frame(running=True))  # without marks of a step
    before = pixels(panel).copy()
    panel.set_selection(Select(server=1))
    after = pixels(panel)
    changed = before != after
    assert argb(looks.run) in set(np.unique(after[changed]).tolist())
    assert argb(looks.focus) not in set(np.unique(after[changed]).tolist())
    rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
    # The corners are painted, but nothing between them.
    across = changed[rows[0] : rows[0] + 4]
    assert across[:, columns[0] : columns[0] + 4].any()
    centre = (columns[0] + columns[-1]) // 2
    assert not across[:, centre - 1 : centre + 2].any()
