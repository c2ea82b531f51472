"""The tour of the window, offered until it is answered: it is a lesson, and nobody is asked twice."""

from __future__ import annotations

from PySide6.QtCore import QSettings, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QLabel, QWidget

from slotscope.gui.language.words import tr
from slotscope.gui.lessons.strip import ALL_LESSONS
from slotscope.gui.widgets.boxes import EnterButton
from slotscope.gui.widgets.rows import in_row

#: The lesson's name.
TOUR = "tour"

#: Where the settings keep whether it was begun, or put off.
_KNOWN = "tour-known"

#: Buttons: name, words, tip.
_BUTTONS = (
    ("begin", "Begin the tour", "Begin the tour\nA lesson of seven steps; Esc ends it (Help has it, too)."),
    ALL_LESSONS,
    ("later", "Not now", "Not now\nHelp has the tour whenever you like (Esc)."),
)


class TourOffer(QWidget):
    """A line above the panels."""

    begun = Signal()  #: the tour is wanted
    listed = Signal()  #: all lessons are wanted

    def __init__(self, parent: QWidget, settings: QSettings) -> None:
        super().__init__(parent)
        self.setObjectName("tour-offer")
        self._settings = settings
        row = in_row(self, QLabel(tr("New here? A tour of two minutes shows what is where.")), margins=(10, 2, 8, 4))
        self.buttons: dict[str, EnterButton] = {}
        for name, *words in _BUTTONS:
            self.buttons[name] = EnterButton(*map(tr, words))
            row.addWidget(self.buttons[name])
        row.addStretch(1)
        self.buttons["begin"].clicked.connect(self.begun)
        self.buttons["all"].clicked.connect(self.close)
        self.buttons["all"].clicked.connect(self.listed)
        self.buttons["later"].clicked.connect(self.close)
        self.hide()

    def offer(self) -> bool:
        """Show the line, unless somebody has answered it before; whether it is shown."""
        new = self._settings.value(_KNOWN) is None
        self.setVisible(new)
        return new

    def closeEvent(self, event: QCloseEvent) -> None:
        """It is not offered again."""
        super().closeEvent(event)
        self._settings.setValue(_KNOWN, "yes")
        self.window().setFocus()
