"""Other implementations of moldable jobs: in C, with SimPy twice, and as a Python program with ``heapq``.

The way in C does the kernel's work on the kernel's own arrays (jobs, gaps, calendar, integrals,
rows, the hash of history) and must reach the same digest.  The programs support one class of jobs
under greedy(p), count servers without telling them apart, and begin with empty servers.  As such
programs do, they draw their jobs with ``random``, so that they agree only on average; given the
run's own jobs they must block the same ones and reach the same integrals.
"""

from __future__ import annotations

import ctypes
import random
from abc import ABC, abstractmethod
from heapq import heappop, heappush
from pathlib import Path
from typing import Any, Callable, Generator, Iterator, NamedTuple

import numpy as np
import simpy

from slotscope.model.kinds.moldable import physics
from slotscope.model.kinds.moldable.kernels.calendar import calendar_of
from slotscope.model.kinds.moldable.rows import MOLDABLE_ROW
from slotscope.model.kinds.moldable.state import BLOCKED, EVENT, NEXT_ARRIVAL, PARTIAL, MoldableState
from slotscope.model.running.assembly import Bench
from slotscope.model.running.engine import Reason, Task, started
from slotscope.model.systems.state import copied
from tests.bench.contestants import TAPE
from tests.bench.native import Pointers, library_of

Process = Generator[simpy.Event, Any, None]
Array = np.ndarray


SOURCE = "moldable_jobs.c"

#: Arrival time, inherent size and request of each job.
Jobs = Iterator[tuple[float, float, int]]


class Outcome(NamedTuple):
    """The results of a program since time 0."""

    events: int
    blocked: int
    partial: int
    areas: tuple[float, ...]  #: integrals of X_1, ..., X_d up to the last change of each


# The jobs.


def drawn_jobs(bench: Bench, seed: int = 1) -> Jobs:
    """Jobs as Python programs draw them; sizes are exponential."""
    system: Any = bench.system
    widths, shares = zip(*system.policy.distribution(0), strict=True)
    rate, size = system.numbers.rate, 1 / float(system.numbers.means[0])
    chance = random.Random(seed)
    time = 0.0
    while True:
        time += chance.expovariate(rate)
        asked = widths[0] if len(widths) == 1 else chance.choices(widths, shares)[0]
        yield time, chance.expovariate(size), asked


def own_jobs(bench: Bench) -> Jobs:
    """The jobs and requests of the run."""
    system: Any = bench.system
    number = 0
    while True:
        block = system.workload.block_at(number)
        for time, size in zip(block.time.tolist(), block.service.tolist(), strict=True):
            with np.errstate(over="ignore"):
                asked = physics.request(system.tables, system.rules, 0, number, 0)
            yield time, size, asked
            number += 1


# Python programs.


class Program(ABC):
    """Shared by all programs: X_i, its integrals, and the number of free servers."""

    def __init__(self, bench: Bench, jobs: Jobs) -> None:
        self.jobs = jobs
        self.speedup = bench.system.tables.speedup[0].tolist()  # type: ignore[attr-defined]
        self.free = bench.numbers.servers
        self.running = [0] * len(self.speedup)
        self.since = [0.0] * len(self.speedup)
        self.areas = [0.0] * len(self.speedup)
        self.events = self.blocked = self.partial = 0

    def change(self, now: float, width: int, by: int) -> None:
        """Change X_i."""
        self.areas[width] += self.running[width] * (now - self.since[width])
        self.since[width] = now
        self.running[width] += by

    @abstractmethod
    def run(self, until: float) -> None:
        """Run all events before a time."""

    @property
    def outcome(self) -> Outcome:
        """The results so far."""
        return Outcome(self.events, self.blocked, self.partial, tuple(self.areas[1:]))


class Plain(Program):
    """A loop over the next arrival and a heap of departures."""

    def __init__(self, bench: Bench, jobs: Jobs) -> None:
        super().__init__(bench, jobs)
        self.heap: list[tuple[float, int]] = []
        self.coming = next(jobs)

    def run(self, until: float) -> None:
        """See :class:`Program`."""
        heap, jobs, speedup, change = self.heap, self.jobs, self.speedup, self.change
        comes, size, asked = self.coming
        while True:
            if heap and heap[0][0] <= comes:
                if heap[0][0] >= until:
                    break
                now, width = heappop(heap)
                change(now, width, -1)
                self.free += width
            else:
                if comes >= until:
                    break
                width = min(asked, self.free)
                if width:
                    change(comes, width, 1)
                    self.free -= width
                    self.partial += width < asked
                    heappush(heap, (comes + size / speedup[width], width))
                else:
                    self.blocked += 1
                comes, size, asked = next(jobs)
            self.events += 1
        self.coming = comes, size, asked


class Idiomatic(Program):
    """SimPy as its users write it: a container of servers, and a process for each job."""

    def __init__(self, bench: Bench, jobs: Jobs) -> None:
        super().__init__(bench, jobs)
        self.environment = simpy.Environment()
        self.servers = simpy.Container(self.environment, capacity=self.free, init=self.free)
        self.environment.process(self.arrivals())

    def arrivals(self) -> Process:
        """Let jobs arrive one after another."""
        environment = self.environment
        for time, size, asked in self.jobs:
            yield environment.timeout(time - environment.now)
            environment.process(self.job(size, asked))

    def job(self, size: float, asked: int) -> Process:
        """A job that takes servers, runs, and gives them back."""
        self.events += 1
        width = int(min(asked, self.servers.level))
        if not width:
            self.blocked += 1
            return
        self.partial += width < asked
        yield self.servers.get(width)
        self.change(self.environment.now, width, 1)
        yield self.environment.timeout(size / self.speedup[width])
        self.events += 1
        self.change(self.environment.now, width, -1)
        yield self.servers.put(width)

    def run(self, until: float) -> None:
        """See :class:`Program`."""
        self.environment.run(until=until)


