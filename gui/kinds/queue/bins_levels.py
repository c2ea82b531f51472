"""How high everything in the bins stands, in device pixels above the floor of its bin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from slotscope.gui.kinds.queue.bins_content import BinJobs, Integers
from slotscope.gui.pictures.layout import level


@dataclass(frozen=True, eq=False)
class Levels:
    """The edges of jobs and of what is reserved, for S servers with D resources.

    Attributes
    ----------
    low, middle, high:
        [n, D] where a job's room begins, where its true size ends, and where its room ends.
    kept, reserve:
        [S, D] where what is reserved and empty begins and ends.
    top:
        [S, D] where free room begins.
    capacity:
        [S, D] where the bin ends.
    """

    low: Integers
    middle: Integers
    high: Integers
    kept: Integers
    reserve: Integers
    top: Integers
    capacity: Integers

    def block_at(self, blocks: BinJobs, place: int, resource: int, height: int) -> int | None:
        """The block of a server in which a pixel is, *height* pixels above its floor."""
        for block in blocks.of(place):
            if self.low[block, resource] <= height < self.high[block, resource]:
                return block
        return None


def levels_of(blocks: BinJobs, capacity: Integers, largest: Integers, tall: int) -> Levels:
    """The edges in bins of *capacity* [S, D], where *largest* [D] is *tall* pixels high."""
    in_use = np.minimum(blocks.kept, blocks.reserve)
    edges = (
        blocks.low,
        blocks.low + blocks.size,
        blocks.low + blocks.room,
        in_use,
        blocks.reserve,
        blocks.top,
        capacity,
    )
    return Levels(*(level(units / largest, tall) for units in edges))
