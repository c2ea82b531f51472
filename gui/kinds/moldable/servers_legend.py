"""The legend of the servers: the widths, and the meanings of the marks."""

from __future__ import annotations

from typing import ClassVar, Mapping, NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from slotscope.gui.kinds.moldable.colours import paint_width_mark, width_color
from slotscope.gui.kinds.moldable.servers_content import sections_of
from slotscope.gui.kinds.moldable.servers_layout import MoldableCell
from slotscope.gui.kinds.moldable.servers_raster import STEPS, empty_color, free_color, idle_tile, step_color
from slotscope.gui.painting.text import Symbols
from slotscope.gui.painting.textures import texture_scale, tile_brush
from slotscope.gui.pictures.legend import GRADIENT, PictureLegend, paint_gradient
from slotscope.gui.theme import Theme
from slotscope.model.reporting.frame import RunInfo
from slotscope.model.reporting.letters import own_letters

#: Most widths that are listed.
MOST_WIDTHS = 10


class MoldableEntry(NamedTuple):
    """A mark and its words; ``width`` is set for the jobs of a width, else ``mark`` names the mark."""

    words: str
    mark: str = "width"
    width: int = 0


def listed_widths(info: RunInfo) -> list[int]:
    """All widths, or if there are many, those that jobs request."""
    degree = info.numbers.degree
    if degree <= MOST_WIDTHS:
        return list(range(1, degree + 1))
    asked: list[int] = np.unique(info.facts.rules.width).tolist()
    return asked[:MOST_WIDTHS]


def width_entries(info: RunInfo) -> list[MoldableEntry]:
    """The entries that explain the look of each width."""
    widths = listed_widths(info)
    found = [MoldableEntry(str(width), "width", width) for width in widths]
    found[0] = found[0]._replace(words=f"on {found[0].words}")
    found[-1] = found[-1]._replace(words=f"{found[-1].words} {'server' if widths[-1] == 1 else 'servers'}")
    return found


def entries(info: RunInfo, cell: MoldableCell, full: bool = True) -> list[MoldableEntry]:
    """The legend's entries for cells that look like *cell*, in long or short wording."""
    found = width_entries(info)
    first, last = found[0].width, found[-1].width
    if cell.fills:
        found.append(MoldableEntry("fills as it executes" if full else "executed", "filling", last))
    else:
        found.append(MoldableEntry("stronger as it executes" if full else "executed", "growing", last))
    found.append(MoldableEntry("free", "free" if cell.border else "small"))
    if sections_of(info.facts, info.numbers.servers)[-1].pool < 0:
        found.append(MoldableEntry("in no pool", "idle"))
    if cell.fills and info.facts.asks:
        found.append(MoldableEntry("got fewer than it asked for" if full else "got fewer", "partial", first))
    if cell.written and info.numbers.classes > 1:
        names = info.numbers.class_names
        both = zip(own_letters(names, 0), names, strict=True)
        found += [MoldableEntry(f"{letter} {name}", "letter") for letter, name in both]
    return found


class MoldableLegend(PictureLegend):
    """Lays out and paints the legend for one run, theme and font."""

    gap, between, inset = 5.0, 16.0, (0.5, 1.5)
    sizes: ClassVar[Mapping[str, float]] = {"growing": GRADIENT}

    def __init__(self, info: RunInfo, text: Symbols, theme: Theme, ratio: float) -> None:
        super().__init__(text, theme)
        self._info, self._ratio = info, ratio

    def _entries(self, cell: MoldableCell, full: bool) -> list[MoldableEntry]:
        return entries(self._info, cell, full)

    def _jobs(self) -> list[list[MoldableEntry]]:
        return [width_entries(self._info)]

    def _wide(self, item: MoldableEntry) -> float:
        return 0.0 if item.mark == "letter" else super()._wide(item)

    def paint(self, painter: QPainter, area: QRectF, cell: MoldableCell) -> None:
        """Paint the legend into *area*, for cells that look like *cell*."""
        self._cell = cell
        super().paint(painter, area, cell)

    def _mark(self, painter: QPainter, item: MoldableEntry, rect: QRectF) -> None:
        theme, cell = self._theme, self._cell
        match item.mark:
            case "width":
                if cell.textured or cell.written:
                    paint_width_mark(painter, rect, theme, item.width)
                else:
                    painter.fillRect(rect, QColor(width_color(theme, item.width)))
            case "filling" | "partial":
                self._block(painter, rect, item.width)
                if item.mark == "partial":
                    self._corner(painter, rect)
            case "growing":
                ends = (step_color(theme, item.width, step) for step in (0, STEPS - 1))
                paint_gradient(painter, rect, *ends)
            case "small":
                painter.fillRect(rect, QColor(free_color(theme)))
            case "free":
                painter.setPen(QPen(QColor(theme.empty), 1))
                painter.drawRect(rect)
            case "idle":
                tile = idle_tile(theme, texture_scale(self._ratio))
                painter.setPen(QPen(QColor(theme.reserved), 1))
                painter.fillRect(rect, tile_brush(tile))
                painter.drawRect(rect)

    def _block(self, painter: QPainter, rect: QRectF, width: int) -> None:
        """Paint a job that is half executed."""
        theme = self._theme
        painter.fillRect(rect, QColor(empty_color(theme, width)))
        half = rect.adjusted(0, rect.height() / 2, 0, 0)
        painter.fillRect(half, QColor(width_color(theme, width)))
        painter.setPen(QPen(QColor(width_color(theme, width)), 1))
        painter.drawRect(rect)

    def _corner(self, painter: QPainter, rect: QRectF) -> None:
        side = 0.55 * rect.width()
        corner = [rect.topRight(), rect.topRight() - QPointF(side, 0), rect.topRight() + QPointF(0, side)]
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._theme.run))
        painter.drawPolygon(QPolygonF(corner))
