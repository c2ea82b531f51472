"""What an experiment has found so far: the picture, the numbers, and the notes on them."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QSplitter, QTabBar, QTextBrowser, QVBoxLayout, QWidget

from slotscope.gui.experiments.picture import ResultPicture
from slotscope.gui.experiments.table import NumbersTable
from slotscope.gui.experiments.words import typeset
from slotscope.gui.language.words import tr
from slotscope.gui.theme import Theme, current_fonts, view_palette
from slotscope.model.lab.results import Result

#: Width that numbers and notes need side by side, at the usual size of type.
_BOTH = 840


class Results(QWidget):
    """The picture above; below it numbers and notes, side by side where there is room."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.picture = ResultPicture(theme)
        self.table = NumbersTable()
        self.notes = QTextBrowser()
        self.notes.setAccessibleName(tr("notes on the numbers"))
        self.notes.setFrameShape(QFrame.Shape.NoFrame)
        self.notes.document().setDocumentMargin(8)
        self.tabs = QTabBar()
        self.tabs.setDrawBase(False)
        self.tabs.setAccessibleName(tr("numbers or notes"))
        for name, tip in (
            (tr("Numbers"), tr("The numbers beside the paper's.")),
            (tr("Notes"), tr("What the paper says, and what was chosen.")),
        ):
            self.tabs.setTabToolTip(self.tabs.addTab(name), f"{name}\n{tip}")
        self.tabs.currentChanged.connect(self._arrange)
        below = QWidget()
        column = QVBoxLayout(below)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.tabs)
        column.addWidget(split(Qt.Orientation.Horizontal, (self.table, 68), (self.notes, 32)), 1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(split(Qt.Orientation.Vertical, (self.picture, 60), (below, 40)))
        self.set_theme(theme)

    def show_result(self, result: Result | None, note: str, *, complete: bool) -> None:
        """Show a result, or as much of it as there is; *note* where there is no curve yet."""
        figures = result.figures if result is not None else ()
        self.picture.show_figures(figures, note, complete=complete)
        self.table.show_rows(result.rows if result is not None else ())
        notes = "\n\n".join(map(typeset, result.notes)) if result is not None else ""
        if notes != self.notes.toPlainText():
            self.notes.setPlainText(notes)

    def set_theme(self, theme: Theme) -> None:
        """Follow another theme or size of type."""
        self.picture.set_theme(theme)
        self.table.restyle()
        self.notes.setPalette(view_palette(theme))
        self._arrange()

    def _arrange(self) -> None:
        narrow = self.width() < _BOTH * current_fonts().scale
        self.tabs.setVisible(narrow)
        self.table.setVisible(not narrow or self.tabs.currentIndex() == 0)
        self.notes.setVisible(not narrow or self.tabs.currentIndex() == 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Both, or one behind the other."""
        super().resizeEvent(event)
        self._arrange()


def split(orientation: Qt.Orientation, *parts: tuple[QWidget, int]) -> QSplitter:
    """A splitter; the numbers are the parts' shares, and say who takes room that is left."""
    splitter = QSplitter(orientation)
    splitter.setChildrenCollapsible(False)
    for place, (widget, share) in enumerate(parts):
        splitter.addWidget(widget)
        splitter.setStretchFactor(place, share)
    splitter.setSizes([10 * share for _, share in parts])
    return splitter
