"""Panels of the loss system with slots (Psychas & Ghaderi 2022)."""

from __future__ import annotations

from slotscope.gui.kinds.declaration import DecisionWords, PanelEntry, PanelRoom, Roles

ROOM = PanelRoom(
    panels=(
        PanelEntry("servers", f"{__name__}.servers", "ServersPanel", "left", "servers"),
        PanelEntry("reward", f"{__name__}.reward", "RewardPanel", "right", "curves"),
        PanelEntry("lp", f"{__name__}.lp", "LPPanel", "right", "programs"),
        PanelEntry("groups", f"{__name__}.groups", "GroupsPanel", "right", "curves"),
        PanelEntry("theory", f"{__name__}.theory", "TheoryPanel", "right", "programs"),
        PanelEntry("server-grid", f"{__name__}.servers", "ServerGridPanel", "left", "servers"),
    ),
    roles=Roles(
        "servers",
        "reward",
        "lp",
        "algorithm",
        ("servers", "algorithm", "decisions", "reward", "lp", "groups", "theory", "server-grid", "inspector"),
    ),
    symbols=f"{__name__}.symbols",
    page="dra",
    page_title="DRA for a student",
    lessons={"dra-vms": "lecturer"},
    decisions=DecisionWords(
        "Stands just before the first job that one policy admits and another rejects.",
        "or another server",
        "Another server counts as another decision, too.",
        "{jobs} so far, each admitted, or rejected, by all of them alike.",
    ),
)
