"""Policies of one's own in all kinds of system: the worked examples by their kernels and by their references.

And what it costs that references, and kernels, run in processes of their own: beside it they run in this one, without
pipes.  By the clock, or with the other process's time of a processor.

Run with ``python -m tests.bench.bench_own [--quick]``.  Beside them a kernel of the program's own.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from slotscope.model.policies.own.host import HOST, KERNELS
from slotscope.model.policies.own.serving import Policies
from slotscope.model.policies.own.twin import UNTIL, KernelTwin, Ran
from slotscope.model.running.assembly import Bench, assemble
from slotscope.model.running.engine import Engine, Task, started
from slotscope.model.scenario.load import load_scenario
from slotscope.model.systems.state import copied
from tests.bench.contestants import TAPE
from tests.bench.timing import Contestant, Work, aim, comparison, interleaved, section, spread, table

FOLDER = Path(__file__).resolve().parents[2] / "resources" / "policies"

#: Scenario, example, the program's own policy that is shown beside it.
CASES = (
    ("dra-vms", "first_fit_compiled", "first-fit"),
    ("queues-small-jobs", "oldest_first_compiled", "bf-s"),
    ("jrs-two-phases", "fullest_compiled", "best-fit"),
    ("moldable-sublinear", "half_compiled", "greedy"),
)

#: Events before anything is measured; then those of one round by a kernel, and by a reference.
SETTLING, BY_KERNEL, BY_REFERENCE = 20_000, 200_000, 1000

#: Microseconds that an event of a simple policy may take.
SIMPLEST = 30


def ran(engine: Engine, state: Any, tape: np.ndarray, events: int) -> Any:
    """The state after so many events more."""
    left = events
    while left:
        result = engine.advance(state, tape[:left], Task())
        state, left = result.state, left - result.rows
    return state


def going_on(bench: Bench, engine: Engine, state: Any, events: int) -> Contestant:
    """An engine that goes on from a copy of a state."""
    tape = np.zeros(TAPE, bench.system.row_dtype)

    def contestant() -> Work:
        before = ran(engine, copied(state), tape, 1)  # builds what is kept beside the state

        def work() -> float:
            ran(engine, before, tape, events)
            return float(events)

        return work

    return contestant


def bench_case(scenario: str, example: str, policy: str, counts: tuple[int, int, int], rounds: int) -> None:
    """Print one example beside its reference and beside a policy of the program's own."""
    settling, many, few = counts
    ways = {}
    for name in (str(FOLDER / f"{example}.py"), policy):
        bench = assemble(load_scenario(scenario), name)
        kernel = bench.kernel(0) if bench.system.policy.brought else bench.kernel()
        state = ran(kernel, started(bench.system), np.zeros(TAPE, bench.system.row_dtype), settling)
        if bench.system.policy.brought:
            ways["a kernel of one's own"] = going_on(bench, kernel, state, many)
            ways["its reference"] = going_on(bench, bench.reference, state, few)
        else:
            ways[f"{policy}, the program's kernel"] = going_on(bench, kernel, state, many)
    times = interleaved(ways, rounds, clock=perf_counter)
    rows = [(name, f"{spread(1 / second for second in mine).median:,.0f}") for name, mine in times.items()]
    title = f"a policy of one's own, {example} on {scenario}"
    section(title, comparison(times), "", table(("way", "events per second, by the clock"), rows))


class Here:
    """Stands where the process of the policies does: what that does is done in this one."""

    runs = True

    def __init__(self) -> None:
        self._policies = Policies()

    def ask(self, verb: str, arguments: tuple[Any, ...], dropped: tuple[Any, ...], seconds: float) -> Any:
        """As :meth:`.host.Child.ask`; what is dropped is kept."""
        return getattr(self._policies, verb)(*arguments)

    def close(self) -> None:
        """There is nothing to end."""


def in_a_process(process: Any, path: str, scenario: str, events: int) -> Contestant:
    """A reference that goes on in a process for policies."""
    HOST._child = process
    bench = assemble(load_scenario(scenario), path)
    going = going_on(bench, bench.reference, started(bench.system), events)

    def contestant() -> Work:
        HOST._child = process
        return going()

    return contestant


def bench_process(scenario: str, example: str, events: int, rounds: int) -> None:
    """Print what the process of its own costs one example."""
    path = str(FOLDER / f"{example}.py")
    apart, here = HOST.child, Here()
    ways = {
        "in this process": in_a_process(here, path, scenario, events),
        "in one of its own": in_a_process(apart, path, scenario, events),
    }
    times = interleaved(ways, rounds, clock=perf_counter)  # what the other process does is waited for
    HOST._child = apart
    inside, outside = ([1e6 * second for second in mine] for mine in times.values())
    aim(
        f"{example} by its reference, {scenario}, by the clock",
        SIMPLEST,
        outside,
        "µs an event",
        limit_is=f"the same takes {spread(inside).text(2)} in this process, without pipes",
    )
    section(f"where a policy of one's own runs, {example} on {scenario} (by the clock)", comparison(times))


class NearLoop:
    """Stands for the loop in the process of kernels: the same, compiled in this one, on the run's own arrays."""

    def __init__(self, far: Any, brought: Any) -> None:
        self._far, self._twin = far, KernelTwin(brought.source, brought.line)

    def __call__(self, *arguments: Any) -> int:
        """Run events, see :mod:`model.systems.compiled`."""
        if (ran := self._twin.run(arguments, arguments[UNTIL])) == Ran():
            self._twin.compile(self._far._room, self._far.example, arguments)
            ran = self._twin.run(arguments, arguments[UNTIL])
        assert ran.code is not None, ran.said
        return ran.code


def time_of_both() -> float:
    """Seconds of a processor that this process and that of kernels have taken."""
    told = Path(f"/proc/{KERNELS.child._process.pid}/schedstat")
    return process_time() + int(told.read_text().split()[0]) / 1e9 if told.exists() else perf_counter()


def bench_kernel_process(scenario: str, example: str, events: int, rounds: int) -> None:
    """Print what the process of its own costs the kernel of one example: requests, and arrays that are copied."""
    ways = {}
    for name in ("a kernel in this process", "a kernel in one of its own"):
        bench = assemble(load_scenario(scenario), str(FOLDER / f"{example}.py"))
        engine: Any = bench.kernel(0)
        if not ways:
            engine._kernel._run = NearLoop(engine._kernel._run, bench.system.policy.brought)
        ways[name] = going_on(bench, engine, started(bench.system), events)
    times = interleaved(ways, rounds, clock=time_of_both)
    section(f"where a kernel of one's own runs, {example} on {scenario}", comparison(times))


def main() -> None:
    """Measure everything and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--quick", action="store_true", help="two rounds of everything")
    arguments = parser.parse_args()
    for case in CASES:
        rounds = 2 if arguments.quick else arguments.rounds
        bench_process(*case[:2], BY_REFERENCE, rounds)
        bench_kernel_process(*case[:2], BY_KERNEL, rounds)
        bench_case(*case, (SETTLING, BY_KERNEL, BY_REFERENCE), rounds)


if __name__ == "__main__":
    main()
