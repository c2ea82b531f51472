"""Plots as pictures in files."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QGraphicsView

from slotscope.model.errors import UserError


def write_svg(view: QGraphicsView, path: Path) -> None:
    """Write what *view* shows as vectors.

    Raises
    ------
    UserError
        The file cannot be written.
    """
    _check_writable(path)
    size = view.viewport().size()
    generator = QSvgGenerator()
    generator.setFileName(str(path))
    generator.setSize(size)
    # Axes replay recorded pictures, which adapt to the resolution.
    generator.setResolution(view.logicalDpiX())
    generator.setViewBox(QRectF(0, 0, size.width(), size.height()))
    painter = QPainter(generator)
    _render(view, painter, QRectF(0, 0, size.width(), size.height()))
    painter.end()


def write_png(view: QGraphicsView, path: Path, scale: float, background: str) -> None:
    """Write what *view* shows as pixels, *scale* times as many in each direction.

    Raises
    ------
    UserError
        The file cannot be written.
    """
    _check_writable(path)
    size = view.viewport().size()
    pixels = QSize(round(size.width() * scale), round(size.height() * scale))
    image = QImage(pixels, QImage.Format.Format_RGB32)
    image.fill(QColor(background))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
    _render(view, painter, QRectF(0, 0, pixels.width(), pixels.height()))
    painter.end()
    if not image.save(str(path), "PNG"):  # type: ignore[call-overload]
        raise UserError("this file cannot be written", where=str(path))


def _render(view: QGraphicsView, painter: QPainter, target: QRectF) -> None:
    view.render(painter, target, view.viewport().rect())


def _check_writable(path: Path) -> None:
    try:
        with path.open("wb"):
            pass
    except OSError as error:
        raise UserError(f"this file cannot be written: {error.strerror}", where=str(path)) from None
