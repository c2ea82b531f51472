"""The line above the stacks: the job that arrives, and the current step in a sentence."""

from __future__ import annotations

from PySide6.QtCore import QObject, QRectF, Qt, QVariantAnimation, Signal
from PySide6.QtGui import QColor, QPainter, QPen

from slotscope.gui.kinds.reservation.servers_legend import swatch
from slotscope.gui.kinds.reservation.servers_steps import arriving, rejected_type
from slotscope.gui.painting.stack_text import Symbols
from slotscope.gui.painting.textures import RasterPalette
from slotscope.gui.panels.wording import sentence
from slotscope.gui.theme import Theme, current_fonts
from slotscope.model.reporting.frame import Frame

#: Milliseconds in which a rejection's colour settles.
PULSE = 400


class EventLine(QObject):
    """Says what happens while stepping; empty while running, so that nothing flickers."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.words = ""
        self.rejects = False
        self._job: tuple[int, int] | None = None
        self._pulse = QVariantAnimation(self)
        self._pulse.setDuration(PULSE)
        self._pulse.setStartValue(1.0)
        self._pulse.setEndValue(0.0)
        self._pulse.valueChanged.connect(lambda _: self.changed.emit())

    def show_frame(self, frame: Frame) -> None:
        """Take over a moment; a new rejection pulses once."""
        words = sentence(frame)
        fresh, self.words = words != self.words, words
        self._job = arriving(frame)
        self.rejects = rejected_type(frame) is not None
        if self.rejects and fresh:
            self._pulse.start()
        elif not self.rejects:
            self._pulse.stop()

    def marker(self, area: QRectF, text: Symbols) -> QRectF:
        """Where the arriving job waits."""
        side = text.height * 1.1
        return QRectF(area.x() + 3, area.y() + (area.height() - side) / 2, 1.3 * side, side)

    def paint(self, painter: QPainter, area: QRectF, theme: Theme, palette: RasterPalette, text: Symbols) -> None:
        """Paint the marker and the sentence; a hall reads it below the picture."""
        if area.isEmpty():
            return
        x = area.x()
        if self._job is not None:
            marker = self.marker(area, text)
            if self.rejects:
                self._warn(painter, marker, theme)
            swatch(painter, marker, self._job[0], theme, palette, text)
            x = marker.right() + 10
        if current_fonts().lecture:
            return
        color = theme.ink(theme.rejection) if self.rejects else theme.normal
        words = QRectF(x, area.y(), area.right() - x, area.height())
        text.draw_in(painter, words, self.words, color)

    def _warn(self, painter: QPainter, marker: QRectF, theme: Theme) -> None:
        if self._pulse.state() == QVariantAnimation.State.Running:
            strength = float(self._pulse.currentValue())
            glow = QColor(theme.rejection)
            glow.setAlphaF(0.6 * strength)
            grown = 3 + 5 * strength
            painter.fillRect(marker.adjusted(-grown, -grown, grown, grown), glow)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(theme.rejection), 2))
        painter.drawRect(marker.adjusted(-3, -3, 3, 3))
