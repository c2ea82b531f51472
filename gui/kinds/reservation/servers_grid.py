"""The plain grid of servers, in order of their number."""

from __future__ import annotations

from slotscope.gui.kinds.reservation import servers_table
from slotscope.gui.kinds.reservation.servers_grid_view import GridView
from slotscope.gui.pictures.panel import PicturePanel


class ServerGridPanel(PicturePanel):
    """Every server as a bar of its slots, where it always stands."""

    name = "server-grid"
    title = "Server grid"
    summary = "Every server in order of its number, with its slots and its group."
    needs = frozenset({"servers"})
    picture = GridView
    table = servers_table
