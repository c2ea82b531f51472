"""The picture of the servers, kept up to date from frame to frame."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.gestures import Gestures, show_tip
from gui.intents import Select
from gui.painting.textures import texture_scale
from gui.panels.phases.servers_cells import Wishes
from gui.panels.phases.servers_layout import (
    ServerLayout,
    fitting_servers,
    most_zoom,
    zoomed_servers,
)
from gui.panels.phases.servers_legend import ServerLegend
from gui.panels.phases.servers_marks import marks, paint_marks, paint_selection
from gui.panels.phases.servers_raster import SectionRaster
from gui.panels.phases.servers_scene import Scene, draw
from gui.panels.phases.servers_sections import Gatherer, Section, info_has_tokens, most_use
from gui.panels.phases.servers_stamps import Stamps
from gui.panels.phases.servers_text import Lines, ServerText, label_widths
from gui.panels.phases.servers_words import job_lines, sentence, server_words
from gui.panels.phases.wording import phase_letters
from gui.theme import Theme
from model.frame import Frame

MARGIN = 10.0
#: The picture is drawn where the servers have at least this many pixels in width and height.
LEAST = 64.0
#: What the height of a bin stands for at first, by how much it grows when more is in use, and
#: what it stands for where no more can be.
FIRST_TOP, TOP_STEP, HARD_TOP = 1.25, 0.25, 1.08
_CENTRED = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap


class PhaseServersView(QWidget):
    """Shows every server with its jobs to scale, its tokens and its timer."""

    chosen = Signal(object)  #: a Select

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._frame: Frame | None = None
        self._selection = Select()
        self._zoom = 1.0
        self._offset = (0, 0)
        self._scene: Scene | None = None
        self._fit: ServerLayout | None = None
        self._rasters: list[SectionRaster] = []
        self._top = FIRST_TOP
        self._sentence = ""
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Servers with their jobs and tokens")
        self._listen()
        self._restyle()

    def _listen(self) -> None:
        gestures = Gestures(self)
        gestures.zoomed.connect(self.zoom)
        gestures.dragged.connect(self._drag)
        gestures.clicked.connect(lambda position: self._choose(position, floating=False))
        gestures.double_clicked.connect(self._double)
        gestures.reset.connect(self.reset_zoom)
        gestures.asked.connect(self._tell)

    def sizeHint(self) -> QSize:
        return QSize(900, 560)

    # What is shown.

    def set_theme(self, theme: Theme) -> None:
        """Follow another theme or size of type."""
        self._theme = theme
        self._restyle()

    def set_selection(self, selection: Select) -> None:
        """Outline a server or a job."""
        self._selection = selection
        self.update()

    def set_frame(self, frame: Frame) -> None:
        """Show a moment; its pixels are found when it is painted."""
        before, self._frame = self._frame, frame
        self._scene = None
        if before is None or before.info is not frame.info:
            self._zoom, self._offset = 1.0, (0, 0)
            self._top = HARD_TOP if frame.info.numbers.model.hard else FIRST_TOP
            self._gatherer = Gatherer(frame.info.facts)
            self._restyle()
        self._sentence = sentence(frame)
        if not frame.running:
            self.setAccessibleDescription(self._sentence)
        self.update()

    def _restyle(self) -> None:
        """Another run, theme or font."""
        self._ratio = self.devicePixelRatioF()
        self._text = Lines(self.font())
        self._scene = self._fit = None
        self.update()
        if self._frame is None:
            return
        info = self._frame.info
        letters = phase_letters(info.numbers.model.phases)
        self._stamps = Stamps(self._theme, self.font(), letters, self._ratio)
        self._legend = ServerLegend(info, self._text, self._stamps, self._theme)
        self._kinds, self._widths = label_widths(info, self._text)

    def _wishes(self, frame: Frame, sections: tuple[Section, ...]) -> Wishes:
        most = most_use(frame.state, frame.info.numbers)
        if most > self._top:  # what is too high for the picture changes its scale for good
            self._top = math.ceil(most / TOP_STEP) * TOP_STEP
        return Wishes(
            counts=tuple(len(section) for section in sections),
            backup=tuple(section.backup for section in sections),
            resources=frame.info.numbers.resources,
            tokens=info_has_tokens(frame),
            top=self._top,
            line=max(1, round(self._text.height * self._ratio)),
            labels=tuple(math.ceil(width * self._ratio) for width in self._widths),
            scale=texture_scale(self._ratio),
        )

    # Layout.

    def _parts(self) -> tuple[QRectF, QRectF, QRectF]:
        """The sentence, the servers and the legend."""
        room = max(1.0, self.width() - 2.0 * MARGIN)
        words = QRectF(MARGIN, 4, room, 1.5 * self._text.height)
        bottom = self.height() - 4 - self._legend.height
        top = math.ceil(words.bottom()) + 4.0
        stage = QRectF(MARGIN, top, room, max(0.0, bottom - 6 - top))
        return words, stage, QRectF(MARGIN, bottom, room, self._legend.height)

    @property
    def scene(self) -> Scene | None:
        """The present picture; None where nothing can be drawn."""
        frame = self._frame
        if self._scene is None and frame is not None:
            _, stage, _ = self._parts()
            if stage.height() >= LEAST and stage.width() >= LEAST:
                sections = self._gatherer.sections(frame.state)
                layout = self._layout(stage, self._wishes(frame, sections))
                self._scene = Scene(frame, layout, sections, stage, self._theme, self._ratio)
                draw(self._scene, self._rasters)
        return self._scene

    def _layout(self, stage: QRectF, wishes: Wishes) -> ServerLayout:
        if self._fit is None or self._fit.wishes != wishes:
            width, height = (int(side * self._ratio) for side in (stage.width(), stage.height()))
            self._fit = fitting_servers(wishes, width, height)
        self._zoom = min(self._zoom, most_zoom(self._fit))
        layout = zoomed_servers(self._fit, self._zoom) if self._zoom > 1 else self._fit
        layout = layout.seen_from(*self._offset)
        self._offset = layout.offset
        return layout

    # Zooming.

    def zoom(self, factor: float, position: QPointF) -> None:
        """Zoom around a point of the picture."""
        scene = self.scene
        if scene is None or self._fit is None:
            return
        old = scene.layout
        self._zoom = min(max(1.0, self._zoom * factor), most_zoom(self._fit))
        new = zoomed_servers(self._fit, self._zoom) if self._zoom > 1 else self._fit
        point = (position - scene.stage.topLeft()) * self._ratio
        self._look(*new.around(old, point.x(), point.y()))

    def reset_zoom(self) -> None:
        """Show everything again."""
        self._zoom = 1.0
        self._look(0, 0)

    def _drag(self, by: QPointF) -> None:
        x, y = self._offset
        self._look(round(x - by.x() * self._ratio), round(y - by.y() * self._ratio))

    def _look(self, x: int, y: int) -> None:
        self._offset = x, y
        self._scene = None
        self.update()

    # Pointing.

    def _choose(self, position: QPointF, floating: bool) -> bool:
        hit = self.scene.at(position) if self.scene is not None else None
        if hit is None or self._frame is None:
            return False
        state, job = self._frame.state, None
        if hit.record is not None and not state.job_virtual[hit.record]:
            job = int(state.job_number[hit.record])  # virtual jobs are numbered apart
        self.chosen.emit(Select(server=hit.place.server, job=job, floating=floating))
        return True

    def _double(self, position: QPointF) -> None:
        if not self._choose(position, floating=True):
            self.reset_zoom()

    def words_at(self, position: QPointF) -> str:
        """What hovering at a point says."""
        hit = self.scene.at(position) if self.scene is not None else None
        if hit is None or self._frame is None:
            return ""
        words = server_words(self._frame, hit.place)
        if hit.record is None or hit.place.is_backup:
            return words
        return "\n".join([*job_lines(self._frame, hit.record), "", words])

    def _tell(self, event: QHelpEvent) -> None:
        show_tip(self, event, self.words_at(QPointF(event.pos())))

    # Painting.

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.panel))
        scene = self.scene
        if scene is not None:
            self._paint_scene(painter, scene)
        elif self._frame is not None:
            painter.setPen(QColor(self._theme.muted))
            painter.drawText(self.rect().adjusted(8, 8, -8, -8), _CENTRED,
                             "Too small to draw: make this panel larger.")  # fmt: skip
        painter.end()

    def _paint_scene(self, painter: QPainter, scene: Scene) -> None:
        words, stage, legend = self._parts()
        painter.save()
        painter.setClipRect(stage)
        for raster in self._rasters[: len(scene.sections)]:
            image = raster.image
            image.setDevicePixelRatio(self._ratio)
            painter.drawImage(stage.topLeft() + QPointF(*raster.origin) / self._ratio, image)
        ServerText(painter, scene, self._text, self._stamps).paint(self._kinds)
        painter.restore()
        paint_selection(painter, scene, self._selection)
        paint_marks(painter, scene, marks(scene.frame))
        jobs = any(grid.cell.shows_jobs for grid in scene.layout.grids)
        self._legend.paint(painter, legend, jobs)
        self._text.draw_in(painter, words, self._sentence, self._theme.normal)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._scene = self._fit = None

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        kinds = QEvent.Type.FontChange, QEvent.Type.DevicePixelRatioChange
        if event.type() in kinds and hasattr(self, "_text"):
            self._restyle()
