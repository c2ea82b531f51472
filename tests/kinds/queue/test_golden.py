"""Hand-checkable traces of the queueing system, computed by an independent program."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

from slotscope.model.running.assembly import assemble
from slotscope.model.running.engine import Task
from slotscope.model.scenario.load import load_scenarios
from tests.engines import Twins
from tests.kinds.queue.oracle import Oracle

FOLDER = Path(__file__).parents[2] / "golden" / "queue"
GOLDEN = {path.stem: json.loads(path.read_text()) for path in sorted(FOLDER.glob("a*.json"))}
RUNS = [(name, place) for name, data in GOLDEN.items() for place in range(len(data["runs"]))]
IDS = [f"{name}-{GOLDEN[name]['runs'][place]['algo']}-{place}" for name, place in RUNS]
every_run = pytest.mark.parametrize(("name", "place"), RUNS, ids=IDS)


def opened(name: str, place: int) -> Any:
    return assemble(load_scenarios(FOLDER / f"{name}.json")[place])


def printed(name: str, place: int) -> list[dict[str, Any]]:
    bench = opened(name, place)
    lines = bench.kind.trace_lines(bench.system, float("inf"))
    return [json.loads(json.dumps(line)) for line in lines]


def test_there_are_traces_of_every_kind() -> None:
    algorithms = {run["algo"] for data in GOLDEN.values() for run in data["runs"]}
    assert algorithms == {"FIFO-FF", "BF-J", "BF-S", "BF-J/S", "VQS", "VQS-BF", "MW"}
    assert len(RUNS) >= 27


@every_run
def test_every_slot_agrees(name: str, place: int) -> None:
    expected = GOLDEN[name]["runs"][place]["trace"]
    found = printed(name, place)
    for ours, theirs in zip(found, expected, strict=False):
        assert ours == theirs
    assert len(found) == len(expected)


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_the_command_prints_all_runs_one_after_another(name: str, lines: Callable[[str], list[dict[str, Any]]]) -> None:
    expected = [entry for run in GOLDEN[name]["runs"] for entry in run["trace"]]
    assert lines("trace", FOLDER / f"{name}.json") == expected


@every_run
def test_the_header_agrees(name: str, place: int) -> None:
    """Virtual queues, accounted sizes, K_RED in its order, and MaxWeight's job sizes."""
    data, run = GOLDEN[name], GOLDEN[name]["runs"][place]
    system = opened(name, place).system
    jobs = {str(job["id"]): job for job in data["arrivals"]}
    sizes = np.array([[system.numbers.units(Fraction(job["size"]))] for job in jobs.values()])
    queues = system.policy.layout.queue_of(sizes).tolist()
    rooms = system.policy.layout.room_of(sizes)[:, 0].tolist()
    if "types" in run:
        assert dict(zip(jobs, queues, strict=True)) == run["types"]
        told = [str(system.numbers.amount(room)) for room in rooms]
        assert dict(zip(jobs, told, strict=True)) == run["accounted_size"]
        rows = [
            {str(j): count for j, count in enumerate(row) if count} for row in system.policy.configurations.tolist()
        ]
        assert rows == data["K_RED"]
    else:
        assert rooms == sizes[:, 0].tolist()
    if "type_sizes" in run:
        assert [str(system.numbers.amount(size)) for (size,) in system.numbers.values] == run["type_sizes"]


@every_run
def test_the_second_program_agrees_too(name: str, place: int) -> None:
    """So that it can check instances for which there is no golden trace."""
    run = GOLDEN[name]["runs"][place]
    assert Oracle(GOLDEN[name], run).trace() == run["trace"]


@every_run
def test_the_kernel_reaches_the_same_states(name: str, place: int) -> None:
    Twins(opened(name, place)).agree(10_000, Task(explain=True))
