"""Files that are written as a whole or not at all; until the write completes, an existing file stays unchanged."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

from slotscope.model.errors import UserError
from slotscope.model.folders import without_links
from slotscope.model.phrase import Phrase


@contextmanager
def draft_of(path: Path, error: type[UserError] = UserError) -> Iterator[Path]:
    """A temporary file beside *path*, with the same ending, which replaces *path* at the end of the block.

    A link at *path* keeps leading to its file, and the file keeps its permissions.
    Raises UserError, of the type *error*, if the file cannot be written or replaced.
    """
    if path.is_dir():
        raise error(Phrase("found a folder, allowed: the path of a file"), where=str(path))
    place = without_links(path)
    try:
        if place.exists() and not place.is_file():
            yield place  # a pipe or device is written directly
        else:
            with _beside(place) as draft:
                yield draft
    except BrokenPipeError:  # the reader of a pipe has closed it
        raise
    except OSError as fault:
        raise error(Phrase("{path}: cannot be written: {fault}", path=path, fault=fault.strerror or fault)) from None


@contextmanager
def _beside(place: Path) -> Iterator[Path]:
    draft = place.with_name(f".{place.stem}.unfinished{place.suffix}")
    try:
        draft.open("wb").close()
        if place.exists():
            shutil.copymode(place, draft)
        yield draft
        draft.replace(place)
    finally:
        draft.unlink(missing_ok=True)


def write_text(path: Path, text: str, error: type[UserError] = UserError) -> None:
    """Write a text file; see :func:`write_bytes`."""
    write_bytes(path, text.encode(), error)


def write_bytes(path: Path, data: bytes, error: type[UserError] = UserError) -> None:
    """Write a file. Raises UserError if it cannot be written; of the type *error*."""
    with draft_of(path, error) as draft:
        draft.write_bytes(data)
