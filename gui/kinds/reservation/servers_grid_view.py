"""The picture of all servers in order of their number."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from slotscope.gui.intents import Select
from slotscope.gui.kinds.reservation.servers_columns import settled_reject_group
from slotscope.gui.kinds.reservation.servers_event import EventLine
from slotscope.gui.kinds.reservation.servers_grid_layout import GridLayout, fitting_grid, most_zoom, zoomed_grid
from slotscope.gui.kinds.reservation.servers_legend import StackLegend, entries
from slotscope.gui.kinds.reservation.servers_painted import PaintedServers
from slotscope.gui.kinds.reservation.servers_raster_view import ServerView
from slotscope.gui.kinds.reservation.servers_steps import marks
from slotscope.gui.kinds.reservation.servers_words import pointed_words, selected, slot_of
from slotscope.gui.painting.brackets import paint_brackets
from slotscope.gui.painting.stack_text import Symbols
from slotscope.gui.painting.textures import raster_palette
from slotscope.gui.pictures.marks import outline, paint_reason
from slotscope.gui.pictures.pointed import Anchor, PointedPicture
from slotscope.gui.theme import Theme
from slotscope.model.reporting.explain import grouped
from slotscope.model.reporting.frame import Frame

MARGIN = 10
LEAST = 60
LEGEND_LINES = 2
#: Of the height, what a legend of all types may take; else it names the first.
LEGEND_SHARE = 0.5
ACCEPT, REJECT, NEITHER = 0, 1, 2


class GridView(PointedPicture):
    """Shows every server as a bar of slots, to the scale of what they take of a server."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._frame: Frame | None = None
        self._selection = Select()
        self._layout: GridLayout | None = None
        self._zoom = 1.0
        self._offset = (0, 0)
        self._seen = np.zeros(0, np.int64)
        self._rects_key: GridLayout | None = None
        self._rects = np.zeros((0, 4), np.int32)
        self._numbers: list[tuple[QPointF, str]] = []
        self.view = ServerView(theme, 0, self)
        self.view.setAccessibleName("Servers in order of their number")
        self.view.set_overlay(self._paint_over)
        self.event_line = EventLine(self)
        self.event_line.changed.connect(self.update)
        self._become("Server grid", self.view)
        self._restyle()

    @property
    def grid(self) -> GridLayout | None:
        """Where the servers are; None where there is no room for them."""
        return self._layout

    # What is shown.

    def set_theme(self, theme: Theme) -> None:
        """Draw everything again in other colours."""
        self._theme = theme
        self._restyle()
        self.view.set_theme(theme)
        self._arrange()

    def set_selection(self, selection: Select) -> None:
        """Outline a server or a job."""
        self._selection = selection
        self.view.update()

    def set_frame(self, frame: Frame) -> None:
        """Show a moment."""
        before, self._frame = self._frame, frame
        if before is None or before.info is not frame.info:
            self._zoom, self._offset = 1.0, (0, 0)
            self.view.set_job_types(frame.info.numbers.types)
            self._restyle()
            self._arrange()
        self.event_line.show_frame(frame)
        self._show()
        if not frame.running or (before is not None and not before.running):
            self.update()
            self.view.update()
            self.setAccessibleDescription(self.event_line.words)

    def _restyle(self) -> None:
        self._text = Symbols(self.font())
        self._ratio = self.devicePixelRatioF()
        info = self._frame.info if self._frame is not None else None
        names = info.numbers.type_names if info is not None else ()
        self._palette = raster_palette(self._theme, len(names), self._ratio)
        slots = info is not None and info.facts.reserves_slots
        items = entries(names, slots, info is not None and info.facts.has_groups)
        kept = "type", "empty", "reject_group"
        self._legend = StackLegend([item for item in items if item.mark in kept], self._text, self._theme)

    # Layout.

    def _parts(self) -> tuple[QRectF, QRectF, QRectF]:
        """The event line, the servers and the legend."""
        room = max(1.0, self.width() - 2.0 * MARGIN)
        event = QRectF(MARGIN, 4, room, 1.5 * self._text.height)
        legend = self._legend.height(room, self._legend_lines)
        bottom = self.height() - 4 - legend
        top = event.bottom() + 4
        return (event, QRectF(MARGIN, top, room, max(0.0, bottom - 6 - top)), QRectF(MARGIN, bottom, room, legend))

    @property
    def _legend_lines(self) -> int:
        whole = self._legend.height(self.width() - 2.0 * MARGIN, LEGEND_LINES)
        return LEGEND_LINES if whole <= LEGEND_SHARE * self.height() else 1

    def _arrange(self) -> None:
        _, stage, _ = self._parts()
        enough = stage.height() >= LEAST and stage.width() >= LEAST
        self.view.setVisible(enough)
        self.view.setGeometry(stage.toRect())
        self._layout = None
        self.update()
        if enough and self._frame is not None:
            self._look(*self._offset)

    def _look(self, x: int, y: int) -> None:
        frame = self._frame
        assert frame is not None
        fit = fitting_grid(len(frame.state.placement), *self.view.device_size())
        layout = zoomed_grid(fit, self._zoom).seen_from(x, y)
        self._layout = self._labelled(layout)
        self._offset = layout.offset
        self._show()

    def _labelled(self, layout: GridLayout) -> GridLayout:
        """Room for the numbers of servers, where they are large enough."""
        widest = self._text.width(grouped(layout.servers)) * self._ratio
        label = round(self._text.height * self._ratio)
        if layout.cell[0] < widest + layout.gap or layout.cell[1] < 5 * label:
            return layout
        return GridLayout(
            layout.servers, layout.width, layout.height, layout.columns, layout.cell, label, layout.offset
        )

    def _show(self) -> None:
        frame, layout = self._frame, self._layout
        if frame is None or layout is None:
            return
        if layout != self._rects_key:
            self._rects_key = layout
            self._seen = layout.visible()
            self._rects = layout.rects(self._seen)
            self._numbers = self._placed_numbers(layout.label) if layout.label else []
        group = np.full(len(self._seen), NEITHER, np.uint8)
        if frame.info.facts.reserves_slots:
            group = settled_reject_group(frame)[self._seen].astype(np.uint8)
        self.view.set_servers(
            PaintedServers(
                rects=self._rects,
                configuration=frame.state.configuration[self._seen],
                placement=frame.state.placement[self._seen],
                group=group,
                weight=np.clip(frame.info.numbers.largest_share, 1e-6, 1.0),
            )
        )

    # Zooming.

    def zoom(self, factor: float, position: QPointF) -> None:
        """Zoom around a point of the picture."""
        if self._layout is None or self._frame is None:
            return
        fit = fitting_grid(len(self._frame.state.placement), *self.view.device_size())
        old = self._layout
        self._zoom = min(max(1.0, self._zoom * factor), most_zoom(fit))
        new = zoomed_grid(fit, self._zoom)
        x, y = position.x() * self._ratio, position.y() * self._ratio
        self._look(
            round((x + old.offset[0]) * new.cell[0] / old.cell[0] - x),
            round((y + old.offset[1]) * new.cell[1] / old.cell[1] - y),
        )

    def reset_zoom(self) -> None:
        """Show everything again."""
        self._zoom = 1.0
        if self._layout is not None:
            self._look(0, 0)

    def _drag(self, by: QPointF) -> None:
        if self._layout is not None:
            x, y = self._offset
            self._look(round(x - by.x() * self._ratio), round(y - by.y() * self._ratio))

    # Pointing.

    def server_at(self, position: QPointF) -> tuple[int, tuple[int, int] | None] | None:
        """The server at a point of the picture, and the job type and slot there."""
        hit = self.view.hit(position)
        if hit is None or self._layout is None:
            return None
        slot = None
        if hit.job_type is not None and hit.slot is not None:
            slot = hit.job_type, hit.slot
        return int(self._seen[hit.server]), slot

    def _choose(self, position: QPointF, floating: bool) -> bool:
        found = self.server_at(position)
        if found is None or self._frame is None:
            return False
        self.chosen.emit(selected(self._frame, *found, floating))
        return True

    def anchor_at(self, position: QPointF) -> Anchor | None:
        """The server at a point."""
        found = self.server_at(position - self.view.pos())
        return None if found is None else (0, found[0])

    def anchor_box(self, anchor: Anchor) -> QRectF | None:
        """Where a server is."""
        box = self.rect_of(anchor[1])
        return None if box is None else box.translated(self.view.pos())

    def words_at(self, position: QPointF) -> str:
        """What hovering at a point says."""
        found = self.server_at(position)
        if found is None or self._frame is None:
            return ""
        return pointed_words(self._frame, *found)

    # Painting.

    def rect_of(self, server: int) -> QRectF | None:
        """A server in the picture's coordinates, where it can be seen."""
        place = int(np.searchsorted(self._seen, server))
        if self._layout is None or place >= len(self._seen) or self._seen[place] != server:
            return None
        return self.view.to_widget(*self._rects[place].tolist())

    def _paint_over(self, painter: QPainter) -> None:
        if self._frame is None or self._layout is None:
            return
        self._paint_numbers(painter)
        selection, state = self._selection, self._frame.state
        where = slot_of(state, selection.job) if selection.job is not None else None
        if where is not None and where[0] != selection.server:
            self._outline(painter, where[0], self._theme.run)
        for mark in marks(self._frame):
            if mark.server is not None:
                self._outline(painter, mark.server, self._theme.color(mark.role))
                if (box := self.rect_of(mark.server)) is not None:
                    color = self._theme.color(mark.role)
                    paint_reason(painter, box, mark.reason, self._text, self._theme, color)
        chosen = None if selection.server is None else self.rect_of(selection.server)
        if chosen is not None:
            paint_brackets(painter, chosen, self._theme)

    def _outline(self, painter: QPainter, server: int, color: str) -> None:
        rect = self.rect_of(server)
        if rect is not None:
            outline(painter, rect.adjusted(-1, -1, 1, 1), color, self._theme.panel)

    def _placed_numbers(self, label: int) -> list[tuple[QPointF, str]]:
        """Where the numbers below the servers go; found once, because many are painted."""
        result = []
        for server, rect in zip(self._seen.tolist(), self._rects.tolist(), strict=True):
            words = grouped(server + 1)
            area = self.view.to_widget(rect[0], rect[1] + rect[3], rect[2], label)
            start = area.x() + (area.width() - self._text.width(words)) / 2
            result.append((QPointF(start, area.y() + self._text.ascent), words))
        return result

    def _paint_numbers(self, painter: QPainter) -> None:
        painter.setPen(QColor(self._theme.muted))
        painter.setFont(self._text.upright)
        for place, words in self._numbers:
            painter.drawText(place, words)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), QColor(self._theme.panel))
        if self._frame is not None:
            line, _, legend = self._parts()
            if self._layout is None:
                self._paint_too_small(painter)
            else:
                self.event_line.paint(painter, line, self._theme, self._palette, self._text)
                self._legend.paint(painter, legend, self._legend_lines, self._palette)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        kinds = QEvent.Type.FontChange, QEvent.Type.DevicePixelRatioChange
        if event.type() in kinds and hasattr(self, "_text"):
            self._restyle()
            self._arrange()
