"""Other implementations of BF-J/S in slotted time: in C, and with SimPy as its users write it.

One way in C does the kernel's work on the kernel's own arrays (job records, lists, the index by
size, rows, the hash of history) and must reach the same digest; it is compiled once for one
resource, and once for any number, as the kernel is.  The other way in C uses bare arrays.
All start from the same state, get the same jobs, and must place as many and let as many wait.
"""

from __future__ import annotations

import ctypes
from bisect import bisect_left, insort
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Generator, NamedTuple

import numpy as np
import simpy

from slotscope.model.kinds.queue.facts import waiting_records
from slotscope.model.kinds.queue.rows import QUEUE_ROW
from slotscope.model.kinds.queue.state import DEPARTURES, EVENT, NEXT_ARRIVAL, NOW, PLACED, QueueState, with_room
from slotscope.model.running.assembly import Bench
from slotscope.model.running.engine import Engine, Reason, Task
from slotscope.model.systems.state import copied
from tests.bench.contestants import TAPE
from tests.bench.native import Pointers, library_of

Process = Generator[simpy.Event, Any, None]


#: The kernel's work in C, compiled for one resource, or for any number as the kernel is; bare arrays.
SAME, ANY, LEAN = "C -O3, the same work", "C -O3, the same work of any number of resources", "C -O3, arrays only"
SOURCES = {SAME: ("slotted_best_fit.c", "-DD=1"), ANY: ("slotted_best_fit.c",), LEAN: ("slotted_lean.c",)}


class Outcome(NamedTuple):
    """The results of a way of running the slots."""

    slots: int
    placed: int
    area: float  #: waiting jobs, summed over all slots before the last busy one
    state: QueueState | None = None  #: the final state, where it is known


#: Prepares a run outside of the measured time.
Way = Callable[[], Callable[[], Outcome]]


@dataclass(frozen=True, eq=False)
class Problem:
    """A state, the jobs that arrive after it, and the slot of the last arrival."""

    bench: Bench
    state: QueueState
    time: np.ndarray
    size: np.ndarray  #: [arrivals] units
    service: np.ndarray

    @property
    def until(self) -> float:
        """The slot of the last arrival."""
        return float(self.time[-1])

    @property
    def free(self) -> np.ndarray:
        """[L] units free."""
        return np.asarray(self.bench.numbers.capacity[:, 0] - self.state.used[:, 0])


def problem_of(bench: Bench, state: QueueState, arrivals: int) -> Problem:
    """The problem of continuing for about this many arrivals, including all of the last slot's."""
    first = int(state.number[NEXT_ARRIVAL])
    blocks: list[tuple[np.ndarray, ...]] = []
    last = first
    while last <= first + arrivals:
        block = bench.system.workload.block_at(last)
        assert block is not None, "the workload ends too early"
        start = last - int(block.first[0])
        blocks.append((block.time[start:], block.size[start:, 0], block.service[start:]))
        last = block.end
    time, size, service = (np.concatenate(column) for column in zip(*blocks, strict=True))
    stop = int(np.searchsorted(time, time[arrivals - 1], side="right"))
    return Problem(bench, state, time[:stop], size[:stop], service[:stop])


def by_engine(problem: Problem, engine: Engine) -> Way:
    """The kernel or the reference."""
    tape, task = np.zeros(TAPE, QUEUE_ROW), Task(until=problem.until)

    def prepared() -> Callable[[], Outcome]:
        current: Any = copied(problem.state)
        engine.advance(current, tape[:0], Task())  # builds the index that is kept beside the state

        def run() -> Outcome:
            now, reason = current, Reason.LIMIT
            while reason is Reason.LIMIT:
                now, _, reason, *_ = engine.advance(now, tape, task)
            return _outcome(problem.state, now)

        return run

    return prepared


