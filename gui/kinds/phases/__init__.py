"""Panels of jobs with phases on unlimited servers (Hong, Xie & Wang 2023)."""

from __future__ import annotations

from slotscope.gui.kinds.declaration import PanelEntry, PanelRoom, Roles

ROOM = PanelRoom(
    panels=(
        PanelEntry("phase-servers", f"{__name__}.servers", "PhaseServersPanel", "left", "servers"),
        PanelEntry("tokens", f"{__name__}.tokens", "TokensPanel", "right", "curves"),
        PanelEntry("policy-map", f"{__name__}.policy_map", "PolicyMapPanel", "right", "curves"),
        PanelEntry("plan", f"{__name__}.plan", "PlanPanel", "right", "programs"),
    ),
    roles=Roles(
        "phase-servers",
        "tokens",
        "plan",
        "tokens",
        ("phase-servers", "algorithm", "decisions", "tokens", "plan", "policy-map", "inspector"),
    ),
    symbols=f"{__name__}.symbols",
    page="tokens",
    page_title="Tokens: Join-Requesting-Server",
)
