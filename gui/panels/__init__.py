"""All panels: those of every kind of system, and those of its room.

Panels are found here by name; a panel's module is imported only when the window builds it, so that the window is
visible before pyqtgraph is imported.
"""

from __future__ import annotations

from slotscope.gui.kinds.declaration import PanelEntry
from slotscope.gui.kinds.rooms import PANEL_ROOMS

#: The log, below the servers.
SENTENCES = "decisions"

#: Panels of every kind: built after the servers, and after everything else.
_BELOW = (
    PanelEntry("algorithm", f"{__name__}.algorithm", "AlgorithmPanel", "bottom", "algorithm"),
    PanelEntry(SENTENCES, f"{__name__}.decisions", "DecisionsPanel", "bottom", "decisions"),
)
_LAST = (
    PanelEntry("inspector", f"{__name__}.inspector", "InspectorPanel", "right", "programs"),
    PanelEntry("monitors", f"{__name__}.monitors", "MonitorsPanel", "right", "programs"),
    PanelEntry("track", f"{__name__}.track", "TrackPanel", "right", "curves"),
    PanelEntry("scenario", f"{__name__}.scenario_form", "ScenarioPanel", "right", "programs"),
)

#: The panel that exists only in a comparison.
COMPARISON = PanelEntry("comparison", f"{__name__}.comparison", "ComparisonPanel", "right", "curves")


def panels_of(system: str) -> tuple[PanelEntry, ...]:
    """The panels of a kind of system, in the order of building."""
    servers, *others = PANEL_ROOMS[system].panels
    return (servers, *_BELOW, *others, *_LAST)


def companions_of(system: str) -> tuple[PanelEntry, ...]:
    """The panels that a comparison shows for each further policy."""
    roles = PANEL_ROOMS[system].roles
    shown = {roles.servers, SENTENCES, roles.curve}
    return tuple(entry for entry in panels_of(system) if entry.name in shown)


def names_of(system: str) -> frozenset[str]:
    """The names of all panels that a kind of system can have."""
    return frozenset(entry.name for entry in (*panels_of(system), COMPARISON))
