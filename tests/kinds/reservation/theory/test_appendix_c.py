"""The adversarial family of Online Appendix C, for many (J, N)."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest

from slotscope.model.api import Session
from slotscope.model.kinds.reservation.numbers import numbers_of
from slotscope.model.kinds.reservation.programs.appendix_c import MOST_JOBS, MOST_TYPES, AppendixC
from slotscope.model.kinds.reservation.programs.bounds import MONOTONE
from slotscope.model.kinds.reservation.programs.greedy import global_greedy
from slotscope.model.kinds.reservation.programs.optimum import exact_optimum
from slotscope.model.scenario.load import load_scenario, parse_scenario

MANY = [(types, jobs) for types in range(2, 7) for jobs in (1, 2, 3, 7, 10, 20, 99)]


@pytest.mark.parametrize(("types", "jobs"), MANY)
def test_closed_forms(types: int, jobs: int) -> None:
    member = AppendixC(types, jobs)
    space, rewards, workload = member.space, member.rewards, member.workload
    greedy = global_greedy(space, rewards, workload)
    assert greedy.objective == member.greedy
    optimum = exact_optimum(space, rewards, workload)
    assert optimum.value == member.optimum
    # One configuration serves everything.
    assert sum(u * rho for u, rho in zip(rewards, workload, strict=True)) == member.optimum
    assert member.greedy / member.optimum > MONOTONE.ratio


@pytest.mark.parametrize(("types", "jobs"), [(2, 2), (3, 10), (4, 20), (6, 99)])
def test_the_assignments_of_the_proof(types: int, jobs: int) -> None:
    member = AppendixC(types, jobs)
    share = Fraction(1, types)
    used = global_greedy(member.space, member.rewards, member.workload).fractions()
    expected = dict.fromkeys(member.members[:types], share)
    assert used == expected
    optimum = exact_optimum(member.space, member.rewards, member.workload)
    assert optimum.servers == ((member.members[-1], Fraction(1)),)


@pytest.mark.parametrize(
    ("types", "jobs", "ratio"), [(2, 2, "9/10"), (2, 10, "11/14"), (3, 10, "11/15"), (4, 20, "1225/1756")]
)
def test_known_ratios(types: int, jobs: int, ratio: str) -> None:
    member = AppendixC(types, jobs)
    assert member.greedy / member.optimum == Fraction(ratio)


def test_the_ratio_falls_towards_the_guarantee() -> None:
    along = [AppendixC(types, 1000) for types in range(2, MOST_TYPES + 1)]
    ratios = [float(member.greedy / member.optimum) for member in along]
    assert all(later < earlier for earlier, later in pairwise(ratios))
    assert ratios[-1] - MONOTONE.ratio < 0.03


def test_the_scenario_that_comes_with_the_program_is_a_member() -> None:
    shipped = numbers_of(load_scenario("dra-appendix-c"))
    member = AppendixC(3, 10)
    assert shipped.space == member.space
    assert shipped.workload == member.workload
    unit = shipped.rewards[0] / member.rewards[0]
    assert list(shipped.rewards) == [unit * reward for reward in member.rewards]


@pytest.mark.parametrize(("types", "jobs"), [(2, 1), (4, 20), (MOST_TYPES, MOST_JOBS)])
def test_every_member_runs(types: int, jobs: int) -> None:
    member = AppendixC(types, jobs)
    session = Session.open(parse_scenario(member.scenario(20)), kernel=False)
    numbers = session.info.numbers
    assert (numbers.space, numbers.rewards) == (member.space, member.rewards)
    assert (numbers.workload, numbers.servers) == (member.workload, 20)
    session.run(events=30)
    assert session.timeline.event == 30


@pytest.mark.parametrize(
    ("types", "jobs", "said"),
    [(1, 3, "J = 1"), (MOST_TYPES + 1, 3, "2 to 8"), (2, 0, "N = 0"), (2, MOST_JOBS + 1, "1 to")],
)
def test_others_are_refused(types: int, jobs: int, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        AppendixC(types, jobs)
