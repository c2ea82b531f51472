"""Gets compiled code ready while the run goes on: nothing here holds the window or the run.

On a machine's first start a process of its own compiles, what runs now first, and the
reference serves meanwhile; later starts load from the cache, in a thread of its own.  There the
kernel that a policy's file brings along is compiled, too.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import Callable, Sequence

from slotscope.gui.language.words import tr
from slotscope.model.compiling.pages import give_back_libraries
from slotscope.model.errors import UserError
from slotscope.model.jit import cache_folder, source_meaning
from slotscope.model.kinds.spec import Kind, kind_named
from slotscope.model.lifeline import end_with_program, start_beside
from slotscope.model.running.assembly import Bench
from slotscope.model.warm import warm, warm_questions

#: Kinds of system and policies whose code this process has loaded: it stays, whatever is opened next.
_loaded: set[tuple[str, str]] = set()

#: What such a file is called, by the kind of system and the meaning of its sources.
_MARK = "complete-{}-{}"


def is_warm(system: str) -> bool:
    """Whether a kind of system's source was compiled before, by this Python on this machine.

    Where nothing ever was, the process that compiles reads the sources, which takes most of a second, not the window's.
    """
    return any(cache_folder().glob(_MARK.format(system, "*"))) and _marker(system).exists()


def _marker(system: str) -> Path:
    """A file that stands for "all is compiled"; its name changes with what the sources mean."""
    return cache_folder() / _MARK.format(system, source_meaning())


def warm_in_background(
    system: str, policies: tuple[str, ...] = (), output: int = subprocess.DEVNULL
) -> subprocess.Popen[bytes] | None:
    """Start compiling for a kind of system in another process; None if nothing is to be done.

    *policies* come first; the process writes the name of each policy that is done to *output*.
    """
    if is_warm(system):
        return None
    return start_beside("slotscope.gui.running.warming", system, *policies, stdout=output)


class Warming:
    """The compiled code of a run's policies, on its way: ask :meth:`ready` now and then."""

    def __init__(self) -> None:
        self.text = ""  #: what is being done, in a few words; empty when nothing is
        self.failed = False  #: whether compiling failed
        self._system = ""
        self._wanted: tuple[Bench, ...] = ()
        self._refused: UserError | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._said = b""
        self._loading: Thread | None = None
        self._threads: list[Thread] = []
        self._all = 1

    @property
    def wanted(self) -> bool:
        """Whether anything is on its way."""
        return bool(self._wanted) or self._process is not None

    @property
    def loads(self) -> bool:
        """Whether a run is many times as fast in a second or two; a user's kernel, which is compiled, takes longer."""
        return self._loading is not None and self._loading.is_alive() and not self._brought

    @property
    def _brought(self) -> bool:
        return any(bench.system.policy.brought for bench in self._wanted)

    def want(self, kind: Kind, benches: Sequence[Bench]) -> None:
        """See to the code of what runs in a kind of system, which is nothing if it is there."""
        self._wanted, self._loading, self._refused = tuple(benches), None, None
        if benches and kind.name != self._system:
            self._end_process()
            self._system, self._said, self.failed = kind.name, b"", False
            self._all = len(kind.kernels)
            self._process = warm_in_background(kind.name, _built_in(benches), subprocess.PIPE)
            if self._process is not None and self._process.stdout is not None:
                os.set_blocking(self._process.stdout.fileno(), False)

    def stop(self) -> None:
        """End the process that compiles, and wait for what is being loaded."""
        self._end_process()
        for thread in self._threads:
            thread.join()

    def _end_process(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.communicate()
        self._process, self._system = None, ""

    def ready(self) -> bool:
        """Whether what was wanted can be used at once; said a single time.

        Raises UserError if the kernel of a policy's file cannot be compiled; said a single time.
        """
        self._look_at_process()
        if not self._wanted or self.failed:
            return False
        wanted = self._wanted
        if self._loading is None and self._compiled(_built_in(wanted)):
            self._loading = self._aside(lambda: self._load(wanted))
        if self._loading is None or self._loading.is_alive():
            return False
        refused, self._loading, self._wanted, self._refused = self._refused, None, (), None
        self._describe()
        if refused is not None:
            raise refused
        return True

    def _aside(self, work: Callable[[], None]) -> Thread:
        thread = Thread(target=work, name="loading", daemon=True)
        self._threads = [one for one in self._threads if one.is_alive()] + [thread]
        thread.start()
        return thread

    def _compiled(self, policies: tuple[str, ...]) -> bool:
        return self._process is None or set(policies) <= set(self._said.decode().split())

    def _load(self, wanted: tuple[Bench, ...]) -> None:
        system = self._system
        new = [policy for policy in _built_in(wanted) if (system, policy) not in _loaded]
        for policy in warm(system, new) if new else ():
            _loaded.add((system, policy))
        try:
            for bench in wanted:
                bench.prepare()
        except UserError as error:
            if wanted is self._wanted:
                self._refused = error
        if new:
            give_back_libraries()

    def _look_at_process(self) -> None:
        process = self._process
        if process is not None and process.stdout is not None:
            ended = process.poll() is not None
            self._said += process.stdout.read() or b""
            if ended:
                with process:  # which closes its pipes
                    self._process, self.failed = None, process.returncode != 0
                if self.failed:
                    self._system = ""  # the next run tries again
        self._describe()

    def _describe(self) -> None:
        done = len(self._said.split())
        if self._process is not None and done < self._all:
            self.text = tr("compiling {done} of {all}").format(done=done, all=self._all)
        elif self._loading is not None:
            self.text = tr("compiling the policy's kernel") if self._brought else tr("loading compiled code")
        else:
            self.text = ""


def _built_in(benches: Sequence[Bench]) -> tuple[str, ...]:
    """The policies of the program's own among what runs."""
    return tuple({bench.scenario.policy.name for bench in benches if not bench.system.policy.brought})


def main(system: str, first: tuple[str, ...] = ()) -> None:
    """Compile the kernels of policies, and leave a mark that it was done."""
    kernels = kind_named(system).kernels
    ordered = sorted(kernels, key=lambda policy: policy not in first)
    for policy in warm(system, ordered):
        print(policy, flush=True)
    warm_questions(system, ordered)
    _marker(system).parent.mkdir(parents=True, exist_ok=True)
    _marker(system).touch()


if __name__ == "__main__":
    end_with_program()
    main(sys.argv[1], tuple(sys.argv[2:]))
