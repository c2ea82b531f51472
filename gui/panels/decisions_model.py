"""The log as a table: its rows, how they are drawn, and the view that holds them.

Only rows that are looked at are worded; a frame with some hundred new rows costs next to
nothing.  Used by the panel of decisions and for the histories in the inspector.
"""

from __future__ import annotations

import math
from typing import Any, Iterable, NamedTuple

import numpy as np
from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QIcon,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from gui.theme import Theme
from model.explain import THIN_SPACE, Narrator, grouped
from model.records import (
    ARRIVAL,
    EVENT_ROW,
    FLAG_ADMITTED,
    FLAG_DEPARTED,
    FLAG_I_STAR,
    FLAG_MIGRATED,
    FLAG_REASSIGNED,
    FLAG_REJECTED,
    Event,
    Record,
)

Index = QModelIndex | QPersistentModelIndex

MARKS, EVENT, TIME, SENTENCE = range(4)
COLUMNS = ("", "event", "time", "decision")

#: Sentences remembered, so that scrolling does not word them again.
_MOST_SENTENCES = 4096
#: Below this many characters a line, sentences take two lines.
_SHORT_LINE = 78
_PADDING = 4.0


class Kind(NamedTuple):
    """A kind of thing that happens in an event, and its mark."""

    flag: int
    label: str
    tip: str
    place: int  #: of its mark, so that marks of one kind stand below each other
    meaning: str  #: the theme's colour, by its field


KINDS: tuple[Kind, ...] = (
    Kind(FLAG_ADMITTED, "admissions", "A job was admitted to a server.", 0, "muted"),
    Kind(FLAG_REJECTED, "rejections", "A job was turned away.", 0, "rejection"),
    Kind(FLAG_DEPARTED, "departures", "A job left at the end of its service.", 0, "muted"),
    Kind(FLAG_MIGRATED, "migrations", "A job moved to another server.", 1, "migration"),
    Kind(FLAG_REASSIGNED, "reassignments", "An empty server got another configuration.", 2,
         "migration"),
    Kind(FLAG_I_STAR, "I* changes", "I*, and with it the Reject Group, changed.", 3, "normal"),
)  # fmt: skip
_PLACES = 1 + max(kind.place for kind in KINDS)


def job_label(narrator: Narrator, job_type: int, job: int) -> str:
    """A job as sentences name it: its type and its name or number."""
    return narrator.event(Event(ARRIVAL, 0.0, type=job_type, job=job)).removesuffix(" arrives")


def shown_time(time: float, decimals: int) -> str:
    """A time with thin spaces between thousands."""
    return f"{time:,.{decimals}f}".replace(",", THIN_SPACE)


def decimals_for(event: int, time: float) -> int:
    """As many decimals as tell one event from the next, at the run's mean pace."""
    if event <= 0 or time <= 0:
        return 2
    return min(9, max(0, math.ceil(-math.log10(time / event)) + 1))


class Entry(NamedTuple):
    """What one line of the log shows."""

    event: int  #: the event, or the one in the making
    step: int  #: sub-step of the event in the making, from 1; 0 for a whole event
    number: str
    time: str
    sentence: str
    flags: int
    present: bool
    breakpoint: bool


