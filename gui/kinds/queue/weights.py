"""The weights of all configurations, which decide what an empty server serves next."""

from __future__ import annotations

from typing import Iterable

from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from slotscope.gui.intents import Select
from slotscope.gui.kinds.queue.weights_chart import WeightsChart
from slotscope.gui.kinds.queue.weights_paint import STALLED
from slotscope.gui.kinds.queue.weights_values import WeightBlock, weight_blocks
from slotscope.gui.panel import Panel
from slotscope.gui.panels.tiles import LabelPace, Tiles, TileText, paint_ground
from slotscope.gui.plotting.scales import format_number
from slotscope.gui.theme import Theme
from slotscope.model.reporting.frame import Frame, RunInfo

_SHARE_RESOLUTION = 0.001


class WeightsPanel(Panel):
    """Every configuration's weight now, the largest marked, and what the servers have."""

    name = "weights"
    title = "Weights"
    summary = "The weight ⟨k, Q⟩ of each configuration, and the servers on which it is active."
    needs = frozenset({"configurations"})

    def build(self) -> None:
        """The few numbers above, a row for each configuration below."""
        self._info: RunInfo | None = None
        self._pace = LabelPace()
        self.tiles = Tiles(self.theme, self.body)
        self.chart = WeightsChart(self.theme)
        self.chart.picked.connect(lambda server, double: self.intent.emit(Select(server=server, floating=double)))
        self._content = QWidget()
        inner = QVBoxLayout(self._content)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.addWidget(self.chart)
        inner.addStretch(1)
        self._area = QScrollArea(self.body)
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setWidget(self._content)
        column = QVBoxLayout(self.body)
        column.setContentsMargins(0, 0, 0, 4)
        column.setSpacing(4)
        column.addWidget(self.tiles)
        column.addWidget(self._area, 1)
        self._ground()

    def show_frame(self, frame: Frame) -> None:
        """Follow the queue."""
        if frame.info is not self._info:
            self._info = frame.info
            self.chart.begin()
        elif not self._pace.due(frame.running):
            return
        blocks = weight_blocks(frame)
        self.chart.set_blocks(blocks)
        self.tiles.set_texts(_one_pool(blocks[0]) if len(blocks) == 1 else _pools(blocks))

    def show_selection(self, selection: Select) -> None:
        """Mark the row of the server that is pointed at."""
        self.chart.set_selected(selection.server)

    def restyle(self, theme: Theme) -> None:
        """Follow another theme or size of type."""
        self.tiles.restyle(theme)
        self.chart.restyle(theme)
        self._ground()

    def _ground(self) -> None:
        for widget in (self.body, self._content):
            paint_ground(widget, self.theme)

    def series(self) -> tuple[list[str], Iterable[Iterable[object]]] | None:
        """The rows as they are now."""
        names = ["pool", "configuration", "weight", "servers"]
        rows = (
            (number + 1, row.name, row.weight, row.servers)
            for number, block in enumerate(self.chart.blocks)
            for row in block.rows
        )
        return (names, rows) if self.chart.blocks else None


def _one_pool(block: WeightBlock) -> tuple[TileText, ...]:
    largest = block.heaviest
    texts = [
        TileText(
            "largest ⟨<i>k</i>, <i>Q</i>⟩",
            format_number(largest.weight),
            "normal",
            "The largest weight of all configurations now.",
        ),
        TileText(
            "first to have it",
            largest.name,
            "normal",
            "Of several with the largest weight, an empty server takes the first.",
        ),
    ]
    if block.best is not None and block.best.weight:
        share = format_number(largest.weight / block.best.weight, _SHARE_RESOLUTION)
        texts.append(
            TileText(
                "of MaxWeight's",
                share,
                "optimum",
                "The largest weight as a share of MaxWeight's; at least 2/3 by Proposition 1.",
            )
        )
    return (*texts, *_server_texts((block,)))


def _pools(blocks: tuple[WeightBlock, ...]) -> tuple[TileText, ...]:
    largest = max(block.heaviest.weight for block in blocks)
    text = TileText(
        "largest ⟨<i>k</i>, <i>Q</i>⟩",
        format_number(largest),
        "normal",
        "The largest weight of all configurations of all pools now.",
    )
    return (text, *_server_texts(blocks))


def _server_texts(blocks: tuple[WeightBlock, ...]) -> tuple[TileText, ...]:
    servers = format_number(sum(block.servers for block in blocks))
    on_largest = format_number(sum(block.heaviest.servers for block in blocks))
    texts = [
        TileText(
            f"of {servers} on it" if len(blocks) == 1 else f"of {servers} on theirs",
            on_largest,
            "normal",
            "Servers on which the first configuration of the largest weight is active.",
        )
    ]
    if any(block.threshold is not None for block in blocks):
        stalled = format_number(sum(block.stalled for block in blocks))
        texts.append(TileText("stalled", stalled, STALLED, "Servers that take no job until they are empty."))
    return tuple(texts)
