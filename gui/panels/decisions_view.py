"""Painting of the log, and the table view that contains it."""

from __future__ import annotations

from functools import partial
from typing import Iterable, Iterator, Sequence

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QCursor,
    QFont,
    QFontMetricsF,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from slotscope.gui.language.words import tr
from slotscope.gui.painting.kept import Kept
from slotscope.gui.panels.decisions_model import (
    COLUMNS,
    EVENT,
    MARKS,
    SENTENCE,
    TIME,
    Index,
    LogEntry,
    LogModel,
    mark_side,
    paint_mark,
)
from slotscope.gui.theme import Theme
from slotscope.gui.widgets.labels import cut_lines, paint_cut, sentence_lines
from slotscope.model.questions.fields import EventKind

#: With less room for the sentence, in characters, the column of times is hidden.
_SHORT_LINE = 36
#: With less room, the marks are hidden as well, and then the event numbers move into the sentence.
_ROOM = {"window": (15, 15), "hall": (60, 30)}
#: Most lines of the sentence in the opened row.
_MOST_LINES = 4
#: Size of the cache of sentences' line counts, which is cleared when full.
_MOST_REMEMBERED = 4096
_PADDING = 4.0
_NOTE_MARGIN = 12  # on both sides of the note in an empty log
_MARGIN, _GAP = 5, 3  # in pixels, before the first mark and between marks
_STEP_INDENT = 0.8  # of a sub-step's sentence, in line heights


