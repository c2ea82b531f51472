"""How the commands print: JSON, aligned tables, a progress line."""

from __future__ import annotations

import json
import math
import sys
from time import monotonic
from typing import Any, Mapping, Sequence

#: Seconds between two updates of a progress line.
PROGRESS_SECONDS = 0.1


def print_json(value: object) -> None:
    """Print *value* as one line of JSON; numbers that JSON lacks become null."""
    print(json.dumps(_plain(value), allow_nan=False))


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def table(header: Sequence[str], rows: Sequence[Sequence[str]], right: int = 1) -> str:
    """Rows as aligned columns; those from number *right* on are set to the right."""
    lines = [header, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        return "  ".join(
            cell.rjust(width) if column >= right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ).rstrip()

    return "\n".join([line(header), "  ".join("-" * width for width in widths), *map(line, rows)])


def shown(value: float | None, digits: int = 6) -> str:
    """A number for people; a dash where there is none."""
    return f"{value:.{digits}g}" if value is not None and math.isfinite(value) else "-"


class Progress:
    """A line on stderr that says how far the work is; silent where nobody watches it."""

    def __init__(self, what: str, *, quiet: bool = False) -> None:
        self._what = what
        self._shown = not quiet and sys.stderr.isatty()
        self._last = 0.0

    def __call__(self, done: float, total: float, doing: str = "") -> None:
        """*done* of *total* is done; *doing* says of what, where that is not plain."""
        if not self._shown or monotonic() - self._last < PROGRESS_SECONDS:
            return
        self._last = monotonic()
        share = done / total if total else 1.0
        self._write(f"{self._what}: {doing}{share:.0%}")

    def say(self, text: str) -> None:
        """Tell what is going on before there is anything to count."""
        if self._shown:
            self._write(f"{self._what}: {text}")

    def close(self) -> None:
        """Clear the line."""
        if self._shown:
            self._write("")

    @staticmethod
    def _write(text: str) -> None:
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
