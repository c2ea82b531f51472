"""Texts at the servers where there is room, and their tokens and timers."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Callable

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPixmap

from slotscope.gui.kinds.phases.colours import phase_color, phase_ink
from slotscope.gui.kinds.phases.servers_layout import PAD
from slotscope.gui.kinds.phases.servers_raster import DIM, JobBlocks, blocks_of
from slotscope.gui.kinds.phases.servers_scene import PhaseScene, token_types
from slotscope.gui.kinds.phases.servers_sections import Integers
from slotscope.gui.kinds.phases.servers_words import caption_words, label_words, phase_names
from slotscope.gui.kinds.phases.wording import short_configuration
from slotscope.gui.painting.colour import letter_ink, mix
from slotscope.gui.painting.text import Lines, Symbols
from slotscope.gui.pictures.layout import Box
from slotscope.gui.pictures.scene import ShownSection
from slotscope.gui.theme import Theme
from slotscope.model.reporting.explain import grouped
from slotscope.model.reporting.frame import RunInfo
from slotscope.model.reporting.letters import own_letters

#: Size of the cache of stamps.
MOST_STAMPS = 512
#: Least side of tokens with letters, in lines of text; and of round ones without, in
#: pixels.
LETTERS_FROM, ROUND_FROM = 0.72, 5
#: Height of digits in lines of text.
DIGITS = 0.72
#: Direction of a timer's hand, in degrees clockwise from the top.
_HAND = 60.0


class Stamps:
    """Cached pixmaps for one theme, font and device pixel ratio."""

    def __init__(self, theme: Theme, font: QFont, letters: tuple[str, ...], ratio: float) -> None:
        self._theme, self._letters, self._ratio = theme, letters, ratio
        self._font = QFont(font)
        self._font.setBold(True)
        self._metrics = QFontMetricsF(self._font)
        self.line = self._metrics.height()
        self._made = lru_cache(MOST_STAMPS)(self._make)

    def letter_size(self, phase: int) -> tuple[float, float]:
        """Width and height of a phase's letter with its plate."""
        letter = self._letters[phase]
        return self._metrics.horizontalAdvance(letter) + 4, DIGITS * self.line + 3

    def letter(self, phase: int, virtual: bool, dim: float) -> QPixmap:
        """A phase's letter on a plate of its colour; for a virtual job, of the panel's colour."""
        return self._made("letter", phase, virtual, dim)

    def token(self, job_type: int, side: int) -> QPixmap:
        """A token of a type, *side* device pixels wide: a coin."""
        return self._made("token", job_type, False, side)

    def timer(self, side: int) -> QPixmap:
        """A running timer, *side* device pixels wide."""
        return self._made("timer", 0, False, side)

    def _make(self, what: str, phase: int, virtual: bool, size: float) -> QPixmap:
        wide, high = self.letter_size(phase) if what == "letter" else (size / self._ratio,) * 2
        pixmap = QPixmap(math.ceil(wide * self._ratio), math.ceil(high * self._ratio))
        pixmap.setDevicePixelRatio(self._ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(0, 0, wide, high)
        if what == "letter":
            self._paint_letter(painter, rect, phase, virtual, size)
        else:
            paint: Callable[[QPainter, QRectF, int], None] = self._paint_token if what == "token" else self._paint_timer
            paint(painter, rect, phase)
        painter.end()
        return pixmap

    def _paint_letter(self, painter: QPainter, rect: QRectF, phase: int, virtual: bool, dim: float) -> None:
        theme = self._theme
        color = phase_color(theme, phase)
        ink, plate = (phase_ink(theme, phase), theme.panel) if virtual else (letter_ink(color), color)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(mix(plate, theme.panel, dim)))
        painter.drawRoundedRect(rect, 2, 2)
        if dim and not virtual:
            ink = letter_ink(mix(plate, theme.panel, dim))
        self._write(painter, rect, self._letters[phase], ink)

    def _paint_token(self, painter: QPainter, rect: QRectF, job_type: int) -> None:
        theme, side = self._theme, rect.width()
        color = phase_color(theme, job_type)
        if side * self._ratio < ROUND_FROM:
            painter.fillRect(rect, QColor(color))
            return
        width = max(1.0, side / 14)
        painter.setPen(QPen(QColor(theme.run), width))
        painter.setBrush(QColor(color))
        edge = width / 2
        painter.drawEllipse(rect.adjusted(edge, edge, -edge, -edge))
        if side >= LETTERS_FROM * self.line:
            self._write(painter, rect, self._letters[job_type], letter_ink(color), side)

    def _paint_timer(self, painter: QPainter, rect: QRectF, _: int) -> None:
        side = rect.width()
        width = max(1.0, side / 10)
        painter.setPen(QPen(QColor(self._theme.muted), width, c=Qt.PenCapStyle.RoundCap))
        ring = rect.adjusted(width, width + side * 0.08, -width, -width + side * 0.08)
        ring.setBottom(rect.bottom() - width)
        painter.drawEllipse(ring)
        centre, reach = ring.center(), 0.32 * side
        angle = math.radians(_HAND)
        tip = QPointF(reach * math.sin(angle), -reach * math.cos(angle))
        painter.drawLine(centre, centre + QPointF(0, -reach))
        painter.drawLine(centre, centre + tip * 0.75)

    def _write(self, painter: QPainter, rect: QRectF, words: str, ink: str, room: float = math.inf) -> None:
        font, metrics = self._font, self._metrics
        size = min(1.0, 0.66 * room / max(1.0, metrics.horizontalAdvance(words)), 0.7 * room / (DIGITS * self.line))
        if size < 1:
            font = QFont(font)
            font.setPointSizeF(font.pointSizeF() * size)
            metrics = QFontMetricsF(font)
        painter.setFont(font)
        painter.setPen(QColor(ink))
        x = rect.center().x() - metrics.horizontalAdvance(words) / 2
        baseline = rect.center().y() + metrics.capHeight() / 2
        painter.drawText(QPointF(x, baseline), words)


