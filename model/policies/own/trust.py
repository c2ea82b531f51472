"""Which files of policies may run: those that the user named, or has run before as they are.

A scenario or a session that somebody sends may name a policy's file, which may do anything.  So a
file runs only after an act of the user's own: naming it on the command line, choosing it in the
window, or allowing it once.  What was allowed is kept by the hash of its text and of those of the
modules beside it, in the user's folder for data.
"""

from __future__ import annotations

from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from slotscope.model.errors import UntrustedPolicyError, UserError
from slotscope.model.folders import user_folder, without_links
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
    if digest_of(text) not in _allowed:
        _allowed.add(digest_of(text))
        with suppress(UserError):
            keep_allowed(path, text)


def keep_allowed(path: str, text: str) -> None:
    """Let later processes know that *text* is allowed. Raises UserError if the user's folder cannot be written."""
    digest = digest_of(text)
    if digest in _kept():
        return
    try:
        record().parent.mkdir(parents=True, exist_ok=True)
        with record().open("a", encoding="utf-8", errors="backslashreplace") as lines:
            lines.write(f"{digest} {_absolute(path)!r}\n")
    except OSError as error:
        allowed = "allowed: another folder, named by XDG_DATA_HOME, or the policy's file after --policy each time"
        raise UserError(f"cannot be written: {error.strerror or error}; {allowed}", where=str(record())) from None


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
    return digest in _allowed or digest in _kept()


def _kept() -> set[str]:
    """The hashes of what was allowed, here or in other processes, and is remembered."""
    try:
        lines = record().read_text("utf-8").splitlines()
    except (OSError, ValueError):
        return set()
    return {line.partition(" ")[0] for line in lines}


def record() -> Path:
    """The file with the hashes of what was allowed."""
    return user_folder("XDG_DATA_HOME", ".local", "share") / "allowed-policies.txt"


def _absolute(path: str) -> str:
    return str(without_links(path))
