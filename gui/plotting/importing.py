"""Imports pyqtgraph in the GUI thread in parts, between which the window processes events.

Not in another thread: PySide creates Qt's classes on first access, and if the GUI thread is inside Qt meanwhile, that
ends the process, once in a hundred starts.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any, Iterator

from PySide6 import QtCore, QtGui, QtWidgets

#: Qt modules that pyqtgraph imports and the window has not imported before.
_BROUGHT = ("PySide6.QtOpenGLWidgets", "PySide6.QtSvg", "PySide6.QtTest")


#: Submodules that pyqtgraph's package imports only to export their names, and no plot here needs: half of the import,
#: with Qt classes that are created for them alone.
_UNUSED = {
    "": "imageview SignalProxy ThreadsafeTimer",
    "graphicsItems.": (
        "ArrowItem BoxplotItem ColorBarItem CurvePoint DateAxisItem GradientEditorItem GradientLegend GraphicsLayout "
        "GraphItem GridItem HistogramLUTItem ImageItem IsocurveItem LinearRegionItem PColorMeshItem ROI ScaleBar "
        "TargetItem VTickGroup"
    ),
    "widgets.": (
        "BusyCursor CheckTable ColorButton ColorMapMenu ColorMapWidget ComboBox DataFilterWidget DataTreeWidget "
        "DiffTreeWidget FeedbackButton GradientWidget GraphicsLayoutWidget HistogramLUTWidget JoystickButton "
        "LayoutWidget PathButton ProgressDialog RawImageWidget RemoteGraphicsView ScatterPlotWidget SpinBox "
        "TableWidget TreeWidget ValueLabel VerticalLabel"
    ),
}


class _LeftOut(ModuleType):
    """Replaces a module during pyqtgraph's star imports: exports nothing, and every attribute is None."""

    __all__ = ()

    def __getattr__(self, name: str) -> None:
        if name.startswith("__"):
            raise AttributeError(name)


class _Mirror(ModuleType):
    """A module of ``pyqtgraph.Qt`` that looks names up in Qt's module on access, instead of copying all of them."""

    def __init__(self, name: str, source: ModuleType) -> None:
        super().__init__(name)
        self._source = source

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._source, name)
        setattr(self, name, found)
        return found


@contextmanager
def _left_out() -> Iterator[None]:
    """Let pyqtgraph import without the unused submodules; they can still be imported later."""
    names = [f"pyqtgraph.{package}{name}" for package, names in _UNUSED.items() for name in names.split()]
    sys.modules |= {name: _LeftOut(name) for name in names}
    try:
        yield
    finally:
        for name in names:
            del sys.modules[name]


@contextmanager
def _names_unread() -> Iterator[None]:
    """Keep pyqtgraph from copying all names of Qt: PySide would create every class, twice as many as are used."""
    tells = {module: module.__dir__ for module in (QtCore, QtGui, QtWidgets)}
    for module in tells:
        mirror = module.__name__.replace("PySide6", "pyqtgraph.Qt")
        sys.modules[mirror] = _Mirror(mirror, module)
        module.__dir__ = list  # type: ignore[method-assign]
    try:
        yield
    finally:
        for module, tell in tells.items():
            module.__dir__ = tell  # type: ignore[method-assign]


def import_in_parts() -> Iterator[None]:
    """Import one part per iteration; does nothing if pyqtgraph is imported already."""
    if "pyqtgraph" in sys.modules:
        return
    for name in _BROUGHT:
        import_module(name)
        yield
    with _left_out(), _names_unread():
        import_module("pyqtgraph")
    yield
