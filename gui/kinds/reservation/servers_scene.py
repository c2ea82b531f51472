"""The geometry of one moment: the regions of the picture, and the place of every server."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Callable

from PySide6.QtCore import QPointF, QRect, QRectF

from slotscope.gui.kinds.reservation.servers_columns import ConfigurationColumn, StackFigure
from slotscope.gui.kinds.reservation.servers_slots import StripPicture
from slotscope.gui.kinds.reservation.servers_stack_layout import (
    ColumnSpan,
    Share,
    StackLayout,
    StackScale,
    spans,
    widening,
)
from slotscope.gui.painting.text import Symbols
from slotscope.gui.theme import Theme, current_fonts
from slotscope.model.reporting.frame import Frame

MARGIN = 10.0
#: Minimum height of the picture in lines of text, and its minimum width in characters.
LEAST_LINES, LEAST_CHARACTERS = 11, 16
#: Minimum height in lines of text outside lecture mode, for pictures at least this many characters wide, as below a
#: lesson's text in a low window: there, servers may be lower than an audience could see.
LOW_AT_DESK, WIDE_AT_DESK = 8.5, 60
#: Maximum and minimum width of a stack in characters; the width of a folded column, and its minimum if there are too
#: many
#: to be visible at once.
WIDEST, NARROWEST = 46, 8
FOLDED, TIGHTEST = 4.0, 1.6
#: Widths of columns that GPA does not want, and of the empty configuration's, as shares of another column's.
UNWANTED, SLOTLESS = 0.7, 0.45


@dataclass(frozen=True)
class TextRows:
    """The amount of text around the stacks, in lines."""

    captions: int  #: above each column; one more if names have their own line
    legend: int
    labels: int  #: above a stack
    event: float
    bracket: float


#: From the most text to the least.
LADDER = (
    TextRows(captions=3, legend=2, labels=2, event=1.5, bracket=1.4),
    TextRows(captions=2, legend=1, labels=1, event=1.2, bracket=1.15),
    TextRows(captions=2, legend=0, labels=1, event=1.2, bracket=1.15),
    TextRows(captions=1, legend=0, labels=1, event=1.2, bracket=1.15),
)
#: Also without the event's line: for lecture mode, which shows the sentence below the picture, and for low pictures.
TERSE = (*LADDER, TextRows(captions=1, legend=0, labels=1, event=0, bracket=1.15))
#: Share of the panel's height that the stacks must get before text may take more lines.
STACKS_SHARE = 0.44
#: Pixels between a stack and the labels above it.
LABEL_GAP = 5.0


@dataclass(frozen=True)
class Regions:
    """The rectangles of the picture's parts, in the widget's coordinates."""

    event: QRectF
    bracket: QRectF
    header: QRectF
    stage: QRectF
    foot: QRectF  #: the letters of the types, below their slots
    legend: QRectF


def regions(width: float, height: float, line: float, rows: TextRows, split: bool, legend: float) -> Regions | None:
    """The parts of the picture from top to bottom; None if the widget is too small.

    Lengths are in pixels; *line* is the height of a line of text, *legend* that of the legend.  With *split*, names of
    configurations have their own line.
    """
    wide = not current_fonts().lecture and width >= WIDE_AT_DESK * line / 2
    least = LOW_AT_DESK if wide else LEAST_LINES
    if height < least * line or width < LEAST_CHARACTERS * line / 2:
        return None
    room = width - 2 * MARGIN
    event = QRectF(MARGIN, 4, room, rows.event * line)
    bracket = QRectF(MARGIN, event.bottom() + 2, room, rows.bracket * line)
    header = QRectF(MARGIN, bracket.bottom() + 2, room, header_lines(rows, split) * line)
    bottom = height - 4 - legend
    top, end = header.bottom() + 4, bottom - (8 if legend else 2) - line
    stage = QRectF(MARGIN, top, room, max(1.0, end - top))
    foot = QRectF(MARGIN, stage.bottom() + 2, room, line)
    return Regions(event, bracket, header, stage, foot, QRectF(MARGIN, bottom, room, legend))


def header_lines(rows: TextRows, split: bool) -> int:
    """Number of lines above each column; a single line holds name and numbers, even with *split*."""
    return rows.captions + (split and rows.captions > 1)


def headroom(rows: TextRows, line: float) -> float:
    """Pixels needed above the tallest stack for its labels."""
    return rows.labels * line + LABEL_GAP


def arrange(
    width: float, height: float, line: float, split: bool, legend: Callable[[int], float]
) -> tuple[TextRows, Regions] | None:
    """The rows with the most text that leave the stacks their share of the height, and the regions.

    *legend* returns the legend's height in pixels for a number of lines.  Returns None if the picture has no room.
    """
    found = None
    for rows in TERSE if current_fonts().lecture or height < LEAST_LINES * line else LADDER:
        parts = regions(width, height, line, rows, split, legend(rows.legend))
        if parts is None:
            return None
        found = rows, parts
        if parts.stage.height() - headroom(rows, line) >= STACKS_SHARE * height:
            break
    return found


@dataclass(frozen=True, eq=False)
class StackScene:
    """Everything that painting and hit testing need for one moment."""

    frame: Frame
    figure: StackFigure
    layout: StackLayout
    cut: tuple[int, ...]  #: servers at the bottom of each column that are left out
    pictures: tuple[StripPicture, ...]
    rows: TextRows
    regions: Regions
    theme: Theme
    text: Symbols
    ratio: float
    line: int  #: device pixels per line of a texture

    @cached_property
    def stage_box(self) -> QRect:
        """The pixels of the stacks and the marks on them, which are all that changes in most frames of a run."""
        return self.regions.stage.adjusted(-2, 0, 2, 2).toAlignedRect()

    @property
    def surroundings(self) -> tuple[object, ...]:
        """Everything besides the captions that determines what is painted around the stage while the run plays."""
        figure, layout = self.figure, self.layout
        held = tuple(column is not None and bool(column.held) for column in figure.columns)
        bracket = figure.greedy, len(figure.places)
        return self.regions, self.rows, self.cut, layout.columns, layout.offset, held, bracket

    def rect(self, box: tuple[int, int, int, int]) -> QRectF:
        """The widget's coordinates of a box in the stage's device pixels."""
        stage = self.regions.stage
        x, y, width, height = (value / self.ratio for value in box)
        return QRectF(stage.x() + x, stage.y() + y, width, height)

    def y(self, servers: int) -> float:
        """The y coordinate, in the widget, of a stack's top with *servers* servers."""
        return self.regions.stage.y() + self.layout.level(servers) / self.ratio

    def span(self, column: int) -> tuple[float, float, float]:
        """Left edge, right edge of the stack, and right edge of a column, in the widget's coordinates."""
        left = self.regions.stage.x() + self.layout.left(column) / self.ratio
        span = self.layout.columns[column]
        return left, left + span.stack / self.ratio, left + span.width / self.ratio

    def server_box(self, server: int) -> tuple[int, int, int, int]:
        """The strip that contains a server, in the stage's device pixels: x, y, width, height."""
        column = int(self.figure.column[server])
        return self.layout.box(column, int(self.figure.place[server]) - self.cut[column])

    def slot_box(self, server: int, job_type: int, slot: int) -> tuple[int, int, int, int]:
        """The box of a slot, or the whole strip if single slots are not shown."""
        x, y, width, height = self.server_box(server)
        if self.layout.scale.group == 1:
            for box in self.pictures[int(self.figure.column[server])].boxes:
                if (box.job_type, box.slot) == (job_type, slot):
                    return x + box.left, y + box.top, box.right - box.left, box.bottom - box.top
        return x, y, width, height

    def pixel(self, position: QPointF) -> tuple[int, int]:
        """The stage's device pixel at a point of the widget."""
        stage = self.regions.stage
        return (int((position.x() - stage.x()) * self.ratio // 1), int((position.y() - stage.y()) * self.ratio // 1))

    def server_at(self, position: QPointF) -> int | None:
        """The server at a point; None if there is none, or if stacks are drawn as bars."""
        hit = self.layout.hit(*self.pixel(position))
        if hit is None or hit.place is None or self.layout.scale.is_bar(self.line):
            return None
        column = self.figure.columns[hit.column]
        return int(column.servers[hit.place + self.cut[hit.column]]) if column is not None else None

    def slot_at(self, position: QPointF) -> tuple[int, int] | None:
        """Job type and slot at a point, if single slots are shown."""
        server = self.server_at(position)
        if server is None:
            return None
        x, y = self.pixel(position)
        left, top, _, _ = self.server_box(server)
        for box in self.pictures[int(self.figure.column[server])].boxes:
            inside = box.left <= x - left < box.right and box.top <= y - top < box.bottom
            if box.slot is not None and inside:
                return box.job_type, box.slot
        return None

    def column_at(self, position: QPointF) -> ConfigurationColumn | None:
        """The column whose header or stack is at a point; None if there is none."""
        parts = self.regions
        if not parts.header.top() <= position.y() <= parts.stage.bottom():
            return None
        hit = self.layout.hit(self.pixel(position)[0], 0)
        return self.figure.columns[hit.column] if hit is not None else None


def column_shares(figure: StackFigure, room: int, least: int, collapsed: int) -> list[Share]:
    """The width that each column asks for; columns of unused k[i] are folded only if width is scarce."""
    shares = [_share(column) for column in figure.columns]
    if sum(least * item.share for item in shares) <= room:
        return shares
    return [
        Share(0.0, collapsed) if column is None or not column.tallest else share
        for column, share in zip(figure.columns, shares, strict=True)
    ]


def _share(column: ConfigurationColumn | None) -> Share:
    if column is not None and column.position:
        return Share(1.0)
    return Share(SLOTLESS if column is not None and column.is_empty else UNWANTED)


def cut_of(figure: StackFigure, scale: StackScale, room: int) -> tuple[int, ...]:
    """How many servers of each column are left out at the bottom.

    Only the column without slots is cut, since a part of it is enough; so it does not change the scale of the others.
    """
    fits = max(1, int(room / scale.unit))
    return tuple(
        max(0, column.held - fits) if column is not None and column.is_empty else 0 for column in figure.columns
    )


def lay_out_columns(
    figure: StackFigure, room: int, character: float, scale: StackScale, fit: StackScale, line: int
) -> tuple[ColumnSpan, ...]:
    """Lay out the columns side by side; *character* is the average width of a character in device pixels."""
    least, most = round(NARROWEST * character), round(WIDEST * character)
    gap, folded = round(3.2 * character), round(FOLDED * character)
    folded = max(round(TIGHTEST * character), min(folded, room // max(1, len(figure.columns))))
    shares = column_shares(figure, room, least, folded)
    return spans(shares, room, gap, folded, most, widening(scale, fit, line))
