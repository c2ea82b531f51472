"""What is wrong with what was typed, in words beside the field."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel


class FaultLine(QLabel):
    """One sentence in as many lines as it takes; what it stands in grows until all are seen."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("fault")  # by which the application's stylesheet colours it
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.hide()

    def say(self, text: str) -> None:
        """Say this; nothing takes no room."""
        self.setText(text)
        self._fit()
        self.setVisible(bool(text))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self.setMinimumHeight(self.heightForWidth(self.width()) if self.text() else 0)
