"""Which policy files may run: those that the user has named, or has allowed with their present text.

A scenario or session received from someone else may name a policy file, whose code may do anything.  So
a file runs only after an act of the user: naming it on the command line, choosing it in the window, or
allowing it once.  Permissions are kept by the hash of the file's text and of the texts of the modules
beside it, in the user's data folder.
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
    """Allow a file that the user has named: in this process it runs, also after later changes to it."""
    _named.add(_absolute(path))


def digest_of(text: str) -> str:
    """The hash by which a change of a file is noticed."""
    return sha256(text.encode("utf-8")).hexdigest()


def allow_text(path: str, text: str) -> None:
    """Allow a file's present text, with the modules beside it, from now on; the permission holds in any folder.

    *text* is that of :func:`.beside.whole_text`.

    If the user's data folder cannot be written, the permission holds in this process only.
    """
    if digest_of(text) not in _allowed:
        _allowed.add(digest_of(text))
        with suppress(UserError):
            keep_allowed(path, text)


def keep_allowed(path: str, text: str) -> None:
    """Record for later processes that *text* is allowed. Raises UserError if the data folder cannot be written."""
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
    """Refuse a file that the user has not allowed to run.

    Raises UntrustedPolicyError, also if the file or a module beside it has changed since it was allowed.
    """
    whole = whole_text(path, text)
    if _absolute(path) in _named:
        allow_text(path, whole)
    elif not _is_allowed(digest_of(whole)):
        raise UntrustedPolicyError(path, whole)


def _is_allowed(digest: str) -> bool:
    return digest in _allowed or digest in _kept()


def _kept() -> set[str]:
    """The recorded hashes of what was allowed, in this process or another."""
    try:
        lines = record().read_text("utf-8").splitlines()
    except (OSError, ValueError):
        return set()
    return {line.partition(" ")[0] for line in lines}


def record() -> Path:
    """The file in which the hashes of allowed texts are recorded."""
    return user_folder("XDG_DATA_HOME", ".local", "share") / "allowed-policies.txt"


def _absolute(path: str) -> str:
    return str(without_links(path))
