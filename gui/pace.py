"""How fast a run goes: from a sub-step every few seconds to as fast as the machine can.

A position of the speed slider (0 to 1000) stands for a pace.  The lowest part counts
sub-steps per second, then simulated time per second on a logarithmic scale that has 1x in
its middle, and the right end sets no limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log10

SLIDER_MOST = 1000
_SUBSTEPS_END = 200
_ONE = 600
_FASTEST = 990
_SNAP = 12

#: Decades of simulated time per second between the end of sub-steps and 1x, and above it.
_DECADES = 3.0

#: Sub-steps per second at the slider's left end and where events begin.
_SLOWEST, _QUICKEST = 0.3, 8.0


@dataclass(frozen=True)
class Pace:
    """Either sub-steps per second, or simulated time per second, or neither: no limit."""

    substeps: float | None = None
    time: float | None = None

    @property
    def label(self) -> str:
        """A short text for the slider."""
        if self.substeps is not None:
            return f"{self.substeps:.1f} sub-steps/s"
        if self.time is not None:
            return f"{self.time:.2g}×"
        return "no limit"


NO_LIMIT = Pace()
REAL_TIME = Pace(time=1.0)


def pace_at(position: int) -> Pace:
    """The pace that a slider position stands for; near 1x it snaps to 1x."""
    if position < _SUBSTEPS_END:
        share = position / _SUBSTEPS_END
        return Pace(substeps=_SLOWEST * (_QUICKEST / _SLOWEST) ** share)
    if position >= _FASTEST:
        return NO_LIMIT
    if abs(position - _ONE) <= _SNAP:
        return REAL_TIME
    return Pace(time=10 ** (_DECADES * (position - _ONE) / (_ONE - _SUBSTEPS_END)))


def position_of(pace: Pace) -> int:
    """The slider position of a pace (the inverse of :func:`pace_at`, up to rounding)."""
    if pace.substeps is not None:
        share = log10(pace.substeps / _SLOWEST) / log10(_QUICKEST / _SLOWEST)
        return round(_SUBSTEPS_END * min(max(share, 0.0), 1.0))
    if pace.time is None:
        return SLIDER_MOST
    position = _ONE + log10(pace.time) / _DECADES * (_ONE - _SUBSTEPS_END)
    return round(min(max(position, _SUBSTEPS_END), _FASTEST - 1))
