"""Pictures of widgets: as vectors, or at a higher resolution than the screen's."""

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
    """A buffer for Qt to write to: writing to a file, Qt leaves it incomplete on a full disk without an error."""

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
    """A widget's contents as an SVG document; *generator* replaces the default SVG generator."""
    from PySide6.QtSvg import QSvgGenerator

    buffer = InMemory()
    # SVG Tiny 1.2, Qt's default, has no clipping.
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
    """A widget's contents at twice the resolution."""
    image = QImage(widget.size() * 2, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(2.0)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    _render(widget, painter)
    painter.end()
    image.setDevicePixelRatio(1.0)
    return image


def write_image(image: QImage, path: Path) -> None:
    """Write an image as PNG. Raises UserError if the file cannot be written."""
    buffer = InMemory()
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    write_bytes(path, buffer.written)
