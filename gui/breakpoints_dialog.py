"""The one list of all breakpoints: before events by their number, and before events where a question holds."""

from __future__ import annotations

from PySide6.QtCore import Qt, SignalInstance
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QLineEdit, QListWidget, QPushButton, QVBoxLayout, QWidget

from slotscope.gui.run_control import RunControl
from slotscope.gui.theme import Theme
from slotscope.model.explain import grouped
from slotscope.model.questions.breakpoints import BreakpointList


class BreakpointsDialog(QDialog):
    """Lists, sets and removes breakpoints; *told* gives them after each change."""

    def __init__(self, parent: QWidget, theme: Theme, control: RunControl, told: SignalInstance) -> None:
        super().__init__(parent)
        self.setObjectName("breakpoints")
        self.setWindowTitle("Breakpoints")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(560, 340)
        self._control = control
        self._entries: tuple[int | str, ...] = ()
        self._typed = ""  # what was added last
        self.field = QLineEdit()
        self.field.setAccessibleName("a question, or the number of an event")
        self.field.setPlaceholderText("a question such as 'rejected', or the number of an event; Enter adds it")
        self.fault = QLabel()
        self.fault.setWordWrap(True)
        self.fault.setTextFormat(Qt.TextFormat.PlainText)
        self.fault.setStyleSheet(f"color: {theme.ink(theme.rejection)}")
        self.listed = QListWidget()
        self.listed.setAccessibleName("breakpoints")
        self._remove, self._clear = QPushButton("Remove"), QPushButton("Clear all")
        self._lay_out()
        self.field.returnPressed.connect(self._add)
        self.listed.itemActivated.connect(self._go)
        self._remove.clicked.connect(self._remove_chosen)
        self._clear.clicked.connect(control.clear_breakpoints)
        delete = QShortcut(QKeySequence(Qt.Key.Key_Delete), self.listed)
        delete.setContext(Qt.ShortcutContext.WidgetShortcut)
        delete.activated.connect(self._remove_chosen)
        told.connect(self._show)
        control.list_breakpoints()
        self.field.setFocus()

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        note = QLabel("A run stops just before these events. Del removes one; Enter goes to one with a number.")
        note.setWordWrap(True)
        for widget in (note, self.field, self.fault, self.listed):
            layout.addWidget(widget)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        for button in (self._remove, self._clear):
            button.setAutoDefault(False)  # Enter belongs to the field and to the list
            buttons.addWidget(button)
        layout.addLayout(buttons)

    def _show(self, breakpoints: BreakpointList) -> None:
        self.fault.setText(breakpoints.fault)
        self._entries = (*breakpoints.events, *breakpoints.questions)
        if breakpoints.fault and not self.field.text():
            self.field.setText(self._typed)  # to be mended
        self.listed.clear()
        for event in breakpoints.events:
            self.listed.addItem(f"event {grouped(event)}")
        for text in breakpoints.questions:
            asleep = text in breakpoints.asleep
            self.listed.addItem(f"{text}  (this run has no such thing)" if asleep else text)

    def _add(self) -> None:
        self._typed = self.field.text()
        if self._typed.strip():
            self.field.clear()
            self._control.break_where(self._typed)

    def _go(self) -> None:
        chosen = self._entries[self.listed.currentRow()]
        if isinstance(chosen, int):
            self._control.go_to(chosen - 1)

    def _remove_chosen(self) -> None:
        row = self.listed.currentRow()
        if 0 <= row < len(self._entries):
            self._control.remove_breakpoint(self._entries[row])
