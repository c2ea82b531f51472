"""Hand-checkable traces of Join-Requesting-Server, computed by an independent program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Callable

import pytest

from slotscope.model.running.assembly import assemble
from slotscope.model.running.engine import started
from slotscope.model.scenario.load import load_scenarios
from tests.help_pages import blocks, code, page, table
from tests.kinds.phases.oracle import Oracle
from tests.sound import reference_events

FOLDER = Path(__file__).parents[2] / "golden" / "phases"
GOLDEN = {path.stem: json.loads(path.read_text()) for path in sorted(FOLDER.glob("0*.json"))}

every_file = pytest.mark.parametrize("name", sorted(GOLDEN))


def expected(name: str) -> list[dict[str, Any]]:
    states: list[dict[str, Any]] = GOLDEN[name]["states"]
    assert [state["after"] for state in states] == ["start", *range(len(states) - 1)]
    return states


def test_there_are_traces_of_every_kind() -> None:
    events = [event for data in GOLDEN.values() for event in data["events"]]
    assert {event["kind"] for event in events} == {"arrival", "phase", "departure", "tick"}
    assert any(event.get("virtual_choices") for event in events)
    assert any(event.get("type") == "patch" for event in events)
    assert {len(data["pools"]) for data in GOLDEN.values()} == {1, 2}
    assert len(GOLDEN) == 7


@every_file
def test_the_command_prints_every_state(name: str, lines: Callable[[str], list[dict[str, Any]]]) -> None:
    found = lines("trace", FOLDER / f"{name}.json")
    for ours, theirs in zip(found, expected(name), strict=False):
        assert ours == theirs
    assert len(found) == len(expected(name))


def test_the_command_prints_some_of_them(lines: Callable[[str], list[dict[str, Any]]]) -> None:
    name = "03_token_limit_virtual"
    assert lines("trace --events 2", FOLDER / f"{name}.json") == expected(name)[:3]


@every_file
def test_nothing_is_broken_on_the_way(name: str) -> None:
    bench = assemble(load_scenarios(FOLDER / f"{name}.json")[0])
    state: Any = started(bench.system)
    assert bench.kind.violations(bench.system, state) == []
    for run in reference_events(bench.system, state):
        state = run.state
        assert bench.kind.violations(bench.system, state) == []
    assert int(state.number[0]) == len(GOLDEN[name]["events"])


@every_file
def test_the_second_program_agrees_too(name: str) -> None:
    """So that it can check instances for which there is no golden trace."""
    assert Oracle(GOLDEN[name]).states() == expected(name)


class TestThePage:
    """The description of the format in the help page."""

    PART = page("trace-format").partition("## Jobs with phases")[2].partition("\n## ")[0]

    def keys(self, part: str) -> set[str]:
        return {name for row in table(part, "key") for name in code(row[0])}

    def test_the_keys_of_lines(self, lines: Callable[[str], list[dict[str, Any]]]) -> None:
        told = self.keys(self.PART.partition("**instance file**")[0])
        printed = {
            policy: lines(f"trace jrs-classroom --policy {policy} --events 5") for policy in ("jrs", "first-fit")
        }
        first, *others = printed["jrs"]
        assert set(first) == {"after", "pools", "active", "cost_rate", "jobs"}
        assert {key for line in others for key in line} | {"servers"} == told
        assert set(printed["first-fit"][1]) == told - {"pools"}
        for data in GOLDEN.values():
            assert {key for line in data["states"] for key in line} == told - {"event", "servers"}

    def test_the_instance_is_traced(self, tmp_path: Path, lines: Callable[[str], list[dict[str, Any]]]) -> None:
        (text,) = blocks(self.PART, "json")
        path = tmp_path / "instance.json"
        path.write_text(text, "utf-8")
        assert lines("trace", path) == Oracle(json.loads(text)).states()
        told = self.keys(self.PART.partition("**instance file**")[2])
        assert told == set(json.loads(text)) - {"name", "phases"}
