"""The texts on and below the bins, if they fit."""

from __future__ import annotations

from functools import cache
from typing import Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter

from slotscope.gui.kinds.queue.bins_content import Integers
from slotscope.gui.kinds.queue.bins_layout import FLOOR, PAD
from slotscope.gui.kinds.queue.bins_raster import DIM, GAUGE, GAUGE_WIDTH_FROM
from slotscope.gui.kinds.queue.bins_scene import BinScene
from slotscope.gui.kinds.queue.bins_words import configuration_words, size_on_block, weight_words
from slotscope.gui.kinds.queue.colours import look_color, look_ink
from slotscope.gui.kinds.queue.wording import lane_name
from slotscope.gui.painting.colour import letter_ink, mix
from slotscope.gui.painting.text import Symbols
from slotscope.gui.pictures.layout import level
from slotscope.gui.pictures.marks import placed_reason
from slotscope.model.kinds.queue.facts import QueueFacts
from slotscope.model.kinds.queue.numbers import QueueNumbers
from slotscope.model.reporting.explain import grouped

#: Only the names of this many configurations are measured; further ones are about as wide.
MOST_MEASURED = 200
#: Sizes are written only if at most this many blocks are large enough; otherwise the user has to zoom in.
MOST_SIZES = 400
#: In blocks at least this wide, in lines of text, the virtual queue's name is written before the size.
NAMES_FROM = 5.5
#: Heights in lines of text: of digits, of an area with room for a line, and of one with room below a reason.
DIGITS, ROOMY, BELOW_REASON = 0.72, 1.3, 3.3


_ink = cache(letter_ink)


def label_widths(numbers: QueueNumbers, facts: QueueFacts, text: Symbols) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """The kinds of lines that can be written below a bin, and the width in pixels that each needs at least."""
    lines = [("number", text.width(grouped(numbers.servers)))]
    if numbers.resources > 1:
        widest = max(text.width(name) for name in numbers.resource_names)
        lines.append(("resources", (widest + 4) * numbers.resources))
    if facts.has_configurations:
        names = facts.configuration_names[:MOST_MEASURED]
        widest = max(text.width(configuration_words(name)[1]) for name in names)
        lines += [("configuration", widest), ("weight", text.width(weight_words(1000)[1]))]
    return tuple(name for name, _ in lines), tuple(width for _, width in lines)


