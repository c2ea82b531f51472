"""The picture of all servers in the order of their numbers, at any zoom; lengths are whole device pixels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Hashable, NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter
from PySide6.QtWidgets import QWidget

from slotscope.gui.intents import Select
from slotscope.gui.kinds.reservation.servers_columns import settled_reject_group
from slotscope.gui.kinds.reservation.servers_legend import StackLegend, entries
from slotscope.gui.kinds.reservation.servers_shapes import TEXTURED, Boxes, GridServers, Shapes, shapes, slot_at
from slotscope.gui.kinds.reservation.servers_steps import EventLine, marks
from slotscope.gui.kinds.reservation.servers_words import pointed_words, selected, slot_of
from slotscope.gui.painting.textures import Pixels, RasterPalette, raster_palette, texture_scale, tile_brush
from slotscope.gui.pictures.cells import CellRaster, distinct
from slotscope.gui.pictures.layout import CellLayout, Integers, SectionGrid, SectionWishes, stacked
from slotscope.gui.pictures.marks import outline, paint_brackets, paint_reason
from slotscope.gui.pictures.picture import MARGIN, ZoomedPicture
from slotscope.gui.pictures.scene import CellScene
from slotscope.gui.theme import Theme
from slotscope.model.kinds.reservation.kind import ReservationFacts
from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.state import ReservationState
from slotscope.model.reporting.explain import grouped
from slotscope.model.reporting.frame import Frame

#: Width of a server as a share of its height.
ASPECT = 0.6
#: Maximum height of a cell when zoomed in, in pixels.
LARGEST = 420
#: Minimum height of a cell that shows its server's number, in lines of text.
LABELLED = 5


@dataclass(frozen=True)
class GridWishes(SectionWishes):
    """The sizes that the grid's layout depends on, in device pixels."""

    number: int = 0  #: width of the largest server number

    @property
    def captions(self) -> bool:
        """False: there is one section, which needs no caption."""
        return False


