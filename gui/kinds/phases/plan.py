"""The single-server problem and the system beside it: Phi*, Nbar, the budget, the gap, other policies."""

from __future__ import annotations

from typing import Any, Iterable

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QLabel, QProgressBar, QWidget

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
from slotscope.gui.panels.bounds import BoundsPanel, say
from slotscope.gui.panels.pages import rich_text
from slotscope.gui.theme import current_fonts
from slotscope.gui.widgets.boxes import push_button
from slotscope.gui.widgets.rows import STRETCH, in_column
from slotscope.model.reporting.frame import Frame


class SolvingPage(QWidget):
    """A page with a sentence, a progress bar without an end, and a button that stops or restarts the solver."""

    asked = Signal(bool)  #: the button was pressed: True to solve, False to stop

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text
        self._stopped = False
        self.words = QLabel(text, wordWrap=True, alignment=Qt.AlignmentFlag.AlignCenter)
        self.progress = QLabel(alignment=Qt.AlignmentFlag.AlignCenter)
        self.bar = QProgressBar()
        self.bar.setRange(0, 0)
        self.bar.setMaximumWidth(260)
        self.button = push_button("Stop")
        self.button.clicked.connect(self._toggle)
        in_column(
            self,
            STRETCH,
            self.words,
            self.progress,
            (self.bar, 0, Qt.AlignmentFlag.AlignHCenter),
            (self.button, 0, Qt.AlignmentFlag.AlignHCenter),
            STRETCH,
            margins=None,
        )

    def set_progress(self, text: str) -> None:
        """Set the text of the progress."""
        self.progress.setText(text)

    def _toggle(self) -> None:
        self._stopped = not self._stopped
        self.words.setText("Solving was stopped." if self._stopped else self._text)
        self.bar.setVisible(not self._stopped)
        self.button.setText("Solve" if self._stopped else "Stop")
        self.asked.emit(not self._stopped)


class PlanPanel(BoundsPanel):
    """The optimum of the single-server problem, and the gap between the run and its bound."""

    name = "plan"
    title = "Plan and gap"
    summary = "The bound N̄ of (61), its budget and its prices; the servers that policies need."
    needs = frozenset({"bounds", "phases"})

    def build(self) -> None:
        """Create the three pages: results, progress, sentence."""
        super().build()
        self.axis = ServersAxis(self.theme, "servers that policies need")
        self.gap = GapPlot(self.theme)
        self.follow_theme(self.axis, self.gap)
        self.pools = rich_text("pools of the plan")
        self.prices = rich_text("prices of the optimum")
        self.proof = rich_text("checks of the solution")
        self.solving = SolvingPage(tr("Solving the single-server problem …"))
        self.solving.asked.connect(lambda wanted: self.intent.emit(Solve(wanted)))
        self.build_pages(self.solving)

    def begin(self, frame: Frame) -> None:
        """Reset the axis for another run, whose policies may need less room."""
        super().begin(frame)
        self.axis.begin()

    def knows(self, bounds: Any) -> bool:
        """Whether the problem is solved."""
        return bool(bounds.solved)

    def show_waiting(self) -> None:
        """Show the solver's progress."""
        self.solving.set_progress(progress_text(self.bounds))

    def show_bounds(self, frame: Frame) -> None:
        """Update the axis's levels, and the points of short runs."""
        ours, peers = gap_points(self.bounds.points, self.bounds.nbar, float(frame.info.numbers.scale))
        self.gap.setVisible(bool(ours))
        self.gap.set_points(ours, peers)
        self.axis.set_levels(tuple(levels(frame, self.bounds)))

    def write(self) -> None:
        """Write sentences and tables."""
        assert self.frame is not None
        info = self.frame.info
        say(
            (self.pools, pool_lines(info, self.theme)),
            (self.prices, dual_table(self.bounds, info, self.theme)),
            (self.proof, "" if current_fonts().lecture else proof_lines(self.bounds, self.theme)),
        )

    def show_present(self, frame: Frame) -> None:
        """Show the run's measures beside the bound."""
        measured = so_far(frame)
        self.tiles.set_texts(tiles(frame, self.bounds, measured))
        self.axis.set_rows(axis_rows(frame, self.bounds, measured))

    # The window.

    def minimumSizeHint(self) -> QSize:
        """Wide enough for the policies' full titles; lecture mode grants a panel this width."""
        least = super().minimumSizeHint()
        titles = self.axis.whole_width + self.area.verticalScrollBar().sizeHint().width()
        return QSize(max(least.width(), titles), least.height())

    def arrange(self) -> None:
        """Place everything in one column, or the plot of the gap beside the rest."""
        words: list[QWidget] = [self.pools, self.prices, self.proof]
        if self.wide and not self.gap.isHidden():
            self.area.arrange([self.axis, *words], [self.gap], [self.gap])
        else:
            self.area.arrange([self.axis, self.gap, *words], growing=[self.gap])

    def series(self) -> tuple[list[str], Iterable[Iterable[object]]] | None:
        """The short runs made beside the scenario."""
        if self.bounds is None or not self.bounds.points:
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
            for point in self.bounds.points
        )
