"""What is said of faults: in one line beside a field, and on a page in the place of a panel."""

from __future__ import annotations

import re

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QLabel, QScrollArea, QSizePolicy, QWidget

from slotscope.gui.faults import Fault
from slotscope.gui.language.words import line_of, tr
from slotscope.gui.theme import Theme
from slotscope.gui.widgets.boxes import push_button
from slotscope.gui.widgets.rows import STRETCH, in_column, in_row
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


class FaultPage(QScrollArea):
    """What went wrong, what goes on, and what can be done."""

    again = Signal()  #: the panel is to be tried again

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Fault"))
        self._details = ""
        self.words = QLabel()
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setWordWrap(True)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.retry = push_button(tr("Try again"))
        self.retry.setToolTip(tr("Try again\nBuilds the panel afresh and shows the present moment."))
        self.retry.clicked.connect(self.again)
        self.copy = push_button(tr("Copy the details"))
        self.copy.setToolTip(
            tr("Copy the details\nFor a report: where it happened, and the command that opens this moment.")
        )
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self._details))
        page = QWidget()
        row = in_row(None, self.retry, self.copy, STRETCH)
        in_column(page, STRETCH, self.words, row, STRETCH, margins=None)
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setWidget(page)

    def show_fault(self, title: str, fault: Fault, moment: str) -> None:
        """Show a fault of the panel of this title; *moment* is the command that opens it."""
        self.words.setText(
            tr(
                "{title} cannot be shown: {fault}\n\n"
                "The run and the other panels go on. Try again, here or at another moment."
            ).format(title=title, fault=fault.sentence)
        )
        self._details = f"{moment}\n{fault.details}"
