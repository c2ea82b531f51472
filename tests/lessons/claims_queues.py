"""Claims of the lessons about servers with a queue."""

from __future__ import annotations

from fractions import Fraction

from slotscope.model.kinds.queue.facts import records_on
from slotscope.model.kinds.queue.state import WAITING
from tests.lessons.standing import SEEDS, Standing, bounds, ended, mean, tells

SLOT, VQS, TRAP = "queues-1-slot", "queues-2-vqs", "queues-3-trap"
READINGS, HORIZON = "queues-4-readings", "queues-5-horizon"
MILLION = 1e6


def held(at: Standing, server: int, lane: int = 0) -> list[Fraction]:
    """The sizes of the jobs on a server, numbered from 1, the smallest first."""
    state = at.lanes[lane].state
    return sorted(at.numbers.amount(int(state.job_size[one, 0])) for one in records_on(state, server - 1))


def free(at: Standing, server: int, lane: int = 0) -> Fraction:
    """The free room of a server by the policy's own account."""
    return Fraction(
        at.numbers.amount(int(at.numbers.capacity[server - 1, 0] - at.lanes[lane].state.used[server - 1, 0]))
    )


def sizes(at: Standing) -> list[Fraction]:
    """The possible sizes of jobs."""
    return [one for (one,) in at.scenario.jobs[0].size.values]


def active(at: Standing, server: int, lane: int = 0) -> str:
    """The name of a server's active configuration."""
    frame = at.lanes[lane]
    return str(frame.info.facts.configuration_names[frame.state.active[server - 1]])


def weight(at: Standing, name: str) -> int:
    """The weight of a configuration at the slot's renewal."""
    facts = at.frame.info.facts
    queues = at.state.queue_length
    return int(facts.configurations[facts.configuration_names.index(name)] @ queues)


def waiting(at: Standing) -> list[int]:
    return [int(lane.state.number[WAITING]) for lane in at.lanes]


def left(scenario: str, policy: str) -> list[int]:
    """The number of waiting jobs after a million slots, on each seed."""
    return [int(ended(scenario, policy, seed, MILLION).number[WAITING]) for seed in SEEDS]


# One slot.

tells(
    SLOT,
    1,
    {
        "Three servers of size 1": lambda at: (at.scenario.servers.count, free(at, 3)) == (3, 1),
        "VQ₀ for jobs above 2/3, VQ₁ above 1/2": lambda at: (
            [at.numbers.fraction(low) for low, _ in at.frame.info.facts.intervals[:2]]
            == [Fraction(2, 3), Fraction(1, 2)]
        ),
        "Server 1 holds two small jobs": lambda at: held(at, 1) == [Fraction(1, 10), Fraction(3, 20)],
        "server 2 one of 0.8": lambda at: held(at, 2) == [Fraction(4, 5)],
        "server 3 is empty": lambda at: held(at, 3) == [],
    },
)
tells(
    SLOT,
    2,
    {
        "Event 27, slot 73": lambda at: at.frame.event == 26 and at.frame.next_event.time == 73,
        "job 8, of size 0.15, joins VQ₅": lambda at: (
            said(at, 0) == "job 8 arrives: size 0.15 is in (0, 1/6], it joins VQ₅"
        ),
        "job 9, of size 0.8, joins VQ₀": lambda at: (
            said(at, 1) == "job 9 arrives: size 0.8 is in (2/3, 1], it joins VQ₀"
        ),
        "Server 1 has room for job 8": lambda at: free(at, 1) >= Fraction(15, 100),
        "server 3 for either": lambda at: free(at, 3) == 1,
    },
)
tells(
    SLOT,
    3,
    {
        "One job waits in VQ₀ and one in VQ₅": lambda at: at.state.queue_length.tolist() == [1, 0, 0, 0, 0, 1],
        "e₀ weighs 1 · 1 = 1": lambda at: weight(at, "e₀") == 1,
        "6e₅ has six places": lambda at: at.frame.info.facts.configurations.max() == 6,
        "6 · 1 = **6**": lambda at: weight(at, "6e₅") == 6 == at.frame.derived.weights.max(),
        "Server 3": lambda at: active(at, 3) == "6e₅" and "server 3 is empty: 6e₅" in at.sentence,
    },
)
tells(
    SLOT,
    4,
    {
        "Server 1 has 6e₅ too, and 0.725 of it is left": lambda at: (
            active(at, 1) == "6e₅" and "0.15 ≤ 0.725 left for it on server 1" in said(at, 3)
        ),
        "job 8 goes there": lambda at: "job 8 (0.15) goes to server 1" in at.sentence,
        "VQ₅ is empty": lambda at: at.state.queue_length[5] == 0,
        "server 3 is one that nobody needs": lambda at: active(at, 3) == "6e₅",
    },
)
tells(
    SLOT,
    5,
    {
        "job 9 **waits, in front of an empty server**": lambda at: "job 9 waits" in at.sentence and held(at, 3) == [],
        "Server 2 has e₀, but just 0.2": lambda at: active(at, 2) == "e₀" and free(at, 2) == Fraction(1, 5),
        "server 3 is empty, but has 6e₅": lambda at: active(at, 3) == "6e₅" and free(at, 3) == 1,
    },
)
tells(
    SLOT,
    6,
    {
        "Slot 74": lambda at: at.frame.time == 74,
        "server 3": lambda at: active(at, 3) == "e₀",
        "job 9 waits": lambda at: at.state.number[WAITING] == 0,
        "it gets in after one slot": lambda at: "1 job placed (job 9 on server 3)" in at.sentence,
    },
)


