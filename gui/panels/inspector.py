"""One server or one job: what it is now, and its history."""

from __future__ import annotations

import html
from typing import Any, NamedTuple

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QIcon
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLabel,
    QSplitter,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from gui.intents import GoTo, Select
from gui.panel import Panel
from gui.panels.decisions_model import (
    Index,
    LogModel,
    decimals_for,
    shown_time,
    touching,
)
from gui.panels.decisions_view import LogView
from gui.panels.scenario_cells import type_pixmap
from gui.panels.wording import job_words
from gui.theme import Theme
from model.explain import grouped, quantity, shown
from model.frame import Frame
from model.systems.reservation.rows import FLAG_DEPARTED, FLAG_REJECTED
from model.systems.reservation.state import GREEDY_LENGTH, ReservationState

_SLOT_COLUMNS = ("slot", "job", "since", "leaves")
_SERVER_FIELDS = ("server", "source", "first_reassigned")
_JOB_FIELDS = ("job", "moved")


class Slot(NamedTuple):
    """A slot with its job, or all empty slots of a type."""

    type: int
    name: str
    job: int  #: its number, -1 if empty
    label: str
    since: str
    leaves: str


def slots_of(frame: Frame, server: int) -> list[Slot]:
    """The slots of a server: each job in its slot, then how many of the type are empty."""
    state = frame.state
    digits = decimals_for(frame.event, frame.time)
    slots = []
    for j, name in enumerate(frame.info.numbers.type_names):
        record = int(state.first_job[server, j])
        while record >= 0:
            job = int(state.job_number[record])
            label = job_words(frame.info, j, job).removeprefix(f"{name} ")
            slots.append(Slot(j, name, job, label,
                              shown_time(float(state.job_arrival[record]), digits),
                              _leaves(state, record, digits)))  # fmt: skip
            record = int(state.job_next[record])
        empty = int(state.configuration[server, j] - state.placement[server, j])
        if empty > 0:
            slots.append(Slot(j, name, -1, "empty" if empty == 1 else f"{empty} empty", "", ""))
    return slots


def _leaves(state: ReservationState, record: int, digits: int) -> str:
    departure = float(state.job_departure[record])
    return "never" if np.isinf(departure) else shown_time(departure, digits)


