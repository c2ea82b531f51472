"""What a picture at rest does not wait for: sub-steps, the digest, the whole log, and what lanes decided before."""

from __future__ import annotations

from typing import Callable

from slotscope.model.comparison.runs import Run, lanes_of, past_known


class Afterwards:
    """Knows what is owed to the last picture; of the run's thread."""

    def __init__(self) -> None:
        self.ran = False  #: whether it ran since the last frame at rest
        self._began = False  # whether no frame was made since another run is seen
        self._hasty = False  # whether the last frame is still a hasty one

    def begin(self, run: Run) -> None:
        """Another run is seen: what an event did before its sub-steps, where these take long."""
        self._began = True
        for lane in lanes_of(run):
            lane.effect_first = True

    def recall(self, run: Run) -> None:
        """Have the sub-steps of what happened last at hand, where a run is so slow that they are seen."""
        for lane in lanes_of(run):
            lane.recall_once()

    def hasty(self, run: Run, running: bool) -> bool:
        """Whether the next frame is to have the log of a run, or policies that were not compared before it.

        To know more takes long: a run of many events is gone through once more for what it decided.
        """
        long = self.ran and any(lane.log_takes_long for lane in lanes_of(run))
        self._hasty = not running and (long or (self._began and not past_known(run)))
        self._began, self.ran = False, self.ran and running
        return self._hasty

    def owes(self, run: Run | None, running: bool) -> bool:
        """Whether something is to be done once nothing is asked for in a moment."""
        lanes = () if run is None else lanes_of(run)
        return any(lane.timeline.landings.owed is not None for lane in lanes) or (self._hasty and not running)

    def settle(self, run: Run, stop: Callable[[], bool] | None = None) -> bool:
        """Do it, or until *stop* take the sub-steps that are left; whether there is more to be seen then."""
        for lane in lanes_of(run):
            if stop is not None:
                lane.explain(stop)
            else:
                lane.timeline.landings.settle()
        return self._hasty if stop is None else not explaining(run)

    def leave(self, run: Run | None) -> None:
        """The sub-steps that are left are not wanted."""
        for lane in () if run is None else lanes_of(run):
            lane.leave_unexplained()


def explaining(run: Run | None) -> bool:
    """Whether sub-steps of what happened last are left, in any of the policies that run."""
    return run is not None and any(lane.explaining for lane in lanes_of(run))


def moments_of(run: Run) -> list[tuple[int, int]]:
    """Where each policy stands: its event, and the sub-steps of the next one."""
    return [(lane.timeline.event, lane.timeline.substep) for lane in lanes_of(run)]
