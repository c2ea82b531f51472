"""The planted faults still match the program: each text occurs exactly once in its file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.__main__ import CAUGHT, SURVIVES, judged
from tests.faults.planted import FAULTS, Fault

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.label)
def test_a_fault_can_be_planted(fault: Fault) -> None:
    assert (ROOT / fault.file).read_text(encoding="utf-8").count(fault.old) == 1
    assert all((ROOT / test).exists() for test in fault.tests)


@pytest.mark.parametrize(
    ("code", "said", "found"),
    [
        (0, "3 passed", SURVIVES),
        (1, "E   AssertionError", CAUGHT),
        (1, "E   tests.limits.OutOfTime: Timeout (>600.0s) from pytest-timeout.", "HANGS"),
        (1, "E   Failed: Timeout (>600.0s) from pytest-timeout.", "HANGS"),
        (1, "Timeout (0:15:00)!", "HANGS"),
        (2, "E   SyntaxError: invalid syntax", "NOT RUN"),
        (4, "ERROR: file or directory not found", "NOT RUN"),
    ],
)
def test_only_a_test_that_fails_catches_a_fault(code: int, said: str, found: str) -> None:
    assert judged(code, said) == found
