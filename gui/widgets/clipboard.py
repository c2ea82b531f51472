"""The clipboard, and how it lets go of what is ours."""

from __future__ import annotations

import atexit

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication


def copy_data(data: QMimeData) -> None:
    """Put *data* on the clipboard.

    That of the offscreen platform outlives Python, without which an object that was made in Python cannot be
    destroyed: there it is emptied at the end.  The systems' own are let go of with the application.
    """
    clipboard = QGuiApplication.clipboard()
    clipboard.setMimeData(data)
    if QGuiApplication.platformName() == "offscreen":
        atexit.register(clipboard.clear)
