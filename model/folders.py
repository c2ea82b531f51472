"""The program's folders in the user's home, as the XDG Base Directory Specification defines them."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path


def user_folder(variable: str, *usual: str) -> Path:
    """The program's folder below the one in the environment *variable*, or else below *usual* in the home folder."""
    root = os.environ.get(variable)
    return (Path(root) if root else home_folder().joinpath(*usual)) / "slotscope"


def home_folder() -> Path:
    """The user's home folder; for a user without one, e.g. a bare number in a container, a private temporary folder."""
    try:
        return Path.home()
    except RuntimeError:
        return Path(own_temporary_folder())


def working_folder() -> Path:
    """The default folder for files: the working directory if it can be written, otherwise the home folder."""
    return Path.cwd() if not is_gone() and os.access(Path.cwd(), os.W_OK) else home_folder()


def is_gone() -> bool:
    """Whether the working directory was removed."""
    try:
        Path.cwd()
    except FileNotFoundError:
        return True
    return False


def without_links(path: str | Path) -> Path:
    """*path*, absolute and without links; a circular link is left in it, to be reported when the path is read."""
    return Path(os.path.realpath(path))  # Path.resolve raises RuntimeError there


def without_tilde(path: str) -> Path:
    """*path* with a leading ``~`` or ``~name`` replaced by the home folder; unchanged if there is no such user."""
    with suppress(RuntimeError):
        return Path(path).expanduser()
    return Path(path)


@cache
def own_temporary_folder() -> str:
    """A folder for temporary files that no other user can write, since code is loaded from it."""
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
    """Whether *folder* can be written, or created if it does not exist."""
    there = next(path for path in (folder, *folder.parents) if os.access(path, os.F_OK))
    return os.access(there, os.W_OK | os.X_OK)
