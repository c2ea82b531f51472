"""Between a widget's coordinates and the device pixels of a picture in it."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF


def in_widget(stage: QRectF, ratio: float, box: tuple[int, int, int, int]) -> QRectF:
    """Where a box of the picture's pixels is in the widget.

    Parameters
    ----------
    stage:
        Where the picture is in the widget.
    ratio:
        Device pixels for each of the widget's.
    """
    x, y, width, height = (value / ratio for value in box)
    return QRectF(stage.x() + x, stage.y() + y, width, height)


def in_pixels(stage: QRectF, ratio: float, position: QPointF) -> tuple[int, int] | None:
    """The picture's pixel at a point of the widget; None beside the picture."""
    if not stage.contains(position):
        return None
    return int((position.x() - stage.x()) * ratio), int((position.y() - stage.y()) * ratio)
