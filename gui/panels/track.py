"""Any expressions about a run over time: numbers as curves, and where conditions and breakpoints hold."""

from __future__ import annotations

from html import escape
from typing import Iterable, Iterator

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout

from slotscope.gui.intents import Follow
from slotscope.gui.panel import Panel
from slotscope.gui.panels.tiles import LabelPace, paint_ground
from slotscope.gui.panels.track_plot import HitStrip, TrackLine, TrackPlot, lines_of
from slotscope.gui.panels.wording import significant
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.expression_field import ExpressionField, asleep
from slotscope.model.questions.words import Words
from slotscope.model.reporting.explain import grouped, plural
from slotscope.model.reporting.frame import Frame


class TrackPanel(Panel):
    """Expressions of the user's own over all history: a field, what is known of each, and their curves."""

    name = "track"
    title = "Track"
    summary = "Any expression about the run over time, and where conditions and breakpoints hold."

    def build(self) -> None:
        """The field, the legend, the ticks and the curves below each other."""
        self._pace = LabelPace()
        self.entry = ExpressionField(
            "follow",
            "an expression to follow",
            "an expression such as time or event % 100 = 0",
            "Return follows it over all history.",
            self.body,
        )
        self.entry.entered.connect(lambda text: self.intent.emit(Follow(text)))
        self.plot = TrackPlot(self.theme, self.body)
        self.plot.setMinimumHeight(1)  # where there is little room, words have it
        self.plot.event_picked.connect(self.go_to)
        self.strip = HitStrip(self.plot, self.theme, self.body)
        self.strip.picked.connect(lambda event: self.go_to(event - 1))
        self.legend = QLabel(self.body)
        self.legend.setTextFormat(Qt.TextFormat.RichText)
        self.legend.setWordWrap(True)
        self.legend.setTextInteractionFlags(Qt.TextInteractionFlag.LinksAccessibleByMouse)
        self.legend.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.legend.linkActivated.connect(self._chosen)
        column = QVBoxLayout(self.body)
        column.setContentsMargins(8, 6, 8, 4)
        column.setSpacing(4)
        column.addWidget(self.entry)
        column.addWidget(self.legend)
        column.addWidget(self.strip)
        column.addWidget(self.plot, 1)
        column.addStretch(0)
        self.restyle(self.theme)

    def restyle(self, theme: Theme) -> None:
        """Follow another theme or size of type."""
        paint_ground(self.body, theme)
        self.plot.set_theme(theme, current_fonts())
        self.strip.restyle(theme)
        self.legend.setFont(current_fonts().body)
        if self.frame is not None:
            self._tell(self.frame)

    def show_frame(self, frame: Frame) -> None:
        """Bring the curves up to this moment."""
        self.entry.show_frame(frame)
        self.plot.show_tracks(frame)
        self.strip.show_hits(frame)
        if self._pace.due(frame.running):
            self._tell(frame)

    def _chosen(self, link: str) -> None:
        """A link of the legend: an event to go to, or an expression to take away."""
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
        self.legend.setText(" &nbsp; ".join(told) or _hint(frame.info.words))
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
        """The grid: values of numbers, and how often conditions have held so far."""
        tracked = None if self.frame is None else self.frame.tracked
        if tracked is None:
            return None
        tracks = tracked.tracks
        names = [f"{one.text}{' (hits so far)' * one.truth}{' (slack)' * (one.role == 'slack')}" for one in tracks]
        places = [3 + 2 * place if one.truth else 2 + 2 * place for place, one in enumerate(tracks)]
        return ["event", "time", *names], tracked.table[:, [0, 1, *places]].tolist()


def _hint(words: Words) -> str:
    """What could be followed, as rich text."""
    names = {word.cost: word.text for word in reversed(list(words.all()))}
    row, sample = escape(names["row"]), escape(names["sample"])
    return f"Numbers become curves, and conditions ticks: try <b>{sample}</b>, or <b>{row}</b>. Breakpoints are marked."


def _words(ink: str, text: str) -> str:
    return f'<span style="color:{ink}">{text}</span>'


def _said(line: TrackLine, frame: Frame) -> str:
    """What is known of a track, as rich text."""
    tracked, place, track = line.tracked, line.place, line.track
    so_far = f" up to event {grouped(tracked.last)} ..." if tracked.searching else ""
    if not track.truth:
        row = int(np.searchsorted(tracked.table[:, 0], frame.lanes[line.lane].event, side="right")) - 1
        value = tracked.table[row, 2 + 2 * place] if row >= 0 else np.nan
        return f"{significant(float(value))}{so_far}"
    if not track.hits:
        return f"at no event{so_far or ' so far'}"
    if track.first_false < 0:
        return f"✓ at every event{so_far or ' so far'}"
    first, unlike = (f'<a href="event {one}">{grouped(one)}</a>' for one in (track.first, track.first_false))
    return f"at {grouped(track.hits)} {plural(track.hits, 'event')}{so_far}, first at {first}, not at {unlike}"
