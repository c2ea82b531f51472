"""Painting the lanes of waiting jobs."""

from __future__ import annotations

from fractions import Fraction
from typing import Sequence

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen

from slotscope.gui.kinds.queue.colours import look_brush, look_color, paint_look
from slotscope.gui.kinds.queue.queues_layout import GAP, LanesLayout, length_share, length_ticks
from slotscope.gui.kinds.queue.queues_reading import Focus, JobCell, LaneName, QueueLane
from slotscope.gui.kinds.queue.wording import fraction_words, interval_words
from slotscope.gui.painting.colour import mix
from slotscope.gui.painting.text import LEFT, RIGHT
from slotscope.gui.painting.textures import device_ratio
from slotscope.gui.plotting.scales import format_number
from slotscope.gui.theme import Theme, current_fonts

_SERVERS = ("◂ to the servers, head of line first", "◂ to the servers", "◂ servers", "◂")
_BAR_SHARE = 0.5  # share of the panel's colour in a bar
_OUTLINE, _CLEARANCE = 2.0, 0.8
_STROKE = 3.5  # half the width of the strokes at a break, in pixels


def more_words(count: int, *, brief: bool = False) -> str:
    """The number of jobs that are not drawn, in words."""
    return f"+ {format_number(count)}{'' if brief else ' more'}"


