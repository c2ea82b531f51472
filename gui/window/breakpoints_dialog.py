"""The list of all breakpoints: before events, where a question holds, and where a monitor is violated."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, SignalInstance
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QLabel, QListWidget, QListWidgetItem, QSpinBox, QWidget

from slotscope.gui.language.words import tr
from slotscope.gui.running.run_control import RunControl
from slotscope.gui.widgets.boxes import push_button
from slotscope.gui.widgets.fault_words import FaultLine
from slotscope.gui.widgets.question_field import QuestionField
from slotscope.gui.widgets.rows import STRETCH, in_column, in_row
from slotscope.model.questions.breakpoints import MOST_TIMES, Breakpoint, BreakpointList
from slotscope.model.reporting.explain import grouped


class BreakpointsDialog(QDialog):
    """Lists, sets and removes breakpoints; the signal *told* delivers the list after each change."""

    def __init__(self, parent: QWidget, control: RunControl, told: SignalInstance) -> None:
        super().__init__(parent)
        self.setObjectName("breakpoints")
        self.setWindowTitle(tr("Breakpoints"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(680, 340)
        self._control = control
        self._told = BreakpointList((), frozenset())
        self._typed = "", 1  # the last breakpoint added, and its number of hits
        self.field = QuestionField()
        self.field.setAccessibleName(tr("a question, or the number of an event"))
        self.field.setPlaceholderText(tr("a question, or the number of an event"))
        self.times = QSpinBox()
        self.times.setRange(1, MOST_TIMES)
        self.times.setPrefix(tr("every "))
        self.times.setSuffix(tr(" hits"))
        self.times.setSpecialValueText(tr("at every hit"))
        self.times.setAccessibleName(tr("how often it has to hold"))
        self.times.setToolTip(tr("10: the run stops at the 10th hit from here on, then at the 20th, and so on."))
        self.fault = FaultLine()
        self.listed = QListWidget()
        self.listed.setWordWrap(True)  # the number of hits stands at the end
        self.listed.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.listed.setAccessibleName(tr("Breakpoints"))
        self._remove, self._clear = push_button(tr("Remove")), push_button(tr("Clear all"))
        self._lay_out()
        for field in (self.field, self.times.lineEdit()):
            field.returnPressed.connect(self._add)
        self.listed.itemActivated.connect(self._go)
        self.listed.itemChanged.connect(self._switch)
        self._remove.clicked.connect(self._remove_chosen)
        self._clear.clicked.connect(control.clear_breakpoints)
        delete = QShortcut(QKeySequence(Qt.Key.Key_Delete), self.listed, context=Qt.ShortcutContext.WidgetShortcut)
        delete.activated.connect(self._remove_chosen)
        told.connect(self._show)
        control.list_breakpoints()
        self.field.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the focus from the field to the list below with the Down key."""
        if event.key() == Qt.Key.Key_Down and self.focusWidget() is self.field and self.listed.count():
            self.listed.setFocus(Qt.FocusReason.TabFocusReason)
            self.listed.setCurrentRow(0)
        else:
            super().keyPressEvent(event)

    def _lay_out(self) -> None:
        note = QLabel(
            tr(
                "A run stops just before these events. Del removes one, Space switches it off and on; "
                "Enter goes to one with a number, and takes another up to be changed."
            )
        )
        note.setWordWrap(True)
        buttons = self._remove, self._clear
        typing = in_row(None, (self.field, 1), self.times)
        in_column(self, note, typing, self.fault, self.listed, in_row(None, STRETCH, *buttons), margins=None)

    def _show(self, breakpoints: BreakpointList) -> None:
        self.fault.say(breakpoints.fault)
        if breakpoints.fault and not self.field.text():
            text, times = self._typed  # to be corrected
            self.field.setText(text)
            self.times.setValue(times)
        known, self._told = self._told, breakpoints._replace(fault="")
        if known == self._told:
            return
        row = self.listed.currentRow()
        with QSignalBlocker(self.listed):
            self.listed.clear()
            for one in self._told.entries:
                self._add_line(one)
            self.listed.setCurrentRow(min(row, len(self._told.entries) - 1))

    def _add_line(self, one: Breakpoint) -> None:
        text = tr("event {0}").format(grouped(one.what)) if isinstance(one.what, int) else one.what
        if one.times > 1:
            often = tr("every {0} hits after event {1}") if one.since else tr("every {0} hits")
            text += f"  ({often.format(grouped(one.times), grouped(one.since))})"
        for note in self._told.notes.get(one.what, ()):
            text += f"\n{note.said(tr)}"
        if one.what in self._told.asleep:
            text += f"  ({tr('this run has no such thing')})"
        line = QListWidgetItem(text, self.listed)
        line.setCheckState(Qt.CheckState.Checked if one.on else Qt.CheckState.Unchecked)

    def _add(self) -> None:
        text, times = self._typed = self.field.text(), self.times.value()
        if text.strip():
            self.field.clear()
            self._control.break_where(text, times)
            self.times.setValue(1)

    def _go(self) -> None:
        chosen = self._told.entries[self.listed.currentRow()]
        if isinstance(chosen.what, int):
            self._control.go_to(chosen.what - 1)
        else:
            self.field.setText(chosen.what)
            self.times.setValue(chosen.times)
            self.field.setFocus()

    def _switch(self, line: QListWidgetItem) -> None:
        chosen = self._told.entries[self.listed.row(line)]
        self._control.switch_breakpoint(chosen.what, line.checkState() is Qt.CheckState.Checked)

    def _remove_chosen(self) -> None:
        row = self.listed.currentRow()
        if 0 <= row < len(self._told.entries):
            self._control.remove_breakpoint(self._told.entries[row].what)
