"""A file that is written as a whole or not at all; one that stood there before stays until then."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import Callable, Iterator

from slotscope.model.errors import UserError


@contextmanager
def draft_of(path: Path) -> Iterator[Path]:
    """The file beside *path* that is written meanwhile, of the same ending; it takes its place in the end.

    Raises
    ------
    UserError
        If it cannot be written, or cannot take its place.
    """
    draft = path.with_name(f".{path.stem}.unfinished{path.suffix}")
    if path.is_dir():
        raise UserError("found a folder, allowed: the path of a file", where=str(path))
    try:
        _or_say(path, lambda: draft.open("wb").close())
        yield draft
        _or_say(path, lambda: draft.replace(path))
    finally:
        draft.unlink(missing_ok=True)


def _or_say(path: Path, write: Callable[[], object]) -> None:
    try:
        write()
    except OSError as error:
        raise UserError(f"cannot be written: {error.strerror or error}", where=str(path)) from None
