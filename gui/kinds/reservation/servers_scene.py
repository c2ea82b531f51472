"""One moment laid out in the panel: the regions of the picture, and where every server is."""

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
#: The picture is drawn from this many lines of text in height, and characters in width, on.
LEAST_LINES, LEAST_CHARACTERS = 11, 16
#: At a desk, where servers may be lower than a hall can see, so many lines do where it is so many characters wide: as
#: below a lesson's text in a low window.
LOW_AT_DESK, WIDE_AT_DESK = 8.5, 60
#: Widest and narrowest stack, in characters; and the widths of columns that are folded, and of as many as there are
#: where they would not all be seen.
WIDEST, NARROWEST = 46, 8
FOLDED, TIGHTEST = 4.0, 1.6
#: What columns that GPA does not want, and the empty configuration, take of another's width.
UNWANTED, SLOTLESS = 0.7, 0.45


@dataclass(frozen=True)
class TextRows:
    """How much text stands around the stacks, in lines."""

    captions: int  #: above each column; one more where names stand on a line of their own
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
#: A hall, which reads below the picture what happens, can do without the line that says it; so can a low picture.
TERSE = (*LADDER, TextRows(captions=1, legend=0, labels=1, event=0, bracket=1.15))
#: Share of the panel's height that stacks ask for before text may have more lines.
STACKS_SHARE = 0.44
#: Pixels between a stack and the labels above it.
LABEL_GAP = 5.0


@dataclass(frozen=True)
class Regions:
    """Where the parts of the picture are, in the widget's coordinates."""

    event: QRectF
    bracket: QRectF
    header: QRectF
    stage: QRectF
    foot: QRectF  #: which type has its slots where
    legend: QRectF


def regions(width: float, height: float, line: float, rows: TextRows, split: bool, legend: float) -> Regions | None:
    """The parts of the picture from top to bottom; None where it is too small for them.

    With *split*, names of configurations have a line of their own; *legend* is its height.
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
    """Lines above each column; a single one has the name beside the numbers in any case."""
    return rows.captions + (split and rows.captions > 1)


def headroom(rows: TextRows, line: float) -> float:
    """Pixels above the tallest stack that its labels take."""
    return rows.labels * line + LABEL_GAP


def arrange(
    width: float, height: float, line: float, split: bool, legend: Callable[[int], float]
) -> tuple[TextRows, Regions] | None:
    """The most text that leaves the stacks their share of the height, and where it stands.

    *legend* is the legend's height in pixels for so many lines.  None where nothing can be drawn.
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
    """Everything that painting and hit tests need of one moment."""

    frame: Frame
    figure: StackFigure
    layout: StackLayout
    cut: tuple[int, ...]  #: servers at the bottom of each column that are not drawn
    pictures: tuple[StripPicture, ...]
    rows: TextRows
    regions: Regions
    theme: Theme
    text: Symbols
    ratio: float
    line: int  #: device pixels per line of a texture

    @cached_property
    def stage_box(self) -> QRect:
        """The pixels of the stacks and the marks on them: all that changes in most frames of a run."""
        return self.regions.stage.adjusted(-2, 0, 2, 2).toAlignedRect()

    @property
    def surroundings(self) -> tuple[object, ...]:
        """What decides, besides the captions, all that is painted around the stage while a run goes on."""
        figure, layout = self.figure, self.layout
        held = tuple(column is not None and bool(column.held) for column in figure.columns)
        bracket = figure.greedy, len(figure.places)
        return self.regions, self.rows, self.cut, layout.columns, layout.offset, held, bracket

    def rect(self, box: tuple[int, int, int, int]) -> QRectF:
        """A box of the stage's device pixels in the widget's coordinates."""
        stage = self.regions.stage
        x, y, width, height = (value / self.ratio for value in box)
        return QRectF(stage.x() + x, stage.y() + y, width, height)

    def y(self, servers: int) -> float:
        """The height of so many servers, in the widget's coordinates."""
        return self.regions.stage.y() + self.layout.level(servers) / self.ratio

    def span(self, column: int) -> tuple[float, float, float]:
        """Left edge, stack's right edge and right edge of a column in the widget."""
        left = self.regions.stage.x() + self.layout.left(column) / self.ratio
        span = self.layout.columns[column]
        return left, left + span.stack / self.ratio, left + span.width / self.ratio

    def server_box(self, server: int) -> tuple[int, int, int, int]:
        """The strip in which a server is, in the stage's device pixels."""
        column = int(self.figure.column[server])
        return self.layout.box(column, int(self.figure.place[server]) - self.cut[column])

    def slot_box(self, server: int, job_type: int, slot: int) -> tuple[int, int, int, int]:
        """A slot, or the whole strip where slots are not seen one by one."""
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
        """The server at a point; None where there is none, or several share the strip."""
        hit = self.layout.hit(*self.pixel(position))
        if hit is None or hit.place is None or self.layout.scale.is_bar(self.line):
            return None
        column = self.figure.columns[hit.column]
        return int(column.servers[hit.place + self.cut[hit.column]]) if column is not None else None

    def slot_at(self, position: QPointF) -> tuple[int, int] | None:
        """Job type and slot at a point, where slots are seen one by one."""
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
        """The column whose header or stack is at a point."""
        parts = self.regions
        if not parts.header.top() <= position.y() <= parts.stage.bottom():
            return None
        hit = self.layout.hit(self.pixel(position)[0], 0)
        return self.figure.columns[hit.column] if hit is not None else None


def column_shares(figure: StackFigure, room: int, least: int, collapsed: int) -> list[Share]:
    """What each column takes: an unused k[i] is folded only where room is scarce."""
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

    Only the servers without slots are cut: a hint of them is enough, and all others stay on
    the same scale.
    """
    fits = max(1, int(room / scale.unit))
    return tuple(
        max(0, column.held - fits) if column is not None and column.is_empty else 0 for column in figure.columns
    )


def lay_out_columns(
    figure: StackFigure, room: int, character: float, scale: StackScale, fit: StackScale, line: int
) -> tuple[ColumnSpan, ...]:
    """The columns side by side, for a font whose characters are so wide (device pixels)."""
    least, most = round(NARROWEST * character), round(WIDEST * character)
    gap, folded = round(3.2 * character), round(FOLDED * character)
    folded = max(round(TIGHTEST * character), min(folded, room // max(1, len(figure.columns))))
    shares = column_shares(figure, room, least, folded)
    return spans(shares, room, gap, folded, most, widening(scale, fit, line))
