"""How often a run that goes on is seen: as often as anybody can see, and no more than drawing may take of a core."""

from __future__ import annotations

from time import monotonic, thread_time

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
