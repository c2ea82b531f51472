"""Which files of policies may run: those that the user named, or has run before as they are.

A scenario or a session that somebody sends may name a policy's file, which may do anything.  So a
file runs only after an act of the user's own: naming it on the command line, choosing it in the
window, or allowing it once.  What was allowed is kept by the hash of its text and of those of the
modules beside it, in the user's folder for data.
"""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from slotscope.model.errors import UntrustedPolicyError
from slotscope.model.policies.own.beside import whole_text

_named: set[str] = set()
_allowed: set[str] = set()


def allow_named(path: str) -> None:
    """The user has named this file: here it runs, also after the next change to it."""
    _named.add(_absolute(path))


def digest_of(text: str) -> str:
    """The hash by which a changed file is known."""
    return sha256(text.encode("utf-8")).hexdigest()


def allow_text(path: str, text: str) -> None:
    """The user allows the very text of this file and of the modules beside it, wherever they stand, from now on.

    *text* is that of :func:`.beside.whole_text`.

    Where the user's folder cannot be written it holds in this process.
    """
    digest = digest_of(text)
    if _is_allowed(digest):
        return
    _allowed.add(digest)
    with suppress(OSError):
        record().parent.mkdir(parents=True, exist_ok=True)
        with record().open("a", encoding="utf-8", errors="backslashreplace") as lines:
            lines.write(f"{digest} {_absolute(path)!r}\n")


def check_allowed(path: str, text: str) -> None:
    """Refuse a file that nobody has allowed to run.

    Raises UntrustedPolicyError also if it was allowed with another text, of its own or of a module beside it.
    """
    whole = whole_text(path, text)
    if _absolute(path) in _named:
        allow_text(path, whole)
    elif not _is_allowed(digest_of(whole)):
        raise UntrustedPolicyError(path, whole)


def _is_allowed(digest: str) -> bool:
    if digest in _allowed:
        return True
    try:
        lines = record().read_text("utf-8").splitlines()
    except (OSError, ValueError):
        return False
    return any(line.partition(" ")[0] == digest for line in lines)


def record() -> Path:
    """The file with the hashes of what was allowed."""
    root = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(root) / "slotscope" / "allowed-policies.txt"


def _absolute(path: str) -> str:
    return str(Path(path).resolve())
