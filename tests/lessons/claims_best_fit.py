"""Claims of the lessons about Best Fit, readings and horizons."""

from __future__ import annotations

from fractions import Fraction

from slotscope.gui.kinds.queue.curves import growth_words, measured
from slotscope.model.api import Session
from slotscope.model.kinds.queue.facts import records_on, waiting_records
from slotscope.model.scenario.load import edited, load_scenario
from tests.lessons.claims_queues import HORIZON, MILLION, READINGS, TRAP, active, free, held, left, said, sizes, waiting
from tests.lessons.standing import SEEDS, Standing, bounds, cited, ended, mean, tells
from tests.runs import ran

# The trap.

TWO, FIVE = Fraction(2), Fraction(5)
TRAPPED = [TWO, TWO, FIVE]


def replaced(at: Standing) -> bool:
    """Whether from slot 6004 on each job that leaves is replaced by one of its size in the same slot."""
    session = ran("queues-bf-unstable", "bf-js", seed=1, events=361)
    while session.timeline.event < at.frame.event:
        session.run(events=1)
        state = session.timeline.state
        if sorted(at.numbers.amount(int(state.job_size[one, 0])) for one in records_on(state, 0)) != TRAPPED:
            return False
    return at.frame.time == 6104


def of_size_five(at: Standing) -> list[int]:
    """The numbers of the waiting jobs of size 5."""
    state = at.state
    waiting = [one for one in waiting_records(state) if at.numbers.amount(int(state.job_size[one, 0])) == FIVE]
    return [int(state.job_number[one]) for one in waiting]


tells(
    TRAP,
    1,
    {
        "size 10; jobs of 2 and, half as often, of 5": lambda at: (
            sizes(at) == [TWO, FIVE] and at.scenario.jobs[0].size.probabilities == (Fraction(2, 3), Fraction(1, 3))
        ),
        "exactly 100 slots": lambda at: at.scenario.jobs[0].service.slots == 100,
        "9.18 of the 10": lambda at: 10 * at.numbers.intensity == Fraction(918, 100),
        "five jobs of 2": lambda at: held(at, 1) == [TWO] * 5,
        "18 jobs wait, one of them, job 200, of size 5": lambda at: waiting(at) == [18] and of_size_five(at) == [200],
        "Three jobs leave": lambda at: at.frame.next_event is not None,
    },
)
tells(
    TRAP,
    2,
    {
        "Slot 6004": lambda at: at.frame.next_event.time == 6004,
        "Three jobs of 2 are gone, and 6 is free": lambda at: (
            [said(at, one)[-15:] for one in range(3)] == ["leaves server 1"] * 3
            and "server 1 has 6 left: of 18 jobs that wait, job 200 (5) is the largest that fits" in said(at, 3)
        ),
        "job 200, of size 5; it goes in": lambda at: "job 200 (5) goes to server 1" in at.sentence,
    },
)


def ends(at: Standing) -> list[tuple[Fraction, float]]:
    """Each job on the server: its size, and the slot in which its room is free again."""
    state = at.state
    return sorted(
        (at.numbers.amount(int(state.job_size[one, 0])), float(state.job_departure[one]))
        for one in records_on(state, 0)
    )


