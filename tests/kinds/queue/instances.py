"""Random instances of the queueing system, small enough to be run by the reference."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from slotscope.model.kinds.queue.scenario.instance import scenarios
from slotscope.model.running.assembly import Bench, assemble
from slotscope.model.scenario.load import parse_scenario

Instance = dict[str, Any]
Run = dict[str, Any]

#: Sizes at the ends of the intervals of partition I, next to them, and far below 1/2^J.
SIZES = (
    "1",
    "2/3",
    "1/2",
    "1/3",
    "1/4",
    "1/6",
    "1/8",
    "1/16",
    "1/100",
    "3/5",
    "2/5",
    "0.51",
    "0.34",
    "0.3",
    "0.2",
    "7/24",
    "1/12",
    "1/20",
)

#: Algorithms, grouped by the options that they have.
BEST_FIT, PARTITIONED = ("BF-J", "BF-S", "BF-J/S"), ("VQS", "VQS-BF")
ALGORITHMS = ("FIFO-FF", *BEST_FIT, *PARTITIONED, "MW")


@st.composite
def runs(draw: st.DrawFn, algorithms: tuple[str, ...] = ALGORITHMS) -> Run:
    """An algorithm with random options."""
    algorithm = draw(st.sampled_from(algorithms))
    options: dict[str, Any] = {}
    if algorithm == "FIFO-FF":
        options["fifo_skip"] = draw(st.booleans())
    if algorithm == "VQS":
        options["vqs_skip"] = draw(st.booleans())
    if algorithm in BEST_FIT + PARTITIONED and draw(st.booleans()):
        options["stall"] = True
    if algorithm in PARTITIONED and options.get("stall"):
        options["gamma"] = draw(st.sampled_from(["1/2", "1/10", "9/10", "1"]))
    if algorithm in (*PARTITIONED, "MW"):
        options["renew"] = draw(st.sampled_from(["after", "before"]))
        options["renew_mode"] = draw(st.sampled_from(["together", "sequential"]))
    if algorithm == "MW":
        options["preemptive"] = draw(st.booleans())
    return {"algo": algorithm, "options": options}


@st.composite
def instances(draw: st.DrawFn, algorithms: tuple[str, ...] = ALGORITHMS, resources: int = 1) -> Instance:
    """A script for a few servers, and one run of it."""
    run = draw(runs(algorithms))
    sizes = SIZES[:5] + SIZES[9:11] if run["algo"] == "MW" else SIZES
    one = st.sampled_from(sizes)
    size = one if resources == 1 else st.lists(one, min_size=resources, max_size=resources)
    service = st.one_of(st.integers(1, 8), st.integers(1, 3), st.none())
    job = st.tuples(st.integers(0, 6), size, service)
    count = draw(st.integers(1, 24))
    jobs = draw(st.lists(job, min_size=count, max_size=count))
    arrivals = [
        {"id": number, "slot": slot, "size": size} | ({"service": service} if service else {})
        for number, (slot, size, service) in enumerate(sorted(jobs, key=lambda job: job[0]))
    ]
    return {
        "name": "drawn",
        "L": draw(st.sampled_from([1, 1, 2, 3])),
        "capacity": "1" if resources == 1 else ["1"] * resources,
        "J": draw(st.integers(2, 5)),
        "slots": 16,
        "arrivals": arrivals,
        "runs": [run],
    }


def bench_of(instance: Instance, run: int = 0) -> Bench:
    """The bench of an instance's run."""
    return assemble(parse_scenario(scenarios(instance)[run]))
