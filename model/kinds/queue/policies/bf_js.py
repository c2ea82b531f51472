"""BF-J/S: best fit from the job's and from the server's perspective.

Reference
    Psychas & Ghaderi (2019), Section IV.A, "BF-J/S"; stalling and several resources: Section VIII.
Implements
    Steps 1 and 2; lines are counted in the order in which the section gives them.
Symbols
    l     ``server``
    A(t)  ``view.arrived()``  the jobs that arrived in this slot
Deviations
    Ties in residual capacity go to the server of lowest number, ties in size to the earliest job.
    Departures "during the previous slot" happen at its end.  With stalling, a non-empty server that
    is less than half full while jobs wait takes no job until it is empty.
"""

from __future__ import annotations

from slotscope.model.kinds.queue.policies.base import Decisions, listing
from slotscope.model.kinds.queue.policies.best_fit import (
    BestFitPolicy,
    fill_server,
    place_in_tightest,
    stall_half_empty,
    stalling,
)
from slotscope.model.kinds.queue.view import QueueView
from slotscope.model.reporting.records import Line


class Reference(BestFitPolicy):
    """BF-J/S."""

    by_job, by_server = True, True
    pseudocode = (
        *listing("""
            #1 Step 1: BF-S
            <b>for each</b> server that had departures <b>do</b>
              <b>while</b> a waiting job fits <b>do</b>
                schedule the largest that fits
            #2 Step 2: BF-J
            <b>for each</b> job that has just arrived and waits <b>do</b>
              <b>if</b> a server has room for it <b>then</b>
                schedule it where the least capacity is left
        """),
        stalling(Line(3, 1)),
    )

    def slot(self, view: QueueView) -> Decisions:
        """Carry out steps 1 and 2, then stall servers."""
        for server in view.left():
            if not view.is_stalled(server):
                yield from fill_server(view, server, Line(1, 2), Line(1, 3))
        for job in view.arrived():
            yield from place_in_tightest(view, job, Line(2, 2), Line(2, 3))
        if self.stalls:
            yield from stall_half_empty(view, Line(3, 1))
