"""User policies run in batches of a hundred events as they do step by step, and faults are reported alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.strategies import integers

from slotscope.model.api import Session
from slotscope.model.policies.own.far import FarEngine
from slotscope.model.running.assembly import Bench, assemble
from slotscope.model.running.engine import Advance, Engine, Reason, ReferenceEngine, Task, started
from slotscope.model.running.slices import Slices
from slotscope.model.scenario import workload
from slotscope.model.scenario.load import load_scenario
from slotscope.model.scenario.workload import RecordedWorkload
from slotscope.model.systems.base import EVENT
from slotscope.model.systems.state import copied, digest
from tests.own_policies import FIRST_FIT, HEAD, source, write

POLICIES = Path(__file__).resolve().parents[2] / "resources" / "policies"

#: Scenarios of each kind of system, each with a policy; among them a trace, a script, and a state that grows.
CASES = (
    ("dra-vms", "reservation_template"),
    ("dra-classroom", "keep_room"),
    ("queues-small-jobs", "queue_template"),
    ("queues-classroom", "largest_first"),
    ("jrs-two-phases", "phases_template"),
    ("jrs-classroom", "asking_servers"),
    ("moldable-sublinear", "moldable_template"),
    ("moldable-swf", "half_of_the_rest"),
)


def bench_of(scenario: str, policy: str, seed: int = 1) -> Bench:
    """A scenario under a policy file that ships with the program."""
    return Session.open(scenario, str(POLICIES / f"{policy}.py"), seed=seed).bench


def ran(engine: Engine, state: Any, events: int, task: Task) -> tuple[np.ndarray, Advance]:
    """Request events until there are *events* of them, or the run stops for another reason."""
    rows = np.zeros(events, engine._system.row_dtype)  # type: ignore[attr-defined]
    result, done, samples = Advance(state, 0, Reason.LIMIT), 0, []
    while done < events and result.reason is Reason.LIMIT:
        result = engine.advance(result.state, rows[done:], task)
        done += result.rows
        samples.append(result.samples)
    return rows[:done], result._replace(rows=done, samples=np.concatenate(samples))


def same(one: tuple[np.ndarray, Advance], other: tuple[np.ndarray, Advance]) -> None:
    """Check that both results are equal."""
    (rows, result), (others, known) = one, other
    assert (rows == others).all() and result.rows == known.rows and result.reason is known.reason
    assert digest(result.state) == digest(known.state)
    assert np.array_equal(result.samples, known.samples)
    assert (result.fault and result.fault.line) == (known.fault and known.fault.line)


@pytest.mark.slow
@pytest.mark.parametrize(("scenario", "policy"), CASES)
@given(seed=integers(0, 2**31 - 1))
@settings(max_examples=3, deadline=None)
def test_a_stretch_is_what_its_steps_are(scenario: str, policy: str, seed: int) -> None:
    bench = bench_of(scenario, policy, seed)
    engine, steps = bench.reference, ReferenceEngine(bench.system)
    assert isinstance(engine, FarEngine)
    state, random = started(bench.system), np.random.default_rng(seed)
    for _ in range(4):
        events, stride = int(random.integers(1, 150)), int(random.integers(0, 9))
        here = float(state.clock[0])
        until = [np.inf, here + float(random.exponential(1.0))][int(random.integers(2))]
        task = Task(until=until, stride=stride, stop_flags=int(random.integers(0, 2)) << int(random.integers(0, 8)))
        found = ran(engine, copied(state), events, task)
        same(found, ran(steps, copied(state), events, task))
        state = found[1].state


@pytest.mark.parametrize("jobs", (2, 50))
def test_jobs_come_in_blocks(monkeypatch: pytest.MonkeyPatch, jobs: int) -> None:
    """Also blocks with fewer jobs than a request has events."""
    monkeypatch.setattr(workload, "BLOCK", jobs)
    bench = bench_of("dra-classroom", "keep_room")
    bench.reference._slices = Slices(64, 1.0)  # type: ignore[attr-defined]
    found = ran(bench.reference, started(bench.system), 400, Task(stride=1))
    same(found, ran(ReferenceEngine(bench.system), started(bench.system), 400, Task(stride=1)))


def test_a_workload_that_ends(tmp_path: Path) -> None:
    bench = assemble(load_scenario("dra-classroom"), write(tmp_path, source()))
    first = bench.system.workload.block_at(0)
    ways = []
    for engine in (bench.reference, ReferenceEngine(bench.system)):
        state = started(bench.system)
        state = ran(engine, state, 5, Task())[1].state
        bench.system.workload = RecordedWorkload(first.time[:30], first.type[:30], first.service[:30])
        ways.append(ran(engine, state, 400, Task()))
        bench.system.workload = bench.kind.workload(bench.scenario, bench.numbers)
    same(*ways)
    assert ways[0][1].reason is Reason.END


#: Statements that go wrong at event 40, and what the fault's line says.
FAULTS = {
    "an exception": ("1 / 0", "ZeroDivisionError"),
    "an impossible decision": ("yield Admit(server=10**6)", "10"),
    "what cannot be taken back": ("self.seen = view.event", "self.seen, which a rewind cannot take back"),
    "what is shown": (
        "view._state.clock.setflags(write=True); view._state.clock[0] = 1",
        "what a policy is shown cannot be changed",
    ),
    "an end of its process": ("os._exit(3)", "it ended its process (exit status 3)"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_told_as_step_by_step(tmp_path: Path, name: str) -> None:
    wrong, said = FAULTS[name]
    text = source(f"if view.event >= 39:\n    {wrong}\n" + FIRST_FIT, head=f"import os\n{HEAD}")
    bench = assemble(load_scenario("dra-classroom"), write(tmp_path, text))
    for _ in range(2):  # a second request gives the same
        found = ran(bench.reference, started(bench.system), 400, Task(stride=1))
        known = ran(ReferenceEngine(bench.system), started(bench.system), 400, Task(stride=1))
        same(found, known)
        assert found[1].fault is not None and said in found[1].fault.line
        assert 39 <= int(found[1].state.number[EVENT]) < 60


def test_what_a_policy_is_given_is_its_own(tmp_path: Path) -> None:
    """A policy that overwrites its view's layout does not change the system of its process."""
    text = (POLICIES / "queue_template.py").read_text(encoding="utf-8")
    first = next(line for line in text.splitlines() if line.strip().startswith("def slot("))
    spoils = "\n        view.layout.room_of = lambda sizes: 0 * sizes  # no job needs room any more\n"
    path = write(tmp_path, text.replace(first, first + spoils))
    bench = assemble(load_scenario("queues-classroom"), path)
    found = ran(bench.reference, started(bench.system), 200, Task(stride=1))
    same(found, ran(ReferenceEngine(bench.system), started(bench.system), 200, Task(stride=1)))


def test_a_slow_event_is_left_to_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program's own engine runs it, with progress and a way to stop; fast events are still run in batches."""
    slow = (
        "if view.event in (39, 40, 41):\n    for _ in range(8):\n        time.sleep(0.02)\n        yield say('now')\n"
    )
    text = source(slow + FIRST_FIT, head=f"import time\n{HEAD}")
    bench = assemble(load_scenario("dra-classroom"), write(tmp_path, text))
    steps: list[int] = []
    advance = ReferenceEngine.advance

    def noted(engine: Any, state: Any, tape: np.ndarray, task: Task) -> Advance:
        steps.append(int(state.number[EVENT]))
        return advance(engine, state, tape, task)

    monkeypatch.setattr(ReferenceEngine, "advance", noted)
    ran(bench.reference, started(bench.system), 400, Task())
    told = [event for event in steps if event > 0]
    assert {39, 40, 41} & set(told) and len(told) < 10
