"""What Qt alone takes to paint what the window paints: the same commands from a recording, with all in them known."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Callable
from unittest import mock

from PySide6.QtCore import QEvent, QObject, QPoint
from PySide6.QtGui import QPaintEngine, QPainter, QPaintEvent, QPicture, QPixmap, QRegion
from PySide6.QtWidgets import QWidget

from slotscope.gui import app as gui_app
from slotscope.gui.painting import kept


class Painted(QObject):
    """Which parts of a window are painted, and what Qt alone takes for that: the same commands, all in them known.

    The ground under texts is left out, as is whatever finds what to paint: nothing that shows the same takes less.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__()
        self._window = window
        self.parts: dict[QWidget, QRegion] = {}
        self._pictures: list[tuple[QPoint, QRegion, QPicture]] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QPaintEvent) and isinstance(watched, QWidget):
            self.parts[watched] = self.parts.get(watched, QRegion()).united(event.region())
        return False

    def watch(self, work: Callable[[], None]) -> None:
        """Note what is painted while something is done."""
        self.parts.clear()
        app = gui_app.application()
        app.installEventFilter(self)
        work()
        app.removeEventFilter(self)

    def record(self) -> None:
        """Keep the commands by which all these parts are painted now."""
        self._pictures = [
            (part.mapTo(self._window, QPoint()), region, recorded(part, region)) for part, region in self.parts.items()
        ]
        self._canvas = QPixmap(self._window.size())

    def again(self) -> float:
        """CPU milliseconds of Qt to paint what was recorded once more."""
        started = time.thread_time()
        painter = QPainter(self._canvas)
        for at, region, picture in self._pictures:
            paint(painter, at, region, picture)
        painter.end()
        return 1000 * (time.thread_time() - started)


def paint(painter: QPainter, at: QPoint, region: QRegion, picture: QPicture) -> None:
    """What was recorded of a region of a widget that is *at* so many pixels."""
    painter.setClipRegion(region.translated(at))
    painter.drawPicture(at, picture)


def recorded(part: QWidget, region: QRegion) -> QPicture:
    """The commands that paint a region of a widget."""
    picture = QPicture()
    painter = QPainter(picture)
    raster = SimpleNamespace(Type=SimpleNamespace(Raster=QPaintEngine.Type.Picture))
    with mock.patch.object(kept, "QPaintEngine", raster):  # what is kept as pixels is recorded as pixels
        part.render(painter, region.boundingRect().topLeft(), region, QWidget.RenderFlag(0))
    painter.end()
    return picture
