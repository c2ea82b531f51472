"""Who carries out the parts of an experiment: this process, or worker processes beside it.

An executor is asked for parts and gives each back as soon as it is finished, in any order.
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

#: Says whether the work is to stop.
Cancelled = Callable[[], bool]

#: Parts with their outcomes, as they are finished; closing it stops the work.
Finished = Generator[tuple[Part, Outcome], None, None]

#: Seconds between two looks at whether the work is to stop.
PATIENCE = 0.1

#: Seconds that a stopped process has to end by itself.
_GRACE = 5.0


class ExecutorError(UserError):
    """Parts that could not be carried out, told in one line."""


class Executor(Protocol):
    """Carries out parts; ``abreast`` is how many at a time once the first, which goes alone, is finished."""

    abreast: int

    def run(self, parts: Sequence[Part], cancelled: Cancelled) -> Finished:
        """Each part with its outcome, as they are finished; ends early once *cancelled*.

        Raises UserError if a part cannot be carried out.
        """


class ThisProcess:
    """Carries out one part after the other in the calling thread."""

    abreast = 1

    def run(self, parts: Sequence[Part], cancelled: Cancelled) -> Finished:
        """See :class:`Executor`; it can stop between two parts only."""
        for part in parts:
            if cancelled():
                return
            yield part, carry_out(part)


class LocalWorkers:
    """Worker processes on this machine.

    Own processes with a pipe to each, rather than a pool of the standard library: a pool
    neither says which part a dead worker had, nor can it be stopped in the middle of one.
    """

    def __init__(self, workers: int) -> None:
        self.abreast = workers

    def run(self, parts: Sequence[Part], cancelled: Cancelled) -> Finished:
        """See :class:`Executor`.

        The shortest part goes first and alone: it fills the cache of compiled code that all
        others share.  Then the longest go first, so that none is left to a single worker at
        the end.
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
        """Carry out a queue of parts, the last first."""
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
    """A process, the pipe to it, and the part that it has in hand."""

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
        """Start on *part*."""
        self.part = part
        with suppress(OSError):  # a dead worker is told when its result is asked for
            self.pipe.send(part)

    def result(self) -> tuple[Part, Outcome]:
        """The part in hand and its outcome, once the pipe has something."""
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
        """End the process, whatever it is doing."""
        self._process.terminate()
        self._process.join(_GRACE)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self.pipe.close()


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl+C back while a process is born; it inherits that and never hears of it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection) -> None:
    """What a worker process does: parts, until the first process is gone or ends it."""
    # Ctrl+C reaches every process of a terminal; the first one decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, OSError):
        while True:
            pipe.send(attempt(pipe.recv()))


def settled(part: Part, answer: Attempt) -> Outcome:
    """The outcome of a part that another process carried out.

    Raises ExecutorError if the part cannot be carried out; RuntimeError if something unexpected happened there.
    """
    if answer.fault:
        raise ExecutorError(answer.fault, where=part.label)
    if answer.crash:
        raise RuntimeError(f"{part.label}: {answer.crash}")
    return answer.outcome


@contextmanager
def _main_hidden() -> Iterator[None]:
    """Hide the main module while a process is born, which would run a user's script once more to find it."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
