"""A small switch in a corner of a picture between a linear and a logarithmic scale."""

from __future__ import annotations

from PySide6.QtWidgets import QToolButton, QWidget

from slotscope.gui.theme import Theme, current_fonts


class LogSwitch(QToolButton):
    """Pressed: logarithmic."""

    def __init__(self, what: str, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setText("log")
        self.setCheckable(True)
        self.setToolTip(f"Log: {what} on a logarithmic scale.")
        self.setAccessibleName(f"logarithmic {what}")
        self.restyle(theme)

    def restyle(self, theme: Theme) -> None:
        """Follow another theme or size of type."""
        # It stands in a picture, where without an edge it would pass for a label.
        edge = f"border: 1px solid {theme.border}; border-radius: 4px; padding: 0px 4px;"
        self.setStyleSheet(
            f"QToolButton {{ {edge} color: {theme.muted}; background: {theme.panel}; }}"
            f"QToolButton:hover, QToolButton:focus {{ border-color: {theme.focus}; }}"
            f"QToolButton:checked {{ color: {theme.normal}; background: {theme.selection}; }}"
        )
        self.setFont(current_fonts().body)
        self.adjustSize()

    def stand_at(self, right: float, height: float) -> None:
        """Stand at the right end of a heading of this height."""
        self.adjustSize()
        self.move(round(right - self.width()), round((height - self.height()) / 2))
