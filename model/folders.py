"""The program's own folders among the user's, where the XDG Base Directory Specification puts them."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path


def user_folder(variable: str, *usual: str) -> Path:
    """The program's folder below what the environment calls *variable*, else below *usual* in the home folder."""
    root = os.environ.get(variable)
    return (Path(root) if root else home_folder().joinpath(*usual)) / "slotscope"


def home_folder() -> Path:
    """The user's home folder; for a user without one, as a bare number in a container, a temporary one of their own."""
    try:
        return Path.home()
    except RuntimeError:
        return Path(own_temporary_folder())


def working_folder() -> Path:
    """Where files go at first: the folder in which the program was started, or the home folder if that is of no use."""
    return Path.cwd() if not is_gone() and os.access(Path.cwd(), os.W_OK) else home_folder()


def is_gone() -> bool:
    """Whether the folder in which the program was started was removed."""
    try:
        Path.cwd()
    except FileNotFoundError:
        return True
    return False


def without_links(path: str | Path) -> Path:
    """*path*, absolute and without links; of links that lead in a circle one is left, for whoever reads it to tell."""
    return Path(os.path.realpath(path))  # Path.resolve raises RuntimeError there


def without_tilde(path: str) -> Path:
    """*path* with ``~`` and ``~name`` as the home folders that they stand for; as it is where there is no such user."""
    with suppress(RuntimeError):
        return Path(path).expanduser()
    return Path(path)


@cache
def own_temporary_folder() -> str:
    """A folder for temporary files that nobody else can write: code is loaded from there."""
    if hasattr(os, "getuid"):
        folder = Path(tempfile.gettempdir()) / f"slotscope-{os.getuid()}"
        with suppress(OSError):
            folder.mkdir(mode=0o700, exist_ok=True)
            found = folder.lstat()
            private = stat.S_ISDIR(found.st_mode) and not found.st_mode & 0o022
            if private and found.st_uid == os.getuid():
                return str(folder)
    return tempfile.mkdtemp(prefix="slotscope-")


def may_be_made(folder: Path) -> bool:
    """Whether *folder* can be written, or be made where it is missing."""
    there = next(path for path in (folder, *folder.parents) if os.access(path, os.F_OK))
    return os.access(there, os.W_OK | os.X_OK)
