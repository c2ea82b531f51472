"""The time span of recorded jobs, and the run that it allows."""

from __future__ import annotations

from fractions import Fraction
from math import floor, log10
from typing import Any

from slotscope.model.kinds.spec import kind_named
from slotscope.model.scenario.load import Scenario

#: Significant digits to which the end of a run is rounded down if it comes from the trace.
DIGITS = 4

#: The default share of a run that is warm-up.
WARMUP_SHARE = Fraction(1, 10)


def run_over(scenario: Scenario, last: float) -> dict[str, Any]:
    """The settings of a run for a scenario whose last recorded job arrives at *last*.

    The run ends with the trace, or earlier if the scenario says so.  The warm-up is a tenth of the run if the
    scenario gives none, or one that would leave nothing of the run.
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
    """A note for the report if the trace ends before the run that *scenario* asks for; *played* is run instead."""
    asked, run = scenario.run, played.run
    if "until" not in asked.model_fields_set or run.until == asked.until:
        return ()
    told = f"the scenario runs until {float(asked.until):g}, but the last recorded job arrives before that"
    return (f"{told}: measured from {float(run.warmup):g} to {float(run.until):g}; --until and --warmup change it",)


def _rounded_down(value: Fraction) -> Fraction:
    unit = Fraction(10) ** (floor(log10(value)) - DIGITS + 1)
    return floor(value / unit) * unit
