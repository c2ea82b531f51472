"""Other implementations of the loss system under first fit, to compare the kernel with.

SimPy as its users write it (one process per job), the best loop in plain Python, and one
loop of arrays, a heap and bit sets, in C and for Numba.  All start from the same servers and
jobs and get the same arrivals, so all must reject the same jobs.  Unlike the kernel they
do not number jobs and keep no log, no integrals and no hash of history.
"""

from __future__ import annotations

import ctypes
import heapq
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Generator, NamedTuple

import numpy as np
import simpy

from slotscope.model.jit import compiled, jitable, lowest_bit, unsigned
from slotscope.model.kinds.reservation.state import DEPARTURES, NEXT_ARRIVAL, NOW, ReservationState
from slotscope.model.running.assembly import Bench
from tests.bench.native import library_of

Array = Any
Process = Generator[simpy.Event, Any, None]


class Outcome(NamedTuple):
    """The results of a contestant."""

    events: int
    rejected: list[int]  #: positions among the arrivals
    state: ReservationState | None = None  #: the final state, where it is known


@dataclass(frozen=True, eq=False)
class Problem:
    """Servers with jobs in service at a time, and the arrivals after it."""

    servers: int
    now: float
    demand: np.ndarray  #: [J, n]
    capacity: np.ndarray  #: [n]
    job_server: np.ndarray  #: [m] jobs in service
    job_type: np.ndarray
    job_departure: np.ndarray
    time: np.ndarray  #: [arrivals]
    type: np.ndarray
    service: np.ndarray

    def used(self) -> np.ndarray:
        """[L, n] resources in use."""
        used = np.zeros((self.servers, len(self.capacity)), np.int64)
        np.add.at(used, self.job_server, self.demand[self.job_type])
        return used


def problem_of(bench: Bench, state: ReservationState, arrivals: int) -> Problem:
    """The problem of continuing from a state for a number of arrivals."""
    first = int(state.number[NEXT_ARRIVAL])
    blocks = []
    last = first
    while last < first + arrivals:
        block = bench.system.workload.block_at(last)
        assert block is not None
        start = last - int(block.first[0])
        blocks.append([column[start:] for column in (block.time, block.type, block.service)])
        last = block.end
    time, job_type, service = (np.concatenate(column)[:arrivals] for column in zip(*blocks, strict=True))
    records = state.heap_record[: state.number[DEPARTURES]]
    numbers = bench.numbers
    return Problem(
        numbers.servers,
        float(state.clock[NOW]),
        numbers.demand,
        numbers.capacity,
        state.job_server[records],
        state.job_type[records],
        state.job_departure[records],
        time,
        job_type,
        service,
    )


# SimPy.


