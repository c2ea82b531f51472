"""Best fit without reservation: a peer of DRA that packs as tightly as it can.

Reference
    A baseline of bin packing; the loss system is that of Psychas & Ghaderi (2022), Section 2.
Implements
    Of the servers with room for it, an arriving job goes to the one that has the least room left
    afterwards; if there is none, it is rejected.  Nothing is reserved and nothing migrates.
Symbols
    l  ``server``  the chosen server
Deviations
    With several resources, the server with the least room left is the one with the largest load
    after placing the job: the largest used share over the resources (see
    :mod:`model.kinds.reservation.loads`), compared exactly.  Ties go to the server of lowest number.
"""

from __future__ import annotations

from slotscope.model.kinds.reservation.loads import load_measure
from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.policies.base import ArrivingJob, Decisions, ReservationPolicy, listing
from slotscope.model.kinds.reservation.view import ReservationView
from slotscope.model.reporting.records import Admit, Line, Record, Reject
from slotscope.model.scenario.fields import Section


class Parameters(Section):
    """Best fit has no parameters."""


class Reference(ReservationPolicy):
    """Best fit."""

    schema = Parameters
    pseudocode = listing("""
        <b>procedure</b> ARRIVAL(<i>j</i>, <i>t</i>)
          <b>if</b> some server has room for the job <b>then</b>
            schedule it where the least room is left afterwards
          <b>else</b>
            reject the job
    """)

    def __init__(self, numbers: ReservationNumbers, parameters: Parameters) -> None:
        self.numbers = numbers
        self.loads = load_measure(numbers)

    def arrival(self, view: ReservationView, job: ArrivingJob) -> Decisions:
        """Admit the job to the most loaded server with room, or reject it."""
        room = view.with_room(job.type)
        yield Record("servers_scanned", Line(1, 2), {"servers_with_room": len(room)})
        if len(room):
            placement = view.placement.take(room, axis=0)
            placement[:, job.type] += 1
            load = self.loads.of(placement, room)
            fullest = int(load.argmax())
            yield Admit(
                line=Line(1, 3),
                server=int(room[fullest]),
                values={"reason": "least_room", "load": load[fullest] / self.loads.full},
            )
        else:
            yield Reject(line=Line(1, 5), values={"empty_slots": 0, "servers_with_room": 0})