class SlotModel(QAbstractTableModel):
    """The slots of the server that is looked at."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.slots: list[Slot] = []
        self.icons: list[QIcon] = []
        self.muted: Any = None

    def set_slots(self, slots: list[Slot]) -> None:
        """Show other slots."""
        if slots == self.slots:
            return
        if len(slots) != len(self.slots):
            self.beginResetModel()
            self.slots = slots
            self.endResetModel()
            return
        self.slots = slots
        self.dataChanged.emit(self.index(0, 0), self.index(len(slots) - 1, 3))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.slots)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(_SLOT_COLUMNS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        slot, column = self.slots[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return (slot.name, slot.label, slot.since, slot.leaves)[column]
        if role == Qt.ItemDataRole.DecorationRole and column == 0 and self.icons:
            return self.icons[slot.type]
        if role == Qt.ItemDataRole.ForegroundRole and (slot.job < 0 or column > 1):
            return self.muted
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"A slot of type {slot.name}: " + (
                f"job {slot.label}, in service since {slot.since}" if slot.job >= 0 else slot.label
            )
        if role == Qt.ItemDataRole.TextAlignmentRole and column > 1:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return _SLOT_COLUMNS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section > 1 else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None


class InspectorPanel(Panel):
    """What is selected: a server with its slots, or a job; and what happened to it."""

    name = "inspector"
    title = "Inspector"
    summary = "The selected server or job, and its history."
    needs = frozenset({"servers", "jobs"})
    place = "right"

    def build(self) -> None:
        """A heading, the facts, the slots, the history."""
        self._pinned: Select | None = None
        self._target = Select()
        self._link = Select()
        self.heading = QLabel(self.body)
        self.facts = QLabel(self.body)
        self.facts.setWordWrap(True)
        self.facts.setTextFormat(Qt.TextFormat.RichText)
        self.facts.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse
            | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        self.facts.linkActivated.connect(self._follow_link)
        self.slot_model = SlotModel(self)
        self.slots = self._slot_table()
        self.log = LogModel(self)
        self.history = LogView(self.log, self.theme, self.body)
        self.history.setAccessibleName("history")
        self.history.setToolTip("History: the events at hand that touched it; a click goes there.")
        self.history.clicked.connect(self._go_to)
        self.history.activated.connect(self._go_to)
        parts = QSplitter(Qt.Orientation.Vertical, self.body)
        parts.addWidget(self.slots)
        parts.addWidget(self.history)
        parts.setChildrenCollapsible(False)
        head = QVBoxLayout()
        head.setContentsMargins(10, 6, 10, 6)
        head.setSpacing(2)
        head.addWidget(self.heading)
        head.addWidget(self.facts)
        column = QVBoxLayout(self.body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(parts, 1)
        self.restyle(self.theme)

    def _slot_table(self) -> QTableView:
        table = QTableView(self.body)
        table.setModel(self.slot_model)
        table.setAccessibleName("slots")
        table.setShowGrid(False)
        table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setTabKeyNavigation(False)
        table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        table.verticalHeader().hide()
        table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        table.horizontalHeader().setHighlightSections(False)
        table.clicked.connect(self._pick_job)
        table.activated.connect(self._pick_job)
        return table

    def restyle(self, theme: Theme) -> None:
        """Follow another theme or size of type."""
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * 13 / 11)
        font.setBold(True)
        self.heading.setFont(font)
        self.history.restyle(theme)
        height = QFontMetricsF(self.font()).height()
        self.slots.setIconSize(QSize(round(height), round(height)))
        self.slots.verticalHeader().setDefaultSectionSize(round(height + 8))
        self.slot_model.muted = self.palette().placeholderText()
        if self.frame is not None:
            self._draw_types(self.frame)

    def _draw_types(self, frame: Frame) -> None:
        side, ratio = round(QFontMetricsF(self.font()).height()), self.devicePixelRatioF()
        self.slot_model.icons = [
            QIcon(type_pixmap(self.theme, j, side, ratio, self.font()))
            for j in range(frame.info.numbers.types)
        ]

    # What is looked at.

    def pin(self, selection: Select) -> None:
        """Stay with this server or job, whatever is selected elsewhere."""
        self._pinned = selection
        self.show_selection(selection)

    def show_selection(self, selection: Select) -> None:
        """Look at what is selected; a line of the algorithm changes nothing here."""
        chosen = self._pinned or selection
        if chosen.line is not None and chosen.server is None and chosen.job is None:
            return
        self._target = chosen
        if self.frame is not None:
            self.set_frame(self.frame)

    def show_frame(self, frame: Frame) -> None:
        """Show the selected server or job as it is now."""
        if len(self.slot_model.icons) != frame.info.numbers.types:
            self._draw_types(frame)
        self.log.set_run(frame.info.kind, frame.info.narrator)
        target = self._target
        if target.job is not None:
            self._show_job(frame, target.job)
        elif target.server is None:
            self.show_note("Nothing selected: click a server.")
        elif not 0 <= target.server < frame.info.numbers.servers:
            self.show_note(f"Server {target.server + 1} is not part of this scenario: it has "
                           f"servers 1 to {frame.info.numbers.servers}.")  # fmt: skip
        else:
            self._show_server(frame, target.server)

    def _show_server(self, frame: Frame, server: int) -> None:
        self._set(self.heading, f"Server {server + 1}")
        self._set(self.facts, "<br>".join(self._server_facts(frame, server)))
        self.slots.show()
        self.slot_model.set_slots(slots_of(frame, server))
        self._show_history(frame, touching(frame.rows, _SERVER_FIELDS, server),
                           f"Nothing happened to server {server + 1}")  # fmt: skip

    def _server_facts(self, frame: Frame, server: int) -> list[str]:
        state = frame.state
        mine = state.configuration[server]
        jobs, slots = int(state.placement[server].sum()), int(mine.sum())
        if not frame.info.facts.reserves_slots:
            return [f"<i>k̂</i> = {shown(state.placement[server].tolist())}, "
                    f"{jobs} {'job' if jobs == 1 else 'jobs'}"]  # fmt: skip
        filled = f"{jobs} of {slots} {'slot' if slots == 1 else 'slots'} filled"
        if not frame.info.facts.has_groups:
            return [f"<i>k</i> = {shown(mine.tolist())}", filled]
        found = int(state.number[GREEDY_LENGTH])
        same = np.flatnonzero((state.greedy_configuration[:found] == mine).all(axis=1))
        which = (f"this is <i>k</i>[{same[0] + 1}]" if len(same)
                 else "GPA does not use it now")  # fmt: skip
        classes = frame.derived
        rejects = bool(classes.reject_group[server])
        color = self.theme.ink(self.theme.reject_group) if rejects else self.theme.normal
        group = f"<span style='color: {color}'>{'Reject' if rejects else 'Accept'} Group</span>"
        rank = int(classes.rank[server])
        none = ": not wanted" if rank > frame.info.numbers.ranks else ""
        return [
            f"<i>k</i> = {shown(mine.tolist())}, {which}",
            f"{group}, index {int(classes.index[server])}, rank {rank}{none}",
            filled,
        ]

    def _show_job(self, frame: Frame, job: int) -> None:
        state = frame.state
        rows = touching(frame.rows, _JOB_FIELDS, job)
        records = np.flatnonzero((state.job_number == job) & (state.job_server >= 0))
        self.slots.hide()
        if len(records):
            record = int(records[0])
            job_type = int(state.job_type[record])
            self._set(self.facts, "<br>".join(self._job_facts(frame, record)))
        else:
            mine = rows[rows["job"] == job]
            job_type = int(mine[-1]["type"]) if len(mine) else -1
            self._set(self.facts, self._absence(frame, rows, job))
        label = job_words(frame.info, max(job_type, 0), job)
        name = frame.info.numbers.type_names[max(job_type, 0)]
        self._set(self.heading, label if job_type >= 0
                  else label.removeprefix(f"{name} ").capitalize())  # fmt: skip
        self._show_history(frame, rows, "Nothing happened to this job")

    def _job_facts(self, frame: Frame, record: int) -> list[str]:
        state = frame.state
        digits = decimals_for(frame.event, frame.time)
        server = int(state.job_server[record])
        arrival = float(state.job_arrival[record])
        name = html.escape(frame.info.numbers.type_names[int(state.job_type[record])])
        link = (f"<a href='server' style='color: {self.theme.ink(self.theme.focus)}'>"
                f"server {server + 1}</a>")  # fmt: skip
        self._link = Select(server=server)
        return [
            f"type {name}, on {link}",
            f"in service since {shown_time(arrival, digits)}, "
            f"leaves {_leaves(state, record, digits)}",
            html.escape(
                quantity(f"age {shown_time(frame.time - arrival, digits)}", frame.info.time_unit)
            ),
        ]

    def _absence(self, frame: Frame, rows: np.ndarray, job: int) -> str:
        """Why the job is not there, as far as the rows at hand tell."""
        digits = decimals_for(frame.event, frame.time)
        for flag, what in ((FLAG_DEPARTED, "left"), (FLAG_REJECTED, "was rejected")):
            found = rows[((rows["flags"] & flag) != 0) & (rows["job"] == job)]
            if len(found):
                event, time = int(found[-1]["event"]), float(found[-1]["time"])
                return f"It {what} at event {grouped(event)}, time {shown_time(time, digits)}."
        return (f"It is not there after event {grouped(frame.event)}: it has left, was rejected, "
                "or has not arrived yet.")  # fmt: skip

    def _show_history(self, frame: Frame, rows: np.ndarray, nothing: str) -> None:
        self.history.empty_note = f"{nothing} in the last {grouped(len(frame.rows))} events."
        self.history.fit_digits(frame.event, frame.time)
        self.log.set_moment(frame.event, frame.time, frame.breakpoints)
        before = self.log.rows[-1:].tolist()
        self.log.set_rows(rows)
        self.history.open_row(-1 if frame.running else self.log.present_row())
        if rows[-1:].tolist() != before:
            self.history.scrollToBottom()

    @staticmethod
    def _set(label: QLabel, text: str) -> None:
        if label.text() != text:
            label.setText(text)

    # Going elsewhere.

    def _go_to(self, index: QModelIndex) -> None:
        self.intent.emit(GoTo(self.log.entry(index.row()).event))

    def _pick_job(self, index: QModelIndex) -> None:
        slot = self.slot_model.slots[index.row()]
        if slot.job >= 0:
            self.intent.emit(Select(job=slot.job))

    def _follow_link(self) -> None:
        self.intent.emit(self._link)