class Lean(Program):
    """SimPy as an event calendar only: one process for the arrivals, and a callback for each departure."""

    def __init__(self, bench: Bench, jobs: Jobs) -> None:
        super().__init__(bench, jobs)
        self.environment = simpy.Environment()
        self.environment.process(self.arrivals())

    def arrivals(self) -> Process:
        """Let jobs arrive one after another and take servers."""
        environment = self.environment
        for time, size, asked in self.jobs:
            yield environment.timeout(time - environment.now)
            self.events += 1
            width = min(asked, self.free)
            if not width:
                self.blocked += 1
                continue
            self.partial += width < asked
            self.free -= width
            self.change(environment.now, width, 1)
            runs = environment.timeout(size / self.speedup[width], width)
            runs.callbacks.append(self.leave)

    def leave(self, event: Any) -> None:
        """A job departs."""
        self.events += 1
        width = event.value
        self.free += width
        self.change(self.environment.now, width, -1)

    def run(self, until: float) -> None:
        """See :class:`Program`."""
        self.environment.run(until=until)


PROGRAMS: dict[str, type[Program]] = {
    "SimPy, a process for each job": Idiomatic,
    "SimPy, lean": Lean,
    "Python, heapq": Plain,
}


class Kernel:
    """The kernel as such a program: from empty servers, with jobs generated as they are needed."""

    def __init__(self, bench: Bench) -> None:
        self._engine = bench.kernel()
        self._tape = np.zeros(TAPE, MOLDABLE_ROW)
        self._state: MoldableState = started(bench.system)

    def run(self, until: float) -> None:
        """See :class:`Program`."""
        task, reason = Task(until=until), Reason.LIMIT
        while reason is Reason.LIMIT:
            self._state, _, reason, *_ = self._engine.advance(self._state, self._tape, task)

    @property
    def outcome(self) -> Outcome:
        """See :class:`Program`; all classes together."""
        state = self._state
        blocked, partial = (int(state.tally[row].sum()) for row in (BLOCKED, PARTIAL))
        areas = tuple(state.area.sum(axis=0).tolist()[1:])
        return Outcome(int(state.number[EVENT]), blocked, partial, areas)


# C.


def compiled_c(folder: Path) -> ctypes.CDLL | None:
    """The way in C, or None where no compiler is installed."""
    found = library_of(Path(__file__).with_name(SOURCE), folder, "-ffp-contract=off")
    if found is not None:
        found.run.restype = ctypes.c_int64
    return found


#: Continues for a number of events, prepared outside of the measured time; returns the state.
Way = Callable[[], Callable[[], MoldableState]]


def by_kernel(bench: Bench, state: MoldableState, events: int) -> Way:
    """The kernel, from a copy of a state; its jobs were generated before."""
    tape, engine = np.zeros(min(events, TAPE), MOLDABLE_ROW), bench.kernel()

    def prepared() -> Callable[[], MoldableState]:
        current: Any = copied(state)
        engine.advance(current, tape[:0], Task())  # builds the calendar

        def run() -> MoldableState:
            now, left = current, events
            while left:
                now, rows, *_ = engine.advance(now, tape[:left], Task())
                left -= rows
            result: MoldableState = now
            return result

        return run

    return prepared


def in_c(bench: Bench, library: ctypes.CDLL, state: MoldableState, events: int) -> Way:
    """The same work in C, on a copy of the kernel's arrays."""
    system: Any = bench.system
    rules = system.rules
    jobs = _jobs(system.workload, int(state.number[NEXT_ARRIVAL]), events)
    tape = np.zeros(min(events, TAPE), MOLDABLE_ROW)

    def prepared() -> Callable[[], MoldableState]:
        mine = copied(state)
        calendar = calendar_of(mine, system.numbers.rate)
        parts = (
            Pointers.of(*mine, *mine.jobs.shape, len(mine.server_job)),
            Pointers.of(*system.tables),
            Pointers.of(*rules, rules.width.shape[1], len(rules.by_free) > 0, rules.by_free.shape[1]),
            Pointers.of(*calendar, len(calendar.first)),
            Pointers.of(*jobs, state.number[NEXT_ARRIVAL], len(jobs[0])),
        )

        def run() -> MoldableState:
            done = library.run(
                *(ctypes.byref(part) for part in parts),
                ctypes.c_int64(events),
                ctypes.c_void_p(tape.ctypes.data),
                ctypes.c_int64(len(tape)),
            )
            assert done == events
            return mine

        return run

    return prepared


def _jobs(workload: Any, first: int, count: int) -> tuple[Array, Array, Array]:
    """Times, classes and sizes of at least *count* jobs from number *first* on."""
    blocks, last = [], first
    while last < first + count:
        block = workload.block_at(last)
        start = last - int(block.first[0])
        blocks.append((block.time[start:], block.type[start:], block.service[start:]))
        last = block.end
    time, job_class, size = (np.concatenate(column) for column in zip(*blocks, strict=True))
    return time, job_class, size
