"""Time to solve the linear program and to enumerate the configurations, as ratios.

Run with ``python -m tests.bench.bench_programs [ROUNDS]``.  All ways of doing the same
thing run in turn within a round, so that other load on the machine affects them equally; the
table gives medians of CPU time over the rounds, and ratios to the first way.
"""

from __future__ import annotations

import sys
from fractions import Fraction
from statistics import median
from time import process_time
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from slotscope.model.jit import compiled
from slotscope.model.kinds.reservation.numbers import numbers_of
from slotscope.model.kinds.reservation.programs.greedy import global_greedy
from slotscope.model.kinds.reservation.programs.optimum import exact_optimum
from slotscope.model.kinds.reservation.programs.reward_lp import formulate, solve_optimum
from slotscope.model.programs.configurations import Configuration, ConfigurationSpace
from slotscope.model.programs.solver import choose_solver
from slotscope.model.scenario.load import load_scenario

VMS = ((1, 1), (4, 16), (2, 32), (32, 256))
EIGHT = ((2, 16), (4, 4), (4, 32), (8, 16), (8, 64), (32, 32), (32, 256), (64, 128))
TWELVE = (*EIGHT, (2, 4), (16, 128), (16, 16), (64, 64))
CASES: Mapping[str, tuple[Sequence[tuple[int, int]], tuple[int, int]]] = {
    "4 types, (40, 320)": (VMS, (40, 320)),
    "4 types, (80, 640)": (VMS, (80, 640)),
    "8 types, (80, 640)": (EIGHT, (80, 640)),
    "12 types, (80, 640)": (TWELVE, (80, 640)),
}
#: A scenario with the prices of real machine types.
PRICE_LIST = "dra-gcp"
#: Programs with more configurations are not written into PuLP: that would take minutes and gigabytes.
MOST_FOR_PULP = 20_000
#: More configurations are not enumerated by loops in plain Python.
MOST_FOR_PYTHON = 200_000

Ways = dict[str, Callable[[], object]]


def main() -> None:
    """Print one table per case and comparison."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    for name, (demand, capacity) in CASES.items():
        space = make_space(demand, capacity)
        count, maximal = space.count(), len(space.maximal())
        print(f"\n{name}: {count} configurations, {maximal} maximal")
        report("LP (3.2), build and solve", program_ways(space, count), rounds)
        report("listing all configurations", listing_ways(space, count), rounds)
    numbers = numbers_of(load_scenario(PRICE_LIST))
    count, maximal = numbers.space.count(), len(numbers.space.maximal())
    print(f"\n{PRICE_LIST} (real prices): {count} configurations, {maximal} maximal")
    ways = program_ways(numbers.space, count, numbers.rewards, numbers.workload)
    report("LP (3.2), build and solve", ways, rounds)


def make_space(demand: Sequence[tuple[int, int]], capacity: tuple[int, int]) -> ConfigurationSpace:
    """The configuration space of virtual machines with these vCPUs and gigabytes."""
    return ConfigurationSpace.from_demands(demand, capacity)


def program_ways(
    space: ConfigurationSpace, count: int, rewards: Sequence[Fraction] = (), workload: Sequence[Fraction] = ()
) -> Ways:
    """U* by PuLP over all configurations, by PuLP over the maximal ones, and exactly."""
    # In the units of the space, which suffice for rewards here.
    rewards = rewards or [Fraction(8 * cpu + memory) for cpu, memory in space.demand]
    workload = workload or [Fraction(2 + 3 * j % 7, 5) for j in range(space.types)]

    def fresh() -> ConfigurationSpace:
        """The same space without cached results."""
        return ConfigurationSpace(space.types, space.demand, space.capacity)

    def pulp_over(rows: Callable[[], np.ndarray]) -> Callable[[], object]:
        def solve() -> float:
            configurations: list[Configuration] = [tuple(row) for row in rows().tolist()]
            problem, _ = formulate(configurations, rewards, workload)
            problem.solve(choose_solver()[0])
            return float(problem.objective.value())

        return solve

    ways: Ways = {}
    if count <= MOST_FOR_PULP:
        ways["PuLP, all configurations"] = pulp_over(space.enumerate)
    ways["PuLP, maximal only"] = pulp_over(space.maximal)
    ways["PuLP and proof (solve_optimum)"] = lambda: solve_optimum(fresh(), rewards, workload)
    ways["column generation, exact"] = lambda: exact_optimum(fresh(), rewards, workload)
    ways["greedy assignment, exact"] = lambda: global_greedy(fresh(), rewards, workload)
    return ways


def listing_ways(space: ConfigurationSpace, count: int) -> Ways:
    """All configurations by loops in Python, compiled loops, and NumPy."""
    sizes, capacity = np.array(space.demand), np.array(space.capacity)

    def loops(function: Callable[..., Any], as_lists: bool) -> Callable[[], object]:
        def run() -> object:
            out = np.zeros((count, space.types), np.int64)
            if as_lists:
                return function(sizes.tolist(), capacity.tolist(), [0] * space.types, out)
            return function(sizes, capacity.copy(), np.zeros(space.types, np.int64), out)

        return run

    ways: Ways = {}
    if count <= MOST_FOR_PYTHON:
        ways["loops in Python"] = loops(list_by_loops, as_lists=True)
    ways["compiled loops"] = loops(compiled(list_by_loops), as_lists=False)
    ways["NumPy, type by type (enumerate)"] = space.enumerate
    ways["NumPy, maximal only (maximal)"] = space.maximal
    ways["count, without listing"] = space.count
    return ways


def list_by_loops(sizes: Any, room: Any, counts: Any, out: Any) -> int:
    """Write all configurations to *out*, lexicographically largest first."""
    types, resources = len(sizes), len(room)
    level, row = 0, 0
    while level >= 0:
        while level < types:
            most = -1
            for d in range(resources):
                if sizes[level][d] > 0 and (most < 0 or room[d] // sizes[level][d] < most):
                    most = room[d] // sizes[level][d]
            counts[level] = most
            for d in range(resources):
                room[d] -= most * sizes[level][d]
            level += 1
        for j in range(types):
            out[row, j] = counts[j]
        row += 1
        level -= 1
        while level >= 0 and counts[level] == 0:
            level -= 1
        if level >= 0:
            counts[level] -= 1
            for d in range(resources):
                room[d] += sizes[level][d]
            level += 1
    return row


def report(title: str, ways: Ways, rounds: int) -> None:
    """Run *ways* in turn and print medians and ratios to the first."""
    for way in ways.values():
        way()
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            before = process_time()
            way()
            times[name].append(process_time() - before)
    first = median(next(iter(times.values())))
    print(f"  {title}")
    for name, measured in times.items():
        taken = median(measured)
        ratio = first / taken if taken else float("inf")
        print(f"    {name:34} {taken * 1e3:10.2f} ms   {ratio:9.1f}x")


if __name__ == "__main__":
    main()