def _outcome(before: QueueState, after: QueueState) -> Outcome:
    slots = int(after.number[EVENT] - before.number[EVENT])
    placed = int(after.tally[PLACED] - before.tally[PLACED])
    return Outcome(slots, placed, float(after.waiting_area[0] - before.waiting_area[0]), after)


# C.


def compiled_c(folder: Path) -> dict[str, ctypes.CDLL]:
    """The kernel's work, twice, and the bare algorithm; empty where no compiler is installed."""
    here = Path(__file__).parent
    found = {title: library_of(here / name, folder, *options) for title, (name, *options) in SOURCES.items()}
    return {title: library for title, library in found.items() if library is not None}


def same_in_c(problem: Problem, library: ctypes.CDLL) -> Way:
    """The kernel's work, on a copy of the kernel's arrays."""
    kernel: Any = problem.bench.kernel()
    jobs = (problem.time, problem.size, problem.service)

    def prepared() -> Callable[[], Outcome]:
        state = copied(problem.state)
        index = kernel.index(state)
        waiting, rooms = index.waiting, index.rooms
        tape = np.zeros(TAPE, QUEUE_ROW)
        fresh = np.zeros(len(state.job_number), np.int32)
        parts = (
            Pointers.of(*state, state.job_room.shape[1]),
            Pointers.of(*waiting, len(waiting.upper) - 1, len(waiting.cell)),
            Pointers.of(*rooms, len(rooms.free), len(rooms.most)),
            Pointers.of(*jobs, state.number[NEXT_ARRIVAL], len(problem.time)),
        )

        def run() -> Outcome:
            library.run_same(
                *(ctypes.byref(part) for part in parts),
                _pointer(problem.bench.numbers.capacity),
                ctypes.c_double(problem.until),
                _pointer(fresh),
                _pointer(tape),
                ctypes.c_int64(len(tape)),
            )
            return _outcome(problem.state, state)

        return run

    return prepared


def lean_in_c(problem: Problem, library: ctypes.CDLL) -> Way:
    """The bare algorithm."""
    state = problem.state
    waiting = waiting_records(state)
    served = state.heap_record[: state.number[DEPARTURES]]
    served = served[np.argsort(state.job_departure[served], kind="stable")]
    old = np.r_[waiting, served]
    size = np.r_[state.job_room[old, 0], problem.size]
    count, jobs = len(waiting), len(size)

    def prepared() -> Callable[[], Outcome]:
        sums, servers = np.zeros(3), len(problem.free)
        queue, server = np.zeros(jobs, np.int32), np.full(jobs, -1, np.int32)
        queue[:count] = np.argsort(-size[:count], kind="stable")
        server[count : len(old)] = state.job_server[served]
        due, job = np.full(jobs, np.inf), np.zeros(jobs, np.int32)
        due[: len(served)] = state.job_departure[served]
        job[: len(served)] = np.arange(count, len(old))
        time = np.r_[np.zeros(len(old)), problem.time]
        service = np.r_[state.job_service[old], problem.service]
        arrays = (
            problem.free,
            size,
            time,
            service,
            queue,
            server,
            due,
            job,
            np.zeros(servers, np.uint8),
            np.zeros(servers, np.int32),
        )
        lean = Pointers.of(servers, count, len(served), len(old), jobs, *arrays)

        def run() -> Outcome:
            until = ctypes.c_double(problem.until)
            library.run_lean(ctypes.byref(lean), ctypes.c_double(state.clock[NOW]), until, _pointer(sums))
            return Outcome(int(sums[0]), int(sums[1]), float(sums[2]))

        return run

    return prepared


