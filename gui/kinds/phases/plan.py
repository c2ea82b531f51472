"""The single-server problem and the system beside it: Phi*, Nbar, the budget, the gap, peers."""

from __future__ import annotations

from typing import Any, Iterable

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from slotscope.gui.intents import Solve
from slotscope.gui.kinds.phases.plan_axis import ServersAxis
from slotscope.gui.kinds.phases.plan_gap import GapPlot
from slotscope.gui.kinds.phases.plan_values import (
    axis_rows,
    dual_table,
    gap_points,
    levels,
    pool_lines,
    progress_text,
    proof_lines,
    so_far,
    tiles,
)
from slotscope.gui.language.words import tr
from slotscope.gui.panel import Panel
from slotscope.gui.panels.columns import HeadedColumns
from slotscope.gui.panels.pages import BoundsPages, rich_text
from slotscope.gui.panels.tiles import LabelPace, Tiles
from slotscope.gui.theme import Theme, current_fonts
from slotscope.model.reporting.frame import Frame, RunInfo

#: From this width on, at the usual size of type, pictures stand beside each other.
_TWO_COLUMNS = 880


class SolvingPage(QWidget):
    """A sentence over a bar that moves, and a button: stop, then begin again."""

    asked = Signal(bool)  #: whether to solve

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = text
        self._stopped = False
        self.words = QLabel(text)
        self.words.setWordWrap(True)
        self.words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.progress = QLabel()
        self.progress.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.bar = QProgressBar()
        self.bar.setRange(0, 0)
        self.bar.setMaximumWidth(260)
        self.button = QPushButton("Stop")
        self.button.clicked.connect(self._toggle)
        column = QVBoxLayout(self)
        column.addStretch(1)
        column.addWidget(self.words)
        column.addWidget(self.progress)
        column.addWidget(self.bar, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)

    def set_progress(self, text: str) -> None:
        """Say how far it is."""
        self.progress.setText(text)

    def _toggle(self) -> None:
        self._stopped = not self._stopped
        self.words.setText("Solving was stopped." if self._stopped else self._text)
        self.bar.setVisible(not self._stopped)
        self.button.setText("Solve" if self._stopped else "Stop")
        self.asked.emit(not self._stopped)


class PlanPanel(Panel):
    """What the best single-server policy achieves, and how far the run is from it."""

    name = "plan"
    title = "Plan and gap"
    summary = "The bound N̄ of (61), its budget and its prices; the servers that policies need."
    needs = frozenset({"bounds", "phases"})

    def build(self) -> None:
        """Three pages: the numbers, a busy sign, a sentence."""
        self._info: RunInfo | None = None
        self._bounds: Any = None
        self._pace = LabelPace()
        self._fill_content()
        self.solving = SolvingPage(tr("Solving the single-server problem …"))
        self.solving.asked.connect(lambda wanted: self.intent.emit(Solve(wanted)))
        self._pages = BoundsPages(self.body, self._area, self.solving)
        self.restyle(self.theme)

    def _fill_content(self) -> None:
        self.tiles = Tiles(self.theme)
        self.axis = ServersAxis(self.theme, "servers that policies need")
        self.gap = GapPlot(self.theme)
        self.pools = rich_text("pools of the plan")
        self.prices = rich_text("prices of the optimum")
        self.proof = rich_text("checks of the solution")
        self._area = HeadedColumns(self.tiles)
        self._arrange(1)

    def _arrange(self, columns: int) -> None:
        """All below each other, or the plot of the gap beside the rest."""
        words: list[QWidget] = [self.pools, self.prices, self.proof]
        if columns == 1:
            self._area.arrange([self.axis, self.gap, *words], growing=[self.gap])
        else:
            self._area.arrange([self.axis, *words], [self.gap], [self.gap])

    # Frames.

    def show_frame(self, frame: Frame) -> None:
        """Follow the bounds as they become known, and the run."""
        if frame.info is not self._info or frame.bounds is not self._bounds:
            if frame.info is not self._info:
                self.axis.begin()
            self._info, self._bounds = frame.info, frame.bounds
            self._begin(frame)
        elif not self._pace.due(frame.running):
            return
        if self._pages.currentWidget() is self._area:
            self._show_present(frame)

    def _begin(self, frame: Frame) -> None:
        """Other bounds, or more of them."""
        bounds = self._bounds
        if not bounds.solved:
            self.solving.set_progress(progress_text(bounds))
        if not self._pages.choose(bounds.solved, bounds.problem):
            return
        scale = float(frame.info.numbers.scale)
        ours, peers = gap_points(bounds.points, bounds.nbar, scale)
        self.gap.setVisible(bool(ours))
        self.gap.set_points(ours, peers)
        self.axis.set_levels(levels(frame, bounds))
        self._write(frame.info)
        self._arrange_by_width()

    def _write(self, info: RunInfo) -> None:
        """Sentences and tables."""
        bounds = self._bounds
        for label, text in (
            (self.pools, pool_lines(info, self.theme)),
            (self.prices, dual_table(bounds, info, self.theme)),
            (self.proof, "" if current_fonts().lecture else proof_lines(bounds, self.theme)),
        ):
            label.setText(text)
            label.setVisible(bool(text))

    def _show_present(self, frame: Frame) -> None:
        """The run beside its bound."""
        measured = so_far(frame)
        self.tiles.set_texts(tiles(frame, self._bounds, measured))
        self.axis.set_rows(axis_rows(frame, self._bounds, measured))

    # The window.

    def minimumSizeHint(self) -> QSize:
        """So wide that policies have their titles; lecture mode gives a panel what it asks for."""
        least = super().minimumSizeHint()
        titles = self.axis.whole_width + self._area.verticalScrollBar().sizeHint().width()
        return QSize(max(least.width(), titles), least.height())

    def restyle(self, theme: Theme) -> None:
        """Follow another theme or size of type."""
        self._pages.restyle(theme)
        for part in (self.tiles, self.axis, self.gap):
            part.restyle(theme)
        if self._info is not None and self._bounds is not None and self._bounds.solved:
            self._write(self._info)
        self._arrange_by_width()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange_by_width()

    def _arrange_by_width(self) -> None:
        """Two columns where there is room for them."""
        wide = self.width() >= _TWO_COLUMNS * current_fonts().scale
        self._arrange(2 if wide and not self.gap.isHidden() else 1)

    def series(self) -> tuple[list[str], Iterable[Iterable[object]]] | None:
        """The short runs beside the scenario."""
        if self._bounds is None or not self._bounds.points:
            return None
        names = ["policy", "r", "active_servers", "half_width", "cost_rate", "cost_half_width"]
        return names, (
            (
                point.title,
                point.scale,
                point.active_servers.mean,
                point.active_servers.half_width,
                point.cost_rate.mean,
                point.cost_rate.half_width,
            )
            for point in self._bounds.points
        )
