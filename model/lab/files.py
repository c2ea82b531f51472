"""The files that an experiment leaves: its folder made ready, and the pictures drawn into it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Callable

from slotscope.model.errors import UserError
from slotscope.model.lab.results import Figure, Result

#: Draws a figure into a file; False if it cannot.
Draw = Callable[[Figure, Path], bool]

#: Formats of the pictures, by their files' endings.
PICTURES = (".svg", ".png")


def prepare(folder: Path) -> None:
    """Make the folder of results before the work, so that a wrong one is told at once.

    Raises UserError if it is none, or cannot be made or written.
    """
    if folder.exists() and not folder.is_dir():
        raise UserError(f"found the file {folder}, allowed: a folder", where="--out")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"the folder {folder} cannot be made: {error.strerror}", where="--out") from None
    if not os.access(folder, os.W_OK):
        raise UserError(f"the folder {folder} cannot be written", where="--out")


def pictures(result: Result, folder: Path, draw: Draw) -> list[Path]:
    """Draw every figure in every format; the paths of those that could be drawn."""
    paths: list[Path] = []
    for figure in result.figures:
        for ending in PICTURES:
            path = folder / f"{figure.name}{ending}"
            if not draw(figure, path):
                return paths
            paths.append(path)
    return paths
