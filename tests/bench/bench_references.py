"""The cost of an event by reference: of DRA, and of the simplest policies of every kind of system.

Run with ``python -m tests.bench.bench_references [--quick]``.  The limit of each is the same events on the same
system under a policy that computes nothing: its sub-steps are given, and it makes a record of each, which is then
checked and carried out as usual.  Every implementation of the policy has this cost.
"""

from __future__ import annotations

import sys
from copy import copy
from itertools import cycle
from types import FrameType
from typing import Any, Callable, Iterator, Mapping, Sequence

import numpy as np

from slotscope.model.policies.own.kind import kind_of
from slotscope.model.reporting.records import Record
from slotscope.model.running.assembly import Bench
from slotscope.model.running.engine import Engine, EventRun, ReferenceEngine, Task
from slotscope.model.systems.state import copied
from tests.bench import bench_moldable, bench_phases, bench_queues
from tests.bench.contestants import of_engine
from tests.bench.timing import SETTLED, SIZES, Limit, aim, asked_rounds, comparison, interleaved, section, settled

#: Events of one round.
EVENTS = 1000

#: Targets in microseconds for an event: by DRA, and by the simplest policies.
DRA, SIMPLEST = 100, 30

#: The peers of DRA that decide at arrivals alone.
PEERS = ("first-fit", "best-fit", "static-reservation", "power-of-d")

#: The name of the limit, in tables and in the report.
TOLD = "the same events, sub-steps told: each record is made, and nothing looked at"

#: What a policy yields on one occasion: the class, kind, line, values and other fields of each record.
SubSteps = list[tuple[type[Record], str, Any, Mapping[str, Any], tuple[Any, ...]]]


def of_reservation(policy: str, servers: int = SIZES[0]) -> tuple[Bench, Any]:
    """Section 7.1's system under a policy, settled."""
    return settled(servers, policy, SETTLED)


def of_queue() -> tuple[Bench, Any]:
    """The queue under a policy that looks at the head of the line only."""
    bench = bench_queues.bench_of("queues-wide-jobs", "fifo-ff", {}, None)
    return bench, bench_queues.settled(bench, 2000)


def of_phases() -> tuple[Bench, Any]:
    """Jobs with phases under a policy that never moves them."""
    bench = bench_phases.bench_of("jrs-two-phases", 100, "first-fit", "")
    return bench, bench_phases.settled(bench, 20_000)


def of_moldable() -> tuple[Bench, Any]:
    """Moldable jobs under a policy that gives them as many servers as it can."""
    bench = bench_moldable.bench_of("moldable-sublinear", 100, "greedy")
    return bench, bench_moldable.settled(bench)


#: The simplest policy of each further kind of system.
OTHERS: dict[str, Callable[[], tuple[Bench, Any]]] = {
    "fifo-ff, queues-wide-jobs": of_queue,
    "first-fit, jrs-two-phases": of_phases,
    "greedy, moldable-sublinear": of_moldable,
}


def with_policy(bench: Bench, instead: Callable[[Any], Callable[..., Iterator[Record]]]) -> Any:
    """The system under a policy with every generator replaced by *instead* of it."""
    policy = copy(bench.system.policy)
    for occasion in kind_of(bench.scenario.system).occasions:
        if (method := getattr(bench.system.policy, occasion.name, None)) is not None:  # its own calls keep the original
            setattr(policy, occasion.name, instead(method))
    system = bench.kind.system(bench.scenario, bench.numbers, bench.system.workload, policy)
    system.rename_jobs(bench.system.initial_jobs, bench.system.job_names())
    return system


def yielded(bench: Bench, state: Any, events: int) -> list[SubSteps]:
    """What the policy yields during these events, occasion by occasion."""
    calls: list[SubSteps] = []

    def noted(method: Callable[..., Iterator[Record]]) -> Callable[..., Iterator[Record]]:
        def called(*arguments: Any) -> Iterator[Record]:
            calls.append(found := [])
            return kept(method(*arguments), found)

        return called

    def kept(records: Iterator[Record], found: SubSteps) -> Iterator[Record]:
        for record in records:
            kind, line, values, *rest = (getattr(record, name) for name in type(record).__match_args__)
            found.append((type(record), kind, line, dict(values), tuple(rest)))
            yield record

    system, current = with_policy(bench, noted), copied(state)
    for _ in range(events):
        run = EventRun(system, current)
        run.finish()
        current = run.state
    return calls