class LanesPainter:
    """Paints with a :class:`LanesLayout`; a job of size *top*, as a share of a *whole*, is as high as a lane."""

    def __init__(
        self,
        painter: QPainter,
        theme: Theme,
        layout: LanesLayout,
        names: tuple[LaneName, ...],
        top: Fraction,
        whole: str,
    ) -> None:
        self._painter, self._theme, self._layout, self._names = painter, theme, layout, names
        self._top, self._float_top, self._whole = top, float(top), whole
        self._fonts = current_fonts()
        self._metrics = self._fonts.metrics
        self._ratio = device_ratio(painter)
        self._use(self._fonts.body)

    def _use(self, font: QFont) -> None:
        self._painter.setFont(font)

    # Above the lanes.

    def heading(self, longest: float, logarithmic: bool, switch: float) -> None:
        """Write on which side the servers are and what a lane's height means; draw the axis of lengths."""
        layout = self._layout
        scale = self._whole if self._top == 1 else f"{fraction_words(self._top)} of {self._whole}"
        texts = [f"{_SERVERS[0]}; lane height: {scale}", *_SERVERS]
        right = switch if layout.has_bars else layout.jobs_right
        left = layout.gate_left + GAP
        box = QRectF(left, 0, right - left - GAP, layout.header)
        self._painter.setPen(QColor(self._theme.muted))
        self._first_fitting(box, texts)
        if layout.has_bars:
            self._length_axis(longest, logarithmic)

    def total(self, waiting: int) -> None:
        layout, painter = self._layout, self._painter
        painter.setPen(QColor(self._theme.normal))
        left = layout.name_left + layout.text.line
        box = QRectF(left, 0, layout.number_right - left + 1, layout.header)
        painter.drawText(box, LEFT, "Q")
        self._use(self._fonts.heading)
        painter.drawText(box, RIGHT, format_number(waiting))
        self._use(self._fonts.body)

    def _first_fitting(self, box: QRectF, texts: Sequence[str]) -> None:
        measure = self._metrics.horizontalAdvance
        text = next((text for text in texts if measure(text) <= box.width()), "")
        self._painter.drawText(box, LEFT, text)

    def _length_axis(self, longest: float, logarithmic: bool) -> None:
        """Draw ticks at round lengths, with their numbers if these do not overlap."""
        layout, painter = self._layout, self._painter
        bottom = layout.lane(layout.lanes - 1).bottom()
        room = layout.bar_right - layout.bar_left
        ticks = length_ticks(longest, logarithmic)
        taken: list[tuple[float, float]] = []
        for value in sorted(ticks, key=lambda tick: tick not in (ticks[0], ticks[-1])):
            share = length_share(int(value), longest, logarithmic)
            x = round(layout.bar_left + share * room) - 0.5
            painter.setPen(QPen(QColor(self._theme.grid)))
            painter.drawLine(QLineF(x, layout.header - 3, x, bottom))
            text = format_number(value)
            half = self._metrics.horizontalAdvance(text) / 2
            left = min(max(x - half, layout.bar_left), layout.bar_right - 2 * half)
            if all(left - GAP > end or left + 2 * half + GAP < start for start, end in taken):
                taken.append((left, left + 2 * half))
                painter.setPen(QColor(self._theme.muted))
                painter.drawText(QRectF(left, 0, 2 * half + 2, layout.header), LEFT, text)

    # A lane.

    def lane(self, lane: QueueLane) -> None:
        """Draw a lane's mark, name, length and background."""
        layout, painter, theme = self._layout, self._painter, self._theme
        box = layout.lane(lane.queue)
        name = self._names[lane.queue]
        side = self._metrics.ascent()
        mark = QRectF(layout.name_left, box.center().y() - side / 2, side, side)
        paint_look(painter, mark, theme, name.look)
        left = layout.name_left + layout.text.line
        painter.setPen(QColor(theme.normal))
        painter.drawText(self._row(left, layout.interval_left, box), LEFT, name.text)
        if layout.has_intervals and name.interval is not None:
            painter.setPen(QColor(theme.muted))
            place = self._row(layout.interval_left, layout.number_right, box)
            painter.drawText(place, LEFT, interval_words(name.interval))
        painter.setPen(QColor(theme.normal if lane.length else theme.muted))
        self._use(self._fonts.heading)
        place = self._row(layout.name_left, layout.number_right, box)
        painter.drawText(place, RIGHT, format_number(lane.length))
        self._use(self._fonts.body)
        ground = box.adjusted(layout.jobs_left - GAP / 2 - box.left(), 0, 0, 0)
        painter.fillRect(ground, QColor(theme.raised))
        painter.setPen(QPen(QColor(theme.border)))
        painter.drawLine(QLineF(ground.topLeft(), ground.bottomLeft()))

    @staticmethod
    def _row(left: float, right: float, box: QRectF) -> QRectF:
        return QRectF(left, box.top(), right - left + 1, box.height())

    def jobs(self, lane: QueueLane, shown: int) -> None:
        """Draw the first *shown* jobs, then a break with the number of those behind."""
        layout, painter, theme = self._layout, self._painter, self._theme
        for place, job in enumerate(lane.first[:shown]):
            self._job(layout.job(lane.queue, place, job.share / self._float_top), job)
        left = lane.length - shown
        if left <= 0:
            return
        gap = layout.gap(lane.queue, shown)
        self._strokes(gap)
        offset = layout.words_after(lane.deep is not None)
        painter.setPen(QColor(theme.normal))
        painter.drawText(gap.adjusted(offset, 0, 0, 0), LEFT, more_words(left, brief=not layout.has_bars))

    def _job(self, box: QRectF, job: JobCell) -> None:
        self._painter.setBrushOrigin(QPointF(round(box.left()), round(box.bottom())))
        self._painter.fillRect(box, look_brush(self._theme, job.look, self._ratio))

    def _strokes(self, gap: QRectF) -> None:
        """Draw two slanted strokes, the sign of an axis break."""
        self._painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._painter.setPen(QPen(QColor(self._theme.muted), 1.3 * self._fonts.scale))
        reach = 0.6 * self._metrics.ascent()
        for place in (0.0, 1.0):
            x, y = gap.left() + (1 + place) * _STROKE * self._fonts.scale, gap.center().y()
            half = _STROKE * self._fonts.scale / 2
            self._painter.drawLine(QLineF(x - half, y + reach, x + half, y - reach))
        self._painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def bar(self, lane: QueueLane, share: float) -> None:
        """Draw the bar of the queue's length."""
        if self._layout.has_bars:
            look = look_color(self._theme, self._names[lane.queue].look)
            color = QColor(mix(look, self._theme.panel, _BAR_SHARE))
            self._painter.fillRect(self._layout.bar(lane.queue, share), color)

    # What the present step names.

    def marks(self, lane: QueueLane, shown: int, focus: Focus, hovered: int | None) -> None:
        """Outline the jobs that are considered, hovered or selected, or have just been placed."""
        layout = self._layout
        for place, job in enumerate(lane.first[:shown]):
            role = role_of(job, focus, hovered)
            if role:
                self._outline(layout.job(lane.queue, place, job.share / self._float_top), role)
        if lane.deep is not None and lane.length > shown:
            box = layout.deep(lane.queue, shown, lane.deep.share / self._float_top)
            self._job(box, lane.deep)
            self._outline(box, role_of(lane.deep, focus, hovered) or "focus")
        self._placed(lane)

    def _placed(self, lane: QueueLane) -> None:
        """Draw the jobs that have just been placed as outlines in the gate."""
        layout, painter = self._layout, self._painter
        fitting = lane.placed[: layout.gate_cells(len(lane.placed))]
        for place, job in enumerate(fitting):
            box = layout.placed(lane.queue, place, job.share / self._float_top)
            self._outline(box, "run" if place == 0 else "muted")
        if len(fitting) < len(lane.placed):
            painter.setPen(QColor(self._theme.muted))
            row = layout.lane(lane.queue)
            right = layout.placed(lane.queue, len(fitting) - 1, 0.0).left() - 2
            box = self._row(layout.gate_left - GAP, right, row)
            painter.drawText(box, RIGHT, f"+{len(lane.placed) - len(fitting)}")

    def _outline(self, box: QRectF, role: str) -> None:
        width = _OUTLINE * self._fonts.scale
        pen = QPen(QColor(self._theme.color(role)), width)
        pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
        self._painter.setPen(pen)
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        # With a little clearance, without which the outline of a dark job would be invisible.
        edge = width / 2 + _CLEARANCE
        self._painter.drawRect(box.adjusted(-edge, -edge, edge, edge))


def role_of(job: JobCell, focus: Focus, hovered: int | None) -> str:
    """The colour role of the outline around a job; empty for none."""
    if job.number == focus.evicted:
        return "rejection"
    if job.number in (focus.looked_at, focus.arrived):
        return "run"
    return "focus" if job.number in (hovered, focus.selected) else ""