@dataclass(frozen=True)
class GridCell:
    """The cell of one server, including the gap and the label; in device pixels."""

    width: int
    height: int
    label: int = 0  #: the part of the height reserved for the server's number

    @property
    def gap(self) -> int:
        """Distance between neighbours in pixels; 0 in the smallest cells."""
        small = min(self.width, self.height)
        return 0 if small < 4 else max(1, min(8, small // 10))

    @property
    def server(self) -> tuple[int, int]:
        """Width and height of the server itself, at the top left of its cell."""
        return max(1, self.width - self.gap), max(1, self.height - self.gap - self.label)


@dataclass(frozen=True)
class GridLayout(CellLayout[GridWishes, SectionGrid[GridCell]]):
    """Servers row by row in cells of equal size."""

    @property
    def cell(self) -> GridCell:
        """The cell, the same for all servers."""
        return self.grids[0].cell

    @property
    def most_zoom(self) -> float:
        """The largest useful zoom factor."""
        return max(1.0, LARGEST / self.cell.height)

    def zoomed(self, zoom: float) -> GridLayout:
        cell = max(1, int(self.cell.width * zoom)), max(1, int(self.cell.height * zoom))
        return _in_cells(self.wishes, self.width, self.height, self.grids[0].columns, cell)


def fitting_grid(wishes: GridWishes, width: int, height: int) -> GridLayout:
    """The grid with the largest cells that shows all servers at once."""
    columns = np.arange(1, wishes.counts[0] + 1)
    rows = -(-wishes.counts[0] // columns)
    size = np.minimum((width // columns) / ASPECT, height // rows)
    best = int(columns[size.argmax()]) if size.max() > 0 else max(1, width)
    cell = width // best, height // -(-wishes.counts[0] // best)
    return _in_cells(wishes, width, height, best, (min(max(1, cell[0]), LARGEST), min(max(1, cell[1]), LARGEST)))


def _in_cells(wishes: GridWishes, width: int, height: int, columns: int, cell: tuple[int, int]) -> GridLayout:
    plain = GridCell(*cell)
    labelled = plain.width >= wishes.number + plain.gap and plain.height >= LABELLED * wishes.line
    shown = GridCell(*cell, label=wishes.line) if labelled else plain
    return GridLayout(wishes, width, height, stacked(wishes, [SectionGrid(wishes.counts[0], columns, shown)]))


LEGEND_LINES = 2
#: Minimum height of the servers in pixels beside a legend; if less remains, the legend is left out.
_BESIDE_LEGEND = 60.0
#: Maximum share of the height for a legend of all types; a longer one is cut to one line.
LEGEND_SHARE = 0.5
NEITHER = 2
#: Maximum number of pixels in the cache of sprites, which is cleared when it is exceeded.
MOST_REMEMBERED = 4_000_000
#: Maximum height in pixels that a QPainter can paint.
_TALLEST = 30_000


class GridRaster(CellRaster):
    """Draws servers into pixels; only visible servers that have changed are drawn again."""

    def __init__(self) -> None:
        super().__init__()
        self._look: Hashable = None
        self._known: dict[bytes, Pixels] = {}

    def draw(self, layout: GridLayout, servers: GridServers, theme: Theme, palette: RasterPalette) -> None:
        """Draw the servers that are visible in a layout."""
        cell, codes = layout.cell, servers.codes
        rows, columns = self.place(layout)
        size, look = (cell.width, cell.height), (cell, theme, palette.scale, servers.weight.tobytes())
        changed = self.begin(len(rows), len(columns), size, look, palette.background, codes)
        if not len(changed):
            return
        if look != self._look:
            self._look, self._known = look, {}
        first, like = distinct(codes[changed])
        found = self._sprites(servers.chosen(changed[first]), cell.server, palette)
        self.fill(found, changed, like, len(columns), size, (0, 0))

    def _sprites(self, servers: GridServers, size: tuple[int, int], palette: RasterPalette) -> Pixels:
        names = [code.tobytes() for code in servers.codes]
        if (len(self._known) + len(names)) * size[0] * size[1] > MOST_REMEMBERED:
            self._known = {}
        fresh = [place for place, name in enumerate(names) if name not in self._known]
        if fresh:
            made = sprites(servers.chosen(np.array(fresh)), size, palette)
            self._known.update(zip((names[place] for place in fresh), made, strict=True))
        return np.stack([self._known[name] for name in names])


def sprites(servers: GridServers, size: tuple[int, int], palette: RasterPalette) -> Pixels:
    """[S, H, W] the pixels of S servers of *size* (width, height)."""
    period = palette.vacant.shape[1]
    pitch = -(-size[1] // period) * period  # so that textures start at the same phase in each server
    at_once = max(1, _TALLEST // pitch)
    parts = [
        np.arange(start, min(start + at_once, len(servers.group))) for start in range(0, len(servers.group), at_once)
    ]
    return np.concatenate([_sheet(servers.chosen(part), size, pitch, palette) for part in parts])[:, : size[1]]


def _sheet(servers: GridServers, size: tuple[int, int], pitch: int, palette: RasterPalette) -> Pixels:
    pixels = np.full((len(servers.group), pitch, size[0]), palette.background, np.uint32)
    image = QImage(pixels.data, size[0], len(pixels) * pitch, 4 * size[0], QImage.Format.Format_RGB32)
    painter = QPainter(image)
    _paint(painter, shapes(servers, size, pitch, palette.scale), palette)
    painter.end()
    return pixels


def _paint(painter: QPainter, parts: Shapes, palette: RasterPalette) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    for group, colour in enumerate(palette.frame.tolist()):
        _fill(painter, parts.outer[parts.outer_group == group], _flat(colour))
    _fill(painter, parts.inner, _flat(palette.background))
    _paint_jobs(painter, parts, palette)
    _paint_vacant(painter, parts, palette)
    _fill(painter, parts.share, _flat(palette.share))
    _fill(painter, parts.mark, _flat(int(palette.frame[1])))


def _paint_jobs(painter: QPainter, parts: Shapes, palette: RasterPalette) -> None:
    size = (parts.filled[:, 2:] - parts.filled[:, :2]).min(axis=1)
    textured = size >= TEXTURED * palette.scale
    for job_type, colour in enumerate(palette.colour.tolist()):
        mine = parts.filled_type == job_type
        _fill(painter, parts.filled[mine & ~textured], _flat(colour))
        _fill(painter, parts.filled[mine & textured], tile_brush(palette.tile[job_type]))


def _paint_vacant(painter: QPainter, parts: Shapes, palette: RasterPalette) -> None:
    for job_type, colour in enumerate(palette.colour.tolist()):
        _fill(painter, parts.vacant[parts.vacant_type == job_type], _flat(colour))
    inside = parts.vacant + palette.scale * np.array([1, 1, -1, -1])
    for group, tile in enumerate(palette.vacant):
        _fill(painter, inside[parts.vacant_group == group], tile_brush(tile))


def _flat(colour: int) -> QBrush:
    return QBrush(QColor.fromRgb(colour))


def _fill(painter: QPainter, boxes: Boxes, brush: QBrush) -> None:
    if not len(boxes):
        return
    painter.setBrush(brush)
    sizes = boxes[:, 2:] - boxes[:, :2]
    rows = np.column_stack([boxes[:, :2], sizes]).tolist()
    painter.drawRects([QRect(*row) for row in rows])


class GridHit(NamedTuple):
    """The server under a point, and the job type and number of the slot if single slots are shown."""

    server: int
    slot: tuple[int, int] | None = None


@dataclass(frozen=True, eq=False)
class GridScene(CellScene[ReservationState, ReservationNumbers, ReservationFacts]):
    """Everything that painting and hit testing need for one moment."""

    layout: GridLayout

    def _content(self, _section: Any, index: Integers) -> GridServers:
        group = np.full(len(index), NEITHER)
        if self.facts.reserves_slots:
            group = settled_reject_group(self.frame)[index].astype(np.int64)
        weight = np.clip(self.numbers.largest_share, 1e-6, 1.0)
        slots, jobs = self.state.configuration[index], self.state.placement[index]
        return GridServers(slots.astype(np.int64), jobs.astype(np.int64), group, weight)

    def server_rect(self, server: int) -> QRectF | None:
        """The rectangle of a server without its label; None if it is not visible."""
        rect = self.rect((*self.layout.corner(0, server), *self.layout.cell.server))
        return rect if rect.intersects(self.stage) else None

    def _hit(self, _number: int, index: int, x: int, y: int) -> GridHit | None:
        left, top = self.layout.corner(0, index)
        size = self.layout.cell.server
        if x - left >= size[0] or y - top >= size[1]:
            return None
        shown = self._content(None, np.array([index]))
        return GridHit(index, slot_at(shown, size, x - left, y - top, self.layout.wishes.scale))


class GridView(ZoomedPicture):
    """Shows every server as a bar of slots, each as high as its share of the server."""

    least = 40.0
    _fitting = staticmethod(fitting_grid)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Server grid", parent)
        self._rasters = [GridRaster()]
        self.event_line = EventLine(self)
        self.event_line.changed.connect(self.update)

    def set_frame(self, frame: Frame) -> None:
        super().set_frame(frame)
        self.event_line.show_frame(frame)

    def _prepare(self, frame: Frame) -> None:
        names, facts = frame.info.numbers.type_names, frame.info.facts
        self._palette = raster_palette(self._theme, len(names), self._ratio)
        items = entries(names, facts.reserves_slots, facts.has_groups)
        kept = "type", "empty", "reject_group"
        shown = [item for item in items if item.mark in kept]
        self._legend = StackLegend(shown, self._text, self._theme, self._palette)
        servers = len(frame.state.placement)
        self._wishes = GridWishes(
            counts=(servers,),
            line=round(self._text.height * self._ratio),
            scale=texture_scale(self._ratio),
            number=math.ceil(self._text.width(grouped(servers)) * self._ratio),
        )

    # Layout.

    def _parts(self) -> tuple[QRectF, QRectF, QRectF]:
        """The rectangles of the event line, which is reserved even when empty, the servers, and the legend."""
        room = max(1.0, self.width() - 2 * MARGIN)
        event = QRectF(MARGIN, 4, room, 1.5 * self._text.height)
        legend = self._legend.height(room, self._legend_lines)
        bottom = self.height() - 4 - legend
        top = math.ceil(event.bottom() + 4)
        if bottom - 6 - top < _BESIDE_LEGEND:
            return event, QRectF(MARGIN, top, room, max(0.0, self.height() - 4 - top)), QRectF()
        return event, QRectF(MARGIN, top, room, bottom - 6 - top), QRectF(MARGIN, bottom, room, legend)

    @property
    def _legend_lines(self) -> int:
        whole = self._legend.height(self.width() - 2 * MARGIN, LEGEND_LINES)
        return LEGEND_LINES if whole <= LEGEND_SHARE * self.height() else 1

    def _made(self, frame: Frame, stage: QRectF) -> GridScene:
        scene = GridScene(frame, self._layout(stage, self._wishes), (None,), stage, self._theme, self._ratio)
        self._rasters[0].draw(scene.layout, scene.shown[0].content, self._theme, self._palette)
        return scene

    # Pointing.

    def _selected(self, frame: Frame, hit: GridHit, floating: bool) -> Select:
        return selected(frame, *hit, floating)

    def _words(self, frame: Frame, hit: GridHit) -> str:
        return pointed_words(frame, *hit)

    # Painting.

    def _paint_text(self, painter: QPainter, scene: GridScene) -> None:
        """Paint the numbers below servers that are large enough."""
        label = scene.layout.cell.label / self._ratio
        if not label:
            return
        painter.setPen(QColor(self._theme.muted))
        painter.setFont(self._text.upright)
        for server in scene.shown[0].index.tolist():
            words, box = grouped(server + 1), scene.rect((*scene.layout.corner(0, server), *scene.layout.cell.server))
            start = box.x() + (box.width() - self._text.width(words)) / 2
            painter.drawText(QPointF(start, box.bottom() + self._text.ascent), words)

    def _paint_marks(self, painter: QPainter, scene: GridScene) -> None:
        selection, theme = self._selection, self._theme
        where = slot_of(scene.state, selection.job) if selection.job is not None else None
        if where is not None and where[0] != selection.server:
            self._outline(painter, scene, where[0], theme.run)
        for mark in marks(scene.frame):
            box = None if mark.server is None else scene.server_rect(mark.server)
            if mark.server is not None and box is not None:
                self._outline(painter, scene, mark.server, theme.color(mark.role))
                paint_reason(painter, box, mark.reason, self._text, theme, theme.color(mark.role))
        chosen = None if selection.server is None else scene.server_rect(selection.server)
        if chosen is not None:
            paint_brackets(painter, chosen, theme)

    def _outline(self, painter: QPainter, scene: GridScene, server: int, color: str) -> None:
        rect = scene.server_rect(server)
        if rect is not None:
            outline(painter, rect.adjusted(-1, -1, 1, 1), color, self._theme.panel)

    def _paint_legend(self, painter: QPainter, _scene: GridScene, area: QRectF) -> None:
        self._legend.paint(painter, area, self._legend_lines)

    def _paint_words(self, painter: QPainter, area: QRectF) -> None:
        self.event_line.paint(painter, area, self._theme, self._palette, self._text)
