"""The servers of a system of moldable jobs: every job on its servers, filled in proportion to its execution."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, Iterator

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QTimer
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QStaticText
from PySide6.QtWidgets import QWidget

from slotscope.gui.intents import Select
from slotscope.gui.kinds.moldable.colours import width_color
from slotscope.gui.kinds.moldable.servers_content import sections_of, strips_of
from slotscope.gui.kinds.moldable.servers_layout import BESIDE, PAD, MoldableWishes, fitting_servers
from slotscope.gui.kinds.moldable.servers_legend import MoldableLegend
from slotscope.gui.kinds.moldable.servers_marks import MoldableMark, marks, paint_marks, paint_passed, paint_selection
from slotscope.gui.kinds.moldable.servers_raster import empty_color, levels
from slotscope.gui.kinds.moldable.servers_scene import MoldableScene, draw
from slotscope.gui.kinds.moldable.servers_words import (
    LABELS,
    brief_caption,
    caption_words,
    header,
    job_labels,
    job_lines,
    job_name,
    server_words,
)
from slotscope.gui.painting.colour import letter_ink
from slotscope.gui.painting.text import Lines
from slotscope.gui.painting.textures import texture_scale
from slotscope.gui.pictures.picture import PicturePanel, ZoomedPicture
from slotscope.gui.pictures.scene import ShownSection
from slotscope.gui.theme import Theme
from slotscope.model.reporting.explain import grouped
from slotscope.model.reporting.frame import Frame

#: Most visible jobs for which texts are written; with more, the user has to zoom in.
MOST_WRITTEN = 1200
#: Pixels kept free for outlines where text is written in one half of a block.
BORDERS = 6
#: The order of a job's lines from the top, as far as they fit: its name, i, remaining time.
_ORDER = (1, 0, 2)


class MoldableText:
    """Paints the texts of one moment."""

    def __init__(self, painter: QPainter, scene: MoldableScene, text: Lines) -> None:
        self._painter, self._scene, self._text = painter, scene, text

    def paint(self) -> None:
        """Paint all texts."""
        cell = self._scene.layout.cell
        for number, shown in enumerate(self._scene.shown):
            if self._scene.layout.wishes.captions:
                self._caption(number, shown)
            if cell.written:
                self._jobs(number, shown)
            if cell.numbered:
                self._numbers(number, shown)

    def _caption(self, number: int, shown: ShownSection) -> None:
        scene = self._scene
        area = scene.rect(scene.layout.caption(number))
        words = caption_words(scene.frame, shown.section)
        if area.height():
            self._text.draw_first(self._painter, area, words, scene.theme.normal)

    def _numbers(self, number: int, shown: ShownSection) -> None:
        """Write the number of each server below its block."""
        scene, cell = self._scene, self._scene.layout.cell
        left, top = scene.layout.corners(number, shown.index)
        room = cell.width / scene.ratio
        below = (cell.tall + PAD * scene.layout.wishes.scale) / scene.ratio
        self._painter.setPen(QColor(scene.theme.muted))
        self._painter.setFont(self._text.upright)
        places = zip(shown.index.tolist(), left.tolist(), top.tolist(), strict=True)
        for index, x, y in places:
            static, wide = self._text.fitted((grouped(shown.section.first + index + 1),), room)
            corner = scene.rect((x, y, 0, 0)).topLeft()
            self._painter.drawStaticText(corner + QPointF((room - wide) / 2, below), static)

    # Jobs.

    def _jobs(self, number: int, shown: ShownSection) -> None:
        """Write the lines of each job in every row that it occupies, so that no block is without a name."""
        scene, cell = self._scene, self._scene.layout.cell
        strips = strips_of(shown.content, shown.index, shown.grid.columns)
        if not 0 < len(strips.start) <= MOST_WRITTEN:
            return
        left, top = scene.layout.corners(number, strips.start)
        at = np.searchsorted(shown.index, strips.start)
        level = levels(shown.content.share[at], cell)
        for place, record in enumerate(strips.record.tolist()):
            wide = int(strips.length[place]) * cell.width - cell.lead - cell.trail
            box = int(left[place]) + cell.lead, int(top[place]), wide, cell.tall
            start = shown.section.first + int(strips.start[place])
            self._job(scene.rect(box), record, start, int(level[place]))

    def _job(self, rect: QRectF, record: int, start: int, level: int) -> None:
        """Write the lines in a job's block, each in the ink for a filled or an unfilled background.

        A line that the surface of the filling crosses is written on a plate of the unfilled colour.
        """
        scene, high = self._scene, self._text.height
        aside = (scene.layout.cell.border / scene.ratio) + BESIDE
        lines = self._lines(record, start, rect.width() - 2 * aside, rect.height())
        plate_color, ink = _colors(scene.theme, int(scene.state.job_width[record]))
        surface = rect.bottom() - level / scene.ratio
        top = _top_of(rect, surface, len(lines) * high)
        normal = QColor(scene.theme.normal)
        self._painter.setFont(self._text.upright)
        for static, wide in lines:
            corner = QPointF(rect.center().x() - wide / 2, top)
            if top < surface < top + high:
                plate = QRectF(corner.x() - BESIDE, top, wide + 2 * BESIDE, high)
                plate = plate.intersected(rect.adjusted(aside, aside, -aside, -aside))
                self._painter.fillRect(plate, plate_color)
            self._painter.setPen(ink if surface <= top else normal)
            self._painter.drawStaticText(corner, static)
            top += high

    def _lines(self, record: int, start: int, room: float, height: float) -> list[tuple[QStaticText, float]]:
        """The lines that fit, from the top."""
        most = int((height - 2) / self._text.height)
        labels = job_labels(self._scene.frame, record, start, min(most, LABELS))
        fitting = [kind for kind, words in enumerate(labels) if self._text.width(words[-1]) <= room]
        return [self._text.fitted(labels[kind], room) for kind in _ORDER if kind in fitting]


@cache
def _colors(theme: Theme, width: int) -> tuple[QColor, QColor]:
    """The colours of plates in a job on *width* servers, and of text on its filled part."""
    return QColor(empty_color(theme, width)), QColor(letter_ink(width_color(theme, width)))


def _top_of(rect: QRectF, surface: float, high: float) -> float:
    """The top of the lines: in the half of a block without the surface, if they fit there."""
    middle = rect.center().y()
    if 2 * (high + BESIDE) + BORDERS > rect.height():
        return middle - high / 2
    quarter = rect.height() / 4
    return (middle - quarter if surface >= middle else middle + quarter) - high / 2


#: Milliseconds for which servers flash red after a blocked arrival.
FLASH = 350


class MoldableServersView(ZoomedPicture):
    """The picture of every server, and each job on its servers."""

    _fitting = staticmethod(fitting_servers)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self._mouse: QPointF | None = None
        self._marks: tuple[MoldableMark, ...] = ()
        self._flash = QTimer()
        super().__init__(theme, "Servers with their jobs", parent)
        self._flash.setParent(self)
        self._flash.setSingleShot(True)
        self._flash.timeout.connect(self.update)
        self.setMouseTracking(True)

    def set_frame(self, frame: Frame) -> None:
        before = self._frame
        if before is not None and before.info is not frame.info:
            before = None
        moved = before is None or (before.event, len(before.records), before.running) != (
            frame.event,
            len(frame.records),
            frame.running,
        )
        if moved:
            self._marks = marks(frame, before, self._marks)
            self._flash.stop()
            if any(mark.kind == "blocked" for mark in self._marks):
                self._flash.start(FLASH)
        self._header = header(frame)
        super().set_frame(frame)

    def _prepare(self, frame: Frame) -> None:
        info = frame.info
        self._legend = MoldableLegend(info, self._text, self._theme, self._ratio)
        self._sections = sections_of(info.facts, info.numbers.servers)
        servers, line = info.numbers.servers, max(1, round(self._text.height * self._ratio))
        briefest = max(self._text.width(brief_caption(frame, section)) for section in self._sections)
        self._wishes = MoldableWishes(
            counts=tuple(section.size for section in self._sections),
            line=line,
            digit=math.ceil(self._text.width("0") * self._ratio),
            number=math.ceil(self._text.width(grouped(servers)) * self._ratio),
            scale=texture_scale(self._ratio),
            brief=math.ceil(briefest * self._ratio) + line,
        )

    # Layout.

    def _parts(self) -> tuple[QRectF, QRectF, QRectF]:
        """The areas of header and sentence, of the picture and of the legend."""
        words, stage, legend = super()._parts()
        words.setHeight(words.height() + 1.5 * self._text.height)
        stage.setTop(min(math.ceil(words.bottom()) + 4.0, stage.bottom()))
        return words, stage, legend

    def _made(self, frame: Frame, stage: QRectF) -> MoldableScene:
        layout = self._layout(stage, self._wishes)
        scene = MoldableScene(frame, layout, self._sections, stage, self._theme, self._ratio)
        draw(scene, self._rasters)
        return scene

    # Pointing.

    def _selected(self, frame: Frame, hit: Any, floating: bool) -> Select:
        job = None if hit.record is None else int(frame.state.job_number[hit.record])
        return Select(server=hit.server, job=job, floating=floating)

    def _words(self, frame: Frame, hit: Any) -> str:
        if hit.record is not None:
            return "\n".join(job_lines(frame, hit.record))
        section = next(part for part in self._sections if part.first <= hit.server < part.end)
        return server_words(frame, hit.server, section)

    def hovered(self) -> int | None:
        """The record of the job under the mouse; None if there is none."""
        hit = None if self._mouse is None else self.hit_at(self._mouse)
        record: int | None = None if hit is None else hit.record
        return record

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        before, self._mouse = self.hovered(), event.position()
        if self.hovered() != before:
            self.update()
        super().mouseMoveEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._mouse = None
        self.update()
        super().leaveEvent(event)

    # Painting.

    def _paint_text(self, painter: QPainter, scene: MoldableScene) -> None:
        MoldableText(painter, scene, self._text).paint()

    def _paint_marks(self, painter: QPainter, scene: MoldableScene) -> None:
        hovered = None if scene.frame.running else self.hovered()
        paint_passed(painter, scene, self._text)
        paint_marks(painter, scene, self._marks, self._flash.isActive())
        paint_selection(painter, scene, self._selection, hovered)

    def _paint_legend(self, painter: QPainter, scene: MoldableScene, area: QRectF) -> None:
        self._legend.paint(painter, area, scene.layout.cell)

    def _paint_words(self, painter: QPainter, area: QRectF) -> None:
        line = QRectF(area.x(), area.y(), area.width(), 1.5 * self._text.height)
        self._text.draw_first(painter, line, self._header, self._theme.normal)
        line.moveTop(line.bottom())
        blocked = any(mark.kind == "blocked" for mark in self._marks)
        self._paint_sentence(painter, line, self._theme.ink(self._theme.rejection) if blocked else self._theme.muted)


_HEADER = (
    "server",
    "pool",
    "state",
    "jobs",
    "job",
    "class",
    "servers of the job",
    "servers asked for",
    "arrived",
    "departs",
)


class MoldableServersPanel(PicturePanel):
    """The panel of every server, and each job on its servers."""

    name = "moldable-servers"
    title = "Servers"
    summary = "Every server, and each job on the servers that it runs on, filling as it executes."
    needs = frozenset({"moldable"})
    picture = MoldableServersView

    @staticmethod
    def header(_: Frame) -> list[str]:
        """The column names."""
        return [*_HEADER]

    @staticmethod
    def rows(frame: Frame) -> Iterator[list[object]]:
        """A row per server with the job that it runs; for a free server the row ends with its state."""
        state, info = frame.state, frame.info
        for server, record in enumerate(state.server_job.tolist()):
            pool = info.facts.pool_of(server)
            name = info.facts.pool_names[pool] if pool >= 0 else "none"
            if record < 0:
                yield [server + 1, name, "free", 0, *[""] * 6]
            else:
                yield [
                    *(server + 1, name, "in use", 1),
                    job_name(info, int(state.job_number[record])),
                    info.numbers.class_names[int(state.job_class[record])],
                    *(int(state.job_width[record]), int(state.job_request[record])),
                    *(float(state.job_arrival[record]), float(state.job_departure[record])),
                ]
