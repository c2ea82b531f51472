"""The legend below a picture: marks with words, in a few lines."""

from __future__ import annotations

from typing import Any, Callable, ClassVar, Mapping, Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPen

from slotscope.gui.painting.kept import Kept
from slotscope.gui.painting.text import Symbols
from slotscope.gui.painting.textures import Pixels, device_ratio, tile_brush
from slotscope.gui.theme import Theme

#: Lines of a legend: the usual number, and the most if it explains the looks of jobs; a line's height in lines of text.
LINES, MOST_LINES, LINE = 2, 4, 1.35
#: Widths of a mark and of a gradient, in lines of text.
MARK, GRADIENT = 1.0, 2.6

#: An entry, the number of its line, and its x.
Placed = tuple[Any, int, float]


def flow(
    widths: Sequence[float], room: float, between: float, most_lines: int = 1000
) -> list[tuple[int, float] | None]:
    """Line and x of each entry, wrapped into *room*; None for those beyond *most_lines*."""
    result: list[tuple[int, float] | None] = []
    line, x = 0, 0.0
    for width in widths:
        if x and x + width > room:
            line, x = line + 1, 0.0
        result.append((line, x) if line < most_lines else None)
        x += width + between
    return result


class PictureLegend:
    """Lays out and paints the legend of one run; subclasses define its entries and their marks.

    An entry has ``words``, and ``mark``, the name of its mark.
    """

    #: Pixels between a mark and its words, and between entries.
    gap: ClassVar[float] = 6.0
    between: ClassVar[float] = 18.0
    #: Widths of marks wider or narrower than :data:`MARK`, in lines of text.
    sizes: ClassVar[Mapping[str, float]] = {"heat": GRADIENT}
    #: Margins around a mark: left and right, above and below.
    inset: ClassVar[tuple[float, float]] = (0.0, 1.0)

    #: The entries for given looks of the cells; the last argument chooses the long or the short wording.
    _entries: Callable[..., Sequence[Any]]
    _mark: Callable[[QPainter, Any, QRectF], None]

    def __init__(self, text: Symbols, theme: Theme) -> None:
        self._text, self._theme = text, theme
        self._known: dict[tuple[Any, ...], list[Placed]] = {}
        self._kept: dict[float, int] = {}
        self._parts = Kept()

    def _jobs(self) -> Sequence[Sequence[Any]]:
        """Lists of the entries, in short, that explain the looks of jobs; nothing else in the picture does.

        In a comparison there is one list per policy, and the legend keeps room for the largest of them.
        """
        return ()

    def height(self, room: float) -> float:
        """The height kept for the legend at this width."""
        return self._lines(room) * LINE * self._text.height

    def _lines(self, room: float) -> int:
        if room not in self._kept:
            flows = [flow([*map(self._width, items)], room, self.between, MOST_LINES) for items in self._jobs()]
            last = max((place[0] for places in flows for place in places if place is not None), default=0)
            self._kept = {room: max(LINES, last + 1)}
        return self._kept[room]

    def placed(self, room: float, *looks: Any) -> list[Placed]:
        """Entries with line and x: all in the long wording, else all in the short one, else as many of these as fit."""
        key = room, *looks
        if key not in self._known:
            self._known = {key: self._flowing(*key)}
        return self._known[key]

    def _flowing(self, room: float, *looks: Any) -> list[Placed]:
        result: list[Placed] = []
        for full in (True, False):
            items = [item for item in self._entries(*looks, full) if full or self._width(item) <= room]
            widths = list(map(self._width, items))
            places = flow(widths, room, self.between, self._lines(room))
            result = [(item, *place) for item, place in zip(items, places, strict=True) if place is not None]
            if len(result) == len(items) and max(widths, default=0.0) <= room:
                break
        return result

    def _width(self, item: Any) -> float:
        """Width of an entry."""
        return self._wide(item) + self._text.width(item.words)

    def _wide(self, item: Any) -> float:
        """Width of a mark and the gap to its words."""
        return self.sizes.get(item.mark, MARK) * self._text.height + self.gap

    def paint(self, painter: QPainter, area: QRectF, *looks: Any) -> None:
        """Paint the legend into *area*, from a cached pixmap unless its contents have changed."""
        box, ground = area.toAlignedRect(), QColor(self._theme.panel)
        self._parts.paint(painter, box, ground, (area.getRect(), looks), lambda own: self._paint(own, area, *looks))

    def _paint(self, painter: QPainter, area: QRectF, *looks: Any) -> None:
        height, side, (aside, above) = LINE * self._text.height, self._text.height, self.inset
        for item, line, x in self.placed(area.width(), *looks):
            left, top = area.x() + x, area.y() + line * height + (height - side) / 2
            wide = self._wide(item)
            if wide:
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(QColor(self._theme.muted), 1))
                mark = QRectF(left, top, wide - self.gap, side)
                self._mark(painter, item, mark.adjusted(aside, above, -aside, -above))
            self._text.draw(painter, left + wide, top, item.words, self._theme.normal)


def paint_gradient(painter: QPainter, rect: QRectF, start: str, end: str) -> None:
    """Fill with a gradient from one colour at the left to another at the right."""
    gradient = QLinearGradient(rect.topLeft(), rect.topRight())
    gradient.setColorAt(0, QColor(start))
    gradient.setColorAt(1, QColor(end))
    painter.fillRect(rect, gradient)


def paint_pair(painter: QPainter, rect: QRectF) -> None:
    """Draw two frames side by side, for the resources of a server."""
    half = rect.width() / 2 - 1
    painter.drawRect(rect.adjusted(0, 0, -half, 0))
    painter.drawRect(rect.adjusted(half, 0, 0, 0))


def paint_tile(painter: QPainter, rect: QRectF, tile: Pixels) -> None:
    """Fill with a texture, in device pixels."""
    painter.fillRect(rect, tile_brush(tile, device_ratio(painter)))


def paint_line(painter: QPainter, rect: QRectF, color: str) -> None:
    """Draw a thick line across the middle."""
    middle = rect.center().y()
    painter.setPen(QPen(QColor(color), 2))
    painter.drawLine(QPointF(rect.x(), middle), QPointF(rect.right(), middle))
