"""First fit on servers without number.

Reference
    A peer of JRS; the notion of a fit is that of ``fits`` and ``factor``.
Implements
    Lines as in ``pseudocode``.
Symbols
    l  ``server``
Deviations
    Idle servers count too, and one of them takes any job, whatever its demand.
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
        """The first server where it fits."""
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
