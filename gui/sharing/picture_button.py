"""The button by which a panel's picture leaves the window: a click copies it, and it can be dragged into a slide."""

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

    That of the offscreen platform outlives Python, without which an object that was made in Python cannot be
    destroyed: there it is emptied at the end.  The systems' own are let go of with the application.
    """
    clipboard = QGuiApplication.clipboard()
    clipboard.setMimeData(data)
    if QGuiApplication.platformName() == "offscreen":
        atexit.register(clipboard.clear)


#: Width of the picture that hangs at the pointer while it is dragged.
_AT_POINTER = 240


class PictureButton(QToolButton):
    """Copies a panel's picture, or drags it out of the window."""

    def __init__(self, panel: Callable[[], Panel]) -> None:
        super().__init__()
        self._panel = panel  # built where nobody has needed it so far
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
            self.setDown(False)  # the click that was begun is none
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
        """The picture as a file, for programs that take nothing else; it stays as long as the button."""
        if self._folder is None:
            self._folder = QTemporaryDir()
        path = Path(self._folder.path()) / f"{self._panel().name}.png"
        image.save(str(path))
        return path


def picture_data(panel: Panel) -> QMimeData:
    """A panel's picture as the clipboard takes it: pixels, twice as many as on the screen, and vectors."""
    panel.catch_up()
    data = QMimeData()
    data.setImageData(image_of(panel))
    data.setData("image/svg+xml", svg_of(panel, panel.title).encode())
    return data
