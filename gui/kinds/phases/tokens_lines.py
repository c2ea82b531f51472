"""The lives of tokens as lines over time: from the request to the job, real or virtual."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QPointF, QSize, Signal
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from slotscope.gui.kinds.phases.tokens_lines_layout import Line, LinesLayout, arranged, covering_span
from slotscope.gui.kinds.phases.tokens_lines_paint import LinesPainter
from slotscope.gui.kinds.phases.tokens_lives import Life, used_lately, waiting
from slotscope.gui.kinds.phases.tokens_marks import Marks
from slotscope.gui.kinds.phases.tokens_words import life_words
from slotscope.gui.kinds.phases.wording import phase_letters
from slotscope.gui.plotting.scales import format_number
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.chart import Chart
from slotscope.gui.widgets.gestures import POINTING
from slotscope.model.reporting.frame import Frame

_LEAST_LINES, _USUAL_LINES = 6, 14
_NARROW = 460
#: Numbers grow during a run; there is room for so many digits at once.
_DIGITS = 4


class LifeLines(Chart):
    """A line for each token; ``picked`` gives it, its server, and whether by a double click."""

    picked = Signal(int, int, bool)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "lives of tokens", parent)
        self._frame: Frame | None = None
        self._lines: tuple[Line, ...] = ()
        self._letters: tuple[str, ...] = ()
        self._marks: Marks | None = None
        self._span = 0.0
        self._digits = _DIGITS
        self._server: int | None = None
        self._hovered: int | None = None
        self.setMouseTracking(True)
        self._arrange()

    # What is shown.

    @property
    def lines(self) -> tuple[Line, ...]:
        """What is shown, from top to bottom."""
        return self._lines

    @property
    def span(self) -> float:
        """How much time until now is shown."""
        return self._span

    def begin(self, frame: Frame) -> None:
        """Another run."""
        self._span, self._digits, self._hovered = 0.0, _DIGITS, None
        self._letters = phase_letters(frame.info.numbers.model.phases)

    def show_moment(self, frame: Frame) -> None:
        """The tokens that wait, and those used in the last events."""
        self._frame = frame
        present = waiting(frame.state)
        used = used_lately(frame, self.layout_of_lines.room)
        lines = arranged(present, used, self.layout_of_lines.room)
        lives = [line for line in lines if isinstance(line, Life)]
        span = covering_span(lives, frame.time, self._span)
        self._lines, self._span = lines, span
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
        """Follow another theme or size of type."""
        super().restyle(theme)
        self._arrange()

    # Places.

    def _arrange(self) -> None:
        metrics = QFontMetricsF(current_fonts().body)
        number = metrics.horizontalAdvance(format_number(float(10**self._digits - 1)))
        brief = self.width() < _NARROW * current_fonts().scale
        self.layout_of_lines = LinesLayout(
            self.width(),
            self.height(),
            metrics.height() + 3,
            name=number + 2.2 * metrics.height(),
            server=metrics.horizontalAdvance("s0000" if brief else "server 00000"),
            age=metrics.horizontalAdvance("0.00000"),
            brief=brief,
        )

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

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._frame is None:
            return
        painter = QPainter(self)
        painter.setFont(current_fonts().body)
        looks = LinesPainter(painter, self.layout_of_lines, self._fitting_marks(), self._span)
        now = self._frame.time
        fresh = math.nan if self._frame.running else now
        looks.axis(len(self._lines))
        for place, line in enumerate(self._lines):
            if isinstance(line, Life):
                chosen = line.server == self._server or line.token == self._hovered
                looks.life(line, place, now, chosen, fresh in (line.made, line.used))
            else:
                looks.heading(line, place)
        painter.end()

    def _fitting_marks(self) -> Marks:
        """Marks for the present theme and size of type."""
        side = round(self.layout_of_lines.row) - 2
        wanted = (self._theme, self._letters, side, self.devicePixelRatioF())
        if self._marks is None or not self._marks.fits(*wanted):
            self._marks = Marks(*wanted)
        return self._marks

    # The mouse.

    def life_at(self, height: float) -> Life | None:
        """The token whose line is at this height."""
        place = self.layout_of_lines.place_at(height)
        line = self._lines[place] if 0 <= place < len(self._lines) else None
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

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._click(event, double=False)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._click(event, double=True)

    def _click(self, event: QMouseEvent, *, double: bool) -> None:
        life = self.life_at(event.position().y())
        if event.button() in POINTING and life is not None:
            self.picked.emit(life.token, life.server, double)
        else:
            event.ignore()

    def tip_at(self, point: QPointF) -> str:
        """The life of the token at a place."""
        life = self.life_at(point.y())
        if life is not None and self._frame is not None:
            return life_words(self._frame, life)
        return (
            "A line is a token, from the request of its server on the left to the job that "
            "took it: a filled square is a real job, a hatched one a virtual job. Tokens "
            "whose line reaches the present still wait."
        )
