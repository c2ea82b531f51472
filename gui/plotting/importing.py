"""pyqtgraph, imported in the window's thread in parts between which the window answers.

Not in a thread beside it: PySide makes a class of Qt's when it is first asked for, pyqtgraph asks for all of
them, and while the window's thread is in Qt that ends the process, once in a hundred starts.
"""

from __future__ import annotations

import sys
from importlib import import_module
from time import monotonic
from typing import Iterator

from PySide6 import QtCore, QtGui, QtWidgets

#: What of Qt pyqtgraph brings along that the window has not imported before.
_BROUGHT = ("PySide6.QtOpenGLWidgets", "PySide6.QtSvg", "PySide6.QtTest")


#: Seconds that a part of Qt's classes takes; the window has a frame in less.
_PART = 0.01


def import_in_parts() -> Iterator[None]:
    """Import another part with each step; nothing is left to do where it was done before."""
    if "pyqtgraph" in sys.modules:
        return
    for module in (QtCore, QtGui, QtWidgets):
        until = monotonic() + _PART
        for name in dir(module):
            getattr(module, name)
            if monotonic() > until:
                yield
                until = monotonic() + _PART
    for name in (*_BROUGHT, "pyqtgraph"):
        import_module(name)
        yield
