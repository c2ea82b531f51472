"""The panel of the weights of all configurations, which decide an empty server's next configuration."""

from __future__ import annotations

from typing import Iterable, Iterator, NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSize, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from slotscope.gui.intents import Select
from slotscope.gui.kinds.queue.weights_columns import NO_WIDTHS, WeightColumns, Widths, chips, columns, widths
from slotscope.gui.kinds.queue.weights_paint import STALLED, WeightsPainter
from slotscope.gui.kinds.queue.weights_values import (
    WeightBlock,
    best_sentence,
    own_sentence,
    row_sentence,
    weight_blocks,
)
from slotscope.gui.panels.columns import scrolled
from slotscope.gui.panels.tiles import TiledPanel, TileText
from slotscope.gui.plotting.scales import format_number
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.chart import Chart
from slotscope.gui.widgets.rows import STRETCH, in_column
from slotscope.model.reporting.frame import Frame

_ROW_PAD, _BLOCK_GAP = 6.0, 10.0
_OWN_ROWS = 1.6  # height of the line of servers' own weights, in rows
#: Numbers for the lines of a block above its rows: heading, MaxWeight's choice, servers' own weights.
HEADING, BEST, OWN = -1, -2, -3


class ChartLine(NamedTuple):
    """A line of the picture: ``row`` is the index of a row of the block, or HEADING, BEST or OWN; y in pixels."""

    block: int
    row: int
    top: float
    height: float


