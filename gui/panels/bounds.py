"""A panel of bounds: what is known of them in columns, a sign that they are computed, or why there are none."""

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

#: From this width on, at the usual size of type, there is room for two columns.
TWO_COLUMNS = 880


class BoundsPanel(Panel):
    """Follows the bounds of a run as they become known.

    A subclass builds the parts of the page of what is known, then calls :meth:`build_pages`; it
    says what is known (:meth:`knows`), shows it (:meth:`show_bounds`, :meth:`write`), and the run
    beside it (:meth:`show_present`).
    """

    def build(self) -> None:
        """The few numbers above all; a subclass goes on."""
        self.bounds: Any = None  #: those that are shown, of the kind's own class; None before the first
        self.tiles = Tiles(self.theme)
        self.follow_theme(self.tiles)

    def build_pages(self, busy: QWidget, head: QWidget | None = None) -> None:
        """The three pages; *head* stands above the columns, in place of the numbers alone."""
        self.area = HeadedColumns(head or self.tiles)
        self._busy = busy
        self._sentence = QLabel(wordWrap=True, margin=16, alignment=Qt.AlignmentFlag.AlignCenter)
        self._pages = QStackedLayout(self.body)
        self._pages.setContentsMargins(0, 0, 0, 0)
        for page in (self.area, busy, self._sentence):
            self._pages.addWidget(page)
        self.arrange()  # parts that come into the page later would not take its ground on
        self.ground(self.body, self.area.content, busy, self._sentence)
        self.restyle(self.theme)  # parts take their least heights from the size of type

    # What a kind says.

    #: Whether there is anything to show of bounds.
    knows: Callable[[Any], bool]

    def problem_of(self, bounds: Any) -> str:
        """Why there will be none; empty while they are computed."""
        return str(bounds.problem)

    def show_waiting(self) -> None:
        """What there is to tell while they are not known."""

    def show_bounds(self, frame: Frame) -> None:
        """Other bounds, or more of them."""

    def write(self) -> None:
        """Sentences and tables, which have colours."""

    def show_present(self, frame: Frame) -> None:
        """The run beside its bounds."""

    # Frames.

    def begin(self, frame: Frame) -> None:
        """Another run: its bounds are others, even where they are not known either."""
        self.bounds = None
        self.tiles.forget()

    def show_frame(self, frame: Frame) -> None:
        """Follow the bounds as they become known, and the run a few times a second."""
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
        """Whether the page of what is known is shown."""
        return self._pages.currentWidget() is self.area and self.bounds is not None

    # The window.

    @property
    def wide(self) -> bool:
        """Whether there is room for two columns."""
        return self.width() >= TWO_COLUMNS * current_fonts().scale

    def restyle(self, theme: Theme) -> None:
        super().restyle(theme)
        if self.known and self.current is not None:  # between two runs there is nothing to write about
            self.write()


def say(*texts: tuple[QLabel, str]) -> None:
    """Write each text into its label, which is hidden without one."""
    for label, text in texts:
        label.setText(text)
        label.setVisible(bool(text))


def busy_page(text: str) -> QWidget:
    """A page with a sentence over a bar that moves."""
    page = QWidget()
    words = QLabel(text, wordWrap=True, alignment=Qt.AlignmentFlag.AlignCenter)
    bar = QProgressBar()
    bar.setRange(0, 0)
    bar.setMaximumWidth(260)
    in_column(page, STRETCH, words, (bar, 0, Qt.AlignmentFlag.AlignHCenter), STRETCH, margins=None)
    return page
