"""Which parts of pyqtgraph are imported: all that the window uses, and few others."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

#: Imports pyqtgraph as the window does, prints which names exist, and checks that the rest can still be imported.
CODE = """
import json, sys
from PySide6.QtWidgets import QApplication
from slotscope.gui.plotting.importing import _LeftOut, import_in_parts
app = QApplication(["plots", "-platform", "offscreen"])
for _ in import_in_parts():
    pass
import pyqtgraph as pg
there = [name for name in json.loads(sys.argv[1]) if getattr(pg, name, None) is not None]
left = [name for name, module in sys.modules.items() if isinstance(module, _LeftOut)]
menus = pg.PlotWidget().getPlotItem().getViewBox().getContextMenus(None)
from pyqtgraph.widgets.RemoteGraphicsView import RemoteGraphicsView  # who asks for it gets it
assert not left and RemoteGraphicsView is not pg.RemoteGraphicsView
print(json.dumps(there))
"""


@pytest.mark.slow
def test_what_no_plot_has_a_part_of_is_left_out_and_all_else_is_there() -> None:
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "gui").rglob("*.py")]
    named = sorted({name for text in sources for name in re.findall(r"\bpg\.(\w+)", text)})
    assert {"PlotWidget", "mkPen"} < set(named)
    command = [sys.executable, "-c", CODE, json.dumps(named)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout.splitlines()[-1]) == named
