"""How long recorded jobs last, and what that means for a run of them."""

from __future__ import annotations

from fractions import Fraction
from math import floor, log10
from typing import Any

from slotscope.model.kinds.spec import kind_named
from slotscope.model.scenario.load import Scenario

#: Digits to which the end of a run is rounded down where the record tells it.
DIGITS = 4

#: The part of a run that is warm-up where nothing else is said.
WARMUP_SHARE = Fraction(1, 10)


def run_over(scenario: Scenario, last: float) -> dict[str, Any]:
    """The run of a scenario whose last recorded job arrives at *last*.

    It ends with the record, or before that where the scenario says so.  A warm-up that would leave nothing of it
    is a tenth, as it is where nothing else is said.
    """
    run = scenario.run
    told: dict[str, Any] = run.model_dump(mode="json", exclude_none=True)
    said = run.model_fields_set
    if last <= 0 or ("until" in said and run.until <= last):
        return told
    until = _rounded_down(Fraction(last))
    whole = kind_named(scenario.system).slotted
    if whole:
        until = max(Fraction(1), Fraction(floor(until)))
    told["until"] = str(until)
    if "warmup" not in said or run.warmup >= until:
        warmup = until * WARMUP_SHARE
        told["warmup"] = str(floor(warmup) if whole else warmup)
    return told


def shortened(scenario: Scenario, played: Scenario) -> tuple[str, ...]:
    """What a report says where the record ends before the run that *scenario* asks for; it is *played* instead."""
    asked, run = scenario.run, played.run
    if "until" not in asked.model_fields_set or run.until == asked.until:
        return ()
    told = f"the scenario runs until {float(asked.until):g}, but the last recorded job arrives before that"
    return (f"{told}: measured from {float(run.warmup):g} to {float(run.until):g}; --until and --warmup change it",)


def _rounded_down(value: Fraction) -> Fraction:
    unit = Fraction(10) ** (floor(log10(value)) - DIGITS + 1)
    return floor(value / unit) * unit
