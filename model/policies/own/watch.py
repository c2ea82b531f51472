"""Time limits on calls that may never return: user code, and requests to the process in which it runs.

In that process a watchdog thread raises :class:`Overtime` in the thread that runs too long.  Arming, firing
and disarming all hold one lock, so an exception is only ever raised while the watched code runs, never in
what comes after it.  A single blocking call of C code (``time.sleep``) is stopped only when it returns; the
program, which watches the process in the same way (:func:`guarding`), ends the process soon after.
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

#: Seconds between two looks of the watchdog thread, and between two attempts to stop.
LOOK_EVERY = 0.05
TRY_AGAIN_AFTER = 0.5
#: Seconds without watched calls after which the watchdog thread ends.
IDLE_SECONDS = 10.0
#: Seconds without a look, and a share of them as CPU time: a process that has used less CPU time was suspended, for
#: example by Ctrl+Z; code that keeps the watchdog from looking uses CPU all the time.
STOOD_STILL, WORKS = 1.0, 0.1
#: Seconds after which Esc stops code; shorter calls end by themselves.
NOTICEABLE = 0.25


class Overtime(BaseException):
    """Raised in code that ran too long; not an Exception, so ``except Exception`` does not catch it."""


class CodeStoppedError(Exception):
    """Watched code was stopped."""

    def __init__(self, entry: Entry, cause: BaseException | None) -> None:
        super().__init__("stopped")
        self.seconds = entry.elapsed  #: how long it had run
        self.grown = entry.grown  #: bytes by which the memory of its process had grown meanwhile
        self.asked = entry.asked  #: whether the user asked for it (Esc); otherwise a limit was reached
        self.cause = cause  #: the exception that ended it, with its traceback; None if it returned by itself


class Entry:
    """One watched call.

    When its time is over, *stop* is called, and again while the call goes on; without *stop*, an exception is raised
    in the call.
    """

    fired = asked = False  #: whether it was stopped; whether because the user asked for it
    grown = 0  #: bytes by which the memory of the call's process had grown when it was first stopped
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
        """Note the memory of the process at the first look."""
        if self._memory_before is None:
            self._memory_before = self._memory()

    def allow(self, since: float, now: float) -> None:
        """Exclude the time from *since* to *now*, during which the process was suspended."""
        stood = now - max(since, self.started)
        self.started, self.deadline = self.started + stood, self.deadline + stood

    def fire(self, thread: int) -> None:
        """Stop the call, which runs too long in *thread*."""
        if not self.fired:
            self.grown = self._memory() - (self._memory_before or 0)
        if self.stop is None:
            _raise_in(thread, Overtime)
        else:
            self.stop(self)
        self.deadline, self.fired = monotonic() + TRY_AGAIN_AFTER, True


class Turn(Entry):
    """The entry for successive watched calls of a thread: it stays, with a finite deadline only during a call.

    A call begins and ends without taking the lock.  Instead, whoever modifies the entry first sets ``met`` and then
    reads whether a call goes on; a call that ends first resets its deadline and then reads ``met``.
    """

    met = False

    def __init__(self) -> None:
        super().__init__(inf, None, None, 0)


class _Watchdog:
    """The watched calls, by thread, and the thread that watches them."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # reentrant: a signal handler may call interrupt in the thread that holds it
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
        """Watch a call of this thread that begins now, at *moment*; None if a call is being watched already."""
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
        """End a call that was modified (``met``); also revokes an exception that has not arrived yet."""
        with self._lock:
            turn.deadline, turn.met = inf, False
            if turn.fired:
                _raise_in(get_ident(), None)

    def disarm(self, entry: Entry) -> None:
        """Stop watching the calling thread's call; also revokes an exception that has not arrived yet."""
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
        """Make the time of all running calls be over, as soon as each has run noticeably long."""
        with self._lock:
            now = self.asked_at = monotonic()
            for entry in self._going_on().values():
                entry.deadline = min(entry.deadline, max(now, entry.started + NOTICEABLE))
                entry.asked = True

    def _going_on(self) -> dict[int, Entry]:
        """The entries of calls that go on, by thread; a call that ends from now on waits for the lock."""
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
                    if not self._going_on():  # a call that begins checks only afterwards whether the thread is None
                        return
                    self._thread = threading.current_thread()
                for thread, entry in self._going_on().items():
                    entry.look()
                    if now >= entry.deadline:
                        entry.fire(thread)


_watchdog = _Watchdog()


def watched(call: Callable[[], Result], seconds: float | None = None) -> Result:
    """The result of *call*, which may take *seconds* (:attr:`.Limits.seconds` by default).

    Raises CodeStoppedError if it takes longer, or if :func:`interrupt` is called.
    """
    entry = _watchdog.arm(limits.LIMITS.seconds if seconds is None else seconds)
    try:
        try:
            result = call()
        finally:
            _watchdog.disarm(entry)
    except Overtime as stopped:  # also if it arrives when the call is already over
        _surely(lambda: _watchdog.disarm(entry))
        clear_frames(stopped.__traceback__)  # the error may be kept, but not the objects that the code held
        raise CodeStoppedError(entry, stopped) from None
    if entry.fired:  # the call has swallowed the exception
        raise CodeStoppedError(entry, None)
    return result


def watched_in_turn(call: Callable[[], Result], moment: float) -> Result:
    """As :func:`watched`, at half the cost, for a call that begins now, at *moment*.

    Raises CodeStoppedError as :func:`watched`.
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
    except Overtime as stopped:  # also if it arrives when the call is already over
        _surely(lambda: _watchdog.end(turn))
        clear_frames(stopped.__traceback__)
        raise CodeStoppedError(turn, stopped) from None
    if turn.fired:
        raise CodeStoppedError(turn, None)
    return result


@contextmanager
def guarding(seconds: float, stop: Callable[[Entry], None], process: int) -> Iterator[Entry]:
    """Within this block, *stop* is called after *seconds*, and then repeatedly; from the watchdog thread.

    *process* is the number of the process that does the work.
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
    """Stop everything that has been running noticeably long; can be called from any thread."""
    _watchdog.interrupt()


def asked_since(moment: float) -> bool:
    """Whether :func:`interrupt` was called after *moment* (of ``time.monotonic``)."""
    return _watchdog.asked_at > moment


def go_on_stopping() -> None:
    """Raise :class:`Overtime` again if the calling thread is being stopped and has caught it.

    A call of this function is inserted at the head of every handler of a watched file.
    """
    if _watchdog.stopping():
        raise Overtime


def _raise_in(thread: int, kind: type[BaseException] | None) -> None:
    """Raise *kind* in a thread asynchronously; None revokes an exception that has not arrived yet."""
    what = None if kind is None else ctypes.py_object(kind)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), what)
