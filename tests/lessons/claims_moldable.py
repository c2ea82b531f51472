"""Claims of the lessons about moldable jobs."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from slotscope.model.errors import UserError
from slotscope.model.kinds.moldable.state import ADMITTED, ARRIVED, BLOCKED, BUSY, JOBS
from slotscope.model.lessons.files import lesson_files
from slotscope.model.scenario.load import edited, load_scenario
from tests.lessons.standing import SEEDS, Standing, measured, tells

BLOCKING, OPTIMUM, MANY = "moldable-1-blocking", "moldable-2-optimum", "moldable-3-many"
LEMMA, HORIZON = "moldable-4-lemma2", "moldable-5-pareto"
OWN = lesson_files()[MANY].parent / "scenarios"
#: Minutes of simulated time after which means of 400 servers agree between seeds.
LONG = 30_000
HUNDREDS, PARETO = str(OWN / "moldable-400.toml"), str(OWN / "moldable-pareto.toml")


def came(at: Standing) -> list[str]:
    """The sentence of the event under each policy."""
    return [lane.info.narrator.row(lane.rows[-1]) for lane in at.lanes]


def tally(at: Standing, place: int) -> list[int]:
    return [int(lane.state.tally[place].sum()) for lane in at.lanes]


def number(at: Standing, place: int) -> list[int]:
    return [int(lane.state.number[place]) for lane in at.lanes]


def work(at: Standing) -> list[Fraction]:
    """s_i/i of the first class."""
    return [speedup / i for i, speedup in enumerate(at.numbers.speedups[0], 1)]


def within(at: Standing) -> Any:
    """The solution of (P)."""
    return at.numbers.optimum.classes[0].within


def blocked(scenario: str, policy: str, until: float, warmup: float) -> list[float]:
    """The blocking probability on each seed."""
    return [measured(scenario, policy, seed, until, warmup)["blocking_probability"] for seed in SEEDS]


def lasts(scenario: str, policy: str, until: float, warmup: float, measure: str = "execution_time") -> list[float]:
    return [measured(scenario, policy, seed, until, warmup)[measure] for seed in SEEDS]


def between(low: float, found: list[float], high: float) -> bool:
    return low <= min(found) and max(found) <= high


# Blocking.

tells(
    BLOCKING,
    1,
    {
        "Twenty servers, and every 1.25 minutes a job that would take 20": lambda at: (
            at.numbers.servers == 20
            and 1 / (20 * at.numbers.arrival_rates[0]) == Fraction(5, 4)
            and at.numbers.means == (20,)
        ),
        "On 2, 3, 4 and 5 servers it runs 1.5, 1.8, 2 and 2.1": lambda at: (
            [float(s) for s in at.numbers.speedups[0]] == [1, 1.5, 1.8, 2, 2.1]
        ),
    },
)
tells(
    BLOCKING,
    2,
    {
        "Job 0 gets five servers from greedy, for 0.85": lambda at: came(at)[1].endswith(
            "servers 1 to 5 for 0.8504 minutes"
        ),
        "gives it two, for 1.19": lambda at: came(at)[0].endswith("servers 1 and 2 for 1.191 minutes"),
    },
)
tells(
    BLOCKING,
    3,
    {
        "p\\*₁ = 0.25, two with p\\*₂ = 0.75": lambda at: within(at).p[:2] == (Fraction(1, 4), Fraction(3, 4)),
        "job 1 the draw is u = 0.079, so i = 1": lambda at: (
            "it asks for i = 1 server, drawn by u = 0.0790" in at.frame.info.narrator.record(at.frame.records[1])
        ),
        "18 servers are free, and min(1, 18) = 1": lambda at: (
            at.sentence == "min(i, j) = min(1, 18) = 1: it gets 1 server"
        ),
    },
)
tells(
    BLOCKING,
    4,
    {
        "Five jobs": lambda at: tally(at, ARRIVED) == [5, 5],
        "four still run, and hold all twenty": lambda at: (number(at, JOBS)[1], number(at, BUSY)[1]) == (4, 20),
        "14 are free": lambda at: at.numbers.servers - number(at, BUSY)[0] == 14,
    },
)
tells(
    BLOCKING,
    5,
    {
        "Jobs 5, 6 and 7 are **blocked** under greedy": lambda at: tally(at, BLOCKED) == [0, 3],
        "of eight jobs greedy has served five": lambda at: tally(at, ARRIVED) == [8, 8] and tally(at, ADMITTED)[1] == 5,
    },
)
tells(
    BLOCKING,
    6,
    {
        "After 18 minutes 21 jobs": lambda at: int(at.frame.time) == 18 and tally(at, ARRIVED) == [21, 21],
        "**11** of them, greedy(p*) none": lambda at: tally(at, BLOCKED) == [0, 11],
        "by 12 jobs at the left and by 4": lambda at: number(at, JOBS) == [12, 4] and number(at, BUSY) == [20, 20],
    },
)

# The optimum.


def refused(speedup: list[str]) -> bool:
    """Whether a scenario with this speed-up is refused."""
    classes = [{"speedup": speedup, "size": {"distribution": "exponential", "mean": 1}}]
    try:
        edited(load_scenario("moldable-classroom"), {"classes": classes})
    except UserError as error:
        return "a concave speed-up" in error.line
    return False


def jobs_for(first: int, second: int, speedup: list[Fraction], load: Fraction) -> Fraction:
    """y_i + y_j for which widths i and j carry the load and keep all servers busy, by Cramer's rule."""
    a, b = speedup[first - 1], speedup[second - 1]
    det = a * second - b * first
    return (load * second - b + a - load * first) / det