def _pointer(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


# SimPy.


class Simpy:
    """One process for the arrivals, one for each job, one for the policy in mid-slot."""

    def __init__(self, problem: Problem) -> None:
        state = problem.state
        self.problem = problem
        self.environment = simpy.Environment(initial_time=float(state.clock[NOW]))
        self.free: list[int] = problem.free.tolist()
        self.waiting: list[tuple[int, int, float]] = []  # (-size, number, service), sorted
        self.fresh: list[tuple[int, int, float]] = []
        self.left: set[int] = set()
        self.placed = self.slots = self.number = 0
        self.area, self.since = 0.0, float(state.clock[NOW])
        self.is_due = False
        for record in waiting_records(state).tolist():
            self.join(int(state.job_room[record, 0]), float(state.job_service[record]))
        self.fresh.clear()
        for record in state.heap_record[: state.number[DEPARTURES]].tolist():
            slots = float(state.job_departure[record] - state.clock[NOW])
            server, size = int(state.job_server[record]), int(state.job_room[record, 0])
            self.environment.process(self.job(server, size, slots))

    def join(self, size: int, service: float) -> None:
        """A job joins the queue."""
        job = (-size, self.number, service)
        self.number += 1
        insort(self.waiting, job)
        self.fresh.append(job)

    def wake(self) -> None:
        """Let the policy act in the middle of this slot."""
        if not self.is_due:
            self.is_due = True
            self.environment.process(self.act())

    def job(self, server: int, size: int, service: float) -> Process:
        """A job in service."""
        yield self.environment.timeout(service)
        self.free[server] += size
        self.left.add(server)
        self.wake()

    def place(self, job: tuple[int, int, float], server: int) -> None:
        """A waiting job goes into service; its slot is half over."""
        self.free[server] += job[0]
        self.placed += 1
        self.environment.process(self.job(server, -job[0], job[2] - 0.5))

    def act(self) -> Process:
        """BF-J/S."""
        waited, slot = len(self.waiting) - len(self.fresh), self.environment.now
        self.area += waited * (slot - self.since)
        self.since = slot
        yield self.environment.timeout(0.5)
        self.is_due = False
        waiting, free = self.waiting, self.free
        for server in sorted(self.left):
            while (at := bisect_left(waiting, (-free[server],))) < len(waiting):
                self.place(waiting.pop(at), server)
        for job in self.fresh:
            at = bisect_left(waiting, job)
            if at == len(waiting) or waiting[at] != job:
                continue
            tightest = (
                min((left, server) for server, left in enumerate(free) if left >= -job[0])
                if max(free) >= -job[0]
                else None
            )
            if tightest is not None:
                self.place(waiting.pop(at), tightest[1])
        self.left.clear()
        self.fresh.clear()
        self.slots += 1

    def arrivals(self) -> Process:
        """The jobs arrive."""
        problem, environment = self.problem, self.environment
        for time, size, service in zip(
            problem.time.tolist(), problem.size.tolist(), problem.service.tolist(), strict=True
        ):
            if time > environment.now:
                yield environment.timeout(time - environment.now)
            self.join(size, service)
            self.wake()

    def run(self) -> Outcome:
        """Run until the slot of the last arrival is over."""
        self.environment.process(self.arrivals())
        self.environment.run(until=self.problem.until + 0.75)
        return Outcome(self.slots, self.placed, self.area)


def compiled_ways(problem: Problem, folder: Path) -> dict[str, Way]:
    """The kernel, and all ways in C where a compiler is installed."""
    ways = {"kernel": by_engine(problem, problem.bench.kernel())}
    for title, library in compiled_c(folder).items():
        ways[title] = (lean_in_c if title == LEAN else same_in_c)(problem, library)
    return ways


def ways_of(bench: Bench, state: QueueState, counts: tuple[int, int, int], folder: Path) -> dict[str, Way]:
    """Kernel, all in C, reference, SimPy; *counts* of arrivals: compiled, reference, SimPy."""
    state = with_room(copied(state), max(10_000, 2 * int(state.number[DEPARTURES])))
    large, medium, small = (problem_of(bench, state, count) for count in counts)
    ways = compiled_ways(large, folder)
    ways["reference (Python)"] = by_engine(medium, bench.reference)
    ways["SimPy"] = lambda: Simpy(small).run
    return ways
