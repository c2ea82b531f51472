"""What the tests of one module leave of windows is destroyed before the next module."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication
from shiboken6 import Shiboken


def clear_away() -> None:
    """Destroy the windows that are left; what Qt has made itself goes with its owner only.

    A layout of graphics items holds a window without a parent, which nobody ever sees, and
    destroys it at its own end: the second time, where that window was cleared away before.
    """
    for widget in QApplication.topLevelWidgets():
        if Shiboken.createdByPython(widget):
            widget.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
