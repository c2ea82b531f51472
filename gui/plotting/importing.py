"""pyqtgraph, imported in the window's thread in parts between which the window answers.

Not in a thread beside it: PySide makes a class of Qt's when it is first asked for, and while the window's thread
is in Qt that ends the process, once in a hundred starts.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any, Iterator

from PySide6 import QtCore, QtGui, QtWidgets

#: What of Qt pyqtgraph brings along that the window has not imported before.
_BROUGHT = ("PySide6.QtOpenGLWidgets", "PySide6.QtSvg", "PySide6.QtTest")


#: Modules that pyqtgraph imports for whoever asks it for all its names, and that no plot here has a part of: half of
#: all of it, with classes of Qt's that are made for them alone.
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
    """Stands where a module would, while all its names are asked for: it has none, or what is None."""

    __all__ = ()

    def __getattr__(self, name: str) -> None:
        if name.startswith("__"):
            raise AttributeError(name)


class _Mirror(ModuleType):
    """A module in which pyqtgraph would keep all names of one of Qt's; here each is looked up when it is asked for."""

    def __init__(self, name: str, source: ModuleType) -> None:
        super().__init__(name)
        self._source = source

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._source, name)
        setattr(self, name, found)
        return found


@contextmanager
def _left_out() -> Iterator[None]:
    """Let pyqtgraph do without what is not used; who asks for one of these modules later gets it."""
    names = [f"pyqtgraph.{package}{name}" for package, names in _UNUSED.items() for name in names.split()]
    sys.modules |= {name: _LeftOut(name) for name in names}
    try:
        yield
    finally:
        for name in names:
            del sys.modules[name]


@contextmanager
def _names_unread() -> Iterator[None]:
    """Let pyqtgraph copy no names: for that PySide would make all of Qt's classes, twice as many as are used."""
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
    """Import another part with each step; nothing is left to do where it was done before."""
    if "pyqtgraph" in sys.modules:
        return
    for name in _BROUGHT:
        import_module(name)
        yield
    with _left_out(), _names_unread():
        import_module("pyqtgraph")
    yield
