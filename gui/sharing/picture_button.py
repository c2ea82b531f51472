"""The button that copies a panel's picture to the clipboard at a click, or drags it into another program."""

from __future__ import annotations

import atexit
from pathlib import Path
from typing import Callable

from PySide6.QtCore import QMimeData, QPoint, Qt, QTemporaryDir, QUrl
from PySide6.QtGui import QDrag, QGuiApplication, QImage, QMouseEvent, QPixmap
from PySide6.QtWidgets import QApplication, QToolButton

from slotscope.gui.panel import Panel
from slotscope.gui.widgets.painted import image_of, svg_of


def copy_data(data: QMimeData) -> None:
    """Put *data* on the clipboard.

    The offscreen platform's clipboard outlives Python, and an object made in Python cannot be destroyed after that,
    so it is cleared at exit.  The clipboards of window systems are released with the application.
    """
    clipboard = QGuiApplication.clipboard()
    clipboard.setMimeData(data)
    if QGuiApplication.platformName() == "offscreen":
        atexit.register(clipboard.clear)


#: Width in pixels of the picture beside the pointer while dragging.
_AT_POINTER = 240


class PictureButton(QToolButton):
    """Copies a panel's picture, or drags it to another program."""

    def __init__(self, panel: Callable[[], Panel]) -> None:
        super().__init__()
        self._panel = panel  # a function, as the panel may not be built yet
        self._pressed: QPoint | None = None
        self._folder: QTemporaryDir | None = None

    def copy(self) -> None:
        """Put the picture on the clipboard."""
        copy_data(picture_data(self._panel()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed = event.position().toPoint() if event.button() == Qt.MouseButton.LeftButton else None
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            super().mouseMoveEvent(event)
            return
        way = event.position().toPoint() - self._pressed
        if way.manhattanLength() >= QApplication.startDragDistance():
            self._pressed = None
            self.setDown(False)  # the press has become a drag, and does not click
            self._drag_out()

    def _drag_out(self) -> None:
        data = picture_data(self._panel())
        image = QImage(data.imageData())
        data.setUrls([QUrl.fromLocalFile(str(self._written(image)))])
        drag = QDrag(self)
        drag.setMimeData(data)
        drag.setPixmap(QPixmap.fromImage(image.scaledToWidth(_AT_POINTER, Qt.TransformationMode.SmoothTransformation)))
        drag.exec(Qt.DropAction.CopyAction)

    def _written(self, image: QImage) -> Path:
        """The picture as a file, for programs that accept only files; it exists as long as the button."""
        if self._folder is None:
            self._folder = QTemporaryDir()
        path = Path(self._folder.path()) / f"{self._panel().name}.png"
        image.save(str(path))
        return path


def picture_data(panel: Panel) -> QMimeData:
    """A panel's picture for the clipboard: pixels at twice the screen's resolution, and SVG."""
    panel.catch_up()
    data = QMimeData()
    data.setImageData(image_of(panel))
    data.setData("image/svg+xml", svg_of(panel, panel.title).encode())
    return data
