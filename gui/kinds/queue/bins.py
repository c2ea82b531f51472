"""The servers of a queueing system as bins, each filled with its jobs to scale."""

from __future__ import annotations

from typing import Iterator

from slotscope.gui.kinds.queue.bins_view import BinView
from slotscope.gui.pictures.panel import PicturePanel
from slotscope.model.reporting.frame import Frame


class ServerBinsPanel(PicturePanel):
    """Every server as a bin: its jobs, its active configuration, and what is free."""

    name = "bins"
    title = "Servers"
    summary = "Every server as a bin with its jobs to scale, and its active configuration."
    needs = frozenset({"bins"})
    picture = BinView

    @staticmethod
    def header(frame: Frame) -> list[str]:
        """The names of the columns."""
        names = frame.info.numbers.resource_names
        uses = [f"{name} {what}" for name in names for what in ("in use", "in all")]
        active = ["active configuration"] if frame.info.facts.has_configurations else []
        return ["server", "pool", "jobs", *uses, *active, "state"]

    @staticmethod
    def rows(frame: Frame) -> Iterator[list[object]]:
        """What each server holds now, as the policy accounts for it, in the scenario's units."""
        state, numbers, facts = frame.state, frame.info.numbers, frame.info.facts
        for server, jobs in enumerate(state.jobs_on.tolist()):
            row: list[object] = [server + 1, numbers.pools[int(numbers.pool_of[server])].name, jobs]
            for d, (used, capacity) in enumerate(zip(state.used[server], numbers.capacity[server], strict=True)):
                row += [float(numbers.amount(used, d)), float(numbers.amount(capacity, d))]
            if facts.has_configurations:
                active = int(state.active[server])
                row.append(facts.configuration_names[active] if active >= 0 else "")
            yield [*row, "stalled" if state.stalled[server] else "in use" if jobs else "idle"]
