"""What the tests of the map of the policy share: runs, cells and colours."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot

from slotscope.gui.kinds.phases.policy_map import PolicyMapPanel
from slotscope.gui.theme import load_theme
from slotscope.model.api import Session
from slotscope.model.reporting.frame import Frame
from tests.gui.windows import on_screen

LIGHT = load_theme("light")


def run(name: str, events: int, policy: str | None = None) -> Frame:
    session = Session.open(name, policy, kernel=False)
    session.run(events=events)
    return session.frame()


def shown_panel(qtbot: QtBot) -> PolicyMapPanel:
    """A panel without a frame, in a window of its own."""
    return on_screen(qtbot, PolicyMapPanel(LIGHT), 1000, 640)


def cell_of(panel: PolicyMapPanel, frame: Frame, *configuration: int) -> int:
    """The cell of a configuration on the map shown."""
    values = panel.view.values
    assert values is not None
    return int(values.cells.cell_of[frame.info.facts.plan.lattice.place(configuration)])


def moved(frame: Frame, places: list[int]) -> Frame:
    """The frame with the first servers in other configurations."""
    state = frame.state
    observed = state.observed.copy()
    observed[: len(places)] = places
    return replace(frame, state=state._replace(observed=observed), running=True)
