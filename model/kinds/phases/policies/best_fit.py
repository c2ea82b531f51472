"""Best fit on an unlimited number of servers.

Reference
    A peer of JRS; the parameters ``fits`` and ``factor`` define when a job fits a server.
Implements
    Lines as in ``pseudocode``.
Symbols
    l  ``server``
Deviations
    With several resources, the capacity left on a server is the sum over the resources of the share
    that is left.  Ties go to the server of lowest number.  Shares are exact unless the least common
    multiple of the capacities is beyond 64 bits.
"""

from __future__ import annotations

from math import ceil, lcm

import numpy as np

from slotscope.model.kinds.phases.numbers import PhaseNumbers
from slotscope.model.kinds.phases.policies.base import Decisions, PhaseJob, PseudocodeLine, listing
from slotscope.model.kinds.phases.policies.fitting import FitParameters, FittingPolicy
from slotscope.model.kinds.phases.view import PhaseView
from slotscope.model.reporting.records import Line, Place, Record

#: Upper bound on the weighted capacity left on a server.
MOST_WEIGHT = 2**62


class Reference(FittingPolicy):
    """Best fit."""

    pseudocode: tuple[PseudocodeLine, ...] = listing("""
        <b>when</b> a job arrives <b>do</b>
          <b>if</b> it fits a busy server <b>then</b>
            the one with the least capacity left takes it
          <b>else</b> an idle server takes it
    """)

    def __init__(self, numbers: PhaseNumbers, parameters: FitParameters) -> None:
        super().__init__(numbers, parameters)
        common = min(lcm(*(int(units) for units in numbers.capacity)), self._most())
        #: [D] the weight of one unit left of each resource, so that shares of the capacity add up as integers.
        self.weight = np.array([common // int(units) for units in numbers.capacity], np.int64)

    def _most(self) -> int:
        """The largest weight of one resource of an empty server for which sums fit into 64-bit integers."""
        factor: int = ceil(max(self.parameters.factor, 1))
        return MOST_WEIGHT // (self.numbers.resources * factor)

    def arrival(self, view: PhaseView, job: PhaseJob) -> Decisions:
        """Place the job on the busy server with the least capacity left that it fits, or on an idle one."""
        fitting = self.fitting(view, job.type, list(view.busy_servers()))
        yield Record("fitting", Line(1, 2), {"type": job.type, "servers": len(fitting)})
        if fitting:
            server = fitting[int((self.left(view, fitting) @ self.weight).argmin())]
            yield Place(
                line=Line(1, 3), job=job.number, server=server, values={"fitting": len(fitting), "reason": "tightest"}
            )
        else:
            yield Place(
                line=Line(1, 4), job=job.number, server=view.first_idle(), values={"fitting": 0, "reason": "none fits"}
            )
