"""Arrivals drawn from what a log has: gaps between arrivals, and sizes.

As in :mod:`model.scenario.workload` any block can be made again at any time, from the seed and the log.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from slotscope.model.scenario.streams import stream
from slotscope.model.scenario.workload import BLOCK, JobBlock, RecentBlocks, Sampler

Floats = npt.NDArray[np.float64]


class DrawnWorkload:
    """Jobs of one class without end, whose gaps and sizes are independent draws.

    Parameters
    ----------
    gaps, sizes:
        Samplers of the time between arrivals and of the inherent size, in seconds.
    seed, start, branch:
        As for :class:`model.scenario.workload.PoissonWorkload`.
    """

    def __init__(self, gaps: Sampler, sizes: Sampler, seed: int, start: float = 0.0, branch: int = 0) -> None:
        self._gaps, self._sizes = gaps, sizes
        self._seed, self._branch = seed, branch
        self._starts = [start]
        self._recent: RecentBlocks[JobBlock] = RecentBlocks()

    def block_at(self, arrival: int) -> JobBlock:
        """See :class:`model.scenario.workload.Workload`; there is no last block."""
        return self._recent.at(arrival // BLOCK, self._made)

    def _made(self, position: int) -> JobBlock:
        while len(self._starts) <= position:
            self._starts.append(float(self._times(len(self._starts) - 1)[-1]))
        service = self._sizes(stream(self._seed, "service", self._branch, position), BLOCK)
        first = np.array([position * BLOCK], np.int64)
        return JobBlock(self._times(position), np.zeros(BLOCK, np.int32), service, first)

    def _times(self, position: int) -> Floats:
        # Always summed in this order, so that a block made again has the very same times.
        gaps = self._gaps(stream(self._seed, "arrivals", self._branch, position), BLOCK)
        return np.asarray(self._starts[position] + np.cumsum(gaps))
