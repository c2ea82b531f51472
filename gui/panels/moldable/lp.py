"""The optimum of (P): Theorem 1, its duals and what other theorems say about the run."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QVBoxLayout

from gui.panel import Panel
from gui.panels.wording import significant
from model.frame import Frame


class AllocationLPPanel(Panel):
    """What (P) and Theorem 1 say of the scenario."""

    name = "allocation-lp"
    title = "Optimum"
    summary = "(P) and Theorem 1: y*, p* and D*, and what is known of other policies."
    needs = frozenset({"bounds"})
    place = "right"

    def build(self) -> None:
        """One sentence."""
        self._text = QLabel()
        self._text.setWordWrap(True)
        self._text.setMargin(16)
        QVBoxLayout(self.body).addWidget(self._text)

    def show_frame(self, frame: Frame) -> None:
        """D*."""
        best = frame.info.numbers.optimum
        self._text.setText("" if best is None else f"D* = {significant(float(best.objective))}")