class Simpy:
    """One process for the arrivals and one for each job; servers are lists of free resources."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.environment = simpy.Environment(initial_time=problem.now)
        self.sizes = [tuple(row) for row in problem.demand.tolist()]
        self.rejected: list[int] = []
        self.departed = 0
        self.build((problem.capacity - problem.used()).tolist())
        for server, job_type, departure in zip(
            problem.job_server.tolist(), problem.job_type.tolist(), problem.job_departure.tolist(), strict=True
        ):
            service = departure - problem.now
            self.environment.process(self.job_in_service(server, job_type, service))
        while self.environment.peek() <= problem.now:
            self.environment.step()

    def build(self, free: list[list[int]]) -> None:
        """Make the servers, with these amounts of two resources free."""
        self.processors, self.memory = ([row[0] for row in free], [row[1] for row in free])

    def first_fit(self, processors: int, memory: int) -> int | None:
        """The first server with room."""
        for server, left in enumerate(self.processors):
            if left >= processors and self.memory[server] >= memory:
                return server
        return None

    def job_in_service(self, server: int, job_type: int, service: float) -> Process:
        """A job that has its resources: hold them, then give them back."""
        yield self.environment.timeout(service)
        processors, memory = self.sizes[job_type]
        self.processors[server] += processors
        self.memory[server] += memory
        self.departed += 1

    def placed(self, server: int, job_type: int, service: float) -> Process:
        """A job that has found a server."""
        processors, memory = self.sizes[job_type]
        self.processors[server] -= processors
        self.memory[server] -= memory
        yield from self.job_in_service(server, job_type, service)

    def job(self, number: int, job_type: int, service: float) -> Process:
        """A job that arrives."""
        server = self.first_fit(*self.sizes[job_type])
        if server is None:
            self.rejected.append(number)
        else:
            yield from self.placed(server, job_type, service)

    def arrivals(self) -> Process:
        """Start the process of each job when it arrives."""
        problem, environment = self.problem, self.environment
        jobs = zip(problem.time.tolist(), problem.type.tolist(), problem.service.tolist(), strict=True)
        for number, (time, job_type, service) in enumerate(jobs):
            yield environment.timeout(time - environment.now)
            environment.process(self.job(number, job_type, service))
        yield environment.timeout(0)  # the last job decides before the run ends

    def run(self) -> Outcome:
        """Run until the last arrival."""
        self.environment.run(until=self.environment.process(self.arrivals()))
        return Outcome(len(self.problem.time) + self.departed, self.rejected)


class SimpyContainers(Simpy):
    """The same with SimPy's own resources: each server has two containers."""

    def build(self, free: list[list[int]]) -> None:
        """Make the servers' containers."""
        self.servers = [
            tuple(
                simpy.Container(self.environment, capacity, init=left)
                for capacity, left in zip(self.problem.capacity.tolist(), row, strict=True)
            )
            for row in free
        ]

    def first_fit(self, processors: int, memory: int) -> int | None:
        """The first server with room."""
        for number, (left, left_memory) in enumerate(self.servers):
            if left.level >= processors and left_memory.level >= memory:
                return number
        return None

    def job_in_service(self, server: int, job_type: int, service: float) -> Process:
        """A job that has its resources: hold them, then give them back."""
        yield self.environment.timeout(service)
        for container, amount in zip(self.servers[server], self.sizes[job_type], strict=True):
            yield container.put(amount)
        self.departed += 1

    def placed(self, server: int, job_type: int, service: float) -> Process:
        """A job that has found a server."""
        for container, amount in zip(self.servers[server], self.sizes[job_type], strict=True):
            yield container.get(amount)
        yield from self.job_in_service(server, job_type, service)


# Plain Python.


