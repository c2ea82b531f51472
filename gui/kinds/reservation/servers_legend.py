"""The legend: how job types, empty slots and the marks of the picture look."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from slotscope.gui.kinds.reservation.servers_words import X_HAT
from slotscope.gui.painting.colour import letter_ink
from slotscope.gui.painting.kept import Kept
from slotscope.gui.painting.stack_text import Symbols, symbol
from slotscope.gui.painting.textures import RasterPalette
from slotscope.gui.pictures.legend import LINE, flow, paint_tile
from slotscope.gui.theme import Theme
from slotscope.model.reporting.letters import type_letter

GAP = 6.0
BETWEEN = 18.0


#: What the marks look like.
_MARKS = {"empty": "thin frame", "reject_group": "thick frame", "wanted": "line across", "missing": "dashed frame"}


class StackEntry(NamedTuple):
    """A mark and its words; ``job_type`` for a type, else ``mark`` names the mark."""

    words: str
    mark: str = "type"
    job_type: int = -1


def entries(type_names: tuple[str, ...], reserves_slots: bool, has_groups: bool) -> list[StackEntry]:
    """What the legend explains, the most important first."""
    types = [StackEntry(name, "type", j) for j, name in enumerate(type_names)]
    if not reserves_slots:
        return types
    slots = [*types, StackEntry("empty slot", "empty")]
    if not has_groups:
        return slots
    return [
        *slots,
        StackEntry("Reject Group", "reject_group"),
        StackEntry(f"{symbol(X_HAT)}: servers that GPA wants", "wanted"),
        StackEntry("still missing", "missing"),
    ]


class StackLegend:
    """Lays out and paints the legend for one scenario, theme and font."""

    def __init__(self, items: list[StackEntry], text: Symbols, theme: Theme) -> None:
        self._items, self._text, self._theme = items, text, theme
        self._side = text.height
        self._heights: dict[tuple[float, int], float] = {}  # asked for in every frame
        self._kept = Kept()

    def _width(self, entry: StackEntry) -> float:
        return self._side * (1.0 if entry.mark != "wanted" else 1.4) + GAP + self._text.width(entry.words)

    def height(self, room: float, most_lines: int) -> float:
        """Height that it takes in this width; in several lines all job types are shown."""
        known = self._heights.get((room, most_lines))
        if known is None:
            places = self._places(room, most_lines)
            lines = max((place[0] + 1 for place in places if place is not None), default=0)
            known = self._heights[room, most_lines] = lines * LINE * self._text.height
        return known

    def _places(self, room: float, most_lines: int) -> list[tuple[int, float] | None]:
        widths = [self._width(item) for item in self._items]
        places = flow(widths, room, BETWEEN)
        if most_lines < 2:
            whole = all(place is not None and place[0] < most_lines for place in places)
            more = 0.0 if whole else BETWEEN + self._text.width(_more(len(widths)))
            return flow(widths, room - more, BETWEEN, most_lines)
        types = max(
            (
                place[0] + 1
                for item, place in zip(self._items, places, strict=True)
                if place is not None and item.mark == "type"
            ),
            default=0,
        )
        return flow(widths, room, BETWEEN, max(types, most_lines))

    def paint(self, painter: QPainter, area: QRectF, most_lines: int, palette: RasterPalette) -> None:
        """Paint it into *area*, as it was painted before if it was."""
        box, ground, look = area.toAlignedRect(), QColor(self._theme.panel), (area.getRect(), most_lines)
        self._kept.paint(painter, box, ground, look, lambda own: self._paint(own, area, most_lines, palette))

    def _paint(self, painter: QPainter, area: QRectF, most_lines: int, palette: RasterPalette) -> None:
        height = LINE * self._text.height
        places = self._places(area.width(), most_lines)
        for item, place in zip(self._items, places, strict=True):
            if place is None:
                continue
            x, y = area.x() + place[1], area.y() + place[0] * height
            wide = self._side * (1.4 if item.mark == "wanted" else 1.0)
            mark = QRectF(x, y + (height - self._side) / 2, wide, self._side)
            self._mark(painter, item, mark.adjusted(0, 1, 0, -1), palette)
            self._text.draw(
                painter, x + wide + GAP, y + (height - self._text.height) / 2, item.words, self._theme.normal
            )
        hidden = places.count(None)
        if hidden and most_lines == 1:
            shown = len(places) - hidden
            x = area.x() + sum(self._width(item) + BETWEEN for item in self._items[:shown])
            if x + self._text.width(_more(hidden)) > area.right():
                return
            self._text.draw(painter, x, area.y() + (height - self._text.height) / 2, _more(hidden), self._theme.muted)

    @property
    def words(self) -> str:
        """All that it explains, in words."""
        return "\n".join(
            f"{type_letter(item.job_type) if item.mark == 'type' else _MARKS[item.mark]}: "
            f"{item.words.replace(f'{symbol(X_HAT)}', X_HAT)}"
            for item in self._items
        )

    def _mark(self, painter: QPainter, item: StackEntry, rect: QRectF, palette: RasterPalette) -> None:
        theme = self._theme
        painter.setBrush(Qt.BrushStyle.NoBrush)
        match item.mark:
            case "type":
                swatch(painter, rect, item.job_type, theme, palette, self._text)
            case "empty":
                painter.setPen(QPen(QColor(theme.muted), 1))
                painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5))
            case "reject_group":
                painter.setPen(QPen(QColor(theme.reject_group), 2))
                painter.drawRect(rect.adjusted(1, 3, -1, -3))
            case "wanted":
                painter.setPen(QPen(QColor(theme.greedy), 2))
                y = round(rect.center().y())
                painter.drawLine(QPointF(rect.left(), y), QPointF(rect.right(), y))
            case "missing":
                painter.setPen(dashed(theme))
                painter.drawRect(rect.adjusted(0.5, 3.5, -0.5, -3.5))


def _more(entries: int) -> str:
    return f"+ {entries}"


def dashed(theme: Theme) -> QPen:
    """The pen of what is still missing."""
    pen = QPen(QColor(theme.greedy), 1, Qt.PenStyle.CustomDashLine)
    pen.setDashPattern([4, 3])
    return pen


def swatch(painter: QPainter, rect: QRectF, job_type: int, theme: Theme, palette: RasterPalette, text: Symbols) -> None:
    """A filled slot of a type: colour, texture and letter."""
    style = theme.type_style(job_type)
    paint_tile(painter, rect, palette.tile[job_type])
    plate = QRectF(0, 0, text.width(style.letter) + 2, text.height * 0.86)
    plate.moveCenter(rect.center())
    painter.fillRect(plate, QColor(style.color))
    painter.setFont(text.upright)
    painter.setPen(QColor(letter_ink(style.color)))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, style.letter)
