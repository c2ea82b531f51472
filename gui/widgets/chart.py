"""A picture of numbers with words: it paints in a theme, and tells of what is under the mouse or clicked."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QMouseEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.gestures import POINTING


class Chart(QWidget):
    """Base of such pictures, which are as wide as there is room; *name* is for those who do not see it."""

    def __init__(
        self,
        theme: Theme,
        name: str,
        parent: QWidget | None = None,
        height: QSizePolicy.Policy = QSizePolicy.Policy.Expanding,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setSizePolicy(QSizePolicy.Policy.Ignored, height)
        self.setAccessibleName(name)

    def restyle(self, theme: Theme) -> None:
        self._theme = theme
        self.updateGeometry()
        self.update()

    @staticmethod
    def _metrics() -> QFontMetricsF:
        return current_fonts().metrics

    def tip_at(self, point: QPointF) -> str:
        """What a tooltip says of a place."""
        return self.toolTip()

    def pick(self, point: QPointF, double: bool) -> bool:
        """Tell what was clicked; False: there is nothing."""
        return False

    def mousePressEvent(self, event: QMouseEvent) -> None:
        double = event.type() == QEvent.Type.MouseButtonDblClick  # Qt passes those on to here
        if event.button() not in POINTING or not self.pick(event.position(), double):
            event.ignore()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.tip_at(QPointF(event.pos())), self)
            return True
        return super().event(event)
