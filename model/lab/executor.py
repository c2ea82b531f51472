"""Executors, which run the parts of an experiment in this process or in worker processes.

An executor gets parts and yields each with its outcome as soon as it is finished, in any order.
Closing the iterator, or an exception while it waits, stops all work at once.
"""

from __future__ import annotations

import signal
import sys
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from types import ModuleType
from typing import Callable, Generator, Iterator, Protocol, Sequence

from slotscope.model.errors import UserError
from slotscope.model.lab.parts import Attempt, Outcome, Part, attempt, carry_out
from slotscope.model.lifeline import ending_of

#: Tells whether the work is to stop.
Cancelled = Callable[[], bool]

#: Yields parts with their outcomes, as they finish; closing it stops the work.
Finished = Generator[tuple[Part, Outcome], None, None]

#: Seconds between two checks of whether the work is to stop.
PATIENCE = 0.1

#: Seconds that a terminated process gets to end by itself.
_GRACE = 5.0


class ExecutorError(UserError):
    """Parts could not be run; the message is one line."""


class Executor(Protocol):
    """Runs parts; ``abreast`` is how many run at a time after the first part, which runs alone."""

    abreast: int

    def run(self, parts: Sequence[Part], cancelled: Cancelled) -> Finished:
        """Yield each part with its outcome, as they finish; end early once *cancelled* returns True.

        Raises UserError if a part cannot be run.
        """


class ThisProcess:
    """Runs the parts one after the other in the calling thread."""

    abreast = 1

    def run(self, parts: Sequence[Part], cancelled: Cancelled) -> Finished:
        """See :class:`Executor`; it can stop only between two parts."""
        for part in parts:
            if cancelled():
                return
            yield part, carry_out(part)


class LocalWorkers:
    """Worker processes on this machine.

    They are separate processes with a pipe to each, not a pool of the standard library: a pool does
    not tell which part a dead worker had, and cannot be stopped in the middle of a part.
    """

    def __init__(self, workers: int) -> None:
        self.abreast = workers

    def run(self, parts: Sequence[Part], cancelled: Cancelled) -> Finished:
        """See :class:`Executor`.

        The shortest part runs first and alone, to fill the cache of compiled code that all others
        share.  The others start with the longest, so that at the end no single worker is left with
        a long one.
        """
        queue = sorted(parts, key=lambda part: part.length)
        crew: list[_Worker] = []
        try:
            yield from self._done(crew, queue[:1], cancelled)
            yield from self._done(crew, queue[1:], cancelled)
        finally:
            for worker in crew:
                worker.stop()

    def _done(self, crew: list[_Worker], queue: list[Part], cancelled: Cancelled) -> Finished:
        """Run a queue of parts, from its end."""
        while len(crew) < min(len(queue), self.abreast):
            crew.append(_Worker())
        for worker in crew[: len(queue)]:
            worker.take(queue.pop())
        while not cancelled():
            busy = {worker.pipe: worker for worker in crew if worker.part is not None}
            if not busy:
                return
            for pipe in wait(list(busy), PATIENCE):
                worker = busy[pipe]  # type: ignore[index]
                done = worker.result()
                if queue:
                    worker.take(queue.pop())
                yield done


class _Worker:
    """A worker process, the pipe to it, and the part that it is running."""

    def __init__(self) -> None:
        # Spawned rather than forked: threads of compiled code and of Qt do not survive a fork.
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.part: Part | None = None
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        with _interrupts_held(), _main_hidden():
            self._process.start()
        theirs.close()

    def take(self, part: Part) -> None:
        """Send *part* to the process."""
        self.part = part
        with suppress(OSError):  # a dead worker is reported when its result is read
            self.pipe.send(part)

    def result(self) -> tuple[Part, Outcome]:
        """The running part and its outcome; to be called when the pipe is readable."""
        part, self.part = self.part, None
        assert part is not None
        try:
            answer = self.pipe.recv()
        except (EOFError, OSError):
            self._process.join(_GRACE)
            raise ExecutorError(
                f"{ending_of(self._process.exitcode)}; what is finished is kept, "
                "and the same command goes on from there",
                where=part.label,
            ) from None
        return part, settled(part, answer)

    def stop(self) -> None:
        """End the process, even in the middle of a part."""
        self._process.terminate()
        self._process.join(_GRACE)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self.pipe.close()


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Block SIGINT while a process is started, so that the process inherits the blocked signal and ignores Ctrl+C."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection) -> None:
    """The main loop of a worker process: it runs parts until the parent process is gone or ends it."""
    # Ctrl+C reaches every process of a terminal, but only the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, OSError):
        while True:
            pipe.send(attempt(pipe.recv()))


def settled(part: Part, answer: Attempt) -> Outcome:
    """The outcome of a part that another process has run.

    Raises ExecutorError if the part cannot be run; RuntimeError if an unexpected exception happened there.
    """
    if answer.fault:
        raise ExecutorError(answer.fault, where=part.label)
    if answer.crash:
        raise RuntimeError(f"{part.label}: {answer.crash}")
    return answer.outcome


@contextmanager
def _main_hidden() -> Iterator[None]:
    """Hide the main module while a process is started: the process would run a user's script again to import it."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
