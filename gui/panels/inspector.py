"""The inspector: what is known of the selected thing, and its history.

All contents come from the kind of system (:mod:`model.reporting.inspection`).
"""

from __future__ import annotations

import html
from typing import Iterable

import numpy as np
from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QFont, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QLabel, QScrollArea, QSplitter, QWidget

from slotscope.gui.intents import AskWhy, GoTo, Inspect, Select
from slotscope.gui.panel import EVERYTHING, Panel
from slotscope.gui.panels.decisions_model import LogEntry, LogModel
from slotscope.gui.panels.decisions_view import LogView
from slotscope.gui.panels.inspector_now import Now
from slotscope.gui.panels.pages import linked_text
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.rows import in_column
from slotscope.gui.widgets.scripts import set_scripts, unbroken
from slotscope.model.reporting.explain import counted, grouped, plural, shown_time
from slotscope.model.reporting.frame import Frame, RunInfo
from slotscope.model.reporting.inspection import Found, Thing, Told
from slotscope.model.whys.asking import Search, Why
from slotscope.model.whys.tables import Candidates


class HistoryModel(LogModel):
    """The entries of a history as rows of a log."""

    told: tuple[Told, ...] = ()

    def set_told(self, told: tuple[Told, ...]) -> None:
        """Show other entries."""
        self.told = told
        self.set_rows(np.zeros(len(told), self.rows.dtype))

    def entry(self, place: int) -> LogEntry:
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
    """A history as a list; ``further`` asks to search further back."""

    further = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.model = HistoryModel(self)
        self.view = LogView(self.model, theme, self)
        self.view.setAccessibleName("history")
        self.view.horizontalHeader().hide()
        self.view.setToolTip("History: the events that concerned it; a click goes there.")
        self.how_far = linked_text((10, 2, 10, 4), self)
        self.how_far.linkActivated.connect(lambda _: self.further.emit())
        in_column(self, (self.view, 1), self.how_far, spacing=0)

    def restyle(self, theme: Theme) -> None:
        """Apply another theme or font size; lecture mode shows every sentence in full."""
        self._theme = theme
        self.view.set_lecture(current_fonts().lecture)
        self.view.horizontalHeader().hide()
        self.view.restyle(theme)

    def show_found(self, frame: Frame, found: Found | None) -> None:
        """Show what has been found so far."""
        told = found.entries if found is not None else ()
        if told != self.model.told or self.model.present != frame.event:
            self.model.set_run(frame.info.kind, frame.info.narrator)
            self.view.fit_digits(frame.extent.live_end, frame.time)
            self.model.set_moment(frame.event, frame.time, frame.breakpoints)
            newer = told[-1:] != self.model.told[-1:]
            self.model.set_told(told)
            self._show_place(frame, newer)
        whole = found is not None and found.complete
        self.view.note_if_empty("Nothing happened to it." if whole else "Nothing found yet.")
        self.how_far.setText(self._words(found))

    def _show_place(self, frame: Frame, newer: bool) -> None:
        """Open the last row up to the present event, and scroll to it."""
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


#: Least width, in line heights, for the history beside what is known now.
_WIDE = 46
#: Height, in line heights, below which an answer has all the room.
_LOW = 26
#: Initial pixels of each part, which Qt scales to shares of the room.
_HALF = 1000


#: The state of the search for the smallest change, while it has found nothing.
_SEARCHES: dict[Search, str] = {
    "none": "",
    "on": "Searching for the smallest change that flips it (Esc stops it) ...",
    "stopped": "The search for the smallest change that flips it was stopped.",
}


class WhyView(QScrollArea):
    """Shows an answer to *why*; hidden if there is none.  ``closed``: the user has closed it."""

    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._answer: Why | None = None
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setAccessibleName("why")
        self.text = linked_text((10, 4, 10, 4))
        self.text.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.text.linkActivated.connect(lambda _: self.close_answer())
        self.setWidget(self.text)
        self.hide()

    def restyle(self, theme: Theme) -> None:
        self._theme = theme
        answer, self._answer = self._answer, None
        self.show_answer(answer)

    def show_answer(self, answer: Why | None) -> None:
        """Show an answer; None hides the view."""
        self.setVisible(answer is not None)
        if answer is self._answer:
            return
        self._answer = answer
        self.text.setText("" if answer is None else self._page(answer))
        self.verticalScrollBar().setValue(0)

    @property
    def searching(self) -> bool:
        """Whether the search for the smallest change is still going on."""
        return self._answer is not None and self._answer.search == "on"

    def close_answer(self) -> None:
        """Close the answer at once: the user's next key may already mean something else."""
        self.show_answer(None)
        self.closed.emit()

    def _page(self, answer: Why) -> str:
        ink = self._theme.ink(self._theme.focus)
        head = f"<b>{html.escape(answer.question)}</b> (event {grouped(answer.event)}) "
        close = f"<a href='close' style='color: {ink}'>close</a>"
        tables = "".join(self._table(each) for each in answer.tables)
        return unbroken(f"<p>{head}{close}</p><p>{html.escape(answer.sentence)}</p>{self._flip(answer)}{tables}")

    def _table(self, candidates: Candidates) -> str:
        """A row per condition with its counts; below it its numbers, and the line in the paper."""
        about = html.escape(counted(candidates.count, candidates.what))
        heads = f"<th align='left' width='80%'>{about}: condition</th>"
        heads += "".join(f"<th align='right' width='10%'>&nbsp;{name}</th>" for name in ("removed", "left"))
        rows = ""
        for line in candidates.lines():
            counts = "".join(f"<td align='right'>{grouped(count)}</td>" for count in (line.removed, line.left))
            below = html.escape(line.numbers) + (f"; {set_scripts(line.place)}" if line.place else "")
            rows += f"<tr><td>{html.escape(line.condition)}</td>{counts}</tr>"
            rows += f"<tr><td colspan='3' style='color: {self._theme.muted}; padding-left: 14px'>{below}</td></tr>"
        return f"<table width='100%' cellspacing='2'><tr>{heads}</tr>{rows}</table>"

    @staticmethod
    def _flip(answer: Why) -> str:
        flip = answer.flip
        if flip is None:
            return f"<p>{_SEARCHES[answer.search]}</p>"
        if not flip.words:
            return f"<p>{flip.none_told}</p>"
        words, proof = html.escape(flip.words), html.escape(flip.proof)
        return f"<p>The smallest change that flips it: <b>{words}</b> ({proof}).</p>"


