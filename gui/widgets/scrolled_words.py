"""Words that are as high as they need to be, or scrolled where there is less room."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QSizePolicy, QWidget

#: Lines that are seen at least.
_FEWEST = 2


class ScrolledWords(QScrollArea):
    """A label that wraps, in a column; who changes its text calls ``updateGeometry``."""

    def __init__(self, label: QLabel, parent: QWidget) -> None:
        super().__init__(parent)
        self._label = label
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Maximum)
        label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.setWidget(label)
        label.setAutoFillBackground(False)
        self.viewport().setAutoFillBackground(False)

    def sizeHint(self) -> QSize:
        return QSize(self.width(), self._label.heightForWidth(self.width()))

    def minimumSizeHint(self) -> QSize:
        least = _FEWEST * self._label.fontMetrics().lineSpacing()
        return QSize(0, min(least, self.sizeHint().height()))

    def viewportEvent(self, event: QEvent) -> bool:
        """Words that fit without a bar have none: Qt keeps one that takes them the room in which they would."""
        if event.type() in {QEvent.Type.Resize, QEvent.Type.LayoutRequest}:
            fits, policy = self._label.heightForWidth(self.width()) <= self.height(), Qt.ScrollBarPolicy
            self.setVerticalScrollBarPolicy(policy.ScrollBarAlwaysOff if fits else policy.ScrollBarAsNeeded)
        return super().viewportEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()
