"""Any expressions about a run over time: numbers as curves, and where conditions and breakpoints hold."""

from __future__ import annotations

from html import escape
from typing import Iterable

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout

from slotscope.gui.intents import Follow
from slotscope.gui.panel import Panel
from slotscope.gui.panels.tiles import LabelPace, paint_ground
from slotscope.gui.panels.track_plot import HitStrip, TrackPlot, role_of
from slotscope.gui.panels.wording import significant
from slotscope.gui.question_field import QuestionField
from slotscope.gui.theme import Theme, current_fonts
from slotscope.model.explain import grouped, plural
from slotscope.model.frame import Frame, RunInfo
from slotscope.model.questions.meaning import understood
from slotscope.model.questions.syntax import QuestionError
from slotscope.model.questions.tracks import MOST_TRACKS, Tracked
from slotscope.model.questions.words import Words


class TrackPanel(Panel):
    """Expressions of the user's own over all history: a field, what is known of each, and their curves."""

    name = "track"
    title = "Track"
    summary = "Any expression about the run over time, and where conditions and breakpoints hold."

    def build(self) -> None:
        """The field, the legend, the ticks and the curves below each other."""
        self.texts: tuple[str, ...] = ()  #: what is followed, also what the present run does not have
        self._info: RunInfo | None = None
        self._pace = LabelPace()
        self.field = QuestionField(self.body)
        self.field.setPlaceholderText(
            "an expression such as time or event % 100 = 0; Return follows it over all history"
        )
        self.field.setAccessibleName("an expression to follow")
        self.field.setClearButtonEnabled(True)
        self.field.returnPressed.connect(self._add)
        self.field.textEdited.connect(lambda: self._show_mistake(""))
        self.mistake = QLabel(self.body)
        self.mistake.setWordWrap(True)
        self.mistake.setTextFormat(Qt.TextFormat.PlainText)
        self.mistake.hide()
        self.plot = TrackPlot(self.theme, self.body)
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
        column.addWidget(self.field)
        column.addWidget(self.mistake)
        column.addWidget(self.legend)
        column.addWidget(self.strip)
        column.addWidget(self.plot, 1)
        column.addStretch(0)
        self.restyle(self.theme)

    def restyle(self, theme: Theme) -> None:
        """Follow another theme or size of type."""
        paint_ground(self.body, theme)
        self.mistake.setStyleSheet(f"color: {theme.ink(theme.rejection)}")
        self.plot.set_theme(theme, current_fonts())
        self.strip.restyle(theme)
        self.legend.setFont(current_fonts().body)
        if self.frame is not None:
            self._tell(self.frame)

    def show_frame(self, frame: Frame) -> None:
        """Bring the curves up to this moment; another run is asked the same."""
        if frame.info is not self._info:
            self._info = frame.info
            self.field.set_words(frame.info.words)
            self._follow()
        self.plot.show_tracks(frame)
        self.strip.show_hits(frame.tracked)
        if self._pace.due(frame.running):
            self._tell(frame)

    # What is followed.

    def _add(self) -> None:
        """Return in the field: follow what stands there, or say what is wrong with it."""
        text = self.field.text().strip()
        fault = self._fault_of(text) if text else ""
        if not fault and len(self.texts) >= MOST_TRACKS and text not in self.texts:
            fault = f"found {len(self.texts)} expressions already, allowed: {MOST_TRACKS}; take one away first"
        self._show_mistake(fault)
        if text and not fault:
            self.field.clear()
            self.texts = tuple(dict.fromkeys((*self.texts, text)))
            self._follow()

    def _fault_of(self, text: str) -> str:
        """What is wrong with an expression in the present run; nothing if that is not known."""
        if self._info is None:
            return ""
        try:
            understood(text, self._info.words, truth=False)
        except QuestionError as error:
            return error.line
        return ""

    def _show_mistake(self, line: str) -> None:
        self.mistake.setText(line)
        self.mistake.setVisible(bool(line))

    def _chosen(self, link: str) -> None:
        """A link of the legend: an event to go to, or an expression to take away."""
        what, _, number = link.partition(" ")
        if what == "event":
            self.go_to(int(number) - 1)
        else:
            self.texts = tuple(text for place, text in enumerate(self.texts) if place != int(number))
            self._follow()

    def _follow(self) -> None:
        self.intent.emit(Follow(self.texts))
        if self.frame is not None:
            self._tell(self.frame)

    def _tell(self, frame: Frame) -> None:
        tracked = frame.tracked
        known = {} if tracked is None else {one.text: at for at, one in enumerate(tracked.tracks) if not one.stops}
        told = []
        for number, text in enumerate(self.texts):
            colour, said = self.theme.muted, escape(self._fault_of(text)) or "..."
            if tracked is not None and text in known:
                colour, said = self.theme.color(role_of(tracked, known[text])), _said(tracked, known[text], frame)
            away = f'<a href="remove {number}" style="text-decoration: none">×</a>'
            words = f'<span style="color:{self.theme.muted}">{said}</span>&nbsp;{away}'
            told.append(f'<span style="color:{colour}">■</span>&nbsp;{escape(text)} {words}')
        self.legend.setText(" &nbsp; ".join(told) or _hint(frame.info.words))
        self.plot.setVisible(bool(told))
        if tracked is not None and tracked.fault:
            self._show_mistake(tracked.fault)

    def series(self) -> tuple[list[str], Iterable[Iterable[object]]] | None:
        """The grid: values of numbers, and how often conditions have held so far."""
        tracked = None if self.frame is None else self.frame.tracked
        if tracked is None:
            return None
        tracks = tracked.tracks
        names = [f"{one.text} (hits so far)" if one.truth else one.text for one in tracks]
        places = [3 + 2 * place if one.truth else 2 + 2 * place for place, one in enumerate(tracks)]
        return ["event", "time", *names], tracked.table[:, [0, 1, *places]].tolist()


def _hint(words: Words) -> str:
    """What could be followed, as rich text."""
    names = {word.cost: word.text for word in reversed(list(words.all()))}
    row, sample = escape(names["row"]), escape(names["sample"])
    return f"Numbers become curves, and conditions ticks: try <b>{sample}</b>, or <b>{row}</b>. Breakpoints are marked."


def _said(tracked: Tracked, place: int, frame: Frame) -> str:
    """What is known of a track, as rich text."""
    track = tracked.tracks[place]
    so_far = f" up to event {grouped(tracked.last)} ..." if tracked.searching else ""
    if not track.truth:
        row = int(np.searchsorted(tracked.table[:, 0], frame.event, side="right")) - 1
        value = tracked.table[row, 2 + 2 * place] if row >= 0 else np.nan
        return f"{significant(float(value))}{so_far}"
    if not track.hits:
        return f"at no event{so_far or ' so far'}"
    if track.first_false < 0:
        return f"✓ at every event{so_far or ' so far'}"
    first, unlike = (f'<a href="event {one}">{grouped(one)}</a>' for one in (track.first, track.first_false))
    return f"at {grouped(track.hits)} {plural(track.hits, 'event')}{so_far}, first at {first}, not at {unlike}"
