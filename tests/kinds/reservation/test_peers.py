"""DRA's peers decision by decision: samples, loads, plans, and the errors that they raise."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.reservation.loads import load_measure
from slotscope.model.kinds.reservation.numbers import numbers_of
from slotscope.model.kinds.reservation.policies.static_reservation import planned
from slotscope.model.reporting.records import Admit, Reassign, Reject
from slotscope.model.running.assembly import assemble
from slotscope.model.running.engine import EventRun, Task, started
from slotscope.model.scenario.load import load_scenario, parse_scenario
from slotscope.model.scenario.streams import stream_key
from slotscope.model.systems.random_words import below, random_word, scrambled
from slotscope.model.systems.state import digest
from tests.engines import Twins
from tests.kinds.reservation.strategies import scenarios
from tests.runs import ran
from tests.sound import reference_events, violations

pytestmark = pytest.mark.slow


def two_resources(policy: str, arrivals: list[str], **parameters: Any) -> Any:
    """Three servers of (4, 8); one job per time unit, of the given types, that never departs."""
    return parse_scenario(
        {
            "servers": {"count": 3, "capacity": {"r": 4, "s": 8}},
            "job_types": [
                {"name": "a", "demand": {"r": 1, "s": 1}, "reward": 1, "workload": 2},
                {"name": "b", "demand": {"r": 1, "s": 5}, "reward": 1, "workload": 1},
                {"name": "c", "demand": {"r": 3, "s": 1}, "reward": 1, "workload": 1},
            ],
            "policy": {"name": policy, "parameters": parameters},
            "workload": {
                "kind": "scripted",
                "arrivals": [{"time": time, "type": name} for time, name in enumerate(arrivals, 1)],
            },
        }
    )


def decisions(scenario: Any) -> list[int]:
    """The server of each arrival, -1 where it was rejected."""
    bench = assemble(scenario)
    found = []
    for run in reference_events(bench.system):
        admitted = [record.server for record in run.records if isinstance(record, Admit)]
        found.append(admitted[0] if admitted else -1)
    return found


def test_best_fit_compares_the_scarcest_resource() -> None:
    """On (1, 5), a makes the load of the server 6/8, c 3/4, and c + a 1: the fourth job prefers c's server."""
    assert decisions(two_resources("best-fit", ["b", "a", "c", "a", "b", "b", "a"])) == [0, 0, 1, 1, 2, -1, 0]


def test_best_fit_takes_the_lowest_of_equal_servers() -> None:
    assert decisions(two_resources("best-fit", ["c", "c", "c", "a", "a", "a", "a"])) == [0, 1, 2, 0, 1, 2, -1]


def test_power_of_all_servers_takes_the_least_loaded() -> None:
    """After b (5/8) and c (3/4) on two servers, a goes to the third server each time."""
    chosen = decisions(two_resources("power-of-d", ["b", "c", "a", "a", "a"], choices=3))
    first, second, third = chosen[:3]
    assert sorted((first, second, third)) == [0, 1, 2]
    # a has a load of 1/4, so the third server takes the next two as well.
    assert chosen[3:] == [third, third]


@given(scenarios(policy="power-of-d"))
def test_the_sample_has_d_different_servers(scenario: Any) -> None:
    policy: Any = assemble(scenario).system.policy
    for job in range(20):
        sampled = policy.sampled(job)
        assert len(sampled) == len(set(sampled)) == policy.choices
        assert all(0 <= server < scenario.servers.count for server in sampled)
        assert sampled == policy.sampled(job)


def sample_counts(servers: int, choices: int, jobs: int, seed: int) -> Counter[tuple[int, ...]]:
    data = load_scenario("dra-vms").model_dump(mode="json", exclude_none=True)
    data["servers"]["count"] = servers
    data["policy"] = {"name": "power-of-d", "parameters": {"choices": choices}}
    data["seed"] = seed
    policy: Any = assemble(parse_scenario(data)).system.policy
    return Counter(tuple(policy.sampled(job)) for job in range(jobs))


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(("servers", "choices"), [(6, 1), (6, 2), (5, 3), (4, 4), (7, 2)])
def test_every_ordered_sample_is_equally_likely(servers: int, choices: int, seed: int) -> None:
    counts = sample_counts(servers, choices, 12_000, seed)
    possible = int(np.prod(np.arange(servers, servers - choices, -1)))
    observed = [*counts.values(), *[0] * (possible - len(counts))]
    assert len(observed) == possible
    assert chisquare(observed).pvalue > 1e-4


def test_a_biased_sample_would_be_seen() -> None:
    """The test above must fail if a fifth of one server's samples goes to another server."""
    counts = sample_counts(6, 1, 12_000, 1)
    observed = [counts[(server,)] for server in range(6)]
    observed[0] += observed[5] // 5
    observed[5] -= observed[5] // 5
    assert chisquare(observed).pvalue < 1e-4


