"""Expressions about a run over time: numbers as curves, conditions and breakpoints as ticks where they hold."""

from __future__ import annotations

from html import escape
from typing import Any, Callable, Iterable, Iterator, NamedTuple, Sequence

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from slotscope.gui.intents import Follow
from slotscope.gui.panel import Panel
from slotscope.gui.panels.wording import significant, up_to
from slotscope.gui.plotting.run_plot import RunPlot
from slotscope.gui.plotting.sampled import Columns, History, Values
from slotscope.gui.plotting.time_plot import LANE_STYLES, Role
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.labels import ScrolledWords
from slotscope.gui.widgets.question_field import ExpressionField, asleep
from slotscope.gui.widgets.rows import in_column
from slotscope.gui.widgets.scripts import unbroken
from slotscope.model.questions.tracks import Track, Tracked
from slotscope.model.questions.words import Words
from slotscope.model.reporting.explain import grouped, plural
from slotscope.model.reporting.frame import Frame

#: Height of a row of ticks, and the gap above it; the least height of both; largest distance of a click from a tick.
_ROW, _GAP, _LEAST_STEP, _NEAR = 9, 4, 6, 6.0
#: Opacity of a tick's unfilled part; least height of the filled part.
_FAINT, _LEAST = 0.35, 2.0
#: Suffixes of table headings: for conditions, and for other roles.
_HITS, _HEADED = " (hits so far)", {"watch": " (violations so far)", "slack": " (slack)"}


#: Most characters of a name beside a curve.
_LONGEST = 18


class TrackLine(NamedTuple):
    """An expression in one lane: its course there, and its look."""

    lane: int
    label: str  #: the policy's label; empty if it runs alone
    tracked: Tracked
    place: int  #: index among the tracks
    role: Role

    @property
    def track(self) -> Track:
        """The expression's track."""
        return self.tracked.tracks[self.place]

    @property
    def name(self) -> str:
        """The label at its curve."""
        return f"{self.track.text} · {self.label}" if self.label else self.track.text


def lines_of(frame: Frame) -> tuple[TrackLine, ...]:
    """All expressions drawn, in every lane, each with a colour of its own; breakpoints come last."""
    labels = ("",) if frame.comparison is None else frame.comparison.labels
    texts = [*frame.followed.follow]
    found = []
    for lane, (one, label) in enumerate(zip(frame.lanes, labels, strict=True)):
        if one.tracked is None:
            continue
        for place, track in enumerate(one.tracked.tracks):
            if track.role == "stop":
                found.append(TrackLine(lane, label, one.tracked, place, "rejection"))
            elif track.role == "follow" and track.text in texts:
                role = texts.index(track.text) + lane * len(texts)
                found.append(TrackLine(lane, label, one.tracked, place, role))
    return tuple(sorted(found, key=lambda line: line.track.role == "stop"))


class Hits(NamedTuple):
    """Per entry of the grid: time, event, the number of events that it stands for, and at how many of them it held."""

    times: Values
    events: Values
    passed: Values
    held: Values

    def of_pixels(self, across: Values) -> tuple[Values, Values]:
        """The pixel columns in which the condition held, and the share of the events there at which it did."""
        pixels, first = np.unique(np.round(across), return_index=True)
        if not len(pixels):
            return pixels, pixels
        held, passed = (np.add.reduceat(counts, first) for counts in (self.held, self.passed))
        return pixels[held > 0], held[held > 0] / passed[held > 0]


def hits_of(line: TrackLine) -> Hits:
    """Where a condition has held."""
    table = line.tracked.table
    events, counts = table[:, 0], table[:, 3 + 2 * line.place]
    passed = np.diff(events, prepend=float(line.tracked.first))
    return Hits(table[:, 1], events, passed, np.diff(counts, prepend=0.0))


