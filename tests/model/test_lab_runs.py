"""Runs without history: where they stop, in which pieces they run, and what they leave in memory."""

from __future__ import annotations

import gc
import shutil
import weakref
from pathlib import Path
from typing import Any

import pytest

from slotscope.model.errors import UserError
from slotscope.model.kinds.spec import KINDS, kind_named
from slotscope.model.lab import runs
from slotscope.model.lab.parts import Part
from slotscope.model.lab.runs import StraightRun, bench_of, replications
from slotscope.model.lab.simulation import simulations
from slotscope.model.policies.own.trust import allow_named
from slotscope.model.scenario.load import edited, load_scenario
from slotscope.model.session.bench import open_bench
from slotscope.model.systems.base import EVENT, NEXT_ARRIVAL
from slotscope.model.systems.state import LINES, arrays_of, digest, is_short
from tests.own_policies import source, write

EXAMPLE = Path(__file__).resolve().parents[2] / "resources" / "traces" / "jobs.csv"

#: The time by which a run of each kind has had some hundred events.
UNTIL = {"reservation": 0.5, "queue": 10_000.0, "phases": 0.5, "moldable": 50.0}

KIND = pytest.mark.parametrize("name", list(KINDS))


def run_of(name: str) -> StraightRun:
    """A run of a kind's example from its start."""
    return StraightRun(open_bench(load_scenario(kind_named(name).example), None, 1))


@KIND
def test_a_run_goes_up_to_a_time_in_pieces_of_any_length(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, until = run_of(name), UNTIL[name]
    whole.to(until)
    following = whole.bench.system.next_event(whole.state)
    assert following is None or following.time > until
    monkeypatch.setattr(runs, "_SLICE", 30)
    pieces = run_of(name)
    for share in (0.1, 0.4, 0.4, 1.0):
        pieces.to(share * until)
    assert pieces.state.number[EVENT] > 100
    assert digest(pieces.state) == digest(whole.state)


@KIND
def test_what_two_runs_write_lies_in_no_line_of_memory_together(name: str) -> None:
    """False sharing: two threads that write to one cache line wait for each other at every write."""
    both = run_of(name), run_of(name)
    for share in (0.5, 1.0):
        for run in both:
            run.to(share * UNTIL[name])
    lines: list[set[int]] = []
    for run in both:
        engine: Any = run._engine
        (kept,) = engine._kept
        assert kept.state is run.state
        written = arrays_of((kept.state, kept.given, engine.constant, engine._done, engine._outcome))
        starts = [(array.ctypes.data, array.nbytes) for array in written if is_short(array)]
        lines.append(
            {line for start, size in starts for line in range(start // LINES, (start + size - 1) // LINES + 1)}
        )
    assert len(lines[0]) > 10
    assert not set.intersection(*lines)


def test_a_run_goes_up_to_an_arrival(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "_SLICE", 7)
    run = run_of("moldable")
    for number in (0, 1, 20, 20, 100):
        assert run.to_arrival(number).number[NEXT_ARRIVAL] == number


def test_a_run_that_is_over_is_gone_at_once() -> None:
    """Without the collector of reference cycles, which runs too rarely for runs that each keep many jobs."""
    run = run_of("queue")
    run.to(100.0)
    left = [weakref.ref(one) for one in (run, run.bench, run.bench.system.workload)]
    enabled = gc.isenabled()
    gc.disable()
    try:
        del run
        assert [one() for one in left] == [None] * 3
    finally:
        if enabled:
            gc.enable()


@KIND
def test_replications_differ_in_their_seeds_only(name: str) -> None:
    scenario = load_scenario(kind_named(name).example)
    first, second = replications("a.module", scenario, None, {"slots": 5}, (1, 2), "here", 7.0)
    assert (first.seed, second.seed, first.text) == (1, 2, second.text)
    assert (first.settings["slots"], first.label, first.length) == (5, "here, seed 1", 7.0)
    bench = bench_of(second)
    assert bench.scenario.seed == 2
    assert bench.kind is kind_named(name)


@pytest.mark.parametrize("named_by", ["command", "scenario"])
@pytest.mark.parametrize("changed", ["mine.py", "helper.py"])
def test_a_part_is_of_the_texts_that_its_policy_had(tmp_path: Path, changed: str, named_by: str) -> None:
    """Else saving a policy's file during an experiment would mix parts of both texts under one name."""
    write(tmp_path, "room = 'with_room'\n", "helper.py")
    path = write(tmp_path, f"import helper\n{source()}")
    allow_named(path)
    scenario = load_scenario("dra-classroom")
    if named_by == "scenario":
        scenario = edited(scenario, {"policy": {"name": path}})

    def part() -> Part:
        policy = path if named_by == "command" else None
        return replications("somewhere", scenario, policy, {}, [1], "", 1.0)[0]

    before = part()
    assert part().key == before.key
    assert bench_of(before).scenario.policy.name == path
    with (tmp_path / changed).open("a") as file:
        file.write("# another text\n")
    assert part().key != before.key
    with pytest.raises(UserError, match="found another text than when this began") as told:
        bench_of(before)
    assert told.value.where == path
    assert bench_of(part()).scenario.policy.name == path


def test_a_part_is_of_the_trace_that_there_was(tmp_path: Path) -> None:
    table = tmp_path / "jobs.csv"
    shutil.copy(EXAMPLE, table)
    scenario, trace = load_scenario("queues-google"), (str(table),)

    def part() -> Part:
        return simulations(scenario, [1], 0.0, 10.0, "", trace=trace)[0]

    before = part()
    assert bench_of(before).kind is kind_named("queue")
    table.write_text("".join(table.read_text().splitlines(True)[:-1]))
    with pytest.raises(UserError, match="found other files of the trace than when this began") as told:
        bench_of(before)
    assert told.value.where == str(table)
    assert part().key != before.key
    assert bench_of(part()).kind is kind_named("queue")
