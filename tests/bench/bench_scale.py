"""Scale beyond the papers: 100,000 servers or millions of waiting jobs against few, and two processors against one.

Run with ``python -m tests.bench.bench_scale [--quick]``.  The number of steps does not grow with the scale; an
event costs more because of cache misses, as the same work in C shows where there is one.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter, thread_time
from typing import Any, Callable, Mapping, Sequence
from unittest.mock import patch

import numpy as np

from slotscope.model.cli.replicating import side_by_side
from slotscope.model.jit import compiled
from slotscope.model.kinds.queue.rows import QUEUE_ROW
from slotscope.model.kinds.queue.state import WAITING, QueueState
from slotscope.model.lab.parts import Part, carry_out
from slotscope.model.lab.runs import StraightRun, bench_of
from slotscope.model.lab.simulation import simulations
from slotscope.model.running.assembly import assemble
from slotscope.model.running.engine import Task, started
from slotscope.model.scenario.load import as_data, edited, load_scenario
from slotscope.model.scenario.streams import BlockStreams
from slotscope.model.systems.state import size_in_bytes
from tests.bench import bench_engines, bench_moldable, bench_phases, bench_queues, moldable_ways
from tests.bench import simpy_loss as loss
from tests.bench.contestants import TAPE, counted, of_engine
from tests.bench.memory import NEAR, followed, grown_by_reads, ring
from tests.bench.timing import (
    SETTLED,
    Contestant,
    Limit,
    aim,
    asked_rounds,
    comparison,
    interleaved,
    ratios,
    section,
    settled,
    spread,
)

#: Servers, or the scale of jobs with phases.
FEW, MANY = 1000, 100_000

#: Events per round; a slot of a queue moves some thousand jobs if there are many servers.
EVENTS, SLOTS = 200_000, {FEW: 1000, MANY: 20}

#: A contestant that continues from a state, and the state.
Made = tuple[Contestant, Any]

#: Steps of a bare loop in one part.
STEPS = 10**8

#: Waiting jobs: few, and many in a short run and in a full one.
FEW_WAIT, MANY_WAIT, MOST_WAIT = 100_000, 1_000_000, 10_000_000

#: Processors, and the target of the speed-up of replications on them.
PLANNED = {2: 1.9, 16: 10.0}

#: Events of a large sweep, and the hours of a night in which it should be done.
VERY_MANY, NIGHT = 10**10, 12

#: Scenarios that are replicated, each until a time that takes some tenths of a second.
REPLICATED = {"dra-vms": 2000.0, "jrs-two-phases": 8000.0, "moldable-linear": 1000.0}


def of_reservation(policy: str, servers: int) -> Made:
    """DRA or one of its peers, settled."""
    bench, state = settled(servers, policy, SETTLED)
    return of_engine(bench.kernel(), bench.system.row_dtype, state, EVENTS), state


def of_phases(policy: str, scale: int) -> Made:
    """JRS or one of its peers, settled."""
    given = "scenario_A.json" if policy == "jrs" else ""
    bench = bench_phases.bench_of("jrs-two-phases", scale, policy, given)
    state = bench_phases.settled(bench, 10 * max(scale, TAPE))
    return of_engine(bench.kernel(), bench.system.row_dtype, state, EVENTS), state


def of_moldable(policy: str, servers: int) -> Made:
    """Moldable jobs, settled."""
    bench = bench_moldable.bench_of("moldable-sublinear", servers, policy)
    state = bench_moldable.settled(bench)
    return bench_moldable.going_on(moldable_ways.by_kernel(bench, state, EVENTS), state), state


def of_queue(policy: str, servers: int) -> Made:
    """Servers with a queue, settled; its unit is one move of a job."""
    bench = bench_queues.bench_of("queues-wide-jobs", policy, {}, servers)
    state = bench_queues.settled(bench, 150)
    unit = bench_queues.jobs_moved
    return of_engine(bench.kernel(), bench.system.row_dtype, state, SLOTS[servers], unit), state


def loss_in_c(servers: int, folder: Path) -> Contestant | None:
    """First fit as a bare loop in C on the same jobs, without any avoidable step; None without a compiler."""
    in_c = loss.compiled_c(folder)
    bench, state = settled(servers, "first-fit", SETTLED)
    return in_c and counted(bench_engines.over_arrays(loss.problem_of(bench, state, EVENTS), in_c))


def moldable_in_c(servers: int, folder: Path) -> Contestant | None:
    """Moldable jobs in C, in the same way."""
    library = moldable_ways.compiled_c(folder)
    bench = bench_moldable.bench_of("moldable-sublinear", servers)
    state = bench_moldable.settled(bench)
    return library and bench_moldable.going_on(moldable_ways.in_c(bench, library, state, EVENTS), state)


#: Of each kind: the function that makes contestants, its policies, and the uncached reads per event or job moved.
KINDS: Mapping[str, tuple[Callable[[str, int], Made], tuple[str, ...], float, str]] = {
    "reservation": (of_reservation, ("dra", "first-fit", "best-fit"), 2, "an event's job and its server"),
    "phases": (of_phases, ("jrs", "first-fit"), 2, "an event's job and its server"),
    "moldable": (of_moldable, ("greedy-p",), 1, "an event's job"),
    "queue": (of_queue, ("bf-js", "vqs", "fifo-ff"), 1, "the job that is moved"),
}

#: The functions that make the same in C.
IN_C: Mapping[tuple[str, str], Callable[[int, Path], Contestant | None]] = {
    ("reservation", "first-fit"): loss_in_c,
    ("moldable", "greedy-p"): moldable_in_c,
}


def bench_servers(rounds: int) -> None:
    """The cost of an event with many servers and with few, under each policy."""
    for kind, (make, policies, *_) in KINDS.items():
        for policy in policies:
            (few, _), (many, state) = (make(policy, count) for count in (FEW, MANY))
            bench_growth(kind, policy, {f"{policy}, {FEW}": few, f"{policy}, {MANY}": many}, state, rounds)


def bench_growth(kind: str, policy: str, ways: dict[str, Contestant], state: Any, rounds: int) -> None:
    """The growth of an event's cost, compared with C where that does the same, else with unavoidable reads."""
    with tempfile.TemporaryDirectory() as folder:
        for count in (FEW, MANY):
            make = IN_C.get((kind, policy))
            if make is not None and (way := make(count, Path(folder))) is not None:
                ways[f"the same in C, {count}"] = way
        times = interleaved(ways, rounds)
    section(f"{kind}: {policy}", comparison(times))
    few, many, *in_c = times.values()
    *_, reads, of_what = KINDS[kind]
    if in_c:
        limit = Limit("the same in C", ratios(in_c[1], in_c[0]))
    else:
        limit = grown_by_reads(few, reads, size_in_bytes(state), of_what)
    more = 1e9 * spread(y - x for x, y in zip(few, many, strict=True)).median
    what = f"cost of an event, {MANY} servers / {FEW}: {kind}, {policy}"
    aim(what, 1, ratios(many, few), limit=limit, limit_is=f"{more:.0f} ns more")


