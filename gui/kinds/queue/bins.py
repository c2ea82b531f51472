"""The servers of a queueing system as bins, each filled with its jobs to scale."""

from __future__ import annotations

from slotscope.gui.kinds.queue import bins_table
from slotscope.gui.kinds.queue.bins_view import BinView
from slotscope.gui.pictures.panel import PicturePanel


class ServerBinsPanel(PicturePanel):
    """Every server as a bin: its jobs, its active configuration, and what is free."""

    name = "bins"
    title = "Servers"
    summary = "Every server as a bin with its jobs to scale, and its active configuration."
    needs = frozenset({"bins"})
    picture = BinView
    table = bins_table
