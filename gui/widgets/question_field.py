"""Fields for questions and expressions, which complete the names that may follow, with their meanings."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QObject, QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QApplication, QCompleter, QLineEdit, QToolButton, QWidget

from slotscope.gui.language.words import tr
from slotscope.gui.widgets.boxes import keep_keys
from slotscope.gui.widgets.fault_words import FaultLine
from slotscope.gui.widgets.rows import in_column
from slotscope.model.errors import UserError
from slotscope.model.questions.completion import completions
from slotscope.model.questions.syntax import QuestionError
from slotscope.model.questions.tracks import Role
from slotscope.model.questions.understanding import understood
from slotscope.model.questions.words import Word, Words
from slotscope.model.reporting.frame import Frame

#: Most names offered at once.
MOST = 60

_NAME = Qt.ItemDataRole.UserRole


class _Beside(QObject):
    """Passes a click outside an open completion list to the widget below; the completer would only close the list."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.MouseButtonPress or not isinstance(event, QMouseEvent):
            return False
        if not isinstance(watched, QWidget) or watched.rect().contains(event.position().toPoint()):
            return False
        watched.hide()
        place = event.globalPosition()
        target = QApplication.widgetAt(place.toPoint())
        if target is not None:
            if target.focusPolicy() & Qt.FocusPolicy.ClickFocus:
                target.setFocus(Qt.FocusReason.MouseFocusReason)
            pressed = event.button(), event.buttons(), event.modifiers()
            QApplication.postEvent(target, QMouseEvent(event.type(), target.mapFromGlobal(place), place, *pressed))
        return True


class QuestionField(QLineEdit):
    """A line edit for a question; it offers completions once it has the words of a run."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setClearButtonEnabled(True)
        for button in self.findChildren(QToolButton):
            button.setAccessibleName(tr("Clear"))
        self._words: Words | None = None
        self._start = 0  # start of the name being typed
        self._offers = QStandardItemModel(self)
        self._offering = QCompleter(self._offers, self)
        self._offering.setWidget(self)
        popup = self._offering.popup()  # created and deleted by Qt
        assert popup is not None
        self.list = popup
        self._offering.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._offering.activated[QModelIndex].connect(self._take)  # type: ignore[index]
        keep_keys(self.list)
        self.list.installEventFilter(_Beside(self))
        self.textEdited.connect(self._offer)

    def set_words(self, words: Words) -> None:
        """Set the run whose names are offered."""
        self._words = words

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Make Enter insert the name selected in the list; if none is selected, Enter applies to the text as it is.

        The completer alone would insert the first name, even if the text was entered and the field cleared meanwhile.
        """
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and self.list.isVisible():
            chosen = self.list.selectedIndexes()
            self.list.hide()
            if chosen:
                self._take(chosen[0])
            else:
                super().keyPressEvent(event)
            event.accept()
        else:
            super().keyPressEvent(event)

    def _offer(self) -> None:
        before = self.text()[: self.cursorPosition()]
        self._start, found = (0, []) if self._words is None else completions(self._words, before)
        if not found or [word.text for word in found] == [before[self._start :]]:
            self.list.hide()
            return
        self._offers.clear()
        for word in found[:MOST]:
            item = QStandardItem(_written(word))
            item.setData(word.text, _NAME)
            self._offers.appendRow(item)
        self._offering.complete(self._room(self.list.sizeHintForColumn(0) + 2 * self.fontMetrics().height()))

    def _room(self, width: int) -> QRect:
        """Where the list opens: at the name being typed, with the width that it needs."""
        place = self.cursorRect()
        return QRect(place.left(), 0, width, self.height())

    def _take(self, chosen: QModelIndex) -> None:
        name, end = str(chosen.data(_NAME)), self.cursorPosition()
        self.setText(f"{self.text()[: self._start]}{name}{self.text()[end:]}")
        self.setCursorPosition(self._start + len(name))


def _written(word: Word) -> str:
    """A name, its meaning, and its unit."""
    return f"{word.text}   {word.about}{f' ({word.unit})' if word.unit else ''}"


class ExpressionField(QWidget):
    """A field for expressions, one after another, each followed in the same *role*."""

    entered = Signal(str)  #: (text): a valid expression of the present run, which may follow one more

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
        in_column(self, self.field, self.mistake, spacing=4)

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
    """Why a saved expression is not followed in a run, without the list of alternatives."""
    return fault_of(text, words, role).partition(", allowed")[0]


def fault_of(text: str, words: Words, role: Role) -> str:
    """What is wrong with an expression in a run; empty if nothing is."""
    try:
        understood(text, words, truth=role != "follow")
    except QuestionError as error:
        return error.line
    return ""
