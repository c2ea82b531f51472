"""The servers of a system of moldable jobs: every job on its servers, filling as it executes."""

from __future__ import annotations

import math
from typing import Any, Iterator

from PySide6.QtCore import QEvent, QPointF, QRectF, QTimer
from PySide6.QtGui import QMouseEvent, QPainter
from PySide6.QtWidgets import QWidget

from slotscope.gui.intents import Select
from slotscope.gui.kinds.moldable.servers_cells import MoldableWishes
from slotscope.gui.kinds.moldable.servers_content import sections_of
from slotscope.gui.kinds.moldable.servers_layout import fitting_servers
from slotscope.gui.kinds.moldable.servers_legend import MoldableLegend
from slotscope.gui.kinds.moldable.servers_marks import MoldableMark, marks, paint_marks, paint_passed, paint_selection
from slotscope.gui.kinds.moldable.servers_scene import MoldableScene, draw
from slotscope.gui.kinds.moldable.servers_text import MoldableText
from slotscope.gui.kinds.moldable.servers_words import header, job_lines, job_name, server_words
from slotscope.gui.painting.textures import texture_scale
from slotscope.gui.pictures.panel import PicturePanel
from slotscope.gui.pictures.picture import ZoomedPicture
from slotscope.gui.theme import Theme
from slotscope.model.reporting.explain import grouped
from slotscope.model.reporting.frame import Frame

#: How long the servers are red after an arrival was blocked, in milliseconds.
FLASH = 350


class MoldableServersView(ZoomedPicture):
    """Shows every server, and each job on the servers that it was given."""

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
        """Show a moment; its pixels are found when it is painted."""
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
        servers = info.numbers.servers
        self._wishes = MoldableWishes(
            counts=tuple(section.size for section in self._sections),
            line=max(1, round(self._text.height * self._ratio)),
            digit=math.ceil(self._text.width("0") * self._ratio),
            number=math.ceil(self._text.width(grouped(servers)) * self._ratio),
            scale=texture_scale(self._ratio),
        )

    # Layout.

    def _parts(self) -> tuple[QRectF, QRectF, QRectF]:
        """The header with the sentence below it, the picture and the legend."""
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

    def words_at(self, position: QPointF) -> str:
        """What hovering at a point says; above the picture the whole sentence."""
        if self._parts()[0].contains(position):
            return self._sentence
        hit = self.scene.at(position) if self.scene is not None else None
        if hit is None or self._frame is None:
            return ""
        if hit.record is not None:
            return "\n".join(job_lines(self._frame, hit.record))
        section = next(part for part in self._sections if part.first <= hit.server < part.end)
        return server_words(self._frame, hit.server, section)

    def hovered(self) -> int | None:
        """The record of the job under the mouse."""
        if self._mouse is None or self.scene is None:
            return None
        hit = self.scene.at(self._mouse)
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
    """Every server, and each job on the servers that it was given."""

    name = "moldable-servers"
    title = "Servers"
    summary = "Every server, and each job on the servers that it runs on, filling as it executes."
    needs = frozenset({"moldable"})
    picture = MoldableServersView

    @staticmethod
    def header(_: Frame) -> list[str]:
        """The names of the columns."""
        return [*_HEADER]

    @staticmethod
    def rows(frame: Frame) -> Iterator[list[object]]:
        """The job that each server runs now; of a server that is free the row ends with its state."""
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
