"""The log: one sentence per event, with its reason in numbers; a click goes to the event."""

from __future__ import annotations

import json
from typing import Callable, Iterator

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QToolButton, QWidget

from slotscope.gui.intents import Ask, AskWhy, BreakAt, GoTo, RunUntil, Say, WhatIf
from slotscope.gui.language.words import tr
from slotscope.gui.panel import LEAST, Panel
from slotscope.gui.panels.decisions_model import LogModel, mark_icon, mark_side
from slotscope.gui.panels.decisions_view import LogView
from slotscope.gui.panels.wording import up_to
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.boxes import keep_keys, push_button
from slotscope.gui.widgets.fault_words import FaultLine
from slotscope.gui.widgets.question_field import QuestionField
from slotscope.gui.widgets.rows import in_column
from slotscope.gui.widgets.spoken import Table
from slotscope.model.questions.fields import EventKind
from slotscope.model.questions.search import Asked
from slotscope.model.reporting.explain import grouped, plural
from slotscope.model.reporting.frame import Frame


class FilterBar(QWidget):
    """A button for each kind of event, and a field to search the sentences.

    While the search field is in use, it has its own row if it is short of room beside the buttons.  The count stands
    in the row of the buttons, or else in the field's row, so that the log stays in place, or in a third row.  In
    lecture mode the bar is visible only while the field has the focus.
    """

    changed = Signal()
    switched = Signal(bool)  #: (whether it was visible): in lecture mode the bar was shown or hidden

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.marks: tuple[EventKind, ...] = ()
        self.chips: dict[int, QToolButton] = {}
        rows = in_column(self, margins=(6, 4, 6, 4), spacing=4)
        self._rows = [QHBoxLayout() for _ in range(3)]
        for row in self._rows:
            rows.addLayout(row)
        self._chips = QHBoxLayout()
        self._chips.setSpacing(4)
        self._rows[0].addLayout(self._chips)
        self._rows[0].addStretch(1)
        self.count = QLabel(self)
        self.search = QuestionField(self)
        self._lecture = False
        self._placed = (-1, -1)  # rows of the count and of the field
        self._counts: tuple[str, ...] = ("",)
        self.search.setPlaceholderText(tr("search"))
        self.search.setToolTip(
            tr(
                "Search: only events whose sentence has all of these words.\nReturn asks it as a question of all "
                "history, such as waiting > 50 becomes true; F3 goes to the next hit."
            )
        )
        self.search.setAccessibleName(tr("search the log"))
        self.search.textChanged.connect(self.changed)
        self.search.textChanged.connect(self._fit)
        self.search.installEventFilter(self)
        self.restyle(theme)

    def set_marks(self, marks: tuple[EventKind, ...], theme: Theme) -> None:
        """Create the buttons of other kinds of event, none of them checked."""
        if marks == self.marks:
            return
        for chip in self.chips.values():
            self._chips.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self.marks = marks
        self.chips = {mark.flag: self._chip(mark) for mark in marks}
        self.restyle(theme)

    def _chip(self, mark: EventKind) -> QToolButton:
        chip = QToolButton(self)
        chip.setText(f" {mark.label}")
        chip.setCheckable(True)
        chip.setToolTip(f"{mark.label}: {mark.tip}\n{tr('Shows only these; several kinds may be chosen.')}")
        chip.setAccessibleName(f"{tr('show only')} {mark.label}")
        chip.toggled.connect(self.changed)
        self._chips.addWidget(chip)
        return chip

    @property
    def flags(self) -> int:
        """The flags of the checked kinds; 0 if all kinds are shown."""
        return sum(flag for flag, chip in self.chips.items() if chip.isChecked())

    @property
    def text(self) -> str:
        """The search text."""
        return self.search.text().strip()

    def begin_search(self) -> None:
        """Focus the search field, with its text selected so that typing replaces it."""
        self.show()
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def restyle(self, theme: Theme) -> None:
        was, self._lecture = self._lecture, current_fonts().lecture
        if was and not self._lecture:
            self.show()
        side = int(mark_side(self.fontMetrics().height()))
        for mark in self.marks:
            chip = self.chips[mark.flag]
            chip.setIcon(mark_icon(mark, theme, side, self.devicePixelRatioF()))
            chip.setIconSize(QSize(side, side))
        self.count.setStyleSheet(f"color: {theme.muted}")
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in {QEvent.Type.FocusIn, QEvent.Type.FocusOut}:
            QTimer.singleShot(0, self, self._fit)  # after the focus has changed
        return super().eventFilter(watched, event)

    def _fit(self) -> None:
        """Show names on the buttons if there is room, else only marks; then place the count and the field."""
        measure = self.fontMetrics().horizontalAdvance
        searching = 16 * self.fontMetrics().averageCharWidth()
        names = sum(measure(mark.label) + 2 * self.fontMetrics().height() for mark in self.marks)
        roomy = self.width() > names + searching + measure("000 of 000") + 24
        style = Qt.ToolButtonStyle.ToolButtonTextBesideIcon if roomy else Qt.ToolButtonStyle.ToolButtonIconOnly
        for chip in self.chips.values():
            chip.setToolButtonStyle(style)
        used = bool(self.search.text()) or self.search.hasFocus()
        beside = self.width() - self._chips.sizeHint().width() - measure("000 of 000") - 24
        below = used and beside < 3 * searching
        self.search.setMinimumWidth(searching // 2)
        self.search.setMaximumWidth(self.width() if below else 2 * searching)
        taken = (self._chips.sizeHint().width(), searching) if below else (0,)
        rooms = [self.width() - wide - 24 for wide in taken]
        fitting = [(text, row) for text in self._counts for row, room in enumerate(rooms) if measure(text) <= room]
        text, row = (fitting or [(self._counts[-1], 2)])[0]
        self.count.setText(text)
        self._place(row if text else 0, int(below))  # an empty row would take height
        if self._lecture:
            was_hidden, was_seen = self.isHidden(), self.isVisible()
            self.setHidden(not self.search.hasFocus())
            if self.isHidden() != was_hidden:
                self.switched.emit(was_seen)

    def _place(self, count: int, search: int) -> None:
        """Put the count and the field into these rows."""
        if (count, search) == self._placed:
            return
        self._placed = count, search
        if count == search == 0:
            self._rows[0].addWidget(self.count)
            self._rows[0].addWidget(self.search)
        else:
            self._rows[search].addWidget(self.search)
            self._rows[count].addWidget(self.count)

    def put(self, text: str) -> None:
        """Set the search text without emitting ``changed``: its receivers know it already."""
        with QSignalBlocker(self.search):
            self.search.setText(text)
        self._fit()

    def tell(self, *counts: str) -> None:
        """Set the count, in ever shorter wordings for when room is short."""
        if counts != self._counts:
            self._counts = counts
            self.count.setToolTip(counts[0])
            self._fit()


#: Most events between two updates of the log in which sentences can still be read.
_READABLE = 2


class DecisionsPanel(Panel):
    """One sentence per event; while stepping, also one per sub-step."""

    name = "decisions"
    title = "Decisions"
    summary = "What happened at each event, and why, in numbers."
    titled_in_lecture = False

    def build(self) -> None:
        """Create the filter bar, and the log below it."""
        self._following = True
        self._was_running = False
        self._paused_at: int | None = None  # event at which the run stopped while the user was scrolled up
        self.model = LogModel(self)
        self.bar = FilterBar(self.theme, self.body)
        self.view = LogView(self.model, self.theme, self.body)
        self.view.setAccessibleName(tr("decisions"))
        self.view.clicked.connect(self._chosen)
        self.view.activated.connect(self._chosen)
        self.view.customContextMenuRequested.connect(self._open_menu)
        self.bar.changed.connect(self._refilter)
        self.bar.switched.connect(self._search_switched)
        self.bar.search.returnPressed.connect(self._ask)
        self.bar.search.textChanged.connect(self._ask_no_more)
        self._asking = ""
        self._once_left: Callable[[], object] = lambda: None
        self._shared = ""  # the run's question in the last frame, asked here or in another lane
        self._read_up_to = -1  # the event of the last update
        self._awaited: str | None = None  # a question asked here that the run has not taken yet
        self.mistake = FaultLine()
        self.mistake.setContentsMargins(6, 0, 6, 4)
        bar = self.view.verticalScrollBar()
        bar.valueChanged.connect(self._scrolled)
        bar.rangeChanged.connect(self._resized)
        self.follow = push_button(tr("follow the run"), self.view)
        self.follow.setToolTip(tr("Follow the run: back to the newest event."))
        self.follow.hide()
        self.follow.clicked.connect(self._follow)
        in_column(self.body, self.bar, self.mistake, (self.view, 1), spacing=0)

    def restyle(self, theme: Theme) -> None:
        """Apply another theme or font size; lecture mode shows sentences only."""
        lecture = current_fonts().lecture
        self.bar.restyle(theme)
        self.view.set_lecture(lecture)
        self.view.restyle(theme)
        self.setMinimumHeight(self.view.minimumSizeHint().height() if lecture else LEAST[1])

    def begin_search(self, once_left: Callable[[], object]) -> None:
        """Focus the log's search, see :meth:`Panel.begin_search`; Return asks its text as a question."""
        self._once_left = once_left
        self.bar.begin_search()

    def _search_switched(self, was_seen: bool) -> None:
        self._refilter()
        left = was_seen and self.bar.isHidden()
        asked = None if self.frame is None else self._asked(self.frame)
        if left and (asked is None or not asked.hits):  # not while hits of a question are shown
            self._once_left()

    def go_on_paper(self) -> None:
        """Print every sentence in full, as paper has no tooltips."""
        self.view.rows.whole = True

    def heightForWidth(self, width: int) -> int:
        """Height in pixels of the current sentence at a width."""
        return self.view.height_of(self.model.present_row(), width)

    def height_of_lines(self, count: int) -> int:
        """Height in pixels of a sentence of *count* lines."""
        return self.view.height_of_lines(count)

    def begin(self, frame: Frame) -> None:
        """Set words, marks and unit of time for another run."""
        self._paused_at, self._read_up_to = None, -1
        self._following = True
        self.model.set_run(frame.info.kind, frame.info.narrator)
        self.bar.search.set_words(frame.info.words)
        self.bar.set_marks(frame.info.kind.vocabulary.marks, self.theme)
        self.view.fit()
        unit = frame.info.time_unit
        self.view.horizontalHeader().setToolTip(f"time in {unit}" if unit else "")

    def show_frame(self, frame: Frame) -> None:
        """Show the rows up to the present event, unless the user is scrolled up.

        During a run only a few times a second, as each row must be worded and painted.
        """
        if self._holds(frame):
            self._show_follow(frame)
            return
        self.follow.hide()
        if (frame.event, len(frame.records)) != (self.model.present, len(self.model.steps)):
            self._following = True
        if self.calm.may_show("rows", frame.event, frame.running):
            self._refill(frame)

    def _show_latest(self) -> None:
        if self.frame is not None and self._following:
            self._refill(self.frame)

    def _holds(self, frame: Frame) -> bool:
        """Whether the log stands still because the user scrolled up during the run."""
        was_running, self._was_running = self._was_running, frame.running
        if self._following:
            return False
        if frame.running:
            return True
        if was_running:
            self._paused_at = frame.event
        return self._paused_at == frame.event and not frame.records

    def _show_follow(self, frame: Frame) -> None:
        newer = frame.event - self.model.present
        self.follow.setText(f"{grouped(newer)} newer: follow")
        self.follow.adjustSize()
        room = self.view.viewport()
        corner = room.geometry().bottomRight() - QPoint(8, 8)
        self.follow.move(corner - QPoint(self.follow.width(), self.follow.height()))
        self.follow.show()

    def _refill(self, frame: Frame) -> None:
        self._share(frame)
        flags, text = (0, "") if self.bar.isHidden() else (self.bar.flags, self.bar.text)
        asked = self._asked(frame)
        self.mistake.say("" if asked is None else asked.fault)
        if asked is not None:
            text = ""
            asked = None if asked.fault else asked  # a mistaken question filters nothing
        rows = self.model.passing(frame.rows if asked is None else self._found(frame, asked), flags, text)
        self.model.set_moment(frame.event, frame.time, frame.breakpoints)
        self.model.set_rows(rows, frame.records)
        self.view.fit_digits(self.model.last_event, frame.time)
        filtered = bool(flags or text)
        counts = [tr("{some} of {all}").format(some=len(rows), all=len(frame.rows)) if filtered else ""]
        if asked is not None:
            hits = f"{grouped(asked.hits)} {plural(asked.hits, 'hit')}"
            known = up_to(asked.last, frame.extent.live_end, asked.searching)
            counts = [f"{hits}{known}", *([f"{hits}{' ...' if asked.searching else ', stopped'}"] if known else [])]
        self.bar.tell(*counts)
        unseen = f"{self._asking}? " if asked is not None and self.bar.isHidden() else ""
        self.view.note_if_empty(unseen + self._said_of_none(frame, asked, text))
        # During a run no row changes its height, except in lecture mode at a pace that can be read.
        read = current_fonts().lecture and 0 <= frame.event - self._read_up_to <= _READABLE
        self._read_up_to = frame.event
        self.view.open_row(self.model.present_row() if read or not frame.running else -1, alone=frame.running)
        if self._following:
            self._to_present()

    def _asked(self, frame: Frame) -> Asked | None:
        """The question asked here, if the run has it; in lecture mode a mistaken one counts as none."""
        asked = frame.asked
        told = asked is not None and asked.text == self._asking and not (asked.fault and self.bar.isHidden())
        return asked if told else None

    def _found(self, frame: Frame, asked: Asked) -> np.ndarray:
        """The hits; in lecture mode, where the pictures show no sentence, with the present event; if none, all rows."""
        present, hits = frame.rows[-1:], asked.rows["event"]
        if self._is_low and not asked.hits:
            return frame.rows
        if not self._is_low or np.isin(present["event"], hits).all():
            return asked.rows
        return np.insert(asked.rows, np.searchsorted(hits, present["event"]), present)

    @property
    def _is_low(self) -> bool:
        """In lecture mode the panel shows little more than the present event's sentence, except during a search."""
        return self.bar.isHidden() and current_fonts().lecture

    @staticmethod
    def _said_of_none(frame: Frame, asked: Asked | None, text: str) -> str:
        """The note shown if there are no rows."""
        if asked is not None:
            if asked.hits:
                return tr("It holds at none of these kinds of event.")
            return " ".join([tr("It held at no event so far."), *(f"{one.said(tr)}." for one in asked.missing)])
        if count := len(frame.rows):
            said = tr("None of the last {count} events is of these kinds.")
            if text:
                said = tr("None of the last {count} sentences has these words. Return asks it of all history.")
            return said.format(count=count)
        if frame.event == frame.extent.keyframes[0]:
            return tr("No event yet: press Space to run, or Right to step.")
        return tr("The events up to here are not at hand: step on, or back.")

    def _ask(self) -> None:
        """Ask the search text as a question, on Return."""
        self._want(self.bar.text)

    def _ask_no_more(self) -> None:
        """End the question when other text is typed."""
        if self._asking and self.bar.text != self._asking:
            self._want("")

    def _want(self, question: str) -> None:
        self._asking = self._awaited = question
        self.intent.emit(Ask(question))

    def _share(self, frame: Frame) -> None:
        """Show a question asked in one lane's log in all lanes' logs, except where another search is typed."""
        asked = frame.asked.text if frame.asked is not None else ""
        if self._awaited is not None and asked != self._awaited:
            return
        if asked != self._shared and self.bar.text == self._asking:
            self._asking = asked
            self.bar.put(asked)
        self._shared, self._awaited = asked, None

    def _to_present(self) -> None:
        """Scroll to the end; among hits in all history to the present sub-step, the next hit, or else the last one."""
        bar = self.view.verticalScrollBar()
        present = self.model.present_row()
        alone = self.model.steps or (self._is_low and present >= 0)
        row = present if alone else self.model.row_up_to(self.model.present + 1)
        if row == self.model.rowCount() - 1:
            bar.setValue(bar.maximum())
        else:
            self.view.scrollTo(self.model.index(max(0, row), 0), self.view.ScrollHint.PositionAtCenter)
        self._following = True

    def _scrolled(self, value: int) -> None:
        self._following = value >= self.view.verticalScrollBar().maximum()

    def _resized(self) -> None:
        if self._following:
            self._to_present()

    def _follow(self) -> None:
        self._following = True
        self._refilter()

    def _refilter(self) -> None:
        self.follow.hide()
        self._paused_at = None
        if self.frame is not None:
            self._refill(self.frame)

    # Going there.

    def _chosen(self, index: QModelIndex) -> None:
        self.intent.emit(self._place(index.row()))

    def _place(self, row: int) -> GoTo:
        entry = self.model.entry(row)
        return GoTo(entry.event - 1, entry.step) if entry.step else GoTo(entry.event)

    def _open_menu(self, position: QPoint) -> None:
        index = self.view.indexAt(position)
        if index.isValid():
            self.menu(index.row()).popup(self.view.viewport().mapToGlobal(position))

    def menu(self, row: int) -> QMenu:
        """The context menu of a row."""
        entry = self.model.entry(row)
        event, line, place = entry.event, self.model.line(row), self._place(row)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        keep_keys(menu)
        menu.addAction(tr("Go there"), lambda: self.intent.emit(place))
        menu.addAction(tr("Why?"), lambda: self.intent.emit(AskWhy(event=event)))
        menu.addAction(tr("What if ..."), lambda: self.intent.emit(WhatIf(event=event - 1)))
        menu.addAction(tr("Run until here"), lambda: self.intent.emit(RunUntil(event=event)))
        known = self.frame is not None and event in self.frame.breakpoints
        menu.addAction(
            tr("Remove the breakpoint") if known else tr("Break here"), lambda: self.intent.emit(BreakAt(event))
        )
        menu.addSeparator()
        menu.addAction(tr("Copy the line"), lambda: self._copy(line))
        command = self.command(place)
        copying = menu.addAction(tr("Copy the command that opens this moment"), lambda: self._copy(command))
        copying.setEnabled(bool(command))
        return menu

    def command(self, place: GoTo) -> str:
        """The command that opens a moment of this policy's run; empty if none can."""
        return "" if self.current is None else self.current.info.opening_line(place.event, place.substep)

    def _copy(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self.intent.emit(Say(tr("Copied: {text}").format(text=text.replace("\t", "  "))))

    # Saving.

    def series(self) -> Table | None:
        """The rows of the log, with their sentences."""
        return None if self.frame is None else self._table(self.frame.rows)

    def read_out(self) -> Table | None:
        """Only the last event and its sentence, as screen readers can read the log itself row by row."""
        if self.frame is None:
            return None
        rows = self.frame.rows[-1:]
        return ["event", "time", "sentence"], ([row["event"], row["time"], self.model.sentence(row)] for row in rows)

    def _table(self, rows: npt.NDArray[np.void]) -> Table:
        names = [*(rows.dtype.names or ()), "sentence"]
        return names, ([*row.tolist(), self.model.sentence(row)] for row in rows)

    def json_lines(self) -> Iterator[str]:
        """The rows of the log as one JSON object per event."""
        if self.frame is None:
            return
        for row in self.frame.rows:
            fields = dict(zip(row.dtype.names or (), row.tolist(), strict=True))
            yield json.dumps(fields | {"sentence": self.model.sentence(row)}, ensure_ascii=False)
