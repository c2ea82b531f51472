"""What a panel shows in its place after something in it went wrong."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from slotscope.gui.faults import Fault
from slotscope.gui.language.words import tr


class FaultPage(QScrollArea):
    """What went wrong, what goes on, and what can be done.

    Signals
    -------
    again()
        The panel is to be tried again.
    """

    again = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Fault"))
        self._details = ""
        self.words = QLabel()
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setWordWrap(True)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.retry = QPushButton(tr("Try again"))
        self.retry.setToolTip(tr("Try again\nBuilds the panel afresh and shows the present moment."))
        self.retry.clicked.connect(self.again)
        self.copy = QPushButton(tr("Copy the details"))
        self.copy.setToolTip(
            tr("Copy the details\nFor a report: where it happened, and the command that opens this moment.")
        )
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self._details))
        page = QWidget()
        column, row = QVBoxLayout(page), QHBoxLayout()
        column.addStretch(1)
        column.addWidget(self.words)
        column.addLayout(row)
        column.addStretch(1)
        for button in (self.retry, self.copy):
            row.addWidget(button)
        row.addStretch(1)
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setWidget(page)

    def show_fault(self, title: str, fault: Fault, moment: str) -> None:
        """Show a fault of the panel of this title; *moment* is the command that opens it."""
        self.words.setText(
            tr(
                "{title} cannot be shown: {fault}\n\n"
                "The run and the other panels go on. Try again, here or at another moment."
            ).format(title=title, fault=fault.sentence)
        )
        self._details = f"{moment}\n{fault.details}"
