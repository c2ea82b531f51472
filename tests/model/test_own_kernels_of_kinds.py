"""User kernels in the kinds of system in which they choose servers: they decide as their references do."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from slotscope.model.api import Session
from slotscope.model.errors import PolicyError, ScenarioError
from slotscope.model.policies.own.checked import CHECKED
from slotscope.model.running.assembly import assemble
from slotscope.model.running.engine import Task, started
from slotscope.model.scenario.load import load_scenario
from slotscope.model.systems.state import digest
from tests.engines import Twins
from tests.help_pages import blocks, page
from tests.kinds.phases.strategies import phase_scenarios
from tests.kinds.queue.strategies import queue_scenarios
from tests.kinds.reservation.strategies import scenarios
from tests.own_kernels import SOURCES
from tests.own_policies import write

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).resolve().parents[2] / "resources" / "policies"
SECTION = page("own-policy").partition("## It can be fast\n")[2].partition("\n## ")[0]
CLASSROOMS = {"reservation": "dra-classroom", "queue": "queues-classroom", "phases": "jrs-fixed-sizes"}
EXAMPLES = {
    "first_fit_compiled": "dra-classroom",
    "oldest_first_compiled": "queues-classroom",
    "fullest_compiled": "jrs-two-phases",
}
SCENARIOS = {"reservation": scenarios(), "queue": queue_scenarios("fifo-ff"), "phases": phase_scenarios("first-fit")}
EVENTS = 60


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The file of each kind."""
    folder = tmp_path_factory.mktemp("kernels")
    return {kind: write(folder, text, f"{kind}.py") for kind, text in SOURCES.items()}


def agree(scenario: Any, policy: str, task: Task) -> None:
    """Whether both engines, neither checking the other, give the same rows, samples and states at each event."""
    try:
        bench = assemble(scenario, policy)
    except ScenarioError:
        assume(False)
    assume(bench.has_kernel)
    Twins(bench, kernel=bench.kernel(checked=0)).agree(EVENTS, task)


@pytest.mark.parametrize("kind", SOURCES)
@given(data=st.data())
def test_every_event_of_random_scenarios(kind: str, files: dict[str, str], data: st.DataObject) -> None:
    slots = data.draw(st.sampled_from(["", ":slots=true"])) if kind == "reservation" else ""
    agree(data.draw(SCENARIOS[kind]), files[kind] + slots, Task(stride=1, explain=True))


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_stand_on_the_page_and_run_as_it_says(name: str) -> None:
    text = (FOLDER / f"{name}.py").read_text(encoding="utf-8").partition('"""\n\n')[2]
    assert text in blocks(SECTION, "python")
    session, reference = (
        Session.open(EXAMPLES[name], str(FOLDER / f"{name}.py"), kernel=kernel) for kernel in (True, False)
    )
    for one in (session, reference):
        one.seek(EVENTS)
    assert session.compiled
    assert digest(session.timeline.state) == digest(reference.timeline.state)


WRONG = {
    (
        "reservation",
        1,
    ): r"the reference decides: (server \d|the job is rejected); the kernel: \1, but with other memory$",
    ("reservation", 2): r"the reference decides: server \d; the kernel: the job is rejected$",
    ("reservation", 3): r"the kernel returns 77, allowed: a server, 0 to 6, or -1 \(the job is rejected\)$",
    ("reservation", 4): r"the kernel admits it on server \d, which has no room for it$",
    ("reservation", 5): r"the kernel fails: ValueError: \d+$",
    ("reservation", 6): r"the kernel fails: IndexError: index is out of bounds$",
    ("queue", 1): r"the reference decides: (.+); the kernel: \1, but with other memory$",
    ("queue", 2): r"the reference decides: job \S+ on server \d.*; the kernel: no job is placed$",
    ("queue", 3): r"the kernel returns server 73, allowed: 0 to 2$",
    ("queue", 4): r"the kernel returns record \d+, allowed: that of a job that waits, or -1 \(no more\)$",
    ("queue", 5): r"the kernel fails: ValueError: \d+$",
    ("queue", 6): r"the kernel fails: IndexError: index is out of bounds$",
    ("queue", 7): r"the kernel places job \S+ on server \d, which has no room for it$",
    ("phases", 1): r"the reference decides: (server \d+); the kernel: \1, but with other memory$",
    ("phases", 2): r"the reference decides: server \d+; the kernel: server \d+$",
    ("phases", 3): r"the kernel returns \d+, allowed: a server, 0 to \d+, or -1 \(an idle one\)$",
    ("phases", 4): r"the kernel places it on server \d+, which has no room$",
    ("phases", 5): r"the kernel fails: ValueError: \d+$",
    ("phases", 6): r"the kernel fails: IndexError: index is out of bounds$",
}


