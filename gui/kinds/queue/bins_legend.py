"""The legend below the bins: the virtual queues, and what the marks mean."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QLinearGradient, QPainter, QPen

from gui.kinds.queue.bins_palette import heat_color
from gui.kinds.queue.bins_words import size_on_block
from gui.kinds.queue.colours import Look, paint_look, size_classes
from gui.kinds.queue.wording import interval_words, lane_name
from gui.painting.fallback import tile_brush
from gui.painting.stack_text import Symbols
from gui.painting.textures import texture_scale, texture_tile
from gui.theme import Texture, Theme
from model.kinds.queue.facts import QueueFacts
from model.kinds.queue.numbers import QueueNumbers

LINES = 2
#: Sizes are named one by one where there are no more.
MOST_NAMED = 16
#: Height of a line in lines of text, from a mark to its words, and between entries.
LINE, GAP, BETWEEN = 1.35, 6.0, 18.0
#: Width of a mark, and of a gradient, in lines of text.
_MARK, _GRADIENT = 1.0, 2.6


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


class BinLegend:
    """Lays out and paints the legend for one run, theme and font."""

    def __init__(self, numbers: QueueNumbers, facts: QueueFacts, text: Symbols, theme: Theme) -> None:
        self._numbers, self._facts = numbers, facts
        self._text, self._theme = text, theme
        self._known: dict[tuple[float, bool, bool], list[tuple[BinEntry, int, float]]] = {}

    @property
    def height(self) -> float:
        """The height that is kept for it."""
        return LINES * LINE * self._text.height

    def chosen(self, room: float, jobs: bool, stalls: bool) -> list[tuple[BinEntry, int, float]]:
        """Entries with line and x; without intervals where there is no room for those."""
        key = room, jobs, stalls
        if key not in self._known:
            self._known = {key: self._flowing(*key)}
        return self._known[key]

    def _flowing(self, room: float, jobs: bool, stalls: bool) -> list[tuple[BinEntry, int, float]]:
        result: list[tuple[BinEntry, int, float]] = []
        for intervals in (True, False):
            items = entries(self._numbers, self._facts, jobs, stalls, intervals)
            result = self._wrapped(items, room)
            if len(result) == len(items):
                break
        return result

    def _wrapped(self, items: list[BinEntry], room: float) -> list[tuple[BinEntry, int, float]]:
        """Line and x of each of the first *items*, as many as there are lines for."""
        result: list[tuple[BinEntry, int, float]] = []
        line, x = 0, 0.0
        for item in items:
            width = self._width(item)
            if x and x + width > room:
                line, x = line + 1, 0.0
            if line >= LINES:
                break
            result.append((item, line, x))
            x += width + BETWEEN
        return result

    def _wide(self, item: BinEntry) -> float:
        wide = _GRADIENT if item.mark == "heat" else _MARK
        return wide * self._text.height

    def _width(self, item: BinEntry) -> float:
        return self._wide(item) + GAP + self._text.width(item.words)

    def paint(self, painter: QPainter, area: QRectF, jobs: bool, stalls: bool) -> None:
        """Paint it into *area*."""
        height = LINE * self._text.height
        for item, line, x in self.chosen(area.width(), jobs, stalls):
            left, top = area.x() + x, area.y() + line * height
            side = self._text.height
            mark = QRectF(left, top + (height - side) / 2, self._wide(item), side)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(self._theme.muted), 1))
            self._mark(painter, item, mark.adjusted(0, 1, 0, -1))
            self._text.draw(painter, mark.right() + GAP, top + (height - side) / 2, item.words, self._theme.normal)

    def _mark(self, painter: QPainter, item: BinEntry, rect: QRectF) -> None:
        theme = self._theme
        frame = rect.adjusted(0.5, 0.5, -0.5, -0.5)
        match item.mark:
            case "jobs":
                paint_look(painter, frame, theme, item.look)
            case "heat":
                _gradient(painter, frame, heat_color(theme, 0), heat_color(theme, 1))
            case "resources":
                half = frame.width() / 2 - 1
                painter.drawRect(frame.adjusted(0, 0, -half, 0))
                painter.drawRect(frame.adjusted(half, 0, 0, 0))
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
    device = painter.device()
    ratio = device.devicePixelRatioF() if device is not None else 1.0
    tile = texture_tile(Texture.FALLING, theme.panel, theme.reserved, texture_scale(ratio))
    image = tile_brush(tile).textureImage()
    image.setDevicePixelRatio(ratio)
    painter.fillRect(rect, QBrush(image))
    painter.drawRect(rect)


def _gradient(painter: QPainter, rect: QRectF, start: str, end: str) -> None:
    gradient = QLinearGradient(QPointF(rect.topLeft()), QPointF(rect.topRight()))
    gradient.setColorAt(0, QColor(start))
    gradient.setColorAt(1, QColor(end))
    painter.fillRect(rect, QBrush(gradient))
    painter.drawRect(rect)
