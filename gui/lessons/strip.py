"""The strip with the text of a lesson's step, and the line that offers the tour until the user answers."""

from __future__ import annotations

from PySide6.QtCore import QSettings, Qt, Signal
from PySide6.QtGui import QCloseEvent, QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from slotscope.gui.language.words import tr
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.boxes import EnterButton
from slotscope.gui.widgets.fault_words import FaultLine
from slotscope.gui.widgets.labels import CutLabel
from slotscope.gui.widgets.rows import in_column, in_row
from slotscope.gui.widgets.scripts import paragraphs, spoken
from slotscope.gui.widgets.spoken import announce

#: The button that lists all lessons: name, words, tip.
ALL_LESSONS = ("all", "All lessons", "All lessons\nThe page that lists them.")

#: Buttons of the strip: name, words, tip.
_BUTTONS = (
    ("back", "◀ Back", "Back\nThe step before (PageUp)."),
    ("next", "Next ▶", "Next\nThe next step (PageDown)."),
    ALL_LESSONS,
    ("end", "End", "End\nEnds the lesson; the panels stand as before it."),
)


class LessonStrip(QWidget):
    """A step of a lesson, above the panels.

    Signals
    -------
    turned(int)
        Go that many steps on, or back if negative.
    listed(), ended()
        List all lessons; end this one.
    """

    turned = Signal(int)
    listed = Signal()
    ended = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("lesson")
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self._title, self._count, self._text = CutLabel(), QLabel(), QLabel()
        self._title.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self._text.setWordWrap(True)
        self._fault = FaultLine()
        self._text.setTextFormat(Qt.TextFormat.RichText)
        self._text.setObjectName("lesson-text")
        self.buttons = {name: EnterButton(*map(tr, words)) for name, *words in _BUTTONS}
        row = QHBoxLayout()
        for widget in (self._title, self._count):
            row.addWidget(widget)
            row.addSpacing(12)
        row.addStretch(1)
        for button in self.buttons.values():
            row.addWidget(button)
        in_column(self, row, self._text, self._fault, margins=(10, 2, 8, 6), spacing=2)
        for name, turn in (("back", -1), ("next", 1)):
            self.buttons[name].clicked.connect(lambda _=False, by=turn: self.turned.emit(by))
        self.buttons["all"].clicked.connect(self.listed)
        self.buttons["end"].clicked.connect(self.ended)
        self.hide()

    def closeEvent(self, event: QCloseEvent) -> None:
        """End the lesson when the strip is closed."""
        super().closeEvent(event)
        self.ended.emit()

    def show_step(self, title: str, number: int, count: int, text: str) -> None:
        """Show step *number*, from 0, of *count*."""
        self._title.say(title)
        self._count.setText(tr("{number} of {count}").format(number=number + 1, count=count))
        self._text.setText("<br/><br/>".join(paragraphs(text)))
        announce(self, f"{title}, {self._count.text()}. {spoken(text)}")
        self.say_fault("")
        self.buttons["back"].setEnabled(number > 0)
        self.buttons["next"].setEnabled(number < count - 1)
        self.show()

    def say_fault(self, text: str) -> None:
        """Show what is wrong with the step; an empty text removes it."""
        self._fault.say(text)

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme and the current fonts; in lecture mode the text has the body's, to leave room for panels."""
        fonts = current_fonts()
        self._title.setFont(fonts.heading)
        self._count.setFont(fonts.heading)
        self._count.setStyleSheet(f"color: {theme.muted}")
        self._text.setFont(fonts.body if fonts.lecture else fonts.heading)


#: The name of the lesson that is the tour.
TOUR = "tour"

#: The settings key that exists once the tour has been begun or declined.
_KNOWN = "tour-known"

#: Buttons: name, words, tip.
_ANSWERS = (
    ("begin", "Begin the tour", "Begin the tour\nA lesson of seven steps; Esc ends it (Help has it, too)."),
    ALL_LESSONS,
    ("later", "Not now", "Not now\nHelp has the tour whenever you like (Esc)."),
)


class TourOffer(QWidget):
    """A line above the panels that offers the tour."""

    begun = Signal()  #: begin the tour
    listed = Signal()  #: list all lessons

    def __init__(self, parent: QWidget, settings: QSettings) -> None:
        super().__init__(parent)
        self.setObjectName("tour-offer")
        self._settings = settings
        row = in_row(self, QLabel(tr("New here? A tour of two minutes shows what is where.")), margins=(10, 2, 8, 4))
        self.buttons: dict[str, EnterButton] = {}
        for name, *words in _ANSWERS:
            self.buttons[name] = EnterButton(*map(tr, words))
            row.addWidget(self.buttons[name])
        row.addStretch(1)
        self.buttons["begin"].clicked.connect(self.begun)
        self.buttons["all"].clicked.connect(self.close)
        self.buttons["all"].clicked.connect(self.listed)
        self.buttons["later"].clicked.connect(self.close)
        self.hide()

    def offer(self) -> bool:
        """Show the line, unless it was answered before; returns whether it is shown."""
        new = self._settings.value(_KNOWN) is None
        self.setVisible(new)
        return new

    def closeEvent(self, event: QCloseEvent) -> None:
        """Save in the settings that the tour was answered, so that it is not offered again."""
        super().closeEvent(event)
        self._settings.setValue(_KNOWN, "yes")
        self.window().setFocus()