@cache
def right(path: str, kind: str, event: int) -> str:
    """The digest of the reference's state after an event."""
    session = Session.open(CLASSROOMS[kind], path, kernel=False)
    session.seek(event)
    return digest(session.timeline.state)


@pytest.mark.parametrize(("kind", "wrong"), WRONG)
def test_a_wrong_kernel_is_named_in_a_line_and_harms_nothing(files: dict[str, str], kind: str, wrong: int) -> None:
    """The run stops before the event in the reference's state, and can go on from it."""
    policy = f"{files[kind]}:wrong={wrong},since=40"
    session = Session.open(CLASSROOMS[kind], policy)
    with pytest.raises(PolicyError, match=WRONG[kind, wrong]) as raised:
        session.run(events=CHECKED)
    event = session.timeline.event
    assert 39 <= event < 400
    assert f": at event {event + 1} (" in str(raised.value)
    assert raised.value.where.startswith(f"{files[kind]}, line ")
    assert digest(session.timeline.state) == right(policy, kind, event)
    session.step()
    assert session.timeline.event == event + 1


@pytest.mark.parametrize("kind", SOURCES)
def test_wrong_answers_beyond_the_checked_events_are_found_with_their_event(files: dict[str, str], kind: str) -> None:
    """Even in long batches the driver checks an answer before it writes to the state."""
    bench = assemble(load_scenario(CLASSROOMS[kind]), f"{files[kind]}:wrong=3,since=90")
    state, tape = started(bench.system), np.zeros(500, bench.system.row_dtype)
    result = bench.kernel(checked=10).advance(state, tape, Task())
    while result.fault is None:
        result = bench.kernel(checked=0).advance(result.state, tape, Task())
    event = int(result.state.number[0])
    assert 89 <= event < 200
    assert f"at event {event + 1} (" in result.fault.line
    assert digest(result.state) == right(f"{files[kind]}:wrong=3,since=90", kind, event)


def test_what_a_kernel_does_not_decide_is_said(tmp_path: Path) -> None:
    """Updates of a loss system, and servers that request jobs in a system with phases."""
    text = SOURCES["reservation"].replace(
        "for server in view.empty", "yield UpdateAt(time=0.5)\n        for server in view.empty"
    )
    with pytest.raises(PolicyError, match="found UpdateAt beside a kernel, allowed: a kernel that decides of arrivals"):
        Session.open("dra-classroom", write(tmp_path, text)).run(events=20)
    asks = SOURCES["phases"].replace("memory = 1", "memory = 1\n    servers = 3")
    with pytest.raises(PolicyError, match=r"found a kernel with 3 servers that ask for jobs, allowed: servers = 0$"):
        Session.open("jrs-two-phases", write(tmp_path, asks))


@pytest.mark.parametrize("given", ["-1", "(0, 0, 0)", "(0, 0.5)"])
def test_a_kernel_of_queues_returns_a_pair(tmp_path: Path, given: str) -> None:
    text = SOURCES["queue"].partition("    @staticmethod\n")[0]
    path = write(tmp_path, f"{text}    @staticmethod\n    def kernel(state, free, data):\n        return {given}\n")
    with pytest.raises(PolicyError, match=r"the kernel gives .+, allowed: 2 whole numbers, such as return 3, 0$"):
        Session.open("queues-classroom", path).bench.prepare()