def overloaded(waiting: int) -> tuple[Any, QueueState]:
    """A run of 1000 servers with twice the load that they can serve, when this many jobs wait."""
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
    """The cost of a job while very many wait, and the memory per job."""
    ways = {}
    for waiting in (FEW_WAIT, most):
        bench, state = overloaded(waiting)
        ways[f"{waiting} wait"] = of_engine(bench.kernel(), bench.system.row_dtype, state, 500, bench_queues.jobs_moved)
        bytes_each = size_in_bytes(state) / len(state.job_number)
    times = interleaved(ways, rounds)
    few, many = times.values()
    section("a very long queue, bf-js", comparison(times, "job"), f"\na job's record takes {bytes_each:.0f} bytes")
    more = 1e9 * spread(y - x for x, y in zip(few, many, strict=True)).median
    what = f"cost of a job, {most} waiting / {FEW_WAIT}: bf-js"
    aim(what, 1, ratios(many, few), limit_is=f"{more:.0f} ns more")


def own_seconds() -> float:
    """The clock of the calling thread, without the time in which it waited for a core, where the system tells that."""
    told = Path("/proc/thread-self/schedstat")
    return perf_counter() - (int(told.read_text().split()[1]) / 1e9 if told.exists() else 0.0)


def gain_of_two(parts: Sequence[Any], work: Callable[[Any], Any]) -> tuple[float, float, float]:
    """The speed-up of two threads over one for the same parts; the seconds of a part in two threads; and the speed-up
    without any waiting.

    The time of a part is that of its thread, including waiting for the other thread, but without the time in which
    other programs have the processor.  On an idle machine this is the elapsed time.  On a loaded one, a thread may
    lose its processor while it holds Python's lock, and the other thread then waits for both.
    """

    def seconds(threads: int) -> tuple[float, float]:
        spent: list[tuple[float, float]] = []

        def carried_out(part: Any, *_: Any) -> None:
            began, worked = own_seconds(), thread_time()
            work(part)
            spent.append((own_seconds() - began, thread_time() - worked))

        side_by_side(parts.__getitem__, carried_out, len(parts), threads, lambda *_: None)
        own, working = (sum(each) / threads / len(parts) for each in zip(*spent, strict=True))
        return own, working

    (one, one_works), (two, two_work) = seconds(1), seconds(2)
    return one / two, two, one_works / two_work


