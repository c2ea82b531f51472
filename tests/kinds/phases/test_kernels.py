"""Jobs with phases: the same digest, row and sample of reference and kernel at every event."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slotscope.model.jit import compiled
from slotscope.model.kinds.phases.kernels import fitting
from slotscope.model.kinds.phases.moving import MOVING, REMAINDERS, tell_job
from slotscope.model.kinds.phases.questions import VOCABULARY
from slotscope.model.kinds.phases.rows import PHASE_ROW
from slotscope.model.kinds.phases.state import FREE, StateSizes, empty_state
from slotscope.model.kinds.phases.timers import next_timer, set_timer
from slotscope.model.running.engine import Task, started
from slotscope.model.scenario.files import scenario_files
from slotscope.model.scenario.load import as_data, edited, load_scenario, parse_scenario
from slotscope.model.systems import random_words
from slotscope.model.systems.state import copied
from tests.engines import Twins, bench_of, check_pieces, check_samples, check_stops, check_told
from tests.kinds.phases.strategies import FITTING, POLICIES, READINGS, phase_scenarios

EVENTS = 60

#: Accuracy of the exponential times, in units in the last place.
ULPS = 4


def agree(scenario: Any, events: int, sound: bool = False) -> Any:
    """Compare both engines at every event of a run that does not end; returns the last state."""
    twins = Twins(bench_of(scenario))
    assert twins.agree(events, sound=sound) == events
    return twins.states[1]


@pytest.mark.slow
@pytest.mark.parametrize("policy", POLICIES)
@given(data=st.data())
@settings(max_examples=10)
def test_every_event(policy: str, data: st.DataObject) -> None:
    agree(data.draw(phase_scenarios(policy)), EVENTS, sound=True)


@pytest.mark.slow
@pytest.mark.parametrize("policy", POLICIES)
@given(data=st.data())
@settings(max_examples=10)
def test_every_event_of_many_scenarios(policy: str, data: st.DataObject) -> None:
    agree(data.draw(phase_scenarios(policy)), 3 * EVENTS, sound=True)


BUILT_IN = [
    name for name in scenario_files() if name.startswith("jrs-") and load_scenario(name).workload.kind == "poisson"
]


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_scenarios(name: str) -> None:
    agree(load_scenario(name), 150)


EACH_READING = [(name, value) for name, values in READINGS.items() for value in dict.fromkeys(values)]
EACH_PEER = [(name, options) for name, choices in FITTING.items() for options in choices]


@pytest.mark.parametrize(("reading", "value"), EACH_READING)
def test_readings_on_a_real_plan(reading: str, value: Any) -> None:
    """Each reading of JRS on a solved plan, where tokens, pauses and virtual jobs are frequent."""
    scenario = load_scenario("jrs-classroom")
    kept = as_data(scenario)["policy"].get("parameters", {})
    policy = {"name": "jrs", "parameters": {**kept, reading: value}}
    agree(edited(scenario, {"policy": policy}), 300)


@pytest.mark.parametrize(("policy", "options"), EACH_PEER)
def test_options_of_the_peers(policy: str, options: dict[str, Any]) -> None:
    choice = {"name": policy, "parameters": options}
    agree(edited(load_scenario("jrs-classroom"), {"policy": choice}), 200)


#: Most tokens are of the type that rarely arrives, so that jobs accumulate on backup servers; and a
#: server has many tokens.
CROWDED: dict[str, Any] = {
    "system": "phases",
    "seed": 4,
    "servers": {"most_jobs": 40, "capacity": 10},
    "cost": {"budget": 1},
    "phases": [
        {"name": "a", "demand": 1, "arrival_rate": 1, "departure_rate": "1/20"},
        {"name": "b", "demand": 2, "arrival_rate": 5, "departure_rate": "1/20"},
    ],
    "workload": {"kind": "poisson", "scale": 10},
    "policy": {
        "name": "jrs",
        "parameters": {
            "pools": [
                {
                    "servers": 6,
                    "token_limit": 30,
                    "policy": [{"k": [0, 0], "case": 1, "rates": [0.5, 0.0]}],
                    "patch": {"k0": [20, 0]},
                },
                {
                    "servers": 3,
                    "token_limit": 2,
                    "policy": [
                        {"k": [0, 0], "case": 2, "prob": [1.0, 0.0]},
                        {"k": [1, 0], "case": 1, "rates": [2.0, 3.0]},
                    ],
                    "patch": {"k0": [40, 0]},
                },
            ]
        },
    },
}


def test_arrays_that_grow() -> None:
    """Both engines enlarge the same arrays at the same events."""
    scenario = parse_scenario(CROWDED)
    first = started(bench_of(scenario).system)
    last = agree(scenario, 400)
    for name in ("job_number", "heap_time", "backup_record", "token_server"):
        assert getattr(last, name).size > getattr(first, name).size, name


@pytest.mark.parametrize("policy", FITTING)
def test_servers_that_grow(policy: str) -> None:
    changes = {"policy": {"name": policy}, "servers": {"most_jobs": 3, "capacity": 10}}
    scenario = edited(parse_scenario(CROWDED), changes)
    assert len(agree(scenario, 300).jobs_on) > len(started(bench_of(scenario).system).jobs_on)


@given(phase_scenarios(), st.integers(1, 40))
@settings(max_examples=15)
def test_the_kernel_in_pieces(scenario: Any, piece: int) -> None:
    check_pieces(bench_of(scenario), piece)


#: The arrays that are read to answer questions about jobs.
OF_JOBS = ("job_number", "job_virtual", "job_phase", "job_server", "job_arrival", "job_moves")


def real_jobs(state: Any) -> Any:
    return (state.job_number >= 0) & (state.job_virtual == 0)


@given(phase_scenarios())
def test_no_job_that_an_event_changed_is_left_out(scenario: Any) -> None:
    check_told(bench_of(scenario), MOVING, OF_JOBS, there=real_jobs)


@pytest.mark.parametrize("policy", ("jrs", "first-fit"))
def test_no_job_of_many_that_come_and_leave_is_left_out(policy: str) -> None:
    scenario = edited(load_scenario("jrs-two-phases"), {"policy": {"name": policy}})
    check_told(bench_of(scenario), MOVING, OF_JOBS, events=3000, there=real_jobs)


def test_two_jobs_whose_records_are_known_in_one_place_are_told_from_each_other() -> None:
    state = empty_state(StateSizes(1, 1))
    state.number[FREE] -= 2
    one, other = state.free_record[state.number[FREE] :][:2].tolist()
    state.job_number[[one, other]] = 5, 5 + REMAINDERS
    derived, kept = MOVING.start(state)
    row = np.zeros(1, PHASE_ROW)

    def told(job: int) -> list[int]:
        row["job"] = job
        count = tell_job(state, derived, kept, row.view(np.uint8).reshape(1, -1))
        return kept[:count].tolist() if count >= 0 else [-1]

    assert [told(5), told(5 + REMAINDERS), told(5)] == [[one], [other], [one]]
    assert told(-3) == []  # a virtual job
    state.job_number[other] = -1
    assert told(5 + REMAINDERS) == [-1]  # it has left, and its place is not known: it may have been anywhere


@given(phase_scenarios(), st.integers(1, 9))
@settings(max_examples=10)
def test_samples(scenario: Any, stride: int) -> None:
    check_samples(bench_of(scenario), stride)


@given(phase_scenarios(), st.sampled_from(sorted(VOCABULARY.event_kinds)), st.sampled_from([0.5, 4.0, 1e9]))
@settings(max_examples=25)
def test_stops(scenario: Any, kind: str, until: float) -> None:
    check_stops(bench_of(scenario), kind, float(until))


@given(phase_scenarios(), st.sampled_from(sorted(FITTING)), st.integers(1, 60))
@settings(max_examples=15)
def test_after_a_change_of_policy(scenario: Any, name: str, before: int) -> None:
    """A peer continues with jobs that another policy has placed."""
    bench = bench_of(scenario)
    other = bench_of(edited(scenario, {"policy": {"name": name}}))
    tape = np.zeros(before, PHASE_ROW)
    state = bench.reference.advance(started(bench.system), tape, Task()).state
    Twins(other, other.system.take_over(bench.system, copied(state))).agree(EVENTS)


# Parts of the kernels.

#: Random words at the ends, and around those at which the logarithm changes its exponent.
ROOT = int(2**64 * math.sqrt(0.5))
CORNERS = [
    0,
    1,
    2**11 - 1,
    2**11,
    2**64 - 1,
    2**64 - 2**11,
    2**64 - 2**12,
    2**63,
    2**63 - 1,
    2**62 + 2**40,
    ROOT - 2**12,
    ROOT,
    ROOT + 2**12,
]

exponential = random_words.exponential


def _fill(words: Any, times: Any) -> None:
    for place in range(len(words)):
        times[place] = exponential(words[place])


def _words() -> np.ndarray:
    drawn = np.random.default_rng(7).integers(0, 2**64, 20_000, np.uint64, endpoint=False)
    close = np.uint64(2**64 - 1) - np.arange(0, 3000 * 2**11, 2**11, dtype=np.uint64)
    return np.concatenate([np.array(CORNERS, np.uint64), drawn, drawn >> np.uint64(30), close])


def test_exponential_times_are_logarithms() -> None:
    for word in _words():
        found = random_words.exponential(word)
        expected = -math.log(random_words.uniform(word))
        assert abs(found - expected) <= ULPS * math.ulp(expected), int(word)


def test_exponential_times_compiled() -> None:
    """They must equal the reference's times exactly, or the engines would diverge."""
    words = _words()
    times = np.zeros(len(words))
    compiled(_fill)(words, times)
    assert times.tolist() == [random_words.exponential(word) for word in words]


