"""Pixels of pictures cut into tiles, of which each is kept once, so that what stands still costs nothing."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QImage

#: Pixels of a side of a tile.  Each has a row and a column more, which its neighbours cover: else there would be
#: seams between them in a picture that is scaled.
TILE = 32
SIDE = TILE + 1


class TileStore:
    """All tiles of a panel's pictures.

    Attributes
    ----------
    colours:
        The colours that occur, as ``0xrrggbb``, in the order of their numbers.
    """

    def __init__(self) -> None:
        self.colours: list[int] = []
        self._numbers = np.zeros(1 << 24, np.uint16)  # of each colour there can be; 0: it has not occurred
        self._known: dict[bytes, int] = {}

    def cut(self, image: QImage) -> tuple[int, list[int]]:
        """How many tiles stand in a row of a picture, and the numbers of its tiles, row by row."""
        indexed = self._indexed(image)
        rows, columns = (-(-side // TILE) for side in indexed.shape)
        padded = np.pad(indexed, ((0, rows * TILE + 1 - indexed.shape[0]), (0, columns * TILE + 1 - indexed.shape[1])))
        numbers = []
        for row in range(0, rows * TILE, TILE):
            for column in range(0, columns * TILE, TILE):
                tile = padded[row : row + SIDE, column : column + SIDE].tobytes()
                numbers.append(self._known.setdefault(tile, len(self._known)))
        return columns, numbers

    def _indexed(self, image: QImage) -> npt.NDArray[np.uint16]:
        """The number of the colour of each pixel, from 1; 0 stands for none, beyond the edge."""
        image = image.convertToFormat(QImage.Format.Format_RGB32)
        shape = image.height(), image.bytesPerLine() // 4
        pixels = np.frombuffer(image.constBits(), np.uint32).reshape(shape)[:, : image.width()] & 0xFFFFFF
        found: npt.NDArray[np.uint16] = self._numbers[pixels]
        if (fresh := np.unique(pixels[found == 0])).size:
            self._numbers[fresh] = np.arange(1, fresh.size + 1) + len(self.colours)
            self.colours += fresh.tolist()
            found = self._numbers[pixels]
        return found

    def pixels(self) -> bytes:
        """Of all tiles the numbers of their colours, first the low bytes and then the high ones of each tile."""
        parts = (np.frombuffer(tile, np.uint16) for tile in self._known)
        return b"".join(
            (tile & 0xFF).astype(np.uint8).tobytes() + (tile >> 8).astype(np.uint8).tobytes() for tile in parts
        )
