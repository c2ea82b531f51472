"""Expressions over time: a curve for each number, and a row of ticks for each condition and breakpoint."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from PySide6.QtCore import QLineF, QPointF, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from slotscope.gui.plotting.run_plot import RunPlot
from slotscope.gui.plotting.sampled import Columns, History, Values
from slotscope.gui.plotting.time_plot import Role
from slotscope.gui.theme import Theme, current_fonts
from slotscope.model.frame import Frame
from slotscope.model.questions.tracks import Track, Tracked

_ROW, _GAP, _NEAR = 9, 4, 6.0


def role_of(tracked: Tracked, place: int) -> Role:
    """The colour of a track: one for each, and that of breakpoints for these."""
    return "rejection" if tracked.tracks[place].stops else place


def hits_of(tracked: Tracked, place: int) -> tuple[Values, Values]:
    """Event and time at each entry of the grid by which a condition has held once more."""
    counts = tracked.table[:, 3 + 2 * place]
    grown = np.diff(counts, prepend=0.0) > 0
    return tracked.table[grown, 0], tracked.table[grown, 1]


def _table(frame: Frame) -> Values:
    return np.zeros((0, 2)) if frame.tracked is None else frame.tracked.table


class TrackPlot(RunPlot):
    """A curve for each expression that is a number, up to the event up to which it is known."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        about = "Expressions over time; averages are drawn where there are many values."
        super().__init__(theme, "value", about, History(_nothing, _table), from_zero=False, parent=parent)
        self._tracks: tuple[Track, ...] = ()
        self._kept: dict[str, Track] = {}

    def show_tracks(self, frame: Frame) -> None:
        """Bring the curves up to a frame."""
        tracks = () if frame.tracked is None else frame.tracked.tracks
        numbers = tuple((place, track.text) for place, track in enumerate(tracks) if not track.truth)
        anew = tuple((track.text, track.stops) for track in tracks) != tuple(
            (track.text, track.stops) for track in self._tracks
        )
        self._tracks = tracks
        if anew:
            self.history = History(_reader([place for place, _ in numbers]), _table)
            for name in self.lines:
                self.remove_line(name)
            for number, (place, text) in enumerate(numbers):
                self.add_line(text, place, place=number, ahead=True, label=text)
            self.set_quantity(y=numbers[0][1] if len(numbers) == 1 else "value")
        self.show_moment(frame, anew=anew)


def _nothing(_: Any, table: Values) -> Columns:
    return Columns(table[:, :0])


def _reader(places: Sequence[int]) -> Any:
    """Reads the values and the integrals of these tracks."""
    values = [2 + 2 * place for place in places]
    return lambda _, table: Columns(table[:, values], table[:, [place + 1 for place in values]])


class HitStrip(QWidget):
    """A row of ticks for each condition, above a plot and over the same stretch of time.

    Signals
    -------
    picked(event)
        The event of the tick that was clicked.
    """

    picked = Signal(int)

    def __init__(self, plot: RunPlot, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._plot, self._theme = plot, theme
        self.rows: tuple[tuple[Role, Values, Values], ...] = ()  #: colour, events and times of each
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("where conditions hold")
        self.setToolTip("Where conditions and breakpoints hold. A click goes to just before that event.")
        plot.getPlotItem().getViewBox().sigXRangeChanged.connect(lambda *_: self.update())

    def restyle(self, theme: Theme) -> None:
        """Follow another theme or size of type."""
        self._theme = theme
        self._fit()

    def show_hits(self, tracked: Tracked | None) -> None:
        """Show where the conditions among some tracks hold."""
        tracks = () if tracked is None else tracked.tracks
        conditions = [place for place, track in enumerate(tracks) if track.truth]
        self.rows = tuple((role_of(tracked, place), *hits_of(tracked, place)) for place in conditions if tracked)
        self._fit()

    @property
    def _step(self) -> float:
        return (_ROW + _GAP) * current_fonts().scale

    def _fit(self) -> None:
        self.setFixedHeight(round(len(self.rows) * self._step + (_GAP if self.rows else 0)))
        self.update()

    def _across(self, times: Values) -> Values:
        """Where times stand, in pixels."""
        box = self._plot.getPlotItem().getViewBox()
        (low, high), ends = box.viewRange()[0], []
        for time in (low, high):
            place = self._plot.mapFromScene(box.mapViewToScene(QPointF(time, 0)))
            ends.append(self.mapFromGlobal(self._plot.mapToGlobal(place)).x())
        return np.asarray(ends[0] + (times - low) / (high - low) * (ends[1] - ends[0]))

    def paintEvent(self, _: QPaintEvent) -> None:
        painter = QPainter(self)
        left, right = self._across(np.array(self._plot.getPlotItem().getViewBox().viewRange()[0]))
        for row, (role, _events, times) in enumerate(self.rows):
            top = _GAP + row * self._step
            places = np.unique(np.round(self._across(times)))
            places = places[(places >= left) & (places <= right)]
            painter.setPen(QPen(QColor(self._theme.grid), 1))
            painter.drawLine(QPointF(left, top + _ROW), QPointF(right, top + _ROW))
            painter.setPen(QPen(QColor(self._theme.color(role)), 1.5))
            painter.drawLines([QLineF(x, top, x, top + _ROW * current_fonts().scale) for x in places.tolist()])

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = int((event.position().y() - _GAP / 2) // self._step)
        if event.button() is not Qt.MouseButton.LeftButton or not 0 <= row < len(self.rows):
            return
        _, events, times = self.rows[row]
        apart = np.abs(self._across(times) - event.position().x())
        if len(apart) and apart.min() <= _NEAR:
            self.picked.emit(int(events[int(np.argmin(apart))]))