def bench_threads(name: str, until: float, rounds: int) -> None:
    """Replications of one scenario in two threads against one, compared with two bare loops that share nothing.

    The speed-up that two and 16 processors allow follows from the share of time that holds Python's lock.
    """
    parts = simulations(load_scenario(name), range(1, 5), until / 10, until, name)
    ways = ((parts, carry_out), ([STEPS] * len(parts), partial(compiled(followed), ring(NEAR), 0)))
    for some, work in ways:
        work(some[0])  # compiles the code and solves the plans
    found = [[gain_of_two(*way) for way in ways] for _ in range(rounds)]
    (gained, seconds, working), (bare, *_) = (zip(*each, strict=True) for each in zip(*found, strict=True))
    shares = [locked_share(part) for part in parts]
    shared = f"{spread(shares).text(2)} of a run holds Python's lock"
    limit = Limit("two bare loops that share neither memory nor a lock", bare)
    why = f"{shared}; {spread(working).text()} if no thread waited for one that lost its processor with the lock"
    aim(f"replications, two threads / one: {name}", 1.9, gained, at_least=True, limit=limit, limit_is=why)
    hours = VERY_MANY * min(seconds) / events_of(parts[0]) / 3600
    aim(f"a sweep of 10¹⁰ events in two threads, projected: {name}", NIGHT, [hours], "h")
    most = spread(1 / share for share in shares).text(3)
    for processors, wanted in PLANNED.items():
        given = [by_amdahl(share, processors) for share in shares]
        why = f"{shared}: no number of processors gives more than {most}"
        aim(f"by what is shared, on {processors} processors: {name}", wanted, given, at_least=True, limit_is=why)


def events_of(part: Part) -> int:
    """The events of a replication."""
    return int(StraightRun(bench_of(part)).to(part.settings["until"]).number[0])


def by_amdahl(shared: float, processors: int) -> float:
    """The speed-up if a share of the work is done by one processor at a time (Amdahl's law)."""
    return 1 / (shared + (1 - shared) / processors)


def locked_share(part: Part) -> float:
    """The share of a replication's CPU time that holds Python's lock.

    The compiled kernel and NumPy, which draws the jobs, release the lock.  Making the random generators holds it.
    """
    run = StraightRun(bench_of(part))
    unlocked = [0.0]

    def timed(call: Callable[..., Any], share: float = 1.0) -> Callable[..., Any]:
        def watched(*given: Any) -> Any:
            began = thread_time()
            result = call(*given)
            unlocked[0] += share * (thread_time() - began)
            return result

        return watched

    engine: Any = run._engine
    engine._run, engine.block_at = timed(engine._run), timed(engine.block_at)
    began, settings = thread_time(), part.settings
    with patch.object(BlockStreams, "__call__", timed(BlockStreams.__call__, share=-1.0)):
        run.bench.kind.run_batches(run.bench.numbers, run.to, settings["warmup"], settings["until"])
    return 1 - unlocked[0] / (thread_time() - began)


#: Rows of a trace, which should be read in a night as well.
BILLION = 10**9

#: Writes recorded jobs as Parquet; then reads all to use the first of them, and prints the megabytes that this took
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
    """Memory and time to read a recorded workload with ten times as many rows, of which as many are used."""
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
    growth = max(many, 1.0) / max(few, 1.0)  # memory below the peak of the imports is not visible
    aim(f"memory of reading {10 * rows} rows of Parquet / {rows}", 1.2, [growth], limit_is=limit)
    limit = f"{100 * alone / seconds:.0f} % of it is pyarrow's, which turns the file into numbers"
    what = f"reading a billion rows of Parquet, projected from {10 * rows}"
    aim(what, NIGHT, [BILLION * seconds / (10 * rows) / 3600], "CPU h", limit_is=limit)


def main() -> None:
    """Measure everything and print the tables."""
    rounds, quick = asked_rounds(__doc__, "two rounds, a million waiting jobs")
    bench_servers(rounds)
    bench_waiting(MANY_WAIT if quick else MOST_WAIT, rounds)
    bench_parquet(1_000_000 if quick else 10_000_000)
    for name, until in REPLICATED.items():
        bench_threads(name, until, rounds)


if __name__ == "__main__":
    main()
