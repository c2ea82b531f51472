"""Work postponed until a frame at rest is shown: sub-steps, the digest, the whole log, earlier decisions of lanes."""

from __future__ import annotations

from typing import Callable

from slotscope.model.comparison.runs import Run, lanes_of, past_known


class Afterwards:
    """Knows which work the last frame left undone; used in the run's thread only."""

    def __init__(self) -> None:
        self.ran = False  #: whether the run went on since the last frame at rest
        self._began = False  # whether the current run has had no frame yet
        self._hasty = False  # whether the last frame was hasty, see :meth:`hasty`

    def begin(self, run: Run) -> None:
        """Begin with another run; while its sub-steps take long, an event's effect is shown first."""
        self._began = True
        for lane in lanes_of(run):
            lane.effect_first = True

    def recall(self, run: Run) -> None:
        """Compute the sub-steps of the last event, for a run so slow that they are seen."""
        for lane in lanes_of(run):
            lane.recall_once()

    def hasty(self, run: Run, running: bool) -> bool:
        """Whether the next frame has the log as during a run, and of the lanes' earlier decisions only those known.

        The rest takes long: a run of many events is replayed once for all its decisions.
        """
        long = self.ran and any(lane.log_takes_long for lane in lanes_of(run))
        self._hasty = not running and (long or (self._began and not past_known(run)))
        self._began, self.ran = False, self.ran and running
        return self._hasty

    def owes(self, run: Run | None, running: bool) -> bool:
        """Whether there is postponed work to do as soon as no command is waiting."""
        lanes = () if run is None else lanes_of(run)
        return any(lane.timeline.landings.owed is not None for lane in lanes) or (self._hasty and not running)

    def settle(self, run: Run, stop: Callable[[], bool] | None = None) -> bool:
        """Do postponed work, or with *stop* compute sub-steps until it returns true; returns whether a frame is due."""
        for lane in lanes_of(run):
            if stop is not None:
                lane.explain(stop)
            else:
                lane.timeline.landings.settle()
        return self._hasty if stop is None else not explaining(run)

    def leave(self, run: Run | None) -> None:
        """Drop the remaining sub-steps."""
        for lane in () if run is None else lanes_of(run):
            lane.leave_unexplained()


def explaining(run: Run | None) -> bool:
    """Whether sub-steps of the last event remain to be computed, in any of the policies that run."""
    return run is not None and any(lane.explaining for lane in lanes_of(run))


def moments_of(run: Run) -> list[tuple[int, int]]:
    """The position of each policy: the number of its last event, and of sub-steps into the next one."""
    return [(lane.timeline.event, lane.timeline.substep) for lane in lanes_of(run)]