class LogModel(QAbstractTableModel):
    """Rows of events that pass the filters, then the sub-steps of the event in the making."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = np.zeros(0, EVENT_ROW)  #: those that pass
        self.steps: tuple[Record, ...] = ()
        self.present = -1  #: the event that the run stands after
        self.breakpoints: frozenset[int] = frozenset()
        self._narrator: Narrator | None = None
        self._sentences: dict[bytes, str] = {}
        self._decimals = 2
        self._step_time = 0.0

    # What is shown.

    def set_narrator(self, narrator: Narrator) -> None:
        """Word rows with *narrator* from here on."""
        if narrator is not self._narrator:
            self._narrator = narrator
            self._sentences.clear()

    def set_moment(self, event: int, time: float, breakpoints: frozenset[int]) -> None:
        """The event that the run stands after, and the time now."""
        self.present, self.breakpoints, self._step_time = event, breakpoints, time
        self._decimals = decimals_for(event, time)

    def set_rows(self, rows: np.ndarray, steps: tuple[Record, ...] = ()) -> None:
        """Show other rows, and the sub-steps taken so far of the event after them."""
        before, after = self.rowCount(), len(rows) + len(steps)
        if after > before:
            self.beginInsertRows(QModelIndex(), before, after - 1)
        elif after < before:
            self.beginRemoveRows(QModelIndex(), after, before - 1)
        self.rows, self.steps = rows, steps
        if after > before:
            self.endInsertRows()
        elif after < before:
            self.endRemoveRows()
        if after:
            self.dataChanged.emit(self.index(0, 0), self.index(after - 1, SENTENCE))

    def passing(self, rows: np.ndarray, flags: int, text: str) -> np.ndarray:
        """Those of *rows* that have one of the *flags* (0: all) and *text* in their sentence."""
        if flags:
            rows = rows[(rows["flags"] & flags) != 0]
        wanted = text.casefold().split()
        if not wanted:
            return rows
        worded = (self.sentence(row).casefold() for row in rows)
        return rows[[all(word in sentence for word in wanted) for sentence in worded]]

    def sentence(self, row: np.void) -> str:
        """The sentence of a row."""
        if self._narrator is None:
            return ""
        key = row.tobytes()
        known = self._sentences.get(key)
        if known is None:
            if len(self._sentences) >= _MOST_SENTENCES:
                self._sentences.clear()
            known = self._sentences[key] = self._narrator.row(row)
        return known

    def entry(self, place: int) -> Entry:
        """All that stands in line *place*."""
        if place < len(self.rows):
            row = self.rows[place]
            event = int(row["event"])
            present = event == self.present and not self.steps
            return Entry(event, 0, grouped(event), shown_time(float(row["time"]), self._decimals),
                         self.sentence(row), int(row["flags"]), present,
                         event in self.breakpoints)  # fmt: skip
        step, event = place - len(self.rows), self.present + 1
        sentence = self._narrator.record(self.steps[step]) if self._narrator else ""
        first = step == 0
        return Entry(event, step + 1, grouped(event) if first else "",
                     shown_time(self._step_time, self._decimals) if first else "", sentence, 0,
                     step == len(self.steps) - 1, first and event in self.breakpoints)  # fmt: skip

    def line(self, place: int) -> str:
        """Line *place* as text."""
        entry = self.entry(place)
        return "\t".join((grouped(entry.event), entry.time, entry.sentence))

    # What Qt asks for.

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows) + len(self.steps)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(COLUMNS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role not in {
            Qt.ItemDataRole.DisplayRole,
            Qt.ItemDataRole.ToolTipRole,
            Qt.ItemDataRole.AccessibleTextRole,
        }:
            return None
        entry = self.entry(index.row())
        if role == Qt.ItemDataRole.ToolTipRole:
            kinds = ", ".join(kind.label for kind in KINDS if entry.flags & kind.flag)
            return f"{entry.sentence} ({kinds})" if kinds else entry.sentence
        return (" ", entry.number, entry.time, entry.sentence)[index.column()]

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return COLUMNS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            right = section in {EVENT, TIME}
            side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None


def paint_mark(painter: QPainter, flag: int, square: QRectF, color: str) -> None:
    """Draw the mark of a kind of event; each has a shape of its own."""
    side = square.width()
    pen = QPen(QColor(color), max(1.4, side / 8))
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(pen)
    if flag == FLAG_REASSIGNED:
        painter.drawRect(QRectF(square.x() + 0.2 * side, square.y() + 0.12 * side,
                                0.6 * side, 0.76 * side))  # fmt: skip
    for points in _STROKES.get(flag, ()):
        painter.drawPolyline([square.topLeft() + QPointF(x, y) * side for x, y in points])
    painter.restore()


_ARMS = [(math.sin(turn) * 0.4, -math.cos(turn) * 0.4) for turn in
         (2 * math.pi * arm / 5 for arm in range(5))]  # fmt: skip
_STROKES: dict[int, tuple[tuple[tuple[float, float], ...], ...]] = {
    FLAG_ADMITTED: (((0.15, 0.5), (0.85, 0.5)), ((0.5, 0.15), (0.5, 0.85))),
    FLAG_REJECTED: (((0.18, 0.18), (0.82, 0.82)), ((0.82, 0.18), (0.18, 0.82))),
    FLAG_DEPARTED: (((0.15, 0.5), (0.85, 0.5)),),
    FLAG_MIGRATED: (((0.08, 0.5), (0.9, 0.5)), ((0.6, 0.2), (0.9, 0.5), (0.6, 0.8))),
    FLAG_REASSIGNED: (((0.2, 0.5), (0.8, 0.5)),),
    FLAG_I_STAR: tuple(((0.5, 0.5), (0.5 + x, 0.5 + y)) for x, y in _ARMS),
}


def mark_icon(kind: Kind, theme: Theme, side: int, ratio: float) -> QIcon:
    """The mark of a kind, for buttons."""
    pixmap = QPixmap(round(side * ratio), round(side * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    paint_mark(painter, kind.flag, QRectF(0, 0, side, side), getattr(theme, kind.meaning))
    painter.end()
    return QIcon(pixmap)


class LogDelegate(QStyledItemDelegate):
    """Draws the lines of the log; sub-steps are indented."""

    def __init__(self, theme: Theme, parent: QTableView) -> None:
        super().__init__(parent)
        self.theme = theme
        self.text_lines = 1

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model = index.model()
        assert isinstance(model, LogModel)
        entry = model.entry(index.row())
        rect, theme = QRect(option.rect), self.theme  # type: ignore[attr-defined]
        painter.save()
        painter.setClipRect(rect)
        self._ground(painter, rect, option, entry)
        inner = QRectF(rect).adjusted(_PADDING, _PADDING / 2, -_PADDING, -_PADDING / 2)
        if index.column() == MARKS:
            self._marks(painter, QRectF(rect), entry)
        elif index.column() == SENTENCE:
            painter.setPen(QColor(theme.normal))
            self._sentence(painter, inner, entry)
        else:
            painter.setPen(QColor(theme.normal if entry.present else theme.muted))
            text = entry.number if index.column() == EVENT else entry.time
            inner.setHeight(painter.fontMetrics().height())
            painter.drawText(inner, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
                             text)  # fmt: skip
        self._focus(painter, rect, index)
        painter.restore()

    def _ground(
        self, painter: QPainter, rect: QRect, option: QStyleOptionViewItem, entry: Entry
    ) -> None:
        hovered = option.state & QStyle.StateFlag.State_MouseOver  # type: ignore[attr-defined]
        if entry.present:
            painter.fillRect(rect, QColor(self.theme.selection))
        elif hovered:
            painter.fillRect(rect, QColor(self.theme.raised))
        elif entry.step:
            painter.fillRect(rect, QColor(self.theme.raised))

    def _marks(self, painter: QPainter, rect: QRectF, entry: Entry) -> None:
        side = mark_side(painter.fontMetrics().height())
        middle = rect.y() + _PADDING / 2 + painter.fontMetrics().height() / 2
        if entry.present:
            painter.fillRect(QRectF(rect.x(), rect.y(), 3, rect.height()), QColor(self.theme.run))
        if entry.breakpoint:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setBrush(QColor(self.theme.normal))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawEllipse(QPointF(rect.x() + 5 + side / 2, middle), side / 2.4, side / 2.4)
        for kind in KINDS:
            if entry.flags & kind.flag:
                left = rect.x() + 8 + (side + 4) * (1 + kind.place)
                square = QRectF(left, middle - side / 2, side, side)
                paint_mark(painter, kind.flag, square, getattr(self.theme, kind.meaning))

    def _sentence(self, painter: QPainter, rect: QRectF, entry: Entry) -> None:
        height = painter.fontMetrics().height()
        if entry.step:
            number = QRectF(rect.x(), rect.y(), height * 1.6, height)
            painter.setPen(QColor(self.theme.muted))
            painter.drawText(number, Qt.AlignmentFlag.AlignRight, str(entry.step))
            painter.setPen(QColor(self.theme.normal))
            rect = rect.adjusted(height * 2.1, 0, 0, 0)
        paint_wrapped(painter, rect, entry.sentence, self.text_lines)

    def _focus(self, painter: QPainter, rect: QRect, index: Index) -> None:
        view = self.parent()
        assert isinstance(view, QTableView)
        if view.hasFocus() and view.currentIndex().row() == index.row():
            painter.setPen(QPen(QColor(self.theme.focus), 1))
            painter.drawLine(rect.topLeft(), rect.topRight())
            painter.drawLine(rect.bottomLeft(), rect.bottomRight())


def mark_side(text_height: float) -> float:
    """The side of a mark beside text of this height."""
    return round(text_height * 0.68)


def paint_wrapped(painter: QPainter, rect: QRectF, text: str, lines: int) -> None:
    """Draw *text* on at most so many lines; what does not fit ends in an ellipsis."""
    metrics = QFontMetricsF(painter.font())
    if lines == 1 or metrics.horizontalAdvance(text) <= rect.width():
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
        painter.drawText(rect.topLeft() + QPointF(0, metrics.ascent()), shown)
        return
    layout = QTextLayout(text, painter.font())
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WordWrap)
    layout.setTextOption(option)
    layout.beginLayout()
    for number in range(lines):
        line = layout.createLine()
        if not line.isValid():
            break
        line.setLineWidth(rect.width())
        start, length = line.textStart(), line.textLength()
        part = text[start:] if number == lines - 1 else text[start : start + length]
        shown = metrics.elidedText(part, Qt.TextElideMode.ElideRight, rect.width())
        baseline = metrics.ascent() + number * metrics.height()
        painter.drawText(rect.topLeft() + QPointF(0, baseline), shown)
    layout.endLayout()


class LogView(QTableView):
    """A table of the log: no grid, one focus line, the present event marked."""

    def __init__(self, model: LogModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.empty_note = ""
        self._digits = (0, 0)
        self._log = model
        self.delegate = LogDelegate(theme, self)
        self.setModel(model)
        self.setItemDelegate(self.delegate)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setMouseTracking(True)
        self.setTabKeyNavigation(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setMinimumSectionSize(1)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(SENTENCE, QHeaderView.ResizeMode.Stretch)
        header.setHighlightSections(False)
        header.setMinimumSectionSize(1)
        self.fit()

    def restyle(self, theme: Theme) -> None:
        """Follow another theme or size of type."""
        self.delegate.theme = theme
        self.fit()
        self.viewport().update()

    def fit_digits(self, event: int, time: float) -> None:
        """Make room for numbers as large as these; columns never become narrower."""
        wanted = max(self._digits[0], len(str(event))), max(self._digits[1], len(str(int(time))))
        if wanted != self._digits:
            self._digits = wanted
            self.fit()

    def fit(self) -> None:
        """Set widths and heights after the type's size and the panel's width."""
        metrics = QFontMetricsF(self.font())
        side, digit = mark_side(metrics.height()), metrics.horizontalAdvance("0")
        title = metrics.horizontalAdvance("event") + 12
        event, time = (digit * (count + count // 3 * 0.4) + 2 * _PADDING + 6
                       for count in (self._digits[0], self._digits[1] + 6))  # fmt: skip
        self.setColumnWidth(MARKS, round(12 + (side + 4) * (1 + _PLACES)))
        self.setColumnWidth(EVENT, round(max(title, event)))
        self.setColumnWidth(TIME, round(max(title, time)))
        room = self.viewport().width() - sum(map(self.columnWidth, (MARKS, EVENT, TIME)))
        self.delegate.text_lines = 1 if room > _SHORT_LINE * metrics.averageCharWidth() else 2
        height = round(metrics.height() * self.delegate.text_lines + 2 * _PADDING)
        if height != self.verticalHeader().defaultSectionSize():
            self.verticalHeader().setDefaultSectionSize(height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def sizeHint(self) -> QSize:
        return QSize(400, 160)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._log.rowCount() or not self.empty_note:
            return
        painter = QPainter(self.viewport())
        painter.setPen(QColor(self.delegate.theme.muted))
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(self.viewport().rect().adjusted(12, 4, -12, -4), flags, self.empty_note)
        painter.end()


def touching(rows: np.ndarray, fields: Iterable[str], number: int) -> np.ndarray:
    """Those of *rows* in which one of the *fields* has this number."""
    found = np.zeros(len(rows), bool)
    for name in fields:
        found |= rows[name] == number
    return rows[found]