ODD = [Fraction(1), Fraction(6, 5), Fraction(9, 5)]

tells(
    OPTIMUM,
    1,
    {
        "1, 0.75, 0.6, 0.5 and 0.42 for i = 1 to 5": lambda at: (
            [float(one) for one in work(at)] == [1, 0.75, 0.6, 0.5, 0.42]
        ),
        "20 · 0.42 = 8.4 of the 16": lambda at: (float(20 * work(at)[4]), 20 * at.numbers.load) == (8.4, 16),
        "**47.5 %**": lambda at: round(float(1 - work(at)[4] / at.numbers.load), 9) == 0.475,
    },
)
tells(
    OPTIMUM,
    2,
    {
        "the load, 0.8. The line at 0.8": lambda at: float(at.numbers.load) == 0.8,
        "i = 1 and i = 2 (**Theorem 1**)": lambda at: (
            within(at).support == (1, 2) and work(at)[0] > at.numbers.load > work(at)[1]
        ),
        "(1/4, 3/4), and D* = 15": lambda at: (
            within(at).p[:2] == (Fraction(1, 4), Fraction(3, 4)) and at.numbers.optimum.objective == 15
        ),
    },
)
tells(
    OPTIMUM,
    3,
    {
        "Three jobs out of four get two": lambda at: within(at).p[1] == Fraction(3, 4),
        "two, on 400 servers": lambda at: at.lanes[1].info.parameters.servers == 2 and at.numbers.servers == 400,
    },
)
tells(
    OPTIMUM,
    4,
    {
        "400 servers: with two (at the right) a job takes 13.3": lambda at: (
            at.numbers.servers == 400 and between(13.25, lasts(HUNDREDS, "fixed-width:servers=2", LONG, 100), 13.35)
        ),
        "9.7 % are blocked": lambda _: between(0.092, blocked(HUNDREDS, "fixed-width:servers=2", LONG, 100), 0.102),
        "0.75 is below 0.8": lambda at: work(at)[1] == Fraction(3, 4) < at.numbers.load == Fraction(4, 5),
        "takes 20, and a fifth": lambda _: (
            between(19.95, lasts(HUNDREDS, "fixed-width:servers=1", LONG, 100), 20.05)
            and max(blocked(HUNDREDS, "fixed-width:servers=1", LONG, 100)) == 0
            and between(0.79, lasts(HUNDREDS, "fixed-width:servers=1", LONG, 100, "busy"), 0.81)
        ),
        "15.1 and blocks 4.6 %": lambda _: (
            between(15.05, lasts(HUNDREDS, "greedy-p", LONG, 100), 15.15)
            and between(0.043, blocked(HUNDREDS, "greedy-p", LONG, 100), 0.049)
        ),
    },
)
tells(
    OPTIMUM,
    5,
    {
        "(1, 1.8, 2.5, 3, 3.4)": lambda at: [float(one) for one in at.numbers.speedups[0]] == [1, 1.8, 2.5, 3, 3.4],
        "load 0.8": lambda at: float(at.numbers.load) == 0.8,
        "i = 3 and i = 4": lambda at: within(at).support == (3, 4),
        "0.833 and 0.75": lambda at: [round(float(one), 3) for one in work(at)[2:4]] == [0.833, 0.75],
        "(0, 0, 5/8, 3/8, 0), and D* = 3/8": lambda at: (
            [str(one) for one in within(at).p] == ["0", "0", "5/8", "3/8", "0"]
            and at.numbers.optimum.objective == Fraction(3, 8)
        ),
    },
)
tells(
    OPTIMUM,
    6,
    {
        "(2) asks only": lambda _: all(ODD[i] / (i + 1) >= ODD[i + 1] / (i + 2) for i in range(2)),
        "s = (1, 1.2, 1.8) and the load 0.8": lambda _: refused(["1", "1.2", "1.8"]),
        "1 and 2 need 0.75 jobs": lambda _: jobs_for(1, 2, ODD, Fraction(4, 5)) == Fraction(3, 4),
        "1 and 3 only 0.67": lambda _: round(float(jobs_for(1, 3, ODD, Fraction(4, 5))), 2) == 0.67,
        "Theorem 1": lambda _: not refused(["1", "1.5", "1.8"]),
    },
)
