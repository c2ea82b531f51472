"""The picture of stacks: Figure 1 of the paper, updated from frame to frame."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF
from PySide6.QtGui import QFontMetricsF, QPainter, QResizeEvent
from PySide6.QtWidgets import QWidget

from slotscope.gui.intents import Select
from slotscope.gui.kinds.reservation.servers_columns import StackFigure, WantedServers, figure_of, tallest_of, wanted_of
from slotscope.gui.kinds.reservation.servers_legend import StackLegend, entries
from slotscope.gui.kinds.reservation.servers_marks import (
    needs_split,
    paint_foot,
    paint_header,
    paint_named,
    paint_selection,
    paint_stage,
)
from slotscope.gui.kinds.reservation.servers_motion import Motion, flights
from slotscope.gui.kinds.reservation.servers_scene import MARGIN, StackScene, arrange, cut_of, headroom, lay_out_columns
from slotscope.gui.kinds.reservation.servers_slots import Pictures
from slotscope.gui.kinds.reservation.servers_stack_layout import (
    StackLayout,
    StackScale,
    calm_scale,
    fitting_scale,
    zoomed_scale,
)
from slotscope.gui.kinds.reservation.servers_stack_raster import StackContent, StackRaster
from slotscope.gui.kinds.reservation.servers_steps import EventLine, Movement, marks, movements
from slotscope.gui.kinds.reservation.servers_words import Captions, captions_of, column_words, pointed_words, selected
from slotscope.gui.painting.colour import argb
from slotscope.gui.painting.kept import Kept, put_image
from slotscope.gui.painting.text import Lines
from slotscope.gui.painting.textures import raster_palette
from slotscope.gui.pictures.pointed import Anchor, PointedPicture
from slotscope.gui.theme import Theme
from slotscope.gui.widgets.calm import Calm
from slotscope.model.reporting.frame import Frame, RunInfo


class StackView(PointedPicture):
    """Shows the servers of each configuration as a stack."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "Servers by configuration", parent)
        self._order: tuple[WantedServers, ...] = ()
        self.scene: StackScene | None = None  #: geometry of the current picture; None if there is no room to draw
        self._figure: StackFigure | None = None
        self._captions: Captions | None = None
        self._calm = Calm(self)
        self._calm.over.connect(self._show_latest)
        self._split = False
        self._scale: StackScale | None = None
        self._zoom: StackScale | None = None
        self._raster = StackRaster()
        self._raster_key: tuple[object, ...] = ()
        self._around: tuple[object, ...] | None = None  # what determines the surroundings; None: paint them
        self._motion = Motion(self)
        self._motion.changed.connect(self.update)
        self.event_line = EventLine(self)
        self.event_line.changed.connect(self.update)
        self._restyle()

    @property
    def moving(self) -> bool:
        """Whether an animation is running."""
        return self._motion.active

    # What is shown.

    def set_theme(self, theme: Theme) -> None:
        """Repaint everything in another theme."""
        self._theme = theme
        self._restyle()
        self._lay_out()

    def set_frame(self, frame: Frame) -> None:
        """Show a moment; if it is one step after the last one, animate that step."""
        before = None if self._is_of_another_run(frame) else self._frame
        old_scene, self._frame = self.scene, frame
        self._motion.cancel()
        if before is None:
            self._forget()
        elif not (frame.running or before.running) and abs(frame.event - before.event) > 1:
            self.fit()  # a jump to another part of history
        self._follow(frame)
        self.event_line.show_frame(frame)
        self._lay_out()
        if before is not None:
            self._let_move(movements(before, frame), old_scene)
        if not frame.running:
            self.setAccessibleDescription(self.event_line.words)

    def fit(self) -> None:
        """Choose the largest scale that fits for the next moment, instead of keeping the present one."""
        self._scale = None

    def _forget(self) -> None:
        """Reset the picture for another run."""
        self._calm.forget()
        self._figure, self._captions, self._order = None, None, ()
        self._offset, self._zoom, self._scale = (0, 0), None, None
        self._restyle()

    def _follow(self, frame: Frame) -> None:
        """Update columns and captions; while the run plays, their order and numbers change rarely."""
        wanted = wanted_of(frame)
        names = tuple(item.configuration for item in wanted)
        places = self._figure.places if self._figure is not None else ()
        fresh = self._calm.may_show("order", names, frame.running)
        if fresh:
            self._order = wanted
        before, self._figure = self._figure, figure_of(frame, places, self._order)
        if self._calm.may_change("captions", frame.running) or before is None or self._captions is None:
            self._captions = captions_of(frame, self._figure)
        elif before.names != self._figure.names:  # columns were added or removed; the others keep their captions
            known = dict(zip(before.names, self._captions.columns, strict=True))
            self._captions = captions_of(frame, self._figure, known)

    def _show_latest(self) -> None:
        if self._frame is not None:
            self._follow(self._frame)
            self._lay_out()

    def _let_move(self, phases: tuple[tuple[Movement, ...], ...], old_scene: StackScene | None) -> None:
        scene = self.scene
        if phases and old_scene is not None and scene is not None:
            door = self.event_line.marker(scene.regions.event, scene.text)
            self._motion.start(flights(phases, old_scene, scene, self._raster.image, door))

    # Layout.

    def _restyle(self) -> None:
        font = self.font()
        self._text = Lines(font)
        self._ratio = self.devicePixelRatioF()
        info = self._frame.info if self._frame is not None else None
        names = info.numbers.type_names if info is not None else ()
        self._palette = raster_palette(self._theme, len(names), self._ratio)
        groups = info is None or info.facts.has_groups
        self._legend = StackLegend(entries(names, True, groups), self._text, self._theme, self._palette)
        any_groups = groups or any(run.facts.has_groups for run in self._stacked_beside)
        self._longest_legend = StackLegend(entries(names, True, any_groups), self._text, self._theme, self._palette)
        self._pictures = Pictures(info.numbers, self._theme, self._palette, font) if info is not None else None
        self._raster_key = ()
        self._around = None
        self._kept = Kept()  # holds what is painted around the stage

    @property
    def _stacked_beside(self) -> list[RunInfo]:
        """The runs beside this one that are also drawn as stacks: all of them leave the same room for captions."""
        runs = self._frame.runs[1:] if self._frame is not None else ()
        return [run for run in runs if run.facts.reserves_slots]

    def _lay_out(self) -> None:
        """Compute the layout, and update the pixels."""
        self.scene = None
        if self._frame is None or self._figure is None or self._captions is None:
            self.update()
            return
        before = self._scale
        scene = self._arranged(before)
        alike = bool(self._stacked_beside)  # names of configurations differ in length between policies
        if scene is not None and (alike or needs_split(scene, self._captions)) != self._split:
            self._split = not self._split
            scene = self._arranged(before)  # starts from the scale before the first attempt
        self.scene = scene
        if scene is not None:
            self._draw(scene)
        around, self._around = self._around, None
        if scene is not None and scene.frame.running and self._selection == Select():
            self._around = self._captions, self._split, self.event_line.words, scene.surroundings
        if scene is not None and self._around is not None and self._around == around:
            self.update(scene.stage_box)
        else:
            self.update()

    def _arranged(self, before: StackScale | None) -> StackScene | None:
        """The scene to show, at the scale *before* if that still fits; None if there is no room."""
        frame, figure = self._frame, self._figure
        pictures = self._pictures
        assert frame is not None and figure is not None and pictures is not None
        ratio, line = self._ratio, self._palette.scale
        room = self.width() - 2 * MARGIN
        found = arrange(
            self.width(),
            self.height(),
            self._text.height,
            self._split,
            lambda lines: self._longest_legend.height(room, lines),
        )
        if found is None:
            return None
        rows, parts = found
        width, height = (max(1, round(side * ratio)) for side in (parts.stage.width(), parts.stage.height()))
        above = round(headroom(rows, self._text.height) * ratio)
        base = height - 2 * line
        tallest = max(figure.tallest, *map(tallest_of, frame.beside), 0)
        fit = fitting_scale(tallest, base - above, line)
        self._scale = calm_scale(before, fit, line)
        scale = self._zoom or self._scale
        character = QFontMetricsF(self.font()).averageCharWidth() * ratio
        columns = lay_out_columns(figure, width, character, scale, self._scale, line)
        cut = cut_of(figure, self._scale, base - above)
        counts = tuple(
            column.held - less if column is not None else 0 for column, less in zip(figure.columns, cut, strict=True)
        )
        layout = StackLayout(width, height, base, scale, columns, counts)
        layout = layout.moved(*self._offset, above, figure.tallest)
        looks = tuple(
            pictures.get(column.configuration if column is not None else (), span.stack, scale)
            for column, span in zip(figure.columns, columns, strict=True)
        )
        return StackScene(frame, figure, layout, cut, looks, rows, parts, self._theme, self._text, ratio, line)

    def _draw(self, scene: StackScene) -> None:
        layout = scene.layout
        key = (layout.width, layout.height, layout.columns, layout.scale, layout.offset)
        if key[:2] != self._raster_key[:2]:
            background = argb(self._theme.panel)
            self._raster.resize(layout.width, layout.height, scene.line, background)
        elif key != self._raster_key:
            self._raster.clear()
        self._raster_key = key
        state, figure = scene.frame.state, scene.figure
        contents = []
        for column, less, picture in zip(figure.columns, scene.cut, scene.pictures, strict=True):
            servers = column.servers[less:] if column is not None else _NOBODY
            contents.append(StackContent(picture, state.placement[servers], figure.reject_group[servers]))
        self._raster.draw(layout, tuple(contents))

    # Zooming.

    def zoom(self, factor: float, position: QPointF) -> None:
        """Zoom around a point: servers become higher, and above some height columns become wider."""
        scene = self.scene
        if scene is None or self._scale is None:
            return
        old = scene.layout
        scale = zoomed_scale(old.scale, factor, self._scale, scene.line)
        x, y = scene.pixel(position)
        # Above a stack, keep its top in place, so that the stack stays in sight.
        column = scene.column_at(position)
        level = (old.floor - y) / old.scale.unit
        if column is not None and level > column.tallest:
            level = column.tallest
            y = old.level(column.tallest)
        across = (x + old.offset[0]) / max(1, old.content_width)
        self._zoom = None if scale == self._scale else scale
        self._lay_out()
        if self.scene is not None:
            layout = self.scene.layout
            self._look(round(across * layout.content_width - x), round(level * scale.unit + y - layout.base))

    def reset_zoom(self) -> None:
        """Show all servers again."""
        self._zoom = None
        self._look(0, 0)

    def _drag(self, by: QPointF) -> None:
        x, y = self._offset
        self._look(round(x - by.x() * self._ratio), round(y + by.y() * self._ratio))

    def _look(self, x: int, y: int) -> None:
        self._motion.cancel()
        self._offset = x, y
        self._lay_out()
        if self.scene is not None:
            self._offset = self.scene.layout.offset

    # Pointing.

    def _choose(self, position: QPointF, floating: bool) -> bool:
        scene = self.scene
        server = scene.server_at(position) if scene is not None else None
        if scene is None or server is None:
            return False
        self.chosen.emit(selected(scene.frame, server, scene.slot_at(position), floating))
        return True

    def anchor_at(self, position: QPointF) -> Anchor | None:
        """The server at a point, as an anchor of marks."""
        server = None if self.scene is None else self.scene.server_at(position)
        return None if server is None else (0, server)

    def anchor_box(self, anchor: Anchor) -> QRectF | None:
        """The rectangle of a server's strip."""
        scene, (_, server) = self.scene, anchor
        if scene is None or server >= len(scene.figure.column):
            return None
        return scene.rect(scene.server_box(server))

    def content_box(self) -> QRectF | None:
        """The rectangle of all columns."""
        return None if self.scene is None else self.scene.regions.stage

    def words_at(self, position: QPointF) -> str:
        """The tooltip at a point; over the sentence above the picture, that sentence in full."""
        scene = self.scene
        if scene is None:
            return ""
        if scene.regions.event.contains(position):
            return self.event_line.words
        server = scene.server_at(position)
        if server is not None:
            return pointed_words(scene.frame, server, scene.slot_at(position))
        if position.y() > scene.regions.stage.bottom():
            return self._legend.words  # includes entries that did not fit
        column = scene.column_at(position)
        return column_words(scene.frame, column) if column is not None else ""

    # Painting.

    def _paint_picture(self, painter: QPainter, part: QRect) -> bool:
        scene = self.scene
        if scene is None or self._captions is None:
            return False
        image = self._raster.image
        image.setDevicePixelRatio(self._ratio)
        put_image(painter, scene.regions.stage.topLeft(), image)
        paint_stage(painter, scene, labels=not scene.frame.running, selected=self._selection.server)
        if self._around is None or not scene.stage_box.contains(part):
            self._paint_around(painter, scene, self._captions)
        return True

    def _paint_around(self, painter: QPainter, scene: StackScene, captions: Captions) -> None:
        """Paint everything but the stage, and what extends beyond the stage."""
        paint_header(painter, scene, captions, self._split, self._kept)
        paint_foot(painter, scene, captions, self._kept)
        self._legend.paint(painter, scene.regions.legend, scene.rows.legend)
        self.event_line.paint(painter, scene.regions.event, self._theme, self._palette, scene.text)
        self._motion.paint_waiting(painter)
        paint_named(painter, scene, marks(scene.frame))
        paint_selection(painter, scene, self._selection)
        self._motion.paint_flying(painter)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._motion.cancel()
        self._scale = None
        self._lay_out()


_NOBODY = np.zeros(0, np.int32)
