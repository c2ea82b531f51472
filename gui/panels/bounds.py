"""The base of panels of bounds: results in columns, a page while they are computed, or why there are none."""

from __future__ import annotations

from typing import Any, Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QProgressBar, QStackedLayout, QWidget

from slotscope.gui.panel import Panel
from slotscope.gui.panels.columns import HeadedColumns
from slotscope.gui.panels.tiles import Tiles
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.rows import STRETCH, in_column
from slotscope.model.reporting.frame import Frame

#: Least width in pixels, at the usual font size, for two columns.
TWO_COLUMNS = 880


class BoundsPanel(Panel):
    """Follows the bounds of a run as they become known.

    A subclass builds the parts of the page of results, then calls :meth:`build_pages`; it tells whether there are
    results (:meth:`knows`), shows them (:meth:`show_bounds`, :meth:`write`), and the run beside them
    (:meth:`show_present`).
    """

    def build(self) -> None:
        """Create the tiles; subclasses continue."""
        self.bounds: Any = None  #: the bounds shown, of the kind's own class; None before the first
        self.tiles = Tiles(self.theme)
        self.follow_theme(self.tiles)

    def build_pages(self, busy: QWidget, head: QWidget | None = None) -> None:
        """Create the three pages; *head* is placed above the columns, in place of the tiles alone."""
        self.area = HeadedColumns(head or self.tiles)
        self._busy = busy
        self._sentence = QLabel(wordWrap=True, margin=16, alignment=Qt.AlignmentFlag.AlignCenter)
        self._pages = QStackedLayout(self.body)
        self._pages.setContentsMargins(0, 0, 0, 0)
        for page in (self.area, busy, self._sentence):
            self._pages.addWidget(page)
        self.arrange()  # parts added to the page later would not get its background
        self.ground(self.body, self.area.content, busy, self._sentence)
        self.restyle(self.theme)  # parts derive their minimum heights from the font size

    # What a kind says.

    #: Whether there is anything to show of bounds.
    knows: Callable[[Any], bool]

    def problem_of(self, bounds: Any) -> str:
        """Why there will be no bounds; empty while they are computed."""
        return str(bounds.problem)

    def show_waiting(self) -> None:
        """Update what is shown while the bounds are not known."""

    def show_bounds(self, frame: Frame) -> None:
        """Take new bounds, or more of them."""

    def write(self) -> None:
        """Write sentences and tables, which contain colours."""

    def show_present(self, frame: Frame) -> None:
        """Show the run beside its bounds."""

    # Frames.

    def begin(self, frame: Frame) -> None:
        """Clear the bounds for another run, even if its bounds are not known either."""
        self.bounds = None
        self.tiles.forget()

    def show_frame(self, frame: Frame) -> None:
        """Take new bounds at once, and show the run beside them a few times a second."""
        if frame.bounds is not self.bounds:
            self.bounds = frame.bounds
            known, problem = self.knows(self.bounds), self.problem_of(self.bounds)
            self._sentence.setText(problem)
            self._pages.setCurrentWidget(self.area if known else self._sentence if problem else self._busy)
            if known:
                self.show_bounds(frame)
                self.write()
                self.arrange()
            else:
                self.show_waiting()
        elif not self.numbers_due(frame):
            return
        if self.known:
            self.show_present(frame)

    @property
    def known(self) -> bool:
        """Whether the page of results is shown."""
        return self._pages.currentWidget() is self.area and self.bounds is not None

    # The window.

    @property
    def wide(self) -> bool:
        """Whether there is room for two columns."""
        return self.width() >= TWO_COLUMNS * current_fonts().scale

    def restyle(self, theme: Theme) -> None:
        super().restyle(theme)
        if self.known and self.current is not None:  # not between two runs
            self.write()


def say(*texts: tuple[QLabel, str]) -> None:
    """Set the texts of labels, and hide those whose text is empty."""
    for label, text in texts:
        label.setText(text)
        label.setVisible(bool(text))


def busy_page(text: str) -> QWidget:
    """A page with a sentence and a progress bar without an end."""
    page = QWidget()
    words = QLabel(text, wordWrap=True, alignment=Qt.AlignmentFlag.AlignCenter)
    bar = QProgressBar()
    bar.setRange(0, 0)
    bar.setMaximumWidth(260)
    in_column(page, STRETCH, words, (bar, 0, Qt.AlignmentFlag.AlignHCenter), STRETCH, margins=None)
    return page