def told(bench: Bench, state: Any, events: int) -> ReferenceEngine:
    """An engine that runs these events repeatedly, under a policy that yields the recorded records of the reference."""
    left = cycle(yielded(bench, state, events))

    def called(*_: Any) -> Iterator[Record]:
        for made, kind, line, values, rest in next(left):
            yield made(kind, line, {**values}, *rest)

    return ReferenceEngine(with_policy(bench, lambda _: called))


def bench_reference(what: str, wanted: float, bench: Bench, state: Any, rounds: int, events: int = EVENTS) -> None:
    """Print a reference, compared with making its records alone."""
    engines = {"reference": bench.reference, TOLD: told(bench, state, events)}
    ways = {name: of_engine(engine, bench.system.row_dtype, state, events) for name, engine in engines.items()}
    calls = [calls_of(engine, bench, state, events) for engine in engines.values()]
    times = interleaved(ways, rounds)
    section(f"reference: {what}", comparison(times))
    mine, least = (micros(each) for each in times.values())
    limit = Limit(TOLD, least)
    of_steps = f"{calls[1]:.0f} of the {calls[0]:.0f} calls of functions; by the others the policy looks"
    text = f"{steps_of(bench, state)}: {of_steps}"
    aim(f"reference of {what}", wanted, mine, "µs an event", limit=limit, limit_is=text)


def steps_of(bench: Bench, state: Any, events: int = 200) -> str:
    """The number of records that a reference makes per event, each of which is a sub-step."""
    current, records = copied(state), 0
    for _ in range(events):
        run = EventRun(bench.system, current)
        run.finish()
        current, records = run.state, records + len(run.records)
    return f"{records / events:.1f} sub-steps an event, each a record made, checked and carried out in Python"


def calls_of(engine: Engine, bench: Bench, state: Any, events: int) -> float:
    """The number of functions, of Python and of C, that are called per event."""
    tape, calls = np.zeros(events, bench.system.row_dtype), 0

    def counted(_frame: FrameType, what: str, _of: Any) -> None:
        nonlocal calls
        calls += what in ("call", "c_call")

    current = copied(state)
    sys.setprofile(counted)
    try:
        engine.advance(current, tape, Task())
    finally:
        sys.setprofile(None)
    return calls / events


def micros(seconds: Sequence[float]) -> list[float]:
    """Seconds in microseconds."""
    return [1e6 * second for second in seconds]


def bench_growth(rounds: int, events: int) -> None:
    """How the cost of DRA's reference grows with the number of servers."""
    ways = {}
    for servers in SIZES[:2]:
        bench, state = of_reservation("dra", servers)
        ways[str(servers)] = of_engine(bench.reference, bench.system.row_dtype, state, events)
    few, many = interleaved(ways, rounds).values()
    growth = [y / x for x, y in zip(few, many, strict=True)]
    aim(f"DRA's reference, cost at L = {SIZES[1]} / at L = {SIZES[0]}", SIZES[1] / SIZES[0], growth)


def main() -> None:
    """Measure everything and print the tables."""
    rounds, _ = asked_rounds(__doc__, "three rounds", 3)
    bench_reference(f"DRA, L = {SIZES[0]}", DRA, *of_reservation("dra"), rounds)
    bench_growth(rounds, EVENTS // 4)
    for policy in PEERS:
        bench_reference(f"{policy}, L = {SIZES[0]}", SIMPLEST, *of_reservation(policy), rounds)
    for what, made in OTHERS.items():
        bench_reference(what, SIMPLEST, *made(), rounds)


if __name__ == "__main__":
    main()
