"""What a run reads of files, as a policy of one's own or a trace: its outcome depends on what they hold."""

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

#: Bytes of a trace that are hashed at once.
_CHUNK = 2**20


def under(policy: str | None, own: str = "") -> dict[str, str | None]:
    """What the outcome of a run under *policy* depends on: its name, and the texts of the file that it stands in.

    - *own*: The policy of the scenario, which runs where *policy* is None.
    """
    name = policy_choice(Course.read(policy).policy).name if policy else own
    return {"policy": policy, **({"policy_file": written} if (written := policy_files(name)) else {})}


def policy_files(name: str) -> str:
    """A hash of the file of a user's own policy and of the modules beside it; empty for one of the program's."""
    if not is_own(name):
        return ""
    from slotscope.model.policies.own.file import files_of

    digest = hashlib.blake2b(digest_size=16)
    for path in map(Path, files_of(name)):
        digest.update(path.read_bytes() if path.is_file() else b"")
    return digest.hexdigest()


def check_inputs(part: Part) -> None:
    """Refuse a run whose policy's file or trace was read after it had changed: the part is kept for what was before.

    Raises UserError.
    """
    settings = part.settings
    policy, own, trace = settings["policy"], settings["scenario"]["policy"]["name"], settings.get("trace")
    if under(policy, own).get("policy_file") != settings.get("policy_file"):
        raise another_text(policy or own)
    if trace and content(trace) != settings["content"]:
        raise UserError("found other files of the trace than when this began, allowed: the same", where=trace[0])


def content(trace: Sequence[str]) -> str:
    """A hash of the files of a trace: other content makes another part. Raises TraceError if a file cannot be read."""
    try:
        files = [(path, path.stat()) for path in _files(trace)]
        return _hash(tuple((str(path), at.st_size, at.st_mtime_ns) for path, at in files))
    except OSError as error:
        raise TraceError(f"cannot be read: {error.strerror or error}", where=str(error.filename)) from None


def given_content(trace: Sequence[str]) -> str:
    """The same of the files of Google's trace of 2011, which an experiment cannot do without.

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
    """A hash of the content of files, made anew once a size or a time of change differs."""
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
