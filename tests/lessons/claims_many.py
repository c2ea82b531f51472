"""Claims of the lessons about many servers, Lemma 2 and Table 1."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

from slotscope.model.kinds.moldable.experiments.moldable_table1 import PAPER
from slotscope.model.kinds.moldable.state import ADMITTED, ARRIVED, BLOCKED, DEPARTED, JOBS, OF_ADMITTED, OF_DEPARTED
from tests.lessons.claims_moldable import (
    HORIZON,
    HUNDREDS,
    LEMMA,
    LONG,
    MANY,
    PARETO,
    between,
    blocked,
    came,
    lasts,
    number,
    tally,
    within,
)
from tests.lessons.standing import Standing, bounds, cited, tells

# Many servers.

tells(
    MANY,
    1,
    {
        "Theorem 2": cited,
        "**20** servers it has blocked 781 of 4068 jobs, greedy 2266": lambda at: (
            at.numbers.servers == 20 and (tally(at, BLOCKED), tally(at, ARRIVED)) == ([781, 2266], [4068, 4068])
        ),
        "18.3 % and 55.8 %": lambda _: (
            [
                round(100 * bounds("moldable-classroom")["policies"][one]["chain"]["blocking"], 1)
                for one in ("greedy-p", "greedy")
            ]
            == [18.3, 55.8]
        ),
    },
)
tells(MANY, 2, {"**400** servers, and twenty times": lambda at: at.numbers.servers == 400 == 20 * 20})
tells(
    MANY,
    3,
    {
        "**400** servers: 352 of 8009": lambda at: (
            at.numbers.servers == 400 and tally(at, ARRIVED) == [8009, 8009] and tally(at, BLOCKED)[0] == 352
        ),
        "3828 under greedy": lambda at: tally(at, BLOCKED)[1] == 3828,
        "4.6 % and 48.1 %": lambda _: (
            between(0.043, blocked(HUNDREDS, "greedy-p", LONG, 100), 0.049)
            and between(0.478, blocked(HUNDREDS, "greedy", LONG, 100), 0.484)
        ),
        "about a fourth": lambda _: 4 < sqrt(400 / 20) < 5,
    },
)
tells(
    MANY,
    4,
    {
        "**4000** servers. At t = 50": lambda at: at.numbers.servers == 4000 and round(at.frame.time, 3) == 50,
        "15.4 % of 160,097 jobs, and greedy(p*) 1.8 %": lambda at: (
            tally(at, ARRIVED) == [160_097] * 2
            and [round(100 * one / 160_097, 1) for one in tally(at, BLOCKED)] == [1.8, 15.4]
        ),
        "14 to 17 % and 1 to 3 %": lambda _: (
            between(0.14, blocked("moldable-sublinear", "greedy", 50, 0), 0.17)
            and between(0.01, blocked("moldable-sublinear", "greedy-p", 50, 0), 0.03)
        ),
        "3.4 times": lambda at: at.numbers.speedups[0][4] == Fraction(17, 5),
    },
)
tells(
    MANY,
    5,
    {
        "800 jobs on three servers and 400 on four": lambda at: at.numbers.target[0].tolist() == [0, 0, 0, 800, 400, 0],
        "795 and 391": lambda at: at.lanes[0].state.jobs[0, 3:5].tolist() == [795, 391],
        "0.378 on average": lambda _: between(0.377, lasts("moldable-sublinear", "greedy-p", 300, 10), 0.379),
        "0.375": lambda at: at.numbers.optimum.objective == Fraction(375, 1000),
        "0.294": lambda _: between(0.2935, lasts("moldable-sublinear", "greedy", 300, 10), 0.2945),
    },
)

# Lemma 2.

tells(
    LEMMA,
    1,
    {
        "4000 servers": lambda at: at.numbers.servers == 4000,
        "for 3 or for 4": lambda at: within(at).support == (3, 4),
        "Job 6517": lambda at: at.frame.next_event.job == 6517,
    },
)
tells(
    LEMMA,
    2,
    {
        "i_1 = 3 and i_2 = 4": lambda at: within(at).support == (3, 4),
        "**Lemma 2**": cited,
        "i_1 servers": lambda at: at.state.below[0, 0] > 1,
        "Job 6517 asked for 4, but only 2 were free": lambda at: came(at)[0].startswith(
            "job 6517 asks for 4 servers, only 2 are free"
        ),
        "the fourth such job": lambda at: at.state.below[0, 0] == 4,
    },
)
tells(
    LEMMA,
    3,
    {
        "**six**": lambda at: at.state.below[0, 0] == 6 and at.state.jobs[0, 1:3].sum() == 6 and at.frame.time < 2.04,
        "i_1 = 1 only": cited,
    },
)
tells(
    LEMMA,
    4,
    {
        "t = 50 nine jobs": lambda at: round(at.frame.time, 3) == 50 and at.state.below[0, 0] == 9,
        "51 at once": lambda at: at.state.below[1, 0] == 51,
        "**95 %** of the time from t = 20": lambda _: (
            min(lasts("moldable-sublinear", "greedy-p", 50, 20, "below")) > 0.95
        ),
    },
)
tells(
    LEMMA,
    5,
    {
        "i_1 = 1, as in the classroom": lambda at: within(at).support == (1, 2) and at.state.below.max() == 0,
        "y* has one width": cited,
    },
)
tells(
    LEMMA,
    6,
    {
        "Theorem 2 wrong": cited,
        "2 % are blocked": lambda _: between(0.017, blocked("moldable-sublinear", "greedy-p", 300, 10), 0.024),
        "0.378, close to D* = 0.375": lambda _: between(0.377, lasts("moldable-sublinear", "greedy-p", 300, 10), 0.379),
        "Lemma 2": lambda _: (
            [one["theorem2"]["proved"] for one in bounds("moldable-sublinear")["classes"] if one.get("theorem2")]
            == [False]
        ),
    },
)

# The horizon.

tells(
    HORIZON,
    1,
    {
        "Table 1 has mean execution times for 4000": lambda at: at.numbers.servers == 4000,
        "α = 1/2 it prints 0.9930": lambda at: at.scenario.workload.alpha == Fraction(1, 2) and printed(0) == 0.9930,
        "**0.9621**": lambda _: printed(3) == 0.9621,
        "0.9937": lambda at: round(float(at.numbers.optimum.objective), 4) == 0.9937,
    },
)


def printed(column: int) -> float:
    """A mean of Table 1 as the paper prints it, for the sub-linear speed-up and alpha = 1/2."""
    return PAPER["sub-linear", "α = 1/2"].time[column]


tells(
    HORIZON,
    2,
    {
        "50,285 jobs": lambda at: tally(at, ARRIVED) == [50_285],
        "0.97, near D*": lambda _: round(lasts(PARETO, "greedy-p", 12.5, 0)[0], 2) == 0.97,
        "0.75": lambda _: round(lasts(PARETO, "greedy-p", 12.5, 0, "execution_time_completed")[0], 2) == 0.75,
        "0.95 to 1.1 against 0.74 to 0.76": lambda _: (
            between(0.945, lasts(PARETO, "greedy-p", 12.5, 0), 1.1)
            and between(0.74, lasts(PARETO, "greedy-p", 12.5, 0, "execution_time_completed"), 0.76)
        ),
    },
)


def still_running(at: Standing) -> tuple[float, float]:
    """The share of the jobs that still run, and their share of all execution time."""
    state = at.state
    jobs = 1 - state.tally[DEPARTED].sum() / state.tally[ADMITTED].sum()
    return float(jobs), float(1 - state.time_sum[OF_DEPARTED].sum() / state.time_sum[OF_ADMITTED].sum())


tells(
    HORIZON,
    3,
    {
        "3582 jobs, 7 % of all": lambda at: number(at, JOBS) == [3582] and round(still_running(at)[0], 2) == 0.07,
        "28 % of all execution time": lambda at: round(still_running(at)[1], 2) == 0.28,
        "**infinite variance**": lambda at: at.scenario.classes[0].size.shape < 2,
    },
)
tells(
    HORIZON,
    4,
    {
        "half a million jobs: *completed* 0.90, *accepted* 1.01": lambda at: (
            499_000 < tally(at, ARRIVED)[0] < 501_000
            and round(lasts(PARETO, "greedy-p", 125, 0, "execution_time_completed")[0], 2) == 0.90
            and round(lasts(PARETO, "greedy-p", 125, 0)[0], 2) == 1.01
        ),
        "under 1 % of the jobs run, with 11 %": lambda at: (
            still_running(at)[0] < 0.01 and round(still_running(at)[1], 2) == 0.11
        ),
        "0.962": lambda _: round(printed(3), 3) == 0.962,
    },
)
