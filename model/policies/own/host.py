"""The process that runs user policies, and the one that runs their kernels: each is started on demand,
watched, ended, and restarted."""

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

#: The verbs of kernel requests.
COMPILE, RUN = "kernels.compile", "kernels.run"

#: Seconds that the process gets to end when told to.
_TO_END = 2.0

_START = "import sys; sys.path[:] = sys.argv[1:]; from slotscope.model.policies.own.serving import main; main({})"


class LostError(Exception):
    """The process ended during a request."""

    def __init__(self, stopped: float, asked: bool, grown: int, status: int, trace: bytes) -> None:
        super().__init__("the process has ended")
        self.stopped = stopped  #: seconds after which it was ended from outside; 0 if it ended by itself
        self.asked = asked  #: whether the user asked for that (Esc)
        self.grown = grown  #: bytes of memory by which it had grown meanwhile
        self.trace = trace  #: its own report of where it ended
        self._status = status  # the return code as in :mod:`subprocess`

    @property
    def said(self) -> str:
        """How it ended, in a few words."""
        return said_of(self._status)

    def line_in(self, path: str) -> int:
        """The line of a policy's file at which it ended; 0 if unknown."""
        return line_of(self.trace, path)


class Child:
    """A running process of user policies, or of their kernels.

    A thread of its own starts the process, forwards its output, and waits for its end: on Linux a process can end
    with the thread that started it.
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
        """Whether the process is still running."""
        return not self._over.is_set() and self._process.poll() is None

    def ask(self, verb: str, arguments: tuple[Any, ...], dropped: tuple[Any, ...], seconds: float) -> Any:
        """The process's answer to a request, see :mod:`.serving`.

        Raises LostError if the process has ended before, or was ended because it took longer than *seconds* and the
        grace time; UserError if the answer is a fault.
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
        except BaseException:  # an unread answer would be taken for that of the next request
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
        """The request, with the settings that have changed since the last one."""
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
        """Stop a request that takes too long: after Esc first by SIGINT; then by SIGABRT, for a trace, or SIGKILL."""
        compiles = verb == COMPILE  # Numba, interrupted while compiling, may fail to compile that function later
        if entry.asked and not entry.fired and os.name == "posix" and not compiles:
            self._process.send_signal(signal.SIGINT)  # which stops Python code, but not C code
            return
        if os.name == "posix" and not self._stopped:
            self._process.send_signal(signal.SIGABRT)  # makes it report where it is, even while C code runs
        else:
            self._process.kill()
        self._stopped, self._asked, self._grown = seconds, entry.asked, entry.grown

    def forget(self) -> None:
        """In a forked copy of the program: close the pipes, as the child is not this copy's."""
        self._process.returncode = 0
        for pipe in (self._requests, self._answers, self._said):
            pipe.close()

    def close(self, at_once: bool = False) -> None:
        """End the process, which has a moment to end by itself unless *at_once*."""
        if at_once:
            self._process.kill()
        with suppress(OSError):
            self._requests.close()
        if not self._over.wait(_TO_END):
            self._process.kill()
            self._over.wait(_TO_END)
        self._answers.close()


class PolicyHost:
    """Keeps one process running in which policies run."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._child: Child | None = None
        self._dropped: deque[tuple[int, int | None]] = deque()

    @property
    def child(self) -> Child:
        """The running process, started anew if the last one has ended. Raises PolicyError if it does not start."""
        with self.lock:
            if self._child is None or not self._child.runs:
                self.close()
                self._child = Child()
            return self._child

    def ask(self, verb: str, *arguments: Any, seconds: float, of: Child | None = None) -> Any:
        """The process's answer, see :meth:`Child.ask`; *of*: ask only this process, not one started later."""
        with self.lock:
            child = self.child if of is None else of
            dropped = tuple(self._dropped.popleft() for _ in range(len(self._dropped)))
            return child.ask(verb, arguments, dropped, seconds)

    def drop(self, policy: int, event: int | None = None) -> None:
        """Release a policy, or one of its abandoned events; safe to call at any point in any thread."""
        self._dropped.append((policy, event))

    def close(self) -> None:
        """End the process if it is running."""
        with self.lock:
            child, self._child = self._child, None
            self._dropped.clear()
            if child is not None:
                child.close()

    def forget(self) -> None:
        """In a forked copy of the program: the process belongs to the original, so drop it."""
        if self._child is not None:
            self._child.forget()
        PolicyHost.__init__(self)


#: Kernels have a separate process, so that policies go on while one is compiled.
HOST, KERNELS = PolicyHost(), PolicyHost()
for _host in (HOST, KERNELS):
    atexit.register(_host.close)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_host.forget)