tells(
    TRAP,
    3,
    {
        "two jobs of 2 and one of 5: **(2, 1)**": lambda at: held(at, 1) == TRAPPED,
        "1 is free": lambda at: free(at, 1) == 1,
        "2 end in slots 6040 and 6056, the 5 in slot 6104": lambda at: ends(at) == [(2, 6040), (2, 6056), (5, 6104)],
    },
)
tells(
    TRAP,
    4,
    {
        "A job of 2 leaves: 3 is free, and only a 2 fits": lambda at: held(at, 1) == TRAPPED and FIVE > 1 + 2,
        "The 5 leaves: 6 is free, and the 5 is the largest": lambda at: 2 * TWO + FIVE > 1 + 5,
        "100 slots later once more": replaced,
        "(2, 1)": lambda at: [end - 100 for _, end in ends(at)] == [6040, 6056, 6104],
    },
)
tells(
    TRAP,
    5,
    {
        "(2, 1)": lambda at: held(at, 1) == TRAPPED,
        "0.02 jobs of 2 and 0.01 of 5": lambda at: at.scenario.jobs[0].service.slots == 100,
        "0.0204 and 0.0102 arrive": lambda at: (
            [at.scenario.workload.arrival_rate * share for share in at.scenario.jobs[0].size.probabilities]
            == [Fraction(204, 10000), Fraction(102, 10000)]
        ),
        "0.0004 and 0.0002": lambda _: (
            {size: round(rate, 6) for size, rate in bounds("queues-bf-unstable")["fluid"][1]["growth_of"].items()}
            == {"2": 0.0004, "5": 0.0002}
        ),
        "9 of 10, and 9.18": lambda at: 10 - free(at, 1) == 9 and 10 * at.numbers.intensity == Fraction(918, 100),
        "ρ* is 10/3, and the load is 0.918": lambda _: (
            bounds("queues-bf-unstable")["programs"]["supportable"]["exact"] == "10/3"
            and round(bounds("queues-bf-unstable")["load"]["at_least"], 9) == 0.918
        ),
    },
)
tells(
    TRAP,
    6,
    {
        "**563** jobs wait under BF-J/S, 33 under VQS and 35 under MaxWeight": lambda at: waiting(at) == [563, 33, 35],
        "seeds 1, 2 and 3 BF-J/S ends with 563, 405 and 649": lambda _: (
            left("queues-bf-unstable", "bf-js")[:3] == [563, 405, 649]
        ),
        "VQS with a few dozen": lambda _: max(left("queues-bf-unstable", "vqs")) < 60,
    },
)

# Readings.

tells(
    READINGS,
    1,
    {
        "a million slots": lambda at: at.frame.info.scenario.run.until == MILLION,
        "32 wait at the left and 405 at the right": lambda at: waiting(at) == [32, 405],
    },
)
tells(
    READINGS,
    2,
    {
        "all weights 0 and takes e₀, which holds neither": lambda at: (
            active(at, 1, 1) == "e₀"
            and [at.numbers.fraction(low) for low, _ in at.frame.info.facts.intervals[:1]] == [Fraction(2, 3)]
        ),
        "2e₂ or 4e₄": lambda at: active(at, 1) in ("2e₂", "4e₄"),
        "under 4e₄ it leaves": lambda at: held(at, 1) != TRAPPED and held(at, 1, 1) == TRAPPED,
    },
)
tells(
    READINGS,
    3,
    {
        "seed 1": lambda at: at.frame.info.seed == 1,
        "563 jobs wait, as under BF-J/S": lambda at: waiting(at) == [563, 563],
        "(2, 1)": lambda at: held(at, 1) == held(at, 1, 1) == TRAPPED,
        "seeds 2 and 3 it ends with 32 and 25": lambda _: left("queues-bf-unstable", "vqs-bf")[1:3] == [32, 25],
        "above 400 on all": lambda _: min(left("queues-bf-unstable", "vqs-bf:renew=before")[:3]) > 400,
    },
)
tells(
    READINGS,
    4,
    {
        "less than half the largest weight": lambda at: at.frame.info.facts.gamma == Fraction(1, 2),
        "26 wait": lambda at: waiting(at)[0] == 26 and max(left("queues-bf-unstable", "vqs-bf:stall=true")) < 60,
        "(2, 1) 9/10 are used": lambda at: held(at, 1, 1) == TRAPPED,
        "563, as without it": lambda _: (
            left("queues-bf-unstable", "bf-js:stall=true") == left("queues-bf-unstable", "bf-js")
        ),
    },
)
tells(
    READINGS,
    5,
    {
        "has 4e₄": lambda at: active(at, 1) == "4e₄",
        "four jobs of 2; so 2 of 10 is left": lambda at: held(at, 1) == [TWO] * 4 and free(at, 1) == TWO,
        "Another job of 2 comes": lambda at: at.frame.next_event is not None,
    },
)
tells(
    READINGS,
    6,
    {
        "under 4e₄ VQS holds **five** jobs of 2": lambda at: active(at, 1) == "4e₄" and held(at, 1) == [TWO] * 5,
        "a workload of 3": lambda _: bounds("queues-bf-unstable")["programs"]["reduced"]["exact"] == "3",
        "3.06": lambda _: bounds("queues-bf-unstable")["workload"] == 3.06,
        "10/3": lambda _: bounds("queues-bf-unstable")["programs"]["reduced-as-held"]["exact"] == "10/3",
    },
)

