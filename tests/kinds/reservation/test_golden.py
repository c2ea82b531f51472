"""Hand-checkable traces of DRA, computed by an independent program, step by step."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest

from slotscope.model.kinds.reservation.trace import header, step
from slotscope.model.running.assembly import Bench, assemble
from slotscope.model.running.engine import Task
from slotscope.model.scenario.load import edited, load_scenario
from tests.engines import Twins
from tests.sound import reference_events

FOLDER = Path(__file__).parents[2] / "golden" / "dra"
TRACES = {path.stem: json.loads(path.read_text()) for path in sorted(FOLDER.glob("t*.json"))}
NAMES = sorted(TRACES)

Step = dict[str, Any]


def opened(name: str) -> Bench:
    return assemble(load_scenario(FOLDER / f"{name}.json"))


def steps_of(bench: Bench) -> Iterator[Step]:
    """Every step of a scripted scenario as ``slotscope trace`` prints it."""
    system = bench.system
    state = system.raw_state()
    records = list(system.start(state))
    yield step(system, state, None, records)
    for run in reference_events(system, state):
        yield step(system, run.state, run.event, run.records)


def servers_of(found: Step) -> Counter[Any]:
    """The multiset of servers, regardless of their numbers."""
    return Counter(
        (
            tuple(server["config"]),
            tuple(map(frozenset, server["jobs"])),
            server["index"],
            server["group"],
            server["prank"],
        )
        for server in found["servers"]
    )


def positive(found: Step) -> list[tuple[tuple[int, ...], int]]:
    return [(tuple(item["k"]), item["X"]) for item in found["gpa"] if item["X"] > 0]


def renamed(found: Step) -> list[tuple[Any, ...]]:
    """The actions in order, with each server identified by its contents after the step.

    Which of several jobs of a type leaves a server is a free choice, so the states decide.
    """
    content = {
        server["id"]: (tuple(server["config"]), tuple(map(frozenset, server["jobs"]))) for server in found["servers"]
    }
    return [
        (
            action["op"],
            action.get("job") if action["op"] != "preempt" else None,
            action.get("type"),
            action["to"] if action["op"] == "reassign" else content.get(action.get("to")),
            content.get(action.get("from")) if action["op"] == "migrate" else None,
            content.get(action.get("server")),
        )
        for action in found["actions"]
    ]


def same(ours: Step, theirs: Step) -> None:
    assert ours["event"] == theirs["event"]
    assert ours["Y"] == theirs["Y"]
    assert positive(ours) == positive(theirs)
    assert ours["Istar"] == theirs["Istar"]
    assert ours["first_unmatched"] == theirs["first_unmatched"]
    assert servers_of(ours) == servers_of(theirs)
    assert renamed(ours) == renamed(theirs)


def test_there_are_traces_of_every_kind() -> None:
    assert len(NAMES) >= 13
    assert {trace["variant"] for trace in TRACES.values()} >= {"dra", "nomig", "nomig-ext"}
    assert {trace["cra_mode"] for trace in TRACES.values()} == {"event", "periodic"}
    assert any("preempt" in event for trace in TRACES.values() for event in trace["events"])


@pytest.mark.parametrize("name", NAMES)
def test_every_step_agrees(name: str) -> None:
    expected = TRACES[name]["steps"]
    found = list(steps_of(opened(name)))
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        same(ours, theirs)


def exact(values: Any) -> Any:
    """Rationals, written as numbers or as text."""
    if isinstance(values, list):
        return [exact(value) for value in values]
    return Fraction(values)


@pytest.mark.parametrize("name", NAMES)
def test_the_header_repeats_the_instance(name: str) -> None:
    trace = TRACES[name]
    found = header(opened(name).system)
    for key in ("sizes", "capacity", "rewards"):
        assert exact(found["instance"][key]) == exact(trace["instance"][key]), key
    for key in ("L", "g", "variant", "cra_mode"):
        assert found[key] == trace[key], key
    assert found["initial"]["order"] == trace["initial"].get("order", [])
    for ours, theirs in zip(found["initial"]["servers"], trace["initial"]["servers"], strict=True):
        assert ours.get("config") == theirs.get("config")
        assert ours.get("jobs", []) == theirs.get("jobs", [])


@pytest.mark.parametrize("name", NAMES)
def test_printed_lines_are_a_golden_file_again(name: str, tmp_path: Path) -> None:
    bench = opened(name)
    steps = list(steps_of(bench))
    again = header(bench.system) | {"events": [found["event"] for found in steps[1:]]}
    path = tmp_path / "again.json"
    path.write_text(json.dumps(again))
    assert list(steps_of(assemble(load_scenario(path)))) == steps


@pytest.mark.parametrize("name", NAMES)
def test_the_kernel_reaches_the_same_states(name: str) -> None:
    events = len(TRACES[name]["events"])
    assert Twins(opened(name)).agree(events, Task(explain=True)) == events


def test_a_wrong_step_is_caught(golden: Callable[[str], Path]) -> None:
    """The comparison itself: a change to any part of a step must be found."""
    right = json.loads(golden("dra/t02_migration.json").read_text())["steps"][2]
    same(right, right)
    for change in (
        {"Y": [9, 9]},
        {"Istar": right["Istar"] + 1},
        {"first_unmatched": 7},
        {"gpa": []},
        {"actions": []},
        {"servers": right["servers"][1:]},
    ):
        with pytest.raises(AssertionError):
            same(right | change, right)


@pytest.mark.parametrize("start", [{"start": "empty"}, {"start": "full", "type": "training"}])
@pytest.mark.parametrize(("policy", "factor"), [("dra", "log^2"), ("dra-periodic", "5/2")])
def test_any_run_is_an_instance_file(start: Step, policy: str, factor: str, tmp_path: Path) -> None:
    """Header and events contain all that another program needs to check a run."""
    choice = {"name": policy, "parameters": {"reservation_factor": factor}}
    bench = assemble(edited(load_scenario("dra-classroom"), {"initial": start, "policy": choice}))
    steps = list(islice(steps_of(bench), 120))
    path = tmp_path / "again.json"
    again = header(bench.system) | {"events": [found["event"] for found in steps[1:]]}
    path.write_text(json.dumps(again))
    for ours, theirs in zip(steps_of(assemble(load_scenario(path))), steps, strict=True):
        assert {**ours, "event": None} == {**theirs, "event": None}
