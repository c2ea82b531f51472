"""Parts of pictures that are painted once, and put there as pixels as long as nobody would see them look otherwise."""

from __future__ import annotations

from typing import Callable, Hashable

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRect, QRectF
from PySide6.QtGui import QColor, QImage, QPaintEngine, QPainter, QPixmap

#: Parts of a pixel that are told apart; blending a line's edges knows no more.
PARTS = 16


def places(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> bytes:
    """Where points are, in pixels, as far as anybody sees it: equal where pictures of them are."""
    across, up = np.rint(PARTS * x), np.rint(PARTS * y)
    apart = np.ones(len(x), np.bool_)  # from the point before
    apart[1:] = (across[1:] != across[:-1]) | (up[1:] != up[:-1])
    return across[apart].tobytes() + up[apart].tobytes()


#: Parts that are remembered; then all are forgotten.
_MOST_REMEMBERED = 128


def put_image(painter: QPainter, at: QPointF, image: QImage) -> None:
    """Put an image there, or what is to stand in its place where somebody keeps images himself."""
    stand_in: Callable[[QImage], QImage] | None = getattr(painter.paintEngine().paintDevice(), "stand_in", None)
    if stand_in is None:
        painter.drawImage(at, image)
    else:
        painter.drawImage(QRectF(at, image.deviceIndependentSize()), stand_in(image))


class Kept:
    """Remembers parts by what decides how they look."""

    def __init__(self) -> None:
        self._pixmaps: dict[Hashable, QPixmap] = {}

    def forget(self) -> None:
        """All of them look otherwise now."""
        self._pixmaps.clear()

    def paint(
        self, painter: QPainter, box: QRect, ground: QColor, look: Hashable, paint: Callable[[QPainter], None]
    ) -> None:
        """On *ground* in *box*, what *paint* draws there; it is asked where nothing of the same *look* is known."""
        if box.isEmpty():
            return
        ratio = painter.deviceTransform().m11()
        if painter.paintEngine().type() != QPaintEngine.Type.Raster or ratio != round(ratio):
            paint(painter)  # as vectors, or where the box begins between two pixels
            return
        key = look, box.width(), box.height(), ratio
        found = self._pixmaps.get(key)
        if found is None:
            if len(self._pixmaps) >= _MOST_REMEMBERED:
                self._pixmaps.clear()
            found = self._pixmaps[key] = QPixmap(box.size() * ratio)
            found.setDevicePixelRatio(ratio)
            found.fill(ground)
            own = QPainter(found)
            own.setFont(painter.font())
            own.translate(-box.topLeft())
            paint(own)
            own.end()
        painter.drawPixmap(box.topLeft(), found)
