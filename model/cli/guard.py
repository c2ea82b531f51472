"""Turns every error into one line and an exit code; tracebacks go only to a log file."""

from __future__ import annotations

import os
import shlex
import sys
import traceback
from errno import EBADF, EFBIG, EIO, ENOSPC
from pathlib import Path
from typing import Callable, Sequence

from slotscope.model.errors import UserError
from slotscope.model.folders import is_gone, user_folder

#: The exit codes, as is usual for shells.
BAD_INPUT, UNEXPECTED, INTERRUPTED, BROKEN_PIPE = 2, 3, 130, 141

#: The most characters of a line on stderr; a longer one contains a value that nobody reads to its end.
LONGEST_LINE = 1000


def guarded(action: Callable[[], int], arguments: Sequence[str]) -> int:
    """Run *action*; returns its exit code, or that of the error that ended it; *arguments* are those of the user."""
    _write_anything()
    try:
        code = action()
        sys.stdout.flush()
    except SystemExit as request:  # --help
        code = request.code if isinstance(request.code, int) else 0
    except UserError as error:
        note(error.line)
        code = BAD_INPUT
    except KeyboardInterrupt:
        note("stopped")
        code = INTERRUPTED
    except BrokenPipeError:
        _close_stdout()
        code = BROKEN_PIPE
    except MemoryError:
        note("this needs more memory than there is; allowed: fewer servers, types or events")
        code = BAD_INPUT
    except OSError as error:
        note(f"{_place(error)}{error.strerror or error}")
        _end_output()
        code = BAD_INPUT
    except Exception as error:
        note(_unexpected(error, arguments))
        code = UNEXPECTED
    return code


def note(message: str) -> None:
    """Print a message to stderr, as one line."""
    text = message.encode("utf-8", "backslashreplace").decode("utf-8")
    line = " ".join(text.split())
    if len(line) > LONGEST_LINE:
        line = f"{line[: LONGEST_LINE - 3]}..."
    print(f"slotscope: {line}", file=sys.stderr, flush=True)


def log_file() -> Path:
    """The file for tracebacks of unexpected errors, in the user's state folder."""
    return user_folder("XDG_STATE_HOME", ".local", "state") / "errors.log"


def _unexpected(error: Exception, arguments: Sequence[str]) -> str:
    command = shlex.join(["slotscope", *arguments])
    text = f"{command}\n{''.join(traceback.format_exception(error))}\n"
    path = log_file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8", errors="backslashreplace") as log:
            log.write(text)
        where = f"the traceback is in {path}"
    except OSError as fault:
        where = f"no traceback is kept, {path} cannot be written ({fault.strerror})"
    return (
        f"unexpected {type(error).__name__}: {str(error)[:300]}; {where}; please report it with the command: {command}"
    )


def _write_anything() -> None:
    """Redirect missing standard streams to nowhere, and escape characters that the terminal's encoding lacks."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the parent process, or the program has no terminal
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")


def _place(error: OSError) -> str:
    """The subject of an operating system error: a file, or the output if there is no file and the error suggests it."""
    if error.filename:
        return f"{str(error.filename)[:200]}: "
    if is_gone():
        return "the folder in which this was started is gone, change to another one: "
    return "the output cannot be written: " if error.errno in {ENOSPC, EFBIG, EIO, EBADF} else ""


def _end_output() -> None:
    """Flush the output printed so far, if possible."""
    try:
        sys.stdout.flush()
    except OSError:
        _close_stdout()


def _close_stdout() -> None:
    """Redirect the output to nowhere, so that the interpreter's flush at exit does not fail."""
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError):
        return
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
