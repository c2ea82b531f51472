"""Users' policies in all kinds of system: the worked examples by their kernels and by their references.

Also the cost of running references and kernels in processes of their own: they are compared with the same in this
process, without pipes, and without a guard.  The CPU time of the other process is counted as well.

Run with ``python -m tests.bench.bench_own [--quick]``.  Each is compared with a kernel of the program.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, Iterator

import numpy as np

from slotscope.model.policies.own.host import HOST, KERNELS, Child
from slotscope.model.policies.own.kind import Occasion, kind_of
from slotscope.model.policies.own.loaded import PolicyClass
from slotscope.model.policies.own.mirror import Mirror
from slotscope.model.policies.own.policy import OwnPolicy
from slotscope.model.policies.own.serving import Policies
from slotscope.model.policies.own.shown import Shown
from slotscope.model.policies.own.twin import UNTIL, KernelTwin, Ran
from slotscope.model.reporting.records import Record
from slotscope.model.running.assembly import Bench, assemble
from slotscope.model.running.engine import Advance, Engine, ReferenceEngine, Task, started
from slotscope.model.scenario.load import load_scenario
from slotscope.model.systems.state import copied
from slotscope.model.systems.view import PolicyView
from tests.bench.contestants import TAPE
from tests.bench.timing import Contestant, Limit, Work, aim, comparison, interleaved, section, spread, table

FOLDER = Path(__file__).resolve().parents[2] / "resources" / "policies"

#: Scenario, example, and the program's own policy for comparison.
CASES = (
    ("dra-vms", "first_fit_compiled", "first-fit"),
    ("queues-small-jobs", "oldest_first_compiled", "bf-s"),
    ("jrs-two-phases", "fullest_compiled", "best-fit"),
    ("moldable-sublinear", "half_compiled", "greedy"),
)

#: Events before the measurement; then events per round of a kernel, and of a reference.
SETTLING, BY_KERNEL, BY_REFERENCE = 20_000, 200_000, 1000

#: Target in microseconds for an event of a simple policy.
SIMPLEST = 30


def ran(engine: Engine, state: Any, tape: np.ndarray, events: int) -> Any:
    """The state after more events."""
    left = events
    while left:
        result = engine.advance(state, tape[:left], Task())
        state, left = result.state, left - result.rows
    return state


def settled(bench: Bench, events: int = SETTLING) -> Any:
    """The state after a number of events."""
    kernel = bench.kernel(0) if bench.system.policy.brought else bench.kernel()
    return ran(kernel, started(bench.system), np.zeros(TAPE, bench.system.row_dtype), events)


def going_on(bench: Bench, engine: Engine, state: Any, events: int) -> Contestant:
    """An engine that goes on from a copy of a state."""
    tape = np.zeros(TAPE, bench.system.row_dtype)

    def contestant() -> Work:
        before = ran(engine, copied(state), tape, 1)  # builds the index that is kept beside the state

        def work() -> float:
            ran(engine, before, tape, events)
            return float(events)

        return work

    return contestant


def bench_case(scenario: str, example: str, policy: str, counts: tuple[int, int, int], rounds: int) -> None:
    """Print one example by its kernel, by its reference, and a policy of the program."""
    settling, many, few = counts
    ways = {}
    for name in (str(FOLDER / f"{example}.py"), policy):
        bench = assemble(load_scenario(scenario), name)
        kernel = bench.kernel(0) if bench.system.policy.brought else bench.kernel()
        state = settled(bench, settling)
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
    """Replaces the process for policies: its work is done in this process."""

    runs = True

    def __init__(self) -> None:
        self._policies = Policies()

    def ask(self, verb: str, arguments: tuple[Any, ...], dropped: tuple[Any, ...], seconds: float) -> Any:
        """As :meth:`.host.Child.ask`; *dropped* is not dropped."""
        return getattr(self._policies, verb)(*arguments)

    def close(self) -> None:
        """Nothing to end."""


class BarePolicy(OwnPolicy):
    """A user's policy without a guard: nothing is checked, timed, or searched for.

    If *lent*, the policy gets the state read-only, which is the least that protects the run from it.
    """

    lent = True

    def called(self, occasion: Occasion, view: PolicyView, *arguments: Any) -> Iterator[Record]:
        """See :class:`.policies.own.policy.OwnPolicy`."""
        method = getattr(self.real, occasion.name)
        return self._reading(method, view, arguments) if self.lent else method(view, *arguments)

    def _reading(self, method: Any, view: PolicyView, arguments: tuple[Any, ...]) -> Iterator[Record]:
        shown = self.shown
        shown.look_at(view._state)
        for record in method(shown.like(view, view.numbers), *arguments):
            yield record
            shown.look_at(view._state)


class WhereItIsSeen(ReferenceEngine):
    """Keeps the state where the policy can read it, as the process for policies does."""

    def advance(self, state: Any, tape: np.ndarray, task: Task) -> Advance:
        """See :class:`model.running.engine.Engine`."""
        policy: Any = self._system.policy  # type: ignore[attr-defined]
        return super().advance(policy.shown.hold(Mirror().changes(state)), tape, task)


def bare(bench: Bench, *, lent: bool) -> Engine:
    """The same system under the policy of a file, whose generators are called like those of the program's policies."""
    source = bench.system.policy.source
    found = PolicyClass.of(source)
    guarded = found.made(bench.numbers, {})
    policy: Any = type("Bare", (BarePolicy, kind_of(found.loaded.system).base), {})(source, found.loaded)
    policy.made(guarded.attributes)
    policy.real, policy.shown, policy.lent = guarded._policy, Shown(), lent
    system = bench.kind.system(bench.scenario, bench.numbers, bench.system.workload, policy)
    system.rename_jobs(bench.system.initial_jobs, bench.system.job_names())
    return WhereItIsSeen(system, keeps=False)


