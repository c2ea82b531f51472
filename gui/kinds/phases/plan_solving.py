"""A page that says that programs are being solved, how far, and lets the user stop it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget


class SolvingPage(QWidget):
    """A sentence over a bar that moves, and a button: stop, then begin again."""

    asked = Signal(bool)  #: whether to solve

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = text
        self._stopped = False
        self.words = QLabel(text)
        self.words.setWordWrap(True)
        self.words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.progress = QLabel()
        self.progress.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.bar = QProgressBar()
        self.bar.setRange(0, 0)
        self.bar.setMaximumWidth(260)
        self.button = QPushButton("Stop")
        self.button.clicked.connect(self._toggle)
        column = QVBoxLayout(self)
        column.addStretch(1)
        column.addWidget(self.words)
        column.addWidget(self.progress)
        column.addWidget(self.bar, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)

    def set_progress(self, text: str) -> None:
        """Say how far it is."""
        self.progress.setText(text)

    def _toggle(self) -> None:
        self._stopped = not self._stopped
        self.words.setText("Solving was stopped." if self._stopped else self._text)
        self.bar.setVisible(not self._stopped)
        self.button.setText("Solve" if self._stopped else "Stop")
        self.asked.emit(not self._stopped)
