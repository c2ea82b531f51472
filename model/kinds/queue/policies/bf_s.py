"""BF-S: best fit from the server's perspective.

Reference
    Psychas & Ghaderi (2019), Section IV.A, "BF-S"; stalling and several resources: Section VIII.
Implements
    The whole list of servers in order of their number, in every slot.
Symbols
    l  ``server``
Deviations
    Ties in size go to the earliest job.  With stalling, a non-empty server that is less than half
    full while jobs wait takes no job until it is empty.
"""

from __future__ import annotations

from slotscope.model.kinds.queue.policies.base import Decisions, listing
from slotscope.model.kinds.queue.policies.best_fit import BestFitPolicy, fill_server, stall_half_empty, stalling
from slotscope.model.kinds.queue.view import QueueView
from slotscope.model.reporting.records import Line


class Reference(BestFitPolicy):
    """BF-S."""

    by_job, by_server = False, True
    pseudocode = (
        *listing("""
            <b>for each</b> server <b>do</b>
              <b>while</b> a waiting job fits <b>do</b>
                schedule the largest that fits
        """),
        stalling(Line(2, 1)),
    )

    def slot(self, view: QueueView) -> Decisions:
        """Fill the servers in order of their number, then stall servers."""
        for server in range(view.numbers.servers):
            if not view.is_stalled(server):
                yield from fill_server(view, server, Line(1, 2), Line(1, 3))
        if self.stalls:
            yield from stall_half_empty(view, Line(2, 1))
