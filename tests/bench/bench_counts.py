"""Instructions, memory accesses and cache misses per event, counted for the kernels and for the same work in C.

Run with ``python -m tests.bench.bench_counts [--quick]``; it needs Valgrind and a C compiler.  Each way runs in
its own process: once uncounted, so that its code is compiled, and then counted by Callgrind, which is told when to
begin and to end.  All ways are compiled for the same processor, whose instructions Valgrind supports.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Mapping, NamedTuple

from slotscope.model.kinds.queue.state import with_room
from slotscope.model.systems.state import copied
from tests.bench import bench_engines, bench_moldable, bench_phases, bench_queues, moldable_ways
from tests.bench.contestants import counted
from tests.bench.queue_ways import compiled_ways, problem_of
from tests.bench.timing import ARCHITECTURE, SETTLED, SIZES, Contestant, aim, section, settled, table

ROOT = Path(__file__).resolve().parents[2]

#: A processor that both compilers and Valgrind support, and common cache sizes: bytes, associativity, line size.
KNOWN = {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "", ARCHITECTURE: "haswell"}
CACHES = ("--cache-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64", "--LL=33554432,16,64")

#: Tells Callgrind when to begin and to end counting.
COUNTING = """
#include <valgrind/callgrind.h>
void begin(void) { CALLGRIND_START_INSTRUMENTATION; CALLGRIND_ZERO_STATS; }
void end(void) { CALLGRIND_STOP_INSTRUMENTATION; }
"""

#: Events, or slots, per count.
EVENTS = 40_000

#: Most instructions of a kernel per instruction of C: nine tenths of C's speed, if all take equally long.
MOST = 1 / 0.9

_COUNTED = re.compile(r"(I +refs|D +refs|LLd misses): +([\d,]+)")


class Counts(NamedTuple):
    """Counts per event."""

    instructions: float
    data: float  #: reads and writes
    far: float  #: last-level cache misses

    @classmethod
    def told(cls, text: str, events: float) -> Counts:
        """The counts per event, from the output of Callgrind for this many events."""
        refs = {"".join(name.split()): float(count.replace(",", "")) for name, count in _COUNTED.findall(text)}
        return cls(*(refs[name] / events for name in ("Irefs", "Drefs", "LLdmisses")))


def of_loss(servers: str, folder: Path) -> dict[str, Contestant]:
    """First fit: the kernel, and only its loop in C."""
    bench, state = settled(int(servers), "first-fit", SETTLED)
    ways = bench_engines.loss_contestants(bench, state, (EVENTS, 1, 1), folder)
    return {
        name: counted(way) for name, way in ways.items() if name in {"kernel", "Numba, bare loop", "C -O3, bare loop"}
    }


def of_queue(name: str, folder: Path) -> dict[str, Contestant]:
    """BF-J/S: the kernel, and the same work in C."""
    bench = bench_queues.bench_of(name, "bf-js", {}, None)
    state = with_room(copied(bench_queues.settled(bench, 2000)), 10_000)
    ways = compiled_ways(problem_of(bench, state, EVENTS), folder)
    return {title: counted(way, "slots") for title, way in ways.items() if "only" not in title}


def of_phases(name: str, folder: Path) -> dict[str, Contestant]:
    """JRS: the kernel, and the same work in C."""
    case = next(case for case in bench_phases.CASES if case[0] == name)
    ways = bench_phases.ways_of(bench_phases.bench_of(case[0], case[1], given=case[2]), (EVENTS, 1, 1), folder)
    return {title: ways[title] for title in ("kernel", bench_phases.IN_C) if title in ways}


def of_moldable(servers: str, folder: Path) -> dict[str, Contestant]:
    """greedy(p*): the kernel, and the same work in C."""
    bench = bench_moldable.bench_of("moldable-sublinear", int(servers))
    state, library = bench_moldable.settled(bench), moldable_ways.compiled_c(folder)
    ways = {"kernel": moldable_ways.by_kernel(bench, state, EVENTS)}
    if library is not None:
        ways["C -O3"] = moldable_ways.in_c(bench, library, state, EVENTS)
    return {title: bench_moldable.going_on(way, state) for title, way in ways.items()}


#: What is counted: by its title, the function that makes its ways, and that function's argument.
CASES = {
    f"first fit, L = {SIZES[0]}": (of_loss, str(SIZES[0])),
    "BF-J/S, queues-wide-jobs": (of_queue, "queues-wide-jobs"),
    "BF-J/S, queues-vqs-unstable": (of_queue, "queues-vqs-unstable"),
    "JRS, jrs-two-phases": (of_phases, "jrs-two-phases"),
    "JRS, jrs-fixed-sizes": (of_phases, "jrs-fixed-sizes"),
    f"moldable, moldable-sublinear, n = {SIZES[2]}": (of_moldable, str(SIZES[2])),
    f"first fit, L = {SIZES[1]}": (of_loss, str(SIZES[1])),
    "BF-J/S, queues-small-jobs": (of_queue, "queues-small-jobs"),
    "JRS, jrs-three-phases": (of_phases, "jrs-three-phases"),
}

#: The number of cases in a short run: those of kernels that were measured to be slower than C.
FEW = 6


def carry_out(case: str, way: str) -> None:
    """Run one way uncounted and then counted, in its own process; print its number of events, and all ways."""
    make, of_what = CASES[case]
    with tempfile.TemporaryDirectory() as folder:
        ways = make(of_what, Path(folder))
        counting = told_to_count(Path(folder))
        ways[way]()()
        work = ways[way]()
        counting.begin()
        events = work()
        counting.end()
    print(events, *ways, sep="\n", flush=True)
    os._exit(0)


def told_to_count(folder: Path) -> ctypes.CDLL:
    """A library that tells Callgrind when to begin and to end counting."""
    source, library = folder / "counting.c", folder / "counting.so"
    source.write_text(COUNTING)
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    return ctypes.CDLL(str(library))


def process(case: str, way: str, *before: str) -> tuple[list[str], str]:
    """Run one way in a process; its standard output and standard error."""
    done = subprocess.run(
        [*before, sys.executable, "-m", "tests.bench.bench_counts", "--case", case, "--way", way],
        cwd=ROOT,
        env=os.environ | KNOWN,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines(), done.stderr


def counts_of(case: str) -> dict[str, Counts]:
    """The counts of each way, the kernel's first."""
    ways = process(case, "kernel")[0][1:]  # compiles the kernel, which would take long under Valgrind
    found: dict[str, Counts] = {}
    with tempfile.TemporaryDirectory() as folder:
        valgrind = ("valgrind", "--tool=callgrind", "--instr-atstart=no", *CACHES)
        for way in ways:
            told, of_it = process(case, way, *valgrind, f"--callgrind-out-file={folder}/counts")
            found[way] = Counts.told(of_it, float(told[0]))
    return found


