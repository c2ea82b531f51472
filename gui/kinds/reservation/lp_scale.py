"""From 0 to the optimum on one axis: the run, the greedy assignment and its guarantees."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from slotscope.gui.panels.wording import GREEDY_PLAIN, OPTIMUM_PLAIN, THIN
from slotscope.gui.plotting.scales import format_number
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.chart import Chart
from slotscope.gui.widgets.spoken import describe
from slotscope.model.kinds.reservation.programs.bounds import ALWAYS, GUARANTEES, MONOTONE, Guarantee

_MARGIN, _GAP, _THICK = 10.0, 10.0, 10.0
_RESOLUTION = 0.001
_CENTRE = Qt.AlignmentFlag.AlignCenter

#: How the paper writes the guarantees.
NAMES = {ALWAYS: "1/2", MONOTONE: "1 − 1/e"}


def guarantee_sentence(guarantee: Guarantee) -> str:
    """What is guaranteed, and when."""
    source = guarantee.source.rsplit(", ", 1)[-1]
    condition = guarantee.condition.replace("Definition ", "Definition\u00a0")
    return f"≥ {NAMES[guarantee]} {condition}: {source}"


class RatioScale(Chart):
    """A track from 0 to U*, filled as far as the run has come."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "share of the optimum", parent, QSizePolicy.Policy.Fixed)
        self._greedy: float | None = None
        self._run: float | None = None

    @property
    def shares(self) -> tuple[float | None, float | None]:
        """Greedy and run as shares of the optimum."""
        return self._greedy, self._run

    def set_shares(self, greedy: float | None, run: float | None) -> None:
        """Show U^(g)/U*, and the present reward rate over U* if it belongs to this workload."""
        if (greedy, run) != (self._greedy, self._run):
            self._greedy, self._run = greedy, run
            describe(self, "" if run is None else self._run_words(run))
            self.update()

    @staticmethod
    def _run_words(run: float) -> str:
        return f"run now{THIN} {format_number(run, _RESOLUTION)}"

    def sizeHint(self) -> QSize:
        return QSize(200, round(2 * self._metrics().height() + _THICK + 14))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(current_fonts().body)
        line = QFontMetricsF(painter.font()).height()
        track = QRectF(_MARGIN, line + 4, self.width() - 2 * _MARGIN, _THICK)
        painter.fillRect(track, QColor(self._theme.grid))
        if self._run is not None:
            filled = QRectF(track)
            filled.setWidth(min(1.0, self._run) * track.width())
            painter.fillRect(filled, QColor(self._theme.run))
        self._paint_guarantees(painter, track, line)
        self._paint_bounds(painter, track, line)
        painter.end()

    def _paint_guarantees(self, painter: QPainter, track: QRectF, line: float) -> None:
        """Below the track: the guarantees, and left of them how far the run has come."""
        measure = QFontMetricsF(painter.font()).horizontalAdvance
        left = track.right()
        for guarantee in sorted(GUARANTEES, key=lambda item: -item.ratio):
            x = track.left() + guarantee.ratio * track.width()
            painter.setPen(QPen(QColor(self._theme.muted), 1.0, Qt.PenStyle.DotLine))
            painter.drawLine(QLineF(x, track.top() - 3, x, track.bottom() + 5))
            width = measure(NAMES[guarantee])
            centre = min(x, left - _GAP - width / 2)
            box = QRectF(centre - width, track.bottom() + 5, 2 * width, line)
            painter.setPen(QColor(self._theme.muted))
            painter.drawText(box, _CENTRE, NAMES[guarantee])
            left = centre - width / 2
        if self._run is None:
            return
        text = self._run_words(self._run)
        if track.left() + measure(text) < left - _GAP:
            painter.setPen(QColor(self._theme.ink(self._theme.run)))
            box = QRectF(track.left(), track.bottom() + 5, measure(text) + 2, line)
            painter.drawText(box, _CENTRE, text)

    def _paint_bounds(self, painter: QPainter, track: QRectF, line: float) -> None:
        """Above the track: the optimum at its end, and the greedy assignment."""
        measure = QFontMetricsF(painter.font()).horizontalAdvance
        right = track.right()
        marks: list[tuple[float, str, str]] = [(1.0, OPTIMUM_PLAIN, "optimum")]
        if self._greedy is not None:
            written = format_number(self._greedy, _RESOLUTION)
            marks.append((self._greedy, f"{GREEDY_PLAIN}{THIN} {written}", "greedy"))
        for share, text, role in marks:
            x = track.left() + share * track.width()
            color = self._theme.color(role)
            # The optimum's mark is longer: it is seen where both are the same.
            over = 5.0 if role == "optimum" else 1.0
            mark = QRectF(x - 1.5, track.top() - over, 3, track.height() + 2 * over)
            painter.fillRect(mark, QColor(color))
            width = measure(text) + 2
            left = min(x - width / 2, right - width)
            painter.setPen(QColor(self._theme.ink(color)))
            painter.drawText(QRectF(left, 0, width, line), _CENTRE, text)
            right = left - _GAP
