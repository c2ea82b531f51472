"""What the bars of the theory share: rows of one height below a heading."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QSizePolicy, QWidget

from slotscope.gui.panels.wording import THIN
from slotscope.gui.theme import Theme, type_letter
from slotscope.gui.widgets.chart import Chart
from slotscope.model.programs.configurations import Configuration

MARGIN, GAP, PAD = 10.0, 10.0, 6.0
#: Most of a widget's width that names may take.
NAMES = 0.34
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def configuration_text(configuration: Configuration, metrics: QFontMetricsF, room: float) -> str:
    """A configuration as the paper writes it, or its types alone where that is too long."""
    whole = f"({', '.join(map(str, configuration))})"
    if metrics.horizontalAdvance(whole) <= room:
        return whole
    parts = [f"{count}{THIN}{type_letter(j)}" for j, count in enumerate(configuration) if count]
    return metrics.elidedText(" + ".join(parts) or "empty", Qt.TextElideMode.ElideRight, room)


class Rows(Chart):
    """Rows below a heading; the height is that of the most rows so far, so nothing jumps."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(theme, name, parent, QSizePolicy.Policy.Fixed)
        self.most_rows = 0
        self.other_lines = 1.0  # the heading, and what stands below the rows

    def row_height(self) -> float:
        """Pixels from one row to the next."""
        return self._metrics().height() + PAD

    def make_room(self, rows: int) -> None:
        """Have room for so many rows, and paint."""
        if rows > self.most_rows:
            self.most_rows = rows
            self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, round((self.most_rows + self.other_lines) * self.row_height() + PAD))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())
