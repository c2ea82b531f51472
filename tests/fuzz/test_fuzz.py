"""A few inputs of every family, others in each run; ``python -m tests.fuzz`` tries many."""

from __future__ import annotations

from random import SystemRandom

import pytest

from tests.fuzz.judging import FAMILIES, run

#: Inputs of each family: a few seconds.
FEW = 60


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_damaged_input_is_refused_in_one_line_or_leads_to_something_sane(family: str) -> None:
    """The seed is told where it fails; with it and the number the input is made again."""
    report = run(family, SystemRandom().randrange(10**6), range(FEW))
    assert report.tried == FEW
    assert not report.faults, f"--family {family} --seed {report.seed}: {report.faults}"