#: Most letters that are written; with more jobs, the user has to zoom in.
MOST_LETTERS = 900
#: Least side of timers, in lines of a texture.
TIMERS_FROM = 7


def label_widths(info: RunInfo, text: Symbols) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """The kinds of lines that can be written below a bin, and the least width of each."""
    names = phase_names(info)
    servers = max(info.facts.normal_servers, 100)
    some = max(1, info.numbers.model.most_jobs // max(1, len(names)))
    shared = [some] * min(len(names), 3) + [0] * (len(names) - 3)
    lines = [
        ("number", text.width(grouped(servers))),
        ("configuration", text.width(short_configuration(own_letters(names), shared))),
    ]
    if info.facts.normal_servers:
        lines.append(("doing", text.width("rate 0.00")))
    return tuple(name for name, _ in lines), tuple(width for _, width in lines)


class PhaseText:
    """Paints texts, tokens and timers of one moment."""

    def __init__(self, painter: QPainter, scene: PhaseScene, text: Lines, stamps: Stamps) -> None:
        self._painter, self._scene = painter, scene
        self._text, self._stamps = text, stamps

    def paint(self, labels: tuple[str, ...]) -> None:
        """Paint everything; *labels* are the kinds of lines below bins."""
        for number, shown in enumerate(self._scene.shown):
            self._caption(number, shown)
            self._tokens(number, shown)
            self._labels(number, shown, labels)
        self._letters()

    # Captions and labels.

    def _caption(self, number: int, shown: ShownSection) -> None:
        scene = self._scene
        area = scene.rect(scene.layout.caption(number))
        words = caption_words(scene.frame, shown.section)
        if area.height():
            self._text.draw_first(self._painter, area, words, scene.theme.normal)

    def _labels(self, number: int, shown: ShownSection, kinds: tuple[str, ...]) -> None:
        scene, cell = self._scene, shown.grid.cell
        if not cell.labels:
            return
        below = (cell.head + cell.tall + cell.floor + PAD * scene.layout.wishes.scale) / scene.ratio
        room = (cell.width - cell.gap) / scene.ratio
        corners = self._corners(number, shown.index)
        places = [shown.section.place(index) for index in shown.index.tolist()]
        last = label_words(scene.frame, shown.section.place(len(shown.section) - 1), "number")
        shorter = 0 if self._text.width(last[0]) <= room else 1 if (self._text.width(last[1]) <= room) else 2
        self._painter.setFont(self._text.upright)
        for line, kind in enumerate(kinds[: cell.labels]):
            color = scene.theme.normal if kind == "configuration" else scene.theme.muted
            self._painter.setPen(QColor(color))
            for place, (x, y) in zip(places, corners, strict=True):
                words = label_words(scene.frame, place, kind)
                words = words[shorter:] if kind == "number" else words
                static, wide = self._text.fitted(words, room)
                at = QPointF(x + (room - wide) / 2, y + below + line * self._text.height)
                self._painter.drawStaticText(at, static)

    def _corners(self, number: int, index: Integers) -> list[tuple[float, float]]:
        """The top left corners of cells in widget coordinates."""
        scene, ratio = self._scene, self._scene.ratio
        left, top = scene.layout.corners(number, index)
        start_x, start_y = scene.stage.x(), scene.stage.y()
        return [(start_x + x / ratio, start_y + y / ratio) for x, y in zip(left.tolist(), top.tolist(), strict=True)]

    # Tokens and timers.

    def _tokens(self, number: int, shown: ShownSection) -> None:
        scene, cell = self._scene, shown.grid.cell
        if not cell.token:
            return
        paused, ratio = np.flatnonzero(shown.content.paused), scene.ratio
        corners = self._corners(number, shown.index[paused])
        held = [*map(tuple, shown.content.tokens[paused].tolist())]
        rows = {counts: self._row(number, counts) for counts in set(held)}
        for (x, y), counts in zip(corners, held, strict=True):
            for left, stamp in rows[counts]:
                self._painter.drawPixmap(QPointF(x + left, y), stamp)
        if cell.token < TIMERS_FROM * scene.layout.wishes.scale:
            return
        before, stamp = scene.token_lefts(number, 1)[0] / ratio, self._stamps.timer(cell.token)
        for x, y in self._corners(number, shown.index[shown.content.timer]):
            self._painter.drawPixmap(QPointF(x + before, y), stamp)

    def _row(self, number: int, counts: tuple[int, ...]) -> list[tuple[float, QPixmap]]:
        """The tokens of a server with these counts by type: offsets from its left edge, and pixmaps."""
        side, types = self._scene.layout.grids[number].cell.token, token_types(counts)
        lefts = self._scene.token_lefts(number, len(types))
        return [
            (left / self._scene.ratio, self._stamps.token(job_type, side))
            for left, job_type in zip(lefts, types, strict=True)
        ]

    # In the bins.

    def _letters(self) -> None:
        """Write on every job the letter of its phase, if there is room."""
        found: list[tuple[QPointF, int, bool, float]] = []
        for number, shown in enumerate(self._scene.shown):
            for virtual in (False, True):
                found += self._letters_of(number, shown, virtual)
                if len(found) > MOST_LETTERS:
                    return
        for centre, phase, virtual, dim in found:
            wide, high = self._stamps.letter_size(phase)
            pixmap = self._stamps.letter(phase, virtual, dim)
            self._painter.drawPixmap(centre - QPointF(wide, high) / 2, pixmap)

    def _letters_of(self, number: int, shown: ShownSection, virtual: bool) -> list[tuple[QPointF, int, bool, float]]:
        scene, cell = self._scene, shown.grid.cell
        width = cell.virtual if virtual else cell.real
        sizes = np.array([self._stamps.letter_size(phase) for phase in range(scene.numbers.phases)])
        least = sizes * scene.ratio + 2 * scene.layout.wishes.scale
        if least[:, 0].min() > width:
            return []
        amounts = scene.amounts(number)
        usual = amounts.level(amounts.demand, cell.tall)  # exact up to rounding by a pixel
        room = (usual + 1 >= least[:, 1:]) & (least[:, :1] <= width)
        counts = shown.content.virtual if virtual else shown.content.real
        if not room.any() or counts.sum() > 4 * MOST_LETTERS:
            return []
        blocks = blocks_of(counts, amounts, cell.tall)
        chosen = np.argwhere(room[blocks.phase])
        return [self._letter(number, shown, blocks, block, resource, virtual) for block, resource in chosen.tolist()]

    def _letter(
        self, number: int, shown: ShownSection, blocks: JobBlocks, block: int, resource: int, virtual: bool
    ) -> tuple[QPointF, int, bool, float]:
        place = int(blocks.place[block])
        box = self._scene.block_box(number, int(shown.index[place]), blocks, block, resource, virtual)
        rect: QRectF = self._scene.rect(self._larger_part(shown, blocks, block, resource, box))
        dim = DIM if shown.content.paused[place] else 0.0
        return rect.center(), int(blocks.phase[block]), virtual, dim

    @staticmethod
    def _larger_part(shown: ShownSection, blocks: JobBlocks, block: int, resource: int, box: Box) -> Box:
        """The larger part of a job, below or above the capacity's line, which must not cross the letter."""
        x, y, width, height = box
        above = int(blocks.high[block, resource]) - shown.grid.cell.rim
        if not 0 < above < height:
            return box
        if 2 * above > height:
            return x, y, width, above
        return x, y + above, width, height - above
