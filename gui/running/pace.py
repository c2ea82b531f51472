"""How fast a run goes, from a sub-step every few seconds to as fast as the machine can, and how often it is seen.

A position of the speed slider (0 to 1000) stands for a pace.  The lowest part counts
sub-steps per second, then simulated time per second on a logarithmic scale that has 1x in
its middle, and the right end sets no limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log10
from time import monotonic, thread_time

from slotscope.gui.language.words import tr

SLIDER_MOST = 1000
_SUBSTEPS_END = 200
_ONE = 600
_FASTEST = 990
_SNAP = 12

#: From here on two digits are a whole number.
_WHOLE = 99

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
            return tr("{rate} sub-steps/s").format(rate=f"{self.substeps:.1f}")
        if self.time is not None:
            return f"{self.time:.0f}×" if self.time >= _WHOLE else f"{self.time:.2g}×"
        return tr("no limit")


NO_LIMIT = Pace()
REAL_TIME = Pace(time=1.0)


def pace_at(position: int) -> Pace:
    """The pace that a slider position stands for; near 1x it snaps to 1x."""
    if abs(position - _ONE) <= _SNAP:
        return REAL_TIME
    return _ROUND.get(position) or _exact_pace_at(position)


def _exact_pace_at(position: int) -> Pace:
    if position < _SUBSTEPS_END:
        share = position / _SUBSTEPS_END
        return Pace(substeps=_SLOWEST * (_QUICKEST / _SLOWEST) ** share)
    if position >= _FASTEST:
        return NO_LIMIT
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


def next_position(position: int, steps: int) -> int:
    """The slider position so many round paces up or down, as the speed keys go."""
    here = position_of(pace_at(position))
    ahead = sorted((place for place in _ROUND if (place - here) * steps > 0), key=lambda place: abs(place - here))
    return ahead[min(abs(steps), len(ahead)) - 1] if ahead else position


#: The paces that the speed keys go through, by slider position: 1, 2 and 5 in each decade.
_ROUND = {
    position_of(pace): pace
    for pace in (
        *(Pace(substeps=steps) for steps in (_SLOWEST, 0.5, 1.0, 2.0, 5.0)),
        *(Pace(time=digit * 10.0**decade) for decade in range(-3, 3) for digit in (1, 2, 5)),
        NO_LIMIT,
    )
}


#: Seconds between two frames of a run that goes on without limit, more than sixty of which nobody sees in a second;
#: and at a pace, as many as a film has.
FRAME_SECONDS, PACED_SECONDS = 1 / 60, 1 / 25

#: The part of a core that the window's thread takes at most at a pace: with the run it is a quarter.  Where frames
#: cost more they are fewer, down to so many seconds between two of them.
DRAWING, LONGEST_SECONDS = 0.18, 1 / 12

#: How much the last frame counts in what a frame costs.
_FRESH = 0.1


class FrameRate:
    """Says when the next frame may be seen."""

    def __init__(self) -> None:
        self._next = 0.0
        self._cost = 0.0  # seconds of the window's thread for a frame, and all that it does until the next
        self._spent = 0.0  # seconds of that thread up to the last one

    def drawn(self) -> None:
        """A frame is drawn; to be called by the thread that draws."""
        spent = thread_time()
        self._cost += _FRESH * (min(spent - self._spent, LONGEST_SECONDS) - self._cost)
        self._spent = spent

    @property
    def left(self) -> float:
        """Seconds until the next frame may be seen."""
        return self._next - monotonic()

    def count(self, limited: bool) -> None:
        """A frame goes out, of a run that a pace has *limited* or not: the rate is kept."""
        period = min(max(PACED_SECONDS, self._cost / DRAWING), LONGEST_SECONDS) if limited else FRAME_SECONDS
        self._next = max(self._next, monotonic() - period / 2) + period
