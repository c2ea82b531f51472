"""The widget that shows a raster of servers, and what is at a point of it."""

from __future__ import annotations

from typing import Callable

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QRegion, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from slotscope.gui.kinds.reservation.servers_painted import GridHit, Integers, PaintedServers
from slotscope.gui.kinds.reservation.servers_raster import ServerRaster
from slotscope.gui.painting.textures import raster_palette
from slotscope.gui.theme import Theme

# Above this many changed servers one large update is cheaper than many small ones.
_SINGLE_UPDATES = 4

Overlay = Callable[[QPainter], None]


class ServerView(QWidget):
    """Shows servers; the panel lays them out in :meth:`device_size` pixels.

    An overlay paints over the picture in the widget's own coordinates, for marks and for what moves.
    """

    def __init__(self, theme: Theme, job_types: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._job_types = job_types
        self._servers: PaintedServers | None = None
        self._overlay: Overlay | None = None
        self._raster = ServerRaster(1, 1, raster_palette(theme, job_types, self._ratio()))
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def sizeHint(self) -> QSize:
        return QSize(640, 400)

    def device_size(self) -> tuple[int, int]:
        """Width and height of the picture in device pixels."""
        ratio = self._ratio()
        return max(1, round(self.width() * ratio)), max(1, round(self.height() * ratio))

    @property
    def scale(self) -> int:
        """Device pixels per line of a texture, as the geometry's functions take it."""
        return self._raster.palette.scale

    def set_theme(self, theme: Theme) -> None:
        """Draw everything again in other colours."""
        self._theme = theme
        self._renew_palette()

    def set_job_types(self, job_types: int) -> None:
        """Prepare colours for another number of job types; the servers are forgotten."""
        self._job_types = job_types
        self._servers = None
        self._renew_palette()

    def set_overlay(self, overlay: Overlay | None) -> None:
        """Let *overlay* paint over the servers at each repaint."""
        self._overlay = overlay
        self.update()

    def set_servers(self, servers: PaintedServers) -> None:
        """Show *servers*; only those that changed are drawn and repainted."""
        known = self._servers
        moved = known is None or known.rects is not servers.rects
        self._servers = servers
        changed = self._raster.draw(servers)
        if moved or len(changed) > _SINGLE_UPDATES:
            self.update()
        else:
            self._update_servers(servers.rects[changed])

    def hit(self, position: QPointF) -> GridHit | None:
        """What lies at *position* (the widget's coordinates)."""
        if self._servers is None:
            return None
        ratio = self._ratio()
        x, y = int(position.x() * ratio), int(position.y() * ratio)
        return self._servers.hit(x, y, self.scale)

    def to_widget(self, x: float, y: float, width: float, height: float) -> QRectF:
        """A rectangle of device pixels in the widget's coordinates."""
        ratio = self._ratio()
        return QRectF(x / ratio, y / ratio, width / ratio, height / ratio)

    def _ratio(self) -> float:
        return self.devicePixelRatioF()

    def _renew_palette(self) -> None:
        self._raster.set_palette(raster_palette(self._theme, self._job_types, self._ratio()))
        if self._servers is not None:
            self._raster.draw(self._servers)
        self.update()

    def _update_servers(self, rects: Integers) -> None:
        for rect in rects.tolist():
            self.update(self.to_widget(*rect).toAlignedRect())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        image = self._raster.image
        region = event.region()
        if self._ratio() == 1.0 and region.rectCount() <= _SINGLE_UPDATES:
            for rect in _rectangles(region):
                painter.drawImage(rect, image, rect)
        else:
            image.setDevicePixelRatio(self._ratio())
            painter.drawImage(0, 0, image)
        if self._overlay is not None:
            self._overlay(painter)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._raster.resize(*self.device_size())
        if self._servers is not None:
            self._raster.draw(self._servers)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._renew_palette()
            self._raster.resize(*self.device_size())


def _rectangles(region: QRegion) -> list[QRect]:
    return [QRect(rect) for rect in region]  # type: ignore[attr-defined]
