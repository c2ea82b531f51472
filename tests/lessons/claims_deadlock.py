"""Claims of the lessons about JRS: the deadlock, the budget, and what the paper prints."""

from __future__ import annotations

from fractions import Fraction

from slotscope.model.kinds.phases.state import ACTIVE, ARRIVED, BACKUP, OVERFLOWED, REAL, REQUESTED, TOKENS
from tests.lessons.claims_jrs import (
    BUDGET,
    DEADLOCK,
    PRINT,
    after_pauses,
    case_at,
    near,
    number,
    observed,
    sentences,
    stationary,
    tally,
)
from tests.lessons.standing import SEEDS, bounds, cited, ended, tells

# The deadlock.

tells(
    DEADLOCK,
    1,
    {
        "π(0) = 0": lambda at: stationary(at, 0, 0) == 0 and case_at(at, 0, 0) != 1,
        "All servers start empty": lambda at: number(at, REAL) == [0, 0],
        "**Section 4.2**": lambda at: [lane.info.parameters.patch for lane in at.lanes] == [False, True],
        "B.3": cited,
    },
)
tells(
    DEADLOCK,
    2,
    {
        "Four jobs have come": lambda at: tally(at, ARRIVED) == [4, 4],
        "no tokens, and each has gone to a backup": lambda at: (
            number(at, TOKENS) == [0, 0] and number(at, BACKUP) == [4, 4]
        ),
    },
)
tells(
    DEADLOCK,
    3,
    {
        "empty server 2 rings": lambda at: (
            "timer of server 2 rings; it asks for 4 jobs: tokens 1 to 4" in sentences(at)
        ),
        "four jobs in L": lambda at: at.lanes[1].info.facts.plan.pools[0].patch.tolist() == [4, 0],
        "limit of 3, so the first one becomes virtual job v1": lambda at: (
            at.lanes[1].info.facts.plan.pools[0].token_limit == 3
            and "virtual job v1" in sentences(at)
            and 0 not in at.lanes[1].state.token_number[0, 0]
        ),
        "(1, 0)": lambda at: case_at(at, 1, 0) != 1,
    },
)
tells(
    DEADLOCK,
    4,
    {
        "Jobs 4 and 5 find tokens at the right, and join servers 2 and 4": lambda at: (
            [int(at.lanes[1].state.job_server[at.lanes[1].state.job_number.tolist().index(job)]) + 1 for job in (4, 5)]
            == [2, 4]
        ),
        "backup servers 5 and 6": lambda at: (
            "job 5 goes to backup server 6" in sentences(at) and number(at, BACKUP) == [6, 4]
        ),
        "six normal": lambda at: at.frame.info.facts.plan.pools[0].servers == 6,
    },
)
tells(
    DEADLOCK,
    5,
    {
        "t = 500: 22 servers at the left, one for each of 22 jobs, and 12": lambda at: (
            at.frame.info.scenario.run.until == 500 and number(at, ACTIVE) == [22, 12] and number(at, REAL) == [22, 22]
        ),
        "**10062** jobs have overflowed, at the right 2368": lambda at: (
            tally(at, OVERFLOWED) == [10062, 2368] and tally(at, ARRIVED)[0] == 10062
        ),
        "20 and 10.4": lambda _: (
            near("jrs-deadlock", "jrs", "active_servers", 5000, 20, 20, 0.2)
            and near("jrs-deadlock", "jrs:patch=true", "active_servers", 5000, 20, 10.4, 0.1)
        ),
        "is 0": lambda _: near("jrs-deadlock", "jrs", "cost_rate", 5000, 20, 0, 0),
    },
)
tells(
    DEADLOCK,
    6,
    {
        "at 0 it stays": lambda _: all(
            ended("jrs-deadlock", "jrs", seed, 500.0).tally[REQUESTED].sum() == 0 for seed in SEEDS
        ),
        "this plan has one": lambda _: (
            [one["share"] for one in bounds("jrs-deadlock")["classes"] if one["share"]] == [1.0]
        ),
    },
)

# The budget.

