"""pyqtgraph is imported without all classes of Qt, and plots as ever."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
from PySide6 import QtCore, QtGui, QtWidgets
from slotscope.gui.plotting.importing import import_in_parts

NEVER_USED = {QtWidgets: "QCalendarWidget", QtGui: "QPdfWriter", QtCore: "QBuffer"}
names = {module: set(dir(module)) for module in NEVER_USED}
parts = list(import_in_parts())
print("parts", len(parts), len(list(import_in_parts())))
print("made", [name for module, name in NEVER_USED.items() if name in vars(module)])
print("lost", [name for module, before in names.items() for name in before - set(dir(module))])

import pyqtgraph
from pyqtgraph.Qt import QtWidgets as mirrored
app = QtWidgets.QApplication([])
plot = pyqtgraph.PlotWidget()
plot.resize(300, 200)
plot.plot([1, 5, 2], pen="#ff0000")
image = plot.grab().toImage()
red = sum(image.pixelColor(x, y).red() > 200 for x in range(300) for y in range(200))
print("drawn", red > 200)
print("same", mirrored.QCalendarWidget is QtWidgets.QCalendarWidget)
"""


def test_pyqtgraph_is_imported_without_all_classes_of_qt() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["parts 4 0", "made []", "lost []", "drawn True", "same True"], done.stderr
