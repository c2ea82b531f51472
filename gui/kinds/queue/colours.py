"""The look of a job size, colour and texture, the same in all panels and under all policies.

Sizes are classed by the intervals of partition I under every policy, so that a job has the same look
in each lane, and VQ_j has the look of the jobs that wait in it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache, partial
from typing import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QBrush, QPainter

from slotscope.gui.kinds.queue.wording import Interval
from slotscope.gui.painting.textures import Pixels, paint_mark, plain_tile, texture_scale, tile_brush, type_tile
from slotscope.gui.theme import Theme
from slotscope.model.kinds.queue.facts import QueueFacts
from slotscope.model.kinds.queue.numbers import QueueNumbers
from slotscope.model.kinds.queue.programs.partition import Partition, default_depth
from slotscope.model.reporting.letters import subscript

#: The number of a look, as of a class of sizes; None: the look for all sizes.
Look = int | None

#: The number of colours for job types in each theme: looks that are equal modulo this have the same colour.
COLOURS = 16
#: The job type whose colour, grey, stands for all sizes.
_GREY = 7


@dataclass(frozen=True)
class SizeClasses:
    """The classes of a scenario's sizes: the intervals of partition I.

    With several resources, the one that a job needs most counts.
    """

    partition: Partition
    capacity: int  #: units of a largest server
    looks: tuple[int, ...]  #: [count] the look of each class

    @property
    def count(self) -> int:
        return self.partition.queues

    def of(self, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
        """[n] The looks of sizes [n, D], in units."""
        largest = sizes.max(axis=1, initial=1)
        return np.array(self.looks, np.int64)[self.partition.queue_of(largest, self.capacity)]

    @property
    def intervals(self) -> tuple[Interval, ...]:
        """[count] The sizes (low, high] of each class, as shares of a largest server."""
        return self.partition.ruler

    def of_queues(self, numbers: QueueNumbers, facts: QueueFacts) -> tuple[Look, ...]:
        """[V] the look of each virtual queue; a policy's J may be larger or smaller than that of the classes."""
        queues = facts.layout.queues
        if facts.intervals:
            return (*self.looks[:queues], *range(self.count, queues))
        looks: list[Look] = [None] * queues
        if queues > 1:
            values = np.array(numbers.values, np.int64).reshape(-1, numbers.resources)
            mine = facts.layout.queue_of(values).tolist()
            for queue, look in zip(mine, self.of(values).tolist(), strict=True):
                looks[queue] = look
        return tuple(looks)


@lru_cache(maxsize=4)
def size_classes(numbers: QueueNumbers) -> SizeClasses:
    """The classes of a scenario's sizes, with the least J (within 2 to 20) for which no size is below 1/2^J."""
    capacity = int(numbers.largest[0])
    partition = Partition(default_depth(Fraction(int(numbers.smallest), capacity)))
    classes = SizeClasses(partition, capacity, tuple(range(partition.queues)))
    values = np.array(numbers.values, np.int64).reshape(-1, numbers.resources)
    return replace(classes, looks=_apart(classes.count, sorted(set(classes.of(values).tolist()))))


def _apart(count: int, used: Sequence[int]) -> tuple[int, ...]:
    """[count] the look of each class: its number, or a free one if another *used* class has the same colour."""
    looks, taken = list(range(count)), {one % COLOURS for one in used}
    free, seen = (place for place in range(COLOURS) if place not in taken), set[int]()
    for one in used:
        if one % COLOURS in seen:
            looks[one] = next(free, one)
        seen.add(one % COLOURS)
    return tuple(looks)


def look_color(theme: Theme, look: Look) -> str:
    """The colour of a class of sizes."""
    return theme.type_style(_GREY if look is None else look).color


def look_ink(theme: Theme, look: Look) -> str:
    """The colour of a class of sizes, adjusted to be legible as text on a panel."""
    return theme.ink(look_color(theme, look))


@cache
def look_tile(theme: Theme, look: Look, scale: int = 1) -> Pixels:
    """The texture tile for jobs of a class; lines are *scale* pixels wide."""
    return plain_tile(look_color(theme, look), scale) if look is None else type_tile(theme, look, scale)


@cache
def look_brush(theme: Theme, look: Look, ratio: float = 1.0) -> QBrush:
    """The brush with colour and texture for jobs of a class, at a device pixel ratio."""
    return tile_brush(look_tile(theme, look, texture_scale(ratio)), ratio)


def paint_look(painter: QPainter, box: QRectF, theme: Theme, look: Look) -> None:
    """Fill *box* with the look of jobs of a class."""
    paint_mark(painter, box, partial(look_brush, theme, look), look_color(theme, look))


def queue_name(queue: int, queues: int) -> str:
    """VQ₃, or Q if there is only one queue."""
    return f"VQ{subscript(queue)}" if queues > 1 else "Q"
