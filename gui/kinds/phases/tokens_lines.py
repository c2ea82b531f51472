"""The lives of tokens as lines over time, from the request to the real or virtual job."""

from __future__ import annotations

import math
from dataclasses import replace

from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPen, QPolygonF, QResizeEvent

from slotscope.gui.kinds.phases.colours import phase_color
from slotscope.gui.kinds.phases.tokens_lines_layout import (
    Heading,
    Life,
    Line,
    LinesLayout,
    arranged,
    covering_span,
    used_lately,
    waiting,
)
from slotscope.gui.kinds.phases.tokens_marks import Marks
from slotscope.gui.kinds.phases.tokens_words import life_words
from slotscope.gui.painting.colour import mix
from slotscope.gui.painting.text import CENTRE, LEFT, RIGHT
from slotscope.gui.plotting.scales import MINUS, format_number, step_up
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.chart import Chart
from slotscope.model.reporting.frame import Frame
from slotscope.model.reporting.letters import own_letters

_LINE = 3.0
_TICKS = 5  # approximate largest number of ticks
_LONGEST_TICK = f"{MINUS}0.0000"
_STEPS = 500  # fraction of the span to which ages are rounded
_USED = 0.45  # share of the background in the lines of used tokens


class LinesPainter:
    """Paints in the positions of a :class:`LinesLayout`, whose width covers *span* of time."""

    def __init__(self, painter: QPainter, layout: LinesLayout, marks: Marks, span: float) -> None:
        self._painter, self._layout, self._marks = painter, layout, marks
        self._theme, self._span = marks.theme, span
        self._metrics = QFontMetricsF(painter.font())
        self._scale = current_fonts().scale

    def axis(self, lines: int) -> None:
        """Paint the line of the present, and a time axis backwards from it."""
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
                continue  # just after a token was made: the number would be too long
            painter.setPen(QColor(theme.muted if number else theme.normal))
            painter.drawText(QRectF(x - half, bottom, 2 * half, layout.row), CENTRE, text)

    def heading(self, heading: Heading, place: int) -> None:
        """Write the heading of the lines below; with the first one also the legend."""
        box = self._layout.box(place).adjusted(self._layout.gap, 0, -self._layout.gap, 0)
        texts = heading.texts
        fitting = (text for text in texts if self._metrics.horizontalAdvance(text) <= box.width())
        text = next(fitting, self._metrics.elidedText(texts[-1], Qt.TextElideMode.ElideRight, box.width()))
        self._painter.setPen(QColor(self._theme.muted))
        self._painter.drawText(box, LEFT, text)
        if place == 0:
            self._legend(box, box.left() + self._metrics.horizontalAdvance(text) + 2 * box.height())

    def _legend(self, box: QRectF, left: float) -> None:
        """Explain request, real job and virtual job, as many as fit, from the right."""
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
            painter.drawText(QRectF(x - width, box.top(), width + 1, box.height()), LEFT, text)
            marks.put(painter, mark, QPointF(x - width - 0.6 * marks.side, box.center().y()))
            x -= width + 1.6 * marks.side

    def life(self, life: Life, place: int, now: float, chosen: bool, fresh: bool) -> None:
        """Paint one token: number, type and server, its line, and its waiting time."""
        layout, painter, theme = self._layout, self._painter, self._theme
        box = layout.box(place)
        if chosen or fresh:
            ground = theme.selection if chosen else mix(theme.selection, theme.panel, 0.5)
            painter.fillRect(box.adjusted(2, 0, -2, 0), QColor(ground))
        self._name(life, box)
        self._line(life, box, now)
        painter.setPen(QColor(theme.normal if life.used is None else theme.muted))
        told = format_number(life.age(now), self._span / _STEPS)
        painter.drawText(QRectF(layout.right + layout.gap, box.top(), layout.age, box.height()), RIGHT, told)

    def _name(self, life: Life, box: QRectF) -> None:
        layout, painter, theme = self._layout, self._painter, self._theme
        marks = self._marks
        middle = QPointF(layout.gap + marks.side / 2, box.center().y())
        marks.put(painter, marks.token(life.type, life.used is None), middle)
        painter.setPen(QColor(theme.normal))
        left = layout.gap + marks.side
        number = QRectF(left, box.top(), layout.gap + layout.name - left, box.height())
        painter.drawText(number, RIGHT, format_number(life.token + 1))
        if layout.server:
            painter.setPen(QColor(theme.muted))
            place = QRectF(number.right() + layout.gap, box.top(), layout.server, box.height())
            painter.drawText(place, LEFT, f"{'s' if layout.brief else 'server '}{life.server + 1}")

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
        """Paint an arrow to the left: the line began before the visible span."""
        size = 5 * self._scale
        self._painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(QColor(color))
        self._painter.drawPolygon(
            QPolygonF([tip - QPointF(size, 0), tip + QPointF(size, -size), tip + QPointF(size, size)])
        )
        self._painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


