"""First fit on an unlimited number of servers.

Reference
    A peer of JRS; the parameters ``fits`` and ``factor`` define when a job fits a server.
Implements
    Lines as in ``pseudocode``.
Symbols
    l  ``server``
Deviations
    Idle servers are considered too; an idle server accepts any job, whatever its demand.
"""

from __future__ import annotations

from slotscope.model.kinds.phases.policies.base import Decisions, PhaseJob, listing
from slotscope.model.kinds.phases.policies.fitting import FittingPolicy
from slotscope.model.kinds.phases.view import PhaseView
from slotscope.model.reporting.records import Line, Place, Record


class Reference(FittingPolicy):
    """First fit."""

    pseudocode = listing("""
        <b>when</b> a job arrives <b>do</b>
          the servers where it fits: busy ones with room, idle ones
          the one of lowest number takes it
    """)

    def arrival(self, view: PhaseView, job: PhaseJob) -> Decisions:
        """Place the job on the first server that it fits."""
        fitting, idle = self.fitting(view, job.type, list(view.busy_servers())), view.first_idle()
        yield Record("fitting", Line(1, 2), {"type": job.type, "servers": len(fitting)})
        busy = bool(fitting) and fitting[0] < idle
        reason = "first" if busy else "first idle" if fitting else "none fits"
        yield Place(
            line=Line(1, 3),
            job=job.number,
            server=fitting[0] if busy else idle,
            values={"fitting": len(fitting), "reason": reason},
        )
