"""Limits of time on what may never return: code that somebody else wrote, and the process in which it runs.

In that process a watching thread raises :class:`Overtime` in the thread that runs too long.  Everything that
arms, fires and disarms holds one lock, so an exception is only ever raised while the code
that is watched runs, never in what comes after it.  What blocks inside one call of C code
(``time.sleep``) is stopped so when it returns; the program, which watches the process in the same
way (:func:`guarding`), ends that one soon after.
"""

from __future__ import annotations

import ctypes
import os
import threading
from contextlib import contextmanager
from math import inf
from threading import get_ident
from time import monotonic, process_time
from traceback import clear_frames
from typing import Callable, Iterator, TypeVar

from slotscope.model.policies.own import limits

Result = TypeVar("Result")

#: Seconds between two looks of the watching thread, and between two attempts to stop.
LOOK_EVERY = 0.05
TRY_AGAIN_AFTER = 0.5
#: The watching thread ends when nothing was watched for so long.
IDLE_SECONDS = 10.0
#: Seconds without a look after which the whole process has stood still, as by Ctrl+Z, if it has worked for no more than
#: a share of them: code that lets nobody look works all the time.
STOOD_STILL, WORKS = 1.0, 0.1
#: Esc stops code that has run for so long; what takes less ends by itself.
NOTICEABLE = 0.25


class Overtime(BaseException):
    """Raised in code that ran too long; no ``except Exception`` holds it."""


class CodeStoppedError(Exception):
    """The code was stopped."""

    def __init__(self, entry: Entry, cause: BaseException | None) -> None:
        super().__init__("stopped")
        self.seconds = entry.elapsed  #: how long it had run
        self.grown = entry.grown  #: how many bytes of memory its process had taken meanwhile
        self.asked = entry.asked  #: whether somebody asked for it (Esc), instead of a limit
        self.cause = cause  #: the exception that ended it, with its traceback; None if it ended by itself


class Entry:
    """One call that is watched.

    *stop* is done once its time is over, and again while it goes on; without it an exception is raised in it.
    """

    fired = asked = False  #: whether that was done; whether because somebody asked for it
    grown = 0  #: bytes of memory that the process in which the call goes on had taken until then
    _memory_before: int | None = None

    def __init__(self, seconds: float, outer: Entry | None, stop: Callable[[Entry], None] | None, process: int) -> None:
        self.started = monotonic()
        self.deadline = self.started + seconds
        self.outer, self.stop, self._process = outer, stop, process

    @property
    def elapsed(self) -> float:
        """Seconds since it began."""
        return monotonic() - self.started

    def _memory(self) -> int:
        return limits.memory_of(self._process or os.getpid())

    def look(self) -> None:
        """Notice what memory there is while it goes on."""
        if self._memory_before is None:
            self._memory_before = self._memory()

    def allow(self, since: float, now: float) -> None:
        """Do not count the time from one moment to the other, in which its process stood still."""
        stood = now - max(since, self.started)
        self.started, self.deadline = self.started + stood, self.deadline + stood

    def fire(self, thread: int) -> None:
        """Stop what runs too long in a thread."""
        if not self.fired:
            self.grown = self._memory() - (self._memory_before or 0)
        if self.stop is None:
            _raise_in(thread, Overtime)
        else:
            self.stop(self)
        self.deadline, self.fired = monotonic() + TRY_AGAIN_AFTER, True


class Turn(Entry):
    """The calls of a thread that are watched one after the other: it stays, and its time is over only within a call.

    A call begins and ends without the lock.  So whoever meddles with it says so first, ``met``, and looks only then
    whether a call goes on; and a call that ends says so first, and looks only then whether somebody has met it.
    """

    met = False

    def __init__(self) -> None:
        super().__init__(inf, None, None, 0)


