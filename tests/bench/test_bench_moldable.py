"""The benchmark of moldable jobs at tiny sizes: the compared ways have the same results.

Times are never checked.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from slotscope.model.kinds.moldable.state import BLOCKED, SPLIT
from slotscope.model.systems.state import differences, digest
from tests.bench import bench_moldable
from tests.bench.moldable_ways import (
    PROGRAMS,
    Idiomatic,
    Kernel,
    Plain,
    by_kernel,
    compiled_c,
    drawn_jobs,
    in_c,
    own_jobs,
)

pytestmark = pytest.mark.slow

#: Scenario, servers, policy: including several classes with pools, and a policy with a table.
CASES: tuple[tuple[str, int, str, dict[str, Any]], ...] = (
    ("moldable-sublinear", 100, "greedy-p", {}),
    ("moldable-linear", 50, "greedy-p", {}),
    ("moldable-classes", 60, "greedy-p", {"rest": "common"}),
    ("moldable-sublinear", 40, "threshold", {"steps": [{"free": 5, "servers": 4}]}),
)

EVENTS = 20_000

#: The scenarios that the programs support.
UNTIL = 20.0


@pytest.mark.parametrize(("name", "servers", "policy", "options"), CASES)
def test_c_does_the_same_work(name: str, servers: int, policy: str, options: dict[str, Any], tmp_path: Path) -> None:
    library = compiled_c(tmp_path)
    if library is None:
        pytest.skip("no C compiler is installed")
    bench = bench_moldable.bench_of(name, servers, policy, options)
    before = bench_moldable.settled(bench)
    kernel, other = by_kernel(bench, before, EVENTS)()(), in_c(bench, library, before, EVENTS)()()
    assert digest(kernel) == digest(other), differences(kernel, other)
    assert kernel.tally[BLOCKED].sum() > before.tally[BLOCKED].sum()
    split = name != "moldable-linear"  # there all jobs have the same width
    assert (kernel.tally[SPLIT].sum() > before.tally[SPLIT].sum()) == split


@pytest.mark.parametrize("title", PROGRAMS)
def test_programs_do_the_same_with_the_same_jobs(title: str) -> None:
    bench = bench_moldable.bench_of("moldable-sublinear", 30)
    kernel, program = Kernel(bench), PROGRAMS[title](bench, own_jobs(bench))
    kernel.run(UNTIL)
    program.run(UNTIL)
    assert kernel.outcome.blocked > 3
    assert program.outcome[:3] == kernel.outcome[:3]
    assert program.outcome.areas == pytest.approx(kernel.outcome.areas, rel=1e-9)


def test_programs_with_other_random_numbers_do_much_the_same() -> None:
    bench = bench_moldable.bench_of("moldable-sublinear", 30)
    outcomes = []
    for made in (Plain, Idiomatic):
        program = made(bench, drawn_jobs(bench))
        program.run(UNTIL)
        outcomes.append(program.outcome)
    kernel = Kernel(bench)
    kernel.run(UNTIL)
    assert outcomes[0][:3] == outcomes[1][:3]
    assert outcomes[0].areas != kernel.outcome.areas
    assert outcomes[0].events == pytest.approx(kernel.outcome.events, rel=0.2)


def test_tables_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    bench_moldable.bench_in_c("moldable-classes", 60, 200, 1)
    bench_moldable.bench_programs("moldable-sublinear", 50, (200, 100), 1)
    bench_moldable.bench_policies("moldable-sublinear", (1000,), 100, 1)
    text = capsys.readouterr().out
    for way in ("kernel", *PROGRAMS, "greedy-p", "threshold"):
        assert f"| {way} |" in text
