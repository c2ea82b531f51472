"""Compile kernels into the cache in a process of its own, so that the window never stalls."""

from __future__ import annotations

import subprocess
import sys

from model.jit import cache_folder

_MARKER = "complete"


def is_warm() -> bool:
    """Whether this source's kernels were compiled before, by this Python on this machine."""
    return (cache_folder() / _MARKER).exists()


def warm_in_background() -> subprocess.Popen[bytes] | None:
    """Start compiling in another process; None if nothing is to be done."""
    if is_warm():
        return None
    return subprocess.Popen(
        [sys.executable, "-m", "model.kernels.warm"],
        cwd=str(_root()),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _root() -> str:
    from pathlib import Path

    return str(Path(__file__).resolve().parents[2])


def warm() -> None:
    """Run every kernel for a few events, so that it is compiled and stored."""
    from model.api import Session
    from model.assembly import KERNELS
    from model.records import EVENT_KINDS

    for policy in KERNELS:
        session = Session.open("dra-vms", policy=policy)
        session.run(events=2000)
        session.run(events=10, stop=tuple(EVENT_KINDS))
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _MARKER).touch()


if __name__ == "__main__":
    warm()
