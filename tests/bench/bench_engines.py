"""Events per second of the engines, compared with other implementations of the same system.

Run with ``python -m tests.bench.bench_engines [--quick]``.  Every way starts from the same
settled state of the example of Section 7.1 (scaled to more servers) and gets the same jobs.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Callable, Mapping, Sequence

import numpy as np

from slotscope.model.kinds.reservation.rows import EVENT_ROW, FLAG_REJECTED
from slotscope.model.kinds.reservation.state import ReservationState
from slotscope.model.running.assembly import Bench
from slotscope.model.running.engine import Engine, Reason, Task
from slotscope.model.systems.state import copied
from tests.bench import simpy_loss as loss
from tests.bench.contestants import TAPE, counted, of_engine
from tests.bench.first_fit_ways import roomy, same_in_c
from tests.bench.literal_cra import LiteralKernel
from tests.bench.timing import (
    SETTLED,
    SIZES,
    Contestant,
    Limit,
    aim_at_c,
    asked_rounds,
    comparison,
    interleaved,
    ratio,
    ratios,
    section,
    settled,
    spread,
)

#: Events of DRA in one round: kernel, CRA from scratch, reference.
DRA_EVENTS = {180: (200_000, 40_000, 400), 1000: (200_000, 10_000, 200), 10_000: (200_000, 1500, 40)}

#: Arrivals under first fit in one round: compiled, plain Python, SimPy.
ARRIVALS = {180: (200_000, 6000, 3000), 1000: (200_000, 6000, 2000), 10_000: (200_000, 6000, 300)}

#: DRA's other peers, by policy name.
PEERS = {"power-of-d": "power of 5 choices", "best-fit": "best fit", "static-reservation": "static reservation"}

#: First fit in C: without job records, rows, trail and sums over time, and with all of the kernel's work.
BARE, SAME = "C -O3, bare loop", "C -O3, the same work"


def dra_contestants(bench: Bench, state: ReservationState, counts: tuple[int, int, int]) -> dict[str, Contestant]:
    """DRA: the kernel, CRA from scratch, the reference."""
    engines: tuple[tuple[str, Engine], ...] = (
        ("kernel", bench.kernel()),
        ("Numba, CRA from scratch", LiteralKernel(bench.system)),
        ("reference (Python)", bench.reference),
    )
    return {
        name: of_engine(engine, EVENT_ROW, state, events)
        for (name, engine), events in zip(engines, counts, strict=True)
    }


def kernel_until_last(
    bench: Bench, state: ReservationState, problem: loss.Problem
) -> Callable[[], Callable[[], loss.Outcome]]:
    """First fit's kernel on a problem."""
    engine, tape = bench.kernel(), np.zeros(TAPE, EVENT_ROW)
    task = Task(until=float(problem.time[-1]))

    def prepared() -> Callable[[], loss.Outcome]:
        current = copied(state)
        engine.advance(current, tape[:0], Task())

        def run() -> loss.Outcome:
            now, reason, rejected, events = current, Reason.LIMIT, [], 0
            while reason is Reason.LIMIT:
                result = engine.advance(now, tape, task)
                now, reason = result.state, result.reason
                events += result.rows
                done = tape[: result.rows]
                rejected.append(done["job"][done["flags"] & FLAG_REJECTED != 0])
            first = int(state.tally[:, 0].sum()) + bench.system.initial_jobs
            return loss.Outcome(events, (np.concatenate(rejected) - first).tolist(), now)

        return run

    return prepared


def over_arrays(problem: loss.Problem, run: Callable[[loss.Arrays], int]) -> Callable[[], Callable[[], loss.Outcome]]:
    """A loop over arrays on a problem."""

    def prepared() -> Callable[[], loss.Outcome]:
        arrays = loss.arrays_of(problem)
        return lambda: loss.outcome_of(arrays, run(arrays))

    return prepared


