"""The worker's searches for what happened to things: in slices, while nothing runs."""

from __future__ import annotations

from time import monotonic

from gui.intents import Inspect
from model.comparison.comparison import Run, lanes_of
from model.history import Histories

#: Seconds of searching between two looks at the queue, and between two frames.
SLICE, SHOWN = 0.012, 0.25


class Searches:
    """Searches the histories of a run's lanes."""

    def __init__(self) -> None:
        self._shown = 0.0

    @staticmethod
    def _of(run: Run | None) -> tuple[Histories, ...]:
        return () if run is None else tuple(lane.histories for lane in lanes_of(run))

    def due(self, run: Run | None) -> bool:
        """Whether there is anything to search."""
        return any(histories.due for histories in self._of(run))

    def stop(self, run: Run | None) -> None:
        """Search no further until something is asked for."""
        for histories in self._of(run):
            histories.stop()

    def want(self, run: Run | None, wanted: Inspect) -> None:
        """Search the history of a thing in one of the lanes, if it is still there."""
        for lane in () if run is None else lanes_of(run):
            if lane.info is wanted.run:
                lane.histories.want(wanted.thing, wanted.further)

    def follow(self, run: Run | None) -> None:
        """While it runs: look at what has just happened, if that is little."""
        for histories in self._of(run):
            histories.follow()

    def go_on(self, run: Run | None) -> bool:
        """Search for a slice; whether there is something new to show."""
        for histories in self._of(run):
            if histories.due:
                histories.search(SLICE)
        now = monotonic()
        if self.due(run) and now - self._shown < SHOWN:
            return False
        self._shown = now
        return True