class TrackPlot(RunPlot):
    """A curve per expression and policy, up to the event up to which the expression is evaluated.

    Numbers are drawn as values; if there are only conditions, each one's curve is the number of events at which it has
    held.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        about = "Expressions over time; averages are drawn where there are many values."
        super().__init__(theme, "value", about, History(_nothing, _table(0)), from_zero=False, parent=parent)
        self._known: tuple[tuple[str, int, Role], ...] = ()

    def show_tracks(self, frame: Frame) -> None:
        """Update the curves to a frame."""
        lines = [line for line in lines_of(frame) if line.track.role == "follow"]
        drawn = [line for line in lines if not line.track.truth] or lines
        known = tuple((line.name, line.place, line.role) for line in drawn)
        anew, self._known = known != self._known, known
        if anew:
            self._begin_lines(drawn)
        self.show_moment(frame, anew=anew)

    def _begin_lines(self, drawn: Sequence[TrackLine]) -> None:
        for name in self.lines:
            self.remove_line(name)
        counts = any(line.track.truth for line in drawn)
        lanes = {line.lane: [one.place for one in drawn if one.lane == line.lane] for line in drawn}
        histories = {lane: History(_reader(places, counts), _table(lane)) for lane, places in lanes.items()}
        self.history = histories.get(0, History(_nothing, _table(0)))
        for line in drawn:
            at, style = lanes[line.lane].index(line.place), LANE_STYLES[line.lane]
            label = _at_curve(line.name)
            self.add_line(line.name, line.role, histories[line.lane], at, ahead=True, label=label, style=style)
        texts = {line.track.text for line in drawn}
        quantity = "events so far" if counts else texts.pop() if len(texts) == 1 else "value"
        self.set_quantity(y=quantity, whole=counts)


def _at_curve(name: str) -> str:
    """The label beside a curve: a long name is elided in the middle; the legend has all of it."""
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST // 2]}…{name[-_LONGEST // 2 + 1 :]}"


def _nothing(_: Any, table: Values) -> Columns:
    return Columns(table[:, :0])


def _table(lane: int) -> Callable[[Frame], Values]:
    """A function that reads a lane's grid from a frame."""

    def read(frame: Frame) -> Values:
        tracked = frame.lanes[lane].tracked if lane < 1 + len(frame.companions) else None
        return np.zeros((0, 2)) if tracked is None else tracked.table

    return read


def _reader(places: Sequence[int], counts: bool) -> Any:
    """A function that reads values and integrals of these tracks; with *counts* the counts of conditions instead."""
    values, totals = ([first + 2 * place for place in places] for first in (2, 3))
    return lambda _, table: Columns(table[:, totals]) if counts else Columns(table[:, values], table[:, totals])


