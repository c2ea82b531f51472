"""Fields of the form for an experiment, each with a line for its error."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Callable

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QPlainTextEdit, QSizePolicy, QSpinBox, QToolButton, QWidget

from slotscope.gui.language.words import tr
from slotscope.gui.theme import Theme
from slotscope.gui.widgets.boxes import ChoiceBox, changed_by_editing
from slotscope.gui.widgets.fault_words import FaultLine
from slotscope.gui.widgets.file_dialogs import ask_files, ask_folder
from slotscope.gui.widgets.rows import in_column, in_row
from slotscope.model.errors import UserError
from slotscope.model.folders import without_tilde

#: Words about command-line options in error messages, and their replacements for the form.
_HERE = {
    "the same command goes on from there": "Run goes on from there",
    "; choose another folder with --out": "; choose another folder",
    " with --trace PATH": "",
    "--seed and --replications": "replications",
    "a last seed": "a last seed, so fewer replications",
}
_OPTION = re.compile(r"--(?:vary|policy|out|trace|until|warmup|seed)\b ?")


def words_of(error: UserError) -> str:
    """An error's message without the names of command-line options."""
    message = error.message
    for there, here in _HERE.items():
        message = message.replace(there, here)
    where = _OPTION.sub("", error.where).strip(": ")
    return f"{where}: {message}" if where else message


class CaptionedField(QWidget):
    """A caption, an editor, and below it the error in its value."""

    edited = Signal()

    def __init__(self, caption: str, tip: str, editor: QWidget, *beside: QWidget) -> None:
        super().__init__()
        self.editor = editor
        self.caption = QLabel(caption)
        self.caption.setBuddy(editor)
        self.fault = FaultLine()
        name = caption.replace("&", "")
        for widget in (self.caption, editor):
            widget.setToolTip(f"{name.capitalize()}\n{tip}")
        editor.setAccessibleName(name)
        row = in_row(None, (editor, 1), *beside, spacing=4)
        in_column(self, self.caption, row, self.fault, spacing=1)

    def restyle(self, theme: Theme) -> None:
        self.caption.setStyleSheet(f"color: {theme.muted}")


class LineField(CaptionedField):
    """One line of text, with buttons *beside* it."""

    def __init__(self, caption: str, tip: str, *beside: QWidget) -> None:
        self.line = QLineEdit()
        super().__init__(caption, tip, self.line, *beside)
        self.line.textChanged.connect(self.edited)

    @property
    def text(self) -> str:
        """The text without surrounding blanks."""
        return self.line.text().strip()


class LinesField(CaptionedField):
    """Several lines of text; Tab moves to the next field."""

    def __init__(self, caption: str, tip: str, rows: int) -> None:
        self.area = _Lines(rows)
        super().__init__(caption, tip, self.area)
        self.area.textChanged.connect(self.edited)

    @property
    def lines(self) -> list[str]:
        """The lines that are not empty."""
        return [line.strip() for line in self.area.toPlainText().splitlines() if line.strip()]


class _Lines(QPlainTextEdit):
    def __init__(self, rows: int) -> None:
        super().__init__()
        self._rows = rows
        self.setTabChangesFocus(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)

    def sizeHint(self) -> QSize:
        frame = 2 * round(self.document().documentMargin()) + 2 * self.frameWidth() + 2
        return QSize(super().sizeHint().width(), self._rows * self.fontMetrics().height() + frame)


class NumberField(CaptionedField):
    """A whole number."""

    def __init__(self, caption: str, tip: str, value: int, least: int, most: int) -> None:
        self.box = QSpinBox()
        changed_by_editing(self.box)
        self.box.setRange(least, most)
        self.box.setValue(value)
        super().__init__(caption, tip, self.box)
        self.box.valueChanged.connect(self.edited)


class ChoiceField(CaptionedField):
    """One of several named values."""

    def __init__(self, caption: str, tip: str, choices: dict[str, str]) -> None:
        self.box = ChoiceBox()
        for value, title in choices.items():
            self.box.addItem(title, value)
        super().__init__(caption, tip, self.box)
        self.box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.box.setMinimumContentsLength(8)
        self.box.currentIndexChanged.connect(self.edited)

    @property
    def value(self) -> str:
        """The value chosen."""
        return str(self.box.currentData())


class FolderField(LineField):
    """The folder for results."""

    def __init__(self) -> None:
        super().__init__(
            tr("Results go to the fol&der"),
            tr("Data, pictures and the parts that are kept."),
            button(tr("choose"), tr("Choose\nChooses a folder."), self._ask),
        )

    @property
    def path(self) -> Path:
        return without_tilde(self.text)

    def _ask(self) -> None:
        ask_folder(self, tr("Results go to"), self.line.setText, self.text)


class TraceField(LineField):
    """Files of a recorded workload, or a folder of them."""

    def __init__(self) -> None:
        super().__init__(
            tr("&Trace"),
            tr("Files of a recorded workload, or their folder; several are set apart by '{sign}'.").format(
                sign=os.pathsep
            ),
            button(tr("files"), tr("Files\nChooses files of the trace."), self._ask_files),
            button(tr("folder"), tr("Folder\nChooses the folder of a trace."), self._ask_folder),
        )

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths entered."""
        parts = (part.strip() for part in self.text.split(os.pathsep))
        return tuple(str(without_tilde(part)) for part in parts if part)

    def _ask_files(self) -> None:
        ask_files(self, tr("Trace"), lambda chosen: self.line.setText(os.pathsep.join(chosen)))

    def _ask_folder(self) -> None:
        ask_folder(self, tr("Trace"), self.line.setText)


def button(text: str, tip: str, call: Callable[[], None]) -> QToolButton:
    """A small button beside a field."""
    made = QToolButton()
    made.setText(text)
    made.setToolTip(tip)
    made.setAccessibleName(tip.split("\n", maxsplit=1)[0])
    made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    made.clicked.connect(lambda _=False: call())
    return made
