"""How the log is drawn, and the table view that holds it."""

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

#: Below this many characters for the sentence, the times make room for it.
_SHORT_LINE = 36
#: Below so many also the marks, and below so many the numbers of the events go into the sentence.
_ROOM = {"window": (15, 15), "hall": (60, 30)}
#: Lines that the sentence of an opened row takes at most.
_MOST_LINES = 4
#: Sentences of which it is remembered how many lines they take; then all are forgotten.
_MOST_REMEMBERED = 4096
_PADDING = 4.0
_NOTE_MARGIN = 12  # on both sides of what stands where no row does
_MARGIN, _GAP = 5, 3  # before the first mark, and between marks
_STEP_INDENT = 0.8  # of a sub-step's sentence, in heights of the type


class LogRows:
    """Draws rows of the log, as they were painted before if they were: from event to event nearly all only move on."""

    def __init__(self, theme: Theme, view: LogView) -> None:
        self.theme = theme
        self.whole = False  #: whether sentences are whole, and a row that is not seen whole is left out
        self.numbers_within = False  #: whether sentences begin with their numbers, which have no column
        self._view = view
        self._kept = Kept()
        self._looks: tuple[object, ...] = ()
        self._marks_of_kind: Sequence[EventKind] = ()
        self._columns: list[tuple[int, int, int]] = []  # each with its place and width

    def paint(self, painter: QPainter, model: LogModel, rows: range, hovered: Index) -> None:
        """Draw some rows where they stand; *hovered* is the cell under the mouse."""
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
        """Draw a row, cell by cell."""
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
    """What stands in the column of the sentence."""
    return f"{entry.number}  {entry.sentence}" if numbered else entry.sentence


class LogView(QTableView):
    """A table of the log: no grid, one focus line, the present event marked."""

    def __init__(self, model: LogModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.empty_note = ""
        self._digits = (0, 0)
        self._opened, self._alone = -1, False
        self._heights: set[int] = set()  # rows whose heights are not the usual one
        self._counted: dict[tuple[str, str, float], int] = {}  # lines, by sentence, type and width
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
        """Make room for numbers as large as these."""
        wanted = len(str(event)), len(str(int(time)))
        if wanted != self._digits:
            self._digits = wanted
            self.fit()

    def set_lecture(self, lecture: bool) -> None:
        """For a hall: no header, and every sentence in full."""
        self._lecture, self.rows.whole = lecture, False  # no row is measured for the width without a scroll bar alone
        policy = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(policy.ScrollBarAlwaysOff if lecture else policy.ScrollBarAsNeeded)
        self.horizontalHeader().setHidden(lecture)
        self.rows.whole = lecture

    def fit(self) -> None:
        """Set widths and heights after the type's size and the panel's width."""
        for column, width in self._widths(self.viewport().width()).items():
            self.setColumnHidden(column, not width)
            self.setColumnWidth(column, width)
        self.rows.numbers_within = self.isColumnHidden(EVENT)
        height = self.height_of_lines(1)
        if height != self.verticalHeader().defaultSectionSize():
            self.verticalHeader().setDefaultSectionSize(height)
        self.open_row(self._opened, self._alone)

    def _widths(self, whole: int) -> dict[int, int]:
        """Widths of the columns before the sentence; what leaves it too little room has none."""
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
            time = 0  # for a hall it stands above, in larger type
        long, least = _ROOM["hall" if self._lecture else "window"]
        if whole - marks - event < long * metrics.averageCharWidth():
            marks = _MARGIN
        if whole - marks - event < least * metrics.averageCharWidth():
            event = 0
        return {MARKS: marks, EVENT: event, TIME: time}

    def height_of(self, row: int, whole: int) -> int:
        """Height in pixels that a row needs to show all of its sentence at a panel's width."""
        return next(self._heights_of((row,), whole))

    def _heights_of(self, rows: Iterable[int], whole: int) -> Iterator[int]:
        """The same of several; in a hall hundreds are measured, at each width on the way to a layout."""
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
        """Height in pixels of a row whose sentence takes so many lines."""
        return _height(QFontMetricsF(self.font()).height(), count)

    def _count_lines(self, text: str, font: QFont, known_as: str, width: float) -> int:
        """How many lines a sentence takes: most stay as they are from moment to moment."""
        key = text, known_as, width
        if key not in self._counted:
            if len(self._counted) >= _MOST_REMEMBERED:
                self._counted.clear()
            self._counted[key] = len(sentence_lines(text, font, width))
        return self._counted[key]

    def note_if_empty(self, text: str) -> None:
        """Say this where there is no row."""
        if text != self.empty_note:
            self.empty_note = text
            self.viewport().update()

    def open_row(self, row: int, alone: bool = False) -> None:
        """Show the whole sentence of one row, on several lines if need be; -1: of none.

        In lecture mode and on paper those of all rows are shown, unless it is *alone*.
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
        if event.size().width() != event.oldSize().width():  # each row is measured, of which a hall may have hundreds
            self.fit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click goes to its event at once: Qt would scroll to its row half a second later, whatever is shown then."""
        self.setAutoScroll(False)
        super().mousePressEvent(event)
        self.setAutoScroll(True)

    def sizeHint(self) -> QSize:
        return QSize(400, 160)

    def minimumSizeHint(self) -> QSize:
        """In lecture mode one line, where there is no more to say: the servers need the room."""
        least = super().minimumSizeHint()
        return QSize(least.width(), self.verticalHeader().defaultSectionSize()) if self._lecture else least

    @property
    def ground(self) -> QColor:
        """What rows stand on."""
        return self.palette().color(QPalette.ColorRole.Base)

    def paintEvent(self, event: QPaintEvent) -> None:
        """All that is seen, row by row: Qt would go from cell to cell."""
        painter, room = QPainter(self.viewport()), self.viewport()
        # A log that is scrolled while its header is painted is asked for what has moved out of it.
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
    """Height in pixels of a row with so many lines of a height."""
    return round(line * count + 2 * _PADDING)
