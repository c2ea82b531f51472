"""x*, x^(g) and X/L side by side: the shares of the servers in each configuration."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QHelpEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from gui.kinds.reservation.lp_solution import BarRow
from gui.panels.pages import SteadyRows
from gui.panels.wording import GREEDY_MARK
from gui.plotting.scales import format_number
from gui.theme import Theme, current_fonts, type_letter
from model.programs.configurations import Configuration

_MARGIN, _GAP = 10.0, 12.0
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_LEAST_BAR = 90.0
_RESOLUTION = 0.001

#: Heading and role of the three shares.
SHARES = (("x*", "optimum"), (f"x{GREEDY_MARK}", "greedy"), ("X/L", "run"))


class ShareBars(SteadyRows[BarRow]):
    """A row for each configuration with three bars, from 0 to all servers."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "shares of the servers by configuration", parent)

    # Words.

    def label(self, configuration: Configuration | None, room: float) -> str:
        """The configuration as the paper writes it, or its types alone where it is too long."""
        if configuration is None:
            return "others"
        whole = f"({', '.join(map(str, configuration))})"
        if self._metrics().horizontalAdvance(whole) <= room:
            return whole
        parts = [f"{count}\u202f{type_letter(j)}" for j, count in enumerate(configuration) if count]
        short = " + ".join(parts) or "empty"
        return self._metrics().elidedText(short, Qt.TextElideMode.ElideRight, room)

    def _columns(self) -> tuple[float, float, float]:
        """Width of the labels, left end of the numbers, width of one number."""
        metrics = self._metrics()
        room = 0.36 * self.width()
        labels = [self.label(row.configuration, room) for row in self._rows]
        label = max((metrics.horizontalAdvance(text) for text in labels), default=0.0) + 1
        number = metrics.horizontalAdvance("0.000") + _GAP
        left = self.width() - _MARGIN - 3 * number
        if left - _GAP - (_MARGIN + label + _GAP) < _LEAST_BAR:
            left = self.width() - _MARGIN + _GAP
        return label, left, number

    # Painting.

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(current_fonts().body)
        label, left, number = self._columns()
        height = self._row_height()
        bars = QRectF(_MARGIN + label + _GAP, height, left - label - 2 * _GAP - _MARGIN, self.height() - height)
        self._paint_heading(painter, bars, left, number)
        for place, row in enumerate(self._rows, start=1):
            top = place * height
            painter.setPen(QColor(self._theme.normal))
            text = self.label(row.configuration, label)
            painter.drawText(QRectF(_MARGIN, top, label, height), _LEFT, text)
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
                box = QRectF(left + place * number, 0, number, height)
                painter.drawText(box, _RIGHT, name)
            else:
                box = QRectF(bars.left() + place * bars.width() / 3, 0, bars.width() / 3, height)
                painter.drawText(box, _LEFT, name)
        painter.setPen(QColor(theme.muted))
        if with_numbers:
            room = QRectF(_MARGIN, 0, left - _MARGIN, height)
            painter.drawText(room, _LEFT, heading(self._metrics(), room.width()))
        painter.setPen(QPen(QColor(theme.grid)))
        for share in (0.0, 0.5, 1.0):
            x = round(bars.left() + share * bars.width())
            painter.drawLine(x, int(height), x, int(height * (len(self._rows) + 1)))

    def _paint_bars(self, painter: QPainter, row: BarRow, box: QRectF) -> None:
        thick = (box.height() - 6) / 3
        for place, (share, (_, role)) in enumerate(zip((row.best, row.packed, row.present), SHARES, strict=True)):
            if share > 0:
                top = box.top() + 2 + place * (thick + 1)
                length = max(1.0, share * box.width())
                color = QColor(self._theme.color(role))
                painter.fillRect(QRectF(box.left(), top, length, thick), color)

    def _paint_numbers(self, painter: QPainter, row: BarRow, top: float, left: float, number: float) -> None:
        for place, share in enumerate((row.best, row.packed, row.present)):
            painter.setPen(QColor(self._theme.normal if share else self._theme.muted))
            text = format_number(share, _RESOLUTION) if share else "0"
            box = QRectF(left + place * number, top, number, self._row_height())
            painter.drawText(box, _RIGHT, text)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.tip_at(event.pos().y()), self)
            return True
        return super().event(event)

    def tip_at(self, height: int) -> str:
        """A sentence on the row at this height."""
        place = int(height // self._row_height()) - 1
        if not 0 <= place < len(self._rows):
            return (
                "The shares of the servers that the optimum x*, the greedy assignment "
                f"x{GREEDY_MARK} and the run X/L give to each configuration."
            )
        row = self._rows[place]
        shares = f"optimum {row.best:.4f}, greedy {row.packed:.4f}, run {row.present:.4f} of the servers"
        if row.configuration is None:
            return f"all other configurations: {shares}"
        return f"({', '.join(map(str, row.configuration))}): {shares}"


def heading(metrics: QFontMetricsF, room: float) -> str:
    """What the bars are, in as many words as *room* pixels have."""
    texts = ("share of servers by configuration", "share of servers", "share")
    return next((text for text in texts if metrics.horizontalAdvance(text) <= room), texts[-1])
