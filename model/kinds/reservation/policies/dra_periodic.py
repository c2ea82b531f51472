"""DRA with periodic updates: CRA runs at regular times instead of after each event.

Reference
    Psychas & Ghaderi (2022), Section 9: CRA "can make such updates periodically by factoring
    all arrival or departures in the past period in its input for the current period".
Implements
    Algorithm 2 with line 20 and the CRA of line 26 left out, and CRA at times 0, tau, 2 tau, ...
Symbols
    tau  ``period``  time between two runs of CRA
Deviations
    Groups, ranks and configurations are fixed between updates; jobs still migrate at
    departures (lines 24-25).  Instead of a period, ``times`` may list the times of the updates.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.policies import dra
from slotscope.model.kinds.reservation.policies.base import Decisions, listing
from slotscope.model.kinds.reservation.view import ReservationView
from slotscope.model.reporting.records import Line, UpdateAt
from slotscope.model.scenario.fields import Numbers, Positive

PSEUDOCODE = (
    *dra.Reference.pseudocode,
    *listing("""
        #3 Periodic updates
        <b>procedure</b> UPDATE(<i>t</i>)
          CRA(Y(<i>t</i>) + <i>g</i>(<i>L</i>)<b>1</b>, X(<i>t</i>))
          update again at <i>t</i> + <i>τ</i>
        """),
)


class Parameters(dra.Parameters):
    """Parameters of DRA, and the ``period`` of the updates or their ``times`` in increasing order."""

    period: Positive = Fraction(1)
    times: Numbers = ()


class Reference(dra.Reference):
    """DRA in which configurations change at update times only."""

    schema = Parameters
    pseudocode = PSEUDOCODE
    cra_at_events = False

    def __init__(self, numbers: ReservationNumbers, parameters: Parameters) -> None:
        super().__init__(numbers, parameters)
        self.period = float(parameters.period)
        self.times = tuple(sorted(float(time) for time in parameters.times))
        self.updates_when_idle = bool(self.times)

    def texts(self, parameters: Any) -> dict[Line, str]:
        """Also: CRA runs by the clock, so that no line calls it at an arrival or a departure."""
        texts = super().texts(parameters)
        if dra.CRA_AT_EVENTS[0] in texts:
            texts[Line(3, 2)] = texts[dra.CRA_AT_EVENTS[0]]
        return texts | dict.fromkeys(dra.CRA_AT_EVENTS, "nothing: CRA waits for the next update")

    def start(self, view: ReservationView) -> Decisions:
        """Run CRA at time 0, and schedule the first update."""
        yield from self.estimator.start(view)
        yield from self.update(view)

    def after(self, view: ReservationView) -> Decisions:
        """Nothing: the next update takes the admission or departure into account."""
        yield from ()

    def update(self, view: ReservationView) -> Decisions:
        """Run CRA, and schedule the next update."""
        yield from self.cra(view)
        following = self.next_update(view.now)
        if following is not None:
            yield UpdateAt(line=Line(3, 3), time=following)

    def next_update(self, now: float) -> float | None:
        """The time of the next update after *now*; None after the last given time."""
        if not self.times:
            return now + self.period
        return next((time for time in self.times if time > now), None)
