"""Pictures of a result, drawn in a separate process.

So they equal those from the command line, independent of the window's theme and fonts, and the window
does not wait.
"""

from __future__ import annotations

from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

from slotscope.model.errors import UserError
from slotscope.model.lab.executor import PATIENCE, Cancelled
from slotscope.model.lab.results import Figure, Result, pictures
from slotscope.model.lifeline import ending_of

#: Seconds within which the process must end by itself.
_GRACE = 5.0


def draw_pictures(result: Result, folder: Path, cancelled: Cancelled) -> list[Path]:
    """Draw the pictures into *folder*; returns their files, none if *cancelled*.

    Raises UserError if they cannot be drawn or written.
    """
    context = get_context("spawn")
    pipe, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, result, folder), daemon=True)
    process.start()
    theirs.close()
    try:
        while not pipe.poll(PATIENCE):
            if cancelled():
                return []
        paths, fault = pipe.recv()
    except (EOFError, OSError):
        process.join(_GRACE)
        raise UserError(f"the data are written, but no picture: {ending_of(process.exitcode)}") from None
    finally:
        process.terminate()
        process.join(_GRACE)
        pipe.close()
    if fault:
        raise UserError(f"the data are written, but no picture: {fault}")
    return list(paths)


def _serve(pipe: Connection, result: Result, folder: Path) -> None:
    """The main function of the process: draw, then send (files, error message or empty)."""
    try:
        pipe.send((pictures(result, folder, _draw), ""))
    except UserError as error:
        pipe.send(([], error.line))


def _draw(figure: Figure, path: Path) -> bool:
    from slotscope.gui.window.figure import save_figure

    save_figure(figure, path)
    return True
