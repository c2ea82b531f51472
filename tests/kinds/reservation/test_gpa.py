"""GPA against an independent program's results, and its own invariants."""

from __future__ import annotations

import json
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotscope.model.kinds.reservation.numbers import ReservationNumbers, numbers_of
from slotscope.model.kinds.reservation.policies import gpa
from slotscope.model.reporting.records import Record
from slotscope.model.scenario.load import parse_scenario
from tests.kinds.reservation.invariants import assignment_of
from tests.kinds.reservation.strategies import scenarios

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parents[2] / "golden" / "dra" / "gpa.json").read_text())


def numbers_for(case: dict[str, Any]) -> ReservationNumbers:
    resources = [f"r{d}" for d in range(len(case["capacity"]))]
    return numbers_of(
        parse_scenario(
            {
                "servers": {"count": case["L"], "capacity": dict(zip(resources, case["capacity"], strict=True))},
                "job_types": [
                    {"name": f"t{j}", "demand": dict(zip(resources, sizes, strict=True)), "reward": reward}
                    for j, (sizes, reward) in enumerate(zip(case["sizes"], case["rewards"], strict=True))
                ],
            }
        )
    )


def test_there_are_cases() -> None:
    assert len(CASES) >= 100
    assert any(Fraction(case["g"]).denominator > 1 for case in CASES)


@pytest.mark.parametrize("number", range(len(CASES)))
def test_golden(number: int) -> None:
    case = CASES[number]
    reference = [jobs + ceil(Fraction(case["g"])) for jobs in case["Y"]]
    found = assignment_of(numbers_for(case), reference)
    positive = [[list(item.configuration), item.count] for item in found if item.count > 0]
    assert positive == case["positive"]


def test_the_smallest_case_in_which_line_8_turns_negative() -> None:
    numbers = numbers_for({"sizes": [[4, 0], [0, 3], [5, 1]], "capacity": [9, 9], "rewards": [4, 5, 5], "L": 10})
    found = assignment_of(numbers, [1, 2, 5])
    assert all(item.count >= 0 for item in found)
    left = [1, 2, 5]
    lefts = []
    for item in found:
        left = [r - item.count * k for r, k in zip(left, item.configuration, strict=True)]
        lefts.append(left)
    assert any(min(each) < 0 for each in lefts)


@given(scenarios(starts=("empty",)), st.data())
def test_what_gpa_must_do(scenario: Any, data: st.DataObject) -> None:
    numbers = numbers_of(scenario)
    entry = st.integers(0, 40)
    reference = data.draw(st.lists(entry, min_size=numbers.types, max_size=numbers.types))
    found = assignment_of(numbers, reference)
    configurations = [item.configuration for item in found]
    assert len(found) == sum(numbers.space.fits)
    assert len(set(configurations)) == len(configurations)
    assert all(numbers.space.contains(k) for k in configurations)
    order = [(sum(u * n for u, n in zip(numbers.rewards, k, strict=True)), k) for k in configurations]
    assert order == sorted(order, reverse=True)  # k[1] > k[2] > ... in the order of Definition 2
    used = sum(item.count for item in found)
    assert used <= numbers.servers
    assert all(item.count >= 0 for item in found)
    if used < numbers.servers:  # servers are unused: every type that fits has all its slots
        for job_type, wanted in enumerate(reference):
            slots = sum(item.count * item.configuration[job_type] for item in found)
            assert slots >= wanted or not numbers.space.fits[job_type]


@given(scenarios(starts=("empty",)), st.integers(0, 20))
def test_the_records_tell_the_same_as_the_result(scenario: Any, jobs: int) -> None:
    numbers = numbers_of(scenario)
    reference = [jobs] * numbers.types
    records, result = gpa.steps(numbers, reference)
    counted = [item.values for item in records if isinstance(item, Record) and item.kind == "count_found"]
    assert [(item["configuration"], item["count"]) for item in counted] == [
        (item.configuration, item.count) for item in result
    ]
    left = list(reference)
    servers = numbers.servers
    for item in counted:
        left = [r - item["count"] * k for r, k in zip(left, item["configuration"], strict=True)]
        servers -= item["count"]
        assert (tuple(left), servers) == (item["jobs_left"], item["servers_left"])
        assert item["configuration"][item["exhausted"]] > 0
        assert servers == 0 or left[item["exhausted"]] <= 0
