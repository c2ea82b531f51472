"""A question above the panels: its words, a field for the answer, and what is said of it."""

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

#: Characters that an answer may have, and with which any may begin, besides digits; without one a key types nothing.
_LONGEST, _SIGNS = 200, "([-+ "

#: Pixels between the words and a fault, and between them and the field; those that Qt lets a widget be wide.
_GAP, _BETWEEN, _WIDEST = 16, 3, 2**24 - 1


class HintedField(QLineEdit):
    """An empty field says what may be typed: the first of several hints that has room."""

    _hints: tuple[str, ...] = ()

    def hint(self, *hints: str) -> None:
        """Say one of these while nothing is typed."""
        self._hints = hints
        self.updateGeometry()
        self._choose()

    def minimumSizeHint(self) -> QSize:
        """Wide enough for the last of them."""
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
    """Where an answer is typed; while it is empty a key with which none begins is a command's, as anywhere."""

    def __init__(self) -> None:
        super().__init__()
        self.begins: frozenset[str] = frozenset()  #: letters with which an answer may

    def event(self, event: QEvent) -> bool:
        """A key that the field leaves alone is the command's."""
        override = event.type() == QEvent.Type.ShortcutOverride
        if override and isinstance(event, QKeyEvent) and not self.text() and self._begins_none(event.text()):
            event.ignore()
            return False
        return super().event(event)

    def _begins_none(self, typed: str) -> bool:
        known = typed.isdigit() or typed in _SIGNS or typed.lower() in self.begins
        return typed.isprintable() and not known


class QuestionLine(QWidget):
    """A question, answered by typing, by a button, or by pointing at something in a picture.

    Signals
    -------
    committed(), revealed(), advanced(), skipped()
        What is to be done with the question.
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
        self.counts.hide()  # until a class is taught
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
        # The verdict stands in the answer's place: a line more would change the pictures that it is about.
        answer, verdict, counts = (self.answer, 2), (self.verdict, 40), (self.counts, 2)
        buttons = (self.buttons[name] for name in ("commit", "reveal", "next", "skip"))
        self._row = in_row(None, answer, verdict, self._options, *buttons, counts, STRETCH, self.score)
        self._asked = in_row(None, self.words, self.fault, spacing=_GAP)
        self._said = in_column(None, self._asked, self._row, STRETCH, spacing=_BETWEEN)
        # A curve stands beside the words: below them it would take the pictures' room.
        in_row(self, (self._said, 2), (self.sketch, 3), margins=(10, 4, 8, 6))

    def _enter(self) -> None:
        (self.committed if self.answer.isEnabled() else self.advanced).emit()

    # What it shows.

    def ask(self, posed: Posed) -> None:
        """Show a question that is open."""
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
        """A button for each answer, or where they are too many for that a list: never the right one alone."""
        for offered in self._offered:
            self._options.removeWidget(offered)
            offered.hide()  # Tab passes it until it is gone
            offered.deleteLater()
        self._offered = [self._list(options)] if len(options) > FEW else [self._option(one) for one in options]
        for before, offered in pairwise([self.answer, *self._offered]):
            self._options.addWidget(offered)
            self.setTabOrder(before, offered)  # a new one is the last of the window

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
        """Where it is given: the curve where one is to be drawn, else the field."""
        (self.answer if self.sketch.isHidden() else self.sketch).setFocus()

    def fill(self, text: str) -> None:
        """Write an answer into the field, while the question is open."""
        if self.answer.isEnabled():
            self.answer.setText(text)
            self.say_fault("")

    def choose(self, text: str) -> None:
        """Write an answer that was pressed or pointed at: Enter commits it, and all other keys stay commands."""
        self.fill(text)
        self.buttons["commit"].setFocus()

    def show_answer(self, text: str, goes_on: bool) -> None:
        """The question is answered; *goes_on*: another one follows on request."""
        self.setMinimumHeight(self.height())  # a lower one would change the pictures that it is about
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
        """Say why what was typed is no answer; nothing if it is one."""
        self.fault.setText(text)
        self._place_fault()
        self.fault.say(text)
        announce(self, text)

    def _place_fault(self) -> None:
        """Beside the words, below them where a curve gives room, else in their place, as the verdict stands there, too.

        More lines would change the pictures that the question is about.
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
            self.fault.resize(self._said.geometry().width(), 0)  # else it had the height of a narrow one at first
        self.words.setVisible(self.verdict.isHidden() and (bool(wide) or not self.fault.text()))

    def _room_of_fault(self) -> int:
        """The width that it has with the words in sight; 0 where there is none."""
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
        """A class is counted in a hall; curves differ from one to the next, and need the room."""
        self.counts.setVisible(current_fonts().lecture and self.sketch.isHidden())

    def show_score(self, text: str) -> None:
        """How many were right so far; nothing where nobody counts."""
        self.score.setText(text)

    def set_theme(self, theme: Theme) -> None:
        """Follow another theme or size of type; in lecture mode the class is counted."""
        fonts = current_fonts()
        self.setMinimumHeight(0)
        for widget in (self.words, self.fault, self.verdict, self.score):
            widget.setFont(fonts.body if fonts.lecture else fonts.heading)
        self._show_counts()
        self.sketch.set_theme(theme)
        self.score.setStyleSheet(f"color: {theme.muted}")