# Averages of growing queues.

WIDE = "queues-wide-jobs"


def average(policy: str, seed: int, until: float) -> float:
    """The average of Q over all slots of a run."""
    return float(ended(WIDE, policy, seed, until).waiting_area[0] / until)


def longer(policy: str) -> list[float]:
    """The ratio of the averages after 10⁶ and 10⁵ slots, on each seed."""
    return [average(policy, seed, 1e6) / average(policy, seed, 1e5) for seed in SEEDS]


def grows_at(intensity: str) -> bool:
    scenario = edited(load_scenario(WIDE), {"workload": {"kind": "poisson", "intensity": intensity}})
    found = Session.open(scenario, "vqs", 1).measure(until=MILLION, warmup=2e5)
    return bool(found["queue_growth"].mean > 0.002 and found["used_capacity"].mean < 0.83)


tells(
    HORIZON,
    1,
    {
        "Five servers, sizes uniform from 0.1 to 0.9, intensity 0.9": lambda at: (
            at.scenario.servers.count == 5
            and (at.scenario.jobs[0].size.low, at.scenario.jobs[0].size.high) == (Fraction(1, 10), Fraction(9, 10))
            and at.numbers.intensity == Fraction(9, 10)
        ),
        "Figure 4b": lambda at: at.scenario.paper.endswith("Figure 4b"),
        "100,000 slots": lambda at: at.frame.time == 1e5,
        "42 on average under BF-J/S and 477": lambda _: (
            [round(average(one, 1, 1e5)) for one in ("bf-js", "vqs")] == [42, 477]
        ),
    },
)
tells(HORIZON, 2, {"a million slots": lambda at: at.frame.time == 1e5})
tells(
    HORIZON,
    3,
    {
        "38 under BF-J/S, but **3480**": lambda _: (
            [round(average(one, 1, MILLION)) for one in ("bf-js", "vqs")] == [38, 3480]
        ),
        "Seven times as much, and on other seeds": lambda _: (
            round(longer("vqs")[0]) == 7 and min(longer("vqs")) >= 7 and max(longer("vqs")) < 12.5
        ),
        "BF-J/S has a mean": lambda _: all(30 < average("bf-js", seed, MILLION) < 80 for seed in SEEDS),
    },
)


def told_above_the_curves(at: Standing) -> bool:
    """Whether *Queue over time* shows the lesson's growth at this moment."""
    judgement = measured(at.frame, at.frame.samples).judgement
    return judgement is not None and growth_words(judgement.metrics["queue_growth"]) == ("0.0069 ± 0.0019", "slot")


tells(
    HORIZON,
    4,
    {
        "so far 0.0069 ± 0.0019 jobs per slot": told_above_the_curves,
        "about 0.0075 in longer runs": lambda _: all(
            abs(mean(WIDE, "vqs", seed, "queue_growth", 3 * MILLION, 2e5) - 0.0075) < 0.0005 for seed in SEEDS
        ),
    },
)
tells(
    HORIZON,
    5,
    {
        "0.81 of the servers": lambda _: all(
            abs(mean(WIDE, "vqs", seed, "used_capacity", MILLION, 2e5) - 0.815) < 0.01 for seed in SEEDS
        ),
        "Figure 4b have an intensity of 0.85 or more": lambda _: grows_at("17/20"),
    },
)
tells(
    HORIZON,
    6,
    {
        "VII.A.3": lambda at: "VII.A.3" in at.scenario.paper,
        "α = 0.9 it is 0.09 jobs per slot here, not 0.1": lambda at: (
            at.numbers.arrival_rate == Fraction(9, 100) and 5 * Fraction(1, 100) / Fraction(1, 2) == Fraction(1, 10)
        ),
        "Corollary 1 and Theorem 4 print (1 − ε)^{2/3} ρ*": cited,
        "(1 − ε) (2/3) ρ*": cited,
    },
)
