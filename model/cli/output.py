"""The output of commands: JSON, aligned tables, a progress line."""

from __future__ import annotations

import json
import math
import signal
import sys
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Mapping, NamedTuple, Sequence, TypeVar

from slotscope.model.cli.guard import note
from slotscope.model.phrase import Phrase
from slotscope.model.running.waiting import GivenUpError, waiting, who_waits

if TYPE_CHECKING:
    from slotscope.model.measures.metrics import Estimate

_Found = TypeVar("_Found")

#: Measures are counts, shares, times and costs of a run; values below this are rounding errors.
ROUNDING = 1e-12

#: Seconds between two updates of a progress line.
PROGRESS_SECONDS = 0.1

#: Seconds of work after which its speed is known.
MEASURED_SECONDS = 1.0

#: Without a terminal: progress is reported only of work that takes, and will take, at least so many seconds; and
#: the seconds between two reports.
LONG_SECONDS, TOLD_EVERY = 10.0, 60.0


def print_json(value: object) -> None:
    """Print *value* as one line of JSON; numbers that JSON does not have become null."""
    print(json.dumps(_plain(value), allow_nan=False))


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


class Report(NamedTuple):
    """A command's result, as plain data and as text for display."""

    data: dict[str, Any]
    text: Callable[[], str]

    def print(self, *, as_json: bool) -> None:
        """Print the result to standard output."""
        if as_json:
            print_json(self.data)
        else:
            print(self.text())


def table(header: Sequence[str], rows: Sequence[Sequence[str]], right: int = 1) -> str:
    """Rows as aligned columns; those from index *right* on are aligned to the right."""
    lines = [header, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        return "  ".join(
            cell.rjust(width) if column >= right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ).rstrip()

    return "\n".join([line(header), "  ".join("-" * width for width in widths), *map(line, rows)])


def shown(value: float | None, digits: int = 6) -> str:
    """A number for display; a dash if there is none."""
    if value is None or not math.isfinite(value):
        return "-"
    from slotscope.model.reporting.explain import settled  # imported only by commands that show numbers

    return f"{settled(value):.{digits}g}"


def estimated(item: Estimate) -> tuple[str, str]:
    """The mean of a measure and its half-width, for display; rounding errors are shown as 0."""
    mean, half = (0.0 if abs(value) < ROUNDING else value for value in (item.mean, item.half_width))
    return shown(mean), shown(half, 3)


def duration(seconds: float) -> str:
    """A duration for display, in its largest unit."""
    for name, length in (("years", 365 * 86400), ("days", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:,.0f} {name}"
    return f"{max(1, round(seconds))} s"


class Progress:
    """A line on stderr with the progress of work and the estimated time left.

    On a terminal the line is updated in place.  Elsewhere nothing is printed about short work; about long
    work there is a line from time to time.
    """

    def __init__(self, what: str, *, quiet: bool = False) -> None:
        self._what = what
        self._shown = not quiet and sys.stderr.isatty()
        self._last = 0.0
        self._began: tuple[float, float] | None = None  # (time, share done at that time)
        self._told = 0.0
        self.made = monotonic()

    def __call__(self, done: float, total: float, doing: str = "") -> None:
        """Report that *done* of *total* is done; *doing* names the work if that is not obvious."""
        now, share = monotonic(), done / total if total else 1.0
        if self._began is None or share < self._began[1]:
            self._began = (now, share)
        left = self._left(now, share)
        if self._shown and now - self._last >= PROGRESS_SECONDS:
            self._last = now
            about = f", about {duration(left)} left" if left is not None else ""
            self._write(f"{self._what}: {doing}{share:.0%}{about}")
        elif not self._shown and left is not None and self._is_long(now, left):
            self._told = now
            note(f"{self._what}: {doing}{share:.2%}, about {duration(left)} left; Ctrl+C stops it")

    def _left(self, now: float, share: float) -> float | None:
        """The estimated seconds left, at the speed so far; None while that is unknown."""
        assert self._began is not None
        began, share_then = self._began
        if now - began < MEASURED_SECONDS or share <= share_then:
            return None
        return (now - began) * (1 - share) / (share - share_then)

    def _is_long(self, now: float, left: float) -> bool:
        """Whether a line is due, without a terminal."""
        assert self._began is not None
        since = now - (self._told or self._began[0])
        return left > LONG_SECONDS and since >= (TOLD_EVERY if self._told else LONG_SECONDS)

    def say(self, text: str) -> None:
        """Report what is being done if there is nothing to count."""
        now = monotonic()
        if self._shown:
            self._write(f"{self._what}: {text}")
        elif now - (self._told or self.made) >= (TOLD_EVERY if self._told else LONG_SECONDS):
            self._told = now
            note(f"{self._what}: {text}")

    def close(self) -> None:
        """Clear the line."""
        if self._shown:
            self._write("")

    @staticmethod
    def _write(text: str) -> None:
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


@contextmanager
def progress_of(what: str, *, quiet: bool = False) -> Iterator[Progress]:
    """Within this block, reports the progress of a command, and messages from lengthy work inside it."""
    progress = Progress(what, quiet=quiet)
    try:
        with waiting(progress.say, lambda: 0, "Ctrl+C"):
            yield progress
    finally:
        progress.close()


@contextmanager
def stoppable(say: Callable[[Phrase], None], wishes: list[int], key: str = "Ctrl+C") -> Iterator[None]:
    """Within this block, Ctrl+C is added to *wishes*, which stops lengthy work; raises KeyboardInterrupt at the end.

    An immediate exception while Qt paints would crash Qt or get lost.  A second Ctrl+C raises at once.
    """

    def note(number: int, _: object) -> None:
        wishes.append(number)
        if len(wishes) > 1:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, note)
    try:
        with waiting(say, lambda: len(wishes), key):
            yield
    except GivenUpError:  # while going to the first moment
        raise KeyboardInterrupt from None
    finally:
        signal.signal(signal.SIGINT, before)
    if wishes:
        raise KeyboardInterrupt


def last_of(stages: Iterable[_Found], what: str) -> _Found:
    """The last of successively better results; *what* names them in messages."""
    for number, found in enumerate(stages, 1):
        who_waits().tell(Phrase("{what}: {number} so far", what=what, number=number))
        last = found
    return last
