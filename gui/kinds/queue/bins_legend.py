"""The legend below the bins: the virtual queues, and what the marks mean."""

from __future__ import annotations

from typing import NamedTuple, Sequence

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

from slotscope.gui.kinds.queue.bins_palette import heat_color
from slotscope.gui.kinds.queue.bins_words import size_on_block
from slotscope.gui.kinds.queue.colours import Look, paint_look, size_classes
from slotscope.gui.kinds.queue.wording import interval_words, lane_name
from slotscope.gui.painting.stack_text import Symbols
from slotscope.gui.painting.textures import device_ratio, texture_scale, texture_tile
from slotscope.gui.pictures.legend import PictureLegend, paint_gradient, paint_pair, paint_tile
from slotscope.gui.theme import Texture, Theme
from slotscope.model.kinds.queue.facts import QueueFacts
from slotscope.model.kinds.queue.numbers import QueueNumbers

#: Sizes are named one by one where there are no more.
MOST_NAMED = 16


class BinEntry(NamedTuple):
    """A mark and its words; ``look`` for jobs, else ``mark`` names it."""

    words: str
    mark: str = "jobs"
    look: Look = None


def entries(
    numbers: QueueNumbers, facts: QueueFacts, jobs: bool, stalls: bool, intervals: bool = True
) -> list[BinEntry]:
    """What the legend explains, where *jobs* are seen one by one or only how much is in use."""
    resources = [BinEntry(f"in each server: {', '.join(numbers.resource_names)}", "resources")]
    several = resources if numbers.resources > 1 else []
    stalled = [BinEntry("stalled", "lid")] if stalls else []
    if not jobs:
        return [BinEntry("share in use: none to all", "heat"), *several, *stalled]
    queues = facts.layout.queues
    if queues == 1:
        result = _size_entries(numbers)
    else:
        looks = size_classes(numbers).of_queues(numbers, facts)
        result = [
            BinEntry(_queue_words(numbers, facts, queue, intervals), "jobs", look) for queue, look in enumerate(looks)
        ]
    result += [*several, BinEntry("service so far", "gauge")]
    if facts.has_configurations:
        result.append(BinEntry("active configuration", "slot"))
    if facts.reserves:
        result.append(BinEntry("reserved, empty", "reserved"))
    return result + stalled


def _size_entries(numbers: QueueNumbers) -> list[BinEntry]:
    """The classes of the sizes that arrive; the sizes themselves where they are few."""
    classes, whole = size_classes(numbers), int(numbers.largest[0])
    told: dict[int, str] = {}
    if 0 < numbers.types <= MOST_NAMED and numbers.resources == 1:
        looks = classes.of(np.array(numbers.values, np.int64)).tolist()
        for value, look in zip(numbers.values, looks, strict=True):
            size = size_on_block(numbers, value[0], 0)
            told[look] = f"{told[look]}, {size}" if look in told else size
    else:
        told = {
            look: interval_words((low, high))
            for look, (low, high) in enumerate(classes.intervals)
            if any(numbers.sizes.probability(low * whole, high * whole, d) for d in range(numbers.resources))
        }
    first = next(iter(told), None)
    return [BinEntry(f"size {words}" if look == first else words, "jobs", look) for look, words in told.items()]


def _queue_words(numbers: QueueNumbers, facts: QueueFacts, queue: int, intervals: bool) -> str:
    name = lane_name(facts, queue)
    if not facts.intervals:
        return f"size {name}"
    if not intervals:
        return name
    low, high = (numbers.fraction(edge) for edge in facts.intervals[queue])
    return f"{name} {interval_words((low, high))}"


class BinLegend(PictureLegend):
    """Lays out and paints the legend for one run, theme and font."""

    def __init__(
        self, numbers: QueueNumbers, facts: QueueFacts, lanes: Sequence[QueueFacts], text: Symbols, theme: Theme
    ) -> None:
        super().__init__(text, theme)
        self._numbers, self._facts, self._lanes = numbers, facts, lanes

    def _entries(self, jobs: bool, stalls: bool, full: bool) -> list[BinEntry]:
        return entries(self._numbers, self._facts, jobs, stalls, full)

    def _jobs(self) -> list[list[BinEntry]]:
        told = [entries(self._numbers, lane, jobs=True, stalls=False, intervals=False) for lane in self._lanes]
        return [[item for item in items if item.mark == "jobs"] for items in told]

    def _mark(self, painter: QPainter, item: BinEntry, rect: QRectF) -> None:
        theme = self._theme
        frame = rect.adjusted(0.5, 0.5, -0.5, -0.5)
        match item.mark:
            case "jobs":
                paint_look(painter, frame, theme, item.look)
            case "heat":
                paint_gradient(painter, frame, heat_color(theme, 0), heat_color(theme, 1))
                painter.drawRect(frame)
            case "resources":
                paint_pair(painter, frame)
            case "gauge":
                _gauge(painter, rect, theme)
            case "slot":
                middle = frame.height() / 2
                painter.drawRect(frame.adjusted(3, 0, -3, -middle))
                painter.drawRect(frame.adjusted(3, middle, -3, 0))
            case "reserved":
                _hatched(painter, frame, theme)
            case "lid":
                painter.drawPolyline([frame.topLeft(), frame.bottomLeft(), frame.bottomRight(), frame.topRight()])
                painter.fillRect(QRectF(rect.x(), rect.y(), rect.width(), 3), QColor(theme.run))


def _gauge(painter: QPainter, rect: QRectF, theme: Theme) -> None:
    painter.fillRect(rect, QColor(theme.empty))
    line = QRectF(rect.x(), rect.bottom() - 4, rect.width(), 3)
    painter.fillRect(line, QColor(theme.muted))
    line.setWidth(0.6 * rect.width())
    painter.fillRect(line, QColor(theme.run))


def _hatched(painter: QPainter, rect: QRectF, theme: Theme) -> None:
    scale = texture_scale(device_ratio(painter))
    paint_tile(painter, rect, texture_tile(Texture.FALLING, theme.panel, theme.reserved, scale))
    painter.drawRect(rect)
