"""DRA without migrations, with the plain or the extended Reject Group.

Reference
    Psychas & Ghaderi (2022), Section 8.
Implements
    Algorithm 2 without lines 24-25.  With ``extended`` the Reject Group is exactly "all servers of
    rank J + 1", whatever their index.
Symbols
    As in :mod:`model.kinds.reservation.policies.dra`.
Deviations
    None.
"""

from __future__ import annotations

from typing import Any

from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.policies import dra
from slotscope.model.reporting.records import Line


class Parameters(dra.Parameters):
    """Parameters of DRA, and whether the Reject Group is ``extended``."""

    extended: bool = False


class Reference(dra.Reference):
    """DRA in which Reject Group servers become empty by departures only."""

    schema = Parameters
    migrates = False

    def __init__(self, numbers: ReservationNumbers, parameters: Parameters) -> None:
        super().__init__(numbers, parameters)
        self.extended = parameters.extended

    def texts(self, parameters: Any) -> dict[Line, str]:
        """Also: no job migrates; with ``extended`` no job is admitted to a server of rank J + 1."""
        texts = super().texts(parameters) | dict.fromkeys((Line(2, 24), Line(2, 25)), "nothing: no job migrates")
        if parameters.extended:
            texts[Line(2, 18)] = "<b>if</b> AG<sub><i>j</i></sub> ≠ ∅, all of rank <i>J</i> + 1 left out <b>then</b>"
        return texts
