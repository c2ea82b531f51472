"""What the tests of one module leave of windows is destroyed before the next module."""

from __future__ import annotations

import gc
from itertools import compress

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import Shiboken


class _Aside:
    """What was put aside."""

    windows = False  #: whether there is a window in it


def clear_away() -> None:
    """Destroy the windows that are left; what Qt has made itself goes with its owner only.

    A layout of graphics items holds a window without a parent, which nobody ever sees, and
    destroys it at its own end: the second time, where that window was cleared away before.

    Where no test has left a window to the next one there is nothing to look for: all that there is is ten times as
    much as what a test makes.
    """
    windows = _windows()
    for window in windows:
        window.deleteLater()
    if _Aside.windows:
        gc.unfreeze()  # that of a whole module was put aside after its first test
    if _Aside.windows or windows:
        destroy_what_is_due()
    put_aside()


def put_aside() -> None:
    """Look no more at what there is."""
    _Aside.windows = bool(_windows())
    gc.freeze()


def _windows() -> list[QWidget]:
    return [one for one in QApplication.topLevelWidgets() if Shiboken.createdByPython(one)]


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