tells(BUDGET, 1, {"JRS": lambda at: [lane.info.policy_name for lane in at.lanes] == ["jrs", "first-fit"]})
tells(
    BUDGET,
    2,
    {
        "3.6 servers active, JRS 5.0": lambda _: (
            near("jrs-classroom", "first-fit", "active_servers", 200_000, 2000, 3.6, 0.05)
            and near("jrs-classroom", "jrs", "active_servers", 200_000, 2000, 5.0, 0.05)
        ),
        "2.8": lambda at: round(at.frame.info.facts.plan.nbar, 1) == 2.8,
    },
)
tells(
    BUDGET,
    3,
    {
        "**0.05**": lambda at: at.scenario.cost.budget == Fraction(1, 20),
        "0.01, first fit 0.03": lambda _: (
            near("jrs-classroom", "jrs", "cost_rate", 200_000, 2000, 0.01, 0.0005)
            and near("jrs-classroom", "first-fit", "cost_rate", 200_000, 2000, 0.028, 0.0005)
        ),
    },
)
tells(
    BUDGET,
    4,
    {
        "boot, run steadily and peak": lambda at: (
            [one.name for one in at.scenario.phases] == ["boot", "steady", "peak"]
        ),
        "43 servers against 75": lambda _: (
            near("jrs-three-phases", "first-fit", "active_servers", 1000, 50, 43, 0.5)
            and near("jrs-three-phases", "jrs", "active_servers", 1000, 50, 75.4, 0.9)
        ),
        "0.04; first fit spends **0.10**, JRS 0.018": lambda at: (
            at.scenario.cost.budget == Fraction(1, 25)
            and near("jrs-three-phases", "first-fit", "cost_rate", 1000, 50, 0.1005, 0.001)
            and near("jrs-three-phases", "jrs", "cost_rate", 1000, 50, 0.0182, 0.0004)
        ),
        "49.5": lambda at: round(at.frame.info.facts.plan.nbar, 1) == 49.5,
    },
)
tells(
    BUDGET, 5, {"1/√r (Theorem 1)": cited, "r = 100": lambda at: at.numbers.scale == 100 and number(at, BACKUP)[0] > 10}
)

# The paper, read closely.

tells(
    PRINT,
    1,
    {
        "Server 2 is at (0, 1)": lambda at: observed(at, 2) == (0, 1) and "asks for 1 job" in at.sentence,
        "case 2, and": lambda at: case_at(at, 0, 1) == 2,
        "In case 2 π is 0": lambda at: stationary(at, 0, 1) == 0,
        "**B.3**": cited,
        "π > 0": lambda at: stationary(at, 1, 1) > 0,
    },
)
tells(
    PRINT,
    2,
    {
        "v1 has taken the last token of server 3, which is at (1, 0) now, case 2": lambda at: (
            observed(at, 3) == (1, 0)
            and case_at(at, 1, 0) == 2
            and at.state.tokens_on[2] == 0
            and at.state.virtual[2].tolist() == [1, 0]
        ),
        "C.2": cited,
        "4.2 and (17)": cited,
        "Section 4.2 holds": lambda at: not at.frame.info.parameters.request_after_pause,
    },
)
tells(
    PRINT,
    3,
    {
        "r = 100": lambda at: at.numbers.scale == 100,
        "75 servers on average, and with requests at the end of a pause **55.5**": lambda _: after_pauses(),
        "24.4": lambda at: round(at.frame.info.facts.plan.nbar, 1) == 24.4,
        "0.05": lambda at: (
            at.scenario.cost.budget == Fraction(1, 20)
            and near("jrs-two-phases", "jrs:request_after_pause=true", "cost_rate", 1000, 50, 0.0104, 0.0004)
        ),
    },
)
tells(
    PRINT,
    4,
    {
        "⌈√L⌉ = 5": lambda at: at.frame.info.facts.plan.pools[0].token_limit == 5,
        "75 servers; at the right for all, **80**": lambda _: (
            near("jrs-two-phases", "jrs", "active_servers", 2000, 50, 75, 0.6)
            and near("jrs-two-phases", "jrs:limit=all", "active_servers", 2000, 50, 79.6, 0.5)
        ),
    },
)
tells(
    PRINT,
    5,
    {
        "B.3 lets the empty server ask for *any* k⁰": lambda at: (
            observed(at, 2) == (1, 0) and "timer of server 2 rings" in at.sentence
        ),
        "all jobs begin in L": lambda at: [float(one.arrival_rate) for one in at.scenario.phases] == [1, 0],
        "(4, 0)": lambda at: at.frame.info.facts.plan.pools[0].patch.tolist() == [4, 0],
    },
)
