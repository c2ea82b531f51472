"""GRAND(aZ): greedy random; a server is drawn from those the job fits and aZ idle servers.

Reference
    Stolyar & Zhong (2015), and Hong, Xie & Wang (2023), Section 4.3, where it is the peer of JRS.
Implements
    Lines as in ``pseudocode``.
Symbols
    a  ``parameters.a``
    Z  ``view.jobs``  jobs in the system
Deviations
    Z does not count the arriving job.  Idle servers are interchangeable: the one of lowest number
    is taken.  If there is no server to draw from (a Z = 0), an idle server takes the job.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil

from pydantic import Field

from slotscope.model.kinds.phases.numbers import PhaseNumbers
from slotscope.model.kinds.phases.policies.base import Decisions, PhaseJob, listing
from slotscope.model.kinds.phases.policies.fitting import FitParameters, FittingPolicy
from slotscope.model.kinds.phases.view import PhaseView
from slotscope.model.reporting.records import Line, Place, Record
from slotscope.model.scenario.fields import NotNegative

#: The kernel supports fractions a with numerator and denominator below this bound.
MOST_COMPILED = 2**31


class Parameters(FitParameters):
    """``a``: the number of idle servers among those drawn from, for each job in the system."""

    a: NotNegative = Field(default=Fraction(1, 100), le=1000)


class Reference(FittingPolicy):
    """GRAND(aZ)."""

    schema = Parameters
    pseudocode = listing("""
        <b>when</b> a job arrives <b>do</b>
          the draw: busy servers that it fits, and ⌈aZ⌉ idle ones
          one of them, uniformly at random, takes it; an idle one if there is none || one of them, uniformly at \
random, takes it
    """)

    def __init__(self, numbers: PhaseNumbers, parameters: Parameters) -> None:
        super().__init__(numbers, parameters)
        self.share = parameters.a
        self.compiled = max(self.share.numerator, self.share.denominator) < MOST_COMPILED

    def arrival(self, view: PhaseView, job: PhaseJob) -> Decisions:
        """Place the job on a server drawn uniformly from the candidates."""
        fitting = self.fitting(view, job.type, list(view.busy_servers()))
        idle = ceil(self.share * view.jobs)
        yield Record("draw", Line(1, 2), {"type": job.type, "servers": len(fitting), "idle": idle, "jobs": view.jobs})
        total = len(fitting) + idle
        chosen = view.choices.one_of(job.number, 0, total) if total else 0
        server = fitting[chosen] if chosen < len(fitting) else view.first_idle()
        yield Place(
            line=Line(1, 3),
            job=job.number,
            server=server,
            values={
                "fitting": len(fitting),
                "idle": idle,
                "reason": "drawn busy" if chosen < len(fitting) else "drawn idle",
            },
        )
