"""The planted faults still fit the program: each text stands exactly where it is said to stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.planted import FAULTS, Fault

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.label)
def test_a_fault_can_be_planted(fault: Fault) -> None:
    assert (ROOT / fault.file).read_text(encoding="utf-8").count(fault.old) == 1
    assert all((ROOT / test).exists() for test in fault.tests)