def said(at: Standing, number: int) -> str:
    """The sentence of the event's sub-step, numbered from 0."""
    return at.frame.info.narrator.record(at.frame.records[number])


# VQS grows.

tells(
    VQS,
    1,
    {
        "One server": lambda at: at.scenario.servers.count == 1,
        "0.4 and 0.6, equally often": lambda at: (
            sizes(at) == [Fraction(2, 5), Fraction(3, 5)] and at.numbers.probabilities == (Fraction(1, 2),) * 2
        ),
        "0.014 per slot": lambda at: at.scenario.workload.arrival_rate == Fraction(14, 1000),
        "100 slots": lambda at: at.scenario.jobs[0].service.mean == 100,
        "0.02 per slot": lambda at: (
            Fraction(bounds(at.frame.info.scenario_name)["programs"]["supportable"]["exact"]) == 2
        ),
        "0.7": lambda at: round(bounds(at.frame.info.scenario_name)["load"]["at_least"], 9) == 0.7,
        "one job of 0.4": lambda at: [held(at, 1, lane) for lane in range(3)] == [[Fraction(2, 5)]] * 3,
        "0.6 comes next": lambda at: at.frame.next_event.time == 378,
    },
)
tells(
    VQS,
    2,
    {
        "place job 3, and the server is full": lambda at: [free(at, 1, lane) for lane in (1, 2)] == [0, 0],
        "waits beside 0.6 of free room": lambda at: free(at, 1) == Fraction(3, 5) and waiting(at) == [1, 0, 0],
        "2e₂": lambda at: active(at, 1) == "2e₂",
        "0.6 belongs to VQ₁": lambda at: "size 0.6 is in VQ₁; no server's configuration has k₁ = 1" in at.sentence,
    },
)
tells(
    VQS,
    3,
    {
        "event 13, slot 686": lambda at: (
            (at.frame.event, at.frame.time) == (13, 686) and "1 placed (job 3 on server 1)" in at.sentence
        ),
        "308 slots": lambda at: 686 - 378 == 308,
        "e₁+e₃, and two thirds of it are kept": lambda at: active(at, 1) == "e₁+e₃" and at.frame.info.facts.reserves,
        "0.4 has no chance": lambda at: at.frame.info.facts.configurations[3].tolist() == [0, 1, 0, 1],
    },
)
tells(
    VQS,
    4,
    {
        "VQ₂ may need 1/2 and one of VQ₁ 2/3": lambda at: (
            [at.numbers.fraction(high) for _, high in at.frame.info.facts.intervals[1:3]]
            == [Fraction(2, 3), Fraction(1, 2)]
        ),
        "1/2 + 2/3 = 7/6": lambda at: Fraction(1, 2) + Fraction(2, 3) == Fraction(7, 6),
        "e₀, 2e₂, 3e₃ and e₁+e₃": lambda at: at.frame.info.facts.configuration_names == ("e₀", "2e₂", "3e₃", "e₁+e₃"),
        "two of 0.4 or one of 0.6": lambda at: not any(one[1] and one[2] for one in at.frame.info.facts.configurations),
    },
)


def share_of(at: Standing, queue: int) -> Fraction:
    """The share of time of the configuration that serves a queue, at the largest feasible load."""
    solution = bounds(at.frame.info.scenario_name)["programs"]["reduced"]["solution"]
    return next(Fraction(one["share"]) for one in solution if one["configuration"][queue])


tells(
    VQS,
    5,
    {
        "2e₂": lambda at: 2 * sizes(at)[0] <= 1,
        "0.4 is served at rate 0.02 p and 0.6 at 0.01 (1 - p)": lambda at: at.scenario.jobs[0].service.mean == 100,
        "λ/2": lambda at: at.numbers.probabilities == (Fraction(1, 2),) * 2,
        "p = 1/3": lambda at: share_of(at, 2) == Fraction(1, 3),
        "λ = 1/75 = 0.0133: **two thirds** of 0.02": lambda at: (
            2 * Fraction(2, 100) / 3 == Fraction(1, 75)
            and Fraction(1, 75) / 2 == Fraction(2, 100) * share_of(at, 2) == Fraction(1, 100) * share_of(at, 1)
            and round(bounds(at.frame.info.scenario_name)["fluid"][0]["limit"], 4) == 0.0133
        ),
        "less than 0.014": lambda at: Fraction(1, 75) < Fraction(14, 1000),
        "1/3 for both shares, but they add up to 1": lambda at: share_of(at, 1) + share_of(at, 2) == 1,
    },
)
tells(
    VQS,
    6,
    {
        "a million slots **650** jobs wait under VQS and none": lambda at: (
            waiting(at) == [650, 0, 0] and at.lanes[0].time == MILLION - 1
        ),
        "several hundred, the others at a few": lambda _: (
            min(left("queues-vqs-unstable", "vqs")) > 300
            and max(left("queues-vqs-unstable", "vqs-bf") + left("queues-vqs-unstable", "bf-js")) <= 10
        ),
        "grows by 0.0006": lambda at: (
            round(bounds(at.frame.info.scenario_name)["fluid"][0]["growth"], 6) == 0.0006
            and all(
                0.0005 < mean("queues-vqs-unstable", "vqs", seed, "queue_growth", 10 * MILLION, 2e5) < 0.0007
                for seed in SEEDS
            )
        ),
        "two thirds": lambda _: all(
            abs(mean("queues-vqs-unstable", "vqs", seed, "used_capacity", MILLION, 2e5) - 2 / 3) < 0.01
            for seed in SEEDS
        ),
    },
)
