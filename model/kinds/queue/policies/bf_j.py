"""BF-J: best fit from the job's perspective.

Reference
    Psychas & Ghaderi (2019), Section IV.A, "BF-J"; stalling and several resources: Section VIII.
Implements
    The whole list of waiting jobs in order of arrival, in every slot.
Symbols
    l     ``server``
    Q(t)  ``view.waiting()``  the jobs that wait
Deviations
    Ties in residual capacity go to the server of lowest number.  With stalling, a non-empty server
    that is less than half full while jobs wait takes no job until it is empty.
"""

from __future__ import annotations

from slotscope.model.kinds.queue.policies.base import Decisions, listing
from slotscope.model.kinds.queue.policies.best_fit import BestFitPolicy, place_in_tightest, stall_half_empty, stalling
from slotscope.model.kinds.queue.view import QueueView
from slotscope.model.reporting.records import Line


class Reference(BestFitPolicy):
    """BF-J."""

    by_job, by_server = True, False
    pseudocode = (
        *listing("""
            <b>for each</b> waiting job in order of arrival <b>do</b>
              <b>if</b> a server has room for it <b>then</b>
                schedule it where the least capacity is left
        """),
        stalling(Line(2, 1)),
    )

    def slot(self, view: QueueView) -> Decisions:
        """Place the waiting jobs in order of arrival, then stall servers."""
        for job in view.waiting():
            yield from place_in_tightest(view, job, Line(1, 2), Line(1, 3))
        if self.stalls:
            yield from stall_half_empty(view, Line(2, 1))
