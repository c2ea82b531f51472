"""The servers of a system with phases: their jobs to scale, tokens, timers and backup servers."""

from __future__ import annotations

from slotscope.gui.kinds.phases import servers_table
from slotscope.gui.kinds.phases.servers_view import PhaseServersView
from slotscope.gui.pictures.panel import PicturePanel


class PhaseServersPanel(PicturePanel):
    """Every server with its real and virtual jobs, and what it waits for."""

    name = "phase-servers"
    title = "Servers"
    summary = "Every server with its jobs to scale, real and virtual, its tokens and its timer."
    needs = frozenset({"phases"})
    picture = PhaseServersView
    table = servers_table
