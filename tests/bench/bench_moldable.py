"""Moldable jobs: events per second of the kernel, compared with other implementations of the same.

Run with ``python -m tests.bench.bench_moldable [--quick]``.  Four parts: the kernel and the
same work in C; whole programs, which generate their jobs as they need them; all policies; and a
user's policy by its kernel and its reference, compared with a policy of the program (``--own``: this part alone).
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, Sequence

import numpy as np

from slotscope.model.kinds.moldable.rows import MOLDABLE_ROW
from slotscope.model.kinds.moldable.state import EVENT, MoldableState
from slotscope.model.running.assembly import Bench, assemble
from slotscope.model.running.engine import Task, started
from slotscope.model.scenario.load import as_data, edited, load_scenario
from tests.bench.contestants import per_second
from tests.bench.moldable_ways import PROGRAMS, TAPE, Kernel, Program, Way, by_kernel, compiled_c, drawn_jobs, in_c
from tests.bench.timing import Contestant, Work, aim_at_c, asked_rounds, comparison, interleaved, section, spread, table

#: Scenario and servers.
CASES: tuple[tuple[str, int], ...] = (
    ("moldable-sublinear", 100),
    ("moldable-sublinear", 1000),
    ("moldable-sublinear", 4000),
    ("moldable-sublinear", 10_000),
    ("moldable-linear", 4000),
    ("moldable-classes", 3000),
)

#: Events of one round: kernel and C, the kernel as a program, the Python programs.
COUNTS = (1_000_000, 10_000_000, 40_000)

#: Simulated time, in mean sizes, after which a run counts as settled.
SETTLED = 4.0

POLICIES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("greedy-p", {}),
    ("greedy", {}),
    ("fixed-width", {"servers": 3}),
    ("threshold", {"steps": [{"free": 100, "servers": 3}, {"free": 1000, "servers": 5}]}),
)


def bench_of(name: str, servers: int, policy: str = "greedy-p", options: dict[str, Any] | None = None) -> Bench:
    """A scenario with another number of servers, under a policy."""
    scenario = load_scenario(name)
    changes: dict[str, Any] = {
        "servers": as_data(scenario)["servers"] | {"count": servers},
        "policy": {"name": policy, "parameters": options or {}},
    }
    return assemble(edited(scenario, changes))


def settled(bench: Bench) -> MoldableState:
    """The state after :data:`SETTLED`."""
    kernel, tape = bench.kernel(), np.zeros(TAPE, MOLDABLE_ROW)
    state: MoldableState = started(bench.system)
    rows = len(tape)
    while rows == len(tape):
        state, rows, *_ = kernel.advance(state, tape, Task(until=SETTLED))
    return state


def going_on(way: Way, before: MoldableState) -> Contestant:
    """A way as a contestant that continues from a state."""

    def contestant() -> Work:
        run = way()
        return lambda: float(run().number[EVENT] - before.number[EVENT])

    return contestant


def program(name: str, servers: int, made: type[Program] | None, events: int) -> Contestant:
    """A whole program that has run until it is settled; None: the kernel, without jobs made in advance."""

    def contestant() -> Work:
        bench = bench_of(name, servers)
        run = Kernel(bench) if made is None else made(bench, drawn_jobs(bench))
        run.run(SETTLED)
        before = run.outcome.events
        until = SETTLED + events / (2 * bench.numbers.rate)

        def work() -> float:
            run.run(until)
            return float(run.outcome.events - before)

        return work

    return contestant


def bench_in_c(name: str, servers: int, events: int, rounds: int) -> None:
    """Print the kernel and the same work in C."""
    bench = bench_of(name, servers)
    state = settled(bench)
    title = f"the same work in C, {name}, n = {servers}"
    with tempfile.TemporaryDirectory() as folder:
        library = compiled_c(Path(folder))
        if library is None:
            section(title, "No C compiler is installed: nothing to compare with.")
            return
        ways = {"C -O3": in_c(bench, library, state, events), "kernel": by_kernel(bench, state, events)}
        times = interleaved({title: going_on(way, state) for title, way in ways.items()}, rounds)
    section(title, comparison(times), "", per_second(times))
    aim_at_c(f"moldable, {name}, n = {servers}", times, "kernel", "C -O3")


def bench_programs(name: str, servers: int, counts: Sequence[int], rounds: int) -> None:
    """Print the kernel and programs in Python, each generating its jobs."""
    many, few = counts
    ways = {"kernel": program(name, servers, None, many)}
    for title, made in PROGRAMS.items():
        ways[title] = program(name, servers, made, few)
    times = interleaved(ways, rounds)
    section(f"whole programs, {name}, n = {servers}", comparison(times), "", per_second(times))


def bench_policies(name: str, sizes: Sequence[int], events: int, rounds: int) -> None:
    """Print the cost of an event under each policy at each number of servers, in CPU nanoseconds."""
    rows = []
    for policy, options in POLICIES:
        row = [policy]
        for servers in sizes:
            bench = bench_of(name, servers, policy, options)
            state = settled(bench)
            ways = {policy: going_on(by_kernel(bench, state, events), state)}
            times = interleaved(ways, rounds)[policy]
            row.append(spread(1e9 * second for second in times).text())
        rows.append(row)
    heads = ("policy", *(f"n = {servers}" for servers in sizes))
    section(f"policies, {name}: CPU ns per event", table(heads, rows))


def main() -> None:
    """Measure everything and print the tables."""
    rounds, _ = asked_rounds(__doc__, "two rounds of everything")
    for name, servers in CASES:
        bench_in_c(name, servers, COUNTS[0], rounds)
    for name, servers in CASES:
        if name != "moldable-classes":  # the programs support one class only
            bench_programs(name, servers, COUNTS[1:], rounds)
    bench_policies("moldable-sublinear", (1000, 4000, 10_000), COUNTS[0], rounds)


if __name__ == "__main__":
    main()
