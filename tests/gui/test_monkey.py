"""A short random walk through the window; longer ones: ``python -m tests.monkey``."""

from __future__ import annotations

from random import randrange

import pytest

from tests.monkey.__main__ import walk

pytestmark = pytest.mark.slow


def test_a_walk_through_all_kinds_from_a_fresh_seed_finds_nothing():
    seed = randrange(10**6)
    outcome = walk(seed, "all", "--steps=160")
    assert not outcome.report, f"python -m tests.monkey --seed {seed}\n{outcome.report}"
    assert outcome.steps >= 160
