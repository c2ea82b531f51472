"""The cost of asking why a decision was made, of finding the smallest change that flips it, and of forking there."""

from __future__ import annotations

import argparse
from statistics import median
from time import thread_time
from typing import Any, Callable

from slotscope.model.api import Session
from slotscope.model.comparison.companion import forked
from slotscope.model.errors import UserError
from slotscope.model.forks.changes import Deviation
from slotscope.model.whys.asking import why, with_flip

#: A scenario of each kind of system, and another policy to continue it with.
RUNS = (
    ("dra-vms", "best-fit"),
    ("queues-classroom", "bf-js"),
    ("jrs-two-phases", "jrs"),
    ("moldable-sublinear", "greedy"),
)

#: Events before the first decision that is asked about.
PAST = 10_000


def seconds(act: Callable[[], Any]) -> float:
    """CPU seconds of this thread."""
    began = thread_time()
    act()
    return thread_time() - began


def row(scenario: str, policy: str, rounds: int) -> str:
    """One line of the table."""
    session = Session.open(scenario)
    session.run(events=PAST + 50 * rounds)
    bench, line = session.bench, session.timeline
    tables, flips, forks = [], [], []
    event = PAST
    while len(flips) < rounds and event < line.live_end:
        event += 1
        try:
            tables.append(seconds(lambda at=event: why(bench, line, at)))  # type: ignore[misc]
        except UserError:
            continue  # the event has no decision
        answer = why(bench, line, event)
        flips.append(seconds(lambda found=answer: with_flip(bench, line, found)))  # type: ignore[misc]
        session.seek(event - 1)
        forks.append(seconds(lambda at=event - 1: forked(session, Deviation(at, policy=policy))))  # type: ignore[misc]
    told = " | ".join(f"{1000 * median(each):.1f} ({1000 * max(each):.1f})" for each in (tables, flips, forks))
    return f"| {scenario} | {policy} | {len(flips)} | {told} |"


def main() -> None:
    """Print a row for each kind of system."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few rounds")
    rounds = 5 if parser.parse_args().quick else 40
    print("| scenario | goes on as | decisions | why, ms (most) | the change, ms | a fork, ms |")
    print("|---|---|---|---|---|---|")
    for scenario, policy in RUNS:
        print(row(scenario, policy, rounds), flush=True)


if __name__ == "__main__":
    main()
