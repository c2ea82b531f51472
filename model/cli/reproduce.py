"""``slotscope reproduce``: a figure of a paper, its data, and the paper's numbers beside ours."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Callable

from model.cli.output import Progress, print_json, shown, table
from model.errors import UserError
from model.lab import EXPERIMENTS, experiment_module
from model.lab.results import Figure, Result, Row

#: Draws a figure into a file; False if it cannot.
Draw = Callable[[Figure, Path], bool]

#: Formats of the pictures, by their files' endings.
PICTURES = (".svg", ".png")


def execute(options: argparse.Namespace, draw: Draw) -> int:
    """Run the experiment, write its files and print its numbers; *draw* makes the pictures."""
    module = experiment_module(options.experiment)
    _prepare(options.out)
    workers = options.workers or os.cpu_count() or 1
    progress = Progress(f"reproduce {options.experiment}", quiet=options.json)
    try:
        result: Result = module.reproduce(options.scale, workers, progress)
    finally:
        progress.close()
    files = result.write(options.out) + _pictures(result, options.out, draw)
    if options.json:
        print_json(result.as_dict() | {"files": [str(path) for path in files]})
    else:
        print(_text(result))
        print(f"\nwritten: {', '.join(map(str, files))}")
    return 0


def _prepare(folder: Path) -> None:
    """Make the folder before the work, so that a wrong one is told at once."""
    if folder.exists() and not folder.is_dir():
        raise UserError(f"found the file {folder}, allowed: a folder", where="--out")
    folder.mkdir(parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK):
        raise UserError(f"the folder {folder} cannot be written", where="--out")


def _pictures(result: Result, folder: Path, draw: Draw) -> list[Path]:
    paths: list[Path] = []
    for figure in result.figures:
        for ending in PICTURES:
            path = folder / f"{figure.name}{ending}"
            if not draw(figure, path):
                return paths
            paths.append(path)
    return paths


def _text(result: Result) -> str:
    about = EXPERIMENTS[result.experiment]
    header = ("what", "at", "paper", "ours", "+/- (95 %)", "exact")
    return f"{about.title}\n{about.paper}\n\n" + table(
        header, [_cells(row) for row in result.rows], right=2
    )


def _cells(row: Row) -> tuple[str, ...]:
    at = ", ".join(f"{name} = {value}" for name, value in row.at.items())
    return (row.what, at, shown(row.paper), shown(row.ours, 5), shown(row.half_width, 2),
            row.exact)  # fmt: skip
