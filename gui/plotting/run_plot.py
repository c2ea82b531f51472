"""A plot that follows a run: its past up to the current moment, and in a muted colour what lies ahead."""

from __future__ import annotations

import math
from time import monotonic
from typing import NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from slotscope.gui.plotting.pyramid import Pyramid
from slotscope.gui.plotting.sampled import LEAST_GROWTH, History
from slotscope.gui.plotting.time_plot import PlotText, Role, TimePlot
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.calm import Steady
from slotscope.model.measures.metrics import Estimate
from slotscope.model.reporting.frame import Frame

View = tuple[float, float]
_HOW = "A click goes to that moment, the wheel enlarges, a double click shows all."
#: Seconds between two updates of the curves during a run: they only grow at their ends.
PERIOD = 0.1
_RANGE, _INTERVAL = "range", "interval"


class RunLine(NamedTuple):
    """A curve of samples, its continuation ahead of the current moment, and the source of its values."""

    curve: Pyramid
    ahead: Pyramid | None
    history: History | None  #: None for the plot's own history
    place: int  #: index among the history's series


class RunPlot(TimePlot, Steady):
    """Curves of a run's samples, drawn again only when the change is visible.

    Subclasses may choose the curves (:meth:`begin`, :meth:`choose`), or fill them themselves (:meth:`fill`).
    """

    event_picked = Signal(int)  #: (event): the last sampled event at or before the clicked time

    _frame: Frame | None = None  # set here, as a resize may come during construction

    def __init__(
        self,
        theme: Theme,
        quantity: str,
        about: str,
        history: History,
        *,
        short: str = "",
        ranged: bool = False,
        whole: bool = False,
        from_zero: bool = True,
        parent: QWidget | None = None,
    ) -> None:
        """*short* replaces the quantity's name where room is short; *whole* tells that it is a count.

        With *ranged* a band shows the range of the first series where its curve shows averages.
        """
        text = PlotText("time", quantity, short, whole)
        super().__init__(theme, current_fonts(), text, from_zero=from_zero, parent=parent)
        self.setAccessibleName(f"{quantity} over time")
        self.setToolTip(f"{about}\n{_HOW}")
        self.history = history
        self._ranged = ranged
        self._lines: dict[str, RunLine] = {}
        self._drawing = self._stale = False
        self._drawn = 0.0  # simulated time up to which the curves are drawn
        self._next = 0.0  # monotonic time from which they may be drawn again
        self._thinnings = 0  # the number of thinnings of the samples drawn
        self.picked.connect(self._pick)
        self.getPlotItem().getViewBox().sigXRangeChanged.connect(self._zoomed)

    # What is drawn.

    def add_line(
        self,
        name: str,
        role: Role,
        history: History | None = None,
        place: int = 0,
        *,
        ahead: bool = False,
        label: str = "",
        style: Qt.PenStyle = Qt.PenStyle.SolidLine,
    ) -> None:
        """Add the curve of a series; with *ahead* a muted one continues it beyond the current moment."""
        muted = self.add_curve(f"ahead {name}", "border") if ahead else None
        self._lines[name] = RunLine(self.add_curve(name, role, label=label, style=style), muted, history, place)

    def remove_line(self, name: str) -> None:
        """Remove a curve and its continuation ahead."""
        if self._lines.pop(name).ahead is not None:
            self.remove(f"ahead {name}")
        self.remove(name)

    @property
    def lines(self) -> tuple[str, ...]:
        """The names of the curves of series."""
        return tuple(self._lines)

    def show_interval(self, mean: Estimate | None, since: float, now: float, least: float = -math.inf) -> None:
        """Show a mean's confidence interval as a band from *since* to *now*, not below *least*; none while unknown."""
        if mean is None or not math.isfinite(mean.half_width) or now <= since:
            self.discard(_INTERVAL)
            return
        band = self.band(_INTERVAL) or self.add_band(_INTERVAL, "run")
        for edge, half in ((band.low, -mean.half_width), (band.high, mean.half_width)):
            edge.replace([since, now], [max(least, mean.mean + half)] * 2)

    def restyle(self, theme: Theme) -> None:
        self.set_theme(theme, current_fonts())

    # The run.

    def show_moment(self, frame: Frame, *, anew: bool = False) -> None:
        """Update the curves to a frame, if the change is visible; *anew* forces it, for other curves."""
        anew |= not self.history.continues(frame)
        if anew or self.is_due(frame):
            self.history.update(frame)
            if anew:
                self.begin(frame)
            self.choose(frame)
            self.draw(frame)

    def refit(self) -> None:
        """Fit the ranges to the next moment, unless the user has chosen a range with the mouse."""
        self.fit_anew()

    def is_due(self, frame: Frame) -> bool:
        """Whether the curves' growth since the last drawing is visible."""
        if not frame.running:
            return True
        view = self.getPlotItem().getViewBox()
        low, high = view.viewRange()[0]
        shift = abs(frame.time - self._drawn) / (high - low) * view.width()
        return bool(shift >= LEAST_GROWTH and monotonic() >= self._next)

    def begin(self, frame: Frame) -> None:
        """Begin another run: its unit of time on the axis, and new ranges."""
        self._frame = frame
        self.set_time_unit(self.unit_of(frame))
        self.forget()
        if self._ranged:
            extent = self.add_band(_RANGE, "muted")
            extent.low = extent.high = self.history.series[0].values

    def unit_of(self, frame: Frame) -> str:
        """The unit of time on the axis."""
        return frame.info.time_unit

    def choose(self, frame: Frame) -> None:
        """Add and remove curves to suit the samples up to a frame."""

    def draw(self, frame: Frame) -> None:
        """Draw up to a frame, for the range that is visible afterwards."""
        self._frame = frame
        self._drawing = True
        for history in {line.history or self.history for line in self._lines.values()}:
            history.update(frame)
        if self.history.thinnings != self._thinnings:  # averages now span longer stretches, and end earlier
            self._thinnings = self.history.thinnings
            self.fit_anew()
        self.set_now(self.end_of(frame))
        for _ in range(2):
            self._stale = False
            low, high = self.getPlotItem().getViewBox().viewRange()[0]
            self.fill(frame, (low, high))
            self.refresh()
            if not self._stale:
                break
        self.set_cursor(frame.time)
        self._drawn, self._next = frame.time, monotonic() + PERIOD
        self._drawing = False

    def end_of(self, frame: Frame) -> float:
        """The time that the range must include."""
        return max(frame.time, frame.extent.live_end_time)

    def fill(self, frame: Frame, view: View) -> None:
        """Set the curves' points for a visible range of time."""
        past, future = (view[0], frame.time), (frame.time, frame.extent.live_end_time)
        for line in self._lines.values():
            known = (line.history or self.history).series
            if known:
                line.curve.replace(*known[line.place].curve(past, view))
                if line.ahead is not None:
                    line.ahead.replace(*known[line.place].curve(future, view))

    def _zoomed(self) -> None:
        if self._drawing:
            self._stale = True
        elif self._frame is not None and self.history.series:
            self.draw(self._frame)

    def _pick(self, time: float) -> None:
        if self._frame is not None:
            self.event_picked.emit(self.history.event_at(self._frame, time))
