"""Runs whose decisions come from outside: with a policy's own decisions as answers, the run is the policy's run."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

from slotscope.model.api import Session
from slotscope.model.kinds.moldable.answered import BLOCKED as COST_OF_A_BLOCK
from slotscope.model.kinds.moldable.state import BLOCKED
from slotscope.model.kinds.phases.answered import SEEN
from slotscope.model.kinds.phases.state import ACTIVE_AREA, COST_AREA
from slotscope.model.kinds.reservation.measures import reward_rate
from slotscope.model.kinds.reservation.sampling import area_until_now
from slotscope.model.running.answering import AnsweredRun
from slotscope.model.scenario.load import SYSTEMS, load_scenario
from slotscope.model.systems.state import copied, differences

SCENARIOS = ("dra-vms", "dra-pools", "queues-classroom", "queues-two-resources", "jrs-classroom", "moldable-classes")

#: Fields that record how much a policy requested, which may exceed what it got; an answer requests what it gets.
UNLIKE = {"job_request", "tally"}

Answer = Callable[[Any], int]


def first(policy: Any) -> int:
    """The first allowed answer."""
    return int(np.flatnonzero(policy.allowed)[0])


def last(policy: Any) -> int:
    return int(np.flatnonzero(policy.allowed)[-1])


def play(run: AnsweredRun, events: int, answer: Answer) -> float:
    """Answer the decisions of at least *events* events by *answer*; return the reward earned."""
    earned, ended = run.onward()
    while run.events < events and not ended:
        more, ended = run.onward(answer(run.policy))
        earned += more
    return earned


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scenario", "policy", "answer"),
    [
        ("dra-vms", "first-fit", first),
        ("dra-pools", "first-fit", first),
        ("queues-classroom", "fifo-ff:skip=true", first),
        ("queues-two-resources", "fifo-ff:skip=true", first),
        ("jrs-fixed-sizes", "first-fit", first),
        ("moldable-classroom", "greedy", last),
        ("moldable-classes", "greedy", last),
    ],
)
def test_answers_of_a_policy_make_its_run(scenario: str, policy: str, answer: Answer) -> None:
    seed = int(np.random.default_rng().integers(1000))
    run = AnsweredRun(load_scenario(scenario), seed)
    states, happens = [], run._system.run

    def watched(state: Any, *rest: Any) -> Any:
        states.append(copied(state))
        return happens(state, *rest)

    run._system.run = watched
    play(run, 400, answer)
    session = Session.open(scenario, policy, seed, kernel=False)
    for event, expected in enumerate(states):
        session.seek(event)
        before = session.bench.system.prepared(copied(session.timeline.state))  # with room for the event
        if "jobs_on" in before._fields and before.jobs_on[SEEN:].any():
            break  # answers cannot express this
        assert set(differences(before, expected)) <= UNLIKE, f"seed {seed}, event {event}"


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.slow
def test_what_is_earned_is_what_the_paper_measures(scenario: str) -> None:
    seed = int(np.random.default_rng().integers(1000))
    run = AnsweredRun(load_scenario(scenario), seed)
    earned = play(run, 300, last)
    state, numbers = run._state, run.policy.numbers
    measured = {
        "reservation": lambda: float(reward_rate(numbers, area_until_now(state, run.time))),
        "queue": lambda: -float(state.waiting_area[0]),
        "phases": lambda: -float(state.area[ACTIVE_AREA]) - run.policy.price * float(state.area[COST_AREA]),
        "moldable": lambda: _of_moldable(state, numbers),
    }[load_scenario(scenario).system]()
    assert earned == pytest.approx(measured), f"seed {seed}"


def _of_moldable(state: Any, numbers: Any) -> float:
    jobs = float((state.area + state.jobs * (state.clock[0] - state.since)).sum())
    blocked = state.tally[BLOCKED] @ np.array([float(mean) for mean in numbers.means])
    return -jobs - COST_OF_A_BLOCK * float(blocked)


@pytest.mark.parametrize("scenario", [*SCENARIOS, "jrs-azure", "dra-google", "queues-google"])
def test_any_answers_are_possible_and_observations_are_as_they_are_said_to_be(scenario: str) -> None:
    random = np.random.default_rng()
    seed = int(random.integers(1000))
    run = AnsweredRun(load_scenario(scenario), seed)
    run.onward()
    for _ in range(200):
        policy = run.policy
        assert policy.observation.shape == (policy.observed,)
        assert policy.observation.dtype == np.float32
        assert 0 <= policy.observation.min() <= policy.observation.max() <= 1
        assert policy.allowed.shape == (policy.actions,)
        assert policy.allowed[policy.otherwise], f"seed {seed}"
        run.onward(int(random.integers(policy.actions)))


def test_it_ends_where_recorded_jobs_end() -> None:
    run = AnsweredRun(load_scenario("dra-google"), 1)
    earned, ended = run.onward()
    while not ended:
        more, ended = run.onward(first(run.policy))
        earned += more
    assert run.onward(0) == (0.0, True)
    assert run.events > 4000


def test_every_kind_of_system_is_tried() -> None:
    assert {load_scenario(name).system for name in SCENARIOS} == set(SYSTEMS)
