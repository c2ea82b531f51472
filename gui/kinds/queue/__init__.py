"""Panels of servers with a queue in slotted time (Psychas & Ghaderi 2019)."""

from __future__ import annotations

from slotscope.gui.kinds.declaration import PanelEntry, PanelRoom, Roles

ROOM = PanelRoom(
    panels=(
        PanelEntry("bins", f"{__name__}.bins", "ServerBinsPanel", "left", "servers"),
        PanelEntry("queues", f"{__name__}.queues", "QueuesPanel", "right", "curves"),
        PanelEntry("queue-curves", f"{__name__}.curves", "QueueCurvesPanel", "right", "programs"),
        PanelEntry("weights", f"{__name__}.weights", "WeightsPanel", "right", "curves"),
        PanelEntry("supportable", f"{__name__}.lp", "SupportablePanel", "right", "programs"),
    ),
    roles=Roles(
        "bins",
        "queues",
        "queue-curves",
        "queues",
        ("bins", "algorithm", "decisions", "queues", "queue-curves", "weights", "supportable", "inspector"),
    ),
    symbols=f"{__name__}.symbols",
    page="queues",
    page_title="Servers with a queue",
)
