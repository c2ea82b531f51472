"""Scenarios written and read again are equal, and run the same."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotscope.model.kinds.reservation.scenario.schema import ReservationScenario
from slotscope.model.running.assembly import assemble
from slotscope.model.running.engine import started
from slotscope.model.scenario.fields import UNIT_FAMILIES, plain
from slotscope.model.scenario.files import scenario_files
from slotscope.model.scenario.load import edited, load_scenario, parse_scenario
from slotscope.model.systems.state import digest
from tests.kinds.reservation.strategies import scenarios
from tests.scenario_text import read_back

GOLDEN = sorted((Path(__file__).parents[1] / "golden" / "dra").glob("t0*.json"))


@given(scenarios())
def test_text_and_back(scenario: ReservationScenario) -> None:
    read_back(scenario)


@given(scenarios())
def test_what_comes_back_starts_the_same(scenario: ReservationScenario) -> None:
    again = read_back(scenario)
    first, second = (started(assemble(each).system) for each in (scenario, again))
    assert digest(first) == digest(second)


@pytest.mark.parametrize("name", sorted(scenario_files()))
def test_built_in_scenarios(name: str) -> None:
    scenario = load_scenario(name)
    read_back(scenario)
    assert scenario.title
    assert scenario.paper


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_instance_files(path: Path) -> None:
    scenario = load_scenario(path)
    read_back(scenario)


@given(scenarios(), st.integers(0, 100))
def test_an_edit_changes_what_it_names_and_nothing_else(scenario: ReservationScenario, seed: int) -> None:
    again = edited(scenario, {"seed": seed})
    assert again.seed == seed
    assert again.model_copy(update={"seed": scenario.seed}) == scenario


@given(st.fractions(min_value=Fraction(1, 10**9), max_value=10**12, max_denominator=10**30))  # what files allow
def test_numbers_are_kept_exactly(number: Fraction) -> None:
    data = {
        "servers": {"count": 1, "capacity": {"r": 1}},
        "job_types": [{"name": "a", "demand": {"r": 1}, "reward": plain(number)}],
    }
    scenario = parse_scenario(data)
    assert scenario.job_types[0].reward == number
    assert read_back(scenario).job_types[0].reward == number


@given(st.sampled_from(UNIT_FAMILIES), st.data(), st.fractions(0, 1000, max_denominator=50))
def test_units_stand_in_for_one_another(family: dict[str, Fraction], data: st.DataObject, amount: Fraction) -> None:
    written, declared = (data.draw(st.sampled_from(sorted(family))) for _ in range(2))
    scenario = parse_scenario(
        {
            "resources": [{"name": "r", "unit": declared}],
            "servers": {"count": 1, "capacity": {"r": "1 " + declared}},
            "job_types": [
                {"name": "a", "reward": 1, "demand": {"r": f"{amount + 1} {written}"}},
                {"name": "b", "reward": 1, "demand": {"r": f"1 {declared}"}},
            ],
        }
    )
    found = scenario.job_types[0].demand["r"].in_unit(declared)
    assert found * family[declared] == (amount + 1) * family[written]
    read_back(scenario)


def test_a_decimal_means_what_is_written() -> None:
    scenario = parse_scenario(
        tomllib.loads("""
        [servers]
        count = 2
        capacity = { r = 0.3 }
        [[job_types]]
        name = "a"
        demand = { r = 0.1 }
        reward = 0.1
        workload = "1/3"
    """)
    )
    assert scenario.job_types[0].reward == Fraction(1, 10)
    assert scenario.job_types[0].load == Fraction(1, 3)
    assert assemble(scenario).numbers.space.max_slots == 3
