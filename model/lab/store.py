"""The store of an experiment's finished parts: a file that survives a kill of the program at any moment.

The file is append-only: one line of JSON for each finished part, in a single write that is on disk
before the part counts as finished.  A line that was not completely written, or was damaged later,
fails its checksum and is ignored.  Several processes may append at the same time.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any, Iterator

from slotscope.model.errors import UserError
from slotscope.model.lab.parts import Outcome, Part, canonical

#: The ending of a store's file name.
ENDING = ".parts.jsonl"


class Store:
    """The finished parts, in memory and in a file.

    - *path*: The file, which is created with the first part.

    Raises UserError if there is something at *path* other than a file that can be read and appended to.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damaged = 0  #: number of unusable lines
        self._outcomes = dict(self._read())

    @classmethod
    def of(cls, folder: Path, experiment: str) -> Store:
        """The store of an experiment whose results go to *folder*."""
        return cls(folder / f"{experiment}{ENDING}")

    def holds(self, part: Part) -> bool:
        """Whether *part* was finished by this version of the program."""
        return part.key in self._outcomes

    def outcome(self, part: Part) -> Outcome:
        """The outcome of a finished part. Raises KeyError if the part is not finished."""
        return self._outcomes[part.key]

    def add(self, part: Part, outcome: Outcome) -> None:
        """Keep a finished part; on return it is on disk. Raises UserError if the file cannot be written."""
        line = canonical(
            {"part": part.label, "key": part.key, "outcome": outcome, "check": _checksum(part.key, outcome)}
        )
        try:
            self._append(line.encode() + b"\n")
        except OSError as error:
            raise self._fault(f"cannot be written: {error.strerror or error}") from None
        self._outcomes[part.key] = outcome

    def clear(self) -> None:
        """Remove all parts, including those of other versions. Raises UserError if the file cannot be removed."""
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            raise self._fault(f"cannot be removed: {error.strerror or error}") from None
        self._outcomes.clear()
        self.damaged = 0

    def _append(self, line: bytes) -> None:
        # Unbuffered append: one write, after whatever other processes have written.
        with self.path.open("ab+", buffering=0) as file:
            if file.seek(0, os.SEEK_END):
                file.seek(-1, os.SEEK_END)
                if file.read(1) != b"\n":
                    line = b"\n" + line  # the last line is incomplete
            if file.write(line) != len(line):
                raise OSError(None, "the disk is full")
            os.fsync(file.fileno())

    def _read(self) -> Iterator[tuple[str, Outcome]]:
        if not self.path.exists():
            return
        if not self.path.is_file():
            raise self._fault("found a folder or device, allowed: a file of finished parts")
        try:
            content = self.path.read_bytes()
        except OSError as error:
            raise self._fault(f"cannot be read: {error.strerror or error}") from None
        for line in content.split(b"\n"):
            entry = _entry(line)
            if entry is not None:
                yield entry
            elif line:
                self.damaged += 1

    def _fault(self, message: str) -> UserError:
        return UserError(f"{message}; choose another folder with --out", where=str(self.path))


def _entry(line: bytes) -> tuple[str, Outcome] | None:
    """(key, outcome) of a line, or None if the line is damaged."""
    try:
        item: Any = json.loads(line)
        key, outcome = item["key"], item["outcome"]
        sound = isinstance(key, str) and item["check"] == _checksum(key, outcome)
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return (key, outcome) if sound else None


def _checksum(key: str, outcome: Outcome) -> str:
    return hashlib.blake2b(canonical([key, outcome]).encode(), digest_size=8).hexdigest()
