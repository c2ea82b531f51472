"""The line of a question above the panels: its words, a field for the answer, and the verdict."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QLabel, QLineEdit, QToolButton, QWidget

from slotscope.gui.language.words import tr
from slotscope.gui.lessons.sketch import SketchPad
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.boxes import ChoiceBox, EnterButton
from slotscope.gui.widgets.fault_words import FaultLine
from slotscope.gui.widgets.rows import STRETCH, in_column, in_row
from slotscope.gui.widgets.scripts import set_scripts
from slotscope.gui.widgets.spoken import announce
from slotscope.model.exercises.deciding import FEW
from slotscope.model.exercises.posed import Posed

#: Buttons: name, words, tip.
_BUTTONS = (
    ("commit", "Commit", "Commit\nGives the answer; then it is graded, and stepped out (Enter)."),
    ("reveal", "Reveal", "Reveal\nShows the answer without giving one (R)."),
    ("next", "Next", "Next\nThe next decision of the exercise (Enter)."),
    ("skip", "Skip", "Skip\nPuts the question aside."),
)

#: The most characters of an answer; the characters besides digits with which any answer may begin ("" for keys
#: without a character is among them).
_LONGEST, _SIGNS = 200, "([-+ "

#: Pixels between the words and an error, and between them and the field; Qt's greatest width of a widget.
_GAP, _BETWEEN, _WIDEST = 16, 3, 2**24 - 1


class HintedField(QLineEdit):
    """A field whose placeholder is the first of several hints that fits."""

    _hints: tuple[str, ...] = ()

    def hint(self, *hints: str) -> None:
        """Set the hints, the longest first; the first that fits is shown while the field is empty."""
        self._hints = hints
        self.updateGeometry()
        self._choose()

    def minimumSizeHint(self) -> QSize:
        """At least the width of the last hint."""
        least = super().minimumSizeHint()
        needed = self.fontMetrics().horizontalAdvance(self._hints[-1]) + self._aside if self._hints else 0
        return QSize(max(least.width(), needed), least.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._choose()

    @property
    def _aside(self) -> int:
        return 2 * self.fontMetrics().averageCharWidth()

    def _choose(self) -> None:
        room = self.width() - self._aside
        fitting = (one for one in self._hints if self.fontMetrics().horizontalAdvance(one) <= room)
        self.setPlaceholderText(next(fitting, ""))


class AnswerField(HintedField):
    """The field for an answer; while it is empty, keys that cannot begin an answer remain shortcuts of commands."""

    def __init__(self) -> None:
        super().__init__()
        self.begins: frozenset[str] = frozenset()  #: letters with which an answer may begin

    def event(self, event: QEvent) -> bool:
        """Leave keys that cannot begin an answer to shortcuts."""
        override = event.type() == QEvent.Type.ShortcutOverride
        if override and isinstance(event, QKeyEvent) and not self.text() and self._begins_none(event.text()):
            event.ignore()
            return False
        return super().event(event)

    def _begins_none(self, typed: str) -> bool:
        known = typed.isdigit() or typed in _SIGNS or typed.lower() in self.begins
        return typed.isprintable() and not known


class QuestionLine(QWidget):
    """A question, answered by typing, by a button, or by a click in a picture.

    Signals
    -------
    committed(), revealed(), advanced(), skipped()
        Grade the answer; show it without grading; ask the next question; close the question.
    """

    committed = Signal()
    revealed = Signal()
    advanced = Signal()
    skipped = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("question")
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.AlternateBase)
        self.words, self.verdict, self.score = QLabel(wordWrap=True), QLabel(wordWrap=True), QLabel()
        self.words.setTextFormat(Qt.TextFormat.RichText)
        self.verdict.setTextFormat(Qt.TextFormat.RichText)
        self.answer, self.counts, self.fault = AnswerField(), AnswerField(), FaultLine()
        self.answer.setMaxLength(_LONGEST)
        self.answer.setAccessibleName(tr("Answer"))
        self.counts.hide()  # shown in lecture mode only
        self.counts.setAccessibleName(tr("Counts of the class"))
        self.counts.hint(tr("counts: 3 = 12; none = 5"), tr("counts"))
        self.counts.setToolTip(
            tr("Counts of the class\nHow many gave which answer; told beside the right one (Enter).")
        )
        self.sketch = SketchPad(self)
        self.sketch.drawn.connect(self.fill)
        self.sketch.finished.connect(self.committed)
        self._options = in_row(None)
        self._offered: list[QWidget] = []
        self.buttons = {name: EnterButton(*map(tr, words)) for name, *words in _BUTTONS}
        self._arrange()
        for name, signal in (
            ("commit", self.committed),
            ("reveal", self.revealed),
            ("next", self.advanced),
            ("skip", self.skipped),
        ):
            self.buttons[name].clicked.connect(signal)
        self.answer.returnPressed.connect(self._enter)
        self.answer.textEdited.connect(self.sketch.take)
        for field in (self.answer, self.counts):
            field.textEdited.connect(lambda: self.say_fault(""))
        self.counts.returnPressed.connect(self.revealed)
        self.hide()

    def _arrange(self) -> None:
        # The verdict replaces the answer's field: another line would resize the pictures that it is about.
        answer, verdict, counts = (self.answer, 2), (self.verdict, 40), (self.counts, 2)
        buttons = (self.buttons[name] for name in ("commit", "reveal", "next", "skip"))
        self._row = in_row(None, answer, verdict, self._options, *buttons, counts, STRETCH, self.score)
        self._asked = in_row(None, self.words, self.fault, spacing=_GAP)
        self._said = in_column(None, self._asked, self._row, STRETCH, spacing=_BETWEEN)
        # A curve is beside the words: below them it would take room from the pictures.
        in_row(self, (self._said, 2), (self.sketch, 3), margins=(10, 4, 8, 6))

    def _enter(self) -> None:
        (self.committed if self.answer.isEnabled() else self.advanced).emit()

    # The question shown.

    def ask(self, posed: Posed) -> None:
        """Show a new question."""
        words, allowed = posed.words.said(tr), posed.allowed.said(tr)
        self.setMinimumHeight(0)
        self.words.setText(set_scripts(words))
        self.answer.clear()
        self.answer.hint(allowed, tr("Answer"))
        self.answer.setToolTip(f"{tr('Answer')}\n{allowed[:1].upper()}{allowed[1:]}.")
        self.counts.clear()
        self.answer.begins = self.counts.begins = posed.read.begins
        self._offer(posed.options)
        self.sketch.ask(posed)
        self._show_counts()
        self._open(True)
        self.buttons["next"].hide()
        self.say_fault("")
        self._say("")
        self.answer.setAccessibleDescription(f"{words} {allowed}")
        announce(self, words)
        self.show()

    def _offer(self, options: tuple[str, ...]) -> None:
        """Offer all *options*, never only the right one: a button for each, or a list if there are more than FEW."""
        for offered in self._offered:
            self._options.removeWidget(offered)
            offered.hide()  # so that Tab skips it until it is deleted
            offered.deleteLater()
        self._offered = [self._list(options)] if len(options) > FEW else [self._option(one) for one in options]
        for before, offered in pairwise([self.answer, *self._offered]):
            self._options.addWidget(offered)
            self.setTabOrder(before, offered)  # a new widget is last in the window's tab order

    def _option(self, option: str) -> QToolButton:
        button = EnterButton(option, f"{option}\n{tr('Writes this answer into the field.')}")
        button.clicked.connect(lambda: self.choose(option))
        return button

    def _list(self, options: tuple[str, ...]) -> ChoiceBox:
        box = ChoiceBox()
        box.setAccessibleName(tr("Answer"))
        box.setToolTip(f"{tr('Answer')}\n{tr('Writes this answer into the field.')}")
        box.addItems(options)
        box.setPlaceholderText("...")
        box.setCurrentIndex(-1)
        box.textActivated.connect(self.choose)
        return box

    def focus_answer(self) -> None:
        """Focus the curve if one is to be drawn, else the field for the answer."""
        (self.answer if self.sketch.isHidden() else self.sketch).setFocus()

    def fill(self, text: str) -> None:
        """Write an answer into the field, while the question is open."""
        if self.answer.isEnabled():
            self.answer.setText(text)
            self.say_fault("")

    def choose(self, text: str) -> None:
        """Enter an answer chosen by button or in a picture; Enter then commits it, all other keys remain commands."""
        self.fill(text)
        self.buttons["commit"].setFocus()

    def show_answer(self, text: str, goes_on: bool) -> None:
        """Show the verdict *text* of an answered question; with *goes_on*, offer the next question."""
        self.setMinimumHeight(self.height())  # becoming lower would resize the pictures that the verdict is about
        self._open(False)
        self.sketch.show_answer()
        self.buttons["next"].setVisible(goes_on)
        self.buttons["skip"].setText(tr("Close"))
        self._say(text)

    def _open(self, is_open: bool) -> None:
        self.answer.setEnabled(is_open)
        self.answer.setVisible(is_open)
        for name in ("commit", "reveal"):
            self.buttons[name].setVisible(is_open)
        self.buttons["skip"].setText(tr("Skip"))
        for button in self._offered:
            button.setVisible(is_open)

    def _say(self, text: str) -> None:
        self.verdict.setText(set_scripts(text))
        announce(self, text)
        self.verdict.setVisible(bool(text))
        self._place_fault()

    def say_fault(self, text: str) -> None:
        """Show why the typed text is not an answer; an empty text removes the error."""
        self.fault.setText(text)
        self._place_fault()
        self.fault.say(text)
        announce(self, text)

    def _place_fault(self) -> None:
        """Place the error beside the words, below them if a curve makes the line high enough, or else in their place.

        It never adds lines, which would resize the pictures that the question is about.
        """
        alone, direction = self.sketch.isHidden(), QBoxLayout.Direction
        self._asked.setDirection(direction.LeftToRight if alone else direction.TopToBottom)
        self._asked.setSpacing(_GAP if alone else _BETWEEN)
        self.fault.setMinimumWidth(0)
        self.fault.setMaximumWidth(_WIDEST)
        wide = self._room_of_fault() if self.fault.text() else 0
        if wide:
            self.fault.setFixedWidth(wide)
        elif self.fault.isHidden():
            self.fault.resize(self._said.geometry().width(), 0)  # else it first has the height for a narrow width
        self.words.setVisible(self.verdict.isHidden() and (bool(wide) or not self.fault.text()))

    def _room_of_fault(self) -> int:
        """The width for the error with the words still visible, in pixels; 0 if it does not fit."""
        words, fault, room = self.words.heightForWidth, self.fault.heightForWidth, self._said.geometry().width()
        if not self.sketch.isHidden():
            below = words(room) + fault(room) + 2 * _BETWEEN + self._row.sizeHint().height()
            return room if below <= self.sketch.height() else 0
        high = words(room)
        widths = range(room // 5, 4 * room // 5, _GAP)
        return next((wide for wide in widths if fault(wide) <= high >= words(room - wide - _GAP)), 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_fault()

    def _show_counts(self) -> None:
        """Show the field for a class's counts in lecture mode, except for curves: they differ, and need the room."""
        self.counts.setVisible(current_fonts().lecture and self.sketch.isHidden())

    def show_score(self, text: str) -> None:
        """Show the score of right answers; empty outside exercises."""
        self.score.setText(text)

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme and the current font size; in lecture mode a class's answers can be counted."""
        fonts = current_fonts()
        self.setMinimumHeight(0)
        for widget in (self.words, self.fault, self.verdict, self.score):
            widget.setFont(fonts.body if fonts.lecture else fonts.heading)
        self._show_counts()
        self.sketch.set_theme(theme)
        self.score.setStyleSheet(f"color: {theme.muted}")