class _Watchdog:
    """The calls that are watched, by thread, and the thread that watches them."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # a signal asks to stop in the thread that holds it
        self._entries: dict[int, Entry] = {}
        self._thread: threading.Thread | None = None
        self._last_used = 0.0
        self.asked_at = float("-inf")

    def arm(self, seconds: float, stop: Callable[[Entry], None] | None = None, process: int = 0) -> Entry:
        """Watch the calling thread from now on."""
        me = get_ident()
        with self._lock:
            entry = self._entries[me] = Entry(seconds, self._entries.get(me), stop, process)
            self._last_used = entry.started
            self._begin_to_look()
        return entry

    def _begin_to_look(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)
            self._thread.start()

    def turn(self, moment: float, seconds: float) -> Turn | None:
        """Watch a call of this thread that begins at a *moment*, which is now; None where one goes on already."""
        entry = self._entries.get(get_ident())
        if type(entry) is not Turn:
            if entry is not None:
                return None
            entry = self._entries[get_ident()] = Turn()
        elif entry.deadline < inf:
            return None
        entry.started, entry._memory_before, entry.fired, entry.asked = moment, None, False, False
        entry.deadline = moment + seconds
        if self._thread is None:
            with self._lock:
                self._begin_to_look()
        return entry

    def end(self, turn: Turn) -> None:
        """Its call has ended, and somebody has met it; also takes back what has not arrived yet."""
        with self._lock:
            turn.deadline, turn.met = inf, False
            if turn.fired:
                _raise_in(get_ident(), None)

    def disarm(self, entry: Entry) -> None:
        """Leave the calling thread alone; also takes back what has not arrived yet."""
        me = get_ident()
        with self._lock:
            if self._entries.get(me) is not entry:
                return
            if entry.outer is None:
                del self._entries[me]
            else:
                self._entries[me] = entry.outer
            if entry.fired and entry.stop is None:
                _raise_in(me, None)

    def interrupt(self) -> None:
        """Let the time be over for all that runs, once it has run noticeably long."""
        with self._lock:
            now = self.asked_at = monotonic()
            for entry in self._going_on().values():
                entry.deadline = min(entry.deadline, max(now, entry.started + NOTICEABLE))
                entry.asked = True

    def _going_on(self) -> dict[int, Entry]:
        """Those of calls that go on, by thread; what ends from now on waits for the lock."""
        found = {}
        for thread, entry in [*self._entries.items()]:
            if isinstance(entry, Turn):
                entry.met = True
                self._last_used = max(self._last_used, entry.started)
                if entry.deadline == inf:
                    entry.met = False
                    continue
            found[thread] = entry
        return found

    def stopping(self) -> bool:
        """Whether the calling thread is being stopped."""
        entry = self._entries.get(get_ident())
        return entry is not None and entry.fired and entry.deadline < inf

    def _watch(self) -> None:
        pause, before, worked = threading.Event(), monotonic(), process_time()
        while True:
            pause.wait(LOOK_EVERY)
            with self._lock:
                now, works = monotonic(), process_time()
                if now - before > STOOD_STILL and works - worked < WORKS * (now - before):
                    for entry in self._going_on().values():
                        entry.allow(before, now)
                before, worked = now, works
                if not self._going_on() and now - self._last_used > IDLE_SECONDS:
                    self._thread = None
                    if not self._going_on():  # which begins looks only then whether there is a thread
                        return
                    self._thread = threading.current_thread()
                for thread, entry in self._going_on().items():
                    entry.look()
                    if now >= entry.deadline:
                        entry.fire(thread)


_watchdog = _Watchdog()


def watched(call: Callable[[], Result], seconds: float | None = None) -> Result:
    """The result of *call*, which may take so many seconds (:attr:`.Limits.seconds` by default).

    Raises CodeStoppedError if it took longer, or if :func:`interrupt` was called.
    """
    entry = _watchdog.arm(limits.LIMITS.seconds if seconds is None else seconds)
    try:
        try:
            result = call()
        finally:
            _watchdog.disarm(entry)
    except Overtime as stopped:  # also if it came when the call was over already
        _surely(lambda: _watchdog.disarm(entry))
        clear_frames(stopped.__traceback__)  # the error may be kept, what the code held not
        raise CodeStoppedError(entry, stopped) from None
    if entry.fired:  # the call has swallowed it
        raise CodeStoppedError(entry, None)
    return result


def watched_in_turn(call: Callable[[], Result], moment: float) -> Result:
    """As :func:`watched`, in half the time, of a call that begins at a *moment*, which is now.

    Raises CodeStoppedError: see there.
    """
    turn = _watchdog.turn(moment, limits.LIMITS.seconds)
    if turn is None:
        return watched(call)
    try:
        try:
            result = call()
        finally:
            turn.deadline = inf
            if turn.met:
                _watchdog.end(turn)
    except Overtime as stopped:  # also if it came when the call was over already
        _surely(lambda: _watchdog.end(turn))
        clear_frames(stopped.__traceback__)
        raise CodeStoppedError(turn, stopped) from None
    if turn.fired:
        raise CodeStoppedError(turn, None)
    return result


@contextmanager
def guarding(seconds: float, stop: Callable[[Entry], None], process: int) -> Iterator[Entry]:
    """Within this block *stop* is called after so many seconds, and then again and again; from another thread.

    *process* is the number of that in which the work goes on.
    """
    entry = _watchdog.arm(seconds, stop, process)
    try:
        yield entry
    finally:
        _watchdog.disarm(entry)


def _surely(stop: Callable[[], None]) -> None:
    while True:
        try:
            stop()
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


def _raise_in(thread: int, kind: type[BaseException] | None) -> None:
    """Raise *kind* in a thread; None takes back one that has not arrived yet."""
    what = None if kind is None else ctypes.py_object(kind)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), what)
