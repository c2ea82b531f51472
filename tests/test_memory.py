"""The help's figures for the memory of servers, jobs, events and saved runs are right."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from slotscope.model.running.assembly import assemble
from slotscope.model.running.engine import started
from slotscope.model.scenario.load import load_scenario
from slotscope.model.systems.compiled import CompiledEngine
from slotscope.model.systems.state import size_in_bytes
from tests.bench import bench_moldable, bench_phases, bench_queues
from tests.bench.timing import settled

HELP = Path(__file__).resolve().parents[1] / "resources/help/scenarios.md"
SERVERS = 1000


def told(what: str) -> tuple[float, float]:
    """The first number in a row of the help's table as a range in bytes, with equal ends if it is a single number."""
    row = next(line for line in HELP.read_text(encoding="utf-8").splitlines() if line.startswith(f"| {what} |"))
    found = re.search(r"([0-9.]+)(?: to ([0-9.]+))? (bytes|kB|MB)", row.split("|")[2])
    assert found is not None, row
    unit = {"bytes": 1, "kB": 1e3, "MB": 1e6}[found[3]]
    return float(found[1]) * unit, float(found[2] or found[1]) * unit


def near(bytes_each: float, what: str) -> bool:
    """Whether a size agrees with the help within 25 %."""
    least, most = told(what)
    return 0.75 * least <= bytes_each <= 1.25 * most


def loss_state(servers: int) -> Any:
    return settled(servers, "first-fit", 4.0)[1]


def queue_state(servers: int) -> Any:
    return bench_queues.settled(bench_queues.bench_of("queues-wide-jobs", "fifo-ff", {}, servers), 60)


def moldable_state(servers: int) -> Any:
    return bench_moldable.settled(bench_moldable.bench_of("moldable-sublinear", servers))


@pytest.mark.parametrize(
    ("state_of", "what"),
    [
        (loss_state, "a server with its jobs, DRA and its peers"),
        (queue_state, "a server with a queue, its jobs in service"),
        (moldable_state, "a moldable server"),
    ],
)
def test_a_server_takes_what_the_help_says(state_of: Any, what: str) -> None:
    assert near(size_in_bytes(state_of(SERVERS)) / SERVERS, what)


def test_a_job_with_phases_takes_what_the_help_says() -> None:
    bench = bench_phases.bench_of("jrs-two-phases", SERVERS, "first-fit", "")
    state = bench_phases.settled(bench, 100_000)
    assert near(size_in_bytes(state) / SERVERS, "a job with phases")


def test_a_waiting_job_takes_what_the_help_says() -> None:
    """The size of a record, which has one entry or row in each of its arrays."""
    state = started(assemble(load_scenario("queues-small-jobs")).system)
    records = len(state.job_number)
    each = sum(array.nbytes // records for array in state if len(array) == records)
    assert near(each, "a waiting job")


def test_an_event_of_history_takes_what_the_help_says() -> None:
    assert near(size_in_bytes(loss_state(180)) / CompiledEngine.keyframe_every, "an event of history")
