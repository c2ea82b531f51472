"""The file contents that a run's outcome depends on: those of a user policy and of a trace."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Iterator, Sequence

from slotscope.model.errors import TraceError, UserError
from slotscope.model.forks.changes import Course
from slotscope.model.lab.parts import Part
from slotscope.model.policies import another_text, is_own
from slotscope.model.policies.choice import policy_choice

#: Bytes of a trace hashed at a time.
_CHUNK = 2**20


def under(policy: str | None, own: str = "") -> dict[str, str | None]:
    """The settings of a run under *policy* that decide its outcome: the policy, and the hash of its file if it has one.

    - *own*: The scenario's policy, which runs if *policy* is None.
    """
    name = policy_choice(Course.read(policy).policy).name if policy else own
    return {"policy": policy, **({"policy_file": written} if (written := policy_files(name)) else {})}


def policy_files(name: str) -> str:
    """A hash of a user policy's file and of the modules beside it; empty for a built-in policy."""
    if not is_own(name):
        return ""
    from slotscope.model.policies.own.file import files_of

    digest = hashlib.blake2b(digest_size=16)
    for path in map(Path, files_of(name)):
        digest.update(path.read_bytes() if path.is_file() else b"")
    return digest.hexdigest()


def check_inputs(part: Part) -> None:
    """Check that policy file and trace have not changed since *part* was made, as its outcome is kept under their hash.

    Raises UserError if one of them has changed.
    """
    settings = part.settings
    policy, own, trace = settings["policy"], settings["scenario"]["policy"]["name"], settings.get("trace")
    if under(policy, own).get("policy_file") != settings.get("policy_file"):
        raise another_text(policy or own)
    if trace and content(trace) != settings["content"]:
        raise UserError("found other files of the trace than when this began, allowed: the same", where=trace[0])


def content(trace: Sequence[str]) -> str:
    """A hash of the files of a trace, for the key of a part. Raises TraceError if a file cannot be read."""
    try:
        files = [(path, path.stat()) for path in _files(trace)]
        return _hash(tuple((str(path), at.st_size, at.st_mtime_ns) for path, at in files))
    except OSError as error:
        raise TraceError(f"cannot be read: {error.strerror or error}", where=str(error.filename)) from None


def given_content(trace: Sequence[str]) -> str:
    """As :func:`content`, for an experiment that needs the files of Google's 2011 trace.

    Raises UserError if no file is given, or one cannot be read.
    """
    if not trace:
        raise UserError(
            "this experiment needs Google's trace of 2011: give its task_events files, or their "
            "folder, with --trace PATH",
            where="--trace",
        )
    return content(trace)


@lru_cache(maxsize=4)
def _hash(files: tuple[tuple[str, int, int], ...]) -> str:
    """A hash of the contents of files (path, size, modification time); cached until a size or time differs."""
    if not files:
        return ""
    digest = hashlib.blake2b(digest_size=16)
    for name, _, _ in files:
        digest.update(Path(name).name.encode() + b"\0")
        with Path(name).open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    return digest.hexdigest()


def _files(trace: Sequence[str]) -> Iterator[Path]:
    for path in map(Path, trace):
        if path.is_dir():
            yield from sorted(item for item in path.iterdir() if item.is_file())
        else:
            yield path