@pytest.mark.parametrize("seed", [1, 2])
def test_samples_of_consecutive_jobs_are_independent(seed: int) -> None:
    """Pairs of the first servers of jobs n and n + 1, and of draws 0 and 1 of one job."""
    key = stream_key(seed, "power-of-d")
    with np.errstate(over="ignore"):
        words = [[below(random_word(key, job, draw), 8) for draw in (0, 1)] for job in range(16_001)]
    first = np.array(words)[:, 0]
    pairs = first[:-1] * 8 + first[1:]
    assert chisquare(np.bincount(pairs, minlength=64)).pvalue > 1e-4
    draws = np.array(words) @ [8, 1]
    assert chisquare(np.bincount(draws, minlength=64)).pvalue > 1e-4


@given(st.integers(0, 2**64 - 1), st.integers(1, 2**32 - 1))
def test_below_is_the_whole_part_of_the_product(word: int, bound: int) -> None:
    with np.errstate(over="ignore"):
        assert below(np.uint64(word), bound) == word * bound >> 64


def splitmix64(start: int, outputs: int) -> list[int]:
    """The generator as published, in Python's integers."""
    words = []
    for _ in range(outputs):
        start = (start + 0x9E3779B97F4A7C15) % 2**64
        word = (start ^ start >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        word = (word ^ word >> 27) * 0x94D049BB133111EB % 2**64
        words.append(word ^ word >> 31)
    return words


def test_the_generator_is_the_published_one() -> None:
    """Its first outputs from seed 1234567 equal those that its authors give."""
    assert splitmix64(1234567, 3) == [6457827717110365317, 3203168211198807973, 9817491932198370423]


@given(st.integers(0, 2**64 - 1), st.integers(0, 10**12))
def test_words_of_a_job_are_those_of_the_generator(key: int, job: int) -> None:
    start = (job * 0x9E3779B97F4A7C15 % 2**64) ^ key
    with np.errstate(over="ignore"):
        begun = int(scrambled(np.uint64(start)))
        found = [int(random_word(np.uint64(key), job, draw)) for draw in range(4)]
    assert found == splitmix64(begun, 4)


def test_another_seed_gives_other_samples() -> None:
    assert sample_counts(100, 5, 50, 1) != sample_counts(100, 5, 50, 2)


@given(scenarios(policy="best-fit"))
def test_loads_are_the_largest_used_share(scenario: Any) -> None:
    numbers = numbers_of(scenario)
    measure = load_measure(numbers)
    rows = numbers.space.enumerate(2000).tolist()[:200]
    for row, load in zip(rows, measure.of(np.array(rows), [0] * len(rows)), strict=True):
        if numbers.demand.shape[1]:
            used = np.array(row) @ numbers.demand
            shares = [Fraction(int(a), int(b)) for a, b in zip(used, numbers.capacity, strict=True) if b]
            expected = max(shares)
        else:
            most = numbers.maximal.max(axis=0).tolist()
            expected = sum(Fraction(k, most[j]) for j, k in enumerate(row) if k)
        assert Fraction(int(load), measure.full) == expected


def test_capacities_without_a_small_common_denominator_are_refused() -> None:
    scenario = parse_scenario(
        {
            "servers": {"count": 2, "capacity": {"r": 2147483647, "s": 2147483629, "t": 2147483587}},
            "job_types": [{"name": "a", "demand": {"r": 1, "s": 1, "t": 1}, "reward": 1, "workload": 1}],
            "policy": {"name": "best-fit"},
        }
    )
    with pytest.raises(ScenarioError, match="fewer digits"):
        assemble(scenario)


@pytest.mark.parametrize("choices", [4, 1000])
def test_more_choices_than_servers_are_refused(choices: int) -> None:
    with pytest.raises(ScenarioError, match="1 to the number of servers, 3"):
        assemble(two_resources("power-of-d", [], choices=choices))


def test_five_choices_unless_there_are_fewer_servers() -> None:
    few: Any = assemble(two_resources("power-of-d", [])).system.policy
    many: Any = assemble(load_scenario("dra-vms"), policy="power-of-d").system.policy
    assert (few.choices, many.choices) == (3, 5)


@pytest.mark.parametrize("choices", [0, -1, 1.5, "2", True])
def test_choices_must_be_a_whole_number(choices: Any) -> None:
    with pytest.raises(ScenarioError) as caught:
        assemble(two_resources("power-of-d", [], choices=choices))
    assert "choices" in caught.value.line


# Static reservation.


def test_the_largest_remainders_get_the_servers_left_over() -> None:
    thirds = [((1, 0), Fraction(1, 3)), ((0, 1), Fraction(2, 3))]
    assert planned(thirds, 4) == ((1, 0), (0, 1), (0, 1), (0, 1))
    assert planned(thirds, 5) == ((1, 0), (1, 0), (0, 1), (0, 1), (0, 1))
    equal = [((2,), Fraction(1, 2)), ((3,), Fraction(1, 2))]
    assert planned(equal, 1) == ((3,),)  # ties: the lexicographically larger one


@given(st.lists(st.integers(1, 50), min_size=1, max_size=8), st.integers(1, 60))
def test_a_plan_is_within_one_server_of_the_optimum(weights: list[int], servers: int) -> None:
    total = sum(weights)
    shares = [((place,), Fraction(weight, total)) for place, weight in enumerate(weights)]
    plan = planned(shares, servers)
    assert len(plan) == servers
    for configuration, share in shares:
        assert abs(plan.count(configuration) - share * servers) < 1


def test_static_reservation_follows_the_program() -> None:
    """The example of Section 7.1 at alpha = 1: 180 servers in the proportions of x*."""
    bench = assemble(load_scenario("dra-vms"), policy="static-reservation")
    state = started(bench.system)
    assert violations(bench.system, state) == []
    slots = state.slots_in_system
    wanted = [2 * 180, 90, 240, 180]
    rewards = np.array([float(reward) for reward in bench.numbers.rewards])
    earned = rewards @ np.minimum(slots, wanted) / 180
    assert earned == pytest.approx(618, rel=0.02)


def test_static_reservation_needs_a_workload() -> None:
    data = load_scenario("dra-example-1").model_dump(mode="json", exclude_none=True)
    for item in data["job_types"]:
        item["workload"] = 0
    data["policy"] = {"name": "static-reservation"}
    with pytest.raises(ScenarioError, match="found no workload"):
        assemble(parse_scenario(data))


def test_a_server_with_jobs_gets_its_configuration_once_it_is_empty() -> None:
    data = load_scenario("dra-vms").model_dump(mode="json", exclude_none=True)
    data["servers"]["count"] = 4
    data["policy"] = {"name": "static-reservation"}
    data["initial"] = {"start": "full", "type": "large"}
    bench = assemble(parse_scenario(data))
    policy: Any = bench.system.policy
    state = started(bench.system)
    assert state.configuration.tolist() == [[0, 0, 0, 1]] * 4
    reassigned = []
    while len(reassigned) < sum(row != (0, 0, 0, 1) for row in policy.plan):
        run = EventRun(bench.system, state)
        run.finish()
        state = run.state
        reassigned += [record for record in run.records if isinstance(record, Reassign)]
        assert violations(bench.system, state) == []
    assert [tuple(row) for row in state.configuration.tolist()] == list(policy.plan)
    for record in reassigned:
        assert record.configuration == policy.plan[record.server]


@pytest.mark.parametrize("policy", ["static-reservation", "power-of-d", "best-fit", "first-fit"])
def test_a_peer_has_no_groups(policy: str) -> None:
    session = ran("dra-example-1", policy=policy, events=200)
    assert not session.info.offers & {"groups", "greedy"}
    assert not session.frame().derived.reject_group.any()
    assert violations(session.bench.system, session.timeline.state) == []


@pytest.mark.parametrize("policy", ["static-reservation", "power-of-d", "best-fit"])
@given(data=st.data())
def test_invariants_hold(policy: str, data: st.DataObject) -> None:
    bench = assemble(data.draw(scenarios(policy=policy)))
    state = started(bench.system)
    for run in reference_events(bench.system, state, 40):
        assert violations(bench.system, run.state) == []


@pytest.mark.parametrize("policy", ["static-reservation", "power-of-d", "best-fit"])
@pytest.mark.parametrize("kernel", [False, True])
def test_a_rewind_takes_the_same_way_again(policy: str, kernel: bool) -> None:
    """Seek backwards to several events and run on: the same rows and the same final state as before."""
    session = ran("dra-classroom", policy=policy, kernel=kernel, events=900)
    last, rows = digest(session.timeline.state), session.timeline.rows(1, 900)
    for place in (899, 3, 450, 0):
        session.seek(place)
        session.run(events=900 - place)
        assert digest(session.timeline.state) == last
        assert session.timeline.rows(1, 900)["trail"].tolist() == rows["trail"].tolist()


@pytest.mark.parametrize("policy", ["static-reservation", "power-of-d", "best-fit"])
def test_a_fork_runs_on_in_both_engines(policy: str) -> None:
    """A fork from DRA to a peer in the middle of a run."""
    session = ran("dra-example-1", events=150)
    scenario = session.bench.scenario
    fork = session.continued(scenario, policy)
    twins = Twins(fork.bench, fork.timeline.state, costly=("servers_with_room",))
    twins.advance(Task(), 200)
    assert violations_of_fork(fork.bench, twins.states[0]) == []


def violations_of_fork(bench: Any, state: Any) -> list[str]:
    """The violations without those that count jobs from the start, which a fork does not know."""
    return [line for line in violations(bench.system, state) if "came in" not in line]


def test_rejections_tell_how_many_servers_had_room() -> None:
    bench = assemble(two_resources("power-of-d", ["c"] * 3 + ["b"] * 5, choices=1))
    told = []
    for run in reference_events(bench.system):
        told += [record.values["servers_with_room"] for record in run.records if isinstance(record, Reject)]
    assert max(told) > 0
