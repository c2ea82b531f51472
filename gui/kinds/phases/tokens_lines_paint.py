"""Paints the lives of tokens as lines over time."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from slotscope.gui.kinds.phases.colours import phase_color
from slotscope.gui.kinds.phases.tokens_lines_layout import Heading, LinesLayout
from slotscope.gui.kinds.phases.tokens_lives import Life
from slotscope.gui.kinds.phases.tokens_marks import Marks
from slotscope.gui.painting.colour import mix
from slotscope.gui.plotting.scales import MINUS, format_number, step_up
from slotscope.gui.theme import current_fonts

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_CENTRE = Qt.AlignmentFlag.AlignCenter
_LINE = 3.0
_TICKS = 5  # at most about so many
_LONGEST_TICK = f"{MINUS}0.0000"
_STEPS = 500  # of the span: how exactly ages are told
_USED = 0.45  # how far the lines of used tokens fade into the ground


class LinesPainter:
    """Paints into the places of a :class:`LinesLayout`; *span* of time is between its ends."""

    def __init__(self, painter: QPainter, layout: LinesLayout, marks: Marks, span: float) -> None:
        self._painter, self._layout, self._marks = painter, layout, marks
        self._theme, self._span = marks.theme, span
        self._metrics = QFontMetricsF(painter.font())
        self._scale = current_fonts().scale

    def axis(self, lines: int) -> None:
        """The present as a line, and how long ago something was."""
        layout, painter, theme = self._layout, self._painter, self._theme
        bottom = lines * layout.row
        room = (layout.right - layout.left) / self._metrics.horizontalAdvance(_LONGEST_TICK)
        step = step_up(self._span / max(1.0, min(_TICKS, room)))
        apart = layout.x(0, self._span) - layout.x(step, self._span)
        beside = self._metrics.horizontalAdvance("now") / 2 + self._metrics.horizontalAdvance(" ")
        for number in range(int(self._span / step * (1 + 1e-9)) + 1):
            x = round(layout.x(number * step, self._span)) + 0.5
            painter.setPen(QPen(QColor(theme.grid if number else theme.run), 1.0))
            painter.drawLine(QLineF(x, layout.row, x, bottom))
            text = f"{MINUS}{format_number(number * step, step)}" if number else "now"
            half = self._metrics.horizontalAdvance(text) / 2 + 1
            if number and half + max(half, beside) > apart + 2:
                continue  # a token just made: so short a time has too long a number
            painter.setPen(QColor(theme.muted if number else theme.normal))
            painter.drawText(QRectF(x - half, bottom, 2 * half, layout.row), _CENTRE, text)

    def heading(self, heading: Heading, place: int) -> None:
        """What the lines below are; at the first one also what the marks mean."""
        box = self._layout.box(place).adjusted(self._layout.gap, 0, -self._layout.gap, 0)
        text = heading.text + (f" ({heading.hidden} not shown)" if heading.hidden else "")
        text = self._metrics.elidedText(text, Qt.TextElideMode.ElideRight, box.width())
        self._painter.setPen(QColor(self._theme.muted))
        self._painter.drawText(box, _LEFT, text)
        if place == 0:
            self._legend(box, box.left() + self._metrics.horizontalAdvance(text) + 2 * box.height())

    def _legend(self, box: QRectF, left: float) -> None:
        """Request, real job, virtual job; as many as there is room for, from the right."""
        painter, marks, x = self._painter, self._marks, box.right()
        for text, mark in (
            ("virtual job", marks.job(0, True)),
            ("job", marks.job(0, False)),
            ("request", marks.request(0)),
        ):
            width = self._metrics.horizontalAdvance(text)
            if x - width - marks.side < left:
                return
            painter.setPen(QColor(self._theme.muted))
            painter.drawText(QRectF(x - width, box.top(), width + 1, box.height()), _LEFT, text)
            marks.put(painter, mark, QPointF(x - width - 0.6 * marks.side, box.center().y()))
            x -= width + 1.6 * marks.side

    def life(self, life: Life, place: int, now: float, chosen: bool, fresh: bool) -> None:
        """One token: number, type and server, its line, and for how long it waited."""
        layout, painter, theme = self._layout, self._painter, self._theme
        box = layout.box(place)
        if chosen or fresh:
            ground = theme.selection if chosen else mix(theme.selection, theme.panel, 0.5)
            painter.fillRect(box.adjusted(2, 0, -2, 0), QColor(ground))
        self._name(life, box)
        self._line(life, box, now)
        painter.setPen(QColor(theme.normal if life.used is None else theme.muted))
        told = format_number(life.age(now), self._span / _STEPS)
        painter.drawText(QRectF(layout.right + layout.gap, box.top(), layout.age, box.height()), _RIGHT, told)

    def _name(self, life: Life, box: QRectF) -> None:
        layout, painter, theme = self._layout, self._painter, self._theme
        marks = self._marks
        middle = QPointF(layout.gap + marks.side / 2, box.center().y())
        marks.put(painter, marks.token(life.type, life.used is None), middle)
        painter.setPen(QColor(theme.normal))
        left = layout.gap + marks.side
        number = QRectF(left, box.top(), layout.gap + layout.name - left, box.height())
        painter.drawText(number, _RIGHT, format_number(life.token + 1))
        painter.setPen(QColor(theme.muted))
        place = QRectF(number.right() + layout.gap, box.top(), layout.server, box.height())
        painter.drawText(place, _LEFT, f"{'s' if layout.brief else 'server '}{life.server + 1}")

    def _line(self, life: Life, box: QRectF, now: float) -> None:
        layout, painter = self._layout, self._painter
        color = phase_color(self._theme, life.type)
        faded = color if life.used is None else mix(color, self._theme.panel, _USED)
        y = box.center().y()
        start = layout.x(now - life.made, self._span)
        end = layout.x(now - (now if life.used is None else life.used), self._span)
        painter.setPen(QPen(QColor(faded), _LINE * self._scale))
        painter.drawLine(QLineF(start, y, end, y))
        if now - life.made > self._span:
            self._earlier(QPointF(layout.left, y), color)
        else:
            self._marks.put(painter, self._marks.request(life.type), QPointF(start, y))
        if life.used is not None:
            job = self._marks.job(life.type, life.virtual)
            self._marks.put(painter, job, QPointF(end, y))

    def _earlier(self, tip: QPointF, color: str) -> None:
        """An arrow to the left: it began before."""
        size = 5 * self._scale
        self._painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(QColor(color))
        self._painter.drawPolygon(
            QPolygonF([tip - QPointF(size, 0), tip + QPointF(size, -size), tip + QPointF(size, size)])
        )
        self._painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
