"""A few inputs of every family, different in each run; ``python -m tests.fuzz`` tries many."""

from __future__ import annotations

from random import SystemRandom

import pytest

from tests.fuzz import running
from tests.fuzz.judging import FAMILIES, run

#: A stand-in for the compiler: code in a module of its name that runs until it is interrupted three times.
COMPILER = """
def compiles(alarms):
    before = len(alarms)
    while len(alarms) < before + 3:
        pass
    return True
"""

#: Inputs of each family, which take a few seconds.
FEW = 10


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_damaged_input_is_refused_in_one_line_or_leads_to_something_sane(family: str) -> None:
    """A failure reports the seed, which reproduces the input together with its number."""
    report = run(family, SystemRandom().randrange(10**6), range(FEW))
    assert report.tried == FEW
    assert not report.faults, f"--family {family} --seed {report.seed}: {report.faults}"


def test_who_asks_for_a_long_run_is_stopped_but_not_while_it_compiles(monkeypatch):
    monkeypatch.setattr(running, "PATIENCE", 0.01)
    module = {"__name__": "numba.core.compiler"}
    exec(COMPILER, module)
    alarms, done = [], []
    unsafe = running._unsafe
    monkeypatch.setattr(running, "_unsafe", lambda frame: alarms.append(frame) or unsafe(frame))
    with pytest.raises(KeyboardInterrupt), running._patience():
        done.append(module["compiles"](alarms))
        while True:
            pass
    assert done == [True]