class HitStrip(QWidget):
    """A row of ticks for each condition, above a plot and on its time axis."""

    picked = Signal(int)  #: (event): the event of the clicked tick

    def __init__(self, plot: RunPlot, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._plot, self._theme = plot, theme
        self.rows: tuple[tuple[Role, Hits], ...] = ()  #: colour role and hits of each row
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Maximum)
        self.setAccessibleName("where conditions hold")
        self.setToolTip(
            "Where conditions and breakpoints hold. A click goes to just before that event. "
            "Where there are many events, a tick is filled as far as their share at which it holds."
        )
        box = plot.getPlotItem().getViewBox()
        for moved in (box.sigXRangeChanged, box.geometryChanged):  # labels beside the plot change its geometry
            moved.connect(lambda *_: self.update())

    def restyle(self, theme: Theme) -> None:
        self._theme = theme
        self._fit()

    def show_hits(self, frame: Frame) -> None:
        """Show where the followed conditions and the breakpoints hold."""
        conditions = [line for line in lines_of(frame) if line.track.truth]
        self.rows = tuple((line.role, hits_of(line)) for line in conditions)
        self._fit()

    def sizeHint(self) -> QSize:
        """The preferred height, with room for each row."""
        return QSize(0, self._tall(_ROW + _GAP))

    def minimumSizeHint(self) -> QSize:
        """The height with rows close together, to leave room for the plot's time axis below."""
        return QSize(0, self._tall(_LEAST_STEP))

    def _tall(self, step: float) -> int:
        return round(len(self.rows) * step * current_fonts().scale + (_GAP if self.rows else 0))

    @property
    def _step(self) -> float:
        """Distance between rows."""
        return (self.height() - _GAP) / max(len(self.rows), 1)

    def _fit(self) -> None:
        self.updateGeometry()
        self.update()

    def _across(self, times: Values) -> Values:
        """The x coordinates of times, in pixels."""
        box = self._plot.getPlotItem().getViewBox()
        (low, high), ends = box.viewRange()[0], []
        for time in (low, high):
            place = self._plot.mapFromScene(box.mapViewToScene(QPointF(time, 0)))
            ends.append(self.mapFromGlobal(self._plot.mapToGlobal(place)).x())
        return np.asarray(ends[0] + (times - low) / (high - low) * (ends[1] - ends[0]))

    def paintEvent(self, _: QPaintEvent) -> None:
        painter = QPainter(self)
        left, right = self._across(np.array(self._plot.getPlotItem().getViewBox().viewRange()[0]))
        high = _ROW / (_ROW + _GAP) * self._step
        for row, (role, hits) in enumerate(self.rows):
            top = _GAP + row * self._step
            places, shares = hits.of_pixels(self._across(hits.times))
            seen = (places >= left) & (places <= right)
            painter.setPen(QPen(QColor(self._theme.grid), 1))
            painter.drawLine(QPointF(left, top + high), QPointF(right, top + high))
            ink = QColor(self._theme.color(role))
            for strength, tall in ((_FAINT, np.full(seen.sum(), high)), (1.0, np.maximum(shares[seen] * high, _LEAST))):
                ink.setAlphaF(strength)
                painter.setPen(QPen(ink, 1.5))
                ends = zip(places[seen].tolist(), tall.tolist(), strict=True)
                painter.drawLines([QLineF(x, top + high - length, x, top + high) for x, length in ends])

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = int((event.position().y() - _GAP / 2) // self._step)
        if event.button() is not Qt.MouseButton.LeftButton or not 0 <= row < len(self.rows):
            return
        _, hits = self.rows[row]
        apart = np.where(hits.held > 0, np.abs(self._across(hits.times) - event.position().x()), np.inf)
        if len(apart) and apart.min() <= _NEAR:
            self.picked.emit(int(hits.events[int(np.argmin(apart))]))


class TrackPanel(Panel):
    """The user's expressions over all history: a field, what is known of each, and their curves."""

    name = "track"
    title = "Track"
    summary = "Any expression about the run over time, and where conditions and breakpoints hold."

    def build(self) -> None:
        """Create the field, the legend, the ticks and the curves, from top to bottom."""
        self.entry = ExpressionField(
            "follow",
            "an expression to follow",
            "an expression such as time or event % 100 = 0",
            "Return follows it over all history.",
            self.body,
        )
        self.entry.entered.connect(lambda text: self.intent.emit(Follow(text)))
        self.plot = TrackPlot(self.theme, self.body)
        self.plot.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.plot.event_picked.connect(self.go_to)
        self.strip = HitStrip(self.plot, self.theme, self.body)
        self.strip.picked.connect(lambda event: self.go_to(event - 1))
        self.legend = QLabel(self.body)
        self.legend.setTextFormat(Qt.TextFormat.RichText)
        self.legend.setWordWrap(True)
        self.legend.setTextInteractionFlags(Qt.TextInteractionFlag.LinksAccessibleByMouse)
        self.legend.linkActivated.connect(self._chosen)
        column = in_column(self.body, self.entry, margins=(8, 6, 8, 4), spacing=4)
        self.words = ScrolledWords(self.legend, self.body)
        column.addWidget(self.words)
        column.addWidget(self.strip)
        column.addWidget(self.plot, 1)
        column.addStretch(0)
        self.ground(self.body)
        self.follow_theme(self.plot, self.strip)
        self.restyle(self.theme)

    def restyle(self, theme: Theme) -> None:
        super().restyle(theme)
        self.legend.setFont(current_fonts().body)
        # If room is short the legend has priority, except for the time axis and a least height for curves.
        self.plot.setMinimumHeight(2 * self.legend.fontMetrics().lineSpacing())
        if self.frame is not None:
            self._tell(self.frame)

    @property
    def empty(self) -> bool:
        """True also if nothing is followed."""
        return super().empty or self.frame is None or not lines_of(self.frame)

    def show_frame(self, frame: Frame) -> None:
        """Update curves, ticks and legend to a frame."""
        self.entry.show_frame(frame)
        self.plot.show_tracks(frame)
        self.strip.show_hits(frame)
        if self.numbers_due(frame):
            self._tell(frame)

    def take_keys(self) -> None:
        """Focus the field if nothing is followed yet."""
        if self.frame is None or not self.frame.followed.follow:
            self.entry.field.setFocus()

    def _chosen(self, link: str) -> None:
        """Follow a link of the legend: go to an event, or remove an expression."""
        what, _, number = link.partition(" ")
        if what == "event":
            self.go_to(int(number) - 1)
        elif self.frame is not None:
            self.intent.emit(Follow(self.frame.followed.follow[int(number)], over=True))

    def _tell(self, frame: Frame) -> None:
        told = []
        for number, text in enumerate(frame.followed.follow):
            said = " &nbsp; ".join(self._of_lanes(frame, text))
            if not said:
                fault = escape(asleep(text, frame.info.words, "follow")) or "..."
                said = _words(self.theme.muted, fault)
            away = f'<a href="remove {number}" style="text-decoration: none">×</a>'
            told.append(f"{escape(text)} {said}&nbsp;{away}")
        self.legend.setText(unbroken(" &nbsp; ".join(told)) or _hint(frame.info.words))
        self.words.updateGeometry()
        self.plot.setVisible(bool(told))
        if frame.tracked is not None and frame.tracked.fault:
            self.entry.mistake.say(frame.tracked.fault)

    def _of_lanes(self, frame: Frame, text: str) -> Iterator[str]:
        """What is known of an expression in each lane, as rich text."""
        for line in lines_of(frame):
            if line.track.text == text and line.track.role == "follow":
                ink = self.theme.color(line.role)
                who = f"{escape(line.label)}: " if line.label else ""
                yield f'<span style="color:{ink}">■</span>&nbsp;' + _words(self.theme.muted, who + _said(line, frame))

    def series(self) -> tuple[list[str], Iterable[Iterable[object]]] | None:
        """The grid: values of numbers, and counts of the events at which conditions have held so far."""
        tracked = None if self.frame is None else self.frame.tracked
        if tracked is None:
            return None
        tracks = tracked.tracks
        names = [one.text + _HEADED.get(one.role, _HITS * one.truth) for one in tracks]
        places = [3 + 2 * place if one.truth else 2 + 2 * place for place, one in enumerate(tracks)]
        return ["event", "time", *names], tracked.table[:, [0, 1, *places]].tolist()


def _hint(words: Words) -> str:
    """A suggestion of what to follow, as rich text."""
    names = {word.cost: word.text for word in reversed(list(words.all()))}
    row, sample = escape(names["row"]), escape(names["sample"])
    return f"Numbers become curves, and conditions ticks: try <b>{sample}</b>, or <b>{row}</b>. Breakpoints are marked."


def _words(ink: str, text: str) -> str:
    return f'<span style="color:{ink}">{text}</span>'


def _said(line: TrackLine, frame: Frame) -> str:
    """What is known of a track, as rich text."""
    tracked, place, track = line.tracked, line.place, line.track
    so_far = up_to(tracked.last, frame.lanes[line.lane].extent.live_end, tracked.searching)
    if not track.truth:
        row = int(np.searchsorted(tracked.table[:, 0], frame.lanes[line.lane].event, side="right")) - 1
        value = float(tracked.table[row, 2 + 2 * place]) if row >= 0 else np.nan
        if row >= 0 and np.isnan(value):  # there was no value at any event
            return f"no number{so_far or ' so far'}"
        return (f"{'−' * (value < 0)}∞" if np.isinf(value) else significant(value)) + so_far
    if not track.hits:
        return f"at no event{so_far or ' so far'}"
    if track.first_false < 0:
        return f"✓ at every event{so_far or ' so far'}"
    first, unlike = (f'<a href="event {one}">{grouped(one)}</a>' for one in (track.first, track.first_false))
    return f"at {grouped(track.hits)} {plural(track.hits, 'event')}{so_far}, first at {first}, first not at {unlike}"
