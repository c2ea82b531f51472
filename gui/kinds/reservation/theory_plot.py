"""V over time, and its part of the configurations, from a run's samples."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

from slotscope.gui.kinds.reservation.theory_values import read_function
from slotscope.gui.panels.wording import THIN, significant
from slotscope.gui.plotting.run_plot import RunPlot
from slotscope.gui.plotting.sampled import Columns, History, SampledSeries, Values
from slotscope.gui.theme import Theme, current_fonts
from slotscope.model.kinds.reservation.programs.lyapunov import Lyapunov
from slotscope.model.reporting.frame import Frame

#: The least height, in pixels at the usual size of type.
_HEIGHT = 190


class FunctionPlot(RunPlot):
    """The curve of V, muted after the moment shown, with the target at 0."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        about = "V(z) of (6.3) at the samples of the run, and what the configurations add to it."
        super().__init__(theme, "V", about, History(_unknown), parent=parent)
        self.add_line("whole", "run", ahead=True, label="V")
        self.add_line("servers", "greedy", place=1, label="servers’ part")
        self._chance: float | None = None

    def sizeHint(self) -> QSize:
        return QSize(200, round(_HEIGHT * current_fonts().scale))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    @property
    def whole(self) -> SampledSeries | None:
        """V at each sample."""
        return self.history.series[0] if self.history.series else None

    def know(self, function: Lyapunov, chance: float | None) -> None:
        """V became known, and what chance alone adds to it."""
        self.history = History(partial(read_function, function))
        self._chance = chance

    def begin(self, frame: Frame) -> None:
        """Another run has other limits."""
        super().begin(frame)
        self.set_reference("target", 0.0, "greedy", "target")
        text = "" if self._chance is None else f"chance ≤{THIN}{significant(self._chance, 2)}"
        self.set_reference("chance", self._chance, "muted", text)


def _unknown(_numbers: object, samples: Values) -> Columns:
    """No series, while V is not known."""
    return Columns(np.zeros((len(samples), 0)))
