"""A widget as a picture: as vectors, or in more pixels than it has on the screen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QBuffer, QIODevice, QPoint, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QWidget

from slotscope.gui.widgets.focus_ring import FocusRing
from slotscope.model.draft import write_bytes

if TYPE_CHECKING:
    from PySide6.QtSvg import QSvgGenerator


class InMemory(QBuffer):
    """What Qt writes; into a file it would write a half where the disk is full, and say nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.open(QIODevice.OpenModeFlag.WriteOnly)

    @property
    def written(self) -> bytes:
        return bytes(self.data().data())


def _render(widget: QWidget, painter: QPainter) -> None:
    """Paint a widget as the screen shows it, without the frame around what has the focus."""
    rings = [ring for ring in widget.findChildren(FocusRing) if ring.isVisible()]
    for ring in rings:
        ring.hide()
    widget.render(painter, QPoint())
    for ring in rings:
        ring.show()


def svg_of(widget: QWidget, title: str = "", generator: QSvgGenerator | None = None) -> str:
    """What a widget shows, as an SVG document; *generator* is what to draw it with."""
    from PySide6.QtSvg import QSvgGenerator

    buffer = InMemory()
    # An older version of the format knows no clipping.
    generator = generator or QSvgGenerator(QSvgGenerator.SvgVersion.Svg11)
    generator.setOutputDevice(buffer)
    generator.setSize(widget.size())
    generator.setViewBox(widget.rect())
    generator.setTitle(title)
    generator.setResolution(widget.logicalDpiX())
    painter = QPainter(generator)
    _render(widget, painter)
    painter.end()
    return buffer.written.decode("utf-8")


def image_of(widget: QWidget) -> QImage:
    """What a widget shows, with twice as many pixels in each direction."""
    image = QImage(widget.size() * 2, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(2.0)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    _render(widget, painter)
    painter.end()
    image.setDevicePixelRatio(1.0)
    return image


def write_image(image: QImage, path: Path) -> None:
    """Write a picture as PNG. Raises UserError if the file cannot be written."""
    buffer = InMemory()
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    write_bytes(path, buffer.written)
