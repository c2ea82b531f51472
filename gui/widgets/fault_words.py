"""Display of faults: a line beside a field, and a page in place of a panel."""

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
    """One wrapped sentence; its minimum height grows until all lines are visible."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("fault")  # selects the stylesheet's colour
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.hide()

    def say(self, text: str) -> None:
        """Show this text; hide if it is empty."""
        self.setText(text)
        self._fit()
        self.setVisible(bool(text))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self.setMinimumHeight(self.heightForWidth(self.width()) if self.text() else 0)


#: Widths in characters: preferred, and minimum.
_WANTED, _LEAST = 60, 14

#: The folders of a policy's file, at the start of a fault; the phrase *wants to run* does not stand before it.
_FOLDERS = re.compile(r"^(?:(?! wants to run ).)*?[/\\](?=[^/\\]*\.py\b)")
#: What precedes the actual fault: file, line, event.
_PREAMBLE = re.compile(
    r"^(?P<file>.*\.py, )?(?P<line>line \d+(?:, column \d+)?: )"
    r"(?:at event \d+ \([^()]*\): |at the start: )?(?:the decision is impossible: )?"
)


def without_folders(text: str) -> str:
    """A fault text with the policy's file named without its folders."""
    return _FOLDERS.sub("", text, count=1)


def brief_line(error: UserError) -> str:
    """An error in one line; a policy file is named without its folders."""
    line = line_of(error)
    return without_folders(line) if isinstance(error, PolicyFileError) else line


class FaultLabel(QLabel):
    """A fault, elided to the available width; the whole text is in the tooltip."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("policy-fault")
        self.setAccessibleName(tr("what is wrong with the policy"))
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._said = ""
        self.hide()

    def show_text(self, text: str, theme: Theme, named: str) -> None:
        """Show a line, or hide if empty; a file *named* by the field itself is left out."""
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
    """The page for a panel's fault: what went wrong, what goes on, and what can be done."""

    again = Signal()  #: the user wants the panel to be built again

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
        """Show a fault of the panel with this title; *moment*, the command that opens it, joins the copied details."""
        self.words.setText(
            tr(
                "{title} cannot be shown: {fault}\n\n"
                "The run and the other panels go on. Try again, here or at another moment."
            ).format(title=title, fault=fault.sentence)
        )
        self._details = f"{moment}\n{fault.details}"