class LogRows:
    """Paints the rows of the log from cached pixmaps: from event to event nearly all of them only move."""

    def __init__(self, theme: Theme, view: LogView) -> None:
        self.theme = theme
        self.whole = False  #: whether sentences are shown in full, and rows cut at the top left out
        self.numbers_within = False  #: whether sentences begin with the event numbers, which then have no column
        self._view = view
        self._kept = Kept()
        self._looks: tuple[object, ...] = ()
        self._marks_of_kind: Sequence[EventKind] = ()
        self._columns: list[tuple[int, int, int]] = []  # each with its x and width

    def paint(self, painter: QPainter, model: LogModel, rows: range, hovered: Index) -> None:
        """Paint these rows; *hovered* is the cell under the mouse."""
        view = self._view
        self._marks_of_kind = model.marks
        self._columns = [
            (column, view.columnViewportPosition(column), view.columnWidth(column))
            for column in range(len(COLUMNS))
            if not view.isColumnHidden(column)
        ]
        looks = self.theme, painter.font(), self.numbers_within, model.marks, self._columns
        if looks != self._looks:
            self._looks = looks
            self._kept.forget()
        ground = view.ground
        focused = view.currentIndex().row() if view.hasFocus() else -1
        for row in rows:
            rect = QRect(0, view.rowViewportPosition(row), view.viewport().width(), view.rowHeight(row))
            entry = model.entry(row)
            if rect.top() < 0 and self.whole and not entry.present:
                continue
            look = entry, hovered.column() if hovered.row() == row else -1
            self._kept.paint(painter, rect, ground, look, partial(self._paint, rect, *look))
            if row == focused:
                painter.setPen(QPen(QColor(self.theme.focus), 1))
                painter.drawLine(rect.topLeft(), rect.topRight())
                painter.drawLine(rect.bottomLeft(), rect.bottomRight())

    def _paint(self, rect: QRect, entry: LogEntry, hovered: int, painter: QPainter) -> None:
        """Paint a row, cell by cell."""
        for column, left, width in self._columns:
            cell = QRect(left, rect.y(), width, rect.height())
            painter.save()
            painter.setClipRect(cell)
            self._cell(painter, cell, entry, column, column == hovered)
            painter.restore()

    def _cell(self, painter: QPainter, rect: QRect, entry: LogEntry, column: int, hovered: bool) -> None:
        if entry.present:
            painter.fillRect(rect, QColor(self.theme.selection))
        elif hovered or entry.step:
            painter.fillRect(rect, QColor(self.theme.raised))
        inner = QRectF(rect).adjusted(_PADDING, _PADDING / 2, -_PADDING, -_PADDING / 2)
        if column == MARKS:
            self._marks(painter, QRectF(rect), entry)
        elif column == SENTENCE:
            painter.setPen(QColor(self.theme.normal))
            self._sentence(painter, inner, entry)
        else:
            painter.setPen(QColor(self.theme.normal if entry.present else self.theme.muted))
            text = entry.number if column == EVENT else entry.time
            inner.setHeight(painter.fontMetrics().height())
            painter.drawText(inner, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    def _marks(self, painter: QPainter, rect: QRectF, entry: LogEntry) -> None:
        side = mark_side(painter.fontMetrics().height())
        middle = rect.y() + _PADDING / 2 + painter.fontMetrics().height() / 2
        if entry.present:
            painter.fillRect(QRectF(rect.x(), rect.y(), 3, rect.height()), QColor(self.theme.run))
        if entry.breakpoint:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setBrush(QColor(self.theme.normal))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawEllipse(QPointF(rect.x() + _MARGIN + side / 2, middle), side / 2.4, side / 2.4)
        for mark in self._marks_of_kind:
            if entry.flags & mark.flag:
                left = rect.x() + _MARGIN + (side + _GAP) * (1 + mark.place)
                square = QRectF(left, middle - side / 2, side, side)
                paint_mark(painter, mark.shape, square, getattr(self.theme, mark.meaning))

    def _sentence(self, painter: QPainter, rect: QRectF, entry: LogEntry) -> None:
        if entry.step:
            rect = rect.adjusted(painter.fontMetrics().height() * _STEP_INDENT, 0, 0, 0)
        paint_cut(painter, rect, _worded(entry, self.numbers_within))


def _worded(entry: LogEntry, numbered: bool) -> str:
    """The text of the sentence's cell."""
    return f"{entry.number}  {entry.sentence}" if numbered else entry.sentence


class LogView(QTableView):
    """The log's table view: no grid, a focus line, the present event marked."""

    def __init__(self, model: LogModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.empty_note = ""
        self._digits = (0, 0)
        self._opened, self._alone = -1, False
        self._heights: set[int] = set()  # rows whose heights differ from the default
        self._counted: dict[tuple[str, str, float], int] = {}  # number of lines, by sentence, font and width
        self._lecture = False
        self._log = model
        self.rows = LogRows(theme, self)
        self.setModel(model)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
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
        self.rows.theme = theme
        self.fit()
        self.viewport().update()

    def fit_digits(self, event: int, time: float) -> None:
        """Make the columns wide enough for numbers as large as these."""
        wanted = len(str(event)), len(str(int(time)))
        if wanted != self._digits:
            self._digits = wanted
            self.fit()

    def set_lecture(self, lecture: bool) -> None:
        """In lecture mode hide the header, and show every sentence in full."""
        self._lecture, self.rows.whole = lecture, False  # avoids measuring rows for the width with a scroll bar
        policy = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(policy.ScrollBarAlwaysOff if lecture else policy.ScrollBarAsNeeded)
        self.horizontalHeader().setHidden(lecture)
        self.rows.whole = lecture

    def fit(self) -> None:
        """Set column widths and row heights for the font size and the panel's width."""
        for column, width in self._widths(self.viewport().width()).items():
            self.setColumnHidden(column, not width)
            self.setColumnWidth(column, width)
        self.rows.numbers_within = self.isColumnHidden(EVENT)
        height = self.height_of_lines(1)
        if height != self.verticalHeader().defaultSectionSize():
            self.verticalHeader().setDefaultSectionSize(height)
        self.open_row(self._opened, self._alone)

    def _widths(self, whole: int) -> dict[int, int]:
        """Widths of the columns before the sentence; 0 for those that leave it too little room."""
        metrics = QFontMetricsF(self.font())
        side, digit = mark_side(metrics.height()), metrics.horizontalAdvance("0")
        title = 0.0 if self._lecture else metrics.horizontalAdvance(tr(COLUMNS[EVENT])) + 12
        event, time = (
            round(max(title, digit * (count + count // 3 * 0.4) + 2 * _PADDING + 6))
            for count in (self._digits[0], self._digits[1] + 6)
        )
        marks = round(_MARGIN + (side + _GAP) * (1 + self._log.places))
        short = _SHORT_LINE * metrics.averageCharWidth()
        if self._lecture or whole - marks - event - time < short:
            time = 0  # lecture mode shows it above, in larger type
        long, least = _ROOM["hall" if self._lecture else "window"]
        if whole - marks - event < long * metrics.averageCharWidth():
            marks = _MARGIN
        if whole - marks - event < least * metrics.averageCharWidth():
            event = 0
        return {MARKS: marks, EVENT: event, TIME: time}

    def height_of(self, row: int, whole: int) -> int:
        """Height in pixels of a row with its whole sentence, at a panel width of *whole* pixels."""
        return next(self._heights_of((row,), whole))

    def _heights_of(self, rows: Iterable[int], whole: int) -> Iterator[int]:
        """Heights of several rows; in lecture mode hundreds are measured, at each width during a layout."""
        font, widths, known = self.font(), self._widths(whole), self._log.rowCount()
        high, key = QFontMetricsF(font).height(), font.key()
        room = whole - sum(widths.values()) - 2 * _PADDING
        for row in rows:
            wide, text = whole - 2.0 * _NOTE_MARGIN, self.empty_note
            if 0 <= row < known:
                entry = self._log.entry(row)
                wide = room - (high * _STEP_INDENT if entry.step else 0.0)
                text = _worded(entry, numbered=not widths[EVENT])
            count = self._count_lines(text, font, key, max(1.0, wide))
            yield _height(high, count if self.rows.whole else min(count, _MOST_LINES))

    def height_of_lines(self, count: int) -> int:
        """Height in pixels of a row whose sentence has *count* lines."""
        return _height(QFontMetricsF(self.font()).height(), count)

    def _count_lines(self, text: str, font: QFont, known_as: str, width: float) -> int:
        """The number of lines of a sentence; cached, as most stay the same from frame to frame."""
        key = text, known_as, width
        if key not in self._counted:
            if len(self._counted) >= _MOST_REMEMBERED:
                self._counted.clear()
            self._counted[key] = len(sentence_lines(text, font, width))
        return self._counted[key]

    def note_if_empty(self, text: str) -> None:
        """Set the note that is shown if there are no rows."""
        if text != self.empty_note:
            self.empty_note = text
            self.viewport().update()

    def open_row(self, row: int, alone: bool = False) -> None:
        """Open one row, which then shows its whole sentence, on several lines if needed; -1 opens none.

        In lecture mode and in print all rows are opened, unless the row is *alone*.
        """
        usual, rows = self.verticalHeader().defaultSectionSize(), self._log.rowCount()
        opened = range(rows) if self.rows.whole and row >= 0 and not alone else (row,)
        for other in {*self._heights} - {*opened}:
            if other < rows:
                self.setRowHeight(other, usual)
        self._opened, self._alone, self._heights = row, alone, set(opened)
        known = [one for one in opened if 0 <= one < rows]
        for one, wanted in zip(known, self._heights_of(known, self.viewport().width()), strict=True):
            if wanted != self.rowHeight(one):
                self.setRowHeight(one, wanted)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():  # fit() measures each row, hundreds in lecture mode
            self.fit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the clicked event without Qt's scrolling to its row half a second later, when others may be shown."""
        self.setAutoScroll(False)
        super().mousePressEvent(event)
        self.setAutoScroll(True)

    def sizeHint(self) -> QSize:
        return QSize(400, 160)

    def minimumSizeHint(self) -> QSize:
        """In lecture mode at least one row: the servers need the room."""
        least = super().minimumSizeHint()
        return QSize(least.width(), self.verticalHeader().defaultSectionSize()) if self._lecture else least

    @property
    def ground(self) -> QColor:
        """The background colour of rows."""
        return self.palette().color(QPalette.ColorRole.Base)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint all visible rows; Qt would paint cell by cell."""
        painter, room = QPainter(self.viewport()), self.viewport()
        # If the log is scrolled while its header is painted, the event's region may extend beyond the viewport.
        seen = event.rect() & room.rect()
        painter.setClipRect(seen)
        painter.fillRect(seen, self.ground)
        if last := self._log.rowCount():
            begin, end = (self.rowAt(y) for y in (seen.top(), seen.bottom()))
            mouse = room.mapFromGlobal(QCursor.pos()) if room.underMouse() else QPoint(-1, -1)
            rows = range(begin, last if end < 0 else end + 1) if begin >= 0 else range(0)
            self.rows.paint(painter, self._log, rows, self.indexAt(mouse))
        elif self.empty_note:
            painter.setPen(QColor(self.rows.theme.muted))
            area = QRectF(room.rect()).adjusted(_NOTE_MARGIN, _PADDING, -_NOTE_MARGIN, -_PADDING)
            lines = cut_lines(self.empty_note, self.font(), area.width(), area.height())
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter, "\n".join(lines))
        painter.end()


def _height(line: float, count: int) -> int:
    """Height in pixels of a row with *count* lines of height *line*."""
    return round(line * count + 2 * _PADDING)
