"""What is written on the servers where there is room: captions, jobs, and numbers of servers."""

from __future__ import annotations

from functools import cache

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QStaticText

from slotscope.gui.kinds.moldable.colours import width_color
from slotscope.gui.kinds.moldable.servers_cells import BESIDE, PAD
from slotscope.gui.kinds.moldable.servers_content import strips_of
from slotscope.gui.kinds.moldable.servers_palette import empty_color
from slotscope.gui.kinds.moldable.servers_raster import levels
from slotscope.gui.kinds.moldable.servers_scene import MoldableScene
from slotscope.gui.kinds.moldable.servers_words import LABELS, caption_words, job_labels
from slotscope.gui.painting.colour import letter_ink
from slotscope.gui.painting.stack_text import Lines
from slotscope.gui.pictures.scene import ShownSection
from slotscope.gui.theme import Theme
from slotscope.model.reporting.explain import grouped

#: Jobs have words while so many or fewer can be seen; from then on one zooms in.
MOST_WRITTEN = 1200
#: What is kept free for outlines where words stand in one half of a block.
BORDERS = 6
#: The order of a job's lines from above, as far as there is room: its name, i, what is left.
_ORDER = (1, 0, 2)


class MoldableText:
    """Paints the texts of one moment."""

    def __init__(self, painter: QPainter, scene: MoldableScene, text: Lines) -> None:
        self._painter, self._scene, self._text = painter, scene, text

    def paint(self) -> None:
        """Everything."""
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
        self._text.draw_first(self._painter, area, words, scene.theme.normal)

    def _numbers(self, number: int, shown: ShownSection) -> None:
        """The number of each server below its block."""
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
        """The lines of each job, in every row that it stands in: no block is left without a name."""
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
        """The lines in a job's block, the ink of each by whether it is filled there.

        Where the surface crosses a line, that line stands on a plate, as if it were not filled yet.
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
        """The lines for which there is room, from above."""
        most = int((height - 2) / self._text.height)
        labels = job_labels(self._scene.frame, record, start, min(most, LABELS))
        fitting = [kind for kind, words in enumerate(labels) if self._text.width(words[-1]) <= room]
        return [self._text.fitted(labels[kind], room) for kind in _ORDER if kind in fitting]


@cache
def _colors(theme: Theme, width: int) -> tuple[QColor, QColor]:
    """Of plates in a job on so many servers, and of what is written on its filled part."""
    return QColor(empty_color(theme, width)), QColor(letter_ink(width_color(theme, width)))


def _top_of(rect: QRectF, surface: float, high: float) -> float:
    """Where the lines begin: in the half of a block without the surface, if they fit there."""
    middle = rect.center().y()
    if 2 * (high + BESIDE) + BORDERS > rect.height():
        return middle - high / 2
    quarter = rect.height() / 4
    return (middle - quarter if surface >= middle else middle + quarter) - high / 2
