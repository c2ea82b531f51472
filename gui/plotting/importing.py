"""pyqtgraph, imported in the window's thread in parts between which the window answers.

Not in a thread beside it: PySide makes a class of Qt's when it is first asked for, and while the window's thread is in
Qt that ends the process, once in a hundred starts.  pyqtgraph asks for all of them, as it copies each name of Qt's
modules into modules of its own; here these pass on to Qt what they are asked for, which saves a tenth of a second and
nine megabytes.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Iterator

from PySide6 import QtCore, QtGui, QtWidgets

#: What of Qt pyqtgraph brings along that the window has not imported before.
_BROUGHT = ("PySide6.QtOpenGLWidgets", "PySide6.QtSvg", "PySide6.QtTest")


def import_in_parts() -> Iterator[None]:
    """Import another part with each step; nothing is left to do where it was done before."""
    if "pyqtgraph" in sys.modules:
        return
    for name in _BROUGHT:
        import_module(name)
        yield
    with _passed_on(QtCore, QtGui, QtWidgets):
        import_module("pyqtgraph")
    yield


@contextmanager
def _passed_on(*modules: ModuleType) -> Iterator[None]:
    """Let pyqtgraph's copies of Qt's *modules* be such as pass on; meanwhile none of these lists its names."""
    listed = [module.__dict__.get("__dir__") for module in modules]
    for module in modules:
        mirror = ModuleType(module.__name__.replace("PySide6", "pyqtgraph.Qt"))
        mirror.__dict__["__getattr__"] = partial(getattr, module)
        sys.modules[mirror.__name__] = mirror
        module.__dict__["__dir__"] = list
    try:
        yield
    finally:
        for module, names in zip(modules, listed, strict=True):
            if names is None:
                del module.__dict__["__dir__"]
            else:
                module.__dict__["__dir__"] = names
