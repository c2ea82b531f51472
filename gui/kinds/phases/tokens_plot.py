"""The plot of the tokens of each type over time, against their limits."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtWidgets import QWidget

from gui.kinds.phases.tokens_reading import TokenRow, limited_in_all, limits_shown, read_all, reader
from gui.panels.sampled import LEAST_GROWTH, History, nothing
from gui.plotting.pyramid import Pyramid
from gui.plotting.time_plot import PlotText, TimePlot
from gui.theme import Theme, current_fonts
from model.frame import Frame

_ALL = -1  # the key of the sum over all types


class _TypeCurve(NamedTuple):
    """The curve of one type, what lies ahead of the moment shown, and what is known of it."""

    curve: Pyramid
    ahead: Pyramid
    history: History


class TokensPlot(TimePlot):
    """A curve for each type, its number now at its end; dashed lines at the limits."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, current_fonts(), PlotText("time", "tokens"), parent=parent)
        self.setAccessibleName("tokens over time")
        self.setToolTip(
            "The tokens of each type over time, and the limit of each. Averages are "
            "drawn where there are many.\nA click goes to that moment, the wheel "
            "enlarges, a double click shows all."
        )
        self._lines: dict[int, _TypeCurve] = {}
        self._limits: dict[str, int] = {}
        self._time = History(read_all)
        self._frame: Frame | None = None
        self._drawing = self._stale = False
        self._drawn = 0.0
        self.getPlotItem().getViewBox().sigXRangeChanged.connect(self._zoomed)

    # Frames.

    @property
    def types(self) -> tuple[int, ...]:
        """The types that have a curve."""
        return tuple(kind for kind in self._lines if kind != _ALL)

    def continues(self, frame: Frame) -> bool:
        """Are the samples known so far the first ones of this frame's?"""
        return self._time.continues(frame)

    def event_at(self, frame: Frame, time: float) -> int:
        """The last sampled event at or before a time."""
        return self._time.event_at(frame, time)

    def show_moment(self, frame: Frame, rows: tuple[TokenRow, ...]) -> None:
        """Bring the curves up to a frame, unless nobody could tell."""
        anew = not self.continues(frame) or {row.type for row in rows} != set(self.types)
        if not (anew or not frame.running or self._shift(frame) >= LEAST_GROWTH):
            return
        self._frame = frame
        if anew:
            self._begin(frame, rows)
        self._time.update(frame)
        for line in self._lines.values():
            line.history.update(frame)
        for row in rows:
            self.set_label(str(row.type), f"{row.name} {sum(row.tokens)}")
        if _ALL in self._lines:
            self.set_label(str(_ALL), f"all {sum(sum(row.tokens) for row in rows)}")
        self._draw(frame)

    def _begin(self, frame: Frame, rows: tuple[TokenRow, ...]) -> None:
        """Curves and limits of another run."""
        self.name_axis(frame)
        for kind in self._lines:
            self.remove(str(kind))
            self.remove(f"ahead {kind}")
        for text in self._limits:
            self.remove(text)
        self._time, self._lines = History(read_all), {}
        if limited_in_all(frame):
            self._add(_ALL, History(read_all), "run")
        for row in rows:
            self._add(row.type, History(reader(row.type)), row.type)
        self._limits = limits_shown(frame, rows)
        roles = {f"{row.name} ≤": row.type for row in rows}
        for text, limit in self._limits.items():
            told = f"{text} {limit}"
            if text not in roles:
                told = f"{text} = {limit}"
            self.set_reference(text, float(limit), roles.get(text, "normal"), told)
        self.reset_view()

    def _add(self, kind: int, history: History, role: str | int) -> None:
        ahead = self.add_curve(f"ahead {kind}", "border")
        curve = self.add_curve(str(kind), role)
        for pyramid in (ahead, curve):
            pyramid.replace(*nothing(0.0))
        self._lines[kind] = _TypeCurve(curve, ahead, history)

    def name_axis(self, frame: Frame) -> None:
        """Write the unit of time at the axis."""
        unit = f" ({frame.info.time_unit})" if frame.info.time_unit else ""
        self.getPlotItem().getAxis("bottom").setLabel(f"time{unit}")

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
        past, future = (view[0], frame.time), (frame.time, frame.extent.live_end_time)
        for line in self._lines.values():
            if line.history.series:
                (series,) = line.history.series
                line.curve.replace(*series.curve(past, view))
                line.ahead.replace(*series.curve(future, view))

    def _shift(self, frame: Frame) -> float:
        """How many pixels the cursor would move to stand at the frame's time."""
        view = self.getPlotItem().getViewBox()
        low, high = view.viewRange()[0]
        return float(abs(frame.time - self._drawn) / (high - low) * view.width())

    def _zoomed(self) -> None:
        if self._drawing:
            self._stale = True
        elif self._frame is not None and self._time.series:
            self._draw(self._frame)