def in_a_process(process: Any, path: str, scenario: str, events: int) -> Contestant:
    """A reference that continues in a process for policies."""
    HOST._child = process
    bench = assemble(load_scenario(scenario), path)
    going = going_on(bench, bench.reference, settled(bench), events)

    def contestant() -> Work:
        HOST._child = process
        return going()

    return contestant


def bench_process(scenario: str, example: str, events: int, rounds: int) -> None:
    """Print the cost of a process of its own, for the reference of one example."""
    path = str(FOLDER / f"{example}.py")
    apart, here = HOST.child, Here()
    bench = assemble(load_scenario(scenario), path)
    ways = {
        "in this process": in_a_process(here, path, scenario, events),
        "in one of its own": in_a_process(apart, path, scenario, events),
        "here, lent the state and nothing else": going_on(bench, bare(bench, lent=True), settled(bench), events),
        "here, unguarded": going_on(bench, bare(bench, lent=False), settled(bench), events),
    }
    times = interleaved(ways, rounds, clock=partial(time_of_both, apart))  # the work of the other process is waited for
    HOST._child = apart
    inside, outside, lent, alone = ([1e6 * second for second in mine] for mine in times.values())
    aim(
        f"{example} by its reference, {scenario}",
        SIMPLEST,
        outside,
        "µs an event",
        limit=Limit("its generators on the same system, which they can only read, and no other guard", lent),
        limit_is=f"unguarded they take {spread(alone).text(2)}, guarded without pipes {spread(inside).text(2)}",
    )
    section(f"where a policy of one's own runs, {example} on {scenario}", comparison(times))


class NearLoop:
    """Replaces the loop in the process for kernels: the same loop, compiled in this one, on the run's own arrays."""

    def __init__(self, far: Any, brought: Any) -> None:
        self._far, self._twin = far, KernelTwin(brought.source, brought.line)

    def __call__(self, *arguments: Any) -> int:
        """Run events, see :mod:`model.systems.compiled`."""
        if (ran := self._twin.run(arguments, arguments[UNTIL])) == Ran():
            self._twin.compile(self._far._room, self._far.example, arguments)
            ran = self._twin.run(arguments, arguments[UNTIL])
        assert ran.code is not None, ran.said
        return ran.code


def time_of_both(other: Child) -> float:
    """CPU seconds of this process and another one."""
    told = Path(f"/proc/{other._process.pid}/schedstat")
    return process_time() + int(told.read_text().split()[0]) / 1e9 if told.exists() else perf_counter()


def bench_kernel_process(scenario: str, example: str, events: int, rounds: int) -> None:
    """Print the cost of a process of its own, for the kernel of one example: requests, and copies of arrays."""
    ways = {}
    for name in ("a kernel in this process", "a kernel in one of its own"):
        bench = assemble(load_scenario(scenario), str(FOLDER / f"{example}.py"))
        engine: Any = bench.kernel(0)
        if not ways:
            engine._kernel._run = NearLoop(engine._kernel._run, bench.system.policy.brought)
        ways[name] = going_on(bench, engine, started(bench.system), events)
    times = interleaved(ways, rounds, clock=lambda: time_of_both(KERNELS.child))
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
