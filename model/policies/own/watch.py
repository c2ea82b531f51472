"""Limits of time and memory on code that somebody else wrote, for code that may never return.

A watching thread raises :class:`Overtime` in the thread that runs too long, or while the program
has too much memory, which would soon end all of it.  Everything that
arms, fires and disarms holds one lock, so an exception is only ever raised while the code
that is watched runs, never in what comes after it.  No signals are used: a run may live in
any thread.  What blocks inside one call of C code (``time.sleep``) is stopped when it returns.
"""

from __future__ import annotations

import ctypes
import os
import threading
from functools import cache
from pathlib import Path
from time import monotonic
from traceback import clear_frames
from typing import Callable, TypeVar

Result = TypeVar("Result")

#: Seconds that one resumption of a policy may take.
MOST_SECONDS = 5.0
#: Seconds that loading a policy's file may take; it may import large libraries.
MOST_SECONDS_TO_LOAD = 30.0

#: The share of the machine's memory that the program may have come to while such code runs.
MOST_OF_MEMORY = 0.75

#: Seconds between two looks of the watching thread, and between two attempts to stop.
LOOK_EVERY = 0.05
TRY_AGAIN_AFTER = 0.5
#: The watching thread ends when nothing was watched for so long.
IDLE_SECONDS = 10.0
#: Esc stops code that has run for so long; what takes less ends by itself.
NOTICEABLE = 0.25


class Overtime(BaseException):
    """Raised in code that ran too long; no ``except Exception`` holds it."""


class CodeStoppedError(Exception):
    """The code was stopped.

    Attributes
    ----------
    seconds:
        How long it had run.
    asked:
        Whether somebody asked for it (Esc), instead of a limit.
    memory:
        The bytes of memory that the program had come to where that was too much; 0 otherwise.
    cause:
        The exception that ended it, with its traceback; None if it ended by itself.
    """

    def __init__(self, entry: _Entry, cause: BaseException | None) -> None:
        super().__init__("stopped")
        self.seconds, self.cause = monotonic() - entry.started, cause
        self.asked, self.memory = entry.asked, entry.memory


class _Entry:
    """One call that is watched."""

    def __init__(self, seconds: float, outer: _Entry | None) -> None:
        self.started = monotonic()
        self.deadline = self.started + seconds
        self.outer = outer
        self.fired = self.asked = False
        self.memory = 0


class _Watchdog:
    """The calls that are watched, by thread, and the thread that watches them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: dict[int, _Entry] = {}
        self._thread: threading.Thread | None = None
        self._last_used = 0.0
        self.asked_at = float("-inf")

    def arm(self, seconds: float) -> _Entry:
        """Watch the calling thread from now on."""
        me = threading.get_ident()
        with self._lock:
            entry = self._entries[me] = _Entry(seconds, self._entries.get(me))
            self._last_used = entry.started
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)
                self._thread.start()
        return entry

    def disarm(self, entry: _Entry) -> None:
        """Leave the calling thread alone; also takes back what has not arrived yet."""
        me = threading.get_ident()
        with self._lock:
            if self._entries.get(me) is not entry:
                return
            if entry.outer is None:
                del self._entries[me]
            else:
                self._entries[me] = entry.outer
            if entry.fired:
                _raise_in(me, None)

    def interrupt(self) -> None:
        """Let the time be over for all that runs noticeably long."""
        with self._lock:
            now = self.asked_at = monotonic()
            for entry in self._entries.values():
                if now - entry.started >= NOTICEABLE:
                    entry.deadline, entry.asked = now, True

    def stopping(self) -> bool:
        """Whether the calling thread is being stopped."""
        entry = self._entries.get(threading.get_ident())
        return entry is not None and entry.fired

    def _watch(self) -> None:
        pause = threading.Event()
        while True:
            pause.wait(LOOK_EVERY)
            with self._lock:
                now = monotonic()
                if not self._entries and now - self._last_used > IDLE_SECONDS:
                    self._thread = None
                    return
                memory = resident()
                for thread, entry in self._entries.items():
                    if memory > most_resident() and not entry.fired:
                        entry.deadline, entry.memory = now, memory
                    if now >= entry.deadline:
                        entry.deadline, entry.fired = now + TRY_AGAIN_AFTER, True
                        _raise_in(thread, Overtime)


_watchdog = _Watchdog()


def watched(call: Callable[[], Result], seconds: float | None = None) -> Result:
    """The result of *call*, which may take so many seconds (:data:`MOST_SECONDS` by default).

    Raises
    ------
    CodeStoppedError
        If it took longer, if :func:`interrupt` was called, or if the program had too much memory.
    """
    entry = _watchdog.arm(MOST_SECONDS if seconds is None else seconds)
    try:
        try:
            result = call()
        finally:
            _watchdog.disarm(entry)
    except Overtime as stopped:  # also if it came when the call was over already
        _disarm_surely(entry)
        clear_frames(stopped.__traceback__)  # the error may be kept, what the code held not
        raise CodeStoppedError(entry, stopped) from None
    if entry.fired:  # the call has swallowed it
        raise CodeStoppedError(entry, None)
    return result


def _disarm_surely(entry: _Entry) -> None:
    while True:
        try:
            _watchdog.disarm(entry)
        except Overtime:
            continue
        return


def interrupt() -> None:
    """Stop at once whatever has been running noticeably long (from any thread)."""
    _watchdog.interrupt()


def asked_since(moment: float) -> bool:
    """Whether :func:`interrupt` was called after *moment* (of ``time.monotonic``)."""
    return _watchdog.asked_at > moment


def go_on_stopping() -> None:
    """Raise :class:`Overtime` again where it was caught; nothing otherwise.

    A call of this stands at the head of every handler of a watched file.
    """
    if _watchdog.stopping():
        raise Overtime


def resident() -> int:
    """Bytes of memory that the program has; 0 where the system does not tell them."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


@cache
def most_resident() -> float:
    """Bytes of memory that the program may have while such code runs."""
    return MOST_OF_MEMORY * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if resident() else float("inf")


def _raise_in(thread: int, kind: type[BaseException] | None) -> None:
    """Raise *kind* in a thread; None takes back one that has not arrived yet."""
    what = None if kind is None else ctypes.py_object(kind)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), what)
