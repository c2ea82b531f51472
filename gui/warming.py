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


def is_warm(system: str) -> bool:
    """Whether a kind of system's source was compiled before, by this Python on this machine."""
    return _marker(system).exists()


def _marker(system: str) -> Path:
    """A file that stands for "all is compiled"; its name changes with what paints."""
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted((_ROOT / "gui" / "painting").glob("*.py")):
        digest.update(path.read_bytes())
    return cache_folder() / f"complete-{system}-{digest.hexdigest()}"


def warm_in_background(system: str) -> subprocess.Popen[bytes] | None:
    """Start compiling for a kind of system in another process; None if nothing is to be done."""
    if is_warm(system):
        return None
    return subprocess.Popen(
        [sys.executable, "-m", "gui.warming", system],
        cwd=_ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def load_painting() -> None:
    """Paint servers with the compiled kernel from here on."""
    from gui.painting import kernel

    kernel.activate()


def main(system: str) -> None:
    """Compile the kernels of policies and of painting, and leave a mark that it was done."""
    from model.kernels.warm import warm

    warm(system)
    load_painting()
    _marker(system).parent.mkdir(parents=True, exist_ok=True)
    _marker(system).touch()


if __name__ == "__main__":
    main(sys.argv[1])
