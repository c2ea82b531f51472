"""Claims of the lessons about DRA."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import ceil, log

import numpy as np

from slotscope.model.kinds.reservation.kind import KIND
from slotscope.model.kinds.reservation.state import ADMITTED, ARRIVED, REJECTED
from slotscope.model.scenario.load import load_scenario
from tests.lessons.standing import SEEDS, Standing, claims, mean

DECISION, RESERVE, LIMIT = "dra-1-decision", "dra-2-reserve", "dra-3-limit"
WEB, DATABASE, TRAINING = range(3)
ALONE = {"web": (8, 0, 0), "database": (0, 2, 0), "training": (0, 0, 1)}


def groups(at: Standing) -> list[int]:
    """The servers of the Reject Group, numbered from 1."""
    return (np.flatnonzero(at.frame.derived.reject_group) + 1).tolist()


def configuration(at: Standing, server: int) -> tuple[int, ...]:
    return tuple(at.frame.state.configuration[server - 1].tolist())


def placement(at: Standing, server: int) -> tuple[int, ...]:
    return tuple(at.frame.state.placement[server - 1].tolist())


@claims(DECISION, 1)
def servers_have_configurations_before_the_first_job(at: Standing) -> None:
    numbers = at.frame.info.scenario
    assert (numbers.servers.count, len(numbers.job_types)) == (7, 3)
    assert not at.frame.state.placement.any()
    assert [configuration(at, server) for server in range(1, 8)] == [*ALONE.values(), *[(0, 0, 0)] * 4]
    at.says("Seven", "8 CPUs", "three types", "1, 2 and 3", "8 web", "2 database", "1 training")


@claims(DECISION, 2)
def web_wants_a_second_server(at: Standing) -> None:
    state = at.frame.state
    assert state.tally[:, ARRIVED].sum() == 14
    assert placement(at, 1) == (8, 0, 0)
    assert state.placement.any(axis=1).all()  # no server is empty
    assert at.frame.info.scenario.policy.parameters == {"reservation_factor": 1}
    assert state.greedy_configuration[0].tolist() == [8, 0, 0] and state.greedy_count[0] == 2
    assert groups(at) == [2, 7]
    at.says("Fourteen", "8 web", "one empty slot", "9 web", "two servers", "servers 2 and 7")


@claims(DECISION, 3)
def a_training_job_leaves(at: Standing) -> None:
    assert at.sentence == "training job 5 leaves server 6"
    assert 6 not in groups(at)
    assert at.frame.event == 14
    before = at.frame.state.placement[:, TRAINING].sum()
    assert before + (placement(at, 6) == (0, 0, 0)) == 5
    at.says("Event 15", "job 5", "server 6", "five servers")


@claims(DECISION, 4)
def a_job_migrates(at: Standing) -> None:
    migration = at.frame.records[-1]
    assert (migration.line.algorithm, migration.line.number) == (2, 25)
    assert (migration.job, migration.source + 1, migration.target + 1) == (12, 7, 6)
    assert groups(at) == [2, 7] and placement(at, 2)[TRAINING] == 0
    assert placement(at, 7) == (0, 0, 0) and placement(at, 6) == (0, 0, 1)
    at.says("Line 25", "7 and 2", "job 12", "server 6", "server 7 is empty")


@claims(DECISION, 5)
def what_greedy_packing_wants(at: Standing) -> None:
    assert at.frame.state.placement.sum(axis=0).tolist() == [8, 1, 4]
    start = next(record for record in at.frame.records if record.kind == "greedy_start")
    assert start.values["jobs_left"] == (9, 2, 5)
    found = [record.values for record in at.frame.records if record.kind == "count_found"]
    assert [(one["configuration"], one["count"]) for one in found] == list(zip(ALONE.values(), (2, 1, 4), strict=True))
    rewards = [float(np.dot(one, at.frame.info.numbers.rewards)) for one in ALONE.values()]
    assert rewards == sorted(rewards, reverse=True)
    assert found[-1]["jobs_left"][TRAINING] == 1 and found[-1]["servers_left"] == 0
    at.says("Algorithm 1", "8 web, 1 database and 4 training", "(9, 2, 5)", "2 servers", "1 for", "4 for", "seven")


@claims(DECISION, 6)
def the_empty_server_is_reassigned(at: Standing) -> None:
    made = at.frame.records[-1]
    assert (made.kind, made.line.number, made.server + 1) == ("reassign", 12, 7)
    assert made.configuration == (8, 0, 0) and made.values["missing"] == 1
    at.says("Line 12", "server 7", "1 training slot to 8 web")


@claims(DECISION, 7)
def nothing_is_missing(at: Standing) -> None:
    assert at.frame.records[-1].i_star == 3 == len(at.frame.info.scenario.job_types)
    assert at.frame.derived.i_star == 3 and groups(at) == []
    at.says("I* = 3", "all seven")


@claims(DECISION, 8)
def it_was_in_time(at: Standing) -> None:
    assert at.frame.event == 16
    assert "web job 14 admitted to server 7" in at.sentence
    assert placement(at, 1) == (8, 0, 0)
    others = at.frame.state.configuration[1:6, WEB]
    assert not others.any()
    at.says("very next event", "web job 14", "server 7")


@claims(DECISION, 9)
def the_price(at: Standing) -> None:
    made = at.frame.records[-1]
    assert made.kind == "reject" and made.values == {"empty_slots": 0, "servers_with_room": 1}
    assert at.frame.event == 17
    scenario = at.frame.info.scenario
    assert scenario.job_types[TRAINING].demand["CPU"].amount == 5
    assert placement(at, 7) == (1, 0, 0) and configuration(at, 7) == (8, 0, 0)
    at.says("Event 18", "5 CPUs", "server 7 has 7 CPUs free")


# Why reserve.


@claims(RESERVE, 1)
def the_scene(at: Standing) -> None:
    scenario = at.frame.info.scenario
    query, training = scenario.job_types
    assert scenario.servers.count == 16
    assert (float(query.reward) * 4, float(training.reward)) == (4.0, 12.0)
    assert 4 * query.demand["CPU"].amount == training.demand["CPU"].amount == scenario.servers.capacity["CPU"].amount
    for lane in at.lanes:
        assert lane.state.tally[:, ARRIVED].sum() == 56
        assert (~lane.state.placement.any(axis=1)).sum() == 1
    assert at.lanes[0].state.tally.tolist()[0][:3] == at.lanes[1].state.tally.tolist()[0][:3]
    assert at.frame.next_event is not None and "query" in at.frame.info.narrator.event(at.frame.next_event)
    at.says("Sixteen", "12", "four queries", "4 together", "56", "one server is empty", "A query")


@claims(RESERVE, 2)
def they_part(at: Standing) -> None:
    dra, first_fit = at.lanes
    row = dra.rows[-1]
    assert (row["empty_slots"], row["servers_with_room"]) == (0, 1)
    assert dra.info.narrator.row(row).startswith("query rejected")
    assert dra.state.configuration[15].tolist() == [0, 1] and not dra.state.placement[15].any()
    assert first_fit.state.tally[0, ADMITTED] == dra.state.tally[0, ADMITTED] + 1
    at.says("1 more", "rejects", "server 16", "earn 1", "earns 12")


@claims(RESERVE, 3)
def crowded_out(at: Standing) -> None:
    assert at.frame.time < 200 < at.frame.next_event.time
    dra, first_fit = (lane.state for lane in at.lanes)
    assert ((first_fit.placement > 0).sum(axis=0).tolist(), (dra.placement > 0).sum(axis=0).tolist()) == (
        [13, 2],
        [4, 11],
    )
    assert (first_fit.tally[1, REJECTED], first_fit.tally[1, ARRIVED]) == (25, 38)
    assert (dra.tally[0, REJECTED], dra.tally[0, ARRIVED]) == (185, 341)
    earned = [float((state.placement @ [1, 12]).sum() / 16) for state in (dra, first_fit)]
    assert earned == [9.25, 4.5]
    at.says("t = 200", "13 of its 16", "2", "25 of 38", "4 servers", "11", "185 of 341", "9.25", "4.5")


@claims(RESERVE, 4)
def reserving_pays(at: Standing) -> None:
    assert best("dra-reservation")[0] == 8
    for seed in SEEDS:
        dra, first_fit = (
            mean("dra-reservation", policy, seed, "reward_rate", 20_000, 200) for policy in ("dra", "first-fit")
        )
        assert 6.4 < dra < 6.8 and 3.8 < first_fit < 4.2
    dra_state, other = (lane.state for lane in at.lanes)
    assert other.tally[:, ADMITTED].sum() > 1.4 * dra_state.tally[:, ADMITTED].sum()
    at.says("more than 6 of at most 8", "about 4", "three times")


@claims(RESERVE, 5)
def mixed_servers(at: Standing) -> None:
    dra, first_fit = (lane.state.placement for lane in at.lanes)
    assert ((dra > 0).sum(axis=1) <= 1).all()
    assert first_fit[1].tolist() == [2, 0, 1]
    assert all(row[WEB] and row[DATABASE] for row in first_fit[2:4])
    assert set(map(tuple, at.lanes[0].state.configuration.tolist())) == set(ALONE.values())
    scenario = at.frame.info.scenario
    assert scenario.servers.capacity["CPU"].amount - scenario.job_types[TRAINING].demand["CPU"].amount == 3
    at.says("3 of 8 CPUs", "two web", "server 2", "servers 3 and 4", "8 web, 2 database or 1 training")


@claims(RESERVE, 6)
def reserving_does_not_pay(at: Standing) -> None:
    gains = []
    for seed in SEEDS:
        dra, first_fit = (
            mean("dra-classroom", policy, seed, "reward_rate", 6000, 60) for policy in ("dra", "first-fit")
        )
        gains.append(first_fit / dra)
    assert min(gains) > 1.07 and max(gains) < 1.13
    programs = best("dra-classroom")
    assert programs == (16, Fraction(49, 4))
    numbers = at.frame.info.numbers
    assert float(np.dot((3, 0, 1), numbers.rewards)) == 16
    at.says("a tenth", "3 web and 1 training", "16 per server", "12.25", "49/64", "seven servers")


@claims(RESERVE, 7)
def what_is_promised(at: Standing) -> None:
    assert best("dra-reservation") == (8, 8)
    optimum, greedy = best("dra-classroom")
    assert 0.7 < greedy / optimum < 0.8
    at.says("half of the optimum", "all of it", "three quarters")


@cache
def best(scenario: str) -> tuple[Fraction, Fraction]:
    """The optimum and the greedy value of a scenario, per server."""
    *_, bounds = KIND.all_bounds(load_scenario(scenario))
    return Fraction(bounds.optimum.objective), Fraction(bounds.greedy.objective)


# The limit.


def share(scenario: str, policy: str, seed: int, until: float) -> float:
    """The reward rate as a share of the optimum, 618."""
    return mean(scenario, policy, seed, "reward_rate", until, 10) / 618


def reserved(servers: int, power: float) -> int:
    return ceil(log(servers) ** power)


def earns(at: Standing, servers: int, until: float, told: float) -> None:
    """Check that a system of *servers* earns and reserves what the step says, on each seed."""
    source = at.frame.info.origin.source
    assert at.frame.info.scenario.servers.count == servers
    for seed in SEEDS:
        assert abs(share(source, "dra", seed, until) - told) < 0.003
    at.says(f"L = {servers}", reserved(servers, 1.1), told)


@claims(LIMIT, 1)
def twenty_servers(at: Standing) -> None:
    earns(at, 20, 3000, 0.745)


@claims(LIMIT, 2)
def a_hundred_and_eighty(at: Standing) -> None:
    earns(at, 180, 600, 0.84)
    assert reserved(180, 1.1) == 7 < 2 * reserved(20, 1.1)
    at.says("nine times")


@claims(LIMIT, 3)
def a_thousand(at: Standing) -> None:
    earns(at, 1000, 50, 0.86)
    assert reserved(1000, 1.1) == 9
    each = [round(reserved(servers, 1.1) / servers, digits) for servers, digits in ((20, 1), (180, 2), (1000, 3))]
    assert each == [0.2, 0.04, 0.009]
    at.says("0.2", "0.04", "0.009")


@claims(LIMIT, 4)
def the_limit(at: Standing) -> None:
    optimum, greedy = best("dra-vms")
    assert greedy / optimum == Fraction(799, 927) and round(799 / 927, 3) == 0.862
    at.says("799/927", "0.862", "Theorem 4", "worst")


@claims(LIMIT, 5)
def how_much_to_reserve(at: Standing) -> None:
    assert reserved(180, 2) == 27
    for seed in SEEDS:
        one, many = (share("dra-vms", f"dra:reservation_factor={g}", seed, 600) for g in ("1", "log^2"))
        assert abs(one - 0.841) < 0.003 and abs(many - 0.829) < 0.003
    at.says("one slot", "27", "0.84", "0.83")


@claims(LIMIT, 6)
def which_earns_more(at: Standing) -> None:
    assert [lane.info.policy_name for lane in at.lanes] == ["dra", "best-fit"]


@claims(LIMIT, 7)
def best_fit(at: Standing) -> None:
    for seed in SEEDS:
        assert abs(share("dra-vms", "best-fit", seed, 600) - 0.937) < 0.005
        optimum = float(best("dra-reservation")[0])
        fit, dra = (
            mean("dra-reservation", policy, seed, "reward_rate", 20_000, 200) / optimum
            for policy in ("best-fit", "dra")
        )
        assert 0.49 < fit < 0.54 and 0.79 < dra < 0.85
    at.says("0.94", "about half", "about 0.8")
