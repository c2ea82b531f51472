"""The output of commands with ``--json`` does not change: the same keys, the same numbers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contract.outputs import answer, known, scenarios

#: Numbers that are sums over many events; their last digits may be rounded differently on another machine.
CLOSE = 1e-9


def assert_same(found: Any, expected: Any, where: str) -> None:
    """Assert the same structure, and numbers that are equal up to rounding."""
    if isinstance(expected, dict):
        assert list(found) == list(expected), where
        for key, value in expected.items():
            assert_same(found[key], value, f"{where}.{key}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), where
        for place, value in enumerate(expected):
            assert_same(found[place], value, f"{where}[{place}]")
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=CLOSE, abs=CLOSE), where
    else:
        assert found == expected, where


def test_the_table_has_every_scenario():
    assert sorted(known()) == scenarios()


@pytest.mark.slow
@pytest.mark.parametrize("scenario", sorted(known()))
def test_commands_print_the_same(scenario):
    for command, expected in known()[scenario].items():
        assert_same(answer(command), expected, command)


@pytest.mark.parametrize("other", [{"a": [1, 2.0]}, {"a": [1, 2.1, 3]}, {"b": [1, 2.1]}, {"a": 1}, {"a": ["1", 2.1]}])
def test_a_difference_is_found(other):
    with pytest.raises((AssertionError, TypeError)):
        assert_same(other, {"a": [1, 2.1]}, "planted")
