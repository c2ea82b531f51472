"""Servers with a queue: slots per second of the kernels, compared with other implementations of the same.

Run with ``python -m tests.bench.bench_queues [--quick]``.  Three parts: BF-J/S by the kernel, in C, by the
reference and with SimPy; all policies; and the cost of a queue of 100,000 jobs compared with a short one.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from slotscope.model.kinds.queue import physics
from slotscope.model.kinds.queue.rows import QUEUE_ROW
from slotscope.model.kinds.queue.state import (
    ARRIVED,
    DEPARTED,
    DEPARTURES,
    NEXT_ARRIVAL,
    NOW,
    PLACED,
    UNSETTLED,
    QueueState,
    with_room,
)
from slotscope.model.running.assembly import Bench, assemble
from slotscope.model.scenario.load import as_data, edited, load_scenario
from slotscope.model.systems.state import copied, size_in_bytes
from tests.bench.contestants import counted, of_engine, settled
from tests.bench.memory import grown_by_reads
from tests.bench.queue_ways import ANY, SAME, TAPE, compiled_ways, problem_of, ways_of
from tests.bench.timing import (
    Limit,
    aim,
    aim_at_c,
    asked_rounds,
    comparison,
    interleaved,
    ratio,
    ratios,
    section,
    spread,
    table,
)

#: Scenario, servers (None: as in the file), and jobs per round: compiled, reference, SimPy.
CASES: tuple[tuple[str, int | None, tuple[int, int, int]], ...] = (
    ("queues-wide-jobs", None, (100_000, 800, 4000)),
    ("queues-small-jobs", None, (100_000, 800, 4000)),
    ("queues-vqs-unstable", None, (100_000, 800, 4000)),
    ("queues-wide-jobs", 1000, (50_000, 400, 4000)),
)

#: Each policy, with the options that change its speed.
POLICIES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("bf-js", {}),
    ("bf-j", {}),
    ("bf-s", {}),
    ("vqs", {}),
    ("vqs", {"skip": True}),
    ("vqs-bf", {}),
    ("max-weight", {}),
    ("fifo-ff", {}),
    ("fifo-ff", {"skip": True}),
    ("fifo-slots", {}),
)

#: Busy slots per round of a policy, without and with many servers.
SLOTS, SLOTS_OF_MANY = 50_000, 2000

#: Waiting jobs in the last part.  The index takes as many steps for each number; MIDDLE fit the
#: processor's caches and LONG do not, so the last ratio shows the cost of memory.
SHORT, MIDDLE, LONG = 50, 3000, 100_000
#: Policies that place jobs in the order of arrival, so that they read records in sequence.
IN_ORDER = ("vqs", "fifo-ff", "fifo-slots")
#: A job arrives, is placed and departs; in one of these three moves, the placement, its record is no longer cached.
PLACED_OF_MOVES = 1 / 3
#: Busy slots per round of this part: enough to fill the caches, few compared with so long a queue.
BACKLOG_SLOTS = 50_000


def bench_of(name: str, policy: str, options: dict[str, Any], servers: int | None) -> Bench:
    """A scenario under a policy, optionally with another number of servers."""
    scenario = load_scenario(name)
    changes: dict[str, Any] = {"policy": {"name": policy, "parameters": options}}
    if servers is not None:
        changes["servers"] = as_data(scenario)["servers"] | {"count": servers}
    return assemble(edited(scenario, changes))


def backlogged(bench: Bench, state: QueueState, waiting: int) -> QueueState:
    """*state* with *waiting* more jobs in the queue, as if no job had departed while they arrived.

    As after a change of policy, every server counts as one from which a job departs in the next slot.
    """
    state = with_room(copied(state), waiting + TAPE)
    problem = problem_of(bench, state, waiting + 1)
    first = int(state.number[NEXT_ARRIVAL])
    size = problem.size[:waiting, None]
    layout = bench.system.policy.layout
    queue, room = layout.queue_of(size), layout.room_of(size)
    for one in range(waiting):
        record = physics.take_record(state, first + one)
        state.job_size[record], state.job_room[record] = size[one], room[one]
        state.job_service[record] = problem.service[one]
        physics.join(state, record, int(queue[one]))
    state.number[NEXT_ARRIVAL] += waiting
    passed = problem.time[waiting] - 1 - state.clock[NOW]
    served = state.heap_record[: state.number[DEPARTURES]]
    state.heap_time[: len(served)] += passed
    state.job_departure[served] += passed
    state.clock[NOW] += passed
    state.last_departure[...] = int(state.clock[NOW]) + 1
    state.number[UNSETTLED] = 1
    return state


def jobs_moved(state: QueueState) -> int:
    """Arrivals, placements and departures so far."""
    return int(state.tally[[ARRIVED, PLACED, DEPARTED]].sum())


def titled(name: str, servers: int | None) -> str:
    """The title of a case in headings."""
    return name if servers is None else f"{name}, L = {servers}"


def bench_ways(name: str, servers: int | None, counts: tuple[int, int, int], rounds: int) -> None:
    """Print the table of the ways of BF-J/S."""
    bench = bench_of(name, "bf-js", {}, servers)
    with tempfile.TemporaryDirectory() as folder:
        found = ways_of(bench, settled(bench, 2000), counts, Path(folder))
        times = interleaved({title: counted(way, "slots") for title, way in found.items()}, rounds)
    without = () if SAME in found else ("No C compiler is installed: nothing to compare with.",)
    section(f"BF-J/S, {titled(name, servers)}", comparison(times, "slot"), *without)
    if SAME in found:
        least = Limit(f"{ANY} / {SAME}", ratios(times[SAME], times[ANY]))
        aim_at_c(f"BF-J/S, {titled(name, servers)}", times, "kernel", SAME, limit=least)


def bench_policies(name: str, servers: int | None, rounds: int, slots: int) -> None:
    """Print the table of all policies that the scenario's sizes allow."""
    ways = {}
    for policy, options in POLICIES:
        if policy == "max-weight" and name != "queues-vqs-unstable":  # it needs finitely many sizes
            continue
        bench = bench_of(name, policy, options, servers)
        title = " ".join((policy, *options))
        ways[title] = of_engine(bench.kernel(), QUEUE_ROW, settled(bench, min(2000, slots)), slots)
    section(f"policies, {titled(name, servers)}", comparison(interleaved(ways, rounds), "slot"))


