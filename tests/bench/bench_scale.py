"""Scale beyond the papers: 100,000 servers or millions of waiting jobs against few, and two processors against one.

Run with ``python -m tests.bench.bench_scale [--quick]``.  Steps are as many at any scale; what an event costs
more is waiting for memory that is in no cache, as the same work in C shows where there is one.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter, process_time, thread_time
from typing import Any, Callable, Mapping

import numpy as np
from numba import njit

from slotscope.model.cli.replicating import side_by_side
from slotscope.model.kinds.queue.rows import QUEUE_ROW
from slotscope.model.kinds.queue.state import WAITING, QueueState
from slotscope.model.lab.executor import LocalWorkers
from slotscope.model.lab.parts import Part, carry_out
from slotscope.model.lab.runs import StraightRun
from slotscope.model.lab.simulation import bench_of, simulations
from slotscope.model.running.assembly import assemble
from slotscope.model.running.engine import Task, started
from slotscope.model.scenario.load import as_data, edited, load_scenario
from slotscope.model.systems.state import size_in_bytes
from tests.bench import bench_engines, bench_moldable, bench_phases, bench_queues, moldable_ways
from tests.bench import simpy_loss as loss
from tests.bench.contestants import TAPE, counted, of_engine
from tests.bench.timing import SETTLED, Contestant, aim, comparison, interleaved, section, settled, spread, table

#: Servers, or the scale of jobs with phases.
FEW, MANY = 1000, 100_000

#: Events of a round; slots of a queue move some thousand jobs each where servers are many.
EVENTS, SLOTS = 200_000, {FEW: 1000, MANY: 20}

#: Places of 8 bytes that the nearest caches hold, and that none holds; reads of them in turn.
CACHED, UNCACHED, STEPS = 2**13, 2**23, 2**20

#: Waiting jobs: few, and many in a short run and in a full one.
FEW_WAIT, MANY_WAIT, MOST_WAIT = 100_000, 1_000_000, 10_000_000

#: Processors, and how many times as fast replications shall be on them.
PLANNED = {2: 1.9, 16: 10.0}

#: Events of a large sweep, and the hours of a night in which it shall be done.
VERY_MANY, NIGHT = 10**10, 12

#: Scenarios that are replicated, each until a time of some tenths of a second.
REPLICATED = {"dra-vms": 2000.0, "jrs-two-phases": 8000.0, "moldable-linear": 1000.0}


def of_reservation(policy: str, servers: int) -> Contestant:
    """DRA or a peer of it, settled."""
    bench, state = settled(servers, policy, SETTLED)
    return of_engine(bench.kernel(), bench.system.row_dtype, state, EVENTS)


def of_phases(policy: str, scale: int) -> Contestant:
    """JRS or a peer of it, settled."""
    given = "scenario_A.json" if policy == "jrs" else ""
    bench = bench_phases.bench_of("jrs-two-phases", scale, policy, given)
    state = bench_phases.settled(bench, 10 * max(scale, TAPE))
    return of_engine(bench.kernel(), bench.system.row_dtype, state, EVENTS)


def of_moldable(policy: str, servers: int) -> Contestant:
    """Moldable jobs, settled."""
    bench = bench_moldable.bench_of("moldable-sublinear", servers, policy)
    state = bench_moldable.settled(bench)
    return bench_moldable.going_on(moldable_ways.by_kernel(bench, state, EVENTS), state)


def of_queue(policy: str, servers: int) -> Contestant:
    """Servers with a queue, settled; its unit is the job moved."""
    bench = bench_queues.bench_of("queues-wide-jobs", policy, {}, servers)
    return of_engine(
        bench.kernel(),
        bench.system.row_dtype,
        bench_queues.settled(bench, 150),
        SLOTS[servers],
        bench_queues.jobs_moved,
    )


KINDS: Mapping[str, tuple[Callable[[str, int], Contestant], tuple[str, ...]]] = {
    "reservation": (of_reservation, ("dra", "first-fit", "best-fit")),
    "phases": (of_phases, ("jrs", "first-fit")),
    "moldable": (of_moldable, ("greedy-p",)),
    "queue": (of_queue, ("bf-js", "vqs", "fifo-ff")),
}


@njit
def followed(following: Any, steps: int) -> int:
    """Where so many steps lead, each of which must be read before the next."""
    at = 0
    for _ in range(steps):
        at = following[at]
    return at


def miss_nanoseconds() -> float:
    """What a read takes more that no cache holds, of memory as large as the state of very many servers."""
    times = {}
    for places in CACHED, UNCACHED:
        ring = np.random.default_rng(1).permutation(places)
        following = np.empty(places, np.int64)
        following[ring] = np.roll(ring, -1)
        followed(following, places // 4)
        began = process_time()
        followed(following, STEPS)
        times[places] = 1e9 * (process_time() - began) / STEPS
    return times[UNCACHED] - times[CACHED]


def bench_servers(rounds: int) -> None:
    """What an event costs with many servers against few, under each policy."""
    miss = miss_nanoseconds()
    for kind, (contestant, policies) in KINDS.items():
        for policy in policies:
            times = interleaved({f"{policy}, {count}": contestant(policy, count) for count in (FEW, MANY)}, rounds)
            few, many = times.values()
            section(f"{kind}: {policy}", comparison(times))
            grown = [y / x for x, y in zip(few, many, strict=True)]
            more = 1e9 * spread(y - x for x, y in zip(few, many, strict=True)).median
            limit = f"{more:.0f} ns more, the time of {more / miss:.1f} reads that no cache holds ({miss:.0f} ns each)"
            aim(f"cost of an event, {MANY} servers / {FEW}: {kind}, {policy}", 1, grown, limit_is=limit)


def bench_in_c(rounds: int) -> None:
    """The same for bare loops in C over the same jobs, which have no step to spare."""
    with tempfile.TemporaryDirectory() as folder:
        in_c, library = loss.compiled_c(Path(folder)), moldable_ways.compiled_c(Path(folder))
        if in_c is None or library is None:
            section("the same in C", "No C compiler is installed: nothing to compare with.")
            return
        ways: dict[str, Contestant] = {}
        for servers in (FEW, MANY):
            bench, state = settled(servers, "first-fit", SETTLED)
            problem = loss.problem_of(bench, state, EVENTS)
            ways[f"first-fit, {servers}"] = counted(bench_engines.over_arrays(problem, in_c))
        section("first-fit in C", comparison(interleaved(ways, rounds)))
        ways = {}
        for servers in (FEW, MANY):
            moldable = bench_moldable.bench_of("moldable-sublinear", servers)
            before = bench_moldable.settled(moldable)
            way = moldable_ways.in_c(moldable, library, before, EVENTS)
            ways[f"greedy-p, {servers}"] = bench_moldable.going_on(way, before)
        section("greedy-p in C", comparison(interleaved(ways, rounds)))


def overloaded(waiting: int) -> tuple[Any, QueueState]:
    """A run of 1000 servers that get twice what they can serve, when so many jobs wait."""
    scenario = load_scenario("queues-small-jobs")
    data = as_data(scenario)
    changes = {"servers": data["servers"] | {"count": FEW}, "workload": data["workload"] | {"intensity": 2}}
    bench = assemble(edited(scenario, changes))
    kernel, tape = bench.kernel(), np.zeros(500, QUEUE_ROW)
    state: QueueState = started(bench.system)
    while state.number[WAITING] < waiting:
        state = kernel.advance(state, tape, Task()).state
    return bench, state


def bench_waiting(most: int, rounds: int) -> None:
    """What a job costs while very many wait, and the memory of one."""
    ways = {}
    for waiting in (FEW_WAIT, most):
        bench, state = overloaded(waiting)
        ways[f"{waiting} wait"] = of_engine(bench.kernel(), bench.system.row_dtype, state, 500, bench_queues.jobs_moved)
        bytes_each = size_in_bytes(state) / len(state.job_number)
    times = interleaved(ways, rounds)
    few, many = times.values()
    section("a very long queue, bf-js", comparison(times, "job"), f"\na job's record takes {bytes_each:.0f} bytes")
    more, miss = 1e9 * spread(y - x for x, y in zip(few, many, strict=True)).median, miss_nanoseconds()
    limit = f"{more:.0f} ns more, the time of {more / miss:.1f} reads that no cache holds ({miss:.0f} ns each)"
    grown = [y / x for x, y in zip(few, many, strict=True)]
    aim(f"cost of a job, {most} waiting / {FEW_WAIT}: bf-js", 1, grown, limit_is=limit)


def bench_threads(name: str, until: float, rounds: int) -> None:
    """Replications of one scenario in two threads against one, by the clock on the wall: the best of many rounds.

    The same parts in two processes beside: those have to be started, too.  What others leave of the processors
    bounds any of these; what two and 16 processors give by themselves is told by the share that holds Python's lock.
    """
    parts = simulations(load_scenario(name), range(1, 5), until / 10, until, name)
    carry_out(parts[0])  # compiled code and plans are there
    had: list[float] = []

    def in_threads(threads: int) -> Contestant:
        def work() -> float:
            wall, cpu = perf_counter(), process_time()
            side_by_side(parts.__getitem__, lambda part, *_: carry_out(part), len(parts), threads, lambda *_: None)
            if threads == 2:
                had.append((process_time() - cpu) / (perf_counter() - wall))
            return len(parts)

        return lambda: work

    def in_processes() -> float:
        return len(list(LocalWorkers(2).run(parts, lambda: False)))

    ways = {"one thread": in_threads(1), "two threads": in_threads(2), "two processes": lambda: in_processes}
    times = interleaved(ways, rounds, clock=perf_counter)
    rows = [(title, f"{min(mine):.3g}") for title, mine in times.items()]
    section(f"replications of {name}", table(("way", "least seconds a replication"), rows))
    reached = min(times["one thread"]) / min(times["two threads"])
    shares = [locked_share(part) for part in parts]
    limit = f"the process had {max(had):.2f} of 2 processors; {spread(shares).text(2)} of a run holds Python's lock"
    aim(f"replications, one thread / two: {name}", 1.9, [reached], at_least=True, limit_is=limit)
    hours = VERY_MANY * min(times["two threads"]) / events_of(parts[0]) / 3600
    aim(f"a sweep of 10¹⁰ events in two threads, projected: {name}", NIGHT, [hours], "h", limit_is=limit)
    most = spread(1 / share for share in shares).text(3)
    shared = f"{spread(shares).text(2)} of a run holds Python's lock: no number of processors gives more than {most}"
    for processors, wanted in PLANNED.items():
        found = [by_amdahl(share, processors) for share in shares]
        aim(f"by what is shared, on {processors} processors: {name}", wanted, found, at_least=True, limit_is=shared)


def events_of(part: Part) -> int:
    """The events of a replication."""
    return int(StraightRun(bench_of(part.settings, part.seed)).to(part.settings["until"]).number[0])


def by_amdahl(shared: float, processors: int) -> float:
    """How many times as fast, where a share of the work is done by one at a time."""
    return 1 / (shared + (1 - shared) / processors)


def locked_share(part: Part) -> float:
    """Of the CPU time of a replication the share that holds Python's lock.

    That is neither the compiled kernel's, nor NumPy's, which draws the jobs: both let go of it.
    """
    run = StraightRun(bench_of(part.settings, part.seed))
    unlocked = [0.0]

    def timed(call: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*given: Any) -> Any:
            began = thread_time()
            result = call(*given)
            unlocked[0] += thread_time() - began
            return result

        return watched

    engine: Any = run._engine
    engine._run, engine.block_at = timed(engine._run), timed(engine.block_at)
    began, settings = thread_time(), part.settings
    run.bench.kind.run_batches(run.bench.numbers, run.to, settings["warmup"], settings["until"])
    return 1 - unlocked[0] / (thread_time() - began)


#: Rows of a trace that shall be read in a night, too.
BILLION = 10**9

#: Writes so many recorded jobs as Parquet; streams all for the first of them, and tells the megabytes that this took
#: beyond imports, its CPU seconds, and those of pyarrow alone for the same file.
WRITE = """
import sys, numpy as np, pyarrow as pa, pyarrow.parquet as parquet
path, left, start = sys.argv[1], int(sys.argv[2]), 0
with parquet.ParquetWriter(path, pa.schema([("arrival", pa.float64()), ("duration", pa.float64())])) as writer:
    while start < left:
        rows = np.arange(start, min(left, start + 1_000_000), dtype=float)
        writer.write_table(pa.table({"arrival": rows, "duration": 1 + rows % 7}))
        start += len(rows)
