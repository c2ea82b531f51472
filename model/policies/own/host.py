"""The process in which policies of one's own run, and that of their kernels: each is started when it is needed,
watched, ended, and started anew."""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from contextlib import suppress
from time import monotonic
from typing import Any, BinaryIO, cast

from slotscope.model.errors import PolicyError
from slotscope.model.policies.own import limits, watch
from slotscope.model.policies.own.ending import line_of, printed_and_trace, said_of
from slotscope.model.policies.own.wire import Answer, Query, error_of, put, take

#: Requests of kernels.
COMPILE, RUN = "kernels.compile", "kernels.run"

#: Seconds that the process has to end once it is told to.
_TO_END = 2.0

_START = "import sys; sys.path[:] = sys.argv[1:]; from slotscope.model.policies.own.serving import main; main({})"


class LostError(Exception):
    """The process has ended in the middle of a request."""

    def __init__(self, stopped: float, asked: bool, grown: int, status: int, trace: bytes) -> None:
        super().__init__("the process has ended")
        self.stopped = stopped  #: the seconds after which it was ended from outside; 0: it ended by itself
        self.asked = asked  #: whether somebody asked for that (Esc)
        self.grown = grown  #: bytes of memory taken meanwhile
        self.trace = trace  #: where it says that it ended
        self._status = status  # as :mod:`subprocess` has it

    @property
    def said(self) -> str:
        """How it ended, in a few words."""
        return said_of(self._status)

    def line_in(self, path: str) -> int:
        """The line of a policy's file where it ended; 0 if that is not known."""
        return line_of(self.trace, path)


class Child:
    """A running process.

    A thread of its own starts it, passes on what it prints, and sees its end: on Linux a process can end with
    the thread that has started it.
    """

    def __init__(self) -> None:
        self._limits: limits.Limits | None = None
        self._path: tuple[str, ...] = ()
        self._asked_before = monotonic()
        self._trace = b""
        self._stopped, self._asked, self._grown = 0.0, False, 0
        self._over = threading.Event()
        begun = threading.Event()
        threading.Thread(target=self._keep, args=(begun,), name="policies", daemon=True).start()
        begun.wait()
        try:
            take(self._answers)
        except (EOFError, OSError, AttributeError):
            raise PolicyError("the process in which policies of one's own run does not start") from None

    def _keep(self, begun: threading.Event) -> None:
        command = [sys.executable, "-c", _START.format(os.getpid()), *sys.path]
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)
            pipes = (self._process.stdin, self._process.stdout, self._process.stderr)
            self._requests, self._answers, self._said = (cast("BinaryIO", one) for one in pipes)
        finally:
            begun.set()
        while part := os.read(self._said.fileno(), 2**16):
            printed, trace = (b"", part) if self._trace else printed_and_trace(part)
            self._trace += trace
            if sys.stderr is not None:
                sys.stderr.write(printed.decode("utf-8", "replace"))
        self._process.wait()
        self._said.close()
        self._over.set()

    @property
    def runs(self) -> bool:
        """Whether it has not ended."""
        return not self._over.is_set() and self._process.poll() is None

    def ask(self, verb: str, arguments: tuple[Any, ...], dropped: tuple[Any, ...], seconds: float) -> Any:
        """What it answers to a request, see :mod:`.serving`.

        Raises LostError if it has ended before, or was ended because it took longer than *seconds* and some grace;
        UserError: what is wrong.
        """
        if not self.runs:
            raise LostError(0, False, 0, self._process.returncode, self._trace)
        begun = monotonic()
        request = self._request(verb, arguments, dropped, begun)

        def stop(entry: watch.Entry) -> None:
            self._stop(entry, verb, monotonic() - begun)

        try:
            with watch.guarding(seconds + limits.LIMITS.seconds_of_grace, stop, self._process.pid):
                put(self._requests, request)
                answer: Answer = take(self._answers)
        except (EOFError, OSError):
            self.close()
            raise LostError(self._stopped, self._asked, self._grown, self._process.returncode, self._trace) from None
        except BaseException:  # an answer that nobody waits for would be taken for the next one
            self.close(at_once=True)
            raise
        if answer.spoilt:
            self.close()
        if answer.broken:
            raise RuntimeError(answer.broken)
        if answer.fault is not None:
            raise error_of(answer.fault)
        return answer.value

    def _request(
        self, verb: str, arguments: tuple[Any, ...], dropped: tuple[tuple[int, int | None], ...], begun: float
    ) -> Query:
        """What is asked, with what has changed since the last request."""
        asked_before, self._asked_before = self._asked_before, begun
        known, self._limits = self._limits, limits.LIMITS
        before, self._path = self._path, tuple(sys.path)
        return Query(
            verb,
            arguments,
            self._limits if self._limits != known else None,
            self._path if self._path != before else None,
            dropped,
            watch.asked_since(asked_before),
        )

    def _stop(self, entry: watch.Entry, verb: str, seconds: float) -> None:
        """End a request that takes so long: by a word, by one that lets the process say where it is, or at once."""
        compiles = verb == COMPILE  # Numba, left in the middle of it, may not compile that function any more
        if entry.asked and not entry.fired and os.name == "posix" and not compiles:
            self._process.send_signal(signal.SIGINT)  # which stops code that is no C code
            return
        if os.name == "posix" and not self._stopped:
            self._process.send_signal(signal.SIGABRT)  # which lets it say where it is even while C code runs
        else:
            self._process.kill()
        self._stopped, self._asked, self._grown = seconds, entry.asked, entry.grown

    def forget(self) -> None:
        """Close this side of the pipes in a copy of the program, which has no such child."""
        self._process.returncode = 0
        for pipe in (self._requests, self._answers, self._said):
            pipe.close()

    def close(self, at_once: bool = False) -> None:
        """End it; unless *at_once* it has a moment to do so by itself."""
        if at_once:
            self._process.kill()
        with suppress(OSError):
            self._requests.close()
        if not self._over.wait(_TO_END):
            self._process.kill()
            self._over.wait(_TO_END)
        self._answers.close()


class PolicyHost:
    """Has a process at hand in which policies run."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._child: Child | None = None
        self._dropped: deque[tuple[int, int | None]] = deque()

    @property
    def child(self) -> Child:
        """The process: a fresh one where the last has ended. Raises PolicyError if it does not start."""
        with self.lock:
            if self._child is None or not self._child.runs:
                self.close()
                self._child = Child()
            return self._child

    def ask(self, verb: str, *arguments: Any, seconds: float, of: Child | None = None) -> Any:
        """What the process answers, see :meth:`Child.ask`; *of*: that very one, or none."""
        with self.lock:
            child = self.child if of is None else of
            dropped = tuple(self._dropped.popleft() for _ in range(len(self._dropped)))
            return child.ask(verb, arguments, dropped, seconds)

    def drop(self, policy: int, event: int | None = None) -> None:
        """A policy is not needed any more, or one of its events was left; from any place in any thread."""
        self._dropped.append((policy, event))

    def close(self) -> None:
        """End the process, if there is one."""
        with self.lock:
            child, self._child = self._child, None
            self._dropped.clear()
            if child is not None:
                child.close()

    def forget(self) -> None:
        """This is a copy of the program, made by a fork: the process is not its own."""
        if self._child is not None:
            self._child.forget()
        PolicyHost.__init__(self)


#: Kernels have a process of their own: while one is compiled, policies go on.
HOST, KERNELS = PolicyHost(), PolicyHost()
for _host in (HOST, KERNELS):
    atexit.register(_host.close)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_host.forget)
