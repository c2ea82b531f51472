"""Labels of policies that run side by side."""

from __future__ import annotations

from typing import Any

import pytest

from slotscope.model.comparison.lane import labels_of
from slotscope.model.scenario.common import PolicyChoice


def called(*parameters: dict[str, Any]) -> tuple[str, ...]:
    choices = [PolicyChoice(name="jrs", parameters=one) for one in parameters]
    return labels_of(["JRS"] * len(choices), choices)


def test_titles_that_differ_are_enough() -> None:
    choices = [PolicyChoice(name=name) for name in ("jrs", "grand")]
    assert labels_of(["JRS", "GRAND(aZ)"], choices) == ("JRS", "GRAND(aZ)")


@pytest.mark.parametrize(
    ("given", "label"),
    [
        ({"patch": False}, "JRS, no patch"),
        ({"request_after_pause": True}, "JRS, pause"),
        ({"token_limit": 3}, "JRS, limit 3"),
        ({"reservation_factor": "log^1.1"}, "JRS, factor log¹·¹"),
        ({"recovery_rate": 1, "limit": "all"}, "JRS, rate 1, limit all"),
        ({"estimate": {"factor": 2}}, "JRS, estimate {factor=2}"),
    ],
)
def test_parameters_that_differ_are_told_in_words(given: dict[str, Any], label: str) -> None:
    assert called({}, given) == ("JRS, as given", label)


def test_what_all_have_is_left_out() -> None:
    both = {"token_limit": 3}
    assert called(both, {**both, "patch": False})[1] == "JRS, no patch"