@given(
    st.integers(1, 20),
    st.lists(st.tuples(st.integers(0, 19), st.sampled_from([0.0, 1.0, 2.0, 3.5, math.inf])), max_size=60),
)
def test_the_tournament_of_timers(servers: int, changes: list[tuple[int, float]]) -> None:
    """Its winner is the timer that is due first; among equal times the one of lowest number."""
    state = empty_state(StateSizes(1, 1, normal_servers=servers))
    for server, time in changes:
        set_timer(state.timer_due, state.timer_tree, server % servers, time)
        assert state.timer_tree[1] == np.argmin(state.timer_due)
        assert next_timer(state.timer_due, state.timer_tree) == state.timer_due.min()


@given(st.sets(st.integers(0, 199), min_size=1, max_size=199), st.integers(0, 198))
def test_bit_sets(members: set[int], position: int) -> None:
    """Counts, members by position and the lowest number missing, against sorted lists."""
    words = np.zeros((2, 4), np.uint64)
    for one in sorted(members):
        assert fitting.put_bit(words, 1, one, True) == 1
        assert fitting.put_bit(words, 1, one, True) == 0
    with np.errstate(over="ignore"):
        assert sum(fitting.ones(word) for word in words[1]) == len(members)
        ordered = sorted(members)
        assert fitting.member(words, 1, position % len(members)) == ordered[position % len(members)]
        missing = min(set(range(200)) - members)
        assert fitting.first_without(words, 1) == missing
    assert [fitting.has(words, 1, one) for one in range(200)] == [one in members for one in range(200)]
    assert fitting.put_bit(words, 1, ordered[0], False) == -1
    assert not words[0].any()
