"""The base of pictures of all servers that can be zoomed and dragged.

It holds what such pictures share: gestures, the frame and its sentence, the room for the picture between sentence and
legend, when to lay out anew, and the order of painting.
"""

from __future__ import annotations

import math
from typing import Any, Callable, ClassVar, Iterable

from PySide6.QtCore import QPointF, QRect, QRectF
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import QWidget

from slotscope.gui.intents import Select
from slotscope.gui.painting.kept import put_image
from slotscope.gui.painting.text import Lines
from slotscope.gui.panel import Panel
from slotscope.gui.panels.wording import sentence
from slotscope.gui.pictures.marks import around
from slotscope.gui.pictures.pointed import Anchor, PointedPicture
from slotscope.gui.pictures.scene import in_pixels
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.rows import in_column
from slotscope.model.reporting.frame import Frame

MARGIN = 10.0
#: Least height, in lines of text, of a picture with a legend.
LEGEND_FROM = 11


class ZoomedPicture(PointedPicture):
    """Base of such pictures; subclasses supply the methods declared here."""

    #: Least width and height in pixels for which a picture is drawn.
    least = 64.0

    _text: Lines  #: measures and draws text in the widget's font
    _legend: Any
    _fit: Any  #: the layout at zoom 1, which shows everything; None until computed
    _wished: Any  #: the wishes that it was computed for; its own may differ
    _scene: Any

    #: Prepares for another run, theme or font; ``_text`` and ``_ratio`` are set already.
    _prepare: Callable[[Frame], None]
    #: The largest layout that shows everything, for wishes, width and height.
    _fitting: Callable[[Any, int, int], Any]
    #: Makes the scene of a frame for the stage; its pixels go into ``_rasters``.
    _made: Callable[[Frame, QRectF], Any]
    #: The selection for a hit; the flag tells whether to open a floating inspector.
    _selected: Callable[[Frame, Any, bool], Select]
    #: The tooltip for a hit.
    _words: Callable[[Frame, Any], str]
    #: Paint the texts on the servers; the marks of the last step and of the selection; and the legend.
    _paint_text: Callable[[QPainter, Any], None]
    _paint_marks: Callable[[QPainter, Any], None]
    _paint_legend: Callable[[QPainter, Any, QRectF], None]

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(theme, name, parent)
        self._zoom = 1.0
        self._scene = self._fit = None
        self._rasters: list[Any] = []
        self._sentence = ""
        self._restyle()

    # What is shown.

    def set_theme(self, theme: Theme) -> None:
        """Apply another theme or font size."""
        self._theme = theme
        self._restyle()

    def set_frame(self, frame: Frame) -> None:
        """Show a frame; its pixels are computed when it is painted."""
        begins, self._frame = self._is_of_another_run(frame), frame
        self._scene = None
        if begins:
            self._zoom, self._offset = 1.0, (0, 0)
            self._restyle()
        self._sentence = sentence(frame)
        if not frame.running:
            self.setAccessibleDescription(self._sentence)
        self.update()

    def _restyle(self) -> None:
        """Prepare anew for another run, theme or font."""
        self._ratio = self.devicePixelRatioF()
        self._text = Lines(self.font())
        self._scene = self._fit = None
        self.update()
        if self._frame is not None:
            self._prepare(self._frame)

    def _parts(self) -> tuple[QRectF, QRectF, QRectF]:
        """The areas of the sentence, the picture and the legend."""
        room = max(1.0, self.width() - 2.0 * MARGIN)
        words = QRectF(MARGIN, 4, room, 0 if self._is_said_below else 1.5 * self._text.height)
        legend = self._legend.height(room) if self.height() >= LEGEND_FROM * self._text.height else 0.0
        bottom = self.height() - 4 - legend
        top = math.ceil(words.bottom()) + 4.0
        stage = QRectF(MARGIN, top, room, max(0.0, bottom - 6 - top))
        return words, stage, QRectF(MARGIN, bottom, room, legend)

    @property
    def _is_said_below(self) -> bool:
        """Whether the sentence is shown in full below the picture, as in lecture mode."""
        return current_fonts().lecture

    def _paint_sentence(self, painter: QPainter, area: QRectF, color: str) -> None:
        if not self._is_said_below:
            self._text.draw_in(painter, area, self._sentence, color)

    @property
    def scene(self) -> Any:
        """The current scene; None if nothing can be drawn."""
        if self._scene is None and self._frame is not None:
            _, stage, _ = self._parts()
            if stage.height() >= self.least and stage.width() >= self.least:
                self._scene = self._made(self._frame, stage)
        return self._scene

    # Zooming.

    def _layout(self, stage: QRectF, wishes: Any) -> Any:
        """The current layout for these wishes, clamped to the content."""
        if self._fit is None or self._wished != wishes:
            width, height = (int(side * self._ratio) for side in (stage.width(), stage.height()))
            self._fit, self._wished = self._fitting(wishes, width, height), wishes
        self._zoom = min(self._zoom, self._fit.most_zoom)
        layout = self._zoomed().seen_from(*self._offset)
        self._offset = layout.offset
        return layout

    def _zoomed(self) -> Any:
        return self._fit.zoomed(self._zoom) if self._zoom > 1 else self._fit

    def zoom(self, factor: float, position: QPointF) -> None:
        """Zoom around a point of the widget."""
        scene = self.scene
        if scene is None or self._fit is None:
            return
        self._zoom = min(max(1.0, self._zoom * factor), self._fit.most_zoom)
        point = (position - scene.stage.topLeft()) * self._ratio
        self._look(*self._zoomed().around(scene.layout, point.x(), point.y()))

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

    def hit_at(self, position: QPointF) -> Any:
        """What is at a point of the picture; None if nothing is."""
        return self.scene.at(position) if self.scene is not None else None

    def words_at(self, position: QPointF) -> str:
        """The tooltip at a point; above the picture the whole sentence, of which only a part may be visible."""
        if self._parts()[0].contains(position):
            return self._sentence
        hit = self.hit_at(position)
        return "" if hit is None or self._frame is None else self._words(self._frame, hit)

    def _choose(self, position: QPointF, floating: bool) -> bool:
        hit = self.hit_at(position)
        if hit is None or self._frame is None:
            return False
        self.chosen.emit(self._selected(self._frame, hit, floating))
        return True

    def anchor_at(self, position: QPointF) -> Anchor | None:
        """The server at a point; None if there is none."""
        scene = self.scene
        pixel = None if scene is None else in_pixels(scene.stage, scene.ratio, position)
        found: Anchor | None = None if scene is None or pixel is None else scene.layout.at(*pixel)
        return found

    def anchor_box(self, anchor: Anchor) -> QRectF | None:
        """The box of a server's cell in the widget; None if it is not visible."""
        scene, (section, index) = self.scene, anchor
        if scene is None or section >= len(scene.layout.grids) or index >= scene.layout.grids[section].count:
            return None
        cell = scene.layout.grids[section].cell
        box: QRectF = scene.rect((*scene.layout.corner(section, index), cell.width, cell.height))
        return box if box.intersects(scene.stage) else None

    def content_box(self) -> QRectF | None:
        """The box of all cells together in the widget."""
        scene = self.scene
        return None if scene is None else scene.rect((*scene.layout.origin, *scene.layout.content))

    # Painting.

    def _paint_picture(self, painter: QPainter, _part: QRect) -> bool:
        scene = self.scene
        if scene is None:
            return False
        words, stage, legend = self._parts()
        painter.save()
        painter.setClipRect(stage)
        for raster in self._rasters[: len(scene.sections)]:
            image = raster.image
            image.setDevicePixelRatio(self._ratio)
            put_image(painter, stage.topLeft() + QPointF(*raster.origin) / self._ratio, image)
        self._paint_text(painter, scene)
        painter.restore()
        if legend.height() > 0:
            self._paint_legend(painter, scene, legend)
        with around(painter, stage):  # marks extend beyond the edge
            self._paint_marks(painter, scene)
        self._paint_words(painter, words)
        return True

    def _paint_words(self, painter: QPainter, area: QRectF) -> None:
        """Paint what is above the picture."""
        self._paint_sentence(painter, area, self._theme.normal)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._scene = self._fit = None


class PicturePanel(Panel):
    """A panel with a single picture, to which it passes everything on; subclasses name the picture's class."""

    #: A widget class, constructed with theme and parent, with ``set_frame``, ``set_selection``, ``set_theme`` and a
    #: signal ``chosen``.
    picture: ClassVar[type[Any]]
    #: The picture's contents as a table: column names, and rows.
    header: Callable[[Frame], list[str]]
    rows: Callable[[Frame], Iterable[Iterable[object]]]

    def build(self) -> None:
        """Create the picture, filling the panel."""
        self.view: Any = self.picture(self.theme, self.body)
        self.view.chosen.connect(self.intent.emit)
        in_column(self.body, self.view)

    def show_frame(self, frame: Frame) -> None:
        self.view.set_frame(frame)

    def show_selection(self, selection: Select) -> None:
        """Outline the selected thing."""
        self.view.set_selection(selection)

    def series(self) -> tuple[list[str], Iterable[Iterable[object]]] | None:
        if self.frame is None:
            return None
        return self.header(self.frame), self.rows(self.frame)

    def restyle(self, theme: Theme) -> None:
        self.view.set_theme(theme)
