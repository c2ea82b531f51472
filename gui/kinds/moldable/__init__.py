"""Panels of moldable jobs (Ghanbarian et al. 2025)."""

from __future__ import annotations

from slotscope.gui.kinds.declaration import DecisionWords, PanelEntry, PanelRoom, Roles

ROOM = PanelRoom(
    panels=(
        PanelEntry("moldable-servers", f"{__name__}.servers", "MoldableServersPanel", "left", "servers"),
        PanelEntry("allocations", f"{__name__}.allocations", "AllocationsPanel", "right", "curves"),
        PanelEntry("collapse", f"{__name__}.collapse", "CollapsePanel", "right", "curves"),
        PanelEntry("blocking", f"{__name__}.blocking", "BlockingPanel", "right", "programs"),
        PanelEntry("allocation-lp", f"{__name__}.lp", "AllocationLPPanel", "right", "programs"),
    ),
    roles=Roles(
        "moldable-servers",
        "allocations",
        "blocking",
        "allocations",
        (
            "moldable-servers",
            "algorithm",
            "decisions",
            "allocations",
            "blocking",
            "allocation-lp",
            "collapse",
            "inspector",
        ),
    ),
    symbols=f"{__name__}.symbols",
    page="moldable",
    page_title="Moldable jobs: greedy(p*)",
    decisions=DecisionWords(
        "Stands just before the first job that one policy gives servers and another blocks.",
        "or another width",
        "Another number of servers counts as another decision, too.",
        "{jobs} so far, each served, or blocked, by all of them alike.",
    ),
    shapes=f"{__name__}.scenario_shapes",
)
