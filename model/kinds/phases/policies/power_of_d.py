"""Power of d choices on an unlimited number of servers.

Reference
    A peer of JRS; the parameters ``fits`` and ``factor`` define when a job fits a server.
Implements
    Lines as in ``pseudocode``.
Symbols
    d  ``parameters.choices``
Deviations
    The d servers are drawn with replacement from the busy ones.  Of those that the job fits, the one with
    the least capacity left takes it; ties go to the server drawn first.
"""

from __future__ import annotations

from pydantic import Field

from slotscope.model.kinds.phases.numbers import PhaseNumbers
from slotscope.model.kinds.phases.policies.base import Decisions, PhaseJob, listing
from slotscope.model.kinds.phases.policies.best_fit import Reference as BestFit
from slotscope.model.kinds.phases.policies.fitting import FitParameters
from slotscope.model.kinds.phases.view import PhaseView
from slotscope.model.reporting.records import Line, Place, Record
from slotscope.model.scenario.fields import Whole


class Parameters(FitParameters):
    """The parameters of a fit, and ``choices``: d, the number of servers drawn."""

    choices: Whole = Field(default=2, ge=1, le=1000)


class Reference(BestFit):
    """Power of d choices."""

    schema = Parameters
    pseudocode = listing("""
        <b>when</b> a job arrives <b>do</b>
          draw d busy servers at random
          <b>if</b> it fits one of them <b>then</b>
            the one with the least capacity left takes it
          <b>else</b> an idle server takes it
    """)

    def __init__(self, numbers: PhaseNumbers, parameters: Parameters) -> None:
        super().__init__(numbers, parameters)
        self.draws = parameters.choices

    def arrival(self, view: PhaseView, job: PhaseJob) -> Decisions:
        """Place the job on the best fit among d busy servers drawn, or on an idle server."""
        busy = list(view.busy_servers())
        draws = range(self.draws if busy else 0)
        drawn = [busy[view.choices.one_of(job.number, draw, len(busy))] for draw in draws]
        yield Record("drawn", Line(1, 2), {"type": job.type, "servers": tuple(drawn)})
        fitting = self.fitting(view, job.type, drawn)
        if fitting:
            server = fitting[int((self.left(view, fitting) @ self.weight).argmin())]
            yield Place(
                line=Line(1, 4),
                job=job.number,
                server=server,
                values={"fitting": len(fitting), "reason": "tightest drawn"},
            )
        else:
            yield Place(
                line=Line(1, 5),
                job=job.number,
                server=view.first_idle(),
                values={"fitting": 0, "reason": "none drawn fits"},
            )