class InspectorPanel(Panel):
    """What is known of the selected thing now, and its history."""

    name = "inspector"
    title = "Inspector"
    summary = "The server, job, ... that was clicked: what is known of it, and its history."
    tells = frozenset({EVERYTHING})

    def build(self) -> None:
        """Create the heading, the answer, what is known now, and the history."""
        self._pinned: Thing | None = None
        self._thing: Thing | None = None
        self._asked: tuple[RunInfo, Thing] | None = None
        self.heading = QLabel(self.body)
        self.heading.setContentsMargins(10, 6, 10, 2)
        self.now = Now(self.theme, self.body)
        self.now.chosen.connect(lambda thing: self.intent.emit(Select.of(thing)))
        self.history = HistoryList(self.theme, self.body)
        self.history.view.clicked.connect(self._go_to)
        self.history.view.activated.connect(self._go_to)
        self.history.further.connect(self._search_further)
        self._parts = QSplitter(Qt.Orientation.Vertical, self.body)
        self.why = WhyView(self.theme, self.body)
        self.why.closed.connect(lambda: self.intent.emit(AskWhy(over=True)))
        self._parts.addWidget(self.why)
        self._parts.addWidget(self.now)
        self._parts.addWidget(self.history)
        self._parts.setChildrenCollapsible(False)
        self._parts.setSizes([_HALF, _HALF, _HALF])
        in_column(self.body, self.heading, (self._parts, 1), spacing=0)
        self.restyle(self.theme)

    def restyle(self, theme: Theme) -> None:
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * 13 / 11)
        font.setBold(True)
        self.heading.setFont(font)
        self.why.restyle(theme)
        self.now.restyle(theme)
        self.history.restyle(theme)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        wide = self.width() >= _WIDE * self.fontMetrics().height()
        self._parts.setOrientation(Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical)
        if self.frame is not None and not self.why.isHidden():
            self.set_frame(self.frame)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.frame is not None:
            self.set_frame(self.frame)

    # What is looked at.

    def pin(self, thing: Thing) -> None:
        """Keep showing this thing, whatever is selected elsewhere."""
        self._pinned = thing
        self.show_selection(self.selection)

    def show_selection(self, selection: Select) -> None:
        """Inspect the selected thing; the selection of a pseudocode line changes nothing here."""
        chosen = self._pinned or selection.inspected
        if chosen is None and selection.line is not None:
            return
        self._thing = chosen
        if self.frame is not None:
            self.set_frame(self.frame)

    def show_frame(self, frame: Frame) -> None:
        """Show the thing as of this frame."""
        thing, inspector = self._thing, frame.info.kind.inspector
        answer = frame.why if self._pinned is None else None
        self.why.show_answer(answer)
        alone = answer is not None and (thing is None or self._is_low())
        self.heading.setHidden(alone)
        for part in (self.now, self.history):
            part.setHidden(thing is None or alone)
        if alone:
            self.heading.setText("")
            return
        if thing is None or thing.what not in inspector.things:
            names = ", ".join(f"a {one}" for one in inspector.things[:-1])
            self.show_note(f"Nothing selected: click {names} or a {inspector.things[-1]}.")
            return
        known = frame.histories.get(thing)
        new = self._asked != (frame.info, thing)
        if new or self.numbers_due(frame):
            description = inspector.describe(frame, thing)
            self.heading.setText(description.title)
            self.now.show_description(description, new)
            self.history.show_found(frame, known)
        if self.isVisible() and (new or known is None):
            self._asked = frame.info, thing
            self.intent.emit(Inspect(thing, run=frame.info))

    def _is_low(self) -> bool:
        """Whether the answer would be cut if the other parts were shown below it."""
        stacked = self._parts.orientation() is Qt.Orientation.Vertical
        return stacked and self.height() < _LOW * self.fontMetrics().height()

    # Going elsewhere.

    def _go_to(self, index: QModelIndex) -> None:
        self.intent.emit(GoTo(self.history.model.entry(index.row()).event))

    def _search_further(self) -> None:
        if self._thing is not None and self.frame is not None:
            self.intent.emit(Inspect(self._thing, further=True, run=self.frame.info))

    def series(self) -> tuple[list[str], Iterable[Iterable[object]]] | None:
        """The history, as far as it has been searched."""
        found = None
        if self.frame is not None and self._thing is not None:
            found = self.frame.histories.get(self._thing)
        if found is None:
            return None
        return ["event", "time", "sentence"], ((told.event, told.time, told.sentence) for told in found.entries)
