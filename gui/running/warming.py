"""Prepares compiled code during a run without blocking the window or the run.

On a machine's first start a separate process compiles, beginning with the current policies, while the
reference runs; later starts load from the cache in a separate thread.  The kernel in a user's policy file is
compiled in that thread, too.
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

#: (Kind of system, policy) whose code this process has loaded; it stays loaded for later runs.
_loaded: set[tuple[str, str]] = set()

#: The marker file's name, from the kind of system and the digest of its sources' meaning.
_MARK = "complete-{}-{}"


def is_warm(system: str) -> bool:
    """Whether a kind of system's current sources have been compiled by this Python on this machine.

    Without any marker the sources need not be read here; that takes most of a second, and the compiling process
    does it.
    """
    return any(cache_folder().glob(_MARK.format(system, "*"))) and _marker(system).exists()


def _marker(system: str) -> Path:
    """The file that marks a kind of system as completely compiled; its name changes with the meaning of the sources."""
    return cache_folder() / _MARK.format(system, source_meaning())


def warm_in_background(
    system: str, policies: tuple[str, ...] = (), output: int = subprocess.DEVNULL
) -> subprocess.Popen[bytes] | None:
    """Start compiling a kind of system in another process; None if there is nothing to do.

    *policies* are compiled first; the process writes each policy's name to *output* once it is done.
    """
    if is_warm(system):
        return None
    return start_beside("slotscope.gui.running.warming", system, *policies, stdout=output)


class Warming:
    """The compiled code for a run's policies while it is being prepared; poll :meth:`ready`."""

    def __init__(self) -> None:
        self.text = ""  #: what is being done, in a few words; empty if nothing is
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
        """Whether anything is being prepared."""
        return bool(self._wanted) or self._process is not None

    @property
    def loads(self) -> bool:
        """Whether loading code will soon speed the run up; false for a user's kernel, which takes longer to compile."""
        return self._loading is not None and self._loading.is_alive() and not self._brought

    @property
    def _brought(self) -> bool:
        return any(bench.system.policy.brought for bench in self._wanted)

    def want(self, kind: Kind, benches: Sequence[Bench]) -> None:
        """Prepare the code of these runs of a kind of system; nothing is done for code that is ready."""
        self._wanted, self._loading, self._refused = tuple(benches), None, None
        if benches and kind.name != self._system:
            self._end_process()
            self._system, self._said, self.failed = kind.name, b"", False
            self._all = len(kind.kernels)
            self._process = warm_in_background(kind.name, _built_in(benches), subprocess.PIPE)
            if self._process is not None and self._process.stdout is not None:
                os.set_blocking(self._process.stdout.fileno(), False)

    def stop(self) -> None:
        """End the compiling process, and wait for the loading threads."""
        self._end_process()
        for thread in self._threads:
            thread.join()

    def _end_process(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.communicate()
        self._process, self._system = None, ""

    def ready(self) -> bool:
        """Whether all that was wanted can be used now; True only once for each :meth:`want`.

        Raises UserError, also only once, if the kernel in a user's policy file cannot be compiled.
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
                with process:  # closes its pipes
                    self._process, self.failed = None, process.returncode != 0
                if self.failed:
                    self._system = ""  # so that the next run tries again
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
    """The built-in policies among these runs."""
    return tuple({bench.scenario.policy.name for bench in benches if not bench.system.policy.brought})


def main(system: str, first: tuple[str, ...] = ()) -> None:
    """Compile the kernels of a kind of system's policies, *first* ones first, and write the marker file."""
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
