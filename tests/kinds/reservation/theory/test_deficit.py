"""Effective servers and the slot deficit q of Psychas & Ghaderi (2022), Section 5."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from slotscope.model.api import Session
from slotscope.model.kinds.reservation.programs.greedy import greedy_configurations
from slotscope.model.kinds.reservation.programs.lyapunov import (
    Counts,
    configurations_in_play,
    effective_counts,
    next_configuration,
    slot_deficit,
)
from slotscope.model.kinds.reservation.sampling import columns
from slotscope.model.kinds.reservation.state import GREEDY_LENGTH
from slotscope.model.programs.configurations import Configuration
from slotscope.model.reporting.frame import Frame
from tests.kinds.reservation.invariants import assignment_of
from tests.kinds.reservation.strategies import scenarios


def last_gpa(frame: Frame) -> tuple[list[Configuration], Counts, Counts]:
    """The configurations of the last GPA, the servers that have each, and the servers that GPA wants with each."""
    found = int(frame.state.number[GREEDY_LENGTH])
    rows = [tuple(row) for row in frame.state.greedy_configuration[:found].tolist()]
    return rows, frame.derived.held, frame.state.greedy_count[:found]


def deficit_at(frame: Frame, configurations: tuple[Configuration, ...]) -> tuple[Counts, Counts]:
    found, held, wanted = last_gpa(frame)
    effective = effective_counts(configurations, found, held, wanted)
    jobs = frame.state.jobs_in_system
    return effective, slot_deficit(configurations, effective, jobs, frame.info.facts.reserved)


def ran(scenario: Any, events: int) -> Session:
    session = Session.open(scenario, kernel=False)
    session.run(events=events)
    return session


@given(scenarios(), st.integers(0, 60))
def test_the_rule_is_what_cra_does(scenario: Any, events: int) -> None:
    """(5.3), evaluated over all of K^(g), names the first configuration that CRA could not match."""
    frame = ran(scenario, events).frame()
    numbers = frame.info.numbers
    every = greedy_configurations(numbers.space, numbers.rewards)
    effective, deficit = deficit_at(frame, every)
    found, held, wanted = last_gpa(frame)
    unmatched = [k for k, have, want in zip(found, held, wanted, strict=True) if have < want]
    place = next_configuration(every, deficit)
    if unmatched:
        assert place is not None
        assert every[place] == unmatched[0]
    elif effective.sum() < numbers.servers:
        assert place is None
    else:
        assert effective.sum() == numbers.servers


@given(scenarios(), st.integers(0, 60))
def test_an_empty_server_of_rank_j_plus_1_waits_only_where_nothing_is_short(scenario: Any, events: int) -> None:
    frame = ran(scenario, events).frame()
    numbers, classes = frame.info.numbers, frame.derived
    every = greedy_configurations(numbers.space, numbers.rewards)
    empty = frame.state.placement.sum(axis=1) == 0
    if (empty & (classes.rank == numbers.types + 1)).any():
        assert next_configuration(every, deficit_at(frame, every)[1]) is None


@given(scenarios(), st.integers(0, 60))
def test_few_configurations_say_as_much_as_all(scenario: Any, events: int) -> None:
    frame = ran(scenario, events).frame()
    numbers = frame.info.numbers
    every = greedy_configurations(numbers.space, numbers.rewards)
    found, _, _ = last_gpa(frame)
    few = configurations_in_play(found, numbers.greedy_set, numbers.rewards)
    assert set(few) <= set(every)
    effective, deficit = deficit_at(frame, few)
    all_effective, all_deficit = deficit_at(frame, every)
    for place, configuration in enumerate(few):
        where = every.index(configuration)
        assert effective[place] == all_effective[where]
        assert (deficit[place] == all_deficit[where]).all()
    mine, whole = next_configuration(few, deficit), next_configuration(every, all_deficit)
    if all_effective.sum() < numbers.servers:
        assert (mine is None) == (whole is None)
        assert mine is None or whole is None or few[mine] == every[whole]


@given(scenarios(), st.integers(0, 60))
def test_what_section_5_2_says_of_q(scenario: Any, events: int) -> None:
    """q grows with i and stays below K; where it is large, an arrival finds an empty slot."""
    frame = ran(scenario, events).frame()
    numbers, state = frame.info.numbers, frame.state
    every = greedy_configurations(numbers.space, numbers.rewards)
    effective, deficit = deficit_at(frame, every)
    most = numbers.space.max_slots
    assert (np.diff(deficit, axis=0) >= 0).all()
    assert most == 0 or (deficit < most).all()
    assert 0 <= effective.sum() <= numbers.servers
    empty = (state.configuration - state.placement)[~frame.derived.reject_group].sum(axis=0)
    sure = deficit[-1] > numbers.types * most - frame.info.facts.reserved
    assert (empty[sure] > 0).all()


@given(scenarios(), st.integers(1, 60))
def test_effective_servers_have_the_ranks_of_remark_4(scenario: Any, events: int) -> None:
    frame = ran(scenario, events).frame()
    found, held, wanted = last_gpa(frame)
    effective = effective_counts(tuple(found), found, held, wanted)
    ranks = np.bincount(frame.derived.rank, minlength=len(found) + 2)
    assert effective.tolist() == ranks[1 : len(found) + 1].tolist()


@given(scenarios(), st.integers(0, 40))
def test_gpa_is_the_one_of_the_jobs_present(scenario: Any, events: int) -> None:
    """The last GPA used the jobs that are present now, so X^(e) is that of Definition 9 at this moment."""
    frame = ran(scenario, events).frame()
    reference = [int(jobs) + frame.info.facts.reserved for jobs in frame.state.jobs_in_system]
    wanted = {item.configuration: item.count for item in assignment_of(frame.info.numbers, reference) if item.count}
    found, _, count = last_gpa(frame)
    assert {k: int(n) for k, n in zip(found, count, strict=True) if n} == wanted


def test_samples_hold_the_same_counts() -> None:
    session = Session.open("dra-vms", kernel=False)
    session.run(events=200)
    frame = session.frame()
    numbers = frame.info.numbers
    effective, _ = deficit_at(frame, numbers.greedy_set)
    last = frame.samples[-1, columns("effective", numbers.types)]
    assert last.tolist() == effective.tolist()


def test_numbers_by_hand() -> None:
    configurations = ((2, 1), (2, 0), (0, 2))
    effective = effective_counts(configurations, [(2, 1), (0, 2)], [5, 1], [3, 4])
    assert effective.tolist() == [3, 0, 1]
    deficit = slot_deficit(configurations, effective, [4, 5], 2)
    assert deficit.tolist() == [[0, -4], [0, -4], [0, -2]]
    assert next_configuration(configurations, deficit) == 2
    assert next_configuration(configurations, slot_deficit(configurations, effective, [9, 9], 2)) == 0
    assert next_configuration(configurations, np.zeros((3, 2), np.int64)) is None
