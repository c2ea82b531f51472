"""A label that asks for a new layout only where its text takes another size."""

from __future__ import annotations

import re

from PySide6.QtCore import QEvent, QSize
from PySide6.QtWidgets import QLabel, QWidget

_MARKUP_OR_DIGIT = re.compile(r"(<[^>]*>)|\d")

#: Sizes that are remembered; then all are forgotten.
_MOST_REMEMBERED = 64


class SizedLabel(QLabel):
    """A label as large as its text.

    Whenever a text changes Qt lays out all that is around a label, up to the window with all its docks, unless the
    label has a fixed size: numbers change in every frame, and their sizes hardly ever.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._measure = QLabel()  # the label's own hint is never less than what it was fixed to
        self._sizes: dict[str, QSize] = {}  #: by the shape of a text

    def show_text(self, text: str) -> None:
        """Show another text, in place of ``setText``."""
        if text == self.text():
            return
        self.setText(text)
        self.sizeHint()  # lays the text out: where Qt does that in painting, it paints all once more
        self._fit()

    def size_of(self, text: str) -> QSize:
        """How large the label is with this text, which it need not show."""
        shape = _MARKUP_OR_DIGIT.sub(lambda found: found[1] or "0", text)  # all figures of the type are equally wide
        known = self._sizes.get(shape)
        if known is None or not text:  # Qt gives some room to what never had a text, and none to what lost it
            if len(self._sizes) >= _MOST_REMEMBERED:
                self._sizes.clear()
            self._measure.setFont(self.font())
            self._measure.setTextFormat(self.textFormat())
            self._measure.setText(text)
            known = self._sizes[shape] = self._measure.sizeHint()
        return known

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._sizes.clear()
            self._fit()

    def _fit(self) -> None:
        self.setFixedSize(self.size_of(self.text()))
