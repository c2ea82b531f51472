"""The picture of servers as bins, kept up to date from frame to frame."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.gestures import Gestures, show_tip
from gui.intents import Select
from gui.painting.textures import texture_scale
from gui.panels.queue.bins_content import slot_heights
from gui.panels.queue.bins_layout import BinLayout, Wishes, fitting_bins, most_zoom, zoomed_bins
from gui.panels.queue.bins_legend import BinLegend
from gui.panels.queue.bins_marks import marks, paint_marks, paint_selection
from gui.panels.queue.bins_raster import BinRaster
from gui.panels.queue.bins_scene import Scene, draw, scene_of
from gui.panels.queue.bins_text import BinText, Lines, label_widths
from gui.panels.queue.bins_words import block_words, may_stall, sentence, server_words
from gui.theme import Theme
from model.frame import Frame
from model.systems.queue.numbers import QueuePool

MARGIN = 10.0
#: The picture is drawn where the bins have at least this many pixels in width and height.
LEAST = 48.0


class BinView(QWidget):
    """Shows every server as a bin with its jobs to scale."""

    chosen = Signal(object)  #: a Select

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._frame: Frame | None = None
        self._selection = Select()
        self._zoom = 1.0
        self._offset = (0, 0)
        self._scene: Scene | None = None
        self._fit: BinLayout | None = None
        self._raster = BinRaster()
        self._sentence = ""
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Servers as bins")
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
        """Draw everything again in other colours."""
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
        numbers, facts = self._frame.info.numbers, self._frame.info.facts

        def share_of(pool: QueuePool) -> float:
            return float((np.array(pool.capacity) / numbers.largest).max())

        self._legend = BinLegend(numbers, facts, self._text, self._theme)
        self._heights = slot_heights(numbers, facts)
        self._kinds, widths = label_widths(numbers, facts, self._text)
        self._wishes = Wishes(
            pools=tuple((pool.count, share_of(pool)) for pool in numbers.pools),
            resources=numbers.resources,
            bars=self._heights is not None,
            line=max(1, round(self._text.height * self._ratio)),
            labels=tuple(math.ceil(width * self._ratio) for width in widths),
            scale=texture_scale(self._ratio),
        )

    # Layout.

    def _parts(self) -> tuple[QRectF, QRectF, QRectF]:
        """The sentence, the bins and the legend."""
        room = max(1.0, self.width() - 2.0 * MARGIN)
        words = QRectF(MARGIN, 4, room, 1.5 * self._text.height)
        bottom = self.height() - 4 - self._legend.height
        top = math.ceil(words.bottom()) + 4.0
        stage = QRectF(MARGIN, top, room, max(0.0, bottom - 6 - top))
        return words, stage, QRectF(MARGIN, bottom, room, self._legend.height)

    @property
    def scene(self) -> Scene | None:
        """The present picture; None where nothing can be drawn."""
        if self._scene is None and self._frame is not None:
            _, stage, _ = self._parts()
            if stage.height() >= LEAST and stage.width() >= LEAST:
                self._scene = scene_of(
                    self._frame, self._layout(stage), stage, self._theme, self._ratio
                )
                draw(self._scene, self._raster, self._heights)
        return self._scene

    def _layout(self, stage: QRectF) -> BinLayout:
        if self._fit is None:
            width, height = (int(side * self._ratio) for side in (stage.width(), stage.height()))
            self._fit = fitting_bins(self._wishes, width, height)
        self._zoom = min(self._zoom, most_zoom(self._fit))
        layout = zoomed_bins(self._fit, self._zoom).seen_from(*self._offset)
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
        sides = zip(old.content, zoomed_bins(self._fit, self._zoom).content, strict=True)
        points = position - scene.stage.topLeft()
        where = points.x() * self._ratio, points.y() * self._ratio
        self._look(*(
            round((at - start) * new / was - at)
            for at, start, (was, new) in zip(where, old.origin, sides, strict=True)
        ))  # fmt: skip

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
        state = self._frame.state
        job = None if hit.record is None else int(state.job_number[hit.record])
        self.chosen.emit(Select(server=hit.server, job=job, floating=floating))
        return True

    def _double(self, position: QPointF) -> None:
        if not self._choose(position, floating=True):
            self.reset_zoom()

    def words_at(self, position: QPointF) -> str:
        """What hovering at a point says."""
        hit = self.scene.at(position) if self.scene is not None else None
        if hit is None or self._frame is None:
            return ""
        if hit.record is not None:
            return block_words(self._frame, hit.record)
        return server_words(self._frame, hit.server)

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
        image = self._raster.image
        image.setDevicePixelRatio(self._ratio)
        painter.save()
        painter.setClipRect(stage)
        x, y = self._raster.origin
        painter.drawImage(stage.topLeft() + QPointF(x, y) / self._ratio, image)
        BinText(painter, scene, self._text).paint(self._kinds, self._heights)
        painter.restore()
        paint_selection(painter, scene, self._selection)
        paint_marks(painter, scene, marks(scene.frame))
        self._legend.paint(painter, legend, scene.layout.shows_jobs, may_stall(scene.frame))
        self._text.draw_in(painter, words, self._sentence, self._theme.normal)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._scene = self._fit = None

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        kinds = QEvent.Type.FontChange, QEvent.Type.DevicePixelRatioChange
        if event.type() in kinds and hasattr(self, "_text"):
            self._restyle()


_CENTRED = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
