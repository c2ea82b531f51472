"""What the descriptions of the built-in scenarios announce happens in their runs."""

from __future__ import annotations

from fractions import Fraction

import pytest

from slotscope.model.comparison.runs import open_run
from slotscope.model.scenario.files import scenario_files
from slotscope.model.scenario.load import load_scenario


@pytest.mark.parametrize("name", scenario_files())
def test_every_description_says_what_is_to_be_seen_and_why(name):
    text = load_scenario(name).description
    assert text.count("To see: ") == 1
    seen = text.partition("To see: ")[2]
    assert "because" in seen
    assert seen.rstrip().endswith(".")


@pytest.mark.parametrize(
    ("name", "ratio"),
    [("dra-classroom", "49/64"), ("dra-vms", "799/927"), ("dra-appendix-c", "11/15"), ("dra-reservation", "1")],
)
def test_the_ratios_told_are_those_of_the_programs(answer, name, ratio):
    programs = answer(f"bounds {name}")
    assert programs["ratio"] == pytest.approx(float(Fraction(ratio)), abs=1e-12)
    assert ratio in load_scenario(name).description or ratio == "1"


@pytest.mark.parametrize("policy", ["first-fit", "best-fit", "power-of-d"])
def test_reservation_pays(answer, policy):
    told = answer(f"run dra-reservation --policy dra --policy {policy} --seed 1")
    dra, other = (run["metrics"]["reward_rate"] for run in told["policies"])
    apart = told["differences"][0]["metrics"]["reward_rate"]
    assert apart["mean"] + apart["half_width"] < -2
    assert dra["mean"] > 1.5 * other["mean"]
    assert dra["mean"] == pytest.approx(7, abs=0.3)
    assert other["mean"] == pytest.approx(4, abs=0.5)
    assert answer("bounds dra-reservation")["optimal"] == pytest.approx(8)


def test_reservation_pays_under_every_seed(answer):
    command = "run dra-reservation --policy dra --policy first-fit --policy best-fit"
    told = answer(f"{command} --replications 12")
    for difference in told["differences"]:
        apart = difference["metrics"]["reward_rate"]
        assert apart["mean"] + apart["half_width"] < -2


def test_event_74_turns_a_query_away_although_a_server_has_room():
    run = open_run("dra-reservation", ("dra", "first-fit"), kernel=False)
    run.run(events=80)
    found = run.first_difference()
    mine, other = found.rows
    assert (mine["event"], other["event"]) == (74, 74)
    assert (run.info.numbers.type_names[found.type], mine["servers_with_room"]) == ("query", 1)
    assert found.answers[0] == -1 and found.answers[1] >= 0
