"""A short random walk through the window; longer ones: ``python -m tests.monkey``."""

from __future__ import annotations

from random import randrange

import pytest

from slotscope.model.kinds.spec import KINDS
from tests.monkey.__main__ import walk

pytestmark = pytest.mark.slow


def test_a_walk_through_all_kinds_finds_nothing():
    outcome = walk(7, "all", "--steps=120")
    assert not outcome.report, outcome.report
    assert outcome.steps >= 120


@pytest.mark.parametrize("kind", list(KINDS))
def test_a_walk_from_a_fresh_seed_finds_nothing(kind):
    seed = randrange(10**6)
    outcome = walk(seed, kind, "--steps=120")
    again = f"python -m tests.monkey --seed {seed} --kind {kind}"
    assert not outcome.report, f"{again}\n{outcome.report}"
