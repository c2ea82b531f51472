"""All panels: those that every kind of system has, and those of its room.

A panel is found here by name; its module is imported only when the window builds it, so
that the window can be seen before pyqtgraph is there.
"""

from __future__ import annotations

from slotscope.gui.kinds.declaration import PanelEntry
from slotscope.gui.kinds.rooms import PANEL_ROOMS

#: The log, below the servers.
SENTENCES = "decisions"

#: What every kind has: built after the servers, and after everything else.
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

#: The panel that only a comparison has.
COMPARISON = PanelEntry("comparison", f"{__name__}.comparison", "ComparisonPanel", "right", "curves")


def panels_of(system: str) -> tuple[PanelEntry, ...]:
    """The panels of a kind of system, in the order in which they are built."""
    servers, *others = PANEL_ROOMS[system].panels
    return (servers, *_BELOW, *others, *_LAST)


def companions_of(system: str) -> tuple[PanelEntry, ...]:
    """The panels that each further policy has when several run side by side."""
    roles = PANEL_ROOMS[system].roles
    shown = {roles.servers, SENTENCES, roles.curve}
    return tuple(entry for entry in panels_of(system) if entry.name in shown)


def names_of(system: str) -> frozenset[str]:
    """The names of all panels that a kind of system can have."""
    return frozenset(entry.name for entry in (*panels_of(system), COMPARISON))