class WeightsChart(Chart):
    """Draws all blocks below each other; the signal ``picked`` has the clicked server, and whether doubly."""

    picked = Signal(int, bool)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "weights of the configurations", QSizePolicy.Policy.Fixed)
        self.blocks: tuple[WeightBlock, ...] = ()  #: the blocks shown
        self.lines: tuple[ChartLine, ...] = ()  #: the lines of all blocks
        self._widths = NO_WIDTHS
        self._selected: int | None = None

    # What is shown.

    def begin(self) -> None:
        """Forget the blocks of another run, and the widths of its texts."""
        self.blocks, self._widths = (), NO_WIDTHS

    def set_blocks(self, blocks: tuple[WeightBlock, ...]) -> None:
        """Show these blocks; columns only become wider, so that nothing jumps."""
        if blocks == self.blocks:
            return
        anew = [*map(_shape, blocks)] != [*map(_shape, self.blocks)]
        self.blocks, before = blocks, self._widths
        self._widths = before.at_least(self._needed())
        if anew or self._widths != before:
            self._lay_out()
        self.update()

    def set_selected(self, server: int | None) -> None:
        """Mark the row of this server's active configuration."""
        if server != self._selected:
            self._selected = server
            self.update()

    def restyle(self, theme: Theme) -> None:
        self._theme = theme
        self._widths = self._needed()
        self._lay_out()
        self.update()

    # Geometry.

    def _needed(self) -> Widths:
        bold = current_fonts().body
        bold.setBold(True)
        plain = self._metrics().horizontalAdvance
        return widths(self.blocks, plain, QFontMetricsF(bold).horizontalAdvance)

    def _lay_out(self) -> None:
        height, lines, top = self._metrics().height() + _ROW_PAD, [], 0.0
        for number, block in enumerate(self.blocks):
            above = [HEADING, *([BEST] if block.best else []), OWN]
            for row in (*above, *range(len(block.rows))):
                tall = height * (_OWN_ROWS if row == OWN else 1)
                if row == BEST and self.columns().split:
                    tall *= 2
                lines.append(ChartLine(number, row, top, tall))
                top += tall
            top += _BLOCK_GAP
        self.lines = tuple(lines)
        self.setFixedHeight(max(1, round(top)))

    def sizeHint(self) -> QSize:
        return QSize(200, self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out again, as MaxWeight's choice may now need a second line or no longer need it."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._lay_out()

    def columns(self) -> WeightColumns:
        """The columns at the current width."""
        return columns(self._widths, self.width())

    def line_at(self, height: float) -> ChartLine | None:
        found = (line for line in self.lines if line.top <= height < line.top + line.height)
        return next(found, None)

    # Painting.

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(current_fonts().body)
        looks = WeightsPainter(painter, self._theme, self.columns(), self._selected)
        low, high = event.rect().top(), event.rect().bottom() + 1
        for number, block in enumerate(self.blocks):
            mine = [line for line in self.lines if line.block == number]
            bars = [line for line in mine if line.row != HEADING]
            name = bars[0].height / 2 if bars[0].row == BEST and self.columns().split else 0.0
            looks.guides(block, bars[0].top + name, bars[-1].top + bars[-1].height)
            for line in mine:
                if line.top + line.height < low or line.top > high:
                    continue
                box = QRectF(0, line.top, self.width(), line.height)
                match line.row:
                    case _ if line.row == HEADING:
                        looks.heading(block, box)
                    case _ if line.row == BEST:
                        looks.best(block, box)
                    case _ if line.row == OWN:
                        looks.own(block, box)
                    case row:
                        looks.row(block, block.rows[row], box)
        painter.end()

    # The mouse.

    def server_at(self, place: QPointF) -> int | None:
        """The server whose number is written at *place*; None for none."""
        line = self.line_at(place.y())
        if line is None or line.row < 0:
            return None
        box = WeightColumns.box(self.columns().servers, line.top, line.height)
        listed = chips(self.blocks[line.block].rows[line.row], box, self._metrics().horizontalAdvance)
        return next((server for server, chip in listed if chip.contains(place)), None)

    def pick(self, point: QPointF, double: bool) -> bool:
        """Report a click on the server whose number is at *point*; returns whether there is one."""
        server = self.server_at(point)
        if server is not None:
            self.picked.emit(server, double)
        return server is not None

    def tip_at(self, point: QPointF) -> str:
        """A sentence about the line at *point*."""
        line = self.line_at(point.y())
        if line is None:
            return ""
        block = self.blocks[line.block]
        if line.row >= 0:
            return row_sentence(block.rows[line.row], block.servers)
        if line.row == BEST:
            return best_sentence(block)
        if line.row == OWN:
            return own_sentence(block)
        return (
            "The weight ⟨k, Q⟩ of each configuration is the number of jobs that wait for "
            "its places, (5); a server takes the largest when it is empty, (8)."
        )


def _shape(block: WeightBlock) -> tuple[int, bool]:
    """The parts of a block that determine its number of lines."""
    return len(block.rows), block.best is not None


_SHARE_RESOLUTION = 0.001


class WeightsPanel(TiledPanel):
    """Every configuration's weight now, with the largest marked, and the servers on which it is active."""

    name = "weights"
    title = "Weights"
    summary = "The weight ⟨k, Q⟩ of each configuration, and the servers on which it is active."
    needs = frozenset({"configurations"})
    spacing = 4

    def build(self) -> None:
        """Build the tiles, and below them the chart with a row per configuration."""
        super().build()
        self.chart = WeightsChart(self.theme)
        self.chart.picked.connect(lambda server, double: self.intent.emit(Select(server=server, floating=double)))
        self.follow_theme(self.chart)
        content = QWidget()
        self.ground(content)
        in_column(content, self.chart, STRETCH)
        self.column.addWidget(scrolled(content, self.body), 1)

    def begin(self, frame: Frame) -> None:
        """Begin another run, with other configurations."""
        self.chart.begin()

    def show_frame(self, frame: Frame) -> None:
        """Update weights and tiles to this moment."""
        if not self.numbers_due(frame):
            return
        blocks = weight_blocks(frame)
        self.chart.set_blocks(blocks)
        self.tiles.set_texts(_tiles(blocks))

    def show_selection(self, selection: Select) -> None:
        """Mark the row of the selected server's configuration."""
        self.chart.set_selected(selection.server)

    def series(self) -> tuple[list[str], Iterable[Iterable[object]]] | None:
        """The rows at this moment, for a CSV file."""
        names = ["pool", "configuration", "weight", "servers"]
        rows = (
            (number + 1, row.name, row.weight, row.servers)
            for number, block in enumerate(self.chart.blocks)
            for row in block.rows
        )
        return (names, rows) if self.chart.blocks else None


def _tiles(blocks: tuple[WeightBlock, ...]) -> Iterator[TileText]:
    """Tiles: the largest weight, its configuration, its share of MaxWeight's; servers on it, and stalled servers."""
    first, alone = blocks[0], len(blocks) == 1
    largest = max(block.heaviest.weight for block in blocks)
    tip = f"The largest weight of all configurations{'' if alone else ' of all pools'} now."
    yield TileText("largest ⟨<i>k</i>, <i>Q</i>⟩", format_number(largest), "normal", tip)
    if alone:
        tip = "Of several with the largest weight, an empty server takes the first."
        yield TileText("first to have it", first.heaviest.name, "normal", tip)
    if alone and first.best is not None and first.best.weight:
        share = format_number(largest / first.best.weight, _SHARE_RESOLUTION)
        tip = "The largest weight as a share of MaxWeight's; at least 2/3 by Proposition 1."
        yield TileText("of MaxWeight's", share, "optimum", tip)
    servers = format_number(sum(block.servers for block in blocks))
    on_largest = format_number(sum(block.heaviest.servers for block in blocks))
    tip = "Servers on which the first configuration of the largest weight is active."
    yield TileText(f"of {servers} on {'it' if alone else 'theirs'}", on_largest, "normal", tip)
    if any(block.threshold is not None for block in blocks):
        stalled = format_number(sum(block.stalled for block in blocks))
        yield TileText("stalled", stalled, STALLED, "Servers that take no job until they are empty.")
