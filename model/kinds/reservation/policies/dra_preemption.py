"""DRA that preempts jobs of priority 0 for one of higher priority.

Reference
    Psychas & Ghaderi (2022), Section 7.2, DRA+Preemption.
Implements
    Algorithm 2.  When a job of priority 1 or more is rejected (line 22), jobs of priority 0 are
    preempted from Reject Group servers, the smallest type first, found "the same way it finds jobs
    to migrate", until their total size is g(L) s_j or none is left there; CRA runs after each.
Symbols
    g(L)  ``reservation`` the reservation factor, exactly
    s_j   ``size_units``  a job's size: its share of its scarcest resource
Deviations
    The rejected job stays rejected; with ``retry`` its admission is tried once more after the
    preemptions before it is rejected.  A job whose type fits no server preempts nothing.
"""

from __future__ import annotations

from typing import Any

from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.policies import dra
from slotscope.model.kinds.reservation.policies.base import ArrivingJob, Decisions, listing
from slotscope.model.kinds.reservation.view import ReservationView
from slotscope.model.reporting.records import Admit, Line, Preempt, Record

PREEMPTION = listing("""
    #3 Preemption (Section 7.2)
    <b>procedure</b> PREEMPT(<i>j</i>) after line 22, <b>if</b> priority of <i>j</i> ≥ 1
      <b>while</b> size preempted &lt; <i>g</i>(<i>L</i>) <i>s<sub>j</sub></i> <b>do</b>
        <i>v</i> ← smallest type of priority 0 with RG<sub><i>v</i></sub> ≠ ∅; <b>stop</b> if there is none
        preempt a job in RG<sub><i>v</i></sub>
        CRA(Y(<i>t</i>) + <i>g</i>(<i>L</i>)<b>1</b>, X(<i>t</i>))
""")


class Parameters(dra.Parameters):
    """Parameters of DRA, and ``retry``: whether the admission is tried once more after the preemptions."""

    retry: bool = False


class Reference(dra.Reference):
    """DRA+Preemption."""

    schema = Parameters
    pseudocode = dra.Reference.pseudocode + PREEMPTION

    def __init__(self, numbers: ReservationNumbers, parameters: Parameters) -> None:
        super().__init__(numbers, parameters)
        self.retry = parameters.retry
        low = [j for j in range(numbers.types) if numbers.priorities[j] == 0]
        self.victims = sorted(low, key=lambda j: (numbers.size_units[j], j))

    def texts(self, parameters: Any) -> dict[Line, str]:
        """Also: CRA after each preemption, no preemption for a job that fits no server, and ``retry``."""
        texts = super().texts(parameters)
        if dra.CRA_AT_EVENTS[0] in texts:
            texts[Line(3, 5)] = texts[dra.CRA_AT_EVENTS[0]]
        if not all(self.numbers.space.fits):
            texts[Line(3, 1)] = f"{PREEMPTION[0].text}, <b>and</b> it fits a server"
        if parameters.retry:
            texts[Line(2, 22)] = "PREEMPT(<i>j</i>); try lines 18–20 once more; <b>else</b> reject the job"
        return texts

    def arrival(self, view: ReservationView, job: ArrivingJob) -> Decisions:
        """Lines 17-22, and preemption after a rejection."""
        yield from self.estimator.arrival(view, job)
        server, empty = self.accepting_server(view, job.type)
        if server >= 0:
            yield Admit(line=Line(2, 19), server=server, values={"empty_slots": empty})
            yield from self.after(view)
            return
        if not self.retry:
            yield self.rejection(view, job.type)
        if self.numbers.priorities[job.type] > 0 and self.numbers.space.fits[job.type]:
            yield from self._preempt_for(view, job.type)
        if self.retry:
            server, empty = self.accepting_server(view, job.type)
            if server < 0:
                yield self.rejection(view, job.type)
                return
            yield Admit(line=Line(2, 19), server=server, values={"empty_slots": empty})
            yield from self.after(view)

    def _preempt_for(self, view: ReservationView, job_type: int) -> Decisions:
        sizes = self.numbers.size_units
        owed = self.reservation * sizes[job_type]
        freed = 0
        while freed < owed:
            victim, server = self._victim(view)
            if server < 0:
                yield Record("no_victim", Line(3, 3), {"freed": freed, "owed": owed})
                return
            freed += sizes[victim]
            yield Preempt(
                line=Line(3, 4),
                job=view.newest_job(server, victim),
                server=server,
                values={"type": victim, "freed": freed, "owed": owed},
            )
            yield from self.cra(view)

    def _victim(self, view: ReservationView) -> tuple[int, int]:
        """The smallest type of priority 0 with a job in the Reject Group, and that job's server; or (-1, -1)."""
        for victim in self.victims:
            server = self.source_of(view, victim)
            if server >= 0:
                return victim, server
        return -1, -1
