"""The picture of servers as bins, kept up to date from frame to frame."""

from __future__ import annotations

import math
from itertools import zip_longest
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from gui.intents import Select
from gui.kinds.queue.bins_content import slot_heights
from gui.kinds.queue.bins_layout import BinLayout, BinWishes, fitting_bins, most_zoom, zoomed_bins
from gui.kinds.queue.bins_legend import BinLegend
from gui.kinds.queue.bins_marks import marks, paint_marks, paint_selection
from gui.kinds.queue.bins_raster import BinRaster
from gui.kinds.queue.bins_scene import BinScene, draw, scene_of
from gui.kinds.queue.bins_text import BinText, label_widths
from gui.kinds.queue.bins_words import block_words, may_stall, server_words
from gui.painting.textures import texture_scale
from gui.panels.zoomed import ZoomedPicture
from gui.theme import Theme
from model.frame import Frame
from model.kinds.queue.numbers import QueuePool


class BinView(ZoomedPicture):
    """Shows every server as a bin with its jobs to scale."""

    least = 48.0

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self._raster = BinRaster()
        super().__init__(theme, "Servers as bins", parent)

    def _prepare(self, frame: Frame) -> None:
        numbers, facts = frame.info.numbers, frame.info.facts

        def share_of(pool: QueuePool) -> float:
            return float((np.array(pool.capacity) / numbers.largest).max())

        self._legend = BinLegend(numbers, facts, self._text, self._theme)
        self._heights = slot_heights(numbers, facts)
        self._kinds, _ = label_widths(numbers, facts, self._text)
        # Bins are as large beside others: all have the room that one of them needs.
        lanes = [one.facts for one in frame.runs]
        widths = [label_widths(numbers, one, self._text)[1] for one in lanes]
        self._wishes = BinWishes(
            pools=tuple((pool.count, share_of(pool)) for pool in numbers.pools),
            resources=numbers.resources,
            bars=any(slot_heights(numbers, one) is not None for one in lanes),
            line=max(1, round(self._text.height * self._ratio)),
            labels=tuple(math.ceil(max(line) * self._ratio) for line in zip_longest(*widths, fillvalue=0.0)),
            scale=texture_scale(self._ratio),
        )

    # Layout.

    def _made(self, frame: Frame, stage: QRectF) -> BinScene:
        scene = scene_of(frame, self._layout(stage), stage, self._theme, self._ratio)
        draw(scene, self._raster, self._heights)
        return scene

    def _layout(self, stage: QRectF) -> BinLayout:
        if self._fit is None:
            width, height = (int(side * self._ratio) for side in (stage.width(), stage.height()))
            self._fit = fitting_bins(self._wishes, width, height)
        self._zoom = min(self._zoom, most_zoom(self._fit))
        layout = zoomed_bins(self._fit, self._zoom).seen_from(*self._offset)
        self._offset = layout.offset
        return layout

    # Zooming and pointing.

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
        self._look(
            *(
                round((at - start) * new / was - at)
                for at, start, (was, new) in zip(where, old.origin, sides, strict=True)
            )
        )

    def _selected(self, frame: Frame, hit: Any, floating: bool) -> Select:
        job = None if hit.record is None else int(frame.state.job_number[hit.record])
        return Select(server=hit.server, job=job, floating=floating)

    def words_at(self, position: QPointF) -> str:
        """What hovering at a point says."""
        hit = self.scene.at(position) if self.scene is not None else None
        if hit is None or self._frame is None:
            return ""
        if hit.record is not None:
            return block_words(self._frame, hit.record)
        return server_words(self._frame, hit.server)

    # Painting.

    def _paint_scene(self, painter: QPainter, scene: BinScene) -> None:
        words, stage, legend = self._parts()
        image = self._raster.image
        image.setDevicePixelRatio(self._ratio)
        painter.save()
        painter.setClipRect(stage)
        x, y = self._raster.origin
        painter.drawImage(stage.topLeft() + QPointF(x, y) / self._ratio, image)
        BinText(painter, scene, self._text).paint(self._kinds, self._heights)
        painter.restore()
        paint_marks(painter, scene, marks(scene.frame))
        paint_selection(painter, scene, self._selection)
        self._legend.paint(painter, legend, scene.layout.shows_jobs, may_stall(scene.frame))
        self._paint_sentence(painter, words, self._theme.normal)