_LEAST_LINES, _USUAL_LINES = 6, 14
_NARROW = 460
#: Number of digits for which room is reserved from the beginning.
_DIGITS = 4


class LifeLines(Chart):
    """A line per token; ``picked`` is emitted with a token, its server, and whether by a double click."""

    picked = Signal(int, int, bool)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "lives of tokens")
        self._frame: Frame | None = None
        self.lines: tuple[Line, ...] = ()  #: the lines shown, from top to bottom
        self._letters: tuple[str, ...] = ()
        self._marks: Marks | None = None
        self.span = 0.0  #: the length of time until now that is shown
        self._digits = _DIGITS
        self._server: int | None = None
        self._hovered: int | None = None
        self.setMouseTracking(True)
        self._arrange()

    # What is shown.

    def begin(self, frame: Frame) -> None:
        self.span, self._digits, self._hovered = 0.0, _DIGITS, None
        self._letters = own_letters(frame.info.numbers.model.phases)

    def show_moment(self, frame: Frame) -> None:
        """Show the waiting tokens, and those used in the last events."""
        self._frame = frame
        present = waiting(frame.state)
        used = used_lately(frame, self.layout_of_lines.room)
        lines = arranged(present, used, self.layout_of_lines.room)
        lives = [line for line in lines if isinstance(line, Life)]
        span = covering_span(lives, frame.time, self.span)
        self.lines, self.span = lines, span
        longest = max((life.token + 1 for life in lives), default=1)
        digits = max(self._digits, math.ceil(math.log10(longest + 1)))
        if digits != self._digits:
            self._digits = digits
            self._arrange()
        self.update()

    def set_server(self, server: int | None) -> None:
        """Mark the tokens of a server."""
        if server != self._server:
            self._server = server
            self.update()

    def restyle(self, theme: Theme) -> None:
        super().restyle(theme)
        self._arrange()

    # Places.

    def _arrange(self) -> None:
        metrics = current_fonts().metrics
        number = metrics.horizontalAdvance(format_number(float(10**self._digits - 1)))
        brief = self.width() < _NARROW * current_fonts().scale
        layout = LinesLayout(
            self.width(),
            self.height(),
            metrics.height() + 3,
            name=number + 2.2 * metrics.height(),
            server=metrics.horizontalAdvance("s0000" if brief else "server 00000"),
            age=metrics.horizontalAdvance("0.00000"),
            brief=brief,
        )
        self.layout_of_lines = layout if layout.is_whole else replace(layout, server=0.0)

    def sizeHint(self) -> QSize:
        return QSize(300, round(_USUAL_LINES * self.layout_of_lines.row))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, round(_LEAST_LINES * self.layout_of_lines.row))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()
        if self._frame is not None:
            self.show_moment(self._frame)

    # Painting.

    def paint(self, painter: QPainter) -> None:
        if self._frame is None:
            return
        looks = LinesPainter(painter, self.layout_of_lines, self._fitting_marks(), self.span)
        now = self._frame.time
        fresh = math.nan if self._frame.running else now
        looks.axis(len(self.lines))
        for place, line in enumerate(self.lines):
            if isinstance(line, Life):
                chosen = line.server == self._server or line.token == self._hovered
                looks.life(line, place, now, chosen, fresh in (line.made, line.used))
            else:
                looks.heading(line, place)

    def _fitting_marks(self) -> Marks:
        """Marks for the present theme and font size."""
        side = round(self.layout_of_lines.row) - 2
        wanted = (self._theme, self._letters, side, self.devicePixelRatioF())
        if self._marks is None or not self._marks.fits(*wanted):
            self._marks = Marks(*wanted)
        return self._marks

    # The mouse.

    def life_at(self, height: float) -> Life | None:
        """The token whose line is at this height; None if there is none."""
        place = self.layout_of_lines.place_at(height)
        line = self.lines[place] if 0 <= place < len(self.lines) else None
        return line if isinstance(line, Life) else None

    def _hover(self, life: Life | None) -> None:
        token = None if life is None else life.token
        if token != self._hovered:
            self._hovered = token
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self.life_at(event.position().y()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(None)

    def pick(self, point: QPointF, double: bool) -> bool:
        """Select the token whose line is at a point."""
        life = self.life_at(point.y())
        if life is not None:
            self.picked.emit(life.token, life.server, double)
        return life is not None

    def tip_at(self, point: QPointF) -> str:
        """The life of the token at a point, in words."""
        life = self.life_at(point.y())
        if life is not None and self._frame is not None:
            return life_words(self._frame, life)
        return (
            "A line is a token, from the request of its server on the left to the job that took it: a filled square "
            "is a real job, a hatched one a virtual job. Tokens whose line reaches the present still wait."
        )
