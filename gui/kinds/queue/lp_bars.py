"""The configurations that support rho*, as shares of the servers, beside those present."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from gui.panels.pages import SteadyRows
from gui.panels.wording import exact, significant
from gui.plotting.scales import format_number
from gui.theme import Theme, current_fonts
from model.programs.configurations import Configuration

_MARGIN, _GAP = 10.0, 12.0
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_LEAST_BAR = 90.0
_MOST_LABEL = 0.4
_RESOLUTION = 0.001
SHARES = (("for ρ*", "optimum"), ("now", "run"))


@dataclass(frozen=True)
class ConfigurationRow:
    """Shares of the servers; no configuration stands for all others.

    ``words`` names the jobs where the numbers alone are too long.
    """

    configuration: Configuration | None
    words: str
    best: Fraction
    present: float

    @property
    def name(self) -> str:
        """As the paper writes it."""
        if self.configuration is None:
            return "others"
        return f"({', '.join(map(str, self.configuration))})"


class ConfigurationBars(SteadyRows[ConfigurationRow]):
    """A row for each configuration with two bars, from 0 to all servers."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "shares of the servers by configuration", parent)

    # Words.

    def label(self, row: ConfigurationRow, room: float) -> str:
        """The configuration as the paper writes it, or in words where it is too long."""
        measure = self._metrics().horizontalAdvance
        if measure(row.name) <= room or row.configuration is None:
            return row.name
        return self._metrics().elidedText(row.words, Qt.TextElideMode.ElideRight, room)

    def _columns(self) -> tuple[float, float, float]:
        """Width of the labels, left end of the numbers, width of one number."""
        metrics = self._metrics()
        room = _MOST_LABEL * self.width()
        texts = [self.label(row, room) for row in self._rows]
        label = max((metrics.horizontalAdvance(text) for text in texts), default=0.0) + 1
        number = metrics.horizontalAdvance("0.0000") + _GAP
        left = self.width() - _MARGIN - len(SHARES) * number
        if left - _GAP - (_MARGIN + label + _GAP) < _LEAST_BAR:
            left = self.width() - _MARGIN + _GAP
        return label, left, number

    # Painting.

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(current_fonts().body)
        label, left, number = self._columns()
        height = self._row_height()
        bars = QRectF(_MARGIN + label + _GAP, height, left - label - 2 * _GAP - _MARGIN, height * len(self._rows))
        self._paint_heading(painter, bars, left, number)
        for place, row in enumerate(self._rows, start=1):
            top = place * height
            painter.setPen(QColor(self._theme.normal))
            painter.drawText(QRectF(_MARGIN, top, label, height), _LEFT, self.label(row, label))
            self._paint_bars(painter, row, QRectF(bars.left(), top, bars.width(), height))
            if left < self.width() - _MARGIN:
                self._paint_numbers(painter, row, top, left, number)
        painter.end()

    def _paint_heading(self, painter: QPainter, bars: QRectF, left: float, number: float) -> None:
        """The names of the shares above their numbers, or in a line where these are left out."""
        height, theme = self._row_height(), self._theme
        with_numbers = left < self.width() - _MARGIN
        for place, (name, role) in enumerate(SHARES):
            painter.setPen(QColor(theme.ink(theme.color(role))))
            if with_numbers:
                painter.drawText(QRectF(left + place * number, 0, number, height), _RIGHT, name)
            else:
                part = bars.width() / len(SHARES)
                painter.drawText(QRectF(bars.left() + place * part, 0, part, height), _LEFT, name)
        painter.setPen(QColor(theme.muted))
        if with_numbers:
            room = QRectF(_MARGIN, 0, left - _MARGIN, height)
            whole, measure = "share of servers by configuration", self._metrics()
            fits = measure.horizontalAdvance(whole) <= room.width()
            painter.drawText(room, _LEFT, whole if fits else "share of servers")
        painter.setPen(QPen(QColor(theme.grid)))
        for share in (0.0, 0.5, 1.0):
            x = round(bars.left() + share * bars.width())
            painter.drawLine(x, int(height), x, int(bars.bottom()))

    def _paint_bars(self, painter: QPainter, row: ConfigurationRow, box: QRectF) -> None:
        thick = (box.height() - 6) / len(SHARES)
        for place, (share, (_, role)) in enumerate(zip((float(row.best), row.present), SHARES, strict=True)):
            if share > 0:
                top = box.top() + 2 + place * (thick + 1)
                color = QColor(self._theme.color(role))
                bar = QRectF(box.left(), top, max(1.0, share * box.width()), thick)
                painter.fillRect(bar, color)

    def _paint_numbers(self, painter: QPainter, row: ConfigurationRow, top: float, left: float, number: float) -> None:
        best = exact(row.best) or significant(float(row.best))
        now = format_number(row.present, _RESOLUTION) if row.present else "0"
        for place, text in enumerate((best, now)):
            painter.setPen(QColor(self._theme.muted if text == "0" else self._theme.normal))
            box = QRectF(left + place * number, top, number, self._row_height())
            painter.drawText(box, _RIGHT, text)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.tip_at(event.pos().y()), self)
            return True
        return super().event(event)

    def tip_at(self, height: float) -> str:
        """A sentence on the row at this height."""
        place = int(height // self._row_height()) - 1
        if not 0 <= place < len(self._rows):
            return "The shares of the servers that support ρ* in (4), and the servers that hold just these jobs now."
        row = self._rows[place]
        shares = f"{float(row.best):.4f} of the servers for ρ*, {row.present:.4f} now"
        if row.configuration is None:
            return f"all other configurations: {shares}"
        return f"{row.words or 'no job'}: {shares}"
