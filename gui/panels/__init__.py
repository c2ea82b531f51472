"""All panels, one module each.

A panel is found here by name; its module is imported only when the window builds it, so
that the window can be seen before pyqtgraph is there.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Mapping

if TYPE_CHECKING:
    from gui.panel import Panel


@dataclass(frozen=True)
class PanelEntry:
    """Where a panel's class is, and where it docks at first (tabs share a group)."""

    module: str
    cls: str
    place: str
    group: str
    system: str = ""  #: the only kind of system that has it; empty: all have

    def load(self) -> type[Panel]:
        """Import the panel's class."""
        panel: type[Panel] = getattr(import_module(self.module), self.cls)
        return panel


_LOSS, _QUEUE, _PHASES, _MOLDABLE = "reservation", "queue", "phases", "moldable"

#: In the order in which they are built; the first of a group is in front.
PANELS: tuple[PanelEntry, ...] = (
    PanelEntry("gui.panels.servers", "ServersPanel", "left", "servers", _LOSS),
    PanelEntry("gui.panels.queue.bins", "ServerBinsPanel", "left", "servers", _QUEUE),
    PanelEntry("gui.panels.phases.servers", "PhaseServersPanel", "left", "servers", _PHASES),
    PanelEntry("gui.panels.moldable.servers", "MoldableServersPanel", "left", "servers", _MOLDABLE),
    PanelEntry("gui.panels.algorithm", "AlgorithmPanel", "bottom", "algorithm"),
    PanelEntry("gui.panels.decisions", "DecisionsPanel", "bottom", "decisions"),
    PanelEntry("gui.panels.reward", "RewardPanel", "right", "curves", _LOSS),
    PanelEntry("gui.panels.queue.queues", "QueuesPanel", "right", "curves", _QUEUE),
    PanelEntry("gui.panels.phases.tokens", "TokensPanel", "right", "curves", _PHASES),
    PanelEntry("gui.panels.phases.policy_map", "PolicyMapPanel", "right", "curves", _PHASES),
    PanelEntry("gui.panels.moldable.allocations", "AllocationsPanel", "right", "curves", _MOLDABLE),
    PanelEntry("gui.panels.moldable.collapse", "CollapsePanel", "right", "curves", _MOLDABLE),
    PanelEntry("gui.panels.lp", "LPPanel", "right", "programs", _LOSS),
    PanelEntry("gui.panels.queue.curves", "QueueCurvesPanel", "right", "programs", _QUEUE),
    PanelEntry("gui.panels.queue.weights", "WeightsPanel", "right", "programs", _QUEUE),
    PanelEntry("gui.panels.queue.lp", "SupportablePanel", "right", "programs", _QUEUE),
    PanelEntry("gui.panels.phases.plan", "PlanPanel", "right", "programs", _PHASES),
    PanelEntry("gui.panels.moldable.blocking", "BlockingPanel", "right", "programs", _MOLDABLE),
    PanelEntry("gui.panels.moldable.lp", "AllocationLPPanel", "right", "programs", _MOLDABLE),
    PanelEntry("gui.panels.groups", "GroupsPanel", "right", "curves", _LOSS),
    PanelEntry("gui.panels.theory", "TheoryPanel", "right", "programs", _LOSS),
    PanelEntry("gui.panels.servers_grid", "ServerGridPanel", "left", "servers", _LOSS),
    PanelEntry("gui.panels.inspector", "InspectorPanel", "right", "programs"),
    PanelEntry("gui.panels.scenario_form", "ScenarioPanel", "right", "programs"),
)


@dataclass(frozen=True)
class Roles:
    """Which of a kind's panels stand where, by their names."""

    servers: str  #: at the left, above
    curve: str  #: at the right, above
    programs: str  #: at the right, below
    beside: str  #: beside the servers at first in lecture mode
    numbered: tuple[str, ...]  #: by the number key that brings them to the front, from 1 on
    behind: tuple[str, ...] = ()  #: the servers in further tabs


#: The log, below the servers.
SENTENCES = "decisions"

#: For each kind of system.
ROLES: Mapping[str, Roles] = MappingProxyType({
    _LOSS: Roles("servers", "reward", "lp", "algorithm",
                 ("servers", "algorithm", SENTENCES, "reward", "lp", "groups", "theory",
                  "server-grid", "inspector"), ("server-grid",)),
    _QUEUE: Roles("bins", "queues", "queue-curves", "queues",
                  ("bins", "algorithm", SENTENCES, "queues", "queue-curves", "weights",
                   "supportable", "inspector")),
    _PHASES: Roles("phase-servers", "tokens", "plan", "tokens",
                   ("phase-servers", "algorithm", SENTENCES, "tokens", "plan", "policy-map",
                    "inspector")),
    _MOLDABLE: Roles("moldable-servers", "allocations", "blocking", "allocations",
                     ("moldable-servers", "algorithm", SENTENCES, "allocations", "blocking",
                      "allocation-lp", "collapse", "inspector")),
})  # fmt: skip

#: The panel that only a comparison has.
COMPARISON = PanelEntry("gui.panels.comparison", "ComparisonPanel", "right", "curves")


def panels_of(system: str) -> tuple[PanelEntry, ...]:
    """The panels of a kind of system, in the order in which they are built."""
    return tuple(entry for entry in PANELS if entry.system in ("", system))


#: For each kind of system, the classes of the panels that each further policy has when several
#: run side by side.
_COMPANIONS: Mapping[str, tuple[str, ...]] = MappingProxyType({
    _LOSS: ("ServersPanel", "DecisionsPanel", "RewardPanel"),
    _QUEUE: ("ServerBinsPanel", "DecisionsPanel", "QueuesPanel"),
    _PHASES: ("PhaseServersPanel", "DecisionsPanel", "TokensPanel"),
    _MOLDABLE: ("MoldableServersPanel", "DecisionsPanel", "AllocationsPanel"),
})  # fmt: skip


def companions_of(system: str) -> tuple[PanelEntry, ...]:
    """The panels that each further policy has when several run side by side."""
    return tuple(entry for entry in panels_of(system) if entry.cls in _COMPANIONS[system])
