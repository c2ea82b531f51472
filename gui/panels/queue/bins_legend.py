"""The legend below the bins: the virtual queues, and what the marks mean."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QLinearGradient, QPainter, QPen

from gui.painting.fallback import tile_brush
from gui.painting.stack_text import Symbols
from gui.painting.textures import texture_scale, texture_tile
from gui.panels.queue.bins_palette import SHADES, heat_color, style_color
from gui.panels.queue.colours import paint_queue_mark
from gui.panels.queue.wording import interval_words, lane_name
from gui.theme import Texture, Theme
from model.systems.queue.facts import QueueFacts
from model.systems.queue.numbers import QueueNumbers

LINES = 2
#: Height of a line in lines of text, from a mark to its words, and between entries.
LINE, GAP, BETWEEN = 1.35, 6.0, 18.0
#: Width of a mark, and of a gradient, in lines of text.
_MARK, _GRADIENT = 1.0, 2.6


class Entry(NamedTuple):
    """A mark and its words; ``queue`` for the jobs of a virtual queue, else ``mark`` names it."""

    words: str
    mark: str = "queue"
    queue: int = -1


def entries(
    numbers: QueueNumbers, facts: QueueFacts, jobs: bool, stalls: bool, intervals: bool = True
) -> list[Entry]:
    """What the legend explains, where *jobs* are seen one by one or only how much is in use."""
    resources = [Entry(f"in each server: {', '.join(numbers.resource_names)}", "resources")]
    several = resources if numbers.resources > 1 else []
    stalled = [Entry("stalled", "lid")] if stalls else []
    if not jobs:
        return [Entry("share in use: none to all", "heat"), *several, *stalled]
    queues = facts.layout.queues
    if queues == 1:
        result = [Entry("size: small to large", "sizes")]
    else:
        result = [Entry(_queue_words(numbers, facts, queue, intervals), "queue", queue)
                  for queue in range(queues)]  # fmt: skip
    result += [*several, Entry("service so far", "gauge")]
    if facts.has_configurations:
        result.append(Entry("active configuration", "slot"))
    if facts.reserves:
        result.append(Entry("reserved, empty", "reserved"))
    return result + stalled


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

    def __init__(
        self, numbers: QueueNumbers, facts: QueueFacts, text: Symbols, theme: Theme
    ) -> None:
        self._numbers, self._facts = numbers, facts
        self._text, self._theme = text, theme
        self._known: dict[tuple[float, bool, bool], list[tuple[Entry, int, float]]] = {}

    @property
    def height(self) -> float:
        """The height that is kept for it."""
        return LINES * LINE * self._text.height

    def chosen(self, room: float, jobs: bool, stalls: bool) -> list[tuple[Entry, int, float]]:
        """Entries with line and x; without intervals where there is no room for those."""
        key = room, jobs, stalls
        if key not in self._known:
            self._known = {key: self._flowing(*key)}
        return self._known[key]

    def _flowing(self, room: float, jobs: bool, stalls: bool) -> list[tuple[Entry, int, float]]:
        result: list[tuple[Entry, int, float]] = []
        for intervals in (True, False):
            items = entries(self._numbers, self._facts, jobs, stalls, intervals)
            result = self._wrapped(items, room)
            if len(result) == len(items):
                break
        return result

    def _wrapped(self, items: list[Entry], room: float) -> list[tuple[Entry, int, float]]:
        """Line and x of each of the first *items*, as many as there are lines for."""
        result: list[tuple[Entry, int, float]] = []
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

    def _wide(self, item: Entry) -> float:
        wide = _GRADIENT if item.mark in {"heat", "sizes"} else _MARK
        return wide * self._text.height

    def _width(self, item: Entry) -> float:
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
            self._text.draw(painter, mark.right() + GAP, top + (height - side) / 2, item.words,
                            self._theme.normal)  # fmt: skip

    def _mark(self, painter: QPainter, item: Entry, rect: QRectF) -> None:
        theme = self._theme
        frame = rect.adjusted(0.5, 0.5, -0.5, -0.5)
        match item.mark:
            case "queue":
                queues = self._facts.layout.queues
                paint_queue_mark(painter, frame, theme, item.queue, queues)
            case "heat":
                _gradient(painter, frame, heat_color(theme, 0), heat_color(theme, 1))
            case "sizes":
                ends = (style_color(theme, style, 1) for style in (0, SHADES - 1))
                _gradient(painter, frame, *ends)
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
                painter.drawPolyline([frame.topLeft(), frame.bottomLeft(), frame.bottomRight(),
                                      frame.topRight()])  # fmt: skip
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
