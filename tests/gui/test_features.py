"""PySide does not read the sources of imported modules."""

from __future__ import annotations

import subprocess
import sys

LOOK = """
import linecache, sys
from slotscope.gui.window.application import application
application(offscreen=True)
before = set(linecache.cache)
import slotscope.gui.main_window
print(len(set(linecache.cache) - before), "shibokensupport.feature" in sys.modules)
"""


def test_the_sources_of_what_the_window_imports_are_not_kept() -> None:
    done = subprocess.run([sys.executable, "-c", LOOK], capture_output=True, text=True, check=True)
    kept, supported = done.stdout.split()
    assert supported == "True", "PySide looks elsewhere now at what is imported"
    assert int(kept) < 20
