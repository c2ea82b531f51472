"""A panel that one picture fills."""

from __future__ import annotations

from typing import Any, Callable, ClassVar, Iterable

from PySide6.QtWidgets import QVBoxLayout

from slotscope.gui.intents import Select
from slotscope.gui.panel import Panel
from slotscope.gui.theme import Theme
from slotscope.model.reporting.frame import Frame


class PicturePanel(Panel):
    """Passes all on to its picture; a subclass says which."""

    #: A widget made of theme and parent, with ``set_frame``, ``set_selection``, ``set_theme`` and a
    #: signal ``chosen``.
    picture: ClassVar[type[Any]]
    #: What the picture shows as a table: the names of its columns, and its rows.
    header: Callable[[Frame], list[str]]
    rows: Callable[[Frame], Iterable[Iterable[object]]]

    def build(self) -> None:
        """One view that fills the panel."""
        self.view: Any = self.picture(self.theme, self.body)
        self.view.chosen.connect(self.intent.emit)
        column = QVBoxLayout(self.body)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.view)

    def show_frame(self, frame: Frame) -> None:
        """Show a moment."""
        self.view.set_frame(frame)

    def show_selection(self, selection: Select) -> None:
        """Outline what is pointed at."""
        self.view.set_selection(selection)

    def series(self) -> tuple[list[str], Iterable[Iterable[object]]] | None:
        """What the picture shows."""
        if self.frame is None:
            return None
        return self.header(self.frame), self.rows(self.frame)

    def restyle(self, theme: Theme) -> None:
        """Follow another theme or size of type."""
        self.view.set_theme(theme)
