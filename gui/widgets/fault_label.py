"""One line beside a field about what is wrong with it, as much of it as there is room for."""

from __future__ import annotations

import re

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy

from slotscope.gui.language.words import line_of, tr
from slotscope.gui.theme import Theme
from slotscope.model.errors import PolicyFileError, UserError


class FaultLine(QLabel):
    """One sentence in as many lines as it takes; what it stands in grows until all are seen."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("fault")  # by which the application's stylesheet colours it
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.hide()

    def say(self, text: str) -> None:
        """Say this; nothing takes no room."""
        self.setText(text)
        self._fit()
        self.setVisible(bool(text))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self.setMinimumHeight(self.heightForWidth(self.width()) if self.text() else 0)


#: Characters that the label would like to show, and does with at least.
_WANTED, _LEAST = 60, 14

#: The folders of a policy's file, at the start of a fault; what wants to run one stands before it.
_FOLDERS = re.compile(r"^(?:(?! wants to run ).)*?[/\\](?=[^/\\]*\.py\b)")
#: What a fault says before the fault itself, besides the file and the line.
_PREAMBLE = re.compile(
    r"^(?P<file>.*\.py, )?(?P<line>line \d+(?:, column \d+)?: )"
    r"(?:at event \d+ \([^()]*\): |at the start: )?(?:the decision is impossible: )?"
)


def without_folders(text: str) -> str:
    """A fault that names a policy's file by its name alone."""
    return _FOLDERS.sub("", text, count=1)


def brief_line(error: UserError) -> str:
    """What is wrong, in one line; of a policy's file without its folders."""
    line = line_of(error)
    return without_folders(line) if isinstance(error, PolicyFileError) else line


class FaultLabel(QLabel):
    """What is wrong, cut to the room there is; all of it in the tooltip."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("policy-fault")
        self.setAccessibleName(tr("what is wrong with the policy"))
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._said = ""
        self.hide()

    def show_text(self, text: str, theme: Theme, named: str) -> None:
        """Show a line, or nothing; a file is not *named* again that the field itself names."""
        self.setToolTip(text)
        self.setAccessibleDescription(text)
        self.setStyleSheet(f"color: {theme.ink(theme.rejection)}; padding-left: 4px")
        said = without_folders(text)
        self._said = _PREAMBLE.sub(r"\g<line>" if said.startswith(f"{named}, ") else r"\g<file>\g<line>", said)
        self.setVisible(bool(text))
        self.updateGeometry()
        self._cut()

    def sizeHint(self) -> QSize:
        return QSize(_WANTED * self.fontMetrics().averageCharWidth(), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(_LEAST * self.fontMetrics().averageCharWidth(), super().sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._cut()

    def _cut(self) -> None:
        room = self.contentsRect().width() - self.fontMetrics().averageCharWidth()
        self.setText(self.fontMetrics().elidedText(self._said, Qt.TextElideMode.ElideRight, room))