def loss_contestants(
    bench: Bench, state: ReservationState, counts: tuple[int, int, int], folder: Path
) -> dict[str, Callable[[], Callable[[], loss.Outcome]]]:
    """First fit: the kernel, the bare loop twice, the kernel's work in C, plain Python, SimPy twice."""
    state = roomy(state)
    large, medium, small = (loss.problem_of(bench, state, count) for count in counts)
    ways = {
        "kernel": kernel_until_last(bench, state, large),
        "Numba, bare loop": over_arrays(large, loss.compiled_numba()),
        "plain Python": lambda: loss.PythonLoop(medium).run,
        "SimPy, containers": lambda: loss.SimpyContainers(small).run,
        "SimPy, own lists": lambda: loss.Simpy(small).run,
    }
    in_c, same = loss.compiled_c(folder), same_in_c(bench, state, large, folder)
    if in_c is not None and same is not None:
        ways |= {BARE: over_arrays(large, in_c), SAME: same}
    return ways


def bench_dra(servers: int, rounds: int, time: float) -> None:
    """Print DRA's table."""
    bench, state = settled(servers, "dra", time)
    ways = dra_contestants(bench, state, DRA_EVENTS[servers])
    times = interleaved(ways, rounds)
    section(f"DRA, L = {servers}", comparison(times))


def bench_peers(servers: int, rounds: int, time: float) -> None:
    """Print the table of DRA's peers: their kernels and references."""
    for policy, title in PEERS.items():
        bench, state = settled(servers, policy, time)
        kernel, reference = DRA_EVENTS[servers][0], DRA_EVENTS[servers][2]
        ways = {
            "kernel": of_engine(bench.kernel(), EVENT_ROW, state, kernel),
            "reference (Python)": of_engine(bench.reference, EVENT_ROW, state, reference),
        }
        section(f"{title}, L = {servers}", comparison(interleaved(ways, rounds)))


def bench_loss(servers: int, rounds: int, time: float) -> None:
    """Print first fit's table."""
    bench, state = settled(servers, "first-fit", time)
    with tempfile.TemporaryDirectory() as folder:
        found = loss_contestants(bench, state, ARRIVALS[servers], Path(folder))
        ways = {name: counted(way) for name, way in found.items()}
        times = interleaved(ways, rounds)
    section(f"first fit (loss system), L = {servers}", comparison(times))
    if SAME in times:
        least = Limit(f"{SAME} / {BARE}: records, rows, trail and sums of each event", ratios(times[BARE], times[SAME]))
        aim_at_c(f"first fit, L = {servers}", times, "kernel", BARE, limit=least, limit_is=beyond_the_loop(times))
        aim_at_c(f"first fit, L = {servers}", times, "kernel", SAME)


def beyond_the_loop(times: Mapping[str, Sequence[float]]) -> str:
    """The time of the kernel's work beyond the bare loop, in C and in the kernel, and of the bare loop by Numba."""
    numba = ratio(times[BARE], times["Numba, bare loop"]).text()
    more = (
        spread(1e9 * (x - y) for x, y in zip(times[way], times[loop], strict=True)).text(2)
        for way, loop in ((SAME, BARE), ("kernel", "Numba, bare loop"))
    )
    in_c, in_kernel = more
    return (
        f"Numba's code of the very loop has {numba} of C's speed; a job's record, a row of {EVENT_ROW.itemsize} bytes, "
        f"the trail of the digest and sums over time take {in_c} ns more of an event in C, in the kernel {in_kernel}"
    )


def main() -> None:
    """Measure everything and print the tables."""
    rounds, quick = asked_rounds(__doc__, "two rounds, L = 180 and 1000 only")
    for servers in SIZES[:2] if quick else SIZES:
        bench_dra(servers, rounds, SETTLED)
    for servers in SIZES[:2] if quick else SIZES:
        bench_peers(servers, rounds, SETTLED)
    for servers in SIZES[:2] if quick else SIZES:
        bench_loss(servers, rounds, SETTLED)


if __name__ == "__main__":
    main()
