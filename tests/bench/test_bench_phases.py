"""The benchmark of jobs with phases at tiny sizes: the compared ways have the same results.

Times are never checked.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from slotscope.model.kinds.phases.rows import PHASE_ROW
from slotscope.model.kinds.phases.state import MATCHED, OVERFLOWED, REQUESTED, VIRTUAL_ARRIVED, PhaseState
from slotscope.model.running.assembly import Bench
from slotscope.model.running.engine import Task, started
from tests.bench import bench_phases
from tests.bench.phase_ways import SAME_LOGARITHM, Chance, CompiledJrs, Outcome, PlainJrs, Words, compiled_c

pytestmark = pytest.mark.slow

EVENTS = 3000


def by_kernel(bench: Bench, tape: np.ndarray) -> Outcome:
    state: PhaseState = bench.kernel().advance(started(bench.system), tape, Task()).state
    counts = state.tally[[MATCHED, OVERFLOWED, REQUESTED, VIRTUAL_ARRIVED]].sum(axis=1)
    return Outcome(EVENTS, tuple(state.area.tolist()), *counts.tolist())


@pytest.mark.parametrize(("name", "scale", "given"), bench_phases.CASES)
def test_all_ways_of_jrs_do_the_same(name: str, scale: int, given: str, tmp_path: Path) -> None:
    bench = bench_phases.bench_of(name, scale, given=given)
    rows = np.zeros(EVENTS, PHASE_ROW)
    kernel = by_kernel(bench, rows)
    found = [PlainJrs(bench, Words(bench)).run(EVENTS)]
    for options in ((), SAME_LOGARITHM):
        library = compiled_c(tmp_path, *options)
        if library is None:
            continue
        in_c = CompiledJrs(bench, library, EVENTS)
        found.append(in_c.run(EVENTS))
        for name in rows.dtype.names or ():
            if name in ("time", "token_age") and not options:  # the two logarithms may differ in their last bit
                assert in_c.tape[name] == pytest.approx(rows[name], rel=1e-9, abs=1e-9)
            else:
                assert (in_c.tape[name] == rows[name]).all(), name
    assert min(kernel[2:]) > 10
    for outcome in found:
        assert outcome[2:] == kernel[2:]
        assert outcome.areas == pytest.approx(kernel.areas, rel=1e-9)


def test_a_program_with_other_random_numbers_does_much_the_same() -> None:
    name, scale, given = bench_phases.CASES[0]
    bench = bench_phases.bench_of(name, scale, given=given)
    kernel, other = by_kernel(bench, np.zeros(EVENTS, PHASE_ROW)), PlainJrs(bench, Chance(1)).run(EVENTS)
    assert other.areas != kernel.areas
    assert other.matched == pytest.approx(kernel.matched, rel=0.2)


def test_tables_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    name, _, given = bench_phases.CASES[0]
    bench_phases.bench_ways(name, 20, given, (200, 100, 50), 1)
    bench_phases.bench_policies(name, given, (5, 10), 1, 100)
    text = capsys.readouterr().out
    for way in ("kernel", "Python, heapq", "reference (Python)", "jrs", "power-of-d"):
        assert f"| {way} |" in text
