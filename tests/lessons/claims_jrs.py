"""Claims of the lessons about Join-Requesting-Server."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, sqrt

from tests.lessons.standing import SEEDS, Standing, measured, tells
from tests.runs import ran

TOKEN, VIRTUAL, DEADLOCK = "jrs-1-token", "jrs-2-virtual", "jrs-3-deadlock"
BUDGET, PRINT = "jrs-4-budget", "jrs-5-print"


def observed(at: Standing, server: int, lane: int = 0) -> tuple[int, ...]:
    """The number of jobs in each phase, virtual ones included, on a server numbered from 1."""
    state = at.lanes[lane].state
    return tuple((state.real[server - 1] + state.virtual[server - 1]).tolist())


def case_at(at: Standing, *jobs: int) -> int:
    """The case of a configuration in the plan of the first policy."""
    plan = at.frame.info.facts.plan
    return int(plan.pools[0].case[plan.lattice.configurations.tolist().index(list(jobs))])


def stationary(at: Standing, *jobs: int) -> float:
    plan = at.frame.info.facts.plan
    return float(plan.stationary[plan.lattice.configurations.tolist().index(list(jobs))])


def number(at: Standing, place: int) -> list[int]:
    """One of the numbers of each policy's state."""
    return [int(lane.state.number[place]) for lane in at.lanes]


def tally(at: Standing, place: int) -> list[int]:
    return [int(lane.state.tally[place].sum()) for lane in at.lanes]


def sentences(at: Standing) -> str:
    """The sentences of the event under every policy."""
    return " | ".join(lane.info.narrator.row(lane.rows[-1]) for lane in at.lanes)


def near(scenario: str, policy: str, measure: str, until: float, warmup: float, told: float, within: float) -> bool:
    """Whether a mean is *told*, give or take *within*, on each seed."""
    found = [measured(scenario, policy, seed, until, warmup)[measure] for seed in SEEDS]
    return all(abs(one - told) <= within for one in found)


# The life of a token.

tells(
    TOKEN,
    1,
    {
        "L needs 1 unit, in phase H 3": lambda at: (
            [int(one.demand["cpu"].amount) for one in at.scenario.phases] == [1, 3]
        ),
        "A server has 4": lambda at: at.scenario.servers.capacity["cpu"].amount == 4,
        "three normal servers": lambda at: (
            at.frame.info.facts.plan.pools[0].servers == 3 and not at.state.jobs_on.any()
        ),
        "most of all at (1, 1)": lambda at: (
            stationary(at, 1, 1) == at.frame.info.facts.plan.stationary.max() and 1 + 3 == 4
        ),
    },
)
tells(
    TOKEN,
    2,
    {
        "t = 0.085 that of server 2 rings": lambda at: (
            round(at.frame.time, 3) == 0.085 and "timer of server 2 rings" in at.sentence
        ),
        "(1, 1)": lambda at: at.frame.info.facts.plan.pools[0].patch.tolist() == [1, 1],
        "**token 1** for an L and **token 2** for an H": lambda at: (
            at.state.token_number[0, :, 0].tolist() == [0, 1] and at.state.tokens[1].tolist() == [1, 1]
        ),
    },
)


def took(at: Standing) -> dict[int, int]:
    """For each job, the number, from 1, of the token that it took."""
    state = at.state
    return {
        int(job): int(token) + 1
        for job, token, virtual in zip(state.job_number, state.job_token, state.job_virtual, strict=True)
        if job >= 0 and not virtual
    }


tells(
    TOKEN,
    3,
    {
        "Job 0 began in H and took token 2; job 1 began in L and took token 1": lambda at: (
            took(at) == {0: 2, 1: 1}
            and [int(at.state.job_type[at.state.job_number.tolist().index(job)]) for job in (0, 1)] == [1, 0]
        ),
        "0.686 minutes": lambda at: round(float(at.frame.rows[-1]["token_age"]), 3) == 0.686,
        "ends, at (1, 1)": lambda at: observed(at, 2) == (1, 1) and at.state.tokens_on[1] == 0,
    },
)
tells(
    TOKEN,
    4,
    {
        "Job 2 is of type H": lambda at: (
            "no token of type H in the system (the limit is 2): job 2 goes to backup" in at.sentence
        ),
        "servers 1 and 3 are empty": lambda at: at.state.jobs_on[[0, 2]].tolist() == [0, 0],
    },
)
tells(
    TOKEN,
    5,
    {
        "Job 1 departs, and server 2 is left at (0, 1)": lambda at: (
            "job 1 departs from server 2" in at.sentence and observed(at, 2) == (0, 1)
        ),
        "case 2": lambda at: case_at(at, 0, 1) == 2,
        "token 7": lambda at: at.sentence.endswith("server 2 asks for 1 job: token 7"),
    },
)


