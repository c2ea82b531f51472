"""Scenarios written as text and read again."""

from __future__ import annotations

import tomllib
from typing import Any

from slotscope.model.scenario.load import parse_scenario, scenario_text


def read_back(scenario: Any) -> Any:
    """The scenario read from its own text, checked: equal to it, and written as the same text."""
    text = scenario_text(scenario)
    again = parse_scenario(tomllib.loads(text))
    assert again == scenario
    assert scenario_text(again) == text
    return again
