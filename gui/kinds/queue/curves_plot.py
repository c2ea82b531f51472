"""The plot of the total queue and of the longest virtual queues over time."""

from __future__ import annotations

from typing import NamedTuple, Sequence

from PySide6.QtWidgets import QWidget

from gui.kinds.queue.colours import Look, queue_name, size_classes
from gui.kinds.queue.curves_reading import MOST_CURVES, longest, mean_lengths, read_total, reader, until_now
from gui.panels.sampled import LEAST_GROWTH, History, nothing
from gui.panels.tiles import LabelPace
from gui.plotting.curve import PyramidBand
from gui.plotting.pyramid import Pyramid
from gui.plotting.time_plot import PlotText, TimePlot
from gui.theme import Theme, current_fonts
from model.frame import Frame

_SLOTS = ("", "slot", "slots")


class _VirtualQueueCurve(NamedTuple):
    """The curve of one virtual queue, and what is known of it."""

    curve: Pyramid
    history: History


class QueuePlot(TimePlot):
    """Curves that follow the samples of a run."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        text = PlotText("time", "jobs that wait")
        super().__init__(theme, current_fonts(), text, parent=parent)
        self.setAccessibleName("queue over time")
        self.setToolTip(
            "The jobs that wait over time; grey is their range where averages are "
            "drawn.\nA click goes to that moment, the wheel enlarges, a double click "
            "shows all."
        )
        self._total = History(read_total)
        self._frame: Frame | None = None
        self._drawing = self._stale = False
        self._drawn = 0.0
        self._extent: PyramidBand | None = None
        self._has_mean = False
        self._names: Sequence[str] = ()
        self._looks: Sequence[Look] = ()
        self._pace = LabelPace()
        self._chosen: dict[int, _VirtualQueueCurve] = {}
        self._ahead = self.add_curve("ahead", "border")
        self._curve = self.add_curve("waiting", "run", label="Q")
        self.getPlotItem().getViewBox().sigXRangeChanged.connect(self._zoomed)

    # Frames.

    @property
    def chosen(self) -> tuple[int, ...]:
        """The virtual queues that have a curve."""
        return tuple(self._chosen)

    def continues(self, frame: Frame) -> bool:
        """Are the samples known so far the first ones of this frame's?"""
        return self._total.continues(frame)

    def event_at(self, frame: Frame, time: float) -> int:
        """The last sampled event at or before a time."""
        return self._total.event_at(frame, time)

    def show_moment(self, frame: Frame) -> None:
        """Bring the curves up to a frame, unless nobody could tell."""
        anew = not self.continues(frame)
        if not (anew or not frame.running or self._shift(frame) >= LEAST_GROWTH):
            return
        self._total.update(frame)
        self._frame = frame
        if anew:
            self._begin(frame)
        if self._pace.due(frame.running) or anew:
            self._choose(frame)
        for line in self._chosen.values():
            line.history.update(frame)
        self._draw(frame)

    def show_mean(self, value: float | None, text: str) -> None:
        """A line at the mean since the warm-up; None where there is none."""
        if value is not None:
            self.set_reference("mean", value, "muted", text)
        elif self._has_mean:
            self.remove("mean")
        self._has_mean = value is not None
        self.refresh()

    def _begin(self, frame: Frame) -> None:
        self.name_axis(frame)
        for queue in self._chosen:
            self.remove(_key(queue))
        self._chosen = {}
        if self._extent is not None:
            self.remove("range")
        for curve in (self._curve, self._ahead):
            curve.replace(*nothing(0.0))
        self._extent = self.add_band("range", "muted")
        self._extent.low = self._extent.high = self._total.series[0].values
        layout = frame.info.facts.layout
        numbers = frame.info.numbers
        self._looks = size_classes(numbers).of_queues(numbers, frame.info.facts)
        partition = bool(frame.info.facts.intervals)
        self._names = [
            queue_name(queue, layout.queues) if partition else f"size {name}" for queue, name in enumerate(layout.names)
        ]
        self.reset_view()

    def name_axis(self, frame: Frame) -> None:
        """Write the unit of time at the axis."""
        unit = "slots" if frame.info.time_unit in _SLOTS else frame.info.time_unit
        self.getPlotItem().getAxis("bottom").setLabel(f"time ({unit})")

    def _choose(self, frame: Frame) -> None:
        """Curves for the longest queues; where there is one queue, it is the total."""
        if frame.info.facts.layout.queues < 2:
            return
        chosen = longest(mean_lengths(until_now(frame)), self.chosen, MOST_CURVES)
        for queue in self.chosen:
            if queue not in chosen:
                self.remove(_key(queue))
                del self._chosen[queue]
        for queue in chosen:
            if queue not in self._chosen:
                look = self._looks[queue]
                curve = self.add_curve(_key(queue), "run" if look is None else look, label=self._names[queue])
                self._chosen[queue] = _VirtualQueueCurve(curve, History(reader(queue)))

    # Drawing.

    def _draw(self, frame: Frame) -> None:
        """Fill the curves for the range that is in view afterwards."""
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
        view: tuple[float, float] = tuple(self.getPlotItem().getViewBox().viewRange()[0])
        total = self._total.series[0]
        past, future = (view[0], frame.time), (frame.time, frame.extent.live_end_time)
        self._curve.replace(*total.curve(past, view))
        self._ahead.replace(*total.curve(future, view))
        for line in self._chosen.values():
            line.curve.replace(*line.history.series[0].curve(past, view))

    def _shift(self, frame: Frame) -> float:
        """How many pixels the cursor would move to stand at the frame's time."""
        view = self.getPlotItem().getViewBox()
        low, high = view.viewRange()[0]
        return float(abs(frame.time - self._drawn) / (high - low) * view.width())

    def _zoomed(self) -> None:
        if self._drawing:
            self._stale = True
        elif self._frame is not None and self._total.series:
            self._draw(self._frame)


def _key(queue: int) -> str:
    return f"waiting {queue}"
