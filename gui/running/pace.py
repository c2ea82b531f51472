"""The pace of a run, from a sub-step every few seconds to no limit, and its frame rate.

Each position of the speed slider (0 to 1000) stands for a pace: the lowest part for sub-steps per second,
then simulated time per second on a logarithmic scale with 1x in its middle, and the right end for no limit.
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

#: From here on a pace is shown as a whole number, below with two significant digits.
_WHOLE = 99

#: Decades of simulated time per second from the end of the sub-steps to 1x; above 1x the scale goes on alike.
_DECADES = 3.0

#: Sub-steps per second at the slider's left end and where the scale of simulated time begins.
_SLOWEST, _QUICKEST = 0.3, 8.0


@dataclass(frozen=True)
class Pace:
    """Sub-steps per second, or simulated time per second; with neither, no limit."""

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
    """The pace at a slider position; positions near 1x snap to 1x."""
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
    """The slider position of a pace (inverse of :func:`pace_at`, up to rounding)."""
    if pace.substeps is not None:
        share = log10(pace.substeps / _SLOWEST) / log10(_QUICKEST / _SLOWEST)
        return round(_SUBSTEPS_END * min(max(share, 0.0), 1.0))
    if pace.time is None:
        return SLIDER_MOST
    position = _ONE + log10(pace.time) / _DECADES * (_ONE - _SUBSTEPS_END)
    return round(min(max(position, _SUBSTEPS_END), _FASTEST - 1))


def next_position(position: int, steps: int) -> int:
    """The slider position *steps* round paces up or down, for the speed keys."""
    here = position_of(pace_at(position))
    ahead = sorted((place for place in _ROUND if (place - here) * steps > 0), key=lambda place: abs(place - here))
    return ahead[min(abs(steps), len(ahead)) - 1] if ahead else position


#: Round paces for the speed keys, by slider position: 1, 2 and 5 in each decade.
_ROUND = {
    position_of(pace): pace
    for pace in (
        *(Pace(substeps=steps) for steps in (_SLOWEST, 0.5, 1.0, 2.0, 5.0)),
        *(Pace(time=digit * 10.0**decade) for decade in range(-3, 3) for digit in (1, 2, 5)),
        NO_LIMIT,
    )
}


#: Seconds between frames: of a run without limit (nobody sees more than 60 frames per second),
#: and of a paced run, at the frame rate of films.
FRAME_SECONDS, PACED_SECONDS = 1 / 60, 1 / 25

#: The largest share of a core that the GUI thread may take in a paced run: with the run's thread it makes a quarter.
#: If frames cost more, the frame rate drops, down to one frame per so many seconds.
DRAWING, LONGEST_SECONDS = 0.18, 1 / 12

#: Weight of the last frame in the moving average of a frame's cost.
_FRESH = 0.1


class FrameRate:
    """Decides when the next frame may be published."""

    def __init__(self) -> None:
        self._next = 0.0
        self._cost = 0.0  # average CPU seconds of the GUI thread from one frame to the next
        self._spent = 0.0  # that thread's CPU seconds at the last frame

    def drawn(self) -> None:
        """Note that a frame has been drawn; must be called in the GUI thread."""
        spent = thread_time()
        self._cost += _FRESH * (min(spent - self._spent, LONGEST_SECONDS) - self._cost)
        self._spent = spent

    @property
    def left(self) -> float:
        """Seconds until the next frame may be published."""
        return self._next - monotonic()

    def count(self, limited: bool) -> None:
        """Note that a frame is published, of a run whose pace is *limited* or not, and schedule the next."""
        period = min(max(PACED_SECONDS, self._cost / DRAWING), LONGEST_SECONDS) if limited else FRAME_SECONDS
        self._next = max(self._next, monotonic() - period / 2) + period
