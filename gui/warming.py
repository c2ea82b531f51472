"""Compiles everything in a process of its own, so that the window never stalls.

On a machine's first start the reference serves meanwhile; later starts load from the cache.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

from model.jit import cache_folder

_ROOT = Path(__file__).resolve().parents[1]


def is_warm() -> bool:
    """Whether this source was compiled before, by this Python on this machine."""
    return _marker().exists()


def _marker() -> Path:
    """A file that stands for "all is compiled"; its name changes with what paints."""
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted((_ROOT / "gui" / "painting").glob("*.py")):
        digest.update(path.read_bytes())
    return cache_folder() / f"complete-{digest.hexdigest()}"


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
    _marker().parent.mkdir(parents=True, exist_ok=True)
    _marker().touch()


if __name__ == "__main__":
    main()
