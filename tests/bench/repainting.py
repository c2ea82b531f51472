"""The cost of painting a window by Qt alone: the same commands from a recording, with all values known."""

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
    """Records which parts of a window are painted, and measures Qt alone repeating the same commands.

    All values in the commands are known.  The background under texts and the search for what to paint are left out,
    so nothing that shows the same can take less.
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
        """Note what is painted during some work."""
        self.parts.clear()
        app = gui_app.application()
        app.installEventFilter(self)
        work()
        app.removeEventFilter(self)

    def record(self) -> None:
        """Record the commands that now paint all these parts."""
        self._pictures = [
            (part.mapTo(self._window, QPoint()), region, recorded(part, region)) for part, region in self.parts.items()
        ]
        self._canvas = QPixmap(self._window.size())

    def again(self) -> float:
        """CPU milliseconds of Qt to repeat the recorded painting."""
        started = time.thread_time()
        painter = QPainter(self._canvas)
        for at, region, picture in self._pictures:
            paint(painter, at, region, picture)
        painter.end()
        return 1000 * (time.thread_time() - started)


def paint(painter: QPainter, at: QPoint, region: QRegion, picture: QPicture) -> None:
    """Repeat the recorded painting of a region of a widget whose offset is *at*."""
    painter.setClipRegion(region.translated(at))
    painter.drawPicture(at, picture)


def recorded(part: QWidget, region: QRegion) -> QPicture:
    """The commands that paint a region of a widget."""
    picture = QPicture()
    painter = QPainter(picture)
    raster = SimpleNamespace(Type=SimpleNamespace(Raster=QPaintEngine.Type.Picture))
    with mock.patch.object(kept, "QPaintEngine", raster):  # pictures cached as pixels are recorded as pixels
        part.render(painter, region.boundingRect().topLeft(), region, QWidget.RenderFlag(0))
    painter.end()
    return picture
