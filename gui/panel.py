"""What every panel is: a widget that shows frames and emits intents.

A panel declares what it needs of a system and is offered wherever a system has that.  It
gets read-only frames and knows neither the run nor other panels.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Iterable

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QLabel, QStackedLayout, QWidget

from gui.intents import Select
from gui.theme import Theme
from model.frame import Frame


class Panel(QWidget):
    """Base of all panels.

    A subclass builds its picture in :meth:`build` into ``self.body`` and updates it in
    :meth:`show_frame`.  Where it has nothing to show it calls :meth:`show_note` instead.
    """

    name: ClassVar[str]  #: for scripts and saved layouts
    title: ClassVar[str]  #: on the dock
    summary: ClassVar[str]  #: one sentence, for tooltips and menus
    needs: ClassVar[frozenset[str]] = frozenset()  #: what the system must offer
    place: ClassVar[str] = "right"  #: where it docks at first: centre, right, bottom

    intent = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.frame: Frame | None = None
        self.selection = Select()
        self.body = QWidget(self)
        self._note = QLabel(self)
        self._note.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._note.setWordWrap(True)
        self._stack = QStackedLayout(self)
        self._stack.setContentsMargins(0, 0, 0, 0)
        self._stack.addWidget(self.body)
        self._stack.addWidget(self._note)
        self.setObjectName(f"panel-{self.name}")
        self.setAccessibleName(self.title)
        self.build()
        self.show_note("Nothing has run yet.")

    # For subclasses.

    def build(self) -> None:
        """Build the widgets in ``self.body``; called once."""

    def show_frame(self, frame: Frame) -> None:
        """Show a new frame (``self.frame`` is set already)."""

    def show_selection(self, selection: Select) -> None:
        """Show what is pointed at."""

    def restyle(self, theme: Theme) -> None:
        """Follow another theme or size of type."""

    def series(self) -> tuple[list[str], Iterable[Iterable[object]]] | None:
        """Column names and rows for a CSV file; None if the panel has no series."""
        return None

    def json_lines(self) -> Iterable[str] | None:
        """One JSON text per row; None if the panel has no log."""
        return None

    # For the main window.

    def set_frame(self, frame: Frame) -> None:
        """Show a frame, unless the system lacks what this panel needs."""
        self.frame = frame
        missing = self.needs - frame.info.offers
        if missing:
            self.show_note(f"{self.title} does not apply to {frame.info.policy_title}: "
                           f"it has no {', '.join(sorted(missing))}.")  # fmt: skip
            return
        self._stack.setCurrentWidget(self.body)
        self.show_frame(frame)

    def set_selection(self, selection: Select) -> None:
        """Show what is pointed at anywhere in the window."""
        self.selection = selection
        self.show_selection(selection)

    def set_theme(self, theme: Theme) -> None:
        """Follow another theme."""
        self.theme = theme
        self.restyle(theme)
        if self.frame is not None:
            self.set_frame(self.frame)

    def show_note(self, text: str) -> None:
        """Show a sentence instead of the picture."""
        self._note.setText(text)
        self._stack.setCurrentWidget(self._note)

    def save_png(self, path: Path, scale: float = 2.0) -> None:
        """Save the picture as PNG."""
        picture = self.grab()
        if scale != 1.0:
            picture = picture.scaled(picture.size() * scale)
        picture.save(str(path), "PNG")

    def save_svg(self, path: Path) -> None:
        """Save the picture as SVG."""
        from PySide6.QtSvg import QSvgGenerator

        generator = QSvgGenerator()
        generator.setFileName(str(path))
        generator.setSize(self.size())
        generator.setViewBox(self.rect())
        generator.setTitle(self.title)
        generator.setResolution(self.logicalDpiX())
        painter = QPainter(generator)
        self.render(painter, QPoint())
        painter.end()
