"""Claims of the lessons about what DRA's paper prints."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

from slotscope.model.kinds.reservation.experiments.dra_collections import RANGES, WORK, carry_out
from slotscope.model.lab.parts import Part
from slotscope.model.reporting.records import Line
from tests.lessons.standing import Standing, bounds, cited, tells

PRINT, NUMBERS = "dra-4-print", "dra-5-numbers"
TOP = (2, 1)


def configurations(at: Standing) -> list[tuple[int, ...]]:
    return [tuple(one) for one in at.state.configuration.tolist()]


def jobs(at: Standing) -> list[int]:
    """The number of jobs on each server."""
    return [int(one) for one in at.state.placement.sum(axis=1)]


def said(at: Standing) -> list[str]:
    """The sentences of the sub-steps so far."""
    return [at.frame.info.narrator.record(record) for record in at.frame.records]


def line(at: Standing, algorithm: int, number: int) -> Any:
    """A line of the pseudocode."""
    return next(one for one in at.frame.info.pseudocode if one.line == Line(algorithm, number))


tells(
    PRINT,
    1,
    {
        "Example 2": lambda at: at.scenario.paper.endswith("Example 2"),
        "Servers 2 and 3 have the configuration (2, 1)": lambda at: configurations(at)[1:] == [TOP, TOP],
        "server 3 was assigned last and has index 1, server 2 has index 2": lambda at: (
            at.state.stamp[2] > at.state.stamp[1]
        ),
        "Server 2 holds a job, server 3 none": lambda at: jobs(at)[1:] == [1, 0],
        "Job a0 has just left": lambda at: said(at)[0] == "valuable job a0 leaves server 1",
    },
)
tells(
    PRINT,
    2,
    {
        "(2, 1) there are X = 2, and X̂ = 1": lambda at: (
            at.sentence == "k[1]: 2 servers held, 1 wanted; the most recent is surplus"
        ),
        "rank 1": lambda at: at.frame.records[-1].line.algorithm == 2,
        "X - X̂ = 1, so index 2, **the older server 2**": lambda _: 2 - 1 == 1,
        "Server 3 is surplus": lambda at: jobs(at)[2] == 0,
    },
)
tells(
    PRINT,
    3,
    {
        "Line 6 prints *c ← X*, and line 8": lambda at: (
            "← X" in line(at, 2, 6).printed and "+ 1" not in line(at, 2, 6).printed
        ),
        "c = 1, and rank 1 would go to server 3": lambda _: 2 - 1 == 1,
        "**X + 1**": lambda at: line(at, 2, 6).text.endswith("+ 1"),
        "server 3 stays free, and is reassigned to (0, 2), which is wanted once": lambda at: (
            said(at)[-2:]
            == ["k[2]: 0 servers held, 1 wanted; 1 missing", "empty server 3 is reassigned to k[2] = (0, 2)"]
            and all(jobs(at)[:2])
        ),
    },
)
tells(
    PRINT,
    4,
    {
        "(2, 1) one server": lambda at: at.sentence == "k[1]: 1 server held, 1 wanted; matched",
        "c would be 0, and line 9": lambda at: configurations(at).count(TOP) == 1,
        "Remark 4 and (5.1)": cited,
    },
)
tells(
    PRINT,
    5,
    {
        "Algorithm 1 may pass 0": cited,
        "(3, 1, 1) jobs": lambda at: "GPA starts from the workload reference (3, 1, 1)" in said(at),
        "k[1] = (0, 1, 2) serves B": lambda at: "k[1] = (0, 1, 2) has the largest reward" in said(at),
        "only B counts as used up": lambda at: at.sentence.startswith("k[1] is wanted on 1 server; B is used up first"),
        "r = (3, 0, -1)": lambda at: at.frame.records[-1].values["jobs_left"] == (3, 0, -1),
    },
)
tells(
    PRINT,
    6,
    {
        "k[2] = (1, 0, 1) line 8": lambda at: "k[2] = (1, 0, 1) has" in said(at)[-2] and "max" in line(at, 1, 8).text,
        "⌈-1/1⌉ = -1": lambda at: at.frame.records[-3].values["jobs_left"][2] == -1,
        "line 10": cited,
        "at least 0": lambda at: at.sentence.startswith("k[2] is wanted on 0 servers"),
    },
)

# Numbers.


@cache
def ratios(name: str, seed: int) -> tuple[Fraction, ...]:
    """The ratio of greedy to optimum in each of fifty random collections."""
    return tuple(map(Fraction, carry_out(Part.of(WORK, seed, {"range": RANGES[name]}, ""))))


def collections(name: str) -> tuple[int, int, int, float]:
    """In twenty tries: how many of fifty equal the optimum (least, average, most), and the mean ratio."""
    found = [ratios(name, seed) for seed in range(1, 21)]
    equal = [sum(one == 1 for one in each) for each in found]
    return min(equal), round(sum(equal) / 20), max(equal), round(float(sum(map(sum, found))) / 1000, 3)


def curve(at: Standing) -> Any:
    """Greedy compared with the optimum, for scaled workloads."""
    return bounds(at.frame.info.origin.source)["curve"]


def capacity(at: Standing) -> list[int]:
    return [int(one.amount) for one in at.scenario.servers.capacity.values()]


def earned(at: Standing, *slots: int) -> int:
    return int(sum(slot * one.reward for slot, one in zip(slots, at.scenario.job_types, strict=True)))


tells(
    NUMBERS,
    1,
    {
        "Section 7.1": lambda at: at.scenario.paper.endswith("Section 7.1"),
        "α = 6/7 and from 6 on, and worst at α = 1": lambda at: curve(at)["worst_alpha"] == "1",
        "*about 0.862*": lambda _: round(799 / 927, 3) == 0.862,
        "(40, 320), in units of 2 vCPU and 2 GB": lambda at: capacity(at) == [40, 320],
        "6/7, 6 and 799/927": lambda at: (
            [curve(at)[one] for one in ("critical_low", "critical_high", "worst_ratio")] == ["6/7", "6", "799/927"]
        ),
    },
)
tells(
    NUMBERS,
    2,
    {
        "**(80, 640)**": lambda at: capacity(at) == [80, 640],
        "(1, 1) and (32, 256)": lambda at: (
            [[int(one.amount) for one in at.scenario.job_types[j].demand.values()] for j in (0, 3)]
            == [[1, 1], [32, 256]]
        ),
        "α = 192/109, which is 1.76": lambda at: curve(at)["critical_low"] == "192/109" and round(192 / 109, 2) == 1.76,
        "0.875, at 16/7": lambda at: (
            round(float(Fraction(curve(at)["worst_ratio"])), 3) == 0.875 and curve(at)["worst_alpha"] == "16/7"
        ),
        "At α = 1 nothing": lambda at: bounds(at.frame.info.origin.source)["ratio"] == 1,
    },
)
tells(NUMBERS, 3, {"80 vCPU and 640 GB is (40, 320)": lambda at: [2 * one for one in capacity(at)] == [80, 640]})
tells(
    NUMBERS,
    4,
    {
        "50 random collections. The paper: greedy is optimal in 23, and 0.972": cited,
        "from 0.2 to 2, as printed, we find 7 and 0.944": lambda _: (
            collections("[0.2, 2] as printed") == (3, 7, 12, 0.944)
        ),
        "20 such fifties, none with more than 12": lambda _: collections("[0.2, 2] as printed")[2] == 12,
        "From 0.1 to 1, half of that, it fits: 19 and 0.972, from 6 to 28": lambda _: (
            collections("[0.1, 1] as it fits") == (6, 19, 28, 0.972)
        ),
    },
)
tells(
    NUMBERS,
    5,
    {
        "three types earn 33, 22 and 4": lambda at: [int(one.reward) for one in at.scenario.job_types] == [33, 22, 4],
        "(3, 0, 0), (0, 3, 0), (0, 0, 11) or (1, 1, 10)": lambda at: (
            [tuple(one) for one in at.scenario.servers.configurations] == [(3, 0, 0), (0, 3, 0), (0, 0, 11), (1, 1, 10)]
        ),
        "Algorithm 1": cited,
    },
)
tells(
    NUMBERS,
    6,
    {
        "(3, 0, 0), which earns 99": lambda at: earned(at, 3, 0, 0) == 99,
        "(1, 1, 10), which earns 95": lambda at: earned(at, 1, 1, 10) == 95,
        "**11/15**": lambda at: round(bounds(at.frame.info.origin.source)["ratio"], 9) == round(11 / 15, 9),
    },
)
