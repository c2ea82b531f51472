"""Numbers with units or nouns, and numbers in errors."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from slotscope.model.api import Session
from slotscope.model.exact import common_units
from slotscope.model.kinds.phases.words import by_type
from slotscope.model.reporting.explain import counted, quantity, singular


@pytest.mark.parametrize(
    ("number", "unit", "told"),
    [
        ("29.42", "minute", "29.42 minutes"),
        ("0.04", "hour", "0.04 hours"),
        ("202", "s", "202 s"),
        ("1", "seconds", "1 second"),
        ("2000", "seconds", "2000 seconds"),
        ("1", "hour", "1 hour"),
        ("3", "mean service times", "3 mean service times"),
        ("7", "", "7"),
    ],
)
def test_a_unit_stands_in_the_number_of_its_quantity(number: str, unit: str, told: str) -> None:
    assert quantity(number, unit) == told


def test_units_after_per_and_counts() -> None:
    assert [singular(unit) for unit in ("minute", "seconds", "s", "")] == ["minute", "second", "s", ""]
    assert [counted(1, "token"), counted(1200, "token")] == ["1 token", "1\u202f200 tokens"]


def test_an_error_has_no_number_that_nobody_can_read() -> None:
    with pytest.raises(ValueError, match=r"the values need about 10\^\d\d units in common"):
        common_units([Fraction(1, 10**30), Fraction(1000)])
    with pytest.raises(ValueError, match="need 1000000000000 units of 1/1000000000000"):
        common_units([Fraction(1), Fraction(1, 10**12)])


def test_names_that_begin_with_a_number_stand_apart_from_their_count() -> None:
    numbers = Session.open("jrs-fixed-sizes", kernel=False).info.numbers
    phases = tuple(f"{n} vCPU" for n in range(1, 1 + len(numbers.model.phases)))
    renamed = replace(numbers, model=replace(numbers.model, phases=phases))
    assert by_type(renamed, [13] + [0] * (len(phases) - 1)) == "13 × 1 vCPU"
