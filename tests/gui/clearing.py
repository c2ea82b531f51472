"""What the tests of one module leave of windows is destroyed before the next module."""

from __future__ import annotations

import gc
from itertools import compress

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
    gc.unfreeze()  # the window of a whole module was put aside after its first test
    destroy_what_is_due()
    gc.freeze()


def destroy_what_is_due() -> None:
    """Destroy what was asked to go later, for which Qt would wait until it is idle; nothing is held by what is gone.

    The objects that Python knew it by hold each other, and with them what a panel has drawn and a window has run.
    Those that were put aside before are not looked through again.
    """
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    objects = gc.get_objects()
    of_qt = {cls for cls in set(map(type, objects)) if issubclass(cls, Shiboken.Object)}
    for one in compress(objects, map(of_qt.__contains__, map(type, objects))):
        if not Shiboken.isValid(one):
            getattr(one, "__dict__", {}).clear()
