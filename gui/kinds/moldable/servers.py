"""The servers of a system of moldable jobs: every job on its servers, filling as it executes."""

from __future__ import annotations

from slotscope.gui.kinds.moldable import servers_table
from slotscope.gui.kinds.moldable.servers_view import MoldableServersView
from slotscope.gui.pictures.panel import PicturePanel


class MoldableServersPanel(PicturePanel):
    """Every server, and each job on the servers that it was given."""

    name = "moldable-servers"
    title = "Servers"
    summary = "Every server, and each job on the servers that it runs on, filling as it executes."
    needs = frozenset({"moldable"})
    picture = MoldableServersView
    table = servers_table
