"""A field for expressions of the user's own: what is wrong with one stands below it, what is right is entered."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from slotscope.gui.widgets.fault_label import FaultLine
from slotscope.gui.widgets.question_field import QuestionField
from slotscope.model.errors import UserError
from slotscope.model.questions.syntax import QuestionError
from slotscope.model.questions.tracks import Role
from slotscope.model.questions.understanding import understood
from slotscope.model.questions.words import Words
from slotscope.model.reporting.frame import Frame


class ExpressionField(QWidget):
    """Takes one expression after another, each to be followed in one *role*.

    Signals
    -------
    entered(text)
        An expression that the present run understands, and has room for.
    """

    entered = Signal(str)

    def __init__(self, role: Role, name: str, placeholder: str, tip: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._role: Role = role
        self._frame: Frame | None = None
        self.mistake = FaultLine()
        self.field = QuestionField(self)
        self.field.setPlaceholderText(placeholder)
        self.field.setToolTip(tip)
        self.field.setAccessibleName(name)
        self.field.returnPressed.connect(self._enter)
        self.field.textEdited.connect(lambda: self.mistake.say(""))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.field)
        column.addWidget(self.mistake)

    def show_frame(self, frame: Frame) -> None:
        """Offer the names of the run that is shown."""
        if self._frame is None or frame.info is not self._frame.info:
            self.field.set_words(frame.info.words)
        self._frame = frame

    def _enter(self) -> None:
        text = self.field.text().strip()
        fault = self._fault_of(text) if text else ""
        self.mistake.say(fault)
        if text and not fault:
            self.field.clear()
            self.entered.emit(text)

    def _fault_of(self, text: str) -> str:
        if self._frame is None:
            return ""
        try:
            self._frame.followed.changed(self._role, text, over=False)
        except UserError as error:
            return error.line
        return fault_of(text, self._frame.info.words, self._role)


def asleep(text: str, words: Words, role: Role) -> str:
    """Why an expression that is kept is not followed in a run, without all that could stand in its place."""
    return fault_of(text, words, role).partition(", allowed")[0]


def fault_of(text: str, words: Words, role: Role) -> str:
    """What is wrong with an expression in a run; empty if nothing is."""
    try:
        understood(text, words, truth=role != "follow")
    except QuestionError as error:
        return error.line
    return ""
