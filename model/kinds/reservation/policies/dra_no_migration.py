"""DRA without migrations, plain and with the Reject Group extended.

Reference
    Psychas & Ghaderi (2022), Section 8.
Implements
    Algorithm 2 without lines 24-25.  With ``extended`` the Reject Group is "all servers of
    rank J + 1", whatever their index, and no other.
Symbols
    As in :mod:`model.kinds.reservation.policies.dra`.
Deviations
    None.
"""

from __future__ import annotations

from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.policies import dra
from slotscope.model.records import Line


class Parameters(dra.Parameters):
    """Parameters of DRA, and whether the Reject Group is ``extended``."""

    extended: bool = False


class Reference(dra.Reference):
    """DRA that lets Reject Group servers empty by themselves."""

    name = "dra-no-migration"
    title = "DRA without migration"
    paper = "Psychas & Ghaderi (2022), Section 8"
    schema = Parameters
    pseudocode = tuple(line for line in dra.Reference.pseudocode if line.line not in (Line(2, 24), Line(2, 25)))
    migrates = False

    def __init__(self, numbers: ReservationNumbers, parameters: Parameters) -> None:
        super().__init__(numbers, parameters)
        self.extended = parameters.extended
