"""V over time, and its part of the configurations, from a run's samples."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QWidget

from gui.kinds.reservation.theory_values import read_function
from gui.panels.sampled import LEAST_GROWTH, History, SampledSeries, nothing
from gui.panels.wording import THIN, significant
from gui.plotting.time_plot import PlotText, TimePlot
from gui.theme import Theme, current_fonts
from model.frame import Frame
from model.kinds.reservation.programs.lyapunov import Lyapunov

_NAMES = ("whole", "servers")
#: The least height, in pixels at the usual size of type.
_HEIGHT = 190


class FunctionPlot(TimePlot):
    """The curve of V, muted after the moment shown, with the target at 0.

    Signal ``event_picked`` gives the event of a moment that was clicked.
    """

    event_picked = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, current_fonts(), PlotText("time", "V"), parent=parent)
        self._history: History | None = None
        self._frame: Frame | None = None
        self._drawing = self._stale = False
        self._drawn = 0.0
        self._level = ""
        self.setAccessibleName("V over time")
        self.setToolTip(
            "V(z) of (6.3) at the samples of the run, and what the configurations add to it.\n"
            "A click goes to that moment, the wheel enlarges, a double click shows all."
        )
        self._ahead = self.add_curve("ahead", "border")
        self._curves = (
            self.add_curve(_NAMES[0], "run", label="V"),
            self.add_curve(_NAMES[1], "greedy", label="servers’ part"),
        )
        self.set_reference("target", 0.0, "greedy", "target")
        self.picked.connect(self._pick)
        self.getPlotItem().getViewBox().sigXRangeChanged.connect(self._zoomed)

    def sizeHint(self) -> QSize:
        return QSize(200, round(_HEIGHT * current_fonts().scale))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    @property
    def whole(self) -> SampledSeries | None:
        """V at each sample."""
        if self._history is None or not self._history.series:
            return None
        return self._history.series[0]

    @property
    def history(self) -> History | None:
        """The series, for whoever saves them."""
        return self._history

    def begin(self, function: Lyapunov, frame: Frame, chance: float | None) -> None:
        """Another run, or V became known."""
        self._history = History(partial(read_function, function))
        self._drawn = -1.0
        unit = frame.info.time_unit
        self.getPlotItem().getAxis("bottom").setLabel(f"time ({unit})" if unit else "time")
        for curve in (self._ahead, *self._curves):
            curve.replace(*nothing(0.0))
        if self._level:
            self.remove(self._level)
        self._level = ""
        if chance is not None:
            self._level = "chance"
            self.set_reference("chance", chance, "muted", f"chance ≤{THIN}{significant(chance, 2)}")
        self.reset_view()

    def show_frame(self, frame: Frame) -> None:
        """Bring the curves up to a moment."""
        assert self._history is not None
        self._frame = frame
        anew = not self._history.continues(frame)
        if not anew and frame.running and self._shift(frame) < LEAST_GROWTH:
            return
        self._history.update(frame)
        self._draw(frame)

    def _draw(self, frame: Frame) -> None:
        """Draw in the range that is in view afterwards."""
        self._drawing = True
        self.set_now(max(frame.time, frame.extent.live_end_time))
        for _ in range(2):
            self._stale = False
            self._fill(frame)
            self.refresh()
            if not self._stale:
                break
        self.set_cursor(frame.time)
        self._drawn = frame.time
        self._drawing = False

    def _fill(self, frame: Frame) -> None:
        assert self._history is not None
        low, high = self.getPlotItem().getViewBox().viewRange()[0]
        for curve, series in zip(self._curves, self._history.series, strict=False):
            curve.replace(*series.curve((low, frame.time), (low, high)))
        if self.whole is not None:
            ahead = self.whole.curve((frame.time, frame.extent.live_end_time), (low, high))
            self._ahead.replace(*ahead)

    def _shift(self, frame: Frame) -> float:
        """How many pixels the cursor would move to stand at the frame's time."""
        view = self.getPlotItem().getViewBox()
        low, high = view.viewRange()[0]
        return float(abs(frame.time - self._drawn) / (high - low) * view.width())

    def _zoomed(self) -> None:
        if self._drawing:
            self._stale = True
        elif self._frame is not None and self._history is not None:
            self._draw(self._frame)

    def _pick(self, time: float) -> None:
        if self._frame is not None and self._history is not None:
            self.event_picked.emit(self._history.event_at(self._frame, time))
