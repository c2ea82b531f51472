"""Destroys the windows that tests of one module leave, before the next module."""

from __future__ import annotations

import gc
from itertools import compress

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import Shiboken


class _Aside:
    """State of the objects that are excluded from garbage collection."""

    windows = False  #: whether they include a window


def clear_away() -> None:
    """Destroy the remaining windows created by Python; those created by Qt are destroyed by their owners.

    A layout of graphics items holds an invisible window without a parent and destroys it in its
    own destructor: for the second time, if that window was already destroyed here.

    Nothing is searched if no test has left a window to the next one: there are ten times as many objects in all as
    a test creates.
    """
    windows = _windows()
    for window in windows:
        window.deleteLater()
    if _Aside.windows:
        gc.unfreeze()  # the objects of a whole module were excluded after its first test
    if _Aside.windows or windows:
        destroy_what_is_due()
    put_aside()


def put_aside() -> None:
    """Exclude all present objects from garbage collection."""
    _Aside.windows = bool(_windows())
    gc.freeze()


def _windows() -> list[QWidget]:
    return [one for one in QApplication.topLevelWidgets() if Shiboken.createdByPython(one)]


def destroy_what_is_due() -> None:
    """Carry out deferred deletions, for which Qt would wait until it is idle, and clear the Python wrappers.

    The wrappers refer to each other, and thus keep alive what a panel has drawn and a window has run.
    Objects that are excluded from garbage collection are not searched.
    """
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    objects = gc.get_objects()
    of_qt = {cls for cls in set(map(type, objects)) if issubclass(cls, Shiboken.Object)}
    for one in compress(objects, map(of_qt.__contains__, map(type, objects))):
        if not Shiboken.isValid(one):
            getattr(one, "__dict__", {}).clear()