def bench_backlog(name: str, rounds: int, long: int, slots: int) -> None:
    """Print the cost of a job with a long queue and with a short one; a slot can move more jobs with the long one."""
    rows = []
    for policy, options in POLICIES:
        if policy == "max-weight":
            continue
        bench, title = bench_of(name, policy, options, None), " ".join((policy, *options))
        state = settled(bench, 500)
        ways = {
            str(waiting): of_engine(bench.kernel(), QUEUE_ROW, backlogged(bench, state, waiting), slots, jobs_moved)
            for waiting in (SHORT, MIDDLE, long)
        }
        few, some, many = times = [*interleaved(ways, rounds).values()]
        size = size_in_bytes(backlogged(bench, state, long))
        more = 1e9 * spread(y - x for x, y in zip(few, many, strict=True)).median
        limit = None  # records in sequence are prefetched
        if title not in IN_ORDER:
            limit = grown_by_reads(few, PLACED_OF_MOVES, size, "a job's record, when it is placed")
        what = f"cost of a job, {long} waiting / {SHORT}: {title}, {name}"
        aim(what, 1.1, ratios(many, few), limit=limit, limit_is=f"{more:.0f} ns more")
        costs = (spread(1e9 * second for second in each).text() for each in times)
        rows.append((title, *costs, ratio(some, few).text(), ratio(many, few).text()))
    waits = (f"CPU ns per job moved, {SHORT} wait", f"{MIDDLE} wait", f"{long} wait")
    heads = ("policy", *waits, f"{MIDDLE} / {SHORT}", f"{long} / {SHORT}")
    section(f"a long queue, {name}", table(heads, rows))


def bench_backlog_in_c(name: str, rounds: int, long: int, arrivals: int) -> None:
    """Print the cost of a long queue for BF-J/S in C: cache misses cost every implementation the same."""
    bench = bench_of(name, "bf-js", {}, None)
    state = settled(bench, 500)
    with tempfile.TemporaryDirectory() as folder:
        for waiting in (SHORT, long):
            start = with_room(backlogged(bench, state, waiting), TAPE)
            found = compiled_ways(problem_of(bench, start, arrivals), Path(folder))
            times = interleaved({title: counted(way, "slots") for title, way in found.items()}, rounds)
            section(f"BF-J/S, {name}, {waiting} wait", comparison(times, "slot"))


def main() -> None:
    """Measure everything and print the tables."""
    rounds, _ = asked_rounds(__doc__, "two rounds of everything")
    for name, servers, counts in CASES:
        bench_ways(name, servers, counts, rounds)
    bench_policies("queues-vqs-unstable", None, rounds, SLOTS)
    bench_policies("queues-wide-jobs", None, rounds, SLOTS)
    bench_policies("queues-wide-jobs", 1000, rounds, SLOTS_OF_MANY)
    for name in ("queues-wide-jobs", "queues-small-jobs"):
        bench_backlog(name, rounds, LONG, BACKLOG_SLOTS)
    bench_backlog_in_c("queues-wide-jobs", rounds, LONG, BACKLOG_SLOTS // 2)


if __name__ == "__main__":
    main()