def report(case: str, found: Mapping[str, Counts]) -> None:
    """Print the table of a case, and its target."""
    heads = ("way", "instructions", "reads and writes", "of which no cache holds")
    rows = [(way, *(f"{count:.3g}" for count in one)) for way, one in found.items()]
    section(f"an event of {case}, counted", table(heads, rows))
    in_c = next(way for way in found if way.startswith("C -O3"))
    mine, theirs = found["kernel"], found[in_c]
    why = (
        f"{mine.instructions:.0f} for {theirs.instructions:.0f} of C's, {mine.data:.0f} for {theirs.data:.0f} reads "
        f"and writes, of which no cache holds {mine.far:.2f} for {theirs.far:.2f}; at C's pace for each of them the "
        f"kernel had {theirs.instructions / mine.instructions:.2f} of its speed"
    )
    aim(f"instructions of the kernel / {in_c}: {case}", MOST, [mine.instructions / theirs.instructions], limit_is=why)


def main() -> None:
    """Count all cases and print the targets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help=f"the first {FEW} cases only")
    parser.add_argument("--case", help="for a process of its own: what it runs")
    parser.add_argument("--way", default="kernel")
    arguments = parser.parse_args()
    if arguments.case:
        carry_out(arguments.case, arguments.way)
    if shutil.which("valgrind") is None or shutil.which("cc") is None:
        print("Valgrind or a C compiler is missing: nothing is counted.")
        return
    for case in list(CASES)[: FEW if arguments.quick else None]:
        report(case, counts_of(case))


if __name__ == "__main__":
    main()
