"""A label that asks for a new layout only where its text takes another size."""

from __future__ import annotations

import re

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QLabel, QWidget

_MARKUP_OR_DIGIT = re.compile(r"(<[^>]*>)|\d")


class SizedLabel(QLabel):
    """A label as large as its text.

    Whenever a text changes Qt lays out all that is around a label, up to the window with all its docks, unless the
    label has a fixed size: numbers change in every frame, and their sizes hardly ever.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._measure = QLabel()  # the label's own hint is never less than what it was fixed to
        self._shape = ""

    def show_text(self, text: str) -> None:
        """Show another text, in place of ``setText``."""
        if text == self.text():
            return
        self.setText(text)
        # All figures of the window's type are equally wide.
        before, self._shape = self._shape, _MARKUP_OR_DIGIT.sub(lambda found: found[1] or "0", text)
        if self._shape != before:
            self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        self._measure.setFont(self.font())
        self._measure.setTextFormat(self.textFormat())
        self._measure.setText(self.text())
        self.setFixedSize(self._measure.sizeHint())
