"""How long recorded jobs last, and what that means for a run of them."""

from __future__ import annotations

from fractions import Fraction
from math import floor, log10
from typing import Any

from slotscope.model.scenario.load import Scenario

#: Digits to which the end of a run is rounded down where the record tells it.
DIGITS = 4

#: The part of a run that is warm-up where nothing else is said.
WARMUP_SHARE = Fraction(1, 10)


def run_over(scenario: Scenario, last: float) -> dict[str, Any]:
    """The run of a scenario whose last recorded job arrives at *last*.

    What the scenario says of its end and its warm-up holds.  Otherwise it ends with the record,
    and a tenth of it is warm-up.
    """
    run = scenario.run
    told: dict[str, Any] = run.model_dump(mode="json", exclude_none=True)
    if "until" in run.model_fields_set or last <= 0:
        return told
    until = _rounded_down(Fraction(last))
    whole = scenario.system == "queue"
    if whole:
        until = max(Fraction(1), Fraction(floor(until)))
    told["until"] = str(until)
    if "warmup" not in run.model_fields_set:
        warmup = until * WARMUP_SHARE
        told["warmup"] = str(floor(warmup) if whole else warmup)
    return told


def _rounded_down(value: Fraction) -> Fraction:
    unit = Fraction(10) ** (floor(log10(value)) - DIGITS + 1)
    return floor(value / unit) * unit
