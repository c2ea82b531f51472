"""Jobs with phases: events per second of the kernels, compared with other implementations of the same.

Run with ``python -m tests.bench.bench_phases [--quick]``.  Two parts: JRS by the kernel, in C, by a Python
program with ``heapq`` and by the reference; and all policies, up to about 3,000 servers.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, Sequence

from slotscope.model.jit import jitable, with_others
from slotscope.model.kinds.phases.kernels import loop
from slotscope.model.kinds.phases.rows import PHASE_ROW
from slotscope.model.kinds.phases.state import EVENT
from slotscope.model.running.assembly import Bench, assemble
from slotscope.model.running.engine import Engine
from slotscope.model.scenario.load import edited, load_scenario
from tests.bench.contestants import counted, of_engine, per_second, settled
from tests.bench.phase_ways import SAME_LOGARITHM, compiled_c, in_c, in_python
from tests.bench.timing import (
    Contestant,
    Limit,
    aim_at_c,
    asked_rounds,
    comparison,
    interleaved,
    ratios,
    section,
    spread,
    table,
)

#: Scenario, scale r, and the file with the policy table.
CASES: tuple[tuple[str, int, str], ...] = (
    ("jrs-two-phases", 100, "scenario_A.json"),
    ("jrs-two-phases", 800, "scenario_A.json"),
    ("jrs-three-phases", 100, "scenario_C.json"),
    ("jrs-fixed-sizes", 100, "scenario_E.json"),
)

#: The folder of the policy tables.
TABLES = Path(__file__).resolve().parents[1] / "golden" / "phases"

#: Events per round: kernel and C, the Python program, the reference.
COUNTS = (200_000, 20_000, 1000)

#: The scales of the second part, the largest with about 3,000 servers, and events per round.
SCALES = (100, 800, 12_000)
EVENTS = 100_000

IN_C, LEAN = "C -O3, rows and trail", "kernel, without rows and trail"
#: With the program's logarithm, which gives the same bits on every machine, instead of the system's.
SAME = f"{IN_C}, the same logarithm"

POLICIES = ("jrs", "grand", "first-fit", "best-fit", "power-of-d")


def bench_of(name: str, scale: int, policy: str = "jrs", given: str = "") -> Bench:
    """A scenario at a scale, under a policy; *given*: the file with the table of JRS."""
    parameters = {"plan": str(TABLES / given)} if given else {}
    changes: dict[str, Any] = {
        "workload": {"kind": "poisson", "scale": scale},
        "policy": {"name": policy, "parameters": parameters},
    }
    return assemble(edited(load_scenario(name), changes))


@jitable
def only_counted(
    state: Any, _tables: Any, _constant: Any, _came: int, _outcome: Any, _tape: Any, _samples: Any, done: Any
) -> bool:
    """The end of an event without writing the row and the trail."""
    state.number[EVENT] += 1
    done[0] += 1
    return False


def without_rows(bench: Bench) -> Engine:
    """The kernel without writing rows and trail, to measure their cost by the difference."""
    kernel: Any = type(bench.kernel())
    lean = type("Lean", (kernel,), {"kernel": with_others(kernel.kernel, {loop.finish: only_counted}, "lean")})
    engine: Engine = lean(bench.system)
    return engine


def ways_of(bench: Bench, counts: tuple[int, int, int], folder: Path) -> dict[str, Contestant]:
    """The kernel, C, the Python program and the reference."""
    many, some, few = counts
    state = settled(bench, many)
    ways = {"kernel": of_engine(bench.kernel(), PHASE_ROW, state, many)}
    for title, options in ((IN_C, ()), (SAME, SAME_LOGARITHM)):
        library = compiled_c(folder, *options)
        if library is not None:
            ways[title] = counted(in_c(bench, library, many))
    ways["Python, heapq"] = counted(in_python(bench, some))
    ways["reference (Python)"] = of_engine(bench.reference, PHASE_ROW, state, few)
    return ways


def bench_ways(name: str, scale: int, given: str, counts: tuple[int, int, int], rounds: int) -> None:
    """Print the tables of the ways of JRS."""
    bench = bench_of(name, scale, given=given)
    with tempfile.TemporaryDirectory() as folder:
        ways = ways_of(bench, counts, Path(folder))
        ways[LEAN] = of_engine(without_rows(bench), PHASE_ROW, settled(bench, counts[0]), counts[0])
        times = interleaved(ways, rounds)
    without = () if IN_C in ways else ("No C compiler is installed: nothing to compare with.",)
    section(f"JRS, {name}, r = {scale}", comparison(times), "", per_second(times), *without)
    if IN_C in times:
        rows = spread(1e9 * (mine - lean) for mine, lean in zip(times["kernel"], times[LEAN], strict=True)).text(2)
        least = Limit(f"{SAME} / {IN_C}", ratios(times[IN_C], times[SAME]))
        for way, limit in ((IN_C, least), (SAME, None)):
            more = spread(1e9 * (mine - c) for mine, c in zip(times["kernel"], times[way], strict=True)).text(2)
            why = f"{more} ns more for an event, of which row and trail take the kernel {rows}"
            aim_at_c(f"JRS, {name}, r = {scale}", times, "kernel", way, limit=limit, limit_is=why)


def bench_policies(name: str, given: str, scales: Sequence[int], rounds: int, events: int) -> None:
    """Print the cost of an event under each policy at each scale, in CPU nanoseconds."""
    rows = []
    for policy in POLICIES:
        row = [policy]
        for scale in scales:
            bench = bench_of(name, scale, policy, given if policy == "jrs" else "")
            way = of_engine(bench.kernel(), PHASE_ROW, settled(bench, 10 * events), events)
            times = interleaved({policy: way}, rounds)[policy]
            row.append(spread(1e9 * second for second in times).text())
        rows.append(row)
    heads = ("policy", *(f"r = {scale}" for scale in scales))
    section(f"policies, {name}: CPU ns per event", table(heads, rows))


def main() -> None:
    """Measure everything and print the tables."""
    rounds, _ = asked_rounds(__doc__, "two rounds of everything")
    for name, scale, given in CASES:
        bench_ways(name, scale, given, COUNTS, rounds)
    bench_policies("jrs-two-phases", "scenario_A.json", SCALES, rounds, EVENTS)


if __name__ == "__main__":
    main()
