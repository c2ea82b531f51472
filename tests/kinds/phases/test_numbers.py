"""The numbers of a scenario of jobs with phases are exactly those of its file."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slotscope.model.errors import UserError
from slotscope.model.kinds.phases.lattice import cost_rate, count_configurations
from slotscope.model.kinds.phases.numbers import numbers_of
from slotscope.model.kinds.phases.scenario.schema import PhasesScenario
from slotscope.model.scenario.files import scenario_files
from slotscope.model.scenario.load import load_scenario, parse_scenario
from tests.breaking import changed, refused, says
from tests.kinds.phases.scenarios import GOOD, SCRIPT, SEVERAL, TABLE, opened


class TestEnds:
    """If a job can be in a phase, it must be able to depart from there eventually."""

    def test_a_way_through_another_phase_is_enough(self) -> None:
        data = changed("phases[0].departure_rate", 0, GOOD)
        assert opened(data).mean_lives[0] == 2 + opened(data).mean_lives[1]

    def test_a_phase_that_nobody_enters_need_not_end(self) -> None:
        idle = {"name": "idle", "demand": 1, "to": {"L": 1}}
        stuck = {"name": "stuck", "demand": 1}
        numbers = opened(changed("phases", [*GOOD["phases"], idle, stuck], GOOD))
        assert numbers.mean_lives[:2] == opened(GOOD).mean_lives
        assert numbers.mean_lives[2:] == (0, 0)

    def test_two_phases_that_lead_only_to_each_other(self) -> None:
        data = changed("phases[1].departure_rate", 0, changed("phases[0].departure_rate", 0, GOOD))
        says(refused(opened, data), "phases[0].departure_rate: ... phase 'L'")

    def test_a_way_of_rate_0_is_none(self) -> None:
        data = changed("phases[1].to.L", 0, changed("phases[1].departure_rate", 0, GOOD))
        says(refused(opened, data), "phases[1].departure_rate: ... phase 'H'")


class TestNumbers:
    """The numbers are exactly those of the file."""

    def test_rates_demands_and_cost(self) -> None:
        numbers = opened(GOOD)
        model = numbers.model
        assert (model.phases, model.resources) == (("L", "H"), ("cpu",))
        assert (model.demand, model.capacity) == (((1,), (3,)), (10,))
        assert (model.most_jobs, model.hard, model.budget) == (8, False, Fraction(1, 20))
        assert model.arrival_rates == (1, 0)
        assert model.departure_rates == (Fraction(1, 3), 1)
        assert model.moves == ((0, Fraction(1, 2)), (1, 0))
        assert (numbers.scale, numbers.seed) == (100, 1)
        assert numbers.arrival_rates == (100, 0)
        assert (model.cost.law, model.cost.table) == ("overrun", ())
        assert cost_rate(model, (2, 4)) == Fraction(4, 10)
        assert count_configurations(model) == 45

    def test_a_table_of_costs(self) -> None:
        model = opened(TABLE).model
        assert model.cost.law == "table"
        assert dict(model.cost.table) == {(4, 2): Fraction(3, 10), (0, 4): Fraction(1, 7)}
        assert cost_rate(model, (0, 8)) == 0

    def test_several_resources_and_units(self) -> None:
        numbers = opened(SEVERAL)
        model = numbers.model
        assert model.capacity == (8, 32)
        assert model.demand == ((1, Fraction(1, 2)), (0, 16))
        assert (model.hard, model.budget) == (True, 0)
        assert numbers.mean_jobs == Fraction(5, 2) * (1 + Fraction(1, 4))

    def test_a_bare_demand_is_of_the_only_resource(self) -> None:
        bare = changed("phases[1].demand", 3, GOOD)
        assert opened(bare).model == opened(GOOD).model
        both_bare = changed("servers.capacity", 10, changed("phases[0].demand", 1, bare))
        assert opened(both_bare).model.demand == opened(GOOD).model.demand

    def test_a_script_has_no_random_arrivals(self) -> None:
        data = changed("phases[0].arrival_rate", 5, SCRIPT)
        numbers = opened(data)
        assert (numbers.scale, numbers.mean_jobs) == (1, 0)
        assert numbers.model.arrival_rates == (0, 0)

    def test_a_script_is_kept(self) -> None:
        scenario = parse_scenario(SCRIPT)
        assert isinstance(scenario, PhasesScenario)
        events = scenario.workload.model_dump(mode="json", exclude_defaults=True)["events"]
        # A pool that is not written is pool 1, and choices that are not written are none.
        assert events == [
            {name: value for name, value in event.items() if (name, value) != ("pool", 1)}
            for event in SCRIPT["workload"]["events"]
        ]


RATES = st.fractions(Fraction(1, 1000), 1000, max_denominator=1000)


@given(st.lists(st.tuples(RATES, RATES, RATES), min_size=1, max_size=4))
@settings(max_examples=40)
def test_rates_are_kept_exactly(rows: list[tuple[Fraction, Fraction, Fraction]]) -> None:
    phases = [
        {"name": f"p{place}", "demand": str(demand), "arrival_rate": str(come), "departure_rate": str(leave)}
        for place, (demand, come, leave) in enumerate(rows)
    ]
    data = changed("phases", phases, changed("workload.scale", "1/1000", GOOD))
    data = changed("servers.most_jobs", 1, data)
    try:
        numbers = opened(data)
    except UserError as error:  # several such denominators together may need too fine a unit
        assert "fewer digits" in error.line
        return
    model = numbers.model
    assert model.demand == tuple((demand,) for demand, _, _ in rows)
    assert model.arrival_rates == tuple(come for _, come, _ in rows)
    assert model.departure_rates == tuple(leave for _, _, leave in rows)
    assert numbers.mean_jobs == sum(come / leave for _, come, leave in rows) / 1000
    for units, (demand, _, _) in zip(numbers.demand, rows, strict=True):
        assert int(units[0]) * numbers.unit[0] == demand


JRS = [name for name in scenario_files() if name.startswith("jrs-")]


@pytest.mark.parametrize("name", JRS)
def test_built_in_scenarios_say_where_they_come_from(name: str) -> None:
    scenario = load_scenario(name)
    assert isinstance(scenario, PhasesScenario)
    assert scenario.title
    assert scenario.description
    assert scenario.paper.startswith("Hong, Xie & Wang (2023), Section")
    if scenario.workload.kind != "trace":
        numbers = numbers_of(scenario)
        assert len(numbers.lattice) <= 100
        assert scenario.run.warmup >= 10 * max(numbers.mean_lives)


def test_the_names_that_others_rely_on() -> None:
    assert {
        "jrs-two-phases",
        "jrs-burst",
        "jrs-three-phases",
        "jrs-fixed-sizes",
        "jrs-deadlock",
        "jrs-classroom",
        "jrs-azure",
    } <= set(JRS)
