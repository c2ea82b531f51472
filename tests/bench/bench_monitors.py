"""The cost of monitoring the invariants during a run: events per second of CPU time with and without it."""

from __future__ import annotations

import argparse
from statistics import median
from time import thread_time

from slotscope.model.api import Session
from tests.bench.timing import aim

#: Seconds for which the window lets a run continue before it looks at its commands again.
SLICE = 0.012
SCENARIOS = ("dra-vms", "queues-vqs-unstable", "jrs-two-phases", "moldable-sublinear")


def rate(session: Session, slices: int, watched: bool, looks: list[float]) -> float:
    """Events per second of this thread's CPU time; the time of each check of the invariants is appended to *looks*."""
    line, first, began = session.timeline, session.timeline.event, thread_time()
    for _ in range(slices):
        session.run(budget=SLICE)
        if watched:
            before = thread_time()
            session.lookout.follow(line.event, line.state)
            looks.append(thread_time() - before)
    return (line.event - first) / (thread_time() - began)


def main() -> None:
    """Print a row for each kind of system."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few rounds")
    rounds = 15 if parser.parse_args().quick else 25
    print("| scenario | watched / not | states judged |\n|---|---|---|")
    for name in SCENARIOS:
        runs = [Session.open(name), Session.open(name)]
        ratios: list[float] = []
        looks: list[float] = []
        for turn in range(rounds):
            order = (0, 1) if turn % 2 else (1, 0)
            rates = {number: rate(runs[number], 20, bool(number), looks) for number in order}
            ratios.append(rates[1] / rates[0])
        looked = max(reading.looked for reading in runs[1].lookout.readings)
        limit = (
            f"a look every {1000 * SLICE:.0f} ms takes {1000 * sum(looks) / len(looks):.2f} CPU ms, "
            f"{100 * sum(looks) / (len(looks) * SLICE):.0f} % of a slice"
        )
        aim(f"speed with all monitors / without: {name}", 0.9, ratios, at_least=True, limit_is=limit)
        print(f"| {name} | {median(ratios):.3f} | {looked} |", flush=True)


if __name__ == "__main__":
    main()
