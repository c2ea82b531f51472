"""The model of the log: rows, sub-steps and sentences, and the marks of each kind of event.

Only visible rows are worded, so a frame with some hundred new rows costs next to nothing.  Used by the panel of
decisions, and for histories in the inspector.
"""

from __future__ import annotations

import math
from typing import Any, Iterable, NamedTuple

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from slotscope.gui.language.words import tr
from slotscope.gui.theme import Theme
from slotscope.model.kinds.spec import Kind
from slotscope.model.questions.fields import EventKind
from slotscope.model.reporting.explain import THIN_SPACE, Narrator, decimals_for, grouped, shown_time
from slotscope.model.reporting.records import Record

Index = QModelIndex | QPersistentModelIndex

MARKS, EVENT, TIME, SENTENCE = range(4)
COLUMNS = ("", "event", "time", "decision")

#: Size of the cache of sentences, so that scrolling does not word rows again.
_MOST_SENTENCES = 4096


class LogEntry(NamedTuple):
    """The contents of one row of the log."""

    event: int  #: number of the event, or of the one in progress
    step: int  #: number of the sub-step of the event in progress, from 1; 0 for a whole event
    number: str
    time: str
    sentence: str
    flags: int
    present: bool
    breakpoint: bool


class LogModel(QAbstractTableModel):
    """The rows of events that pass the filters; below the present event's row, the sub-steps of the event in progress.

    Rows of later events follow: a question has hits in all of history.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = np.zeros(0, [("event", np.int64)])  #: the rows that pass
        self.marks: tuple[EventKind, ...] = ()
        self.steps: tuple[Record, ...] = ()
        self.present = -1  #: the event after which the run stands
        self.breakpoints: frozenset[int | str] = frozenset()
        self._narrator: Narrator | None = None
        self._sentences: dict[bytes, str] = {}
        self._entries: dict[int, LogEntry] = {}  # cached for the current moment
        self._decimals = 2
        self._step_time = 0.0

    # What is shown.

    def set_run(self, kind: Kind, narrator: Narrator) -> None:
        """Set the marks of *kind* and the wording of *narrator*.

        The present rows are removed, as they must not be worded by the narrator of another run.
        """
        if narrator is self._narrator:
            return
        self.beginResetModel()
        self.marks, self._narrator = kind.vocabulary.marks, narrator
        self._sentences.clear()
        self.rows, self.steps = self.rows[:0], ()
        self._entries.clear()
        self.endResetModel()

    @property
    def places(self) -> int:
        """The number of columns of marks."""
        return 1 + max((mark.place for mark in self.marks), default=0)

    def set_moment(self, event: int, time: float, breakpoints: frozenset[int | str]) -> None:
        """Set the event after which the run stands, and the time."""
        self.present, self.breakpoints, self._step_time = event, breakpoints, time
        self._decimals = decimals_for(event, time)
        self._entries.clear()

    def set_rows(self, rows: np.ndarray, steps: tuple[Record, ...] = ()) -> None:
        """Show other rows, and the sub-steps so far of the event after the present one."""
        before, after = self.rowCount(), len(rows) + len(steps)
        if after > before:
            self.beginInsertRows(QModelIndex(), before, after - 1)
        elif after < before:
            self.beginRemoveRows(QModelIndex(), after, before - 1)
        self.rows, self.steps = rows, steps
        self._entries.clear()
        if after > before:
            self.endInsertRows()
        elif after < before:
            self.endRemoveRows()
        if after:
            self.dataChanged.emit(self.index(0, 0), self.index(after - 1, SENTENCE))

    @property
    def last_event(self) -> int:
        """The greatest event number in the log."""
        last = int(self.rows["event"][-1]) if len(self.rows) else 0
        return max(last, self.present + bool(self.steps))

    def row_up_to(self, event: int) -> int:
        """The row of the last event up to *event*; -1 if there is none."""
        return int(np.searchsorted(self.rows["event"], event, "right")) - 1

    def passing(self, rows: np.ndarray, flags: int, text: str) -> np.ndarray:
        """The *rows* that have one of the *flags* (0: all) and all words of *text* in their sentence."""
        if flags:
            rows = rows[(rows["flags"] & flags) != 0]
        wanted = text.casefold().split()
        if not wanted:
            return rows
        worded = (self.sentence(row).casefold() for row in rows)
        return rows[[all(word in sentence for word in wanted) for sentence in worded]]

    def sentence(self, row: np.void) -> str:
        if self._narrator is None:
            return ""
        key = row.tobytes()
        known = self._sentences.get(key)
        if known is None:
            if len(self._sentences) >= _MOST_SENTENCES:
                self._sentences.clear()
            known = self._sentences[key] = self._narrator.row(row)
        return known

    def entry(self, place: int) -> LogEntry:
        """The contents of row *place*."""
        if place not in self._entries:
            self._entries[place] = self._entry(place)
        return self._entries[place]

    def _entry(self, place: int) -> LogEntry:
        step = place - self.row_up_to(self.present) - 1
        if not 0 <= step < len(self.steps):
            row = self.rows[place if step < 0 else place - len(self.steps)]
            event = int(row["event"])
            present = event == self.present and not self.steps
            return LogEntry(
                event,
                0,
                grouped(event),
                shown_time(float(row["time"]), self._decimals),
                self.sentence(row),
                int(row["flags"]),
                present,
                event in self.breakpoints,
            )
        event = self.present + 1
        sentence = self._narrator.record(self.steps[step]) if self._narrator else ""
        first = step == 0
        return LogEntry(
            event,
            step + 1,
            grouped(event) if first else f"·{THIN_SPACE}{step + 1}",
            shown_time(self._step_time, self._decimals) if first else "",
            sentence,
            0,
            step == len(self.steps) - 1,
            first and event in self.breakpoints,
        )

    def present_row(self) -> int:
        """The row at which the run stands; -1 if the filters hide it."""
        place = self.row_up_to(self.present) + len(self.steps)
        return place if place >= 0 and self.entry(place).present else -1

    def line(self, place: int) -> str:
        """Row *place* as text."""
        entry = self.entry(place)
        return "\t".join((grouped(entry.event), entry.time, entry.sentence))

    # What Qt asks for.

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows) + len(self.steps)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(COLUMNS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role not in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole}:
            return None
        entry = self.entry(index.row())
        if role == Qt.ItemDataRole.ToolTipRole:
            kinds = ", ".join(kind.label for kind in self.marks if entry.flags & kind.flag)
            return f"{entry.sentence} ({kinds})" if kinds else entry.sentence
        return (" ", entry.number, entry.time, entry.sentence)[index.column()]

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return tr(COLUMNS[section])
        if role == Qt.ItemDataRole.TextAlignmentRole:
            right = section in {EVENT, TIME}
            side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None


def paint_mark(painter: QPainter, shape: str, square: QRectF, color: str) -> None:
    """Draw the mark of a kind of event, given the name of its shape."""
    side = square.width()
    pen = QPen(QColor(color), max(1.4, side / 8))
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(pen)
    if shape == "box":
        painter.drawRect(QRectF(square.x() + 0.2 * side, square.y() + 0.12 * side, 0.6 * side, 0.76 * side))
    if shape == "ring":
        painter.drawEllipse(square.center(), 0.34 * side, 0.34 * side)
    for points in _STROKES.get(shape, ()):
        painter.drawPolyline([square.topLeft() + QPointF(x, y) * side for x, y in points])
    painter.restore()


_ARMS = [(math.sin(turn) * 0.4, -math.cos(turn) * 0.4) for turn in (2 * math.pi * arm / 5 for arm in range(5))]
_ARC = tuple(
    (0.5 + 0.34 * math.sin(turn), 0.54 - 0.34 * math.cos(turn))
    for turn in (0.5 + math.pi * step / 8 for step in range(14))
)
_STROKES: dict[str, tuple[tuple[tuple[float, float], ...], ...]] = {
    "plus": (((0.15, 0.5), (0.85, 0.5)), ((0.5, 0.15), (0.5, 0.85))),
    "cross": (((0.18, 0.18), (0.82, 0.82)), ((0.82, 0.18), (0.18, 0.82))),
    "minus": (((0.15, 0.5), (0.85, 0.5)),),
    "arrow": (((0.08, 0.5), (0.9, 0.5)), ((0.6, 0.2), (0.9, 0.5), (0.6, 0.8))),
    "box": (((0.2, 0.5), (0.8, 0.5)),),
    "star": tuple(((0.5, 0.5), (0.5 + x, 0.5 + y)) for x, y in _ARMS),
    "bars": tuple(((x, 0.15), (x, 0.85)) for x in (0.2, 0.5, 0.8)),
    "turn": (_ARC, ((0.56, 0.02), (0.78, 0.2), (0.52, 0.36))),
}


def mark_icon(mark: EventKind, theme: Theme, side: int, ratio: float) -> QIcon:
    """A mark as an icon for buttons."""
    pixmap = QPixmap(round(side * ratio), round(side * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    paint_mark(painter, mark.shape, QRectF(0, 0, side, side), getattr(theme, mark.meaning))
    painter.end()
    return QIcon(pixmap)


def mark_side(text_height: float) -> float:
    """The side length of a mark beside text of this height."""
    return round(text_height * 0.68)


def touching(rows: np.ndarray, fields: Iterable[str], number: int) -> np.ndarray:
    """The *rows* in which one of the *fields* equals *number*."""
    found = np.zeros(len(rows), bool)
    for name in fields:
        found |= rows[name] == number
    return rows[found]
