"""A line that asks for a lesson's file and a text, and adds the current moment to the lesson."""

from __future__ import annotations

from typing import Any, Callable

from PySide6.QtCore import QSettings, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QToolButton, QWidget

from slotscope.gui.language.words import line_of, tr
from slotscope.gui.widgets.fault_words import FaultLine
from slotscope.gui.widgets.rows import in_column, in_row
from slotscope.model.errors import UserError
from slotscope.model.folders import without_tilde
from slotscope.model.lessons.files import add_step

#: The settings key of the file that was added to last.
_FILE = "lesson-file"


class AddingLine(QWidget):
    """Asks for a lesson's file, new or existing, and the step's text, and appends the current moment as a step."""

    said = Signal(str)  #: (text): a line for the status bar

    def __init__(self, parent: QWidget, settings: QSettings, moment: Callable[[], dict[str, Any]]) -> None:
        super().__init__(parent)
        self.setObjectName("add-to-lesson")
        self._settings, self._moment = settings, moment
        self.file, self.text, self._fault = QLineEdit(), QLineEdit(), FaultLine()
        self.add = QToolButton()
        self.add.setText(tr("Add"))
        self.add.setToolTip(tr("Add\nWrites the moment at the end of the lesson (Enter)."))
        row = in_row(None)
        for title, field, share in ((tr("Lesson's file"), self.file, 2), (tr("Text"), self.text, 5)):
            field.setAccessibleName(title)
            field.returnPressed.connect(self.write)
            row.addWidget(QLabel(title))
            row.addWidget(field, share)
        self.file.setPlaceholderText(tr("my-lesson.toml, new or not"))
        self.text.setPlaceholderText(tr("What is to be said of this moment, in a few sentences"))
        self.add.clicked.connect(self.write)
        row.addWidget(self.add)
        in_column(self, row, self._fault, margins=(10, 2, 8, 4))
        self.hide()

    def ask(self) -> None:
        """Show the line, with the focus on the text."""
        self.file.setText(self.file.text() or str(self._settings.value(_FILE, "my-lesson.toml")))
        self._say_fault("")
        self.show()
        self.text.setFocus()

    def write(self) -> None:
        """Add the moment shown now as a step; errors are shown in the line."""
        path = without_tilde(self.file.text().strip())
        if path.suffix != ".toml":
            self._say_fault(tr("found '{path}', allowed: a path that ends in .toml").format(path=path))
            return
        try:
            lesson = add_step(path, {**self._moment(), "text": self.text.text().strip()})
        except UserError as error:
            self._say_fault(line_of(error))
            return
        self._settings.setValue(_FILE, str(path))
        self.text.clear()
        self.close()
        self.said.emit(
            tr("Step {number} of '{title}' written to {path}").format(
                number=len(lesson.steps), title=lesson.title, path=path.absolute()
            )
        )

    def _say_fault(self, text: str) -> None:
        self._fault.say(text)
        self._fault.setVisible(bool(text))

    def closeEvent(self, event: QCloseEvent) -> None:
        """Return the focus to the window when the line is closed."""
        super().closeEvent(event)
        self.window().setFocus()
