"""The legend of the stacks and the grid: job types, empty slots, and marks."""

from __future__ import annotations

from typing import ClassVar, Mapping, NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from slotscope.gui.kinds.reservation.servers_words import X_HAT
from slotscope.gui.painting.colour import letter_ink
from slotscope.gui.painting.text import Symbols, symbol
from slotscope.gui.painting.textures import RasterPalette
from slotscope.gui.pictures.legend import LINE, LINES, PictureLegend, Placed, flow, paint_tile
from slotscope.gui.theme import Theme
from slotscope.model.reporting.letters import type_letter

#: How marks look, in words.
_MARKS = {"empty": "thin frame", "reject_group": "thick frame", "wanted": "line across", "missing": "dashed frame"}


class StackEntry(NamedTuple):
    """A mark and its text; ``job_type`` for a job type, else ``mark`` names the mark."""

    words: str
    mark: str = "type"
    job_type: int = -1


def entries(type_names: tuple[str, ...], reserves_slots: bool, has_groups: bool) -> list[StackEntry]:
    """The entries of the legend, the most important first."""
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


class StackLegend(PictureLegend):
    """Lays out and paints the legend for one scenario, theme and font."""

    sizes: ClassVar[Mapping[str, float]] = {"wanted": 1.4}

    def __init__(self, items: list[StackEntry], text: Symbols, theme: Theme, palette: RasterPalette) -> None:
        super().__init__(text, theme)
        self._items, self._palette = items, palette
        self._heights: dict[tuple[float, int], float] = {}  # cached, as it is needed in every frame

    def height(self, room: float, most_lines: int = LINES) -> float:
        """Height of the legend at a width of *room* pixels; with several lines, all job types are shown."""
        known = self._heights.get((room, most_lines))
        if known is None:
            lines = max((line + 1 for _, line, _ in self._flowing(room, most_lines)), default=0)
            known = self._heights[room, most_lines] = lines * LINE * self._text.height
        return known

    def _flowing(self, room: float, most_lines: int) -> list[Placed]:
        widths = [self._width(item) for item in self._items]
        places = flow(widths, room, self.between)
        if most_lines < 2:
            whole = all(place is not None and place[0] < most_lines for place in places)
            more = 0.0 if whole else self.between + self._text.width(_more(len(widths)))
            places = flow(widths, room - more, self.between, most_lines)
        else:
            pairs = zip(self._items, places, strict=True)
            types = max((place[0] + 1 for item, place in pairs if place and item.mark == "type"), default=0)
            places = flow(widths, room, self.between, max(types, most_lines))
        return [(item, *place) for item, place in zip(self._items, places, strict=True) if place is not None]

    def _paint(self, painter: QPainter, area: QRectF, most_lines: int) -> None:
        super()._paint(painter, area, most_lines)
        shown = [self._width(item) + self.between for item, *_ in self.placed(area.width(), most_lines)]
        hidden = len(self._items) - len(shown)
        x = area.x() + sum(shown)
        if hidden and most_lines == 1 and x + self._text.width(_more(hidden)) <= area.right():
            top = area.y() + (LINE - 1) * self._text.height / 2
            self._text.draw(painter, x, top, _more(hidden), self._theme.muted)

    @property
    def words(self) -> str:
        """The whole legend as text."""
        return "\n".join(
            f"{type_letter(item.job_type) if item.mark == 'type' else _MARKS[item.mark]}: "
            f"{item.words.replace(f'{symbol(X_HAT)}', X_HAT)}"
            for item in self._items
        )

    def _mark(self, painter: QPainter, item: StackEntry, rect: QRectF) -> None:
        theme = self._theme
        match item.mark:
            case "type":
                swatch(painter, rect, item.job_type, theme, self._palette, self._text)
            case "empty":
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
    """The pen for missing servers."""
    pen = QPen(QColor(theme.greedy), 1, Qt.PenStyle.CustomDashLine)
    pen.setDashPattern([4, 3])
    return pen


def swatch(painter: QPainter, rect: QRectF, job_type: int, theme: Theme, palette: RasterPalette, text: Symbols) -> None:
    """Paint a filled slot of a type: colour, texture and letter."""
    style = theme.type_style(job_type)
    paint_tile(painter, rect, palette.tile[job_type])
    plate = QRectF(0, 0, text.width(style.letter) + 2, text.height * 0.86)
    plate.moveCenter(rect.center())
    painter.fillRect(plate, QColor(style.color))
    painter.setFont(text.upright)
    painter.setPen(QColor(letter_ink(style.color)))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, style.letter)