def age_of(token: int) -> float:
    """The age of a token when it was taken, from the row of the job that took it."""
    session = ran("jrs-classroom", "jrs", seed=1, events=60)
    rows = session.frame().rows
    (row,) = rows[(rows["token"] == token - 1) & (rows["token_age"] > 0)]
    return float(row["token_age"])


tells(
    TOKEN,
    6,
    {
        "Job 4 is an L": lambda at: "job 4 takes token 7, at random among 2 of type L" in at.sentence,
        "token 7 and one of server 1": lambda at: at.state.tokens[0].tolist() == [1, 1],
        "the oldest: token 7": lambda at: took(at)[4] == 7 and at.state.token_number[0, 0, 0] + 1 < 7,
        "Token 4 of server 3 will wait for 22 minutes": lambda _: round(age_of(4)) == 22,
    },
)

# Lost requests and virtual jobs.

tells(
    VIRTUAL,
    1,
    {
        "Server 2 is at (2, 0)": lambda at: observed(at, 2) == (2, 0),
        "token 8": lambda at: at.sentence == "the timer of server 2 rings; it asks for 1 job: token 8",
        "Job 4 departs": lambda at: (
            at.frame.next_event.job == 4
            and at.frame.info.narrator.event(at.frame.next_event) == "a job departs from server 2"
        ),
        "(1, 0) the plan": lambda at: case_at(at, 1, 0) == 2,
        "server 2 ask": lambda at: at.state.tokens_on[1] == 1,
    },
)
tells(
    VIRTUAL,
    2,
    {
        "**lost**": lambda at: at.sentence.endswith("holds a token: the request is lost"),
        "token 8": lambda at: at.state.tokens_on[1] == 1 and observed(at, 2) == (1, 0),
    },
)
tells(
    VIRTUAL,
    3,
    {
        "case 2": lambda at: at.lanes[1].info.parameters.request_after_pause,
        "5.0 servers": lambda _: near("jrs-classroom", "jrs", "active_servers", 200_000, 2000, 5.0, 0.05),
        "4.7, whatever the seed": lambda _: near(
            "jrs-classroom", "jrs:request_after_pause=true", "active_servers", 200_000, 2000, 4.73, 0.05
        ),
        "75 and 55.5": lambda _: after_pauses(),
    },
)
tells(
    VIRTUAL,
    4,
    {
        "Server 2 has three jobs": lambda at: observed(at, 2) == (2, 1),
        "5 of 4 units": lambda at: "server 2 needs more than it has" in at.sentence and 2 * 1 + 3 == 5,
        "1/4 per minute": lambda at: (
            float(at.state.cost[1] * at.numbers.cost_unit) == 0.25 and at.scenario.run.time_unit == "minute"
        ),
        "0.05, the budget": lambda at: at.scenario.cost.budget == Fraction(1, 20),
    },
)
tells(
    VIRTUAL,
    5,
    {
        "⌈√3⌉ = 2 of a type": lambda at: (
            ceil(sqrt(3)) == 2 == at.frame.info.facts.plan.pools[0].token_limit
            and at.frame.info.facts.plan.pools[0].servers == 3
        ),
        "server 1 has asked for another one, token 28": lambda at: "server 1 asks for 1 job: token 28" in at.sentence,
        "v1 takes token 26 on server 3": lambda at: (
            at.state.virtual[2].tolist() == [1, 0]
            and 26 not in set((at.state.token_number[0, 0] + 1).tolist())
            and at.state.tokens[2, 0] == 0
        ),
    },
)
tells(
    VIRTUAL,
    6,
    {
        "v1 good for": lambda at: "virtual job v1" in at.sentence,
        "goes from L to H, and server 3 asks for another job, token 32": lambda at: (
            at.sentence == "virtual job v1 on server 3 goes from L to H; server 3 asks for 1 job: token 32"
        ),
        "server 3 goes on": lambda at: at.state.virtual[2].tolist() == [0, 1],
    },
)


def after_pauses() -> bool:
    """The numbers of servers at r = 100 with and without requests when a pause ends."""
    return near("jrs-two-phases", "jrs", "active_servers", 2000, 50, 75, 0.6) and near(
        "jrs-two-phases", "jrs:request_after_pause=true", "active_servers", 2000, 50, 55.5, 0.6
    )
