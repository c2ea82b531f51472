"""The history of a thing in the inspector: its lines, and how far it was searched."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QLabel, QVBoxLayout, QWidget

from slotscope.gui.panels.decisions_model import LogEntry, LogModel
from slotscope.gui.panels.decisions_view import LogView
from slotscope.gui.theme import Theme
from slotscope.model.reporting.explain import grouped, plural, shown_time
from slotscope.model.reporting.frame import Frame
from slotscope.model.reporting.inspection import Found, Told


class HistoryModel(LogModel):
    """The lines of a history, as lines of a log."""

    told: tuple[Told, ...] = ()

    def set_told(self, told: tuple[Told, ...]) -> None:
        """Show other lines."""
        self.told = told
        self.set_rows(np.zeros(len(told), self.rows.dtype))

    def entry(self, place: int) -> LogEntry:
        """All that stands in line *place*."""
        told = self.told[place]
        return LogEntry(
            told.event,
            0,
            grouped(told.event),
            shown_time(told.time, self._decimals),
            told.sentence,
            told.flags,
            told.event == self.present,
            told.event in self.breakpoints,
        )


class HistoryList(QWidget):
    """The lines of a history; ``further`` asks for more of it."""

    further = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.model = HistoryModel(self)
        self.view = LogView(self.model, theme, self)
        self.view.setAccessibleName("history")
        self.view.horizontalHeader().hide()
        self.view.setToolTip("History: the events that concerned it; a click goes there.")
        self.how_far = QLabel(self)
        self.how_far.setWordWrap(True)
        self.how_far.setContentsMargins(10, 2, 10, 4)
        self.how_far.setTextFormat(Qt.TextFormat.RichText)
        self.how_far.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        self.how_far.linkActivated.connect(lambda _: self.further.emit())
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.view, 1)
        column.addWidget(self.how_far)

    def restyle(self, theme: Theme) -> None:
        """Follow another theme or size of type."""
        self._theme = theme
        self.view.restyle(theme)

    def show_found(self, frame: Frame, found: Found | None) -> None:
        """Show what was found so far."""
        told = found.entries if found is not None else ()
        if told != self.model.told or self.model.present != frame.event:
            self.model.set_run(frame.info.kind, frame.info.narrator)
            self.view.fit_digits(frame.extent.live_end, frame.time)
            self.model.set_moment(frame.event, frame.time, frame.breakpoints)
            newer = told[-1:] != self.model.told[-1:]
            self.model.set_told(told)
            self._show_place(frame, newer)
        self.view.empty_note = "Nothing found yet." if found is None or found.searching else "Nothing happened to it."
        self.how_far.setText(self._words(found))

    def _show_place(self, frame: Frame, newer: bool) -> None:
        """Open the last line up to the present event, and let it be seen."""
        here = sum(told.event <= frame.event for told in self.model.told) - 1
        self.view.open_row(-1 if frame.running else here)
        if newer:
            self.view.scrollToBottom()
        elif here >= 0 and not frame.running:
            self.view.scrollTo(self.model.index(here, 0))
        if here >= 0 and self.view.visualRect(self.model.index(here, 0)).top() < 0:
            at_top = QAbstractItemView.ScrollHint.PositionAtTop
            self.view.scrollTo(self.model.index(here, 0), at_top)

    def _words(self, found: Found | None) -> str:
        if found is None:
            return ""
        muted, link = self._theme.muted, self._theme.ink(self._theme.focus)
        count = len(found.entries)
        lines = f"{grouped(count)} {plural(count, 'event')}"
        span = f"events {grouped(found.first)} to {grouped(found.last)}"
        more = f" <a href='further' style='color: {link}'>search on</a>"
        if found.fault:
            words = f"Searched {span}, then: {found.fault}"
        elif found.complete:
            words = f"All of history: {lines}"
        elif found.searching:
            words = f"{lines} in {span}; searching on (Esc stops it) ..."
        else:
            words = f"{lines} in {span}:{more}"
        return f"<span style='color: {muted}'>{words}</span>"
