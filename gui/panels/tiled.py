"""A panel of the few numbers that are read from the last row, above a picture."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtWidgets import QVBoxLayout

from slotscope.gui.panel import Panel
from slotscope.gui.panels.tiles import Tiles


class TiledPanel(Panel):
    """Numbers in ``self.tiles``; a subclass adds to ``self.column`` what stands below them."""

    spacing: ClassVar[int] = 2  #: pixels between what stands below each other

    def build(self) -> None:
        """The numbers, at the top of a column."""
        self.tiles = Tiles(self.theme, self.body)
        self.column = QVBoxLayout(self.body)
        self.column.setContentsMargins(0, 0, 0, 4)
        self.column.setSpacing(self.spacing)
        self.column.addWidget(self.tiles)
        self.follow_theme(self.tiles)
        self.ground(self.body)