"""
READ = """
import sys, resource, pyarrow.parquet
from pathlib import Path
from time import process_time
from slotscope.model.traces.formats import read_jobs
from slotscope.model.traces.job_table import AskedJobs
most = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before, began = most(), process_time()
read_jobs([Path(sys.argv[1])], AskedJobs(limit=100_000))
taken, read = most() - before, process_time()
for batch in pyarrow.parquet.ParquetFile(sys.argv[1]).iter_batches(columns=["arrival", "duration"]):
    for column in batch.columns:
        column.to_numpy()
print(taken / 1024, read - began, process_time() - read)
"""


def bench_parquet(rows: int) -> None:
    """Memory and time that a recorded workload takes in ten times as many rows, of which as many are used."""
    if find_spec("pyarrow") is None:
        section("rows of Parquet", "pyarrow is not installed: nothing is read.")
        return
    taken: list[tuple[float, ...]] = []
    with tempfile.TemporaryDirectory() as folder:
        for count in (rows, 10 * rows):
            path = str(Path(folder) / f"{count}.parquet")
            subprocess.run([sys.executable, "-c", WRITE, path, str(count)], check=True)
            done = subprocess.run([sys.executable, "-c", READ, path], check=True, capture_output=True, text=True)
            taken.append(tuple(map(float, done.stdout.split())))
    (few, *_), (many, seconds, alone) = taken
    limit = f"{few:.0f} MB for {rows} rows, {many:.0f} for ten times as many"
    growth = max(many, 1.0) / max(few, 1.0)  # what lies below the peak of the imports before it does not show
    aim(f"memory of reading {10 * rows} rows of Parquet / {rows}", 1.2, [growth], limit_is=limit)
    limit = f"{100 * alone / seconds:.0f} % of it is pyarrow's, which turns the file into numbers"
    what = f"reading a billion rows of Parquet, projected from {10 * rows}"
    aim(what, NIGHT, [BILLION * seconds / (10 * rows) / 3600], "CPU h", limit_is=limit)


def main() -> None:
    """Measure everything and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--quick", action="store_true", help="two rounds, a million waiting jobs")
    arguments = parser.parse_args()
    rounds = 2 if arguments.quick else arguments.rounds
    bench_servers(rounds)
    bench_in_c(rounds)
    bench_waiting(MANY_WAIT if arguments.quick else MOST_WAIT, rounds)
    bench_parquet(1_000_000 if arguments.quick else 10_000_000)
    for name, until in REPLICATED.items():
        bench_threads(name, until, 3 * rounds)


if __name__ == "__main__":
    main()
