"""All panels, one module each.

A panel is found here by name; its module is imported only when the window builds it, so
that the window can be seen before pyqtgraph is there.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gui.panel import Panel


@dataclass(frozen=True)
class PanelEntry:
    """Where a panel's class is, and where it docks at first (tabs share a group)."""

    module: str
    cls: str
    place: str
    group: str

    def load(self) -> type[Panel]:
        """Import the panel's class."""
        panel: type[Panel] = getattr(import_module(self.module), self.cls)
        return panel


#: In the order in which they are built; the first of a group is in front.
PANELS: tuple[PanelEntry, ...] = (
    PanelEntry("gui.panels.servers", "ServersPanel", "left", "servers"),
    PanelEntry("gui.panels.algorithm", "AlgorithmPanel", "bottom", "algorithm"),
    PanelEntry("gui.panels.decisions", "DecisionsPanel", "bottom", "decisions"),
    PanelEntry("gui.panels.reward", "RewardPanel", "right", "curves"),
    PanelEntry("gui.panels.lp", "LPPanel", "right", "programs"),
    PanelEntry("gui.panels.groups", "GroupsPanel", "right", "curves"),
    PanelEntry("gui.panels.theory", "TheoryPanel", "right", "programs"),
    PanelEntry("gui.panels.servers_grid", "ServerGridPanel", "left", "servers"),
    PanelEntry("gui.panels.inspector", "InspectorPanel", "right", "curves"),
    PanelEntry("gui.panels.scenario_form", "ScenarioPanel", "right", "programs"),
)

#: The panels that each further policy has when several run side by side.
COMPANIONS: tuple[PanelEntry, ...] = (
    PanelEntry("gui.panels.servers", "ServersPanel", "left", "servers"),
    PanelEntry("gui.panels.decisions", "DecisionsPanel", "bottom", "decisions"),
    PanelEntry("gui.panels.reward", "RewardPanel", "right", "curves"),
)

#: The panel that only a comparison has.
COMPARISON = PanelEntry("gui.panels.comparison", "ComparisonPanel", "right", "curves")
