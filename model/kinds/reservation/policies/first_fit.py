"""First fit without reservation: the simplest peer of DRA.

Reference
    A baseline of bin packing; the loss system is that of Psychas & Ghaderi (2022), Section 2.
Implements
    An arriving job goes to the server of lowest number with enough free resources; if there is
    none, it is rejected.  Nothing is reserved and nothing migrates.
Symbols
    l  ``server``  the server of lowest number with room
Deviations
    None.
"""

from __future__ import annotations

from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.policies.base import ArrivingJob, Decisions, ReservationPolicy, listing
from slotscope.model.kinds.reservation.view import ReservationView
from slotscope.model.reporting.records import Admit, Line, Record, Reject
from slotscope.model.scenario.fields import Section


class Parameters(Section):
    """First fit has no parameters."""


class Reference(ReservationPolicy):
    """First fit."""

    schema = Parameters
    pseudocode = listing("""
        <b>procedure</b> ARRIVAL(<i>j</i>, <i>t</i>)
          <b>if</b> some server has room for the job <b>then</b>
            schedule it in the first such server
          <b>else</b>
            reject the job
    """)

    def __init__(self, numbers: ReservationNumbers, parameters: Parameters) -> None:
        self.numbers = numbers

    def arrival(self, view: ReservationView, job: ArrivingJob) -> Decisions:
        """Admit the job to the first server with room, or reject it."""
        room = view.with_room(job.type)
        yield Record("servers_scanned", Line(1, 2), {"servers_with_room": len(room)})
        if len(room):
            yield Admit(line=Line(1, 3), server=int(room[0]))
        else:
            yield Reject(line=Line(1, 5), values={"empty_slots": 0, "servers_with_room": 0})