class PythonLoop:
    """A heap of tuples, and one large integer per type whose bits are the servers with room."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.sizes = problem.demand.tolist()
        free = problem.capacity - problem.used()
        self.free = free.tolist()
        self.heap = list(
            zip(problem.job_departure.tolist(), problem.job_server.tolist(), problem.job_type.tolist(), strict=True)
        )
        heapq.heapify(self.heap)
        fits = (free[:, None, :] >= problem.demand[None]).all(axis=2)
        self.room = [int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little") for bits in fits.T]

    def change(self, server: int, job_type: int, by: int) -> None:
        """Add a job to a server (-1) or remove one (1)."""
        left, size, bit = self.free[server], self.sizes[job_type], 1 << server
        for resource, amount in enumerate(size):
            left[resource] += by * amount
        for other, demand in enumerate(self.sizes):
            for have, amount in zip(left, demand, strict=True):
                if have < amount:
                    self.room[other] &= ~bit
                    break
            else:
                self.room[other] |= bit

    def run(self) -> Outcome:
        """Run until the last arrival."""
        problem, heap, departed = self.problem, self.heap, 0
        rejected = []
        jobs = zip(problem.time.tolist(), problem.type.tolist(), problem.service.tolist(), strict=True)
        for number, (time, job_type, service) in enumerate(jobs):
            while heap and heap[0][0] <= time:
                _, server, leaving = heapq.heappop(heap)
                self.change(server, leaving, 1)
                departed += 1
            room = self.room[job_type]
            if not room:
                rejected.append(number)
                continue
            server = (room & -room).bit_length() - 1
            self.change(server, job_type, -1)
            heapq.heappush(heap, (time + service, server, job_type))
        return Outcome(len(problem.time) + departed, rejected)


# Arrays: the same loop in C and for Numba.


class Arrays(NamedTuple):
    """The arguments of the loop, in order."""

    sizes: np.ndarray  #: [5] servers, types, resources, words of 64 servers, jobs in the heap
    demand: np.ndarray  #: [J, n]
    free: np.ndarray  #: [L, n]
    room: np.ndarray  #: [J, W] bit sets
    heap_time: np.ndarray
    heap_job: np.ndarray  #: server and type in one number
    time: np.ndarray
    type: np.ndarray
    service: np.ndarray
    rejected: np.ndarray  #: [arrivals] 0 or 1


def arrays_of(problem: Problem) -> Arrays:
    """Fresh arrays, with the jobs in service in the heap."""
    free = problem.capacity - problem.used()
    words = (problem.servers + 63) // 64
    types = len(problem.demand)
    bits = np.zeros((types, 64 * words), np.bool_)
    bits[:, : problem.servers] = (free[:, None, :] >= problem.demand[None]).all(axis=2).T
    order = np.argsort(problem.job_departure)
    jobs, arrivals = len(order), len(problem.time)
    heap_time, heap_job = np.full(jobs + arrivals, np.inf), np.zeros(jobs + arrivals, np.int64)
    heap_time[:jobs] = problem.job_departure[order]
    heap_job[:jobs] = problem.job_server[order].astype(np.int64) * types + problem.job_type[order]
    sizes = np.array([problem.servers, types, len(problem.capacity), words, jobs], np.int64)
    room = np.packbits(bits, axis=1, bitorder="little").view(np.uint64).copy()
    return Arrays(
        sizes,
        problem.demand.copy(),
        free,
        room,
        heap_time,
        heap_job,
        problem.time,
        problem.type.astype(np.int64),
        problem.service,
        np.zeros(arrivals, np.uint8),
    )


def bare_loop(
    sizes: Array,
    demand: Array,
    free: Array,
    room: Array,
    heap_time: Array,
    heap_job: Array,
    time: Array,
    job_type: Array,
    service: Array,
    rejected: Array,
) -> int:
    """The loop for Numba: run until the last arrival; returns the number of departures."""
    types, size, departed = sizes[1], sizes[4], 0
    for number in range(len(time)):
        while size > 0 and heap_time[0] <= time[number]:
            job = heap_job[0]
            size -= 1
            sink(heap_time, heap_job, size)
            change(demand, free, room, job // types, job % types, 1)
            departed += 1
        kind = job_type[number]
        server = first_bit(room[unsigned(kind)])
        if server < 0:
            rejected[number] = 1
            continue
        change(demand, free, room, server, kind, -1)
        rise(heap_time, heap_job, size, time[number] + service[number], server * types + kind)
        size += 1
    return departed


@jitable
def first_bit(words: Array) -> int:
    """The lowest server with room, or -1."""
    for place in range(len(words)):
        if words[place] != np.uint64(0):
            return place * 64 + lowest_bit(words[place])
    return -1


@jitable
def change(demand: Array, free: Array, room: Array, server: int, kind: int, by: int) -> None:
    """Add a job to a server (-1) or remove one (1), and test again whether the server has room."""
    at, of = unsigned(server), unsigned(kind)
    for resource in range(demand.shape[1]):
        free[at, resource] += by * demand[of, resource]
    bit = np.uint64(1) << np.uint64(server & 63)
    for other in range(demand.shape[0]):
        fits = True
        for resource in range(demand.shape[1]):
            fits &= free[at, resource] >= demand[other, resource]
        if fits:
            room[other, unsigned(server >> 6)] |= bit
        else:
            room[other, unsigned(server >> 6)] &= ~bit


@jitable
def rise(heap_time: Array, heap_job: Array, hole: int, time: float, job: int) -> None:
    """Insert into a four-ary heap."""
    while hole > 0:
        above, here = unsigned((hole - 1) >> 2), unsigned(hole)
        if heap_time[above] <= time:
            break
        heap_time[here], heap_job[here] = heap_time[above], heap_job[above]
        hole = (hole - 1) >> 2
    heap_time[unsigned(hole)], heap_job[unsigned(hole)] = time, job


@jitable
def sink(heap_time: Array, heap_job: Array, last: int) -> None:
    """Remove the first entry of a heap of *last* + 1."""
    time, job = heap_time[unsigned(last)], heap_job[unsigned(last)]
    hole, child = 0, 1
    while child < last:
        best = child
        for other in range(child + 1, min(child + 4, last)):
            if heap_time[unsigned(other)] < heap_time[unsigned(best)]:
                best = other
        to, source = unsigned(hole), unsigned(best)
        if heap_time[source] >= time:
            break
        heap_time[to], heap_job[to] = heap_time[source], heap_job[source]
        hole, child = best, 4 * best + 1
    heap_time[unsigned(hole)], heap_job[unsigned(hole)] = time, job


C_SOURCE = r"""
#include <stdint.h>
typedef int64_t i64;
static void change(i64 J, i64 n, i64 W, const i64 *demand, i64 *left, uint64_t *room,
                   i64 server, i64 kind, i64 by) {
    for (i64 r = 0; r < n; r++) left[server * n + r] += by * demand[kind * n + r];
    uint64_t bit = 1ull << (server & 63);
    for (i64 j = 0; j < J; j++) {
        int fits = 1;
        for (i64 r = 0; r < n; r++) fits &= left[server * n + r] >= demand[j * n + r];
        uint64_t *word = room + j * W + (server >> 6);
        *word = fits ? *word | bit : *word & ~bit;
    }
}
static i64 first_bit(const uint64_t *words, i64 W) {
    for (i64 w = 0; w < W; w++) if (words[w]) return w * 64 + __builtin_ctzll(words[w]);
    return -1;
}
static void rise(double *at, i64 *jobs, i64 hole, double time, i64 job) {
    while (hole > 0) {
        i64 parent = (hole - 1) >> 2;
        if (at[parent] <= time) break;
        at[hole] = at[parent]; jobs[hole] = jobs[parent]; hole = parent;
    }
    at[hole] = time; jobs[hole] = job;
}
static void sink(double *at, i64 *jobs, i64 last) {
    double time = at[last]; i64 job = jobs[last], hole = 0, child = 1;
    while (child < last) {
        i64 best = child, end = child + 4 < last ? child + 4 : last;
        for (i64 other = child + 1; other < end; other++) if (at[other] < at[best]) best = other;
        if (at[best] >= time) break;
        at[hole] = at[best]; jobs[hole] = jobs[best]; hole = best; child = 4 * best + 1;
    }
    at[hole] = time; jobs[hole] = job;
}
i64 run(i64 arrivals, const i64 *sizes, const i64 *demand, i64 *left, uint64_t *room, double *at,
        i64 *jobs, const double *time, const i64 *type, const double *service,
        uint8_t *rejected) {
    i64 J = sizes[1], n = sizes[2], W = sizes[3], size = sizes[4], departed = 0;
    for (i64 number = 0; number < arrivals; number++) {
        while (size > 0 && at[0] <= time[number]) {
            i64 job = jobs[0];
            sink(at, jobs, --size);
            change(J, n, W, demand, left, room, job / J, job % J, 1);
            departed++;
        }
        i64 kind = type[number], server = first_bit(room + kind * W, W);
        if (server < 0) { rejected[number] = 1; continue; }
        change(J, n, W, demand, left, room, server, kind, -1);
        rise(at, jobs, size++, time[number] + service[number], server * J + kind);
    }
    return departed;
}
"""


def compiled_c(folder: Path) -> Callable[[Arrays], int] | None:
    """The loop in C, or None where no compiler is installed."""
    source = folder / "loss.c"
    source.write_text(C_SOURCE, encoding="utf-8")
    library = library_of(source, folder)
    if library is None:
        return None
    function = library.run
    function.restype = ctypes.c_int64

    def run(arrays: Arrays) -> int:
        pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in arrays]
        return int(function(ctypes.c_int64(len(arrays.time)), *pointers))

    return run


def compiled_numba() -> Callable[[Arrays], int]:
    """The same loop by Numba, compiled as the program's kernels are."""
    twin = compiled(bare_loop)
    return lambda arrays: int(twin(*arrays))


def outcome_of(arrays: Arrays, departed: int) -> Outcome:
    """The results of a loop over arrays."""
    return Outcome(len(arrays.time) + departed, np.flatnonzero(arrays.rejected).tolist())
