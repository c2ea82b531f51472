"""A label that asks for a new layout only where its text takes another size."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QLabel


class SizedLabel(QLabel):
    """A label as large as its text.

    Whenever a text changes Qt lays out all that is around a label, up to the window with all its docks, unless the
    label has a fixed size: numbers change in every frame, and their sizes hardly ever.
    """

    def setText(self, text: str) -> None:
        if text != self.text():
            super().setText(text)
            self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in {QEvent.Type.FontChange, QEvent.Type.StyleChange}:
            self._fit()

    def _fit(self) -> None:
        if self.sizeHint() != self.minimumSize():
            self.setFixedSize(self.sizeHint())