class BinText:
    """Paints the texts of one moment."""

    def __init__(self, painter: QPainter, scene: BinScene, text: Symbols) -> None:
        self._painter = painter
        self._scene = scene
        self._text = text
        gauge = scene.layout.cell.bin >= GAUGE_WIDTH_FROM * scene.layout.wishes.scale
        #: The height of the gauge at the bottom of a block, in device pixels.
        self._below = (GAUGE + 1) * scene.layout.wishes.scale if gauge else 0
        #: The rectangles of the reasons why servers were passed over.
        self._said = [
            placed_reason(scene.server_rect(one.server), one.reasons, text)[1]
            for one in scene.frame.passed_over
            if scene.place_of(one.server) is not None
        ]

    def paint(self, labels: tuple[str, ...], heights: Integers | None) -> None:
        """Paint all texts: *labels* are the kinds of lines below bins, *heights* [V, D] those of slots in units."""
        self._paint_labels(labels)
        if self._scene.blocks is None:
            return
        self._paint_rooms()
        self._paint_sizes()
        if heights is not None:
            self._paint_slots(heights)

    # Below the bins.

    def _paint_labels(self, kinds: tuple[str, ...]) -> None:
        scene, cell = self._scene, self._scene.layout.cell
        if not cell.labels:
            return
        for server in scene.servers.tolist():
            x, _ = scene.layout.corner(0, server)
            y = scene.layout.floor(server) + (FLOOR + PAD - 1) * scene.layout.wishes.scale
            area = scene.rect((x, y, cell.width - cell.gap, 0))
            area.setHeight(self._text.height)
            for kind in kinds[: cell.labels]:
                self._label(kind, server, area)
                area.translate(0, self._text.height)

    def _label(self, kind: str, server: int, area: QRectF) -> None:
        theme = self._scene.theme
        if kind == "resources":
            self._resources(server, area)
            return
        color = theme.normal if kind == "configuration" else theme.muted
        self._text.draw_first(self._painter, area, self._words(kind, server), color, 0.5)

    def _words(self, kind: str, server: int) -> tuple[str, ...]:
        scene = self._scene
        number = grouped(server + 1)
        if kind == "number":
            if scene.state.stalled[server]:
                return f"server {number}: stalled", f"{number} stalled", number
            return f"server {number}", number
        active = int(scene.state.active[server])
        if active < 0:
            return ("–",)
        if kind == "configuration":
            return configuration_words(scene.facts.configuration_names[active])
        return weight_words(int(scene.frame.derived.weights[active]))

    def _resources(self, server: int, area: QRectF) -> None:
        scene, cell = self._scene, self._scene.layout.cell
        x, _ = scene.layout.corner(0, server)
        for resource, name in enumerate(scene.numbers.resource_names):
            mine = scene.rect((x + cell.bin_left(resource), 0, cell.bin, 0))
            place = QRectF(
                mine.center().x() - cell.pair / 2 / scene.ratio, area.y(), cell.pair / scene.ratio, area.height()
            )
            self._text.draw_in(self._painter, place, name, scene.theme.muted, 0.5)

    # In the bins.

    def _paint_sizes(self) -> None:
        scene = self._scene
        blocks, levels = scene.blocks, scene.levels
        assert blocks is not None and levels is not None
        if scene.layout.cell.bin < self._text.width("0.0") * scene.ratio:
            return
        least = DIGITS * self._text.height * scene.ratio + self._below
        chosen = np.argwhere(levels.middle - levels.low >= least).tolist()
        if len(chosen) <= MOST_SIZES:
            for block, resource in chosen:
                self._on_block(block, resource)

    def _on_block(self, block: int, resource: int) -> None:
        scene, text = self._scene, self._text
        assert scene.blocks is not None and scene.levels is not None
        x, y, width, height = scene.block_box(block, resource)
        waste = int(scene.levels.high[block, resource] - scene.levels.middle[block, resource])
        area = self._below_reason(scene.rect((x, y + waste, width, height - waste - self._below)))
        if area.height() < DIGITS * text.height:
            return
        found = self._fitting(self._sizes(block, resource, area.width()), area.width() - 4)
        if found is None:
            return
        words, wide = found
        color = look_color(scene.theme, int(scene.job_class[block]))
        if scene.state.stalled[scene.servers[scene.blocks.place[block]]]:
            color = mix(color, scene.theme.panel, DIM)
        plate = QRectF(0, 0, wide + 4, min(text.height, area.height() - 1))
        plate.moveCenter(area.center())
        self._painter.fillRect(plate, QColor(color))
        self._draw(plate.center(), words, wide, _ink(color))

    def _below_reason(self, area: QRectF) -> QRectF:
        """The part of a job's area below the reason why its server was passed over."""
        covered = [said.bottom() for said in self._said if said.intersects(area)]
        area.setTop(max([area.top(), *covered]))
        return area

    def _sizes(self, block: int, resource: int, width: float) -> list[str]:
        """The texts that can be written on a job, the longest first."""
        scene = self._scene
        assert scene.blocks is not None
        units = int(scene.blocks.size[block, resource])
        words = [size_on_block(scene.numbers, units, resource, digits) for digits in (3, 2)]
        if scene.facts.intervals and width >= NAMES_FROM * self._text.height:
            name = lane_name(scene.facts, int(scene.blocks.queue[block]))
            words.insert(0, f"{name}  {words[0]}")
        return words

    def _paint_rooms(self) -> None:
        """Write how much is free, and for which virtual queue room is reserved."""
        scene = self._scene
        blocks, levels = scene.blocks, scene.levels
        assert blocks is not None and levels is not None
        line = self._text.height * scene.ratio
        least = ROOMY * line
        free = scene.numbers.capacity[scene.servers] - blocks.top
        reasoned = np.isin(scene.servers, [one.server for one in scene.frame.passed_over])
        roomy = np.where(reasoned, BELOW_REASON * line, least)[:, None]
        for place, resource in np.argwhere(levels.capacity - levels.top >= roomy).tolist():
            words = size_on_block(scene.numbers, int(free[place, resource]), resource)
            edges = int(levels.top[place, resource]), int(levels.capacity[place, resource])
            self._in_room(place, resource, edges, (f"{words} free",))
        for place, resource in np.argwhere(levels.reserve - levels.kept >= least).tolist():
            name = lane_name(scene.facts, int(blocks.owner[place]))
            edges = int(levels.kept[place, resource]), int(levels.reserve[place, resource])
            texts = f"reserved for {name}", f"for {name}", name
            self._in_room(place, resource, edges, texts, plate=True)

    def _in_room(
        self, place: int, resource: int, edges: tuple[int, int], texts: Sequence[str], plate: bool = False
    ) -> None:
        scene, cell = self._scene, self._scene.layout.cell
        server = int(scene.servers[place])
        x, _ = scene.layout.corner(0, server)
        low, high = edges
        area = scene.rect((x + cell.bin_left(resource), scene.layout.floor(server) - high, cell.bin, high - low))
        found = self._fitting(texts, area.width() - 8)
        if found is None:
            return
        words, wide = found
        under = QRectF(0, 0, wide + 6, self._text.height)
        under.moveCenter(area.center())
        if any(under.intersects(said) for said in self._said):
            return
        if plate:
            self._painter.fillRect(under, QColor(scene.theme.panel))
        self._draw(area.center(), words, wide, scene.theme.muted)

    # In the bars.

    def _paint_slots(self, heights: Integers) -> None:
        """Write the names of virtual queues into the slots of active configurations."""
        scene, cell = self._scene, self._scene.layout.cell
        queues = scene.facts.layout.queues
        if cell.bar < self._text.width(lane_name(scene.facts, queues - 1)) * scene.ratio:
            return
        for server in scene.servers.tolist():
            active = int(scene.state.active[server])
            if active < 0:
                continue
            counts = scene.facts.configurations[active]
            taken = np.repeat(np.arange(len(counts)), counts)[: cell.tall]
            for resource in range(scene.layout.wishes.resources):
                shares = np.cumsum(heights[taken, resource]) / scene.numbers.largest[resource]
                ends = level(shares, cell.tall).tolist()
                self._slots(server, resource, taken.tolist(), ends)

    def _slots(self, server: int, resource: int, taken: list[int], ends: list[int]) -> None:
        scene, text = self._scene, self._text
        cell, looks = scene.layout.cell, scene.classes.of_queues(scene.numbers, scene.facts)
        x, _ = scene.layout.corner(0, server)
        left, floor = x + cell.left + resource * cell.pair, scene.layout.floor(server)
        for queue, low, high in zip(taken, [0, *ends], ends, strict=False):
            if high - low < 0.95 * text.height * scene.ratio:
                continue
            area = scene.rect((left, floor - high, cell.bar, high - low))
            name = lane_name(scene.facts, queue)
            color = look_ink(scene.theme, looks[queue])
            self._draw(area.center(), name, text.width(name), color)

    # Single lines.

    def _fitting(self, texts: Sequence[str], room: float) -> tuple[str, float] | None:
        """The first of *texts* that fits into *room* pixels, with its width; None if none fits."""
        for words in texts:
            wide = self._text.width(words)
            if wide <= room:
                return words, wide
        return None

    def _draw(self, centre: QPointF, words: str, wide: float, color: str) -> None:
        text = self._text
        self._painter.setFont(text.upright)
        self._painter.setPen(QColor(color))
        baseline = centre.y() - text.height / 2 + text.ascent
        self._painter.drawText(QPointF(centre.x() - wide / 2, baseline), words)
