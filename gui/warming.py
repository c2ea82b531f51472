"""Compiles everything in a process of its own, so that the window never stalls.

On a machine's first start the reference serves meanwhile; later starts load from the cache.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from model.jit import cache_folder

_MARKER = "complete"
_ROOT = Path(__file__).resolve().parents[1]


def is_warm() -> bool:
    """Whether this source was compiled before, by this Python on this machine."""
    return (cache_folder() / _MARKER).exists()


def warm_in_background() -> subprocess.Popen[bytes] | None:
    """Start compiling in another process; None if nothing is to be done."""
    if is_warm():
        return None
    return subprocess.Popen(
        [sys.executable, "-m", "gui.warming"],
        cwd=_ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def load_painting() -> None:
    """Paint servers with the compiled kernel from here on."""
    from gui.painting import kernel

    kernel.activate()


def main() -> None:
    """Compile the kernels of policies and of painting, and leave a mark that it was done."""
    from model.kernels.warm import warm

    warm()
    load_painting()
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _MARKER).touch()


if __name__ == "__main__":
    main()
